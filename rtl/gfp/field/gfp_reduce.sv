// SPDX-License-Identifier: Apache-2.0
//
// Reduction modulo a sparse prime: from the words of a product to limbs that fit a register.
//
//   cut_i -> [sums by Rows] -> [two words a limb] -> [gfp_carry] x S.num_round -> q_o
//   WordOffset --^
//
// Word j of the product, in two's complement, is worth sum of Rows[j][i] t^i modulo p, t = 2^WordW.
// WordOffset, a multiple of p, keeps the sums above zero. Words are added in two steps: parts of up
// to four, then the parts. Two words make a limb. Then there are S.num_round rounds of carries
// (gfp_carry).
//
// Latency 0, plus one for each rank of registers in S.ranks: 7 after the parts, 8 after the limbs
// that the words make, 9 after the first round.
// cut_i: words of S.cut_w bits. q_o: limbs of S.reg_w bits. ecsm/curves/gfp/residues.py computes
// the parameters.
// Source: J. Solinas, Generalized Mersenne numbers, CORR 99-39 (1999).
`default_nettype none

module gfp_reduce
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit signed [S.num_cut-1:0][S.num_word-1:0][63:0] Rows = '0,
  parameter bit [S.num_word-1:0][S.out_w-1:0] WordOffset = '0,
  parameter bit signed [S.num_limb-1:0][63:0] Fold = '0,
  parameter bit [S.num_round-1:0][S.num_limb-1:0][S.joined_w-1:0] Offset = '0
) (
  input  logic                               clk_i,
  input  logic [ S.num_cut-1:0][S.cut_w-1:0] cut_i,
  output logic [S.num_limb-1:0][S.reg_w-1:0] q_o
);

  // The number of terms of word i, at most 64, and which of them are subtracted: the offset, and
  // for every word of the product the powers of two in its row.
  function automatic int unsigned terms_of(int unsigned i);
    terms_of = 1;
    for (int unsigned j = 0; j < S.num_cut; j++) terms_of += naf_terms(longint'(Rows[j][i]));
  endfunction

  function automatic bit [63:0] minus_of(int unsigned i);
    int unsigned n;
    n = 1;
    minus_of = '0;
    for (int unsigned j = 0; j < S.num_cut; j++) begin
      minus_of |= naf_signs(longint'(Rows[j][i])) << n;
      n += naf_terms(longint'(Rows[j][i]));
    end
  endfunction

  typedef bit [S.num_word-1:0][S.num_cut-1:0][63:0] powers_t;
  function automatic powers_t powers();
    for (int unsigned i = 0; i < S.num_word; i++) begin
      for (int unsigned j = 0; j < S.num_cut; j++) begin
        powers[i][j] = naf_powers(longint'(Rows[j][i]));
      end
    end
  endfunction
  localparam powers_t Power = powers();

  // Sign-extended to the width of the sums.
  logic [S.num_cut-1:0][S.out_w-1:0] wide;
  for (genvar j = 0; j < S.num_cut; j++) begin : gen_wide
    assign wide[j] = {{S.out_w - S.cut_w{cut_i[j][S.cut_w-1]}}, cut_i[j]};
  end

  logic [S.num_word-1:0][S.out_w-1:0] word;
  for (genvar i = 0; i < S.num_word; i++) begin : gen_word
    localparam int unsigned NumTerm = terms_of(i);

    logic [NumTerm-1:0][S.out_w-1:0] term;
    always_comb begin
      automatic int unsigned n = 1;
      term = '0;
      term[0] = WordOffset[i];
      for (int unsigned j = 0; j < S.num_cut; j++) begin
        for (int unsigned b = 0; b < 64; b++) begin
          if (Power[i][j][b]) begin
            term[n] = wide[j] << b;
            n++;
          end
        end
      end
    end

    gfp_add_tree #(
      .N(NumTerm),
      .W(S.out_w),
      .Minus(NumTerm'(minus_of(i))),
      .RankParts(S.ranks[7])
    ) u_sum (
      .clk_i(clk_i),
      .term_i(term),
      .sum_o(word[i])
    );
  end

  logic [S.num_limb-1:0][S.joined_w-1:0] joined;
  logic [S.num_limb-1:0][S.joined_w-1:0] limb[S.num_round+1];
  for (genvar k = 0; k < S.num_limb; k++) begin : gen_join
    if (2 * k + 1 < S.num_word) begin : gen_two
      assign joined[k] = (S.joined_w)'(word[2*k]) + ((S.joined_w)'(word[2*k+1]) << S.word_w);
    end else begin : gen_one
      assign joined[k] = (S.joined_w)'(word[2*k]);
    end
    assign q_o[k] = limb[S.num_round][k][S.reg_w-1:0];
  end

  ecsm_rank #(
    .Width(S.num_limb * S.joined_w),
    .Enable(S.ranks[8])
  ) u_joined (
    .clk_i(clk_i),
    .d_i(joined),
    .q_o(limb[0])
  );

  for (genvar r = 0; r < S.num_round; r++) begin : gen_round
    logic [S.num_limb-1:0][S.joined_w-1:0] carried;
    gfp_carry #(
      .NumLimb(S.num_limb),
      .LimbW(limb_w(S)),
      .TopW(top_w(S)),
      .InW(S.joined_w),
      .OutW(S.joined_w),
      .Fold(Fold),
      .Offset(Offset[r])
    ) u_carry (
      .clk_i(clk_i),
      .v_i(limb[r]),
      .q_o(carried)
    );

    ecsm_rank #(
      .Width(S.num_limb * S.joined_w),
      .Enable(r == 0 && S.ranks[9])
    ) u_carried (
      .clk_i(clk_i),
      .d_i(carried),
      .q_o(limb[r+1])
    );
  end

endmodule

`default_nettype wire
