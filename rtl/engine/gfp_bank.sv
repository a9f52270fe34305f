// SPDX-License-Identifier: Apache-2.0
//
// A bank of registers: Depth residues of W bits, one written and NumRead read in every cycle.
// Memory of a few entries is distributed, of many it is in blocks, which read synchronously.
//
// At hundreds of bits a register that every operand may choose costs more in multiplexers than in
// flip-flops; here a choice is an address, and a read port costs one bit of memory for each bit.
// Latency: a write in cycle t is read from cycle t + 1; reading takes no cycle, or one if Sync. What
// is read while it is written means nothing if Sync. There is no reset: the engine clears, register
// by register.
`default_nettype none

module gfp_bank #(
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

  // A memory for each port: what the memories of an FPGA have.
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
