// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of kP by windows that are not recoded: returns the digits of k from the
// highest to the lowest, one for each next_i.
//
//   k = sum of index_i 2^(Window i), i = ceil(W / Window) - 1 .. 0, 0 <= index_i < 2^Window
//
// Latency 1: with load_i in cycle t the highest digit is on index_o from cycle t + 1. next_i takes
// effect at the end of its cycle, so a digit may be used every cycle; zeros follow the lowest
// digit. load_i in any cycle starts again; next_i in the same cycle is ignored. clear_i sets the
// register to zero and wins over everything. There is no reset: the engine clears after its own
// reset.
//
// scalar_i: any value of W bits, read only in the cycle of load_i. W, Window: 1 and more.
// Everything but the timing is secret.

`default_nettype none

module ecsm_scalar_digits #(
  parameter int unsigned W = 8,
  parameter int unsigned Window = 4
) (
  input  logic              clk_i,
  input  logic              clear_i,
  input  logic              load_i,
  input  logic              next_i,
  input  logic [     W-1:0] scalar_i,
  output logic [Window-1:0] index_o
);

  localparam int unsigned NumDigit = (W + Window - 1) / Window;
  localparam int unsigned BitsW = NumDigit * Window;

  logic [BitsW-1:0] bits_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) bits_q <= '0;
    else if (load_i) bits_q <= BitsW'(scalar_i);
    else if (next_i) bits_q <= bits_q << Window;
  end

  assign index_o = bits_q[BitsW-1-:Window];

  if (W < 1 || Window < 1) begin : gen_bad
    $error("ecsm_scalar_digits: W and Window must be at least 1");
  end

endmodule

`default_nettype wire
