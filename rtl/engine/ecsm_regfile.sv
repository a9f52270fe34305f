// SPDX-License-Identifier: Apache-2.0
//
// Register file: NumReg registers of W bits, all read and all writable in every cycle.
//
// A register written with zero is a register cleared. clear_i clears all and wins over writes.
// There is no reset: the engine clears after one. It knows no field; the prime-field engine, whose
// registers are wider and whose operands may read any of them, has banks of memory instead.
// Latency: a write in cycle t is read from cycle t + 1.

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
