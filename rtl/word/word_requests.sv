// SPDX-License-Identifier: Apache-2.0
//
// The request port of a word engine: its self-test, and tables that come from the host.
//
//   req_* --> [tested, tables are there?] --yes--> core_*
//              |     |     |  no: UNSUPPORTED; the self-test has failed: FAULT_DETECTED
//              |     |     v LoadOperation
//              |     |   word_load --load_*--> program, walks, constants
//              v     v
//          SelfTestOperation: by itself, with SelfTest, or on request --> core_*
//
// With SelfTest the core computes what is known (ecsm/schemes/word/known.py) after reset, and after
// tables have come, before a request is taken: no entropy is needed. Without it that happens on
// request alone. Once it has failed, every request is answered FAULT_DETECTED, until reset or until
// other tables have come and their test has not failed.
//
// Without tables there are no operations. An operation that the core does not see is answered here.
// LoadOperation zeroizes, takes the tables from in_* and, with SelfTest, answers behind the test.
//
// Latency: none for the core's operations. Of others it is in rsp_cycles_o.

`default_nettype none

module word_requests
  import word_pkg::*;
#(
  parameter bit SelfTest = 1,
  parameter bit Loaded = 0,
  parameter int unsigned Fixed = 1,  // words of constants
  parameter int unsigned NumWord = 2,
  parameter int unsigned NumSlot = 4,
  parameter int unsigned NumTable = 2,
  localparam int unsigned CycleW = 24
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     zeroize_i,
  output logic                     zeroize_o,
  input  logic                     req_valid_i,
  output logic                     req_ready_o,
  input  logic  [             5:0] req_op_i,
  output logic                     tests_o,          // a self-test of its own may begin
  output logic                     core_valid_o,
  input  logic                     core_ready_i,
  output logic  [             5:0] core_op_o,
  input  logic                     core_answers_i,
  output logic                     core_answered_o,
  input  logic  [             3:0] core_status_i,
  input  logic  [      CycleW-1:0] core_cycles_i,
  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output logic  [             3:0] rsp_status_o,
  output logic  [      CycleW-1:0] rsp_cycles_o,
  input  logic                     in_valid_i,
  output logic                     in_ready_o,
  input  logic  [            63:0] in_data_i,
  input  logic  [             3:0] in_bytes_i,
  input  logic                     in_last_i,
  input  logic                     core_in_ready_i,
  output load_e                    load_o,
  output logic  [LoadAddressW-1:0] load_address_o,
  output logic  [       LoadW-1:0] load_data_o
);

  typedef enum logic [1:0] {
    Run,    // the core runs, or may
    Test,
    Load,
    Answer
  } state_e;
  state_e state_q;
  logic tested_q, failed_q, asked_q, tabled, owes, done, good;
  logic accepted, loads, fails, busy, load_ready;
  ecsm_pkg::status_e status_q;
  logic [CycleW-1:0] cycles;  // of a request that is answered here

  assign tests_o = SelfTest && state_q == Run && tabled && !tested_q;
  assign accepted = req_valid_i && req_ready_o;
  assign loads = Loaded && accepted && req_op_i == LoadOperation;
  assign core_valid_o = tests_o || (req_valid_i && req_ready_o && tabled && !failed_q && !loads);
  assign core_op_o = tests_o ? SelfTestOperation : req_op_i;
  assign core_answered_o = rsp_ready_i || state_q == Test;
  assign req_ready_o = core_ready_i && state_q == Run && !tests_o;
  // A request of a test that is none is UNSUPPORTED.
  assign fails = core_answers_i && (asked_q || state_q == Test) &&
      core_status_i != ecsm_pkg::StatusOk &&
      (state_q == Test || core_status_i != ecsm_pkg::StatusUnsupported);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Run;
      tested_q <= !SelfTest;
      failed_q <= 1'b0;
      asked_q  <= 1'b0;
      status_q <= ecsm_pkg::StatusOk;
    end else begin
      if (accepted) asked_q <= req_op_i == SelfTestOperation;
      if (fails) failed_q <= 1'b1;
      unique case (state_q)
        Run: begin
          status_q <= failed_q ? ecsm_pkg::StatusFaultDetected : ecsm_pkg::StatusUnsupported;
          if (tests_o) begin
            if (core_ready_i) state_q <= Test;
          end else if (loads) state_q <= Load;
          else if (accepted && !core_valid_o) state_q <= Answer;
        end
        Test: begin
          if (core_answers_i) begin
            tested_q <= 1'b1;
            status_q <= fails ? ecsm_pkg::StatusFaultDetected : ecsm_pkg::StatusOk;
            state_q  <= owes ? Answer : Run;
          end
        end
        Load: begin
          if (done) begin
            state_q  <= (SelfTest && good) ? Run : Answer;
            status_q <= good ? ecsm_pkg::StatusOk : ecsm_pkg::StatusUnsupported;
            if (good) begin
              tested_q <= !SelfTest;
              failed_q <= 1'b0;
            end
          end
        end
        default: if (rsp_ready_i) state_q <= Run;
      endcase
      if (zeroize_i) state_q <= Run;
    end
  end

  always_comb begin
    rsp_valid_o  = (core_answers_i && state_q != Test) || state_q == Answer;
    rsp_status_o = core_status_i;
    if (fails) rsp_status_o = ecsm_pkg::StatusFaultDetected;
    if (state_q == Answer) rsp_status_o = status_q;
    rsp_cycles_o = (state_q == Answer) ? cycles : core_cycles_i;
    in_ready_o   = busy ? load_ready : core_in_ready_i;
  end

  if (Loaded) begin : gen_load
    logic tabled_q, owes_q;  // tables have come, and the test before the answer has not ended
    logic [CycleW-1:0] cycles_q;
    always_ff @(posedge clk_i) begin
      if (state_q == Run && !owes) cycles_q <= CycleW'(1);
      else cycles_q <= cycles_q + CycleW'(!(&cycles_q));
    end
    assign cycles = cycles_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        tabled_q <= 1'b0;
        owes_q   <= 1'b0;
      end else begin
        if (loads) tabled_q <= 1'b0;
        else if (state_q == Load && done) tabled_q <= good && !zeroize_i;
        if (state_q == Load) owes_q <= 1'b1;
        if (zeroize_i || state_q == Answer || (state_q == Run && !tests_o)) owes_q <= 1'b0;
      end
    end
    assign tabled = tabled_q;
    assign owes   = owes_q;

    word_load #(
      .Fixed(Fixed),
      .NumWord(NumWord),
      .NumSlot(NumSlot),
      .NumTable(NumTable)
    ) u_load (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .abort_i(zeroize_i),
      .start_i(loads),
      .zeroize_o(zeroize_o),
      .ready_i(core_ready_i),
      .busy_o(busy),
      .done_o(done),
      .good_o(good),
      .in_valid_i(in_valid_i),
      .in_ready_o(load_ready),
      .in_data_i(in_data_i),
      .in_bytes_i(in_bytes_i),
      .in_last_i(in_last_i),
      .load_o(load_o),
      .load_address_o(load_address_o),
      .load_data_o(load_data_o)
    );
  end else begin : gen_constant
    assign tabled = 1'b1;
    assign cycles = CycleW'(1);
    assign {owes, done, good, busy, load_ready} = '0;
    assign zeroize_o = 1'b0;
    assign load_o = LoadNone;
    assign load_address_o = '0;
    assign load_data_o = '0;
    logic unused;
    assign unused = ^{in_valid_i, in_data_i, in_bytes_i, in_last_i};
  end

endmodule

`default_nettype wire
