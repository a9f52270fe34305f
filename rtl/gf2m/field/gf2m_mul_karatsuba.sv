// SPDX-License-Identifier: Apache-2.0
//
// Full-precision Karatsuba multiplier over GF(2^M): p = a * b mod f.
//
//   a_i, b_i --> [pre-additions] --> [products] --> [recombination] --> [gf2m_reduce] --> p_o
//               |                |             |                   |
//    OperandReg |   Stages 3, 4  |   Stages    |   Stages 4        |    positions of the ranks
//     (3, 4)    |  or OperandReg |  2, 3, 4    |                   |
//
// Latency L = Stages. A new product may start every cycle. There are Stages - 1 ranks of registers.
// At Depth d the four parts are an XOR of 2^d operand bits, an innermost product, d XORs of four,
// and the reduction. Stages, and where the ranks are:
//   1  none, combinational
//   2  after the innermost products and Height levels of recombination
//   3  as 2, and after the pre-additions
//   4  after the pre-additions, the innermost products and the recombination
// OperandReg adds a rank for the operands, and L is Stages + 1. The rank is after the
// pre-additions, where every bit goes to one innermost product; if there is a rank already, it is
// at the input. Height, 0 .. Depth, moves the rank of two stages to where both are equally long.
// With Depth = 0 there is no recombination: 3 is operands, product; 4 has the product's rank twice.
//
// a_i, b_i, p_o: M bits, below z^M. Depth: any; 0 is schoolbook. Source: see gf2m_karatsuba and
// gf2m_reduce.
`default_nettype none

module gf2m_mul_karatsuba #(
  parameter int unsigned M      = 163,
  parameter bit [M:0]    Poly   = {1'b1, {(M - 8) {1'b0}}, 8'hC9},
  parameter int unsigned Depth  = 3,
  parameter int unsigned Stages = 1,
  parameter int unsigned Height = 0,
  parameter bit OperandReg = 1'b0
) (
  input  logic         clk_i,
  input  logic [M-1:0] a_i,
  input  logic [M-1:0] b_i,
  output logic [M-1:0] p_o
);

  logic [M-1:0] a, b;
  logic [2*M-2:0] product, product_q;

  ecsm_rank #(
    .Width(2 * M),
    .Enable(OperandReg && Stages >= 3)
  ) u_rank_operands (
    .clk_i(clk_i),
    .d_i({a_i, b_i}),
    .q_o({a, b})
  );

  gf2m_karatsuba #(
    .Width(M),
    .Depth(Depth),
    .RegOperands(OperandReg || Stages >= 3),
    .RegProducts(Stages >= 2),
    .RegHeight(Stages < 4 ? Height : 0)
  ) u_karatsuba (
    .clk_i(clk_i),
    .a_i(a),
    .b_i(b),
    .p_o(product)
  );

  ecsm_rank #(
    .Width(2 * M - 1),
    .Enable(Stages >= 4)
  ) u_rank_product (
    .clk_i(clk_i),
    .d_i(product),
    .q_o(product_q)
  );

  gf2m_reduce #(
    .M(M),
    .Poly(Poly)
  ) u_reduce (
    .c_i(product_q),
    .p_o(p_o)
  );

  if (Height > Depth) begin : gen_bad
    $error("gf2m_mul_karatsuba: Height must be 0..Depth");
  end

endmodule

`default_nettype wire
