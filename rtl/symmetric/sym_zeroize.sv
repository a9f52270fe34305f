// SPDX-License-Identifier: Apache-2.0
//
// When a unit's data registers are zeroed: with clear_i, and from reset until the first clock edge
// after it.
//
// Data registers have no reset of their own: an asynchronous one beside a synchronous clear would
// cost a LUT for each. zeroize_o is high with clear_i, while rst_ni is low, and in the first cycle
// after; in a cycle in which it is high a unit takes no request.
`default_nettype none

module sym_zeroize (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  output logic zeroize_o
);

  logic reset_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_q <= 1'b1;
    else reset_q <= 1'b0;
  end

  assign zeroize_o = clear_i || reset_q;

endmodule

`default_nettype wire
