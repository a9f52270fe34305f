// SPDX-License-Identifier: Apache-2.0
//
// Divides words into digits of D bits, the highest first, for ecsm_order.
//
//   start_i    starts a sequence of digits_i digits; with short_i, the first word has only First
//              digits, in its low bits
//   fetch_i    permits loading: a word is loaded in a cycle with want_o and valid_i. want_o is high
//              if there is no word, or its last digit is used in this cycle.
//   move_o     with step_i: digit_o is a digit, and is used up in this cycle
//   last_o     no digits are left after this cycle; without digits, digit_o is 0
//   clear_i    zeroes every register; start_i wins over it
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

  logic [Word-1:0] word_d, word_q;
  // Digits that are left in all; in the word.
  logic [DigitsW-1:0] digits_d, digits_q;
  logic [LeftW-1:0] left_d, left_q;
  logic short_d, short_q;
  // some_q, final_q: some digits, just one digit is left in all. have_q, low_q: the same of the
  // word. These are registers, so that they are known early.
  logic some_q, final_q, have_q, low_q;

  assign move_o  = step_i && have_q;
  assign last_o  = !some_q || (move_o && final_q);
  assign want_o  = fetch_i && !last_o && (!have_q || low_q);
  assign digit_o = word_q[Word-1-:D];

  always_comb begin
    word_d   = word_q;
    digits_d = digits_q;
    left_d   = left_q;
    short_d  = short_q;
    if (move_o) begin
      word_d   = final_q ? '0 : word_q << D;
      digits_d = digits_q - DigitsW'(1);
      left_d   = left_q - LeftW'(1);
    end
    if (want_o && valid_i) begin
      word_d  = short_q ? word_i << (Word - D * First) : word_i;
      left_d  = short_q ? LeftW'(First) : LeftW'(Word / D);
      short_d = 1'b0;
    end
    if (start_i || clear_i) begin
      word_d   = '0;
      digits_d = start_i ? digits_i : '0;
      left_d   = '0;
      short_d  = start_i & short_i;
    end
  end

  always_ff @(posedge clk_i) begin
    word_q   <= word_d;
    digits_q <= digits_d;
    left_q   <= left_d;
    short_q  <= short_d;
    some_q   <= digits_d != '0;
    final_q  <= digits_d == DigitsW'(1);
    have_q   <= left_d != '0;
    low_q    <= left_d == LeftW'(1);
  end

endmodule

`default_nettype wire
