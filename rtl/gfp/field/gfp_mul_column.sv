// SPDX-License-Identifier: Apache-2.0
//
// Multiplier modulo a sparse prime, one digit of an operand a cycle. Operands, results and
// reduction are those of gfp_mul. A product takes NumStep cycles and one column of DSP blocks, or a
// few.
//
//   S <- floor(S / 2^Step) + a b[t],      the bits that S drops are the low bits of the product
//
//   a_i, b_i -> [gfp_digits] -- a b[t] -> [+] -> [acc_q: S] -+-> [words] -> [gfp_reduce] -> p_o
//                                          ^                 |      ^
//                                          +- [gfp_shift] <--+      |
//                                               lowest digit +-> [low_q]
//
// Latency NumStep + 3 + the ranks of S.ranks: 5 is before the sums of equal words, 6 after them, 7
// .. 9 are those of gfp_reduce, and 10 is after it. start_i with the operands in cycle t; the
// product in cycle t + latency only. A new start may come from cycle t + NumStep on. clear_i: see
// gfp_digits. Model: ecsm/curves/gfp/serial.py.
// Source: T. Gueneysu, C. Paar, Ultra High Performance ECC over NIST Primes on Commercial FPGAs
// (CHES 2008).
`default_nettype none

module gfp_mul_column
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter int unsigned Step = 18,
  parameter int unsigned NumStep = 15,
  // Constants of the prime: see gfp_reduce.
  parameter bit signed [S.num_cut-1:0][S.num_word-1:0][63:0] Rows = '0,
  parameter bit [S.num_word-1:0][S.out_w-1:0] WordOffset = '0,
  parameter bit signed [S.num_limb-1:0][63:0] Fold = '0,
  parameter bit [S.num_round-1:0][S.num_limb-1:0][S.joined_w-1:0] Offset = '0
) (
  input  logic                               clk_i,
  input  logic                               clear_i,
  input  logic                               start_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] a_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] b_i,
  output logic [S.num_limb-1:0][S.reg_w-1:0] p_o
);

  localparam int unsigned LimbW = limb_w(S);
  // S <= 2^(OpW + Step) (1 + 2^-Step + ...) + 2^LimbW.
  localparam int unsigned AccW = S.op_w + Step + 1;
  // Bits that are dropped before the last digit: whole limbs, and the bits below S in the column
  // that it joins.
  localparam int unsigned LowW = Step * (NumStep - 1);
  localparam int unsigned NumFull = LowW / LimbW;
  localparam int unsigned RestW = LowW % LimbW;
  localparam int unsigned NumColumn = NumFull + S.num_limb;

  logic first, unused_last;
  logic [S.num_limb-1:0][S.op_w+Step-1:0] product;
  gfp_digits #(
    .S(S),
    .Step(Step),
    .NumStep(NumStep)
  ) u_digits (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .start_i(start_i),
    .a_i(a_i),
    .b_i(b_i),
    .first_o(first),
    .last_o(unused_last),
    .product_o(product)
  );

  logic [S.num_limb-1:0][AccW-1:0] acc_d, acc_q, shifted;
  logic [LowW-1:0] low_q;
  gfp_shift #(
    .NumLimb(S.num_limb),
    .LimbW(LimbW),
    .W(AccW),
    .Step(Step)
  ) u_shift (
    .v_i(acc_q),
    .q_o(shifted)
  );

  always_comb begin
    for (int unsigned k = 0; k < S.num_limb; k++) begin
      acc_d[k] = (first ? '0 : shifted[k]) + AccW'(product[k]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      acc_q <= '0;
      low_q <= '0;
    end else begin
      acc_q <= acc_d;
      low_q <= LowW'({acc_q[0][Step-1:0], low_q} >> Step);
    end
  end

  localparam int unsigned NumPiece = (AccW + RestW + S.word_w - 1) / S.word_w;
  localparam int unsigned ColumnW = NumPiece * S.word_w;
  logic [NumColumn-1:0][ColumnW-1:0] column_d, column;
  always_comb begin
    column_d = '0;
    for (int unsigned k = 0; k < NumFull; k++) begin
      column_d[k] = ColumnW'(low_q[LimbW*k+:LimbW]);
    end
    for (int unsigned k = 0; k < S.num_limb; k++) begin
      column_d[NumFull+k] = ColumnW'(acc_q[k]) << RestW;
    end
    column_d[NumFull] = column_d[NumFull] | ColumnW'(low_q >> (LimbW * NumFull));
  end

  ecsm_rank #(
    .Width(NumColumn * ColumnW),
    .Enable(S.ranks[5])
  ) u_columns (
    .clk_i(clk_i),
    .d_i(column_d),
    .q_o(column)
  );

  logic [S.num_cut-1:0][S.cut_w-1:0] cut_d, cut;
  always_comb begin
    cut_d = '0;
    for (int unsigned k = 0; k < NumColumn; k++) begin
      for (int unsigned c = 0; c < NumPiece; c++) begin
        if (2 * k + c < S.num_cut) begin
          cut_d[2*k+c] = cut_d[2*k+c] + (S.cut_w)'(column[k][S.word_w*c+:S.word_w]);
        end
      end
    end
  end

  ecsm_rank #(
    .Width(S.num_cut * S.cut_w),
    .Enable(S.ranks[6])
  ) u_cuts (
    .clk_i(clk_i),
    .d_i(cut_d),
    .q_o(cut)
  );

  logic [S.num_limb-1:0][S.reg_w-1:0] reduced;
  gfp_reduce #(
    .S(S),
    .Rows(Rows),
    .WordOffset(WordOffset),
    .Fold(Fold),
    .Offset(Offset)
  ) u_reduce (
    .clk_i(clk_i),
    .cut_i(cut),
    .q_o(reduced)
  );

  ecsm_rank #(
    .Width(S.num_limb * S.reg_w),
    .Enable(S.ranks[10])
  ) u_carried (
    .clk_i(clk_i),
    .d_i(reduced),
    .q_o(p_o)
  );

endmodule

`default_nettype wire
