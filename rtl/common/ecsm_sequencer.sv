// SPDX-License-Identifier: Apache-2.0
//
// The sequencer returns one control word a cycle. Repeats and one loop cost no cycles.
//
//   Columns, RepeatColumns --> [ROM] -- word, repeat --> [word_q, repeat_q] --> word_o
//                                ^
//      next word, or LoopFirst   |
//      after LoopLast ------> [next_q] <-- advance: active, repeat_q = 0 (loop_q counts loops)
//
//   idle     word_o is word 0. The cycle with start_i executes it (the load).
//   running  words 1, 2, ... follow, one a cycle. A word with repeat count n lasts n + 1 cycles.
//            After word LoopLast the next word is LoopFirst, until the loop has run LoopCount
//            times.
//   last_o   the last word executes in this cycle.
//
// The order of words depends only on the parameters, not on data or the scalar. The sequencer
// depends on no field: the binary and the prime engines share it.
//
// With Inverted every register holds the complement of its value. So two sequencers, one of them
// inverted, that differ in a cycle show a fault.
//
// Latency: the sum of all word durations, from the cycle of start_i to the cycle of last_o, both
// included. cycles_o is 0 in the cycle of start_i and counts up to the cycle of last_o. Ranges:
// Depth 2 and more, LoopCount 1 and more; LoopFirst <= LoopLast, and LoopLast is 1 .. Depth - 1.

`default_nettype none

module ecsm_sequencer #(
  parameter int unsigned Depth = 2,  // words
  parameter int unsigned WordW = 1,  // control bits in a word
  parameter int unsigned RepeatW = 1,  // bits of the repeat count
  // Column i is control bit i of every word, word 0 at bit 0. RepeatColumns has the same format.
  parameter bit [WordW-1:0][Depth-1:0] Columns = '0,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,  // 1: no loop
  parameter int unsigned CycleW = 16,
  parameter bit Inverted = 1'b0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              abort_i,   // returns to idle from any state
  input  logic              start_i,   // executes word 0 now; ignored unless idle
  output logic              idle_o,
  output logic              active_o,  // a word executes in this cycle
  output logic              last_o,
  output logic [ WordW-1:0] word_o,
  output logic [CycleW-1:0] cycles_o
);

  localparam int unsigned AddrW = $clog2(Depth + 1);  // the value Depth: after the last word
  localparam int unsigned FetchW = $clog2(Depth);
  localparam int unsigned LoopW = (LoopCount > 1) ? $clog2(LoopCount) : 1;

  logic running_q, running_d;
  logic [AddrW-1:0] next_q, next_d;  // address of the word after word_q
  logic [WordW-1:0] word_q, word_d;
  logic [RepeatW-1:0] repeat_q, repeat_d;
  logic [LoopW-1:0] loop_q, loop_d;
  logic [CycleW-1:0] cycles_q, cycles_d;
  logic advance;

  // What the registers hold.
  logic running;
  logic [AddrW-1:0] next;
  logic [WordW-1:0] word;
  logic [RepeatW-1:0] left;
  logic [LoopW-1:0] loop;
  logic [CycleW-1:0] cycles;
  assign running = running_q ^ Inverted;
  assign next = next_q ^ {AddrW{Inverted}};
  assign word = word_q ^ {WordW{Inverted}};
  assign left = repeat_q ^ {RepeatW{Inverted}};
  assign loop = loop_q ^ {LoopW{Inverted}};
  assign cycles = cycles_q ^ {CycleW{Inverted}};

  assign idle_o = ~running;
  assign active_o = running | start_i;
  assign advance = active_o & (left == '0);
  assign last_o = advance & (next == AddrW'(Depth));
  assign word_o = word;
  assign cycles_o = cycles;

  // Reads word `next_q` of the read-only memory, or word 0 to return to idle.
  logic [FetchW-1:0] fetch;
  logic rewind;
  assign rewind = last_o | abort_i;
  assign fetch = rewind ? '0 : FetchW'(next);

  logic [WordW-1:0] fetched_word;
  logic [RepeatW-1:0] fetched_repeat;
  for (genvar i = 0; i < WordW; i++) begin : gen_word
    assign fetched_word[i] = Columns[i][fetch];
  end
  for (genvar i = 0; i < RepeatW; i++) begin : gen_repeat
    assign fetched_repeat[i] = RepeatColumns[i][fetch];
  end

  always_comb begin
    running_d = (running | start_i) & ~rewind;
    next_d = next;
    word_d = word;
    repeat_d = left;
    loop_d = loop;
    cycles_d = cycles;
    if (rewind) begin
      next_d = AddrW'(1);
      loop_d = LoopW'(LoopCount - 1);
      cycles_d = '0;
      word_d = fetched_word;
      repeat_d = fetched_repeat;
    end else if (active_o) begin
      cycles_d = cycles + CycleW'(1);
      if (advance) begin
        word_d = fetched_word;
        repeat_d = fetched_repeat;
        if (next == AddrW'(LoopLast) && loop != '0) begin
          next_d = AddrW'(LoopFirst);
          loop_d = loop - LoopW'(1);
        end else begin
          next_d = next + AddrW'(1);
        end
      end else begin
        repeat_d = left - RepeatW'(1);
      end
    end
  end

  logic [WordW-1:0] first_word;
  logic [RepeatW-1:0] first_repeat;
  for (genvar i = 0; i < WordW; i++) begin : gen_first_word
    assign first_word[i] = Columns[i][0];
  end
  for (genvar i = 0; i < RepeatW; i++) begin : gen_first_repeat
    assign first_repeat[i] = RepeatColumns[i][0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= Inverted;
      next_q <= AddrW'(1) ^ {AddrW{Inverted}};
      word_q <= first_word ^ {WordW{Inverted}};
      repeat_q <= first_repeat ^ {RepeatW{Inverted}};
      loop_q <= LoopW'(LoopCount - 1) ^ {LoopW{Inverted}};
      cycles_q <= {CycleW{Inverted}};
    end else begin
      running_q <= running_d ^ Inverted;
      next_q <= next_d ^ {AddrW{Inverted}};
      word_q <= word_d ^ {WordW{Inverted}};
      repeat_q <= repeat_d ^ {RepeatW{Inverted}};
      loop_q <= loop_d ^ {LoopW{Inverted}};
      cycles_q <= cycles_d ^ {CycleW{Inverted}};
    end
  end

  if (Depth < 2 || LoopCount < 1) begin : gen_bad_depth
    $error("ecsm_sequencer: Depth must be at least 2 and LoopCount at least 1");
  end
  if (LoopCount > 1 && (LoopLast < 1 || LoopLast >= Depth || LoopFirst > LoopLast)) begin : gen_bad
    $error("ecsm_sequencer: the loop must end with a word of the program that is not word 0");
  end

endmodule

`default_nettype wire
