// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of kP by the endomorphism phi, phi(P) = lam P: divides k into two halves,
// recodes each into L signed odd digits, and returns them from the highest to the lowest, one for
// each next_i. The digits of the halves alternate; the first half has the first. With Upward they
// come from the lowest to the highest, and then digits with the indices 2^(Window-1) - 1 .. 0, none
// negative.
//
//   c1 = floor(k g1 / 2^(Point D)), or 1 more, of the required parity; c2 from g2 likewise
//   k1 = k - c1 a1 - c2 a2,  k2 = -c1 b1 - c2 b2,  both odd
//   k1 = sum of d_i 2^(Window i), i = 0 .. L-1, d_i odd, |d_i| < 2^Window; k2 likewise
//   kP = k1 P + k2 phi(P), for P of order n
//
//   scalar_i -> [scalar_q: k] ---------+-- word --> [x Rows[row], C words] --> [product_q]
//               [quotient_q: c1, c2] --+                                           v
//                      ^                     [half_q: k1, k2] <-- low word - [column_q], shifts
//                      |                        |                                  v at the end
//                      |                        +--> top window --> index_o    [rest_q], shifts
//                      |                        |    (Upward: lowest)
//                      +------------- words of k g1, k g2 from Point on -----------+
//
// g1 and g2 are b2/n and -b1/n times 2^(Point D), rounded: multiplications replace the divisions of
// the source. |k1| <= 9/8 (a1 + a2) and |k2| <= 9/8 (b2 - b1) for every k of W bits
// (ecsm/curves/gfp/endomorphism.py). A bit j of (k1 + 2^(Window L)) / 2 stands for 2^j if it is 1,
// and for -2^j if it is 0. So a digit is Window of these bits. It is negative if the highest is 0,
// and |d_i| = 2 index + 1, where index is the other bits, complemented if the digit is negative.
//
// Structure: C multipliers of D x D bits in parallel. A product uses one word of a factor a cycle,
// the lowest first, times C constant words of the other, Rows[]. Each column keeps its own carries,
// and the lowest one returns a word of the result. At the end of a product the columns move to a
// second row, which returns their words during the next product. There are six products in eight
// phases of C cycles:
//
//   0, 1   k (2C words) times g1        4   c1 times -a1, added to k    5   c1 times -b1
//   2, 3   k times g2                   6   c2 times -a2, added to 4's  7   c2 times -b2, to 5's
//
// Phases 4 to 7 have C words of result each; their second rows are not used.
//
// Latency 8 C + 2 for every k: with load_i in cycle t, all outputs are valid from cycle t + 8 C +
// 2, and have no meaning before. next_i takes effect at the end of its cycle, so a digit may be
// used every cycle. It is ignored during the preparation. After the lowest digits the digit outputs
// have no meaning; zero_o stays. load_i in any cycle starts again; next_i in the same cycle is
// ignored. clear_i sets every register to zero, and all outputs with them, and wins over
// everything. There is no reset: the engine clears after its own reset.
//
// scalar_i: k, any value of W bits, read only in the cycle of load_i. N: n, an odd prime, 2^(W-1) <
// n < 2^W. Rows: {-b2, -a2, -b1, -a1, g2, g1}, -a1 ... modulo 2^(C D). Odd: whether c1 is odd for
// an even k, for an odd k; c2 likewise. index_o, negative_o: the digit, as above. zero_o: k = 0 mod
// n. negate_o is 0: the digits are never those of -k. C, Window: 2 and more. Point: C .. 2 C - 1.
// W: at most 2 C D. Window L: below C D. Everything but the timing is secret.
//
// Source: Hankerson, Menezes, Vanstone, "Guide to Elliptic Curve Cryptography", algorithm 3.74;
// serial-parallel multiplication with kept carries: Dadda, "On serial-input multipliers", 1985.

`default_nettype none

module ecsm_scalar_glv #(
  parameter int unsigned W = 8,
  parameter int unsigned Window = 2,
  parameter bit [W-1:0] N = '1,
  parameter int unsigned NumDigit = 3,  // L
  parameter int unsigned D = 4,
  parameter int unsigned C = 2,
  parameter int unsigned Point = 3,  // C .. 2C - 1
  parameter bit [5:0][C-1:0][D-1:0] Rows = '0,
  parameter bit [1:0][1:0] Odd = '0,  // [c2, c1][k is odd]
  parameter bit InDsp = 1'b1,  // the multipliers: in DSP blocks, or sums of rows
  parameter bit Upward = 1'b0
) (
  input  logic              clk_i,
  input  logic              clear_i,
  input  logic              load_i,
  input  logic              next_i,
  input  logic [     W-1:0] scalar_i,
  output logic [Window-2:0] index_o,
  output logic              negative_o,
  output logic              zero_o,
  output logic              negate_o
);

  localparam int unsigned Top = Window * NumDigit;  // the highest bit of a half that is used
  localparam int unsigned Digit = Upward ? Window : Top;  // the highest bit of the current digit
  localparam int unsigned HalfW = C * D;
  localparam int unsigned StepW = $clog2(C);
  // A column adds C products, an addend of a word and a bit, and the carries into it.
  localparam int unsigned SumW = 2 * D + $clog2(C) + 1;

  typedef logic [D-1:0] word_t;
  typedef logic [SumW-1:0] sum_t;
  typedef struct packed {
    logic             run;
    logic [2:0]       phase;
    logic [StepW-1:0] step;
  } place_t;

  // n, and 2^Top, which makes the halves positive, in words.
  localparam bit [1:0][C-1:0][D-1:0] Order = (2 * HalfW)'(N);
  localparam bit [C-1:0][D-1:0] Bias = HalfW'(1) << Top;
  localparam int unsigned ParityStep = Point - C;  // the step with the lowest word of c1, c2
  localparam bit [C-1:0] Late = (C)'((1 << ParityStep) - 1);  // steps of the next phase with a word

  // The phase and step of the product in this cycle, and of the one before, which is now added.
  place_t mul_d, mul_q, add_q;
  logic [2*C-1:0][D-1:0] scalar_d, scalar_q;  // rotates right
  logic [1:0][C-1:0][D-1:0] quotient_d, quotient_q;  // c1 and c2: rotate right
  logic [1:0][C-1:0][D-1:0] half_d, half_q;  // k1 and k2
  logic [C-1:0][2*D-1:0] product, product_d, product_q;
  sum_t [C-1:0] column_d, column_q, rest_d, rest_q;
  logic odd_d, odd_q;  // k is odd
  logic nought_d, nought_q, equal_d, equal_q;  // the words so far are those of 0; of n
  logic loaded_q;
  logic [Window-2:0] behind_d, behind_q;  // Upward: the index that comes in at the top

  // ------------------------------------------------------------------ multiply
  word_t digit;
  logic mul_last;
  logic [2:0] row;
  always_comb begin
    mul_last = mul_q.step == StepW'(C - 1);
    mul_d = mul_q;
    if (mul_q.run) begin
      mul_d.step = mul_last ? '0 : mul_q.step + StepW'(1);
      if (mul_last) mul_d.phase = mul_q.phase + 3'd1;
      if (mul_last && mul_q.phase == 3'd7) mul_d = '0;
    end
    if (load_i) mul_d = '{run: 1'b1, default: '0};

    digit = scalar_q[0];
    row = {2'b0, mul_q.phase[1]};
    if (mul_q.phase[2]) begin
      digit = quotient_q[mul_q.phase[1]][0];
      row = 3'd2 + {1'b0, mul_q.phase[1:0]};
    end
  end

  for (genvar i = 0; i < C; i++) begin : gen_mul
    if (InDsp) begin : gen_dsp
      assign product[i] = digit * Rows[row][i];
    end else begin : gen_lut
      always_comb begin
        product[i] = '0;
        for (int unsigned b = 0; b < D; b++) begin
          product[i] = product[i] + ((2 * D)'(digit & {D{Rows[row][i][b]}}) << b);
        end
      end
    end
  end
  assign product_d = mul_q.run ? product : '0;

  // ------------------------------------------------------------------ add up
  logic add_last, ends, even, bump;
  word_t out, rest_out, bias, parity;
  logic [D:0] addend;
  sum_t lowest;
  always_comb begin
    add_last = add_q.step == StepW'(C - 1);
    ends = add_last & (add_q.phase[2] | add_q.phase[0]);  // of a product
    even = ~Odd[add_q.phase[1]][odd_q];
    bump = ~add_q.phase[2] & add_q.phase[0] & (add_q.step == StepW'(ParityStep));
    bias = Bias[add_q.step];

    addend = '0;
    unique case (add_q.phase)
      3'd4: addend = {1'b0, scalar_q[0]} + {1'b0, bias};
      3'd5: addend = {1'b0, bias};
      3'd6: addend = {1'b0, half_q[0][0]};
      3'd7: addend = {1'b0, half_q[1][0]};
      default: addend = (D + 1)'(bump & even);  // to the next number of the required parity
    endcase

    lowest = column_q[0] + SumW'(product_q[0]) + SumW'(addend);
    out = lowest[D-1:0];
    for (int unsigned i = 0; i < C; i++) begin
      column_d[i] = (i + 1 < C) ? column_q[(i+1)%C] + SumW'(product_q[(i+1)%C]) : '0;
      rest_d[i] = (i + 1 < C) ? rest_q[(i+1)%C] : '0;
    end
    column_d[0] = column_d[0] + (lowest >> D);
    rest_d[0] = rest_d[0] + (rest_q[0] >> D);
    rest_out = rest_q[0][D-1:0];
    if (ends) begin
      rest_d = column_d;
      column_d = '0;
    end
    parity = {out[D-1:1], bump ? ~even : out[0]};
  end

  // ------------------------------------------------------------------ words and digits
  always_comb begin
    scalar_d = scalar_q;
    quotient_d = quotient_q;
    half_d = half_q;
    odd_d = odd_q;
    nought_d = nought_q;
    equal_d = equal_q;
    behind_d = behind_q;

    if ((mul_q.run & ~mul_q.phase[2]) | (add_q.run & (add_q.phase == 3'd4))) begin
      scalar_d = {scalar_q[0], scalar_q[2*C-1:1]};
    end
    if (mul_q.run && mul_q.phase[2:1] == 2'd0) begin  // one full rotation
      nought_d = nought_q & (scalar_q[0] == '0);
      equal_d = equal_q & (scalar_q[0] == Order[mul_q.phase[0]][mul_q.step]);
    end

    for (int unsigned i = 0; i < 2; i++) begin
      if (mul_q.run && mul_q.phase[2] && mul_q.phase[1] == 1'(i)) begin
        quotient_d[i] = {quotient_q[i][0], quotient_q[i][C-1:1]};
      end
      if (add_q.run && add_q.phase == 3'(1 + 2 * i)) begin
        quotient_d[i] = {parity, quotient_q[i][C-1:1]};
      end
      if (add_q.run && add_q.phase == 3'(2 + 2 * i) && Late[add_q.step]) begin
        quotient_d[i] = {rest_out, quotient_q[i][C-1:1]};
      end
    end

    if (add_q.run & add_q.phase[2]) begin
      half_d[add_q.phase[0]] = {out, half_q[add_q.phase[0]][C-1:1]};
    end else if (next_i & ~add_q.run & ~mul_q.run) begin
      half_d = {half_q[0] << Window, half_q[1]};
      if (Upward) begin
        half_d[1] = half_q[0] >> Window | HalfW'({1'b1, behind_q}) << (Top + 1 - Window);
        behind_d = behind_q - (Window - 1)'(1);
      end
    end

    if (load_i) begin
      scalar_d = (2 * HalfW)'(scalar_i);
      odd_d = scalar_i[0];
      nought_d = 1'b1;
      equal_d = 1'b1;
      behind_d = '1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      mul_q <= '0;
      add_q <= '0;
      scalar_q <= '0;
      quotient_q <= '0;
      half_q <= '0;
      product_q <= '0;
      column_q <= '0;
      rest_q <= '0;
      odd_q <= 1'b0;
      nought_q <= 1'b0;
      equal_q <= 1'b0;
      loaded_q <= 1'b0;
      behind_q <= '0;
    end else begin
      mul_q <= mul_d;
      add_q <= load_i ? '0 : mul_q;
      scalar_q <= scalar_d;
      quotient_q <= quotient_d;
      half_q <= half_d;
      product_q <= load_i ? '0 : product_d;
      column_q <= load_i ? '0 : column_d;
      rest_q <= rest_d;
      odd_q <= odd_d;
      nought_q <= nought_d;
      equal_q <= equal_d;
      loaded_q <= loaded_q | load_i;
      behind_q <= behind_d;
    end
  end

  logic [HalfW-1:0] half;
  logic [Window-1:0] window;
  logic unused_half;  // the other bits of half
  assign half = half_q[0];
  assign window = half[Digit-:Window];
  assign unused_half = ^half;
  assign negative_o = loaded_q & ~window[Window-1];
  assign index_o = window[Window-2:0] ^ {(Window - 1) {negative_o}};
  assign zero_o = nought_q | equal_q;
  assign negate_o = 1'b0;

  if (C < 2 || Window < 2 || !N[W-1] || !N[0] || W > 2 * HalfW || Top >= HalfW || Point < C ||
      Point >= 2 * C) begin : gen_bad
    $error("ecsm_scalar_glv: N odd with W bits, C at least 2, its words for k and the halves");
  end

endmodule

`default_nettype wire
