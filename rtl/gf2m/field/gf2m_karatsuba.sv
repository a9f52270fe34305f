// SPDX-License-Identifier: Apache-2.0
//
// Karatsuba product of two binary polynomials of Width bits: p = a * b, not reduced.
//
// With h = ceil(Width / 2), a = a0 + a1 z^h and b = b0 + b1 z^h:
//
//   t = a0 b0 + a1 b1 z^h
//   p = t + (t + (a0 + a1)(b0 + b1)) z^h
//
// The textbook's recombination does not share t. Sharing it saves h XORs a level, and each middle
// bit of p is one XOR of four product bits: one LUT4. The recursion has Depth levels; below them
// the product is schoolbook. A part of one bit is not split further.
//
// Optional ranks of registers: RegOperands puts one on the operands of the innermost products,
// after all pre-additions. RegProducts puts one on the products RegHeight levels above the
// innermost ones. Latency: the number of these ranks. A new product may start every cycle.
//
// a_i, b_i: any values of Width bits; p_o: 2 Width - 1 bits. RegHeight: 0 .. Depth.
// Source: Karatsuba, Ofman (1962); the shared form is Bernstein, "Batch binary Edwards", CRYPTO
// 2009, section 2 ("refined Karatsuba").
`default_nettype none

module gf2m_karatsuba #(
  parameter int unsigned Width       = 163,
  parameter int unsigned Depth       = 3,
  parameter bit          RegOperands = 1'b0,
  parameter bit          RegProducts = 1'b0,
  parameter int unsigned RegHeight   = 0
) (
  input  logic               clk_i,
  input  logic [  Width-1:0] a_i,
  input  logic [  Width-1:0] b_i,
  output logic [2*Width-2:0] p_o
);

  localparam int unsigned PWidth = 2 * Width - 1;
  localparam bit Split = Depth > 0 && Width > 1;
  // A part that is too narrow to split has the rank of all the levels below it.
  localparam bit RegHere = RegProducts && (Split ? RegHeight == Depth : RegHeight <= Depth);

  logic [PWidth-1:0] product;

  if (Split) begin : gen_split
    localparam int unsigned Low = (Width + 1) / 2;
    localparam int unsigned High = Width - Low;

    logic [Low-1:0] a_sum, b_sum;
    logic [2*Low-2:0] p_low, p_mid;
    logic [2*High-2:0] p_high;
    logic [PWidth-1:0] outer, middle;

    assign a_sum = a_i[Low-1:0] ^ Low'(a_i[Width-1:Low]);
    assign b_sum = b_i[Low-1:0] ^ Low'(b_i[Width-1:Low]);

    gf2m_karatsuba #(
      .Width(Low),
      .Depth(Depth - 1),
      .RegOperands(RegOperands),
      .RegProducts(RegProducts),
      .RegHeight(RegHeight)
    ) u_low (
      .clk_i(clk_i),
      .a_i(a_i[Low-1:0]),
      .b_i(b_i[Low-1:0]),
      .p_o(p_low)
    );

    gf2m_karatsuba #(
      .Width(High),
      .Depth(Depth - 1),
      .RegOperands(RegOperands),
      .RegProducts(RegProducts),
      .RegHeight(RegHeight)
    ) u_high (
      .clk_i(clk_i),
      .a_i(a_i[Width-1:Low]),
      .b_i(b_i[Width-1:Low]),
      .p_o(p_high)
    );

    gf2m_karatsuba #(
      .Width(Low),
      .Depth(Depth - 1),
      .RegOperands(RegOperands),
      .RegProducts(RegProducts),
      .RegHeight(RegHeight)
    ) u_mid (
      .clk_i(clk_i),
      .a_i(a_sum),
      .b_i(b_sum),
      .p_o(p_mid)
    );

    // The highest bit of p_high z^h is bit 2 High - 2 + Low, so outer z^h fits in PWidth bits.
    assign outer = PWidth'(p_low) ^ (PWidth'(p_high) << Low);
    assign middle = outer ^ PWidth'(p_mid);
    assign product = outer ^ (middle << Low);
  end else begin : gen_leaf
    logic [Width-1:0] a, b;

    ecsm_rank #(
      .Width(2 * Width),
      .Enable(RegOperands)
    ) u_rank_operands (
      .clk_i(clk_i),
      .d_i({a_i, b_i}),
      .q_o({a, b})
    );

    gf2m_poly_mul #(
      .AWidth(Width),
      .BWidth(Width)
    ) u_poly_mul (
      .a_i(a),
      .b_i(b),
      .p_o(product)
    );
  end

  ecsm_rank #(
    .Width(PWidth),
    .Enable(RegHere)
  ) u_rank_product (
    .clk_i(clk_i),
    .d_i(product),
    .q_o(p_o)
  );

endmodule

`default_nettype wire
