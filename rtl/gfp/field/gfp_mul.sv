// SPDX-License-Identifier: Apache-2.0
//
// Multiplier modulo a sparse prime for residues in limbs. The operands have late carries, and the
// result is not fully reduced (ecsm/curves/gfp/residues.py).
//
//   a_i, b_i -> [rank] -> [gfp_product: 0 .. 6] -- words -> [gfp_reduce: 7 .. 9] -> [10] -> p_o
//
// Steps, with an optional rank of registers after each (S.ranks, bit 0 first): 0 sums of limbs, 1
// products of digits, 2 their columns, 3 words of the products of limbs, 4 parts of the words of
// the product, 5 groups of parts, 6 the words of the product, 7 parts of reduced words, 8 the limbs
// that the words make, 9 the first round of carries, 10 the other rounds.
//
// Latency 1 + the number of ranks: operands in cycle t, which registers store at its end; product
// in cycle t + latency. A new product may start every cycle. There is no reset and no clear: zero
// operands clear the pipeline.
// a_i, b_i: limbs of S.op_w bits. p_o: limbs of S.reg_w bits.
`default_nettype none

module gfp_mul
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  // The scheme of the product: see gfp_product.
  parameter bit [S.num_product-1:0][S.num_limb-1:0] Pick = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Plus = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Minus = '0,
  // Constants of the prime: see gfp_reduce.
  parameter bit signed [S.num_cut-1:0][S.num_word-1:0][63:0] Rows = '0,
  parameter bit [S.num_word-1:0][S.out_w-1:0] WordOffset = '0,
  parameter bit signed [S.num_limb-1:0][63:0] Fold = '0,
  parameter bit [S.num_round-1:0][S.num_limb-1:0][S.joined_w-1:0] Offset = '0
) (
  input  logic                               clk_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] a_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] b_i,
  output logic [S.num_limb-1:0][S.reg_w-1:0] p_o
);

  logic [S.num_limb-1:0][S.op_w-1:0] a, b;
  ecsm_rank #(
    .Width(2 * S.num_limb * S.op_w),
    .Enable(1'b1)
  ) u_operands (
    .clk_i(clk_i),
    .d_i({a_i, b_i}),
    .q_o({a, b})
  );

  logic [S.num_cut-1:0][S.cut_w-1:0] cut;
  gfp_product #(
    .S(S),
    .Pick(Pick),
    .Plus(Plus),
    .Minus(Minus)
  ) u_product (
    .clk_i(clk_i),
    .a_i(a),
    .b_i(b),
    .cut_o(cut)
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
