// SPDX-License-Identifier: Apache-2.0
//
// Digit-serial multiplier over GF(2^M): p = a * b mod f, the most significant digit of b first.
//
//   acc <- (acc z^Digit + a * digit) mod f,   D = ceil(M / Digit) times from acc = 0
//
//   b_i -> [b_q, shifts by Digit] - digit -> [gf2m_poly_mul] -> [+] -> [gf2m_reduce] -+-> p_o
//   a_i -> [a_q] -----------------------------^                  ^                    |
//                                                                +- z^Digit [acc_q] <-+
//
// Latency L = D + 1, interval D (gf2m_pkg). The operands are loaded at the end of the start cycle
// t. Cycles t + 1 .. t + D process one digit each. p_o is the next value of the accumulator: the
// product in cycle t + D, which may be the start cycle of the next product. A start before that
// abandons the current product. When the last digit is done and no new product starts, every
// register returns to zero, so nothing of the operands remains. clear_i sets every register to zero
// and wins.
//
// a_i, b_i, p_o: M bits, below z^M. Digit: 1..M, need not divide M.
// Source: Hankerson, Menezes, Vanstone, Guide to Elliptic Curve Cryptography, section 5.2.2 (most
// significant digit first multiplication).
`default_nettype none

module gf2m_mul_serial #(
  parameter int unsigned M     = 163,
  parameter bit [M:0]    Poly  = {1'b1, {(M - 8) {1'b0}}, 8'hC9},
  parameter int unsigned Digit = 16
) (
  input  logic         clk_i,
  input  logic         start_i,
  input  logic         clear_i,
  input  logic [M-1:0] a_i,
  input  logic [M-1:0] b_i,
  output logic [M-1:0] p_o
);

  localparam int unsigned NumDigits = (M + Digit - 1) / Digit;
  localparam int unsigned BWidth = NumDigits * Digit;
  // Digits that are left: values 0 .. NumDigits.
  localparam int unsigned CountWidth = $clog2(NumDigits + 1);

  logic [M-1:0] a_d, a_q;
  logic [BWidth-1:0] b_d, b_q;
  logic [M-1:0] acc_d, acc_q;
  logic [CountWidth-1:0] count_d, count_q;

  logic [M+Digit-2:0] product;
  logic [M+Digit-1:0] sum;

  gf2m_poly_mul #(
    .AWidth(M),
    .BWidth(Digit)
  ) u_poly_mul (
    .a_i(a_q),
    .b_i(b_q[BWidth-1-:Digit]),
    .p_o(product)
  );

  assign sum = {acc_q, {Digit{1'b0}}} ^ {1'b0, product};

  gf2m_reduce #(
    .M(M),
    .Poly(Poly),
    .InWidth(M + Digit)
  ) u_reduce (
    .c_i(sum),
    .p_o(p_o)
  );

  always_comb begin
    a_d = a_q;
    b_d = b_q << Digit;
    acc_d = p_o;
    count_d = count_q - CountWidth'(1);
    if (count_q == '0 || count_q == CountWidth'(1)) begin
      a_d = '0;
      b_d = '0;
      acc_d = '0;
      count_d = '0;
    end
    if (start_i) begin
      a_d = a_i;
      b_d = BWidth'(b_i);
      acc_d = '0;
      count_d = CountWidth'(NumDigits);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      a_q <= '0;
      b_q <= '0;
      acc_q <= '0;
      count_q <= '0;
    end else begin
      a_q <= a_d;
      b_q <= b_d;
      acc_q <= acc_d;
      count_q <= count_d;
    end
  end

endmodule

`default_nettype wire
