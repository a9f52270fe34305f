// SPDX-License-Identifier: Apache-2.0
//
// The scalars of several threads, cut into halves by one ecsm_scalar_glv that serves all of them.
//
// A scalar waits in a memory until the unit is free. The unit cuts it and then hands out its digits,
// one a cycle, into a memory of digits, of NumRow rows a thread. The digit that a thread is at stands
// in a register of its own, and next_i replaces it by the next one.
//
//   load_i, slot_i     a scalar, of thread slot_i: 0, 1, .. in this order, once each from a clear on
//   next_i, thread_i   thread_i wants its next digit. Threads ask in turn: when one has asked, all do,
//                      0 .. Threads-1, before it asks again
//   index_o ...        of every thread, as ecsm_scalar_glv has them for one
//
// A scalar takes Each = Latency + 2 NumDigit cycles of the unit, Latency its own. Of scalars loaded
// up to cycle t all digits and zero_o stand from cycle t + Threads Each + 1 on, whatever they and the
// times of their loads are, and mean nothing before; next_i is then allowed. Its digit stands two
// cycles later. Digits of a thread that has no scalar mean nothing; zero_o of it is 0.
//
// clear_i wins over everything. It sets every register to zero, but for what follows thread_i, and
// of the memories the places clear_number_i: it must stand until that had every value. There is no
// reset: the engine clears after one.
//
// scalar_i and the parameters from W on: as ecsm_scalar_glv has them. All but the timing is secret.
//
// Source: ecsm_scalar_glv; docs/prime.md, threads.

`default_nettype none

module ecsm_scalar_threads #(
  parameter int unsigned Threads = 3,
  parameter int unsigned NumRow = 2,  // a power of two
  parameter int unsigned ClearW = 3,  // bits of clear_number_i
  parameter int unsigned W = 8,
  parameter int unsigned Window = 2,
  parameter bit [W-1:0] N = '1,
  parameter int unsigned NumDigit = 3,
  parameter int unsigned D = 4,
  parameter int unsigned C = 2,
  parameter int unsigned Point = 3,
  parameter bit [5:0][C-1:0][D-1:0] Rows = '0,
  parameter bit [1:0][1:0] Odd = '0,
  localparam int unsigned SlotW = $clog2(Threads)
) (
  input  logic                           clk_i,
  input  logic                           clear_i,
  input  logic [ ClearW-1:0]             clear_number_i,
  input  logic                           load_i,
  input  logic [  SlotW-1:0]             slot_i,
  input  logic [      W-1:0]             scalar_i,
  input  logic                           next_i,
  input  logic [  SlotW-1:0]             thread_i,
  output logic [Threads-1:0][Window-2:0] index_o,
  output logic [Threads-1:0]             negative_o,
  output logic [Threads-1:0]             zero_o
);

  localparam int unsigned Latency = 8 * C + 2;
  localparam int unsigned Count = 2 * NumDigit;  // digits of a scalar
  localparam int unsigned PerRow = 2 ** $clog2((Count + NumRow - 1) / NumRow);
  localparam int unsigned Slots = 2 ** SlotW;
  // A digit's number of its thread; a row's of all threads.
  localparam int unsigned NumberW = $clog2(NumRow * PerRow);
  localparam int unsigned RowW = $clog2(Slots * NumRow);
  localparam int unsigned ColumnW = (PerRow > 1) ? $clog2(PerRow) : 1;
  localparam int unsigned WaitW = $clog2(Latency);

  typedef struct packed {
    logic              negative;
    logic [Window-2:0] index;
  } digit_t;
  typedef digit_t [PerRow-1:0] row_t;

  function automatic logic [RowW-1:0] row_of(logic [SlotW-1:0] slot, logic [NumberW-1:0] number);
    return RowW'({slot, number} / (SlotW + NumberW)'(PerRow));
  endfunction

  function automatic logic [ColumnW-1:0] column_of(logic [NumberW-1:0] number);
    return ColumnW'(number & NumberW'(PerRow - 1));
  endfunction

  // ------------------------------------------------------------------ scalars that wait
  logic [SlotW:0] taken_q, begun_q;  // how many came; how many the unit has begun
  logic [W-1:0] scalar[Slots];
  always_ff @(posedge clk_i) begin
    if (clear_i) scalar[SlotW'(clear_number_i)] <= '0;
    else if (load_i) scalar[slot_i] <= scalar_i;
  end

  // ------------------------------------------------------------------ the unit
  logic run_q;
  logic [SlotW-1:0] slot_q;  // whose scalar is in the unit
  logic [WaitW-1:0] wait_q;  // cycles until its first digit stands
  logic [NumberW-1:0] number_q;  // of the digit that is handed out then
  logic begins, hands, first, last;
  digit_t digit;
  logic zero, unused_negate;

  assign begins = ~run_q & (begun_q != taken_q);
  assign hands = run_q & (wait_q == '0);
  assign first = number_q == '0;
  assign last = number_q == NumberW'(Count - 1);

  ecsm_scalar_glv #(
    .W(W),
    .Window(Window),
    .N(N),
    .NumDigit(NumDigit),
    .D(D),
    .C(C),
    .Point(Point),
    .Rows(Rows),
    .Odd(Odd)
  ) u_glv (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .load_i(begins),
    .next_i(hands),
    .scalar_i(scalar[begun_q[SlotW-1:0]]),
    .index_o(digit.index),
    .negative_o(digit.negative),
    .zero_o(zero),
    .negate_o(unused_negate)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      taken_q <= '0;
      begun_q <= '0;
      run_q <= 1'b0;
      slot_q <= '0;
      wait_q <= '0;
      number_q <= '0;
    end else begin
      if (load_i) taken_q <= taken_q + (SlotW + 1)'(1);
      if (begins) begin
        begun_q <= begun_q + (SlotW + 1)'(1);
        run_q <= 1'b1;
        slot_q <= begun_q[SlotW-1:0];
        wait_q <= WaitW'(Latency - 1);
        number_q <= '0;
      end else if (hands) begin
        run_q <= ~last;
        number_q <= number_q + NumberW'(1);
      end else if (run_q) wait_q <= wait_q - WaitW'(1);
    end
  end

  // ------------------------------------------------------------------ digits
  // A row is written with every digit that joins it; what it had of the row before is not read.
  row_t row_d, row_q, read_q;
  (* no_rw_check *) row_t memory[Slots*NumRow];
  logic [NumberW-1:0] asked_q;  // number of the digit that next_i asks for, less one
  logic ask_q;  // next_i, thread_i and what it asks for, a cycle later
  logic [SlotW-1:0] thread_q;
  logic [ColumnW-1:0] column_q;
  digit_t [Threads-1:0] digit_q;
  logic [Threads-1:0] zero_q;

  logic [NumberW-1:0] ask;
  assign ask = asked_q + NumberW'(1);

  always_comb begin
    row_d = row_q;
    row_d[column_of(number_q)] = digit;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) memory[RowW'(clear_number_i)] <= '0;
    else if (hands) memory[row_of(slot_q, number_q)] <= row_d;
    if (clear_i) read_q <= '0;
    else read_q <= memory[row_of(thread_i, ask)];
    thread_q <= thread_i;
    column_q <= column_of(ask);
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      row_q <= '0;
      asked_q <= '0;
      ask_q <= 1'b0;
      digit_q <= '0;
      zero_q <= '0;
    end else begin
      if (hands) row_q <= row_d;
      if (hands & first) begin
        digit_q[slot_q] <= digit;
        zero_q[slot_q] <= zero;
      end
      if (next_i & (thread_i == SlotW'(Threads - 1))) asked_q <= ask;
      ask_q <= next_i;
      if (ask_q) digit_q[thread_q] <= read_q[column_q];
    end
  end

  for (genvar t = 0; t < Threads; t++) begin : gen_thread
    assign index_o[t] = digit_q[t].index;
    assign negative_o[t] = digit_q[t].negative;
  end
  assign zero_o = zero_q;

  if (Threads < 3 || NumRow != 2 ** $clog2(NumRow) || ClearW < RowW) begin : gen_bad
    $error("ecsm_scalar_threads: at least 3 threads, a power of two of rows, all of them cleared");
  end

endmodule

`default_nettype wire
