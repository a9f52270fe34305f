// SPDX-License-Identifier: Apache-2.0
//
// An optional rank of pipeline registers: q_o is d_i one cycle later if Enable = 1, and in the same
// cycle if Enable = 0.
//
// There is no reset and no clear: zeros that pass through the rank clear it.
`default_nettype none

module ecsm_rank #(
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
