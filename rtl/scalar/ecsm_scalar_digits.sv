// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of kP on a group whose order may be even: k is not reduced, and returned in
// signed odd digits from the lowest to the highest, one for each next_i. k | 1 has them; the first
// digit makes k of it:
//
//   k = sum of d_i 2^(Window i) - (first digit is -1), i = 0 .. L-1, L = ceil(W / Window)
//   d_i odd, |d_i| < 2^Window
//
//   order:  first digit: 1 if k is odd, -1 if k is even;  d_0 .. d_(L-1);
//           digits with the indices 2^(Window-1) - 1 .. 0, none negative
//
// Digit i < L-1 comes from bits Window*i + Window .. Window*i of k | 1, without carries between
// digits. Take all these bits but the highest, with the lowest one set. If the highest is set, that
// is the digit; else 2^Window is subtracted. So |d_i| = 2 index + 1, where index is the bits
// between, complemented if the digit is negative. Bit 0 of k is at once the sign of the first
// digit, whose own bits, behind it, are equal to its complement.
//
// Latency 1: with load_i in cycle t the first digit is on index_o and negative_o from cycle t + 1.
// next_i takes effect at the end of its cycle, so a digit may be used every cycle. After the last
// digit the outputs have no meaning. load_i in any cycle starts again; next_i in the same cycle is
// ignored. clear_i sets every register to zero and wins over everything; the outputs, which have no
// meaning then, are all ones. There is no reset: the engine clears after its own reset.
//
// scalar_i: any value of W bits, read only in the cycle of load_i. W: 1 and more; Window: 2 and
// more. index_o, negative_o: the digit, as above. Everything but the timing is secret.
//
// Source: Joye, Tunstall, "Exponent recoding and regular exponentiation algorithms", AFRICACRYPT
// 2009 (signed odd digits).

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
  output logic [Window-2:0] index_o,
  output logic              negative_o
);

  localparam int unsigned NumDigit = (W + Window - 1) / Window;
  localparam int unsigned DigitsW = NumDigit * Window;

  logic [DigitsW+Window-1:0] bits_q;  // the digit at the bottom
  logic [Window-2:0] behind_q;  // the index that comes in at the top

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      bits_q <= '0;
      behind_q <= '0;
    end else if (load_i) begin
      bits_q <= {DigitsW'(scalar_i), {Window{~scalar_i[0]}}};
      behind_q <= '1;
    end else if (next_i) begin
      bits_q <= (DigitsW + Window)'({behind_q, 1'b1, bits_q} >> Window);
      behind_q <= behind_q - (Window - 1)'(1);
    end
  end

  assign negative_o = ~bits_q[Window];
  assign index_o = bits_q[Window-1:1] ^ {Window - 1{negative_o}};

  if (W < 1 || Window < 2) begin : gen_bad
    $error("ecsm_scalar_digits: W must be at least 1, and Window at least 2");
  end

  logic unused_lowest;
  assign unused_lowest = bits_q[0];  // of a digit it counts as 1

endmodule

`default_nettype wire
