// SPDX-License-Identifier: Apache-2.0
//
// Shift register for a digest: Num words, of which the first count_i are in use.
//
//   word_o <-- [word 0] <-- [word 1] <-- ... <-- [word count_i - 1] <-- word_i
//
// Parameters: Num is the largest number of words. W is the number of bits in a word.
//
// In a cycle with shift_i each word in use moves one place to the left, and word_i enters as the
// last. The user connects word_o to word_i to rotate the words, or a new word to replace them.
// Other words do not change. count_i is 1 .. Num. clear_i and reset zero all words (sym_zeroize).
// Latency: a shift is visible in the next cycle.
`default_nettype none

module sym_words #(
  parameter int unsigned Num = 4,
  parameter int unsigned W = 64,
  localparam int unsigned CountW = $clog2(Num + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic [CountW-1:0] count_i,
  input  logic              shift_i,
  input  logic [     W-1:0] word_i,
  output logic [     W-1:0] word_o
);

  logic zeroize;
  logic [W-1:0] words_d[Num], words_q[Num];

  for (genvar i = 0; i < Num; i++) begin : gen_word
    logic [W-1:0] above;

    if (i == Num - 1) begin : gen_top
      assign above = words_q[i];
    end else begin : gen_inner
      assign above = words_q[i+1];
    end
    assign words_d[i] = count_i == CountW'(i + 1) ? word_i : above;
  end

  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_o(zeroize)
  );

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Num; i++) begin
      if (zeroize) words_q[i] <= '0;
      else if (shift_i && CountW'(i) < count_i) words_q[i] <= words_d[i];
    end
  end

  assign word_o = words_q[0];

endmodule

`default_nettype wire
