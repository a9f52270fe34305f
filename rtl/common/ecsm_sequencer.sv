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
  parameter int unsigned CycleW = 16
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

  assign idle_o = ~running_q;
  assign active_o = running_q | start_i;
  assign advance = active_o & (repeat_q == '0);
  assign last_o = advance & (next_q == AddrW'(Depth));
  assign word_o = word_q;
  assign cycles_o = cycles_q;

  // Reads word `next_q` of the read-only memory, or word 0 to return to idle.
  logic [FetchW-1:0] fetch;
  logic rewind;
  assign rewind = last_o | abort_i;
  assign fetch = rewind ? '0 : FetchW'(next_q);

  logic [WordW-1:0] fetched_word;
  logic [RepeatW-1:0] fetched_repeat;
  for (genvar i = 0; i < WordW; i++) begin : gen_word
    assign fetched_word[i] = Columns[i][fetch];
  end
  for (genvar i = 0; i < RepeatW; i++) begin : gen_repeat
    assign fetched_repeat[i] = RepeatColumns[i][fetch];
  end

  always_comb begin
    running_d = (running_q | start_i) & ~rewind;
    next_d = next_q;
    word_d = word_q;
    repeat_d = repeat_q;
    loop_d = loop_q;
    cycles_d = cycles_q;
    if (rewind) begin
      next_d = AddrW'(1);
      loop_d = LoopW'(LoopCount - 1);
      cycles_d = '0;
      word_d = fetched_word;
      repeat_d = fetched_repeat;
    end else if (active_o) begin
      cycles_d = cycles_q + CycleW'(1);
      if (advance) begin
        word_d = fetched_word;
        repeat_d = fetched_repeat;
        if (next_q == AddrW'(LoopLast) && loop_q != '0) begin
          next_d = AddrW'(LoopFirst);
          loop_d = loop_q - LoopW'(1);
        end else begin
          next_d = next_q + AddrW'(1);
        end
      end else begin
        repeat_d = repeat_q - RepeatW'(1);
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
      running_q <= 1'b0;
      next_q <= AddrW'(1);
      word_q <= first_word;
      repeat_q <= first_repeat;
      loop_q <= LoopW'(LoopCount - 1);
      cycles_q <= '0;
    end else begin
      running_q <= running_d;
      next_q <= next_d;
      word_q <= word_d;
      repeat_q <= repeat_d;
      loop_q <= loop_d;
      cycles_q <= cycles_d;
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
