// SPDX-License-Identifier: Apache-2.0
//
// Reduction of a binary polynomial: p = c mod f, f = z^M + sum z^e over the lower terms of Poly.
//
// The part H = c div z^M is folded back with z^M = sum z^e. A fold would itself make terms above
// z^M. These are added to H first, as H / z^(M - e), until no such term is left. Then H is the
// quotient c div f, and p = (c mod z^M) + sum (H z^e) mod z^M. The number of folds is ceil((InWidth
// - M) / (M - e_max)) - 1: one for every SEC 2 polynomial, two for z^239 + z^158 + 1. For a sparse
// f this is the least number of XORs, and in simulation it is whole-word shifts.
//
// Latency 0: combinational. c_i: InWidth bits, M < InWidth <= 2 M; p_o: M bits.
// Source: Hankerson, Menezes, Vanstone, Guide to Elliptic Curve Cryptography, section 2.3.5.
`default_nettype none

module gf2m_reduce #(
  parameter int unsigned M       = 163,
  parameter bit [M:0]    Poly    = {1'b1, {(M - 8) {1'b0}}, 8'hC9},
  parameter int unsigned InWidth = 2 * M - 1
) (
  input  logic [InWidth-1:0] c_i,
  output logic [      M-1:0] p_o
);

  localparam int unsigned HighWidth = InWidth - M;
  localparam int unsigned NumTaps = $countones(Poly[M-1:0]);
  typedef bit [NumTaps-1:0][31:0] taps_t;

  // The exponents of the lower terms of f, in ascending order.
  function automatic taps_t exponents();
    int unsigned n;
    exponents = '0;
    n = 0;
    for (int unsigned e = 0; e < M; e++) begin
      if (Poly[e]) begin
        exponents[n] = e;
        n++;
      end
    end
  endfunction

  localparam taps_t Taps = exponents();
  localparam int unsigned Gap = M - Taps[NumTaps-1];
  localparam int unsigned NumFolds = (HighWidth + Gap - 1) / Gap - 1;

  logic [HighWidth-1:0] fold, fold_next, quotient;

  always_comb begin
    fold = c_i[InWidth-1:M];
    quotient = fold;
    fold_next = '0;
    for (int k = 0; k < int'(NumFolds); k++) begin
      fold_next = '0;
      for (int i = 0; i < int'(NumTaps); i++) fold_next ^= fold >> (M - Taps[i]);
      fold = fold_next;
      quotient ^= fold;
    end
    p_o = c_i[M-1:0];
    for (int i = 0; i < int'(NumTaps); i++) p_o ^= M'(quotient) << Taps[i];
  end

endmodule

`default_nettype wire
