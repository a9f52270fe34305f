// SPDX-License-Identifier: Apache-2.0
//
// Tells when a unit's data registers are zeroed: in a cycle with clear_i, and from reset to the
// first clock edge after it.
//
// Data registers have no reset of their own: an asynchronous reset beside a synchronous clear would
// cost one LUT for each register. zeroize_o is high with clear_i, while rst_ni is low, and in the
// first cycle after. A unit accepts no request in a cycle in which zeroize_o is high.
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
