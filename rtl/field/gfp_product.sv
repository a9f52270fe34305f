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
// A column is added up in two steps: parts of up to three products, then the parts.
//
// Latency 0, plus one for each rank of registers in S[Ranks]: 0 behind the sums of limbs, 1 and 2 as
// in gfp_limb_mul, 3 behind the products, 4 behind the parts. A new product every cycle.
`default_nettype none

module gfp_product
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit [S[NumProduct]-1:0][S[NumLimb]-1:0] Pick = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Plus = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Minus = '0
) (
  input  logic                                    clk_i,
  input  logic [  S[NumLimb]-1:0][    S[OpW]-1:0] a_i,
  input  logic [  S[NumLimb]-1:0][    S[OpW]-1:0] b_i,
  output logic [2*S[NumLimb]-2:0][S[ColumnW]-1:0] column_o
);

  logic [S[NumProduct]-1:0][2*S[SumW]-1:0] product;

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

    logic [2*S[SumW]-1:0] product_d;
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
      .p_o(product_d)
    );

    gf2m_rank #(
      .Width(2 * S[SumW]),
      .Enable(S[Ranks][3])
    ) u_limbs (
      .clk_i(clk_i),
      .d_i(product_d),
      .q_o(product[j])
    );
  end

  localparam int unsigned PartSize = 3;

  // What is subtracted is contained in what is added: no column is negative, though a part may be.
  for (genvar k = 0; k < 2 * S[NumLimb] - 1; k++) begin : gen_column
    localparam int unsigned NumTerm = $countones(Plus[k] | Minus[k]);
    localparam int unsigned NumPart = (NumTerm + PartSize - 1) / PartSize;

    logic [NumPart-1:0][S[ColumnW]-1:0] part_d, part;
    always_comb begin
      automatic int unsigned n = 0;
      part_d = '0;
      for (int unsigned j = 0; j < S[NumProduct]; j++) begin
        if (Plus[k][j]) part_d[n/PartSize] = part_d[n/PartSize] + (S[ColumnW])'(product[j]);
        if (Minus[k][j]) part_d[n/PartSize] = part_d[n/PartSize] - (S[ColumnW])'(product[j]);
        if (Plus[k][j] || Minus[k][j]) n++;
      end
    end

    gf2m_rank #(
      .Width(NumPart * S[ColumnW]),
      .Enable(S[Ranks][4])
    ) u_parts (
      .clk_i(clk_i),
      .d_i(part_d),
      .q_o(part)
    );

    always_comb begin
      column_o[k] = '0;
      for (int unsigned i = 0; i < NumPart; i++) column_o[k] = column_o[k] + part[i];
    end
  end

endmodule

`default_nettype wire
