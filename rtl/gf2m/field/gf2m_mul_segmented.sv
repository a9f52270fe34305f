// SPDX-License-Identifier: Apache-2.0
//
// Full-precision multiplier over GF(2^M) with segmented pipelining: p = a * b mod f.
//
//   a_i, b_i -+-> [a * segment 0] ---+
//             +-> [a * segment 1] ---+-> [shift, add] --> [gf2m_reduce] --> p_o
//             +-> ...                |                |
//             |   n products         |                |
//        Stages 4                Stages 2..4      Stages 3, 4           positions of the ranks
//
// b is divided into n = ceil(M / Digit) segments of w = Digit bits. The n products a * segment, of
// M + w - 1 bits each, are computed in parallel, then shifted, added and reduced.
//
// Latency L = Stages. A new product may start every cycle. Stages, and where its Stages - 1 ranks
// of registers are:
//   1  none, combinational
//   2  after the products of the segments. This is the first rank of the paper; its second, the
//      m-bit output register, is the register of the engine behind p_o.
//   3  as 2, and after the sum of the n products, before the reduction
//   4  as 3, and on the operands
//
// a_i, b_i, p_o: M bits, below z^M. Digit: 1..M, need not divide M.
// Source: Khan, Benaissa, "High speed ECC implementation on FPGA over GF(2^m)", FPL 2015, "Novel
// full-precision multiplier". The paper counts m^2 AND, m^2 + n m + 3 m XOR, n (m + w) + m
// flip-flops. Here each segment has one flip-flop less: a product of m by w bits has m + w - 1.
`default_nettype none

module gf2m_mul_segmented #(
  parameter int unsigned M      = 163,
  parameter bit [M:0]    Poly   = {1'b1, {(M - 8) {1'b0}}, 8'hC9},
  parameter int unsigned Digit  = 14,
  parameter int unsigned Stages = 2
) (
  input  logic         clk_i,
  input  logic [M-1:0] a_i,
  input  logic [M-1:0] b_i,
  output logic [M-1:0] p_o
);

  localparam int unsigned NumSegments = (M + Digit - 1) / Digit;
  localparam int unsigned PWidth = 2 * M - 1;

  logic [M-1:0] a, b;
  logic [PWidth-1:0] term[NumSegments];
  logic [PWidth-1:0] sum, sum_q;

  ecsm_rank #(
    .Width(2 * M),
    .Enable(Stages >= 4)
  ) u_rank_operands (
    .clk_i(clk_i),
    .d_i({a_i, b_i}),
    .q_o({a, b})
  );

  for (genvar i = 0; i < NumSegments; i++) begin : gen_segment
    // The last segment has the remaining bits of b.
    localparam int unsigned SegWidth = (i == NumSegments - 1) ? M - i * Digit : Digit;

    logic [M+SegWidth-2:0] product, product_q;

    gf2m_poly_mul #(
      .AWidth(M),
      .BWidth(SegWidth)
    ) u_poly_mul (
      .a_i(a),
      .b_i(b[i*Digit+:SegWidth]),
      .p_o(product)
    );

    ecsm_rank #(
      .Width(M + SegWidth - 1),
      .Enable(Stages >= 2)
    ) u_rank_product (
      .clk_i(clk_i),
      .d_i(product),
      .q_o(product_q)
    );

    assign term[i] = PWidth'(product_q) << (i * Digit);
  end

  // Balanced tree of sums.
  always_comb begin
    logic [PWidth-1:0] node[NumSegments];
    node = term;
    for (int unsigned s = 1; s < NumSegments; s = 2 * s) begin
      for (int unsigned i = 0; i + s < NumSegments; i = i + 2 * s) node[i] ^= node[i+s];
    end
    sum = node[0];
  end

  ecsm_rank #(
    .Width(PWidth),
    .Enable(Stages >= 3)
  ) u_rank_sum (
    .clk_i(clk_i),
    .d_i(sum),
    .q_o(sum_q)
  );

  gf2m_reduce #(
    .M(M),
    .Poly(Poly)
  ) u_reduce (
    .c_i(sum_q),
    .p_o(p_o)
  );

endmodule

`default_nettype wire
