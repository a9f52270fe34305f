// SPDX-License-Identifier: Apache-2.0
//
// One round of SHA-2, or of SHA-1 on the same adders; combinational.
//
//   SHA-2: t = h + S1(e) + Ch(e, f, g) + k + w,  (a .. h) <- (t + S0(a) + Maj(a, b, c), a, b, c,
//                                                             d + t, e, f, g)
//   SHA-1: t = e + rotl5(a) + f(b, c, d) + k + w,  (a .. e) <- (t, a, rotl30(b), c, d)
//
// v_i, v_o: the working variables, a is v[0]; SHA-1 leaves v[5] .. v[7] zero if they are.
// phase_i: round / 20 of SHA-1. sha1_i is for WordW = 32 only.
// Source: FIPS 180-4, sections 4.1, 6.1.2, 6.2.2 and 6.4.2.
`default_nettype none

module sym_hash_round #(
  parameter int unsigned WordW = 32
) (
  input  logic             sha1_i,
  input  logic [      1:0] phase_i,
  input  logic [WordW-1:0] k_i,
  input  logic [WordW-1:0] w_i,
  input  logic [WordW-1:0] v_i    [8],
  output logic [WordW-1:0] v_o    [8]
);

  typedef logic [WordW-1:0] word_t;

  function automatic word_t rotr(word_t x, int unsigned n);
    return (x >> n) | (x << (WordW - n));
  endfunction

  word_t sigma0, sigma1, maj, choose, parity;
  // The terms that the algorithms put in the same place of the sums.
  word_t term_h, term_e, term_f, t, rest;

  if (WordW == 32) begin : gen_32
    assign sigma0 = rotr(v_i[0], 2) ^ rotr(v_i[0], 13) ^ rotr(v_i[0], 22);
    assign sigma1 = rotr(v_i[4], 6) ^ rotr(v_i[4], 11) ^ rotr(v_i[4], 25);
  end else begin : gen_64
    assign sigma0 = rotr(v_i[0], 28) ^ rotr(v_i[0], 34) ^ rotr(v_i[0], 39);
    assign sigma1 = rotr(v_i[4], 14) ^ rotr(v_i[4], 18) ^ rotr(v_i[4], 41);
  end

  // Ch and Maj are of e, f, g and a, b, c in SHA-2, of b, c, d both in SHA-1.
  word_t ch_x, ch_y, ch_z, maj_x, maj_y, maj_z;
  assign ch_x   = sha1_i ? v_i[1] : v_i[4];
  assign ch_y   = sha1_i ? v_i[2] : v_i[5];
  assign ch_z   = sha1_i ? v_i[3] : v_i[6];
  assign maj_x  = sha1_i ? v_i[1] : v_i[0];
  assign maj_y  = sha1_i ? v_i[2] : v_i[1];
  assign maj_z  = sha1_i ? v_i[3] : v_i[2];
  assign choose = (ch_x & ch_y) ^ (~ch_x & ch_z);
  assign maj    = (maj_x & maj_y) ^ (maj_x & maj_z) ^ (maj_y & maj_z);
  assign parity = ch_x ^ ch_y ^ ch_z;

  always_comb begin
    term_h = v_i[7];
    term_e = sigma1;
    term_f = choose;
    rest   = sigma0 + maj;
    if (sha1_i) begin
      term_h = v_i[4];
      term_e = rotr(v_i[0], 27);
      rest   = '0;
      unique case (phase_i)
        2'd0: term_f = choose;
        2'd2: term_f = maj;
        default: term_f = parity;
      endcase
    end
  end

  assign t = term_h + term_e + term_f + k_i + w_i;

  assign v_o[0] = t + rest;
  assign v_o[1] = v_i[0];
  assign v_o[2] = sha1_i ? rotr(v_i[1], 2) : v_i[1];
  assign v_o[3] = v_i[2];
  assign v_o[4] = v_i[3] + (sha1_i ? '0 : t);
  assign v_o[5] = sha1_i ? '0 : v_i[4];
  assign v_o[6] = v_i[5];
  assign v_o[7] = v_i[6];

endmodule

`default_nettype wire
