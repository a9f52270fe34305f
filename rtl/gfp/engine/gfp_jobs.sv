// SPDX-License-Identifier: Apache-2.0
//
// The jobs of a GF(p) engine: accepts up to Threads requests, starts them together as one batch,
// and returns their results in the order of the requests. Each job has a slot.
//
//   req_* --> [slots: tag, flags] --> status, tag --> rsp_*
//                |    ^ outside_i, curve_i, zero_scalar_i
//                |    +------------------------------------- datapath, scalars, results
//                v
//             [fill_q] --> full, or Patience is over --> start_o --> control --> last_i
//             [answer_q] <-- rsp_ready_i                                           |
//                |                                                                 v
//                +--> after the last response --> [clearing_q] --> clear_o, clear_number_o
//
// With one thread a request starts at once. With several threads, a batch starts in the cycle after
// the request that fills it, or after Patience + 1 cycles without a request. Empty slots are
// invalid.
//
//   start_o         the first cycle of the program; last_i is its last one, with cycles_i its
//                   cycles
//   load_o, slot_o  a request is accepted into this slot; outside_i, one cycle later, says that one
//                   of its coordinates is out of range
//   curve_i         the point of thread curve_thread_i was tested; curve_ok_i: it is on the curve.
//                   Several threads of a Ladder are tested once more: curve_ok_i is then that Z is
//                   0, which makes them invalid_o though they have a result
//   zero_scalar_i   for each thread: the scalar is 0; read one cycle after last_i, and for
//                   invalid_o
//   base_i          while the program runs: the job is kG for the curve's point G, which is not
//                   tested
//   zero_answer_i   with two scalars, and of kG: the result is infinity; must be stable while the
//                   response is valid
//   infinity_o      for each thread: the point of the request is infinity
//   invalid_o       for each thread: there is no point to return
//   answer_o        the slot of the response; affine_o: its result is a point other than infinity
//   clear_o         write zero at clear_number_o, which runs through all its values; wipe_o: clear
//                   the results too; drop_o: the cycle before the clearing of a whole batch
//
// rsp_cycles_o counts from the last request of the batch to its first valid response. A response
// stays valid until it is accepted; without one, all its outputs but the tag are zero. Latency:
// rsp_valid_o is high two cycles after last_i; req_ready_o is high Clearing + 1 cycles after reset,
// zeroize or the last response. Ranges: Threads and Patience at least 1; Clearing at least 2, and
// enough for all memories and pipelines.

`default_nettype none

module gfp_jobs #(
  parameter int unsigned Threads = 1,
  parameter bit Double = 1'b0,  // aG + bP
  parameter bit HasBase = 1'b0,  // kG beside kP
  parameter bit Ladder = 1'b0,  // of x alone
  parameter int unsigned Clearing = 16,
  parameter int unsigned Patience = 64,
  parameter int unsigned TagW = 8,
  parameter int unsigned CycleW = 20,
  localparam int unsigned SlotW = (Threads > 1) ? $clog2(Threads) : 1,
  localparam int unsigned NumberW = $clog2(Clearing)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            zeroize_i,
  input  logic                            req_valid_i,
  output logic                            req_ready_o,
  input  ecsm_pkg::op_e                   req_op_i,
  input  logic                            req_infinity_i,
  input  logic              [   TagW-1:0] req_tag_i,
  output logic                            rsp_valid_o,
  input  logic                            rsp_ready_i,
  output ecsm_pkg::status_e               rsp_status_o,
  output logic                            rsp_infinity_o,
  output logic              [   TagW-1:0] rsp_tag_o,
  output logic              [ CycleW-1:0] rsp_cycles_o,
  output logic                            load_o,
  output logic              [  SlotW-1:0] slot_o,
  input  logic                            outside_i,
  input  logic                            base_i,
  output logic                            start_o,
  input  logic                            last_i,
  input  logic              [ CycleW-1:0] cycles_i,
  input  logic                            curve_i,
  input  logic              [  SlotW-1:0] curve_thread_i,
  input  logic                            curve_ok_i,
  input  logic              [Threads-1:0] zero_scalar_i,
  input  logic                            zero_answer_i,
  output logic              [Threads-1:0] infinity_o,
  output logic              [Threads-1:0] invalid_o,
  output logic              [  SlotW-1:0] answer_o,
  output logic                            affine_o,
  output logic                            drop_o,
  output logic                            wipe_o,
  output logic                            clear_o,
  output logic              [NumberW-1:0] clear_number_o
);

  localparam int unsigned WaitW = $clog2(Patience + 2);
  localparam int unsigned ClearW = $clog2(Clearing + 1);

  logic accept, full, run, respond, final_answer, drop;
  logic ready_q, last_q, done_q;
  logic [ClearW-1:0] clearing_q;  // clearing cycles that are left
  logic clear_q;  // clearing_q is not 0
  logic wipe_q;

  // One bit or value for each slot.
  logic [Threads-1:0] occupied_q, unsupported_q, infinity_q, range_q, curve_q, zero_q;
  logic [Threads-1:0][TagW-1:0] tag_q;
  logic [SlotW-1:0] fill_q, checked_slot_q, answer_q;  // next slot to fill, check, return
  logic checked_q;  // outside_i is valid: the cycle after the request
  logic again;  // every thread's point was tested
  logic [CycleW-1:0] cycles_q;

  assign req_ready_o = ready_q & ~zeroize_i;
  assign accept = req_valid_i & req_ready_o;
  assign full = fill_q == SlotW'(Threads - 1);
  assign respond = done_q & rsp_ready_i;
  assign drop = (respond & final_answer) | zeroize_i;

  // ------------------------------------------------------------------ a batch
  logic [CycleW-1:0] late;  // cycles from the last request to the first of the program
  if (Threads == 1) begin : gen_one
    assign run = accept;
    assign start_o = accept;
    assign final_answer = 1'b1;
    assign late = '0;
  end else begin : gen_many
    logic start_q;
    logic [WaitW-1:0] wait_q;  // cycles without a request
    logic tired;
    assign tired = ready_q & (fill_q != '0) & (wait_q == WaitW'(Patience)) & ~accept;
    assign run = (accept & full) | tired;
    assign start_o = start_q;
    assign final_answer = (answer_q == SlotW'(Threads - 1)) || !occupied_q[answer_q+SlotW'(1)];
    assign late = CycleW'(wait_q) + CycleW'(1);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        start_q <= 1'b0;
        wait_q <= '0;
      end else begin
        start_q <= run & ~zeroize_i;
        if (accept | (fill_q == '0)) wait_q <= '0;
        else if (ready_q) wait_q <= wait_q + WaitW'(1);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clearing_q <= ClearW'(Clearing);
      clear_q <= 1'b1;
      wipe_q <= 1'b1;
      ready_q <= 1'b0;
      last_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      if (drop | last_q) clearing_q <= ClearW'(Clearing);
      else if (clear_q) clearing_q <= clearing_q - ClearW'(1);
      clear_q <= drop | last_q | (clear_q & (clearing_q != ClearW'(1)));
      wipe_q <= drop | (wipe_q & clear_q);
      ready_q <= ~drop & (((clearing_q == ClearW'(1)) & ~done_q) | (ready_q & ~run));
      last_q <= last_i & ~zeroize_i;
      done_q <= ~drop & (done_q | last_q);
    end
  end

  // ------------------------------------------------------------------ slots
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      occupied_q <= '0;
      unsupported_q <= '0;
      infinity_q <= '0;
      range_q <= '0;
      curve_q <= '0;
      zero_q <= '0;
      tag_q <= '0;
      fill_q <= '0;
      answer_q <= '0;
      checked_slot_q <= '0;
      checked_q <= 1'b0;
      cycles_q <= '0;
    end else if (drop) begin
      occupied_q <= '0;
      unsupported_q <= '0;
      infinity_q <= '0;
      range_q <= '0;
      curve_q <= '0;
      zero_q <= '0;
      tag_q <= '0;
      fill_q <= '0;
      answer_q <= '0;
      checked_slot_q <= '0;
      checked_q <= 1'b0;
      cycles_q <= '0;
    end else begin
      checked_q <= accept;
      checked_slot_q <= fill_q;
      if (accept) begin
        occupied_q[fill_q] <= 1'b1;
        unsupported_q[fill_q] <= req_op_i != ecsm_pkg::OpKp;
        infinity_q[fill_q] <= req_infinity_i;
        tag_q[fill_q] <= req_tag_i;
        fill_q <= full ? '0 : fill_q + SlotW'(1);
      end
      if (checked_q) range_q[checked_slot_q] <= outside_i;
      if (curve_i & ~again) curve_q[curve_thread_i] <= curve_ok_i;
      if (last_q) zero_q <= zero_scalar_i;
      if (last_i) cycles_q <= cycles_i + late + CycleW'(2);  // the request's cycle and this one
      if (respond) answer_q <= answer_q + SlotW'(1);
    end
  end

  logic [Threads-1:0] none;  // Z is 0
  if (Ladder && Threads > 1) begin : gen_none
    logic [SlotW:0] tests_q;
    logic [Threads-1:0] none_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        tests_q <= '0;
        none_q  <= '0;
      end else if (drop) begin
        tests_q <= '0;
        none_q  <= '0;
      end else if (curve_i) begin
        if (again) none_q[curve_thread_i] <= curve_ok_i;
        else tests_q <= tests_q + (SlotW + 1)'(1);
      end
    end
    assign again = tests_q == (SlotW + 1)'(Threads);
    assign none  = none_q;
  end else begin : gen_some
    assign again = 1'b0;
    assign none  = '0;
  end

  logic base;  // the job is kG
  if (HasBase) begin : gen_base
    logic base_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) base_q <= 1'b0;
      else base_q <= ~drop & (base_q | base_i);
    end
    assign base = base_q;
  end else begin : gen_no_base
    assign base = 1'b0;
    logic unused_base;
    assign unused_base = base_i;
  end

  assign load_o = accept;
  assign slot_o = fill_q;
  assign infinity_o = infinity_q;
  assign invalid_o = ~occupied_q | unsupported_q | infinity_q | range_q | ~curve_q | zero_scalar_i
      | none;
  assign answer_o = answer_q;
  assign drop_o = drop;
  assign wipe_o = wipe_q;
  assign clear_o = clear_q;
  assign clear_number_o = NumberW'(clearing_q);

  // ------------------------------------------------------------------ responses
  ecsm_pkg::status_e status;
  always_comb begin
    status = ecsm_pkg::StatusOk;
    if (unsupported_q[answer_q]) status = ecsm_pkg::StatusUnsupported;
    else if (range_q[answer_q] & ~infinity_q[answer_q]) begin
      status = ecsm_pkg::StatusCoordinateOutOfRange;
    end else if (~curve_q[answer_q] & ~infinity_q[answer_q] & ~base) begin
      status = ecsm_pkg::StatusPointNotOnCurve;
    end
  end

  logic infinite;
  assign infinite = (Double | base) ? zero_answer_i : infinity_q[answer_q] | zero_q[answer_q];
  assign affine_o = done_q & (status == ecsm_pkg::StatusOk) & ~infinite;
  assign rsp_valid_o = done_q;
  assign rsp_status_o = done_q ? status : ecsm_pkg::StatusOk;
  assign rsp_infinity_o = done_q & (status == ecsm_pkg::StatusOk) & ~affine_o;
  assign rsp_tag_o = tag_q[answer_q];
  assign rsp_cycles_o = done_q ? cycles_q : '0;

  if (Threads < 1 || Clearing < 2 || Patience < 1) begin : gen_bad
    $error("gfp_jobs: Threads and Patience must be at least 1, Clearing 2");
  end

endmodule

`default_nettype wire
