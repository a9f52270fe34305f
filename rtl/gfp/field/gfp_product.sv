// SPDX-License-Identifier: Apache-2.0
//
// Product of two residues in limbs, as words that are neither carried nor reduced:
//
//   a b = sum of cut[w] 2^(WordW w),   cut[w] in two's complement
//
//   a_i -> [sums of limbs, Pick] -+-> [gfp_limb_mul] x S.num_product -> [cut to words, add 3]
//   b_i -> [sums of limbs, Pick] -+                                          |
//                                                 cut_o <-- [trees of sums by Plus, Minus]
//
// The scheme is any bilinear one. Product j is (sum of the a[i] in Pick[j]) * (the same sum of
// b[i]). Column k is the sum of the products in Plus[k] minus those in Minus[k]; it is worth two
// words more than column k - 1. ecsm/curves/gfp/karatsuba.py makes Karatsuba's schemes of one and
// more levels.
//
// A product is the sum of NumAddend numbers. These are cut into words before they are added, so
// that no carry moves farther than a word. Numbers of the same weight are added in four steps: the
// words of a product, parts of up to four of these, groups of up to sixteen, the groups.
//
// Latency 0, plus one for each rank of registers in S.ranks: 0 after the sums of limbs, 1 and 2 as
// in gfp_limb_mul, 3 after the words of the products, 4 after the parts, 5 after the groups, 6
// after the words of the whole product. A new product may start every cycle.
// a_i, b_i: limbs of S.op_w bits. cut_o: S.num_cut words of S.cut_w bits.
`default_nettype none

module gfp_product
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit [S.num_product-1:0][S.num_limb-1:0] Pick = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Plus = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Minus = '0
) (
  input  logic                               clk_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] a_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] b_i,
  output logic [ S.num_cut-1:0][S.cut_w-1:0] cut_o
);

  localparam int unsigned NumPiece = (2 * S.sum_w + S.word_w - 1) / S.word_w;  // words of a product
  localparam int unsigned WideW = NumPiece * S.word_w;
  localparam int unsigned PieceW = S.word_w + $clog2(NumAddend);

  logic [S.num_product-1:0][NumPiece-1:0][PieceW-1:0] piece;

  for (genvar j = 0; j < S.num_product; j++) begin : gen_product
    localparam int unsigned NumPick = $countones(Pick[j]);

    logic [NumPick-1:0][S.sum_w-1:0] a, b;
    always_comb begin
      automatic int unsigned n = 0;
      a = '0;
      b = '0;
      for (int unsigned i = 0; i < S.num_limb; i++) begin
        if (Pick[j][i]) begin
          a[n] = (S.sum_w)'(a_i[i]);
          b[n] = (S.sum_w)'(b_i[i]);
          n++;
        end
      end
    end

    logic [1:0][S.sum_w-1:0] sum_d, sum;
    gfp_add_tree #(
      .N(NumPick),
      .W(S.sum_w)
    ) u_sum_a (
      .clk_i(clk_i),
      .term_i(a),
      .sum_o(sum_d[0])
    );
    gfp_add_tree #(
      .N(NumPick),
      .W(S.sum_w)
    ) u_sum_b (
      .clk_i(clk_i),
      .term_i(b),
      .sum_o(sum_d[1])
    );

    ecsm_rank #(
      .Width(2 * S.sum_w),
      .Enable(S.ranks[0])
    ) u_sums (
      .clk_i(clk_i),
      .d_i(sum_d),
      .q_o(sum)
    );

    logic [NumAddend-1:0][2*S.sum_w-1:0] addend;
    gfp_limb_mul #(
      .W(S.sum_w),
      .Digit(S.digit_w),
      .RankProducts(S.ranks[1]),
      .RankColumns(S.ranks[2]),
      .InDsp(S.mul_in_dsp)
    ) u_mul (
      .clk_i(clk_i),
      .a_i(sum[0]),
      .b_i(sum[1]),
      .addend_o(addend)
    );

    logic [NumPiece-1:0][PieceW-1:0] piece_d;
    for (genvar c = 0; c < NumPiece; c++) begin : gen_piece
      logic [NumAddend-1:0][PieceW-1:0] word;
      for (genvar i = 0; i < NumAddend; i++) begin : gen_word
        assign word[i] = PieceW'((S.word_w)'((WideW)'(addend[i]) >> (S.word_w * c)));
      end
      gfp_add_tree #(
        .N(NumAddend),
        .W(PieceW)
      ) u_sum (
        .clk_i(clk_i),
        .term_i(word),
        .sum_o(piece_d[c])
      );
    end

    ecsm_rank #(
      .Width(NumPiece * PieceW),
      .Enable(S.ranks[3])
    ) u_pieces (
      .clk_i(clk_i),
      .d_i(piece_d),
      .q_o(piece[j])
    );
  end

  // The number of pieces that word w adds up, and which of them are subtracted.
  function automatic int unsigned terms_of(int unsigned w);
    terms_of = 0;
    for (int unsigned k = 0; k < 2 * S.num_limb - 1; k++) begin
      if (2 * k <= w && w < 2 * k + NumPiece) terms_of += $countones(Plus[k] | Minus[k]);
    end
  endfunction

  localparam int unsigned MostTerms = S.num_product * (2 * S.num_limb - 1);
  function automatic bit [MostTerms-1:0] minus_of(int unsigned w);
    int unsigned n;
    n = 0;
    minus_of = '0;
    for (int unsigned k = 0; k < 2 * S.num_limb - 1; k++) begin
      for (int unsigned j = 0; j < S.num_product; j++) begin
        if (2 * k <= w && w < 2 * k + NumPiece && (Plus[k][j] || Minus[k][j])) begin
          minus_of[n] = Minus[k][j];
          n++;
        end
      end
    end
  endfunction

  for (genvar w = 0; w < S.num_cut; w++) begin : gen_word
    localparam int unsigned NumTerm = terms_of(w);

    logic [NumTerm-1:0][S.cut_w-1:0] term;
    always_comb begin
      automatic int unsigned n = 0;
      term = '0;
      for (int unsigned k = 0; k < 2 * S.num_limb - 1; k++) begin
        for (int unsigned j = 0; j < S.num_product; j++) begin
          if (2 * k <= w && w < 2 * k + NumPiece && (Plus[k][j] || Minus[k][j])) begin
            term[n] = (S.cut_w)'(piece[j][w-2*k]);
            n++;
          end
        end
      end
    end

    logic [S.cut_w-1:0] cut_d;
    gfp_add_tree #(
      .N(NumTerm),
      .W(S.cut_w),
      .Minus(NumTerm'(minus_of(w))),
      .RankParts(S.ranks[4]),
      .RankGroups(S.ranks[5])
    ) u_sum (
      .clk_i(clk_i),
      .term_i(term),
      .sum_o(cut_d)
    );

    ecsm_rank #(
      .Width(S.cut_w),
      .Enable(S.ranks[6])
    ) u_cut (
      .clk_i(clk_i),
      .d_i(cut_d),
      .q_o(cut_o[w])
    );
  end

endmodule

`default_nettype wire
