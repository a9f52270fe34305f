// SPDX-License-Identifier: Apache-2.0
//
// One optional rank of pipeline registers: q = d, one cycle later if Enable, at once if not.
//
// There is neither reset nor clear: what is behind zero operands is zero once they have passed.
`default_nettype none

module gf2m_rank #(
  parameter int unsigned Width  = 163,
  parameter bit          Enable = 1'b1
) (
  input  logic             clk_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Enable) begin : gen_register
    logic [Width-1:0] data_q;

    always_ff @(posedge clk_i) data_q <= d_i;

    assign q_o = data_q;
  end else begin : gen_wire
    logic unused_clock;

    assign unused_clock = clk_i;
    assign q_o = d_i;
  end

endmodule

`default_nettype wire
