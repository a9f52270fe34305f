// SPDX-License-Identifier: Apache-2.0
//
// Multiplies a residue by the digits of another one, the lowest first, one digit a cycle:
//
//   product_o[k] = a[k] (floor(b / 2^(Step t)) mod 2^Step)       t = 0 .. NumStep - 1
//
//   b_i --> [b_q] -- lowest Step bits = digit --+
//             ^                                 v
//             +-- [gfp_shift] <-- b_q  [gfp_limb_mul] x NumLimb -> [add] -> [rank] -> product_o
//   a_i --> [a_q] -- limb k --------------------^
//   start_i --> [at_q, a shift register] --> first_o, last_o
//
// b is in limbs with late carries. gfp_shift drops its lowest digit in every cycle, so the next
// digit is always the lowest Step bits of limb 0. In DSP blocks a limb of op_w bits times a digit
// takes ceil(op_w / digit_w) ceil(Step / digit_w) of them (gfp_limb_mul).
//
// Timing: start_i in cycle t0; first_o with the product of digit 0 in cycle t0 + 3; last_o with the
// product of the last digit NumStep - 1 cycles later. A new start may come from t0 + NumStep on. If
// b < 2^(Step NumStep), the products are zero after the last digit until the next start. Three
// cycles of clear_i set every register to zero. There is no reset: the engine clears after its own
// reset.
`default_nettype none

module gfp_digits
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter int unsigned Step = 18,
  parameter int unsigned NumStep = 15
) (
  input  logic                                   clk_i,
  input  logic                                   clear_i,
  input  logic                                   start_i,
  input  logic [S.num_limb-1:0][     S.op_w-1:0] a_i,
  input  logic [S.num_limb-1:0][     S.op_w-1:0] b_i,
  output logic                                   first_o,
  output logic                                   last_o,
  output logic [S.num_limb-1:0][S.op_w+Step-1:0] product_o
);

  localparam int unsigned Delay = 2;  // ranks after a digit

  typedef logic [S.num_limb-1:0][S.op_w-1:0] operand_t;
  operand_t a_q, b_q, b_shifted;
  gfp_shift #(
    .NumLimb(S.num_limb),
    .LimbW(limb_w(S)),
    .W(S.op_w),
    .Step(Step)
  ) u_shift (
    .v_i(b_q),
    .q_o(b_shifted)
  );

  // Bit t < NumStep: digit t is multiplied in this cycle. Bit t above: the product of the last
  // digit is t - NumStep + 1 ranks farther.
  logic [NumStep+Delay-1:0] at_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      a_q <= '0;
      b_q <= '0;
      at_q <= '0;
    end else begin
      at_q <= {at_q[NumStep+Delay-2:0], start_i};
      b_q <= b_shifted;
      if (start_i) begin
        a_q <= a_i;
        b_q <= b_i;
      end
    end
  end
  assign first_o = at_q[Delay];
  assign last_o = at_q[NumStep+Delay-1];

  for (genvar k = 0; k < S.num_limb; k++) begin : gen_limb
    logic [NumAddend-1:0][S.op_w+Step-1:0] addend;
    gfp_limb_mul #(
      .W(S.op_w),
      .WB(Step),
      .Digit(S.digit_w),
      .RankProducts(1'b1),
      .RankColumns(1'b0),
      .InDsp(S.mul_in_dsp)
    ) u_mul (
      .clk_i(clk_i),
      .a_i(a_q[k]),
      .b_i(b_q[0][Step-1:0]),
      .addend_o(addend)
    );
    ecsm_rank #(
      .Width(S.op_w + Step),
      .Enable(1'b1)
    ) u_product (
      .clk_i(clk_i),
      .d_i(addend[0] + addend[1] + addend[2]),
      .q_o(product_o[k])
    );
  end

endmodule

`default_nettype wire
