// SPDX-License-Identifier: Apache-2.0
//
// What a job front holds a second time, and compares: it finds a flip in the control of a job.
//
//   start_i --> [ecsm_sequencer, inverted] --> word --+--> is it the front's? --+--> fault_o
//                                                     +--> tests                |
//   found_i, req_* --> [flags and request, inverted] ------> is it the front's? -+
//
//   start_i, abort_i     as the front's sequencer has them; the first one is active_i, idle_i,
//                        last_i, cycles_i, and word_i: the highest bits of its word, which are
//                        {any bit, the tests of NumFlag flags, any others}
//   accept_i             takes range_i, unsupported_i, infinity_i, tag_i of a request
//   drop_i               forgets them
//   test_i               what the engine decoded of the tests: what is decoded here a second time
//   flag_i, known_i      what the front has of flags, and of {range, unsupported, infinity}
//   held_i               the tag that it has
//   found_i              the value of a flag, when its test is due
//   active_o, word_o     what the second sequencer returns
//   fault_o              something differs in this cycle
//
// Latency 0 from the inputs to fault_o. Ranges: W at least NumFlag + 1. Program: ecsm_sequencer.

`default_nettype none

module ecsm_front_check #(
  parameter int unsigned TagW = 8,
  parameter int unsigned CycleW = 16,
  parameter int unsigned NumFlag = 3,
  parameter int unsigned W = 4,
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  parameter bit [W-1:0][Depth-1:0] Columns = '0,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               abort_i,
  input  logic               start_i,
  input  logic               idle_i,
  input  logic               active_i,
  input  logic               last_i,
  input  logic [      W-1:0] word_i,
  input  logic [ CycleW-1:0] cycles_i,
  input  logic               drop_i,
  input  logic               accept_i,
  input  logic               range_i,
  input  logic               unsupported_i,
  input  logic               infinity_i,
  input  logic [   TagW-1:0] tag_i,
  input  logic [NumFlag-1:0] test_i,
  input  logic [NumFlag-1:0] found_i,
  input  logic [NumFlag-1:0] flag_i,
  input  logic [        2:0] known_i,
  input  logic [   TagW-1:0] held_i,
  output logic               active_o,
  output logic [      W-1:0] word_o,
  output logic               fault_o
);

  // SEC_CM: CTRL.REDUNDANCY: a second sequencer, all of it inverted
  logic idle, active, last, parted;
  logic [W-1:0] word;
  logic [CycleW-1:0] cycles;
  ecsm_sequencer #(
    .Depth(Depth),
    .WordW(W),
    .RepeatW(RepeatW),
    .Columns(Columns),
    .RepeatColumns(RepeatColumns),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
    .CycleW(CycleW),
    .Inverted(1'b1)
  ) u_sequencer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(abort_i),
    .start_i(start_i),
    .idle_o(idle),
    .active_o(active),
    .last_o(last),
    .word_o(word),
    .cycles_o(cycles)
  );
  assign active_o = active;
  assign word_o = word;
  assign parted = {idle, active, last, word, cycles}
      != {idle_i, active_i, last_i, word_i, cycles_i};

  // SEC_CM: STATUS.REDUNDANCY: flags and what is known of the request, inverted; a parity
  logic [NumFlag-1:0] test_q, flag_q;
  logic [2:0] known_q;
  logic tag_odd_q, changed;
  assign changed = {flag_q, known_q, tag_odd_q, test_q} != {~flag_i, ~known_i, ^held_i, test_i};
  assign fault_o = parted | changed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flag_q <= '1;
      known_q <= '1;
      tag_odd_q <= 1'b0;
      test_q <= '0;
    end else if (drop_i) begin
      flag_q <= '1;
      known_q <= '1;
      tag_odd_q <= 1'b0;
      test_q <= '0;
    end else begin
      if (accept_i) begin
        known_q   <= ~{range_i, unsupported_i, infinity_i};
        tag_odd_q <= ^tag_i;
      end
      test_q <= word[W-2-:NumFlag] & {NumFlag{active}};
      for (int unsigned i = 0; i < NumFlag; i++) begin
        if (test_q[i]) flag_q[i] <= ~found_i[i];
      end
    end
  end

  if (W < NumFlag + 1) begin : gen_bad
    $error("ecsm_front_check: W must be at least NumFlag + 1");
  end

endmodule

`default_nettype wire
