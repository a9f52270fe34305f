// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of aG + bP: digits of a for a comb of the multiples of G (ecsm_scalar_comb),
// and digits of b for the multiples of P (ecsm_scalar_window, or ecsm_scalar_glv with the
// endomorphism). It returns one digit for each next_i.
//
//   scalar_i, high half = a --> [ecsm_scalar_comb] -----------+
//                                                             +- turn_q -> number_o, index_o,
//   scalar_i, low half = b --> [ecsm_scalar_window or _glv] --+            negative_o, fixed_o
//
// Order: the digits of the comb's highest column, from the highest group to the lowest; then the
// highest digit of b, or with the endomorphism that of each half; then the same for the next
// column, and so on.
//
//   fixed_o      the digit is one of a; number_o is its entry, {group, index} of the comb
//   index_o      the entry of the digit, if it is one of b
//   negative_o   the digit is negative; the digits of b are those of b, not of -b
//
// Latency: that of the slower of the two units. With load_i in cycle t, all outputs are valid from
// cycle t + latency, and next_i may come from then on, not before. It takes effect at the end of
// its cycle. After the lowest digits the outputs have no meaning. load_i in any cycle starts again.
//
// clear_i sets every register to zero and wins over everything; fixed_o is then high, because the
// first digit is one of a. There is no reset: the engine clears after its own reset.
//
// scalar_i: a above b, W bits each, any value, read only in the cycle of load_i. NumDigit: columns,
// and digits of b or of each half. N: n, an odd prime of W bits. HalfD .. HalfOdd: see
// ecsm_scalar_glv. Everything but the timing is secret.

`default_nettype none

module ecsm_scalar_double #(
  parameter int unsigned W = 8,
  parameter int unsigned Window = 3,
  parameter bit [W-1:0] N = '1,
  parameter int unsigned Chunk = 16,
  parameter int unsigned NumDigit = 3,
  parameter int unsigned Groups = 1,
  parameter int unsigned Teeth = 3,
  parameter bit Endomorphism = 1'b0,
  parameter int unsigned HalfD = 18,
  parameter int unsigned HalfC = 8,
  parameter int unsigned HalfPoint = 15,
  parameter bit [5:0][HalfC-1:0][HalfD-1:0] HalfRows = '0,
  parameter bit [1:0][1:0] HalfOdd = '0,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 0,
  localparam int unsigned NumberW = GroupW + Teeth - 1
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               load_i,
  input  logic               next_i,
  input  logic [    2*W-1:0] scalar_i,
  output logic               fixed_o,
  output logic [NumberW-1:0] number_o,
  output logic [ Window-2:0] index_o,
  output logic               negative_o
);

  // Digits of a turn: those of the groups of the comb, then those of b.
  localparam int unsigned NumTurn = Groups + (Endomorphism ? 2 : 1);
  localparam int unsigned TurnW = $clog2(NumTurn);

  logic [TurnW-1:0] turn_q;
  logic next_column, next_digit;
  assign fixed_o = turn_q < TurnW'(Groups);
  assign next_column = next_i & (turn_q == TurnW'(Groups - 1));
  assign next_digit = next_i & ~fixed_o;

  always_ff @(posedge clk_i) begin
    if (clear_i | load_i) turn_q <= '0;
    else if (next_i) turn_q <= (turn_q == TurnW'(NumTurn - 1)) ? '0 : turn_q + TurnW'(1);
  end

  logic [Groups-1:0][Teeth-2:0] index;
  logic [Groups-1:0] minus;
  ecsm_scalar_comb #(
    .W(W),
    .N(N),
    .Columns(NumDigit),
    .Groups(Groups),
    .Teeth(Teeth),
    .Chunk(Chunk)
  ) u_a (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .load_i(load_i),
    .next_i(next_column),
    .scalar_i(scalar_i[2*W-1:W]),
    .index_o(index),
    .negative_o(minus)
  );

  logic negative, negate, unused_zero;
  if (Endomorphism) begin : gen_halves
    ecsm_scalar_glv #(
      .W(W),
      .Window(Window),
      .N(N),
      .NumDigit(NumDigit),
      .D(HalfD),
      .C(HalfC),
      .Point(HalfPoint),
      .Rows(HalfRows),
      .Odd(HalfOdd)
    ) u_b (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .load_i(load_i),
      .next_i(next_digit),
      .scalar_i(scalar_i[W-1:0]),
      .index_o(index_o),
      .negative_o(negative),
      .zero_o(unused_zero),
      .negate_o(negate)
    );
  end else begin : gen_window
    ecsm_scalar_window #(
      .W(W),
      .Window(Window),
      .N(N),
      .Chunk(Chunk)
    ) u_b (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .load_i(load_i),
      .next_i(next_digit),
      .scalar_i(scalar_i[W-1:0]),
      .index_o(index_o),
      .negative_o(negative),
      .zero_o(unused_zero),
      .negate_o(negate)
    );
  end

  // The groups, from the highest to the lowest.
  if (Groups > 1) begin : gen_groups
    logic [GroupW-1:0] group;
    assign group = GroupW'(Groups - 1) - GroupW'(turn_q);
    assign number_o = {group, index[group]};
    assign negative_o = fixed_o ? minus[group] : negative ^ negate;
  end else begin : gen_group
    assign number_o = index[0];
    assign negative_o = fixed_o ? minus[0] : negative ^ negate;
  end

endmodule

`default_nettype wire
