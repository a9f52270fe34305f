// SPDX-License-Identifier: Apache-2.0
//
// Registers and arithmetic of ecsm_order; ecsm_order_control.sv says what they do in each cycle.
//
//   G, F   a number on its way in and out, and the pair of the division steps
//   acc    the accumulator: products and the coefficient e; r = floor(acc / 2^D) is read from it
//   A      a factor, and twice the coefficient d
//
// Fold: acc <- 2^D (acc - q m) + digit A, q about acc / m (ecsm_order_quotient.sv). So acc is
// below (2^D + 2^D - 1) 19/16 m, above -3/16 times that; after a fold with digit 0, r = acc before,
// modulo m, and -3/16 m < r < 19/16 m. Any number of W bits may stand in acc at first.
//
// Canon: twice -m or +m against the sign, then +m if negative: [-2m, 3m) into [-m, 2m), into
// [-m, m), into [0, m). Sums and differences of two r, and +-d, are in [-2m, 3m).
//
// Division step, with g odd or not, and delta > 0 if zeta < 0:
//
//   delta > 0 and g odd:   (f, g) <- (g, (g - f) / 2),             (d, e) <- (e, (e - d) / 2)
//   else:                  (f, g) <- (f, (g + (g mod 2) f) / 2),   (d, e) <- (d, (e + (g mod 2) d) / 2)
//
// from (m, a) and (0, 1), d and e modulo m: to halve an odd sum x, m is added if e < 0, else
// subtracted. |d|, |e| <= m stays: x is at most 2m, and above m only if e and +-d have one sign, the
// one that m is taken from. acc is 2^(D+1) e, as fractions have D bits and a sum is halved when it
// is next used. zeta is -(delta + 1/2) for an integer, where delta starts at 1/2, and -delta for a
// polynomial, where it starts at 1 and 2 is z. In the end f = +-1 and +-d = 1/a, or a = d = 0.
//
// modulus_i, op_i stay from request to the end. second_i: in a state that comes twice, the second
// time; count_zero_i: in its last cycle. All registers are zero in StClear and StIdle.
// Sources: the accumulator as in ecsm_order_quotient.sv; Bernstein, Yang, Fast constant-time gcd
// computation and modular inversion (TCHES 2019), with the start at 1/2 of Pieter Wuille
// (libsecp256k1, doc/safegcd_implementation.md).
`default_nettype none

module ecsm_order_datapath
  import ecsm_order_pkg::*;
#(
  parameter int unsigned              W          = 256,
  parameter int unsigned              D          = 4,
  parameter int unsigned              Word       = 64,
  parameter int unsigned              NumModulus = 1,
  parameter bit [NumModulus-1:0][W:0] Modulus    = '0,
  parameter bit [NumModulus-1:0]      Binary     = '0,
  parameter int unsigned              Segment    = 0,
  localparam int unsigned             SelW       = (NumModulus > 1) ? $clog2(NumModulus) : 1
) (
  input logic clk_i,
  input order_state_e state_i,
  input order_op_e op_i,
  input logic [SelW-1:0] modulus_i,
  input logic second_i,
  input logic count_zero_i,
  input logic move_i,  // in StLoad, StDigit: a word, a digit is there
  input logic [Word-1:0] word_i,  // shifted into G
  input logic [D-1:0] digit_i,
  output logic [Word-1:0] word_o,  // highest of G
  output logic below_o  // in StCompare: G < m, or G a residue of the polynomial
);

  localparam int unsigned NumWord = (W + Word - 1) / Word;
  localparam int unsigned AllW = NumWord * Word;
  localparam int unsigned AccW = W + D + 3;
  localparam int unsigned SignedW = W + 3;
  localparam int unsigned GW = (AllW > SignedW) ? AllW : SignedW;
  // |zeta| grows by one a step; as many steps as for the longest modulus.
  localparam int unsigned ZetaW = $clog2((W < 4) ? 16 : 3 * W) + 1;

  typedef logic [SignedW-1:0] signed_t;

  logic [AccW-1:0] acc_d, acc_q, acc_sum;
  logic [W+1:0] a_d, a_q;
  signed_t f_d, f_q;
  logic [GW-1:0] g_d, g_q;
  logic signed [ZetaW-1:0] zeta_d, zeta_q;
  logic negative_d, negative_q;

  // ------------------------------------------------------------------ constants of the modulus
  signed_t modulus[NumModulus];
  logic [NumModulus-1:0] beyond;
  for (genvar i = 0; i < NumModulus; i++) begin : gen_modulus
    localparam int unsigned Length = length(584'(Modulus[i]), Binary[i]);
    assign modulus[i] = SignedW'(Modulus[i]);
    assign beyond[i] = |(g_q >> Length);
  end

  signed_t m;
  logic binary;
  logic m_beyond;
  if (NumModulus > 1) begin : gen_choice
    assign m = modulus[modulus_i];
    assign binary = Binary[modulus_i];
    assign m_beyond = beyond[modulus_i];
  end else begin : gen_only
    logic unused_modulus;
    assign unused_modulus = ^modulus_i;
    assign m = modulus[0];
    assign binary = Binary[0];
    assign m_beyond = beyond[0];
  end

  // ------------------------------------------------------------------ G and F
  signed_t g, result, masked, half_sum, half_carry, g_sum;
  logic stepping, odd, swap, join_f, negate_f;
  logic unused_half_carry;

  assign g = g_q[SignedW-1:0];
  assign result = acc_q[AccW-1:D];
  assign stepping = state_i == StStep;
  assign odd = g_q[0];
  assign swap = odd & zeta_q[ZetaW-1];

  always_comb begin
    unique case (state_i)
      StStep: begin
        join_f   = odd;
        negate_f = swap;
      end
      StJoin: begin
        join_f   = 1'b1;
        negate_f = op_i == OrderSub;
      end
      StCanon: begin
        join_f   = ~binary & (~count_zero_i | g[SignedW-1]);
        negate_f = ~g[SignedW-1];
      end
      default: begin
        join_f   = 1'b1;
        negate_f = 1'b1;
      end
    endcase
    if (!join_f || binary) negate_f = 1'b0;
  end

  // A half adder, so that a chain has nothing to carry over a polynomial field.
  assign masked = (f_q & {SignedW{join_f}}) ^ {SignedW{negate_f}};
  assign half_sum = g ^ masked;
  assign half_carry = g & masked & {SignedW{~binary}};
  assign unused_half_carry = half_carry[SignedW-1];

  ecsm_order_add #(
    .W(SignedW),
    .Segment(Segment)
  ) u_add (
    .a_i(half_sum),
    .b_i({half_carry[SignedW-2:0], negate_f}),
    .sum_o(g_sum)
  );

  assign below_o = binary ? ~m_beyond : g_sum[SignedW-1];
  assign word_o  = g_q[AllW-1-:Word];

  always_comb begin
    g_d = g_q;
    f_d = f_q;
    unique case (state_i)
      StLoad: if (move_i) g_d = GW'({g_q[AllW-1:0] << Word} | AllW'(word_i));
      StStore: g_d = GW'({g_q[AllW-1:0] << Word});
      StPull: g_d = GW'(result);
      StJoin, StCanon, StCompare: g_d = GW'(g_sum);
      StStep: g_d = GW'({g_sum[SignedW-1], g_sum[SignedW-1:1]});
      default: ;
    endcase
    unique case (state_i)
      StLoad, StTake: if (!second_i) f_d = m;
      StJoin, StSign: f_d = m;
      StKeep: f_d = g;
      StStep: if (swap) f_d = g;
      default: ;
    endcase
  end

  // zeta <- zeta - 1; -zeta - 2 = ~zeta - 1 after a swap, one more for a polynomial.
  always_comb begin
    zeta_d = zeta_q;
    if (state_i == StSeed) zeta_d = '1;
    if (stepping) begin
      zeta_d = (zeta_q ^ {ZetaW{swap}}) - ZetaW'(!(swap & binary));
    end
    negative_d = (state_i == StSign) ? f_q[SignedW-1] : negative_q;
  end

  // ------------------------------------------------------------------ accumulator and A
  logic halve, negate_a;
  logic [D-1:0] digit;
  logic [D+2:0] quotient, q;

  ecsm_order_quotient #(
    .W(W),
    .D(D),
    .NumModulus(NumModulus),
    .Modulus(Modulus),
    .Binary(Binary)
  ) u_quotient (
    .acc_i(acc_q),
    .modulus_i(modulus_i),
    .q_o(quotient)
  );

  always_comb begin
    halve = stepping || state_i == StSigned;
    negate_a = 1'b0;
    digit = '0;
    q = quotient;
    unique case (state_i)
      StDigit: digit = digit_i;
      StStep: begin
        digit[D-1] = odd;
        negate_a = swap & ~binary;
        // To halve e +- d: 1 or -1 if it is odd.
        q = '0;
        q[0] = acc_q[D+1] ^ (odd & a_q[1]);
        if (acc_q[AccW-1]) q = {(D + 3) {q[0]}};
      end
      StSigned: begin
        digit[D-1] = 1'b1;
        negate_a = negative_q & ~binary;
        q = '0;
      end
      default: ;
    endcase
  end

  ecsm_order_sum #(
    .W(W),
    .D(D),
    .NumModulus(NumModulus),
    .Modulus(Modulus),
    .Binary(Binary),
    .Segment(Segment)
  ) u_sum (
    .acc_i(acc_q),
    .a_i(a_q),
    .modulus_i(modulus_i),
    .binary_i(binary),
    .halve_i(halve),
    .negate_i(negate_a),
    .digit_i(digit),
    .q_i(q),
    .sum_o(acc_sum)
  );

  always_comb begin
    acc_d = acc_q;
    a_d   = a_q;
    unique case (state_i)
      StTake: acc_d = AccW'(g_q[W-1:0]);
      StFold, StStep, StSigned: acc_d = acc_sum;
      StDigit: if (move_i) acc_d = acc_sum;
      StLatch: if (op_i != OrderReduce) acc_d = '0;
      StSeed: acc_d = AccW'(1) << (D + 1);
      StSign: acc_d = '0;
      default: ;
    endcase
    unique case (state_i)
      StLatch: a_d = (op_i == OrderReduce) ? (W + 2)'(1) : result[W+1:0];
      StSeed:  a_d = '0;
      StStep:  if (swap) a_d = result[W+1:0];
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (state_i == StClear || state_i == StIdle) begin
      acc_q <= '0;
      a_q <= '0;
      f_q <= '0;
      g_q <= '0;
      zeta_q <= '0;
      negative_q <= 1'b0;
    end else begin
      acc_q <= acc_d;
      a_q <= a_d;
      f_q <= f_d;
      g_q <= g_d;
      zeta_q <= zeta_d;
      negative_q <= negative_d;
    end
  end

endmodule

`default_nettype wire
