// SPDX-License-Identifier: Apache-2.0
//
// One round of SHA-2, or of SHA-1 on the same adders. Combinational.
//
//   SHA-2: t = h + S1(e) + Ch(e, f, g) + k + w,  (a .. h) <- (t + S0(a) + Maj(a, b, c), a, b, c,
//                                                             d + t, e, f, g)
//   SHA-1: t = e + rotl5(a) + f(b, c, d) + k + w,  (a .. e) <- (t, a, rotl30(b), c, d)
//
// WordW is 32 or 64; 64 supports SHA-2 only.
// v_i, v_o: the working variables before and after the round; a is v[0]. For SHA-1 v_i[5] .. v_i[7]
// must be zero. The round keeps them zero, so h and Ch(e, f, g) add nothing to the sum.
// f_i: the function f of SHA-1, or Sha2 for SHA-2.
// Source: FIPS 180-4, sections 4.1, 6.1.2, 6.2.2 and 6.4.2.
`default_nettype none

module sym_hash_round
  import sym_hash_pkg::*;
#(
  parameter int unsigned WordW = 32
) (
  input  sha1_f_e             f_i,
  input  logic    [WordW-1:0] k_i,
  input  logic    [WordW-1:0] w_i,
  input  logic    [WordW-1:0] v_i[8],
  output logic    [WordW-1:0] v_o[8]
);

  typedef logic [WordW-1:0] word_t;

  function automatic word_t rotr(word_t x, int unsigned n);
    return (x >> n) | (x << (WordW - n));
  endfunction

  logic sha1;
  word_t sigma0, sigma1, maj, choose, f, rotated;

  if (WordW == 32) begin : gen_32
    assign sigma0 = rotr(v_i[0], 2) ^ rotr(v_i[0], 13) ^ rotr(v_i[0], 22);
    assign sigma1 = rotr(v_i[4], 6) ^ rotr(v_i[4], 11) ^ rotr(v_i[4], 25);
  end else begin : gen_64
    assign sigma0 = rotr(v_i[0], 28) ^ rotr(v_i[0], 34) ^ rotr(v_i[0], 39);
    assign sigma1 = rotr(v_i[4], 14) ^ rotr(v_i[4], 18) ^ rotr(v_i[4], 41);
  end

  assign sha1 = f_i != Sha2;
  assign choose = (v_i[4] & v_i[5]) ^ (~v_i[4] & v_i[6]);
  assign maj = (v_i[0] & v_i[1]) ^ (v_i[0] & v_i[2]) ^ (v_i[1] & v_i[2]);
  assign rotated = rotr(v_i[0], WordW - 5);

  always_comb begin
    unique case (f_i)
      Sha1Choose: f = (v_i[1] & v_i[2]) ^ (~v_i[1] & v_i[3]);
      Sha1Parity: f = v_i[1] ^ v_i[2] ^ v_i[3];
      Sha1Majority: f = (v_i[1] & v_i[2]) ^ (v_i[1] & v_i[3]) ^ (v_i[2] & v_i[3]);
      default: f = '0;
    endcase
  end

  // A sum is two words until its end: a full adder of each bit takes one more word in. t is
  // early + choose + (sigma1 or rotated).
  typedef struct packed {
    word_t sum;
    word_t carry;
  } pair_t;

  function automatic pair_t add(pair_t x, word_t y);
    add.sum   = x.sum ^ x.carry ^ y;
    add.carry = ((x.sum & x.carry) | (x.sum & y) | (x.carry & y)) << 1;
  endfunction

  pair_t early, t, first, fifth;

  assign early = add('{sum: k_i, carry: w_i}, v_i[7] | (sha1 ? v_i[4] : '0));
  assign t = add(add(early, choose | f), sha1 ? rotated : sigma1);
  assign first = add(add(t, sha1 ? '0 : maj), sha1 ? '0 : sigma0);
  assign fifth = add(sha1 ? '0 : t, v_i[3]);

  assign v_o[0] = first.sum + first.carry;
  assign v_o[1] = v_i[0];
  assign v_o[2] = sha1 ? rotr(v_i[1], 2) : v_i[1];
  assign v_o[3] = v_i[2];
  assign v_o[4] = fifth.sum + fifth.carry;
  assign v_o[5] = sha1 ? '0 : v_i[4];
  assign v_o[6] = v_i[5];
  assign v_o[7] = v_i[6];

endmodule

`default_nettype wire
