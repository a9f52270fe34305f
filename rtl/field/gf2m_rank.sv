// SPDX-License-Identifier: Apache-2.0
//
// One optional rank of pipeline registers: q = d, one cycle later if Enable, at once if not.
//
// Zero after reset and after a cycle with clear_i, so that no secret stays behind.
`default_nettype none

module gf2m_rank #(
  parameter int unsigned Width  = 163,
  parameter bit          Enable = 1'b1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Enable) begin : gen_register
    logic [Width-1:0] data_d, data_q;

    assign data_d = clear_i ? '0 : d_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) data_q <= '0;
      else data_q <= data_d;
    end

    assign q_o = data_q;
  end else begin : gen_wire
    logic unused_control;

    assign unused_control = clk_i ^ rst_ni ^ clear_i;
    assign q_o = d_i;
  end

endmodule

`default_nettype wire
