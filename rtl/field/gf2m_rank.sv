// SPDX-License-Identifier: Apache-2.0
//
// One optional rank of pipeline registers: q = d, one cycle later if Enable, at once if not.
//
// Zero after a cycle with clear_i, so that no secret stays behind. There is no reset: who holds
// secrets in it clears it after one (gf2m_engine does).
`default_nettype none

module gf2m_rank #(
  parameter int unsigned Width  = 163,
  parameter bit          Enable = 1'b1
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Enable) begin : gen_register
    logic [Width-1:0] data_q;

    always_ff @(posedge clk_i) begin
      if (clear_i) data_q <= '0;
      else data_q <= d_i;
    end

    assign q_o = data_q;
  end else begin : gen_wire
    logic unused_control;

    assign unused_control = clk_i ^ clear_i;
    assign q_o = d_i;
  end

endmodule

`default_nettype wire
