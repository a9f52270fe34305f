// SPDX-License-Identifier: Apache-2.0
//
// The scalars of a GF(p) engine: recodes them and returns the digits of every thread.
//
//   load_i, slot_i     loads scalar_i for thread slot_i
//   next_i, thread_i   requests the next digit of thread thread_i
//   index_o, negative_o   for each thread: table entry and sign of its digit
//   zero_o             for each thread: its scalar is 0 modulo N
//   negate_o           for each thread: the digits are those of -k, so the result must be negated
//   base_number_o      of kG: the constant of the digit; base_negative_o: the sign of the digit of
//                      the cycle before, because the constant comes a cycle later
//   fixed_o, number_o  of two scalars: the digit selects the constant entry number_o instead
//
// Scalar chooses the unit:
//   ScalarWindow, ScalarUpward   an ecsm_scalar_window a thread
//   ScalarHalves   one ecsm_scalar_glv for one thread, or an ecsm_scalar_threads that all threads
//                  share
//   ScalarUpwardHalves   an ecsm_scalar_glv for the only thread
//   ScalarDigits   an ecsm_scalar_digits for the only thread; N is not used
//   ScalarLadder   an ecsm_scalar_shift a thread: differences of neighbouring bits of the LadderW
//                  low bits, on negative_o. The highest of these bits is read as 1, the others are
//                  masked by Kept. N is not used.
//   ScalarDouble, ScalarDoubleHalves   one ecsm_scalar_double for the only thread; W bits hold
//                  both scalars
// zero_o and negate_o are 0 except with the first four.
//
// Only an ecsm_scalar_window sets negate_o; with every other unit it is 0.
// Latency, and the cycles in which digits are valid: see those modules. An ecsm_scalar_threads
// needs clear_number_i to run through all its values while clear_i is high; the others need one
// cycle of clear_i. Then the units and their memories are zero.

`default_nettype none

module gfp_scalars
  import gfp_engine_pkg::*;
#(
  parameter int unsigned Threads = 1,
  parameter int unsigned W = 256,
  parameter bit [W-1:0] N = '0,
  parameter scalar_e Scalar = ScalarWindow,
  parameter int unsigned Window = 5,
  parameter int unsigned Chunk = 16,  // ecsm_scalar_window
  parameter int unsigned LadderW = W,  // of ScalarLadder
  parameter bit [W-1:0] Kept = '1,
  parameter int unsigned EntryW = Window - 1,  // bits of the number of an entry
  parameter int unsigned Groups = 1,  // ecsm_scalar_double, with the next one
  parameter int unsigned Teeth = 2,
  parameter int unsigned NumberW = 1,  // bits of number_o
  parameter base_t Base = '0,
  parameter int unsigned NumDigit = 2,  // ecsm_scalar_glv, with all that follow
  parameter int unsigned D = 18,
  parameter int unsigned C = 8,
  parameter int unsigned Point = 15,
  parameter bit [5:0][C-1:0][D-1:0] Rows = '0,
  parameter bit [1:0][1:0] Odd = '0,
  parameter bit InDsp = 1'b1,
  parameter int unsigned ClearW = 5,  // bits of clear_number_i
  localparam int unsigned ThreadW = (Threads > 1) ? $clog2(Threads) : 1
) (
  input  logic                                                                 clk_i,
  input  logic                                                                 clear_i,
  input  logic [                                       ClearW-1:0]             clear_number_i,
  input  logic                                                                 load_i,
  input  logic [                                      ThreadW-1:0]             slot_i,
  input  logic [                                            W-1:0]             scalar_i,
  input  logic                                                                 next_i,
  input  logic [                                      ThreadW-1:0]             thread_i,
  output logic                                                                 fixed_o,
  output logic [                                      NumberW-1:0]             number_o,
  output logic [base_w(Base.columns, Base.groups, Base.teeth)-1:0]             base_number_o,
  output logic                                                                 base_negative_o,
  output logic [                                      Threads-1:0][EntryW-1:0] index_o,
  output logic [                                      Threads-1:0]             negative_o,
  output logic [                                      Threads-1:0]             zero_o,
  output logic [                                      Threads-1:0]             negate_o
);

  if (is_double(Scalar)) begin : gen_double
    ecsm_scalar_double #(
      .W(W / 2),
      .Window(Window),
      .N((W / 2)'(N)),
      .Chunk(Chunk),
      .NumDigit(NumDigit),
      .Groups(Groups),
      .Teeth(Teeth),
      .Endomorphism(has_halves(Scalar)),
      .HalfD(D),
      .HalfC(C),
      .HalfPoint(Point),
      .HalfRows(Rows),
      .HalfOdd(Odd)
    ) u_scalar (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .load_i(load_i),
      .next_i(next_i),
      .scalar_i(scalar_i),
      .fixed_o(fixed_o),
      .number_o(number_o),
      .index_o(index_o[0]),
      .negative_o(negative_o[0])
    );
    assign zero_o = '0;
    assign negate_o = '0;

    logic unused_threads;
    assign unused_threads = ^{clear_number_i, slot_i, thread_i};
  end else if (has_halves(Scalar) && Threads > 1) begin : gen_shared
    ecsm_scalar_threads #(
      .Threads(Threads),
      .NumRow(gfp_engine_pkg::BankDepth),  // as many rows to clear as registers
      .ClearW(ClearW),
      .W(W),
      .Window(Window),
      .N(N),
      .NumDigit(NumDigit),
      .D(D),
      .C(C),
      .Point(Point),
      .Rows(Rows),
      .Odd(Odd),
      .InDsp(InDsp)
    ) u_scalar (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .clear_number_i(clear_number_i),
      .load_i(load_i),
      .slot_i(slot_i),
      .scalar_i(scalar_i),
      .next_i(next_i),
      .thread_i(thread_i),
      .index_o(index_o),
      .negative_o(negative_o),
      .zero_o(zero_o)
    );
    assign negate_o = '0;
  end else begin : gen_own
    for (genvar t = 0; t < Threads; t++) begin : gen_thread
      logic load, next;
      assign load = load_i & (slot_i == ThreadW'(t));
      assign next = next_i & (thread_i == ThreadW'(t));
      if (has_halves(Scalar)) begin : gen_halves
        ecsm_scalar_glv #(
          .W(W),
          .Window(Window),
          .N(N),
          .NumDigit(NumDigit),
          .D(D),
          .C(C),
          .Point(Point),
          .Rows(Rows),
          .Odd(Odd),
          .InDsp(InDsp),
          .Upward(is_upward(Scalar))
        ) u_scalar (
          .clk_i(clk_i),
          .clear_i(clear_i),
          .load_i(load),
          .next_i(next),
          .scalar_i(scalar_i),
          .index_o(index_o[t]),
          .negative_o(negative_o[t]),
          .zero_o(zero_o[t]),
          .negate_o(negate_o[t])
        );
      end else if (Scalar == ScalarDigits) begin : gen_digits
        ecsm_scalar_digits #(
          .W(W),
          .Window(Window)
        ) u_scalar (
          .clk_i(clk_i),
          .clear_i(clear_i),
          .load_i(load),
          .next_i(next),
          .scalar_i(scalar_i),
          .index_o(index_o[t]),
          .negative_o(negative_o[t])
        );
        assign zero_o[t] = 1'b0;
        assign negate_o[t] = 1'b0;
      end else if (Scalar == ScalarLadder) begin : gen_ladder
        logic unused_next;
        ecsm_scalar_shift #(
          .W(LadderW + 1)
        ) u_scalar (
          .clk_i(clk_i),
          .clear_i(clear_i),
          .load_i(load),
          .shift_i(next),
          .scalar_i({2'b01, (LadderW - 1)'(scalar_i & Kept)}),
          .key_o(negative_o[t]),
          .next_o(unused_next)
        );
        assign index_o[t] = '0;
        assign zero_o[t] = 1'b0;
        assign negate_o[t] = 1'b0;
      end else begin : gen_window
        ecsm_scalar_window #(
          .W(W),
          .Window(Window),
          .N(N),
          .Chunk(Chunk),
          .Upward(is_upward(Scalar))
        ) u_scalar (
          .clk_i(clk_i),
          .clear_i(clear_i),
          .load_i(load),
          .next_i(next),
          .scalar_i(scalar_i),
          .index_o(index_o[t]),
          .negative_o(negative_o[t]),
          .zero_o(zero_o[t]),
          .negate_o(negate_o[t])
        );
      end
    end

    logic unused_number;
    assign unused_number = ^clear_number_i;
  end

  if (Base.columns != 0) begin : gen_base
    logic negative;
    ecsm_scalar_base #(
      .W(W),
      .N(N),
      .Columns(Base.columns),
      .Groups(Base.groups),
      .Teeth(Base.teeth),
      .Chunk(Chunk)
    ) u_base (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .load_i(load_i),
      .next_i(next_i),
      .scalar_i(scalar_i),
      .number_o(base_number_o),
      .negative_o(negative)
    );
    logic negative_q;
    always_ff @(posedge clk_i) negative_q <= negative & ~clear_i;
    assign base_negative_o = negative_q;
  end else begin : gen_no_base
    assign base_number_o = '0;
    assign base_negative_o = 1'b0;
  end

  if (!is_double(Scalar)) begin : gen_no_fixed
    assign fixed_o = 1'b0;
    assign number_o = '0;
  end

endmodule

`default_nettype wire
