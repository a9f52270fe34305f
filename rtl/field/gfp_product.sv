// SPDX-License-Identifier: Apache-2.0
//
// Product of two residues in limbs, as words that are neither carried nor reduced:
//
//   a b = sum of cut[w] 2^(WordW w),   cut[w] by complement
//
// by any bilinear scheme: product j is (sum of the a[i] in Pick[j]) * (the same sum of b[i]), and
// column k, worth two words more than column k - 1, the sum of those products, added or subtracted,
// that Plus[k] and Minus[k] have. Karatsuba's schemes of one and more levels are made by
// ecsm/curves/karatsuba.py.
//
// The numbers that a product is the sum of are cut into words before they are added up, so that
// nothing carries farther than a word. What is worth the same word is added up in four steps: words
// of a product, parts of up to three of these, groups of up to three parts, the groups.
//
// Latency 0, plus one for each rank of registers in S[Ranks]: 0 behind the sums of limbs, 1 and 2 as
// in gfp_limb_mul, 3 behind the products' words, 4 behind the parts, 5 behind the groups, 6 behind
// the product's words. A new product every cycle.
`default_nettype none

module gfp_product
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit [S[NumProduct]-1:0][S[NumLimb]-1:0] Pick = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Plus = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Minus = '0
) (
  input  logic                               clk_i,
  input  logic [S[NumLimb]-1:0][ S[OpW]-1:0] a_i,
  input  logic [S[NumLimb]-1:0][ S[OpW]-1:0] b_i,
  output logic [ S[NumCut]-1:0][S[CutW]-1:0] cut_o
);

  localparam int unsigned NumPiece = (2 * S[SumW] + S[WordW] - 1) / S[WordW];  // words of a product
  localparam int unsigned WideW = NumPiece * S[WordW];
  localparam int unsigned PieceW = S[WordW] + $clog2(NumAddend);

  logic [S[NumProduct]-1:0][NumPiece-1:0][PieceW-1:0] piece;

  for (genvar j = 0; j < S[NumProduct]; j++) begin : gen_product
    logic [1:0][S[SumW]-1:0] sum_d, sum;
    always_comb begin
      sum_d = '0;
      for (int unsigned i = 0; i < S[NumLimb]; i++) begin
        if (Pick[j][i]) begin
          sum_d[0] = sum_d[0] + (S[SumW])'(a_i[i]);
          sum_d[1] = sum_d[1] + (S[SumW])'(b_i[i]);
        end
      end
    end

    gf2m_rank #(
      .Width(2 * S[SumW]),
      .Enable(S[Ranks][0])
    ) u_sums (
      .clk_i(clk_i),
      .d_i(sum_d),
      .q_o(sum)
    );

    logic [NumAddend-1:0][2*S[SumW]-1:0] addend;
    gfp_limb_mul #(
      .W(S[SumW]),
      .Digit(S[DigitW]),
      .RankProducts(S[Ranks][1]),
      .RankColumns(S[Ranks][2]),
      .InDsp(S[InDsp][MulInDsp])
    ) u_mul (
      .clk_i(clk_i),
      .a_i(sum[0]),
      .b_i(sum[1]),
      .addend_o(addend)
    );

    logic [NumPiece-1:0][PieceW-1:0] piece_d;
    for (genvar c = 0; c < NumPiece; c++) begin : gen_piece
      always_comb begin
        piece_d[c] = '0;
        for (int unsigned i = 0; i < NumAddend; i++) begin
          piece_d[c] = piece_d[c] + PieceW'((S[WordW])'((WideW)'(addend[i]) >> (S[WordW] * c)));
        end
      end
    end

    gf2m_rank #(
      .Width(NumPiece * PieceW),
      .Enable(S[Ranks][3])
    ) u_pieces (
      .clk_i(clk_i),
      .d_i(piece_d),
      .q_o(piece[j])
    );
  end

  // How many pieces word w is the sum of.
  function automatic int unsigned terms_of(int unsigned w);
    terms_of = 0;
    for (int unsigned k = 0; k < 2 * S[NumLimb] - 1; k++) begin
      if (2 * k <= w && w < 2 * k + NumPiece) terms_of += $countones(Plus[k] | Minus[k]);
    end
  endfunction

  localparam int unsigned PartSize = 3;

  for (genvar w = 0; w < S[NumCut]; w++) begin : gen_word
    localparam int unsigned NumPart = (terms_of(w) + PartSize - 1) / PartSize;
    localparam int unsigned NumGroup = (NumPart + PartSize - 1) / PartSize;

    logic [NumPart-1:0][S[CutW]-1:0] part_d, part;
    always_comb begin
      automatic int unsigned n = 0;
      part_d = '0;
      for (int unsigned k = 0; k < 2 * S[NumLimb] - 1; k++) begin
        for (int unsigned j = 0; j < S[NumProduct]; j++) begin
          if (2 * k <= w && w < 2 * k + NumPiece) begin
            if (Plus[k][j]) part_d[n/PartSize] = part_d[n/PartSize] + (S[CutW])'(piece[j][w-2*k]);
            if (Minus[k][j]) part_d[n/PartSize] = part_d[n/PartSize] - (S[CutW])'(piece[j][w-2*k]);
            if (Plus[k][j] || Minus[k][j]) n++;
          end
        end
      end
    end

    gf2m_rank #(
      .Width(NumPart * S[CutW]),
      .Enable(S[Ranks][4])
    ) u_parts (
      .clk_i(clk_i),
      .d_i(part_d),
      .q_o(part)
    );

    logic [NumGroup-1:0][S[CutW]-1:0] group_d, group;
    always_comb begin
      group_d = '0;
      for (int unsigned i = 0; i < NumPart; i++) begin
        group_d[i/PartSize] = group_d[i/PartSize] + part[i];
      end
    end

    gf2m_rank #(
      .Width(NumGroup * S[CutW]),
      .Enable(S[Ranks][5])
    ) u_groups (
      .clk_i(clk_i),
      .d_i(group_d),
      .q_o(group)
    );

    logic [S[CutW]-1:0] cut_d;
    always_comb begin
      cut_d = '0;
      for (int unsigned i = 0; i < NumGroup; i++) cut_d = cut_d + group[i];
    end

    gf2m_rank #(
      .Width(S[CutW]),
      .Enable(S[Ranks][6])
    ) u_cut (
      .clk_i(clk_i),
      .d_i(cut_d),
      .q_o(cut_o[w])
    );
  end

endmodule

`default_nettype wire
