// SPDX-License-Identifier: Apache-2.0
//
// Message schedule of SHA-1 and SHA-2: the next PerCycle words from the last sixteen.
// Combinational.
//
//   SHA-2: W[t] = s1(W[t-2]) + W[t-7] + s0(W[t-15]) + W[t-16]
//   SHA-1: W[t] = rotl1(W[t-3] ^ W[t-8] ^ W[t-14] ^ W[t-16])
//
// WordW is 32 or 64, PerCycle is 1 or 2.
// w_i: w_i[0] is W[t-16] and w_i[15] is W[t-1]. next_o: W[t] is in the highest bits. sha1_i selects
// SHA-1 and is for WordW = 32 only.
// Source: FIPS 180-4, sections 4.1, 6.1.2, 6.2.2 and 6.4.2.
`default_nettype none

module sym_hash_schedule #(
  parameter int unsigned WordW = 32,
  parameter int unsigned PerCycle = 2,
  localparam int unsigned W = WordW * PerCycle
) (
  input  logic             sha1_i,
  input  logic [WordW-1:0] w_i   [16],
  output logic [    W-1:0] next_o
);

  typedef logic [WordW-1:0] word_t;

  function automatic word_t rotr(word_t x, int unsigned n);
    return (x >> n) | (x << (WordW - n));
  endfunction

  for (genvar i = 0; i < PerCycle; i++) begin : gen_word
    word_t sigma0, sigma1, sum;

    if (WordW == 32) begin : gen_32
      assign sigma0 = rotr(w_i[1+i], 7) ^ rotr(w_i[1+i], 18) ^ (w_i[1+i] >> 3);
      assign sigma1 = rotr(w_i[14+i], 17) ^ rotr(w_i[14+i], 19) ^ (w_i[14+i] >> 10);
    end else begin : gen_64
      assign sigma0 = rotr(w_i[1+i], 1) ^ rotr(w_i[1+i], 8) ^ (w_i[1+i] >> 7);
      assign sigma1 = rotr(w_i[14+i], 19) ^ rotr(w_i[14+i], 61) ^ (w_i[14+i] >> 6);
    end
    assign sum = sigma1 + w_i[9+i] + sigma0 + w_i[i];
    assign next_o[W-1-WordW*i-:WordW] =
        sha1_i ? rotr(w_i[13+i] ^ w_i[8+i] ^ w_i[2+i] ^ w_i[i], WordW - 1) : sum;
  end

endmodule

`default_nettype wire
