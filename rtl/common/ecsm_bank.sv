// SPDX-License-Identifier: Apache-2.0
//
// A bank of registers: a memory of Depth residues of W bits, with one write and NumRead reads in
// every cycle. A small memory is distributed RAM (Sync = 0). A large one is block RAM, which reads
// synchronously (Sync = 1).
//
// At hundreds of bits a register file in flip-flops spends more area on the multiplexers of the
// operands than on the flip-flops. Here an operand selects a register by an address, and a read
// port costs one bit of memory for each bit.
//
// Latency: a write in cycle t is visible to reads from cycle t + 1. A read takes no cycle, or one
// with Sync. With Sync, a read of the register that is written in the same cycle returns an
// undefined value. There is no reset: the engine clears register by register.
`default_nettype none

module ecsm_bank #(
  parameter int unsigned Depth = 16,
  parameter int unsigned W = 264,
  parameter int unsigned NumRead = 1,
  parameter bit Sync = 1'b0,
  localparam int unsigned AddressW = $clog2(Depth)
) (
  input  logic                              clk_i,
  input  logic                              we_i,
  input  logic [AddressW-1:0]               address_i,
  input  logic [       W-1:0]               data_i,
  input  logic [ NumRead-1:0][AddressW-1:0] read_i,
  output logic [ NumRead-1:0][       W-1:0] data_o
);

  // One memory for each read port, as the memories of an FPGA require.
  for (genvar p = 0; p < NumRead; p++) begin : gen_port
    if (Sync) begin : gen_block
      (* no_rw_check *) logic [W-1:0] memory[Depth];
      logic [W-1:0] data_q;
      always_ff @(posedge clk_i) begin
        if (we_i) memory[address_i] <= data_i;
        data_q <= memory[read_i[p]];
      end
      assign data_o[p] = data_q;
    end else begin : gen_distributed
      logic [W-1:0] memory[Depth];
      always_ff @(posedge clk_i) begin
        if (we_i) memory[address_i] <= data_i;
      end
      assign data_o[p] = memory[read_i[p]];
    end
  end

endmodule

`default_nettype wire
