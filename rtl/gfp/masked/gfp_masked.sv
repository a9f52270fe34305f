// SPDX-License-Identifier: Apache-2.0
//
// The masked GF(p) engine computes kP on y^2 = x^3 + ax + b, a curve of prime order with a = 0 or
// a = -3, as gfp_engine does, and protects scalar and result (ProtectFull of ecsm_protect_pkg). The
// parameters hold the curve and the program.
//
//   req_*, rsp_* <--> [ecsm_front, its control twice] -- index_o ....> memory ....> word_i
//                          | take                                                     |
//   req_x_i, req_y_i --> [gfp_datapath] <-------- [gfp_masked_control] <--------------+
//                          |    ^                        ^ swap, role
//   req_scalar_i ----------|----|----------------- [gfp_masks] <-- random_i
//                          |    +-- [gfp_divsteps], masks
//                          +--> [gfp_masked_answers] --> flags; rsp_x_o, rsp_y_o
//
// The ports are those of gfp_engine with one thread, and random_*: a job needs RandomW fresh bits
// (gfp_masks) and is not accepted before they have come; words of 32 bits by valid/ready. Cycles
// are the same for every scalar, point and status. A fault that is found ends the job with
// StatusFaultDetected and zero coordinates:
//
//   - the front's own checks: control and flags twice, the result's curve equation
//   - parities of the program's words and of what they decode to (gfp_masked_control)
//   - each key used once, and unchanged (gfp_masks)
//   - the result's coordinates computed and reduced twice (gfp_masked_answers)
//   - the answer of gfp_range, and what else is held of a job, held twice
//
// The answer is infinity if the result is (0 : Y : 0) with a Y that is not 0. Another result with
// y = 0 is on no curve of odd order: a fault, too.
//
// Latency: 2 + C cycles, C those of the program. Then the front clears all data, 2^BankW cycles,
// after the response, zeroize_i or reset. Source of the program: ecsm/formulas/gfp/masked.py.

`default_nettype none

module gfp_masked
  import gfp_engine_pkg::*;
  import gfp_masked_pkg::*;
  import gfp_pkg::*;
#(
  parameter int unsigned PW = 256,  // bits of the prime
  parameter bit [PW-1:0] P = '0,
  parameter int unsigned ScalarW = 256,
  parameter bit [ScalarW+1:0] ScalarOffset = '0,  // of gfp_masks, with the next one
  parameter int unsigned MaskW = 60,
  parameter int unsigned CoordW = 256,  // port width of a coordinate, >= PW
  parameter int unsigned TagW = 8,
  parameter int unsigned CycleW = 20,
  parameter shape_t S = '0,
  parameter mul_e Mul = MulWhole,
  parameter int unsigned Step = 1,
  parameter int unsigned NumStep = 1,
  // verilator lint_off WIDTHTRUNC
  // Lint would compare their values with the widths that the default of S gives them.
  parameter bit [S.num_product-1:0][S.num_limb-1:0] Pick = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Plus = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Minus = '0,
  parameter bit signed [S.num_cut-1:0][S.num_word-1:0][63:0] Rows = '0,
  parameter bit [S.num_word-1:0][S.out_w-1:0] WordOffset = '0,
  parameter bit signed [S.num_limb-1:0][63:0] Fold = '0,
  parameter bit [S.num_round-1:0][S.num_limb-1:0][S.joined_w-1:0] Offset = '0,
  parameter bit [S.num_add_round-1:0][S.num_limb-1:0][S.op_w-1:0] AddOffset = '0,
  parameter int unsigned MaxShift = 2,  // of gfp_canon
  parameter int unsigned Batch = 62,  // of gfp_divsteps, with the next three
  parameter int unsigned PerCycle = 2,
  parameter int unsigned NumBatch = 10,
  parameter int unsigned Rest = 0,
  // Operand network
  parameter int unsigned NumConst = 1,
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter bit [NumConst-1:0][S.num_limb-1:0][S.op_w-1:0] Consts = '0,
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter gate_t [NumGate-1:0] Gates = '0,
  // verilator lint_on WIDTHTRUNC
  // Program: the words (format: gfp_masked_control) are in a memory beside the engine. Column i of
  // TestColumns has the words in which flag i is known.
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0,
  parameter bit [NumFlag-1:0][Depth-1:0] TestColumns = '0,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  localparam int unsigned WordBits = 1 + $bits(control_t) + NumGate,
  localparam int unsigned IndexW = $clog2(Depth)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             zeroize_i,
  input  logic                             req_valid_i,
  output logic                             req_ready_o,
  input  ecsm_pkg::op_e                    req_op_i,
  input  logic              [ ScalarW-1:0] req_scalar_i,
  input  logic              [  CoordW-1:0] req_x_i,
  input  logic              [  CoordW-1:0] req_y_i,
  input  logic                             req_infinity_i,
  input  logic              [    TagW-1:0] req_tag_i,
  output logic                             rsp_valid_o,
  input  logic                             rsp_ready_i,
  output ecsm_pkg::status_e                rsp_status_o,
  output logic              [  CoordW-1:0] rsp_x_o,
  output logic              [  CoordW-1:0] rsp_y_o,
  output logic                             rsp_infinity_o,
  output logic              [    TagW-1:0] rsp_tag_o,
  output logic              [  CycleW-1:0] rsp_cycles_o,
  output logic              [  IndexW-1:0] index_o,
  input  logic              [WordBits-1:0] word_i,
  input  logic                             random_valid_i,
  output logic                             random_ready_o,
  input  logic              [        31:0] random_i
);

  localparam int unsigned LimbW = limb_w(S);
  localparam int unsigned CountW = 1 + NumFlag + IndexW;  // a word that the front counts

  // ------------------------------------------------------------------ jobs
  // What the front counts: {0, tests, numbers of words}.
  typedef bit [CountW-1:0][Depth-1:0] columns_t;
  function automatic columns_t counted();
    counted = '0;
    for (int unsigned b = 0; b < IndexW; b++) begin
      for (int unsigned i = 0; i < Depth; i++) counted[b][i] = 1'(i >> b);
    end
    for (int unsigned f = 0; f < NumFlag; f++) counted[IndexW+f] = TestColumns[f];
  endfunction

  logic accept, unused_take, unused_ready_d, clear, flush, active, last, check_active;
  logic [BankW-1:0] slot;
  logic [CountW-1:0] count, unused_check_word;
  logic [NumFlag-1:0] test_q, flag;
  logic zero, affine, unused_affine_d, unused_word, random_full;
  logic [IndexW-1:0] unused_index;
  logic [PW-1:0] x, y;
  logic range_q, inside_q, accepted_q, idle_q, outside;
  logic divided_q, whole_q, held_fault;
  logic control_fault, scalar_fault, answer_fault;
  ecsm_pkg::status_e status;

  ecsm_front #(
    .Protect(ecsm_protect_pkg::ProtectFull),
    .FieldW(PW),
    .CoordW(CoordW),
    .TagW(TagW),
    .CycleW(CycleW),
    .NumFlag(NumFlag),
    .CheckW(CountW),
    .SlotW($clog2(BankDepth)),
    .IndexW(IndexW),
    .WordW(CountW),
    .Depth(Depth),
    .RepeatW(RepeatW),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
    .Columns(counted()),
    .RepeatColumns(RepeatColumns)
  ) u_front (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_op_i(req_op_i),
    .req_x_i(req_x_i),
    .req_y_i(req_y_i),
    .req_infinity_i(req_infinity_i),
    .req_tag_i(req_tag_i),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_status_o(status),
    .rsp_x_o(rsp_x_o),
    .rsp_y_o(rsp_y_o),
    .rsp_infinity_o(rsp_infinity_o),
    .rsp_tag_o(rsp_tag_o),
    .rsp_cycles_o(rsp_cycles_o),
    .check_active_o(check_active),
    .check_word_o(unused_check_word),
    .result_i(flag[FlagResult]),
    .fault_i(control_fault | scalar_fault | answer_fault | held_fault),
    .random_valid_i(random_full),
    .random_ready_o(accept),
    .take_o(unused_take),
    .ready_d_o(unused_ready_d),
    .clear_o(clear),
    .flush_o(flush),
    .slot_o(slot),
    .active_o(active),
    .last_o(last),
    .word_o(count),
    .test_i(test_q),
    .found_i({NumFlag{zero}}),
    .flag_o(flag),
    .curve_i(flag[FlagCurve] & ~range_q),
    .odd_i(1'b1),
    .zero_i(flag[FlagInfinity] & flag[FlagX] & ~flag[FlagY]),
    .affine_d_o(unused_affine_d),
    .affine_q_o(affine),
    .result_x_i(affine ? x : '0),
    .result_y_i(affine ? y : '0),
    .index_o(unused_index),
    .word_i('0)
  );
  assign index_o = count[IndexW-1:0];
  assign unused_word = count[CountW-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) test_q <= '0;
    else test_q <= count[IndexW+:NumFlag] & {NumFlag{active & ~zeroize_i}};
  end

  // ------------------------------------------------------------------ the request
  // The front knows bits above PW; a coordinate of PW bits may be P and more.
  gfp_range #(
    .NumLimb(S.num_limb),
    .LimbW(LimbW),
    .CoordW(CoordW),
    .PW(PW),
    .P(P)
  ) u_range (
    .clk_i(clk_i),
    .take_i(accept),
    .x_i(req_x_i),
    .y_i(req_y_i),
    .outside_o(outside)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q <= 1'b0;
      idle_q <= 1'b1;
      range_q <= 1'b0;
      inside_q <= 1'b1;
    end else begin
      accepted_q <= accept;
      idle_q <= ~accept;
      if (clear) begin
        range_q  <= 1'b0;
        inside_q <= 1'b1;
      end else if (accepted_q) begin
        range_q  <= outside;
        inside_q <= ~outside;
      end
    end
  end
  // SEC_CM: STATE.REDUNDANCY: what the engine holds of a job is held twice, once inverted
  assign held_fault = (range_q == inside_q) | (accepted_q == idle_q) | (divided_q == whole_q);

  always_comb begin
    rsp_status_o = status;
    if (status == ecsm_pkg::StatusPointNotOnCurve && range_q) begin
      rsp_status_o = ecsm_pkg::StatusCoordinateOutOfRange;
    end
  end

  // One cycle later; zero when there is none. The program reads it later still.
  logic [CoordW-1:0] x_q, y_q;
  always_ff @(posedge clk_i) begin
    x_q <= accept ? req_x_i : '0;
    y_q <= accept ? req_y_i : '0;
  end

  // ------------------------------------------------------------------ scalar and control
  logic next, swap, role;
  logic [NumMatrix-1:0][MaskW-1:0] mask;
  logic [NumMaskedTake-1:0] take;
  logic [NumTerm-1:0] enable;
  reads_t read;
  moves_t moves;

  gfp_masks #(
    .W(ScalarW),
    .Offset(ScalarOffset),
    .NumMask(NumMatrix),
    .MaskW(MaskW)
  ) u_masks (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .clear_i(flush),
    .load_i(accept),
    .shift_i(next),
    .scalar_i(req_scalar_i),
    .swap_o(swap),
    .role_o(role),
    .last_i(last),
    .fault_o(scalar_fault),
    .random_valid_i(random_valid_i),
    .random_ready_o(random_ready_o),
    .random_i(random_i),
    .random_full_o(random_full),
    .mask_o(mask)
  );

  gfp_masked_control #(
    .NumTerm(NumTerm),
    .NumGate(NumGate),
    .Gates(Gates),
    .WordBits(WordBits)
  ) u_control (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(zeroize_i),
    .active_i(active),
    .check_active_i(check_active),
    .word_i(word_i),
    .swap_i(swap),
    .role_i(role),
    .next_o(next),
    .read_o(read),
    .enable_o(enable),
    .moves_o(moves),
    .take_o(take),
    .fault_o(control_fault)
  );

  // ------------------------------------------------------------------ datapath
  logic [S.num_limb-1:0][S.reg_w-1:0] sum;
  logic signed [Batch+1:0] steps[NumMatrix], matrix[NumMatrix];
  gfp_datapath #(
    .S(S),
    .Mul(Mul),
    .Step(Step),
    .NumStep(NumStep),
    .PW(PW),
    .P(P),
    .Pick(Pick),
    .Plus(Plus),
    .Minus(Minus),
    .Rows(Rows),
    .WordOffset(WordOffset),
    .Fold(Fold),
    .Offset(Offset),
    .AddOffset(AddOffset),
    .CoordW(CoordW),
    .EntryW(1),
    .MatrixW(Batch + 2),
    .NumConst(NumConst),
    .NumTerm(NumTerm),
    .Consts(Consts),
    .Terms(Terms),
    .ClearW(BankW)
  ) u_datapath (
    .clk_i(clk_i),
    .load_i(accepted_q),
    .slot_i(1'b0),
    .x_i(x_q),
    .y_i(y_q),
    .read_i(read),
    .fetch_i(1'b0),
    .ahead_i(1'b0),
    .index_i(1'b0),
    .fixed_i(1'b0),
    .number_i(1'b0),
    .enable_i(enable),
    .moves_i(moves),
    .thread_i(1'b0),
    .entry_i('0),
    .clear_i(clear),
    .clear_number_i(slot),
    .matrix_i(matrix),
    .sum_o(sum)
  );

  logic [S.reg_w-1:0] taken[S.num_limb];
  for (genvar k = 0; k < S.num_limb; k++) begin : gen_taken
    assign taken[k] = sum[k];
  end

  logic unused_busy, unused_negative;
  gfp_divsteps #(
    .NumLimb(S.num_limb),
    .LimbW(LimbW),
    .InW(S.reg_w),
    .Modulus((S.num_limb * LimbW)'(P)),
    .Batch(Batch),
    .PerCycle(PerCycle),
    .NumBatch(NumBatch),
    .Rest(Rest)
  ) u_divsteps (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(flush),
    .start_i(take[TakeDivide]),
    .g_i(taken),
    .u_o(steps[0]),
    .v_o(steps[1]),
    .q_o(steps[2]),
    .r_o(steps[3]),
    .negative_o(unused_negative),
    .busy_o(unused_busy)
  );

  // Masks stand where the matrix will, until a division starts.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      divided_q <= 1'b0;
      whole_q   <= 1'b1;
    end else if (flush) begin
      divided_q <= 1'b0;
      whole_q   <= 1'b1;
    end else if (take[TakeDivide]) begin
      divided_q <= 1'b1;
      whole_q   <= 1'b0;
    end
  end
  for (genvar i = 0; i < NumMatrix; i++) begin : gen_matrix
    assign matrix[i] = divided_q ? steps[i] : (Batch + 2)'(mask[i]);
  end

  gfp_masked_answers #(
    .NumLimb(S.num_limb),
    .LimbW(LimbW),
    .InW(S.reg_w),
    .PW(PW),
    .P(P),
    .MaxShift(MaxShift)
  ) u_answers (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .take_test_i(take[TakeCurve] | take[TakeResult]),
    .take_x_i(take[TakeX]),
    .take_y_i(take[TakeY]),
    .v_i(taken),
    .zero_o(zero),
    .fault_o(answer_fault),
    .x_o(x),
    .y_o(y)
  );

  if (MaskW > Batch) begin : gen_bad
    $error("gfp_masked: MaskW must be at most Batch");
  end

endmodule

`default_nettype wire
