// SPDX-License-Identifier: Apache-2.0
//
// Cuts words into digits of D bits, the highest first, for ecsm_order. start_i with digits_i, how
// many there are in all; with short_i, the first word has First of them only, at its lower end.
//
// While fetch_i is high, a word is taken when want_o and valid_i are; the next one in the cycle of
// the last digit of the one before. move_o with step_i: digit_o is a digit, and gone in the next
// cycle. last_o: after this cycle there are no more. clear_i zeroes every register; start_i wins.
`default_nettype none

module ecsm_order_digits #(
  parameter int unsigned Word = 64,
  parameter int unsigned D = 4,
  parameter int unsigned First = 16,
  parameter int unsigned DigitsW = 10
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               start_i,
  input  logic [DigitsW-1:0] digits_i,
  input  logic               short_i,
  input  logic               fetch_i,
  input  logic               step_i,
  input  logic               valid_i,
  input  logic [   Word-1:0] word_i,
  output logic               want_o,
  output logic               move_o,
  output logic [      D-1:0] digit_o,
  output logic               last_o
);

  localparam int unsigned LeftW = $clog2(Word / D + 1);

  logic [Word-1:0] word_q;
  // Digits in all; in the word.
  logic [DigitsW-1:0] digits_q, digits_after;
  logic [LeftW-1:0] left_q;
  logic short_q;

  assign move_o = step_i && left_q != '0;
  assign digits_after = digits_q - DigitsW'(move_o);
  assign last_o = digits_after == '0;
  assign want_o = fetch_i && !last_o && left_q <= LeftW'(1);
  assign digit_o = word_q[Word-1-:D];

  always_ff @(posedge clk_i) begin
    if (start_i || clear_i) begin
      word_q   <= '0;
      digits_q <= start_i ? digits_i : '0;
      left_q   <= '0;
      short_q  <= start_i & short_i;
    end else begin
      digits_q <= digits_after;
      if (want_o && valid_i) begin
        word_q  <= short_q ? word_i << (Word - D * First) : word_i;
        left_q  <= short_q ? LeftW'(First) : LeftW'(Word / D);
        short_q <= 1'b0;
      end else if (move_o) begin
        word_q <= word_q << D;
        left_q <= left_q - LeftW'(1);
      end
    end
  end

endmodule

`default_nettype wire
