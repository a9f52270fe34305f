// SPDX-License-Identifier: Apache-2.0
//
// The next value of the accumulator. Latency 0: combinational. With q for q_i, d for digit_i and m
// the modulus:
//
//   2^D (acc - q m) + d a                     without halve_i: a fold, with D bits of a factor,
//   acc / 2 - 2^D q m +- 2^(D-1) d[D-1] a     with halve_i; minus with negate_i.
//
// Modulo a polynomial all sums are XORs, and q m is the product of polynomials. negate_i is for
// integers, and only with halve_i; acc is then even.
//
//   acc_i --------------------------+
//   a_i, digit_i --> [D rows] ------+-> [compress] -+
//   q_i --> [4 bits: a multiple of m] --------------+-> [compress] -> [ecsm_order_add] -> sum_o
//
// Structure: one row for acc, one for each bit of d, and one for every four bits of q, which select
// a constant multiple of the modulus. Full adders compress the rows to two
// (ecsm_order_compress.sv); the rows of q come last, because q is the last to be known. Then one
// carry chain, or several shorter ones, adds the two (ecsm_order_add.sv).
//
// acc_i, sum_o: W + D + 3 bits, signed; a_i: W + 2, signed; q_i: D + 3, signed for an integer.
`default_nettype none

module ecsm_order_sum #(
  parameter int unsigned              W          = 256,
  parameter int unsigned              D          = 4,
  parameter int unsigned              NumModulus = 1,
  parameter bit [NumModulus-1:0][W:0] Modulus    = '0,
  parameter bit [NumModulus-1:0]      Binary     = '0,
  parameter int unsigned              Segment    = 0,
  localparam int unsigned             SelW       = (NumModulus > 1) ? $clog2(NumModulus) : 1
) (
  input  logic [ W+D+2:0] acc_i,
  input  logic [   W+1:0] a_i,
  input  logic [SelW-1:0] modulus_i,
  input  logic            binary_i,
  input  logic            halve_i,
  input  logic            negate_i,
  input  logic [   D-1:0] digit_i,
  input  logic [   D+2:0] q_i,
  output logic [ W+D+2:0] sum_o
);

  localparam int unsigned AccW = W + D + 3;
  localparam int unsigned MultipleW = W + 3;
  localparam int unsigned QuotientW = D + 3;
  localparam int unsigned NumChunk = (QuotientW + 3) / 4;

  typedef logic [AccW-1:0] row_t;
  typedef bit [15:0][MultipleW-1:0] multiples_t;

  // - c 16^chunk m for every c. The highest bit of the quotient is worth a negative power of 2.
  function automatic multiples_t multiples(int unsigned modulus, int unsigned chunk);
    bit [MultipleW-1:0] scaled;
    for (int unsigned c = 0; c < 16; c++) begin
      multiples[c] = '0;
      for (int unsigned i = 0; i < 4; i++) begin
        scaled = MultipleW'(Modulus[modulus]) << (4 * chunk + i);
        if (c[i]) begin
          if (Binary[modulus]) multiples[c] = multiples[c] ^ scaled;
          else if (4 * chunk + i == QuotientW - 1) multiples[c] = multiples[c] + scaled;
          else multiples[c] = multiples[c] - scaled;
        end
      end
    end
  endfunction

  // The rows of acc and the digit.
  row_t row[D+1];
  assign row[0] = halve_i ? {acc_i[AccW-1], acc_i[AccW-1:1]} : {acc_i[AccW-1-D:0], {D{1'b0}}};
  for (genvar i = 0; i < D; i++) begin : gen_digit
    row_t shifted;
    assign shifted  = row_t'(signed'(a_i)) << i;
    assign row[i+1] = (shifted & {AccW{digit_i[i]}}) ^ {AccW{negate_i && i == D - 1}};
  end

  row_t digit_sum, digit_carry;
  ecsm_order_compress #(
    .Num(D + 1),
    .W(AccW)
  ) u_digit (
    .binary_i(binary_i),
    .row_i(row),
    .sum_o(digit_sum),
    .carry_o(digit_carry)
  );

  // The rows of the quotient.
  row_t all[NumChunk+2];
  assign all[0] = digit_sum;
  assign all[1] = digit_carry;
  for (genvar i = 0; i < NumChunk; i++) begin : gen_chunk
    logic [3:0] chunk;
    logic [MultipleW-1:0] multiple[NumModulus];
    assign chunk = 4'(q_i >> (4 * i));
    for (genvar j = 0; j < NumModulus; j++) begin : gen_modulus
      localparam multiples_t Multiples = multiples(j, i);
      assign multiple[j] = Multiples[chunk];
    end
    if (NumModulus > 1) begin : gen_choice
      assign all[i+2] = {multiple[modulus_i], {D{1'b0}}};
    end else begin : gen_only
      assign all[i+2] = {multiple[0], {D{1'b0}}};
    end
  end

  row_t sum, carry;
  ecsm_order_compress #(
    .Num(NumChunk + 2),
    .W(AccW)
  ) u_all (
    .binary_i(binary_i),
    .row_i(all),
    .sum_o(sum),
    .carry_o(carry)
  );

  // The carries leave the lowest bit free. It is the carry in of a negation.
  ecsm_order_add #(
    .W(AccW),
    .Segment(Segment)
  ) u_add (
    .a_i(sum),
    .b_i({carry[AccW-1:1], negate_i}),
    .sum_o(sum_o)
  );

  logic unused_carry;
  assign unused_carry = carry[0];
  if (NumModulus == 1) begin : gen_unused
    logic unused_modulus;
    assign unused_modulus = ^modulus_i;
  end

endmodule

`default_nettype wire
