// SPDX-License-Identifier: Apache-2.0
//
// A bank of registers: Depth residues of W bits, one written and NumRead read in every cycle.
//
// At hundreds of bits a register that every operand may choose costs more in multiplexers than in
// flip-flops; here a choice is an address, and a read port costs one bit of memory for each bit.
// Latency: a write in cycle t is read from cycle t + 1; reading takes no cycle. There is no reset:
// the engine clears, register by register.
`default_nettype none

module gfp_bank #(
  parameter int unsigned Depth = 16,
  parameter int unsigned W = 264,
  parameter int unsigned NumRead = 1,
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
    logic [W-1:0] memory[Depth];
    always_ff @(posedge clk_i) begin
      if (we_i) memory[address_i] <= data_i;
    end
    assign data_o[p] = memory[read_i[p]];
  end

endmodule

`default_nettype wire
