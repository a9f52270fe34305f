// SPDX-License-Identifier: Apache-2.0
//
// The scalars of several threads: one ecsm_scalar_glv divides them into halves for all threads.
//
//   scalar_i --> [memory of scalars] --> [ecsm_scalar_glv] -- digits --> [memory of digits]
//                                            |                                |
//                                            | first digit                    | next_i: next
//                                            +--> [digit_q, one a thread] <---+
//                                                    +--> index_o, negative_o, zero_o
//
// A scalar waits in a memory until the unit is free. The unit divides it and then returns its
// digits, one a cycle, which go to a memory of digits with NumRow rows a thread. The current digit
// of each thread is in a register; next_i replaces it by the next one.
//
//   load_i, slot_i     loads a scalar for thread slot_i: 0, 1, .. in this order, once each after a
//                      clear
//   next_i, thread_i   requests the next digit of thread_i. The threads alternate: when one has
//                      made a request, all make one, 0 .. Threads-1, before its next one.
//   index_o, negative_o, zero_o   for every thread, as ecsm_scalar_glv has them for one
//
// Latency: a scalar takes Each = Latency + 2 NumDigit cycles of the unit, where Latency is that of
// ecsm_scalar_glv. For scalars that are loaded up to cycle t, all digits and zero_o are valid from
// cycle t + Threads Each + 1, whatever the scalars and the times of their loads are. They have no
// meaning before. From then next_i is allowed; its digit is valid two cycles later. The digits of a
// thread without a scalar have no meaning; its zero_o is 0.
//
// clear_i wins over everything. It sets every register to zero, except those that only follow
// thread_i, and the place clear_number_i of each memory. It must stay high until clear_number_i has
// had every value. There is no reset: the engine clears after its own reset.
//
// scalar_i and the parameters from W on: see ecsm_scalar_glv. Threads: 3 and more. NumRow: a power
// of two. ClearW: enough bits for all rows of all threads. Everything but the timing is secret.
//
// Source: ecsm_scalar_glv; docs/theory/prime-programs.md.

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
  parameter bit InDsp = 1'b1,
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
  // The number of a digit of its thread; of a row of all threads.
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
  logic [SlotW:0] taken_q, begun_q;  // scalars that were loaded; that the unit has begun
  logic [W-1:0] scalar[Slots];
  always_ff @(posedge clk_i) begin
    if (clear_i) scalar[SlotW'(clear_number_i)] <= '0;
    else if (load_i) scalar[slot_i] <= scalar_i;
  end

  // ------------------------------------------------------------------ the unit
  logic run_q;
  logic [SlotW-1:0] slot_q;  // the thread whose scalar is in the unit
  logic [WaitW-1:0] wait_q;  // cycles until its first digit is valid
  logic [NumberW-1:0] number_q;  // the number of the digit that is returned then
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
    .Odd(Odd),
    .InDsp(InDsp)
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
  // A row is written again with every digit that joins it. Digits of the row before that are still
  // in it are not read.
  row_t row_d, row_q, read_q;
  (* no_rw_check *) row_t memory[Slots*NumRow];
  logic [NumberW-1:0] asked_q;  // the number of the digit that next_i requests, minus one
  logic ask_q;  // next_i, thread_i and the column, one cycle later
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
