// SPDX-License-Identifier: Apache-2.0
//
// The job front accepts a job, runs the program of its engine and returns the result. It holds the
// handshakes, status, flags, tag and cycle counter of a job; the engine has data and decoded words.
//
//   req_* --> [accept, range] -- take_o --> engine: loads point and scalar
//                   | start
//                   v
//          [ecsm_sequencer] -- word_o, active_o, last_o --> engine: decodes, executes
//             |        ^ word of the program: Columns, or a memory at index_o and word_i
//             v last   |
//   rsp_* <-- [done, status, cycles] <-- test_i, found_i --> flag_o; result_x_i, result_y_i
//                   | drop
//                   +--> [clearing] -- clear_o, flush_o, slot_o --> engine: clears its data
//
// Requests and responses use valid/ready: a transfer happens in a cycle with both high. The front
// is ready when no job is there and all is clear. zeroize_i drops the job.
//
//   take_o      a request is there, and the front is ready: the engine loads it. Under zeroize_i
//               the next cycle clears what it loaded.
//   ready_d_o   the front is ready in the next cycle
//   word_o      the word that is decoded in this cycle; it executes in the next one
//   active_o    word_o is a word of a running program
//   last_o      word_o is the last word, in the last of its cycles
//   test_i[i]   flag i takes the value of found_i[i] in this cycle; flag_o has it already
//   curve_i, odd_i, zero_i   from flag_o: P is on the curve; P has odd order; kP is infinity
//   affine_d_o, affine_q_o   kP is an affine point, by the flags of this and of the last cycle
//   clear_o     clears all data of the engine; the first cycles after an accepted response,
//               zeroize_i and reset, one for each rank or slot
//   flush_o     clears scalar and multipliers: clear_o, and when the last word executes
//   slot_o      number of the slot to clear, if SlotW is not 0
//
// Protection. With ProtectNone the front ignores the ports of protection, and costs nothing for
// them. With ProtectCheck a job that meets a fault ends with StatusFaultDetected and zero
// coordinates. The front finds these:
//
//   - The control of a job, held a second time in ecsm_front_check, differs. The engine gets the
//     words of the second sequencer (check_*), to compare what it decodes.
//   - result_i, a flag that the program sets last, is low where kP is an affine point.
//   - fault_i is high: the engine found one, in this cycle.
//
// With ProtectFull the front accepts a job only if random_valid_i is high, and random_ready_o is
// high in that cycle; take_o does not wait for random_valid_i, so the engine must not use what it
// loads before the program starts. On other errors than a fault the engine makes its result zero
// (affine_q_o).
//
// Latency: from the accepted request to the valid response, 1 cycle more than the program has; 2
// more with Memory. Errors: by priority StatusFaultDetected, StatusUnsupported,
// StatusCoordinateOutOfRange, StatusPointNotOnCurve, StatusLowOrderPoint.
// Ranges: CoordW at least FieldW; Ranks at least 1. Program: ecsm_sequencer.

`default_nettype none

module ecsm_front
  import ecsm_protect_pkg::protect_e;
#(
  parameter protect_e Protect = ecsm_protect_pkg::ProtectNone,
  parameter int unsigned FieldW = 8,  // bits of a coordinate
  parameter int unsigned CoordW = 8,  // port width of a coordinate, >= FieldW
  parameter int unsigned TagW = 8,
  parameter int unsigned CycleW = 16,
  parameter int unsigned NumFlag = 3,
  // Bits of a word that a second sequencer returns: {any bit, test_i[NumFlag], any others}
  parameter int unsigned CheckW = 1,
  // Clearing takes Ranks cycles; if SlotW is not 0, one for each of 2^SlotW slots
  parameter int unsigned Ranks = 1,
  parameter int unsigned SlotW = 0,
  // Program. Its words are Columns, or with Memory in a memory beside the engine: word_i in cycle
  // t + 1 is the word that index_o selects in cycle t.
  parameter bit Memory = 1'b0,
  parameter int unsigned IndexW = 1,
  parameter int unsigned WordW = 1,
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  localparam int unsigned StoredW = Memory ? IndexW : WordW,
  parameter bit [StoredW-1:0][Depth-1:0] Columns = '0,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0,
  localparam int unsigned SlotPortW = (SlotW > 0) ? SlotW : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              zeroize_i,
  input  logic                              req_valid_i,
  output logic                              req_ready_o,
  input  ecsm_pkg::op_e                     req_op_i,
  input  logic              [   CoordW-1:0] req_x_i,
  input  logic              [   CoordW-1:0] req_y_i,
  input  logic                              req_infinity_i,
  input  logic              [     TagW-1:0] req_tag_i,
  output logic                              rsp_valid_o,
  input  logic                              rsp_ready_i,
  output ecsm_pkg::status_e                 rsp_status_o,
  output logic              [   CoordW-1:0] rsp_x_o,
  output logic              [   CoordW-1:0] rsp_y_o,
  output logic                              rsp_infinity_o,
  output logic              [     TagW-1:0] rsp_tag_o,
  output logic              [   CycleW-1:0] rsp_cycles_o,
  // Protection
  output logic                              check_active_o,
  output logic              [   CheckW-1:0] check_word_o,
  input  logic                              result_i,
  input  logic                              fault_i,
  input  logic                              random_valid_i,
  output logic                              random_ready_o,
  // Engine
  output logic                              take_o,
  output logic                              ready_d_o,
  output logic                              clear_o,
  output logic                              flush_o,
  output logic              [SlotPortW-1:0] slot_o,
  output logic                              active_o,
  output logic                              last_o,
  output logic              [    WordW-1:0] word_o,
  input  logic              [  NumFlag-1:0] test_i,
  input  logic              [  NumFlag-1:0] found_i,
  output logic              [  NumFlag-1:0] flag_o,
  input  logic                              curve_i,
  input  logic                              odd_i,
  input  logic                              zero_i,
  output logic                              affine_d_o,
  output logic                              affine_q_o,
  input  logic              [   FieldW-1:0] result_x_i,
  input  logic              [   FieldW-1:0] result_y_i,
  // Memory of the program
  output logic              [   IndexW-1:0] index_o,
  input  logic              [    WordW-1:0] word_i
);

  // ------------------------------------------------------------------ requests and responses
  logic accept, start, respond, drop, allowed;
  logic ready_q;
  // Copies of ready_q: one starts the sequencer, the other loads point and scalar all over the
  // core.
  (* keep *) logic start_ready_q, take_ready_q;
  logic done_q;
  logic last_q;  // the last word executes
  logic clear_d, clear_q, flush_q;
  logic cleared;  // this cycle clears the last that is not clear

  assign allowed = (Protect != ecsm_protect_pkg::ProtectFull) | random_valid_i;
  assign random_ready_o = (Protect == ecsm_protect_pkg::ProtectFull) & accept;
  assign req_ready_o = ready_q & ~zeroize_i & allowed;
  assign accept = req_valid_i & req_ready_o;
  assign start = req_valid_i & start_ready_q & ~zeroize_i & allowed;
  assign clear_o = clear_q;
  assign flush_o = flush_q;
  assign take_o = req_valid_i & take_ready_q;
  assign rsp_valid_o = done_q;
  assign respond = rsp_valid_o & rsp_ready_i;
  assign drop = respond | zeroize_i;
  assign ready_d_o = ~drop & (cleared | (ready_q & ~accept));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= 1'b1;
      flush_q <= 1'b1;
      ready_q <= 1'b0;
      start_ready_q <= 1'b0;
      take_ready_q <= 1'b0;
      last_q <= 1'b0;
    end else begin
      clear_q <= clear_d;
      flush_q <= clear_d | last_o;
      ready_q <= ready_d_o;
      start_ready_q <= ready_d_o;
      take_ready_q <= ready_d_o;
      last_q <= last_o & ~zeroize_i;
    end
  end

  // ------------------------------------------------------------------ clearing
  if (SlotW == 0) begin : gen_ranks
    logic [Ranks-1:0] left_q;  // cycles that are left, one bit each
    assign clear_d = drop | (|(left_q >> 1));
    assign cleared = left_q == Ranks'(1);
    assign slot_o  = 1'b0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) left_q <= '1;
      else left_q <= drop ? '1 : left_q >> 1;
    end
  end else begin : gen_slots
    logic [SlotW:0] left_q;  // cycles that are left; the low bits select the slot
    assign clear_d = drop | (left_q > (SlotW + 1)'(1));
    assign cleared = left_q == (SlotW + 1)'(1);
    assign slot_o  = left_q[SlotW-1:0];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) left_q <= (SlotW + 1)'(1 << SlotW);
      else if (drop) left_q <= (SlotW + 1)'(1 << SlotW);
      else if (left_q != '0) left_q <= left_q - 1'b1;
    end
  end

  // ------------------------------------------------------------------ program
  typedef bit [StoredW-1:0][Depth-1:0] columns_t;
  // What the sequencer returns: words, or their numbers: bit b of word i is then bit b of i.
  function automatic columns_t stored();
    stored = Columns;
    if (Memory) begin
      for (int unsigned b = 0; b < StoredW; b++) begin
        for (int unsigned i = 0; i < Depth; i++) stored[b][i] = 1'(i >> b);
      end
    end
  endfunction

  logic running, last, idle;
  logic [StoredW-1:0] fetched;
  logic [ CycleW-1:0] cycles;

  ecsm_sequencer #(
    .Depth(Depth),
    .WordW(StoredW),
    .RepeatW(RepeatW),
    .Columns(stored()),
    .RepeatColumns(RepeatColumns),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
    .CycleW(CycleW)
  ) u_sequencer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(zeroize_i),
    .start_i(start),
    .idle_o(idle),
    .active_o(running),
    .last_o(last),
    .word_o(fetched),
    .cycles_o(cycles)
  );

  if (Memory) begin : gen_memory
    logic active_q, decoded_last_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        active_q <= 1'b0;
        decoded_last_q <= 1'b0;
      end else begin
        active_q <= running & ~zeroize_i;
        decoded_last_q <= last & ~zeroize_i;
      end
    end
    assign active_o = active_q;
    assign last_o   = decoded_last_q;
    assign index_o  = fetched;
    assign word_o   = word_i;
  end else begin : gen_columns
    logic [WordW-1:0] unused_word;
    assign active_o = running;
    assign last_o = last;
    assign index_o = '0;
    assign word_o = fetched;
    assign unused_word = word_i;
  end

  // ------------------------------------------------------------------ state of the job
  logic range_q, unsupported_q, infinity_q, fault_d, fault_q, wrong, lost;
  logic [TagW-1:0] tag_q;
  logic [CycleW-1:0] cycles_q;
  logic [NumFlag-1:0] flag_q;
  logic outside;

  if (Protect == ecsm_protect_pkg::ProtectNone) begin : gen_unprotected
    logic unused_fault;
    assign unused_fault = fault_i ^ result_i ^ idle;
    assign fault_d = 1'b0;
    assign fault_q = 1'b0;
    assign wrong = 1'b0;
    assign lost = 1'b0;
    assign check_active_o = 1'b0;
    assign check_word_o = '0;
  end else begin : gen_protected
    logic differs;
    ecsm_front_check #(
      .TagW(TagW),
      .CycleW(CycleW),
      .NumFlag(NumFlag),
      .W(CheckW),
      .Depth(Depth),
      .RepeatW(RepeatW),
      .LoopFirst(LoopFirst),
      .LoopLast(LoopLast),
      .LoopCount(LoopCount),
      .Columns(Columns[WordW-1-:CheckW]),
      .RepeatColumns(RepeatColumns)
    ) u_check (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .abort_i(zeroize_i),
      .start_i(start),
      .idle_i(idle),
      .active_i(running),
      .last_i(last),
      .word_i(fetched[WordW-1-:CheckW]),
      .cycles_i(cycles),
      .drop_i(drop),
      .accept_i(accept),
      .range_i(outside),
      .unsupported_i(req_op_i != ecsm_pkg::OpKp),
      .infinity_i(req_infinity_i),
      .tag_i(req_tag_i),
      .test_i(test_i),
      .found_i(found_i),
      .flag_i(flag_q),
      .known_i({range_q, unsupported_q, infinity_q}),
      .held_i(tag_q),
      .active_o(check_active_o),
      .word_o(check_word_o),
      .fault_o(differs)
    );

    // SEC_CM: RESULT.CHECK: a point that is not on the curve does not leave
    assign wrong = affine_d_o & ~result_i;
    // A job whose sequencer is idle before its end.
    assign lost = fault_q & idle & ~ready_q & ~clear_q;
    assign fault_d = fault_i | fault_q | differs;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fault_q <= 1'b0;
      else fault_q <= fault_d & ~drop;
    end
  end
  if (CoordW > FieldW) begin : gen_range
    assign outside = ~req_infinity_i & ((|req_x_i[CoordW-1:FieldW]) | (|req_y_i[CoordW-1:FieldW]));
  end else begin : gen_exact
    assign outside = 1'b0;
  end
  logic unused_low;
  assign unused_low = ^{req_x_i[FieldW-1:0], req_y_i[FieldW-1:0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= 1'b0;
      range_q <= 1'b0;
      unsupported_q <= 1'b0;
      infinity_q <= 1'b0;
      tag_q <= '0;
      cycles_q <= '0;
      flag_q <= '0;
    end else if (drop) begin
      done_q <= 1'b0;
      range_q <= 1'b0;
      unsupported_q <= 1'b0;
      infinity_q <= 1'b0;
      tag_q <= '0;
      cycles_q <= '0;
      flag_q <= '0;
    end else begin
      if (accept) begin
        range_q <= outside;
        unsupported_q <= req_op_i != ecsm_pkg::OpKp;
        infinity_q <= req_infinity_i;
        tag_q <= req_tag_i;
      end
      flag_q <= flag_o;
      // Plus the cycle of the request, those between a word and its end, and this one.
      if (last) cycles_q <= cycles + CycleW'(2 + Memory);
      if (last_q || lost) done_q <= 1'b1;
    end
  end

  // Registers, like the flags that they depend on: they gate whole operands.
  ecsm_pkg::status_e status_d, status_q;
  always_comb begin
    for (int unsigned i = 0; i < NumFlag; i++) flag_o[i] = test_i[i] ? found_i[i] : flag_q[i];
  end
  always_comb begin
    status_d = ecsm_pkg::StatusOk;
    if (fault_d) status_d = ecsm_pkg::StatusFaultDetected;
    else if (unsupported_q) status_d = ecsm_pkg::StatusUnsupported;
    else if (range_q) status_d = ecsm_pkg::StatusCoordinateOutOfRange;
    else if (!infinity_q && !curve_i) status_d = ecsm_pkg::StatusPointNotOnCurve;
    else if (!infinity_q && !odd_i) status_d = ecsm_pkg::StatusLowOrderPoint;
  end
  logic affine_q;
  // Before the result is known it is not judged: the program asks whether it will be affine.
  assign affine_d_o = (status_d == ecsm_pkg::StatusOk) & ~infinity_q & ~zero_i;
  assign affine_q_o = affine_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      status_q <= ecsm_pkg::StatusOk;
      affine_q <= 1'b0;
    end else begin
      status_q <= wrong ? ecsm_pkg::StatusFaultDetected : status_d;
      affine_q <= affine_d_o;
    end
  end
  logic hidden;  // what the answer would be is not shown
  assign hidden = (Protect != ecsm_protect_pkg::ProtectNone)
      & (status_q == ecsm_pkg::StatusFaultDetected);

  // ------------------------------------------------------------------ the result, zero until done
  assign rsp_status_o = done_q ? status_q : ecsm_pkg::StatusOk;
  assign rsp_infinity_o = done_q & (status_q == ecsm_pkg::StatusOk) & ~affine_q;
  assign rsp_x_o = (done_q & ~fault_q & ~hidden) ? CoordW'(result_x_i) : '0;
  assign rsp_y_o = (done_q & ~fault_q & ~hidden) ? CoordW'(result_y_i) : '0;
  assign rsp_tag_o = tag_q;
  assign rsp_cycles_o = done_q ? cycles_q : '0;

  if (CoordW < FieldW || Ranks < 1) begin : gen_bad
    $error("ecsm_front: CoordW must be at least FieldW, and Ranks at least 1");
  end
  if (Protect != ecsm_protect_pkg::ProtectNone
      && (Memory || CheckW > WordW || CheckW < NumFlag + 1)) begin : gen_bad_check
    $error("ecsm_front: protection needs Columns, and CheckW from NumFlag + 1 to WordW");
  end

endmodule

`default_nettype wire
