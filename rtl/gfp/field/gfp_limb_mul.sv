// SPDX-License-Identifier: Apache-2.0
//
// Product of two unsigned numbers of W and WB bits, built from products of Digit-bit digits. With
// InDsp each of these is in a DSP block.
//
//   a b = sum over c of column[c] 2^(Digit c),   column[c] = sum of a[i] b[c - i]
//
// Columns are wider than Digit. Columns that do not overlap are concatenated into one number. At
// most NumAddend = 3 numbers remain. The user adds them, with carries or without.
//
// Latency 0, plus one for each rank of registers: RankProducts after the products of the digits,
// RankColumns after the columns. A new product may start every cycle.
// a_i: W bits. b_i: WB bits. addend_o: W + WB bits; none is above a b. Digit: large enough that at
// most NumAddend columns overlap.
// Source: column-wise (Comba) multiplication, Hankerson, Menezes, Vanstone, Guide to Elliptic Curve
// Cryptography, algorithm 2.10.
`default_nettype none

module gfp_limb_mul
  import gfp_pkg::NumAddend;
#(
  parameter int unsigned W            = 72,
  parameter int unsigned WB           = W,
  parameter int unsigned Digit        = 18,
  parameter bit          RankProducts = 1'b1,
  parameter bit          RankColumns  = 1'b1,
  parameter bit          InDsp        = 1'b1   // see gfp_digit_mul
) (
  input  logic                           clk_i,
  input  logic [        W-1:0]           a_i,
  input  logic [       WB-1:0]           b_i,
  output logic [NumAddend-1:0][W+WB-1:0] addend_o
);

  localparam int unsigned NumDigit = (W + Digit - 1) / Digit;
  localparam int unsigned NumDigitB = (WB + Digit - 1) / Digit;
  localparam int unsigned NumColumn = NumDigit + NumDigitB - 1;
  localparam int unsigned MostTerms = (NumDigit < NumDigitB) ? NumDigit : NumDigitB;  // of a column
  localparam int unsigned ColumnW = 2 * Digit + $clog2(MostTerms);
  localparam int unsigned Stride = (ColumnW + Digit - 1) / Digit;  // columns that do not overlap
  localparam int unsigned WideW = NumColumn * Digit + ColumnW;

  logic [NumDigit-1:0][Digit-1:0] a;
  logic [NumDigitB-1:0][Digit-1:0] b;
  assign a = (NumDigit * Digit)'(a_i);
  assign b = (NumDigitB * Digit)'(b_i);

  logic [NumDigit-1:0][NumDigitB-1:0][2*Digit-1:0] product_d, product;
  for (genvar i = 0; i < NumDigit; i++) begin : gen_row
    for (genvar j = 0; j < NumDigitB; j++) begin : gen_digit
      gfp_digit_mul #(
        .W(Digit),
        .InDsp(InDsp)
      ) u_mul (
        .a_i(a[i]),
        .b_i(b[j]),
        .p_o(product_d[i][j])
      );
    end
  end

  ecsm_rank #(
    .Width(NumDigit * NumDigitB * 2 * Digit),
    .Enable(RankProducts)
  ) u_products (
    .clk_i(clk_i),
    .d_i(product_d),
    .q_o(product)
  );

  logic [NumColumn-1:0][ColumnW-1:0] column_d, column;
  for (genvar c = 0; c < NumColumn; c++) begin : gen_column
    localparam int unsigned First = (c < NumDigitB) ? 0 : c - NumDigitB + 1;  // digit of a
    localparam int unsigned Last = (c < NumDigit) ? c : NumDigit - 1;

    logic [Last-First:0][ColumnW-1:0] term;
    for (genvar i = First; i <= Last; i++) begin : gen_term
      assign term[i-First] = ColumnW'(product[i][c-i]);
    end
    gfp_add_tree #(
      .N(Last - First + 1),
      .W(ColumnW)
    ) u_sum (
      .clk_i(clk_i),
      .term_i(term),
      .sum_o(column_d[c])
    );
  end

  ecsm_rank #(
    .Width(NumColumn * ColumnW),
    .Enable(RankColumns)
  ) u_columns (
    .clk_i(clk_i),
    .d_i(column_d),
    .q_o(column)
  );

  logic [NumAddend-1:0][WideW-1:0] addend;
  always_comb begin
    addend = '0;
    for (int unsigned c = 0; c < NumColumn; c++) addend[c%Stride][Digit*c+:ColumnW] = column[c];
  end

  for (genvar i = 0; i < NumAddend; i++) begin : gen_addend
    assign addend_o[i] = addend[i][W+WB-1:0];
    if (WideW > W + WB) begin : gen_unused
      logic unused_top;
      assign unused_top = ^addend[i][WideW-1:W+WB];  // zero
    end
  end

  if (Stride > NumAddend) begin : gen_bad
    $error("gfp_limb_mul: digits of %0d bits are too few for %0d bits", Digit, W);
  end

endmodule

`default_nettype wire
