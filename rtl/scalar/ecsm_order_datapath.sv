// SPDX-License-Identifier: Apache-2.0
//
// Registers and arithmetic of ecsm_order; ecsm_order_control.sv selects what they do in each cycle.
//
//   word_i --> [G] --> word_o            m, G --> [F]
//              | ^                                 |
//              | +--- G +- F, halved in a step <---+     digit_i
//              | +--- Pull: r <----------+                   v
//              +----- Take: G --> [acc] -+-> [A] --> [ecsm_order_sum] --> acc
//                                        +-> [ecsm_order_quotient] -- q --^
//
//   G, F   a number on its way in and out; f and g of the division steps
//   acc    the accumulator: products and the coefficient e; r = floor(acc / 2^D) is read from it
//   A      a factor; twice the coefficient d
//
// Fold: acc <- 2^D (acc - q m) + digit A, with q about acc / m (ecsm_order_quotient.sv). So acc is
// below (2^D + 2^D - 1) 19/16 m and above -3/16 times that. After a fold with digit 0, r is acc
// before, modulo m, and -3/16 m < r < 19/16 m. At first acc may be any number of W bits.
//
// Canon: twice adds -m or +m, against the sign; then adds m if negative. This moves [-2m, 3m) to
// [-m, 2m), to [-m, m), to [0, m). Sums and differences of two r, and +-d, are in [-2m, 3m).
//
// Division step, with g odd or not, and delta > 0 if zeta < 0:
//
//   delta > 0, g odd:  (f, g) <- (g, (g - f) / 2),            (d, e) <- (e, (e - d) / 2)
//   else:              (f, g) <- (f, (g + (g mod 2) f) / 2),  (d, e) <- (d, (e + (g mod 2) d) / 2)
//
// from (m, a) and (0, 1), d and e modulo m. To halve an odd sum x, m is added if e < 0, else
// subtracted. |d|, |e| <= m stays true: |x| is at most 2m, and above m only if e and +-d have the
// same sign, and then m is subtracted from that sign. acc is 2^(D+1) e, because fractions have D
// bits and a sum is halved at its next use. zeta is -(delta + 1/2) for an integer, where delta
// starts at 1/2. It is -delta for a polynomial, where delta starts at 1 and 2 stands for z. In the
// end f = +-1 and +-d = 1/a, or a = d = 0.
//
// in_i: one bit for every state. modulus_i, op_i: stable from the request to the end. second_i: the
// second time, in a state that an operation has twice. count_zero_i: the last cycle of a state. All
// registers are zero in StClear and StIdle.
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
  input order_in_t in_i,
  input logic halve_i,  // in StStep and StSigned
  input order_op_e op_i,
  input logic [SelW-1:0] modulus_i,
  input logic second_i,
  input logic count_zero_i,
  input logic move_i,  // in StLoad, StDigit: a word, a digit is valid
  input logic [Word-1:0] word_i,  // shifted into G
  input logic [D-1:0] digit_i,  // 0 in all states but StLatch, StDigit
  output logic [Word-1:0] word_o,  // the highest word of G
  output logic below_o  // in StCompare: G < m, or G a residue of the polynomial
);

  localparam int unsigned NumWord = (W + Word - 1) / Word;
  localparam int unsigned AllW = NumWord * Word;
  localparam int unsigned AccW = W + D + 3;
  localparam int unsigned SignedW = W + 3;
  localparam int unsigned GW = (AllW > SignedW) ? AllW : SignedW;
  // |zeta| grows by one a step, for the number of steps of the longest modulus.
  localparam int unsigned ZetaW = $clog2((W < 4) ? 16 : 3 * W) + 1;

  typedef logic [SignedW-1:0] signed_t;

  logic [AccW-1:0] acc_d, acc_q, acc_sum;
  logic [W+1:0] a_q;
  signed_t f_d, f_q;
  logic [GW-1:0] g_d, g_q;
  logic signed [ZetaW-1:0] zeta_d, zeta_q;
  logic negative_q;

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
  logic odd, swap, join_f, negate_f;
  logic unused_half_carry;

  assign g = g_q[SignedW-1:0];
  assign result = acc_q[AccW-1:D];
  assign odd = g_q[0];
  assign swap = odd & zeta_q[ZetaW-1];

  always_comb begin
    join_f   = in_i[StJoin] | in_i[StCompare] | (in_i[StStep] & odd);
    negate_f = (in_i[StJoin] & (op_i == OrderSub)) | in_i[StCompare] | (in_i[StStep] & swap);
    if (in_i[StCanon]) begin
      join_f   = ~binary & (~count_zero_i | g[SignedW-1]);
      negate_f = ~count_zero_i & ~g[SignedW-1];
    end
    if (binary) negate_f = 1'b0;
  end

  // A half adder, so that over a polynomial field, and for OrderXor, the chain has no carries.
  assign masked = (f_q & {SignedW{join_f}}) ^ {SignedW{negate_f}};
  assign half_sum = g ^ masked;
  assign half_carry = g & masked & {SignedW{~binary & (op_i != OrderXor)}};
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

  // The next values of G and F, where these change.
  logic [AllW-1:0] g_shifted;
  logic g_shifts, g_sums, g_moves, f_takes_m, f_takes_g;
  assign g_shifts = (in_i[StLoad] & move_i) | in_i[StStore];
  assign g_sums = in_i[StJoin] | in_i[StCanon] | in_i[StCompare];
  assign g_moves = g_shifts | g_sums | in_i[StPull] | in_i[StStep];
  assign f_takes_m =
      ((in_i[StLoad] | in_i[StTake]) & ~second_i) | in_i[StJoin] | in_i[StSign];
  assign f_takes_g = in_i[StKeep] | (in_i[StStep] & swap);

  always_comb begin
    g_shifted = g_q[AllW-1:0] << Word;
    g_shifted = g_shifted | AllW'(word_i);
    g_d = GW'(g_shifted) & {GW{g_shifts}};
    g_d = g_d | (GW'(result) & {GW{in_i[StPull]}});
    g_d = g_d | (GW'(g_sum) & {GW{g_sums}});
    g_d = g_d | (GW'({g_sum[SignedW-1], g_sum[SignedW-1:1]}) & {GW{in_i[StStep]}});
    f_d = (m & {SignedW{f_takes_m}}) | (g & {SignedW{f_takes_g}});
  end

  // zeta <- zeta - 1; after a swap -zeta - 2 = ~zeta - 1, and one more for a polynomial.
  always_comb begin
    zeta_d = zeta_q;
    if (in_i[StSeed]) zeta_d = '1;
    if (in_i[StStep]) zeta_d = (zeta_q ^ {ZetaW{swap}}) - ZetaW'(!(swap & binary));
  end

  // ------------------------------------------------------------------ accumulator and A
  logic negate_a, x_odd;
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
    negate_a = ((in_i[StStep] & swap) | (in_i[StSigned] & negative_q)) & ~binary;
    digit = digit_i;
    digit[D-1] = digit_i[D-1] | (in_i[StStep] & odd) | in_i[StSigned];
    // To halve an odd e +- d, q is 1 or -1.
    x_odd = in_i[StStep] & (acc_q[D+1] ^ (odd & a_q[1]));
    q = quotient & {(D + 3) {~halve_i}};
    q = q | {{(D + 2) {x_odd & acc_q[AccW-1]}}, x_odd};
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
    .halve_i(halve_i),
    .negate_i(negate_a),
    .digit_i(digit),
    .q_i(q),
    .sum_o(acc_sum)
  );

  logic unused_in;
  assign unused_in = ^in_i;  // StDrain is not used here

  logic idle, acc_zero, acc_moves, a_zero;
  assign idle = in_i[StClear] | in_i[StIdle];
  assign acc_zero = idle | in_i[StSeed] | in_i[StSign] | (in_i[StLatch] & (op_i != OrderReduce));
  assign acc_moves = in_i[StTake] | in_i[StFold] | in_i[StStep] | in_i[StSigned]
                   | (in_i[StDigit] & move_i);
  assign acc_d = in_i[StTake] ? AccW'(g_q[W-1:0]) : acc_sum;
  assign a_zero = idle | in_i[StSeed] | (in_i[StLatch] & (op_i == OrderReduce));

  always_ff @(posedge clk_i) begin
    if (acc_zero) begin
      acc_q <= '0;
      acc_q[D+1] <= in_i[StSeed];
    end else if (acc_moves) begin
      acc_q <= acc_d;
    end
    if (a_zero) begin
      a_q <= '0;
      a_q[0] <= in_i[StLatch];
    end else if (in_i[StLatch] | (in_i[StStep] & swap)) begin
      a_q <= result[W+1:0];
    end
    if (idle) begin
      f_q <= '0;
      g_q <= '0;
      zeta_q <= '0;
      negative_q <= 1'b0;
    end else begin
      if (f_takes_m | f_takes_g) f_q <= f_d;
      if (g_moves) g_q <= g_d;
      zeta_q <= zeta_d;
      if (in_i[StSign]) negative_q <= f_q[SignedW-1];
    end
  end

endmodule

`default_nettype wire
