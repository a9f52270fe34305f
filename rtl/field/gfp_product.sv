// SPDX-License-Identifier: Apache-2.0
//
// Product of two residues in limbs, as columns that are neither carried nor reduced:
//
//   column[k] = sum of a[i] b[k - i],   a b = sum of column[k] 2^(limb k)
//
// by any bilinear scheme: product j is (sum of the a[i] in Pick[j]) * (the same sum of b[i]), and
// column k the sum of those products, added or subtracted, that Plus[k] and Minus[k] have.
// Karatsuba's schemes of one and more levels are made by ecsm/curves/karatsuba.py.
//
// The numbers that a product is the sum of are cut into words of S[WordW] bits before they are added
// up, so that nothing carries farther than a word: column k = sum of piece[k][c] 2^(WordW c), and a
// piece may be below zero, by complement. It is added up in three steps: words of a product, parts of
// up to three of them, the parts.
//
// Latency 0, plus one for each rank of registers in S[Ranks]: 0 behind the sums of limbs, 1 and 2 as
// in gfp_limb_mul, 3 behind the products' words, 4 behind the parts. A new product every cycle.
`default_nettype none

module gfp_product
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit [S[NumProduct]-1:0][S[NumLimb]-1:0] Pick = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Plus = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Minus = '0
) (
  input  logic                                                    clk_i,
  input  logic [  S[NumLimb]-1:0][     S[OpW]-1:0]                a_i,
  input  logic [  S[NumLimb]-1:0][     S[OpW]-1:0]                b_i,
  output logic [2*S[NumLimb]-2:0][S[NumPiece]-1:0][S[PieceW]-1:0] piece_o
);

  localparam int unsigned WideW = S[NumPiece] * S[WordW];

  typedef logic [S[NumPiece]-1:0][S[PieceW]-1:0] pieces_t;

  pieces_t [S[NumProduct]-1:0] word;

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

    pieces_t word_d;
    for (genvar c = 0; c < S[NumPiece]; c++) begin : gen_word
      always_comb begin
        word_d[c] = '0;
        for (int unsigned i = 0; i < NumAddend; i++) begin
          word_d[c] = word_d[c] +
                      (S[PieceW])'((S[WordW])'((WideW)'(addend[i]) >> (S[WordW] * c)));
        end
      end
    end

    gf2m_rank #(
      .Width(S[NumPiece] * S[PieceW]),
      .Enable(S[Ranks][3])
    ) u_words (
      .clk_i(clk_i),
      .d_i(word_d),
      .q_o(word[j])
    );
  end

  localparam int unsigned PartSize = 3;

  for (genvar k = 0; k < 2 * S[NumLimb] - 1; k++) begin : gen_column
    localparam int unsigned NumTerm = $countones(Plus[k] | Minus[k]);
    localparam int unsigned NumPart = (NumTerm + PartSize - 1) / PartSize;

    pieces_t [NumPart-1:0] part_d, part;
    for (genvar c = 0; c < S[NumPiece]; c++) begin : gen_piece
      always_comb begin
        automatic int unsigned n = 0;
        for (int unsigned i = 0; i < NumPart; i++) part_d[i][c] = '0;
        for (int unsigned j = 0; j < S[NumProduct]; j++) begin
          if (Plus[k][j]) part_d[n/PartSize][c] = part_d[n/PartSize][c] + word[j][c];
          if (Minus[k][j]) part_d[n/PartSize][c] = part_d[n/PartSize][c] - word[j][c];
          if (Plus[k][j] || Minus[k][j]) n++;
        end
      end

      always_comb begin
        piece_o[k][c] = '0;
        for (int unsigned i = 0; i < NumPart; i++) piece_o[k][c] = piece_o[k][c] + part[i][c];
      end
    end

    gf2m_rank #(
      .Width(NumPart * S[NumPiece] * S[PieceW]),
      .Enable(S[Ranks][4])
    ) u_parts (
      .clk_i(clk_i),
      .d_i(part_d),
      .q_o(part)
    );
  end

endmodule

`default_nettype wire
