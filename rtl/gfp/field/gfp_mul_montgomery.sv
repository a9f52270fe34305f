// SPDX-License-Identifier: Apache-2.0
//
// Montgomery multiplier modulo any odd P: p_o = a b / R modulo P, R = 2^(Step NumStep), one digit
// of b a cycle. Residues are in limbs, the operands have late carries, and the result is not fully
// reduced.
//
//   q = S mod 2^Step,   S <- floor(S / 2^Step) + q M + a b[t],    M = (P P' + 1) / 2^Step
//
// for every digit, with P' = -1/P modulo 2^Step. P P' is -1 modulo 2^Step, so q is the lowest digit
// of S itself. In the end q = S P' mod 2^Step, and the result is (S + q P) / 2^Step, whose limbs go
// through S.num_round rounds of carries.
//
//   a_i, b_i -> [gfp_digits] - a b[t] -> [+] -> [acc_q: S] -+> [gfp_shift] -+> [carries] -> p_o
//                                        ^ ^                |               |
//                                        | +----------------|- S / 2^Step --+
//                                        |                  v
//          [gfp_limb_mul by M; last by P]+ <--- [q: lowest digit of S; last times P']
//
// Latency NumStep + 6: start_i with the operands in cycle t; the product in cycle t + latency only.
// A new start may come from cycle t + NumStep + 2 on. clear_i: see gfp_digits.
// Bounds, and the required number of steps: ecsm/curves/gfp/montgomery.py.
// Source: H. Orup, Simplifying quotient determination in high-radix modular multiplication (ARITH
// 12, 1995).
`default_nettype none

module gfp_mul_montgomery
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter int unsigned PW = 256,
  parameter bit [PW-1:0] P = '1,
  parameter int unsigned Step = 18,
  parameter int unsigned NumStep = 15
) (
  input  logic                               clk_i,
  input  logic                               clear_i,
  input  logic                               start_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] a_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] b_i,
  output logic [S.num_limb-1:0][S.reg_w-1:0] p_o
);

  localparam int unsigned LimbW = limb_w(S);
  localparam int unsigned ResidueW = S.num_limb * LimbW;
  // S <= (2^(OpW + Step) + 2^(LimbW + Step)) (1 + 2^-Step + ...) + 2^LimbW, OpW > LimbW + 2.
  localparam int unsigned AccW = S.op_w + Step + 1;

  // -1/P: each step of Newton's iteration doubles the number of correct bits.
  function automatic bit [Step-1:0] minus_inverse();
    bit [Step-1:0] x;
    x = Step'(1);
    for (int unsigned i = 1; i < 2 * Step; i = 2 * i) x = x * (Step'(2) - Step'(P) * x);
    return -x;
  endfunction

  localparam bit [Step-1:0] MinusInverse = minus_inverse();
  localparam bit [PW+Step-1:0] Product = (PW + Step)'(P) * (PW + Step)'(MinusInverse) + 1'b1;
  localparam bit [S.num_limb-1:0][LimbW-1:0] Multiple = ResidueW'(Product >> Step);
  localparam bit [S.num_limb-1:0][LimbW-1:0] Modulus = ResidueW'(P);

  logic first, last;
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
    .last_o(last),
    .product_o(product)
  );

  // In the two cycles after the last digit S does not shift: the first computes the last quotient,
  // the second uses it.
  logic wait_q, final_q;
  logic [Step-1:0] low, quotient_q, q;
  logic [S.num_limb-1:0][AccW-1:0] acc_d, acc_q, shifted;
  gfp_shift #(
    .NumLimb(S.num_limb),
    .LimbW(LimbW),
    .W(AccW),
    .Step(Step)
  ) u_shift (
    .v_i(acc_q),
    .q_o(shifted)
  );

  logic [2*Step-1:0] next_quotient;
  gfp_digit_mul #(
    .W(Step),
    .InDsp(S.mul_in_dsp)
  ) u_quotient (
    .a_i(low),
    .b_i(MinusInverse),
    .p_o(next_quotient)
  );

  logic unused_quotient;
  assign unused_quotient = ^next_quotient[2*Step-1:Step];

  assign low = acc_q[0][Step-1:0];
  assign q = final_q ? quotient_q : (first | wait_q) ? '0 : low;

  for (genvar k = 0; k < S.num_limb; k++) begin : gen_limb
    logic [NumAddend-1:0][LimbW+Step-1:0] addend;
    gfp_limb_mul #(
      .W(LimbW),
      .WB(Step),
      .Digit(S.digit_w),
      .RankProducts(1'b0),
      .RankColumns(1'b0),
      .InDsp(S.mul_in_dsp)
    ) u_mul (
      .clk_i(clk_i),
      .a_i(final_q ? Modulus[k] : Multiple[k]),
      .b_i(q),
      .addend_o(addend)
    );

    logic [LimbW+Step-1:0] multiple;
    assign multiple = addend[0] + addend[1] + addend[2];

    logic [AccW-1:0] kept;
    assign kept = (final_q | wait_q) ? acc_q[k] : first ? '0 : shifted[k];
    assign acc_d[k] = kept + AccW'(product[k]) + AccW'(multiple);
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      wait_q <= 1'b0;
      final_q <= 1'b0;
      quotient_q <= '0;
      acc_q <= '0;
    end else begin
      wait_q <= last;
      final_q <= wait_q;
      quotient_q <= next_quotient[Step-1:0];
      acc_q <= acc_d;
    end
  end

  // The lowest digit is now zero. The highest limb keeps all its bits.
  logic [S.num_limb-1:0][AccW-1:0] limb[S.num_round+1];
  logic [S.num_limb-1:0][S.reg_w-1:0] carried;
  assign limb[0] = shifted;
  for (genvar r = 0; r < S.num_round; r++) begin : gen_round
    gfp_carry #(
      .NumLimb(S.num_limb),
      .LimbW(LimbW),
      .TopW(AccW),
      .InW(AccW),
      .OutW(AccW)
    ) u_carry (
      .clk_i(clk_i),
      .v_i(limb[r]),
      .q_o(limb[r+1])
    );
  end
  for (genvar k = 0; k < S.num_limb; k++) begin : gen_carried
    assign carried[k] = limb[S.num_round][k][S.reg_w-1:0];
  end

  ecsm_rank #(
    .Width(S.num_limb * S.reg_w),
    .Enable(1'b1)
  ) u_carried (
    .clk_i(clk_i),
    .d_i(carried),
    .q_o(p_o)
  );

endmodule

`default_nettype wire
