// SPDX-License-Identifier: Apache-2.0
//
// Estimates acc / m from the highest bits of acc. Latency 0: combinational.
//
// For an integer m of L bits (2^(L-1) < m < 2^L), with s = FineW and t = floor(acc / 2^(L-s)),
//
//   q = floor((2t + 1) R / 2^(D+s+6)),    R = 2^(D+5) 2^L / m, rounded,
//
// is the quotient of the middle of all acc with this t. Then -3/16 m < acc - q m < 19/16 m for
// every acc in [-2^(L+D+2), 2^(L+D+2)), signed. ecsm/curves/order.py computes the bounds of a
// modulus. If m is close to a power of 2, as the orders in the standards are, R is a power of 2 and
// q is only wires.
//
// For a polynomial of degree L and acc of degree below L + D, q is the highest D bits of acc. That
// is the exact quotient, because no exponent of m but L is above L - D. acc - q m has a degree
// below L.
//
// acc_i: W + D + 3 bits, signed for an integer. q_o: D + 3 bits, signed for an integer. modulus_i:
// below NumModulus.
// Source: P. Barrett, CRYPTO '86, on the highest bits only: J.-F. Dhem, Design of an efficient
// public-key cryptographic library (1998).
`default_nettype none

module ecsm_order_quotient
  import ecsm_order_pkg::*;
#(
  parameter int unsigned                   W          = 256,
  parameter int unsigned                   D          = 4,
  parameter int unsigned                   NumModulus = 1,
  parameter bit [NumModulus-1:0][W:0]      Modulus    = '0,
  parameter bit [NumModulus-1:0]           Binary     = '0,
  localparam int unsigned                  SelW       = (NumModulus > 1) ? $clog2(NumModulus) : 1
) (
  input logic [W+D+2:0] acc_i,
  input logic [SelW-1:0] modulus_i,
  output logic [D+2:0] q_o
);

  localparam int unsigned TopW = D + FineW + 3;
  localparam int unsigned PointW = D + FineW + 6;
  // R < 2^(D+6) + 1, and a sign.
  localparam int unsigned ProductW = TopW + 1 + D + 8;

  logic [D+2:0] q[NumModulus];
  logic [NumModulus-1:0] unused_acc;

  for (genvar i = 0; i < NumModulus; i++) begin : gen_modulus
    localparam int unsigned Length = length(584'(Modulus[i]), Binary[i]);
    if (Binary[i]) begin : gen_binary
      assign q[i] = {3'b000, acc_i[Length+:D]};
      assign unused_acc[i] = ^acc_i;
    end else begin : gen_integer
      localparam bit [D+7:0] R = (D + 8)'(reciprocal(584'(Modulus[i]), D));
      logic signed [TopW:0] top;
      logic signed [ProductW-1:0] product;
      assign top = {acc_i[Length+D+2-:TopW], 1'b1};
      assign product = ProductW'(top) * ProductW'(signed'(R));
      assign q[i] = product[PointW+:D+3];
      assign unused_acc[i] = ^{acc_i, product};
    end
  end

  if (NumModulus > 1) begin : gen_choice
    assign q_o = q[modulus_i];
  end else begin : gen_only
    logic unused_modulus;
    assign unused_modulus = ^modulus_i;
    assign q_o = q[0];
  end

endmodule

`default_nettype wire
