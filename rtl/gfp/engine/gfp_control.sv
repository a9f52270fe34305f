// SPDX-License-Identifier: Apache-2.0
//
// The control of a GF(p) engine: steps through the program and decodes its words. The program is in
// a memory beside the engine.
//
//   start_i --> [ecsm_sequencer] --> index_o ....> memory ....> word_i
//                  |                                             |
//                  +--> last_o, cycles_o          fields, gates  v    conditions of the threads
//                                                      [control_q, enable_q] <--+
//                                                                |
//        fetch_o, next_o, read_o, ahead_o  <---------------------+
//                                                                v
//                                                   [Fetch cycles, if Threads > 1]
//                                                                |
//        enable_o, moves_o, entry_o, thread_o, take_o  <---------+
//
//   start_i            starts the program for kP; base_start_i: that for kG, instead
//   last_o, cycles_o   in the cycle after the last word's number: the program took cycles_o cycles
//   index_o, word_i    the number of a word; that word, one cycle later
//   negative_i, flip_i, invalid_i, infinity_i   for each thread, the conditions of the gates
//   fetch_o            the thread whose operands are read in this cycle; next_o: its word requests
//                      the next digit; read_o: the registers to read; ahead_o: the distance to the
//                      thread whose registers the adder reads
//   enable_o           the enabled terms of the word that executes; thread_o is its thread;
//                      moves_o: what stores a result; entry_o: the table entries to store to;
//                      take_o: the units that read the sum on the adder's output, only in the cycle
//                      of the thread that the word names
//   abort_i            no word executes from the next cycle on
//
// Latency: a word executes two cycles after its number, and Fetch cycles later still with several
// threads. last_o is high one cycle after the number of the last word.

`default_nettype none

module gfp_control
  import gfp_engine_pkg::*;
#(
  parameter int unsigned Threads = 1,
  parameter int unsigned EntryW = 4,
  parameter int unsigned CycleW = 20,
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter gate_t [NumGate-1:0] Gates = '0,
  // word = {next, take, thread of take, ahead, table entries of the adder's and the multiplier's
  // result, read, moves, gates}
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  parameter base_t Base = '0,
  parameter int unsigned WordBits = 1,
  localparam int unsigned ThreadW = (Threads > 1) ? $clog2(Threads) : 1,
  localparam int unsigned IndexW = $clog2(Depth + Base.depth)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              abort_i,
  input  logic                              start_i,
  input  logic                              base_start_i,
  output logic                              last_o,
  output logic   [  CycleW-1:0]             cycles_o,
  output logic   [  IndexW-1:0]             index_o,
  input  logic   [WordBits-1:0]             word_i,
  input  logic   [ Threads-1:0]             negative_i,
  input  logic   [ Threads-1:0]             flip_i,
  input  logic   [ Threads-1:0]             invalid_i,
  input  logic   [ Threads-1:0]             infinity_i,
  output logic   [ ThreadW-1:0]             fetch_o,
  output logic                              next_o,
  output reads_t                            read_o,
  output logic   [ ThreadW-1:0]             ahead_o,
  output logic   [ NumTerm-1:0]             enable_o,
  output moves_t                            moves_o,
  output logic   [         1:0][EntryW-1:0] entry_o,
  output logic   [ ThreadW-1:0]             thread_o,
  output logic   [ NumTake-1:0]             take_o
);

  localparam bit Many = Threads > 1;

  // ------------------------------------------------------------------ numbers of words
  typedef bit [IndexW-1:0][Depth-1:0] columns_t;
  function automatic columns_t numbers();
    for (int unsigned b = 0; b < IndexW; b++) begin
      for (int unsigned i = 0; i < Depth; i++) numbers[b][i] = 1'(i >> b);
    end
  endfunction

  // The same of the program for kG, which follows.
  localparam int unsigned BaseDepth = (Base.depth > 1) ? Base.depth : 2;
  typedef bit [IndexW-1:0][BaseDepth-1:0] base_columns_t;
  function automatic base_columns_t base_numbers();
    for (int unsigned b = 0; b < IndexW; b++) begin
      for (int unsigned i = 0; i < BaseDepth; i++) base_numbers[b][i] = 1'((Depth + i) >> b);
    end
  endfunction

  logic unused_idle, active, last;
  logic own_active, own_last;  // of the program for kP
  logic [IndexW-1:0] own_index;
  logic [CycleW-1:0] cycles, own_cycles;
  ecsm_sequencer #(
    .Depth(Depth),
    .WordW(IndexW),
    .RepeatW(RepeatW),
    .Columns(numbers()),
    .RepeatColumns(RepeatColumns),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
    .CycleW(CycleW)
  ) u_sequencer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(abort_i | base_start_i),
    .start_i(start_i),
    .idle_o(unused_idle),
    .active_o(own_active),
    .last_o(own_last),
    .word_o(own_index),
    .cycles_o(own_cycles)
  );

  // The program for kG takes over from that for kP, of which two words then have their effect.
  if (Base.columns != 0) begin : gen_base
    logic unused_base_idle, base_active, base_last;
    logic [IndexW-1:0] base_index;
    logic [CycleW-1:0] base_cycles;
    ecsm_sequencer #(
      .Depth(BaseDepth),
      .WordW(IndexW),
      .Columns(base_numbers()),
      .LoopFirst(Base.loop_first),
      .LoopLast(Base.loop_last),
      .LoopCount(Base.loop_count),
      .CycleW(CycleW)
    ) u_base (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .abort_i(abort_i),
      .start_i(base_start_i),
      .idle_o(unused_base_idle),
      .active_o(base_active),
      .last_o(base_last),
      .word_o(base_index),
      .cycles_o(base_cycles)
    );
    assign active = own_active | base_active;
    assign last = base_active ? base_last : own_last;
    assign index_o = base_active ? base_index : own_index;
    assign cycles = base_active ? base_cycles + CycleW'(BaseLate) : own_cycles;
  end else begin : gen_no_base
    assign active = own_active;
    assign last = own_last;
    assign index_o = own_index;
    assign cycles = own_cycles;
  end

  // From here on: the cycle in which the word arrives.
  logic started_q, active_q, last_q;
  logic [CycleW-1:0] cycles_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      active_q <= 1'b0;
      last_q <= 1'b0;
      cycles_q <= '0;
    end else begin
      started_q <= start_i & ~abort_i;
      active_q <= active & ~abort_i;
      last_q <= last & ~abort_i;
      cycles_q <= cycles + CycleW'(1);
    end
  end
  assign last_o = last_q;
  assign cycles_o = cycles_q;

  // ------------------------------------------------------------------ decoded words
  typedef struct packed {
    logic next;
    logic [NumTake-1:0] take;
    logic [ThreadW-1:0] thread;  // the thread whose sums take is for
    logic [ThreadW-1:0] ahead;  // the adder reads thread (own + ahead) modulo Threads
    logic [1:0][EntryW-1:0] entry;  // table entry of the adder's [1], the multiplier's [0] result
    reads_t read;
    moves_t moves;
  } control_t;

  control_t control, control_q;
  logic [NumGate-1:0] gate;
  assign {control, gate} = word_i;

  // The thread whose word is decoded. Its register fetch_q is the thread whose operands are read.
  logic [ThreadW-1:0] turn, fetch_q;
  if (Many) begin : gen_turn
    assign turn = (started_q || fetch_q == ThreadW'(Threads - 1)) ? '0 : fetch_q + ThreadW'(1);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fetch_q <= '0;
      else if (abort_i) fetch_q <= '0;
      else if (active_q) fetch_q <= turn;
    end
  end else begin : gen_no_turn
    assign turn = '0;
    assign fetch_q = '0;
    logic unused_turns;
    assign unused_turns = started_q;
  end
  // No program uses every condition.
  logic unused_conditions;
  assign unused_conditions = ^{negative_i, flip_i, invalid_i, infinity_i};

  logic [NumGate-1:0] open;
  for (genvar g = 0; g < NumGate; g++) begin : gen_gate
    localparam gate_t Gate = Gates[g];
    if (Gate.guard == GuardNegative) begin : gen_negative
      assign open[g] = gate[g] & (negative_i[turn] == Gate.value);
    end else if (Gate.guard == GuardFlip) begin : gen_flip
      assign open[g] = gate[g] & (flip_i[turn] == Gate.value);
    end else if (Gate.guard == GuardInvalid) begin : gen_invalid
      assign open[g] = gate[g] & (invalid_i[turn] == Gate.value);
    end else if (Gate.guard == GuardInfinity) begin : gen_infinity
      assign open[g] = gate[g] & (infinity_i[turn] == Gate.value);
    end else begin : gen_always
      assign open[g] = gate[g];
    end
  end

  function automatic bit [NumGate-1:0] gates_of(int unsigned term);
    for (int unsigned g = 0; g < NumGate; g++) gates_of[g] = 32'(Gates[g].term) == term;
  endfunction

  logic [NumTerm-1:0] enable_d, enable_q;
  for (genvar t = 0; t < NumTerm; t++) begin : gen_term
    localparam bit [NumGate-1:0] Mine = gates_of(t);
    assign enable_d[t] = |(open & Mine);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q <= '0;
      enable_q <= '0;
    end else begin
      control_q <= control & {$bits(control_t) {active_q & ~abort_i}};
      enable_q <= enable_d & {NumTerm{active_q & ~abort_i}};
    end
  end

  assign fetch_o = fetch_q;
  assign next_o = control_q.next;
  assign read_o = control_q.read;
  assign ahead_o = control_q.ahead;

  // With several threads the operands are used Fetch cycles after they are read.
  typedef struct packed {
    logic [NumTake-1:0] take;
    logic [ThreadW-1:0] for_thread;
    logic [1:0][EntryW-1:0] entry;
    moves_t moves;
    logic [NumTerm-1:0] enable;
    logic [ThreadW-1:0] thread;
  } use_t;

  localparam int unsigned Delay = Many ? Fetch : 0;
  use_t used[Delay+1];
  use_t now;
  assign used[0] = '{
          take: control_q.take,
          for_thread: control_q.thread,
          entry: control_q.entry,
          moves: control_q.moves,
          enable: enable_q,
          thread: fetch_q
      };
  for (genvar i = 0; i < Delay; i++) begin : gen_used
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) used[i+1] <= '0;
      else used[i+1] <= used[i] & {$bits(use_t) {~abort_i}};
    end
  end

  assign now = used[Delay];
  assign enable_o = now.enable;
  assign moves_o = now.moves;
  assign entry_o = now.entry;
  assign thread_o = now.thread;
  assign take_o = now.take & {NumTake{now.thread == now.for_thread}};

  if (WordBits != $bits(control_t) + NumGate) begin : gen_bad
    $error("gfp_control: WordBits is not what the words have");
  end

endmodule

`default_nettype wire
