// SPDX-License-Identifier: Apache-2.0
//
// Register file: NumReg registers of W bits. Every register can be read and written in every cycle.
//
//   we_i[i]    writes data_i[i] to register i; writing zero clears it
//   clear_i    clears all registers; wins over writes
//
// Latency: a write in cycle t is visible on data_o from cycle t + 1. There is no reset: the engine
// clears after its own reset. The register file depends on no field. The prime-field engine has
// banks of memory instead, because its registers are wider and its operands may read any
// of them.

`default_nettype none

module ecsm_regfile #(
  parameter int unsigned W = 8,
  parameter int unsigned NumReg = 2
) (
  input  logic              clk_i,
  input  logic              clear_i,
  input  logic [NumReg-1:0] we_i,
  input  logic [     W-1:0] data_i [NumReg],
  output logic [     W-1:0] data_o [NumReg]
);

  for (genvar i = 0; i < NumReg; i++) begin : gen_reg
    logic [W-1:0] data_q;
    always_ff @(posedge clk_i) begin
      if (clear_i) data_q <= '0;
      else if (we_i[i]) data_q <= data_i[i];
    end
    assign data_o[i] = data_q;
  end

endmodule

`default_nettype wire
