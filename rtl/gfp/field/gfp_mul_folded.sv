// SPDX-License-Identifier: Apache-2.0
//
// Multiplier modulo a sparse prime in three cycles a product. Operands, results and reduction are
// those of gfp_mul, with a third of its DSP blocks. The operands are halves, a = a0 + a1 h. One
// unit (gfp_product) computes Karatsuba's three products of halves one after the other:
//
//   a b = a0 b0 + ((a0 + a1) (b0 + b1) - a0 b0 - a1 b1) h + a1 b1 h^2
//
//   a_i, b_i --> [next_q: high halves] --> [now_q: low, high, sum] --> [gfp_product] --> part
//                        ^    |                  |                                         |
//                        +----+----- sum <-------+                                         v
//                                    p_o <-- [10] <-- [gfp_reduce] <-- [cut_q] <--> [+, -]
//
// Latency 4 + the ranks of S.ranks: 0 .. 5 are those of gfp_product, 7 .. 9 those of gfp_reduce,
// and 10 is after it. Instead of rank 6 of gfp_mul, the product is added up in registers of its
// own. start_i with the operands in cycle t; the product in cycle t + latency only. A new start may
// come from cycle t + 3 on. After clear_i, zeros clear the pipeline. The number of limbs is even. S
// and the scheme are those of the product of halves, but NumLimb, OpW and the sizes after the
// product are those of the whole product: ecsm/hdl/gfp.py.
// Source: A. Karatsuba, Y. Ofman, Multiplication of multidigit numbers on automata (1963).
`default_nettype none

module gfp_mul_folded
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  // The scheme of the halves: see gfp_product. The low half of each Pick is used, and the lowest
  // rows of Plus and Minus.
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
  input  logic                               clear_i,
  input  logic                               start_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] a_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] b_i,
  output logic [S.num_limb-1:0][S.reg_w-1:0] p_o
);

  localparam int unsigned NumHalf = S.num_limb / 2;
  localparam int unsigned HalfW = S.op_w + 1;  // bits of a limb of a sum of halves
  localparam int unsigned NumPart = 2 * NumHalf - 1;  // columns of a product of halves
  localparam int unsigned HalfWords = 2 * NumHalf;
  // Words of a product of halves. Those above the words of the whole product are zero in the end.
  localparam int unsigned HalfCut = 2 * (NumPart - 1) + (2 * S.sum_w + S.word_w - 1) / S.word_w;

  function automatic shape_t half_shape();
    half_shape = S;
    half_shape.num_limb = NumHalf;
    half_shape.op_w = HalfW;
    half_shape.num_cut = HalfCut;
  endfunction
  localparam shape_t Half = half_shape();

  typedef bit [S.num_product-1:0][NumHalf-1:0] picks_t;
  function automatic picks_t half_picks();
    for (int unsigned j = 0; j < S.num_product; j++) half_picks[j] = Pick[j][NumHalf-1:0];
  endfunction

  // ------------------------------------------------------------------ halves, one after the other
  typedef logic [1:0][NumHalf-1:0][HalfW-1:0] halves_t;  // of a and of b

  function automatic halves_t half_of(logic [S.num_limb-1:0][S.op_w-1:0] a,
                                      logic [S.num_limb-1:0][S.op_w-1:0] b, int unsigned first);
    for (int unsigned k = 0; k < NumHalf; k++) begin
      half_of[0][k] = HalfW'(a[first+k]);
      half_of[1][k] = HalfW'(b[first+k]);
    end
  endfunction

  localparam int unsigned Inside = $countones(S.ranks[5:0]);  // latency of gfp_product

  // Bit g: half g is in now_q; half 2 is the sum of both. Bit g + Inside: its product is on part.
  logic [Inside+2:0] at_q;
  halves_t now_q, next_q, sum;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      for (int unsigned k = 0; k < NumHalf; k++) sum[i][k] = now_q[i][k] + next_q[i][k];
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      at_q <= '0;
      now_q <= '0;
      next_q <= '0;
    end else begin
      at_q <= {at_q[Inside+1:0], start_i};
      if (start_i) begin
        now_q <= half_of(a_i, b_i, 0);
        next_q <= half_of(a_i, b_i, NumHalf);
      end else if (at_q[0] || at_q[1]) begin
        now_q <= next_q;
        next_q <= sum;  // the sum of both halves; not used the second time
      end
    end
  end

  logic [HalfCut-1:0][S.cut_w-1:0] part;
  gfp_product #(
    .S(Half),
    .Pick(half_picks()),
    .Plus(Plus[NumPart-1:0]),
    .Minus(Minus[NumPart-1:0])
  ) u_product (
    .clk_i(clk_i),
    .a_i(now_q[0]),
    .b_i(now_q[1]),
    .cut_o(part)
  );

  // ------------------------------------------------------------------ words of the product
  logic first, second, third, taken;
  assign {third, second, first} = at_q[Inside+2:Inside];
  assign taken = ~third;  // subtracted from the middle words

  logic [S.num_cut-1:0][S.cut_w-1:0] cut_d, cut_q;
  always_comb begin
    for (int unsigned w = 0; w < S.num_cut; w++) begin
      cut_d[w] = first ? '0 : cut_q[w];
      if (w < HalfCut && first) cut_d[w] = cut_d[w] + part[w];
      if (w >= 2 * HalfWords && second) cut_d[w] = cut_d[w] + part[w-2*HalfWords];
      if (w >= HalfWords && w < HalfWords + HalfCut) begin
        cut_d[w] = cut_d[w] + (part[w-HalfWords] ^ {S.cut_w{taken}}) + (S.cut_w)'(taken);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) cut_q <= '0;
    else if (first || second || third) cut_q <= cut_d;
  end

  logic [S.num_limb-1:0][S.reg_w-1:0] reduced;
  gfp_reduce #(
    .S(S),
    .Rows(Rows),
    .WordOffset(WordOffset),
    .Fold(Fold),
    .Offset(Offset)
  ) u_reduce (
    .clk_i(clk_i),
    .cut_i(cut_q),
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

  if (S.num_limb % 2 != 0 || S.ranks[6]) begin : gen_bad
    $error("gfp_mul_folded: an even number of limbs, and no rank 6");
  end

endmodule

`default_nettype wire
