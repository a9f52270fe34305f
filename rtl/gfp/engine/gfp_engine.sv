// SPDX-License-Identifier: Apache-2.0
//
// The GF(p) engine computes kP on y^2 = x^3 + ax + b, a curve of prime order N. The parameters hold
// the curve and the program. Other kinds of Scalar: with two scalars {a, b} it computes
// aG + bP; with ScalarDigits kP on a complete Edwards curve; with ScalarLadder the function of
// RFC 7748 on a Montgomery curve (x is u, and y must be 0).
//
//   req_x_i, req_y_i --> [gfp_range]--> outside      [gfp_jobs] <--> requests, responses
//      |
//      v
//   [banks]-----+-> [gfp_form 0, 1] --> [multiplier] --> product --> banks, table, gfp_form
//   [table]-----+-> [gfp_form 2] -----> [adder] ---+---> sum ------> banks, table, gfp_form
//   [constants]-+                                  +--> [gfp_answers] --> rsp_x_o, rsp_y_o
//   [matrix]----+                                  +--> [gfp_divsteps] --+
//      ^                                                                 |
//      +------------------------- u, v, q, r ----------------------------+
//   req_scalar_i --> [gfp_scalars] -- entry, sign --> [gfp_control] -- decoded word --> all
//                                       word_i ---------^      +----> index_o
//
// The ports have the protocol of gf2m_engine, with these differences:
//   req_x_i, req_y_i  affine coordinates below P; ScalarLadder reads the low PW bits of x, which
//                     may be any number
//   req_scalar_i      any ScalarW bits, N and above included; or two scalars. ScalarLadder reads
//                     the bits that Kept selects, and reads bit PW - 1 as 1
//   rsp_cycles_o      cycles from the last accepted request of the batch to the first valid
//                     response
//   index_o, word_i   word_i in cycle t + 1 is the program word that index_o selects in cycle t
//   base_number_o, base_constant_i   the same for the constants of kG: x, y and 3 - bx
//
// One thread: cycle 0 accepts the request. In cycle 1 the engine writes x and y to a register of
// each bank, and the scalar to its register. The program runs from cycle 2.
// Several threads: the engine accepts up to Threads requests, then runs them as one batch
// (gfp_jobs). A word runs for Threads cycles (a turn), one cycle for each thread. Operands are read
// Fetch cycles before their use. Responses come in the order of the requests.
// With Base a request whose point is G has a program of its own, in fewer cycles.
//
// Latency: one thread 2 + C cycles, C the cycles of the program, for every scalar, point and
// status. A batch 3 + Threads C cycles from its last request; a batch that is not full waits for
// the patience of gfp_jobs too. At the end of the program the engine clears all data except the
// results. After the last response, zeroize or reset it clears all data and is then ready. Each
// takes Clearing cycles. Ranges: CoordW at least PW; two scalars and digits upward need one
// thread. Source of the structure: docs/theory/prime.md.

`default_nettype none

module gfp_engine
  import gfp_engine_pkg::*;
  import gfp_pkg::*;
#(
  parameter int unsigned PW = 256,  // bits of the prime
  parameter bit [PW-1:0] P = '0,
  parameter int unsigned ScalarW = 256,
  parameter bit [ScalarW-1:0] N = '0,
  parameter int unsigned CoordW = 256,  // port width of a coordinate, >= PW
  parameter int unsigned TagW = 8,
  parameter int unsigned CycleW = 20,
  parameter int unsigned Threads = 1,
  parameter int unsigned Patience = 64,  // cycles before a batch that is not full starts
  // Residues and the multiplier: gfp_mul, or one that reads NumStep digits of Step bits
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
  // Scalar and inversion
  parameter scalar_e Scalar = ScalarWindow,
  parameter int unsigned Window = 5,
  parameter int unsigned Chunk = 16,
  parameter int unsigned HalfNumDigit = 2,  // of two halves, with the five that follow
  parameter int unsigned HalfD = 18,
  parameter int unsigned HalfC = 8,
  parameter int unsigned HalfPoint = 15,
  parameter bit [5:0][HalfC-1:0][HalfD-1:0] HalfRows = '0,
  parameter bit [1:0][1:0] HalfOdd = '0,
  parameter bit [ScalarW-1:0] Kept = '1,  // of ScalarLadder
  parameter int unsigned NumDigit = 2,  // of two scalars, with the four that follow
  parameter int unsigned Groups = 1,
  parameter int unsigned Teeth = 2,
  parameter int unsigned NumFixed = 1,
  parameter bit [NumFixed-1:0][NumColumn-1:0][S.num_limb-1:0][S.reg_w-1:0] Fixed = '0,
  parameter int unsigned Batch = 62,
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
  // Program: the words (format: gfp_control) are in a memory beside the engine.
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  parameter base_t Base = '0,  // kG; its constants are in a memory beside the engine, too
  parameter bit [1:0][PW-1:0] Generator = '0,  // {y, x} of G
  localparam int unsigned EntryW = (Window > 1) ? Window - 1 : 1,
  localparam int unsigned FixedW = (NumFixed > 1) ? $clog2(NumFixed) : 1,
  localparam int unsigned ThreadW = (Threads > 1) ? $clog2(Threads) : 1,
  localparam int unsigned WordBits = word_w(ThreadW, EntryW, NumGate),
  localparam int unsigned IndexW = $clog2(Depth + Base.depth)
) (
  input logic clk_i,
  input logic rst_ni,
  input logic zeroize_i,
  input logic req_valid_i,
  output logic req_ready_o,
  input ecsm_pkg::op_e req_op_i,
  input logic [ScalarW-1:0] req_scalar_i,
  input logic [CoordW-1:0] req_x_i,
  input logic [CoordW-1:0] req_y_i,
  input logic req_infinity_i,
  input logic [TagW-1:0] req_tag_i,
  output logic rsp_valid_o,
  input logic rsp_ready_i,
  output ecsm_pkg::status_e rsp_status_o,
  output logic [CoordW-1:0] rsp_x_o,
  output logic [CoordW-1:0] rsp_y_o,
  output logic rsp_infinity_o,
  output logic [TagW-1:0] rsp_tag_o,
  output logic [CycleW-1:0] rsp_cycles_o,
  output logic [IndexW-1:0] index_o,
  input logic [WordBits-1:0] word_i,
  output logic [base_w(Base.columns, Base.groups, Base.teeth)-1:0] base_number_o,
  input logic [NumBase-1:0][S.num_limb-1:0][S.reg_w-1:0] base_constant_i
);

  localparam bit Double = is_double(Scalar);
  localparam int unsigned LimbW = limb_w(S);
  localparam bit Many = Threads > 1;
  localparam int unsigned Latency = 2 + $countones(S.ranks) + 32'(Many);
  localparam int unsigned Clearing = clearing(Many ? 2 ** ThreadW : 1, 2 ** EntryW, Latency);
  localparam int unsigned ClearW = $clog2(Clearing);

  logic load, held_load, start, last, drop, wipe, clear;
  logic [ClearW-1:0] clear_number;
  logic [ThreadW-1:0] slot, held_slot, answer, curve_thread;
  logic outside, curve, curve_ok, affine;  // curve_ok: the last reduced value is zero
  logic base, base_start, base_negative;  // this job is kG; its program starts; its digit's sign
  logic [Threads-1:0] zero_scalar, infinity, invalid, negative, negate;
  logic [CycleW-1:0] cycles;

  gfp_jobs #(
    .Threads(Threads),
    .Double(Double),
    .HasBase(Base.columns != 0),
    .Ladder(Scalar == ScalarLadder),
    .Clearing(Clearing),
    .Patience(Patience),
    .TagW(TagW),
    .CycleW(CycleW)
  ) u_jobs (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_op_i(req_op_i),
    .req_infinity_i(req_infinity_i),
    .req_tag_i(req_tag_i),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_status_o(rsp_status_o),
    .rsp_infinity_o(rsp_infinity_o),
    .rsp_tag_o(rsp_tag_o),
    .rsp_cycles_o(rsp_cycles_o),
    .load_o(load),
    .slot_o(slot),
    .outside_i(outside),
    .base_i(base),
    .start_o(start),
    .last_i(last),
    .cycles_i(cycles),
    .curve_i(curve),
    .curve_thread_i(curve_thread),
    .curve_ok_i(curve_ok),
    .zero_scalar_i(zero_scalar),
    .zero_answer_i(curve_ok),
    .infinity_o(infinity),
    .invalid_o(invalid),
    .answer_o(answer),
    .affine_o(affine),
    .drop_o(drop),
    .wipe_o(wipe),
    .clear_o(clear),
    .clear_number_o(clear_number)
  );

  logic [ScalarW-1:0] held_scalar;
  logic [CoordW-1:0] held_x, held_y;
  gfp_request #(
    .NumLimb(S.num_limb),
    .LimbW(LimbW),
    .PW(PW),
    .P(P),
    .ScalarW(ScalarW),
    .CoordW(CoordW),
    .SlotW(ThreadW),
    .Ladder(Scalar == ScalarLadder),
    .HasBase(Base.columns != 0),
    .Generator(Generator)
  ) u_request (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(drop | clear),
    .load_i(load),
    .slot_i(slot),
    .req_scalar_i(req_scalar_i),
    .req_x_i(req_x_i),
    .req_y_i(req_y_i),
    .infinity_i(infinity[0]),
    .outside_o(outside),
    .load_o(held_load),
    .slot_o(held_slot),
    .scalar_o(held_scalar),
    .x_o(held_x),
    .y_o(held_y),
    .base_o(base),
    .base_start_o(base_start)
  );

  // ------------------------------------------------------------------ control
  logic inverse_negative, next, fixed;
  logic [Threads-1:0][EntryW-1:0] index;
  logic [FixedW-1:0] number;
  logic [ThreadW-1:0] fetch, ahead, thread;
  logic [1:0][EntryW-1:0] entry;
  logic [NumTerm-1:0] enable;
  logic [NumTake-1:0] take;  // units that read the sum on the adder's output in this cycle
  reads_t read;
  moves_t moves;

  gfp_control #(
    .Threads(Threads),
    .EntryW(EntryW),
    .CycleW(CycleW),
    .NumTerm(NumTerm),
    .NumGate(NumGate),
    .Gates(Gates),
    .Depth(Depth),
    .RepeatW(RepeatW),
    .RepeatColumns(RepeatColumns),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
    .Base(Base),
    .WordBits(WordBits)
  ) u_control (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(zeroize_i),
    .start_i(start),
    .base_start_i(base_start),
    .last_o(last),
    .cycles_o(cycles),
    .index_o(index_o),
    .word_i(word_i),
    .negative_i(base ? Threads'(base_negative) : negative),
    .flip_i(negate ^ {Threads{inverse_negative}}),
    .invalid_i(invalid),
    .infinity_i(infinity),
    .fetch_o(fetch),
    .next_o(next),
    .read_o(read),
    .ahead_o(ahead),
    .enable_o(enable),
    .moves_o(moves),
    .entry_o(entry),
    .thread_o(thread),
    .take_o(take)
  );

  logic [S.num_limb-1:0][S.reg_w-1:0] sum;
  logic signed [Batch+1:0] matrix[NumMatrix];
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
    .Threads(Threads),
    .EntryW(EntryW),
    .HasFixed(Double),
    .HasBase(Base.columns != 0),
    .NumFixed(NumFixed),
    .Fixed(Fixed),
    .MatrixW(Batch + 2),
    .NumConst(NumConst),
    .NumTerm(NumTerm),
    .Consts(Consts),
    .Terms(Terms),
    .ClearW(ClearW)
  ) u_datapath (
    .clk_i(clk_i),
    .load_i(held_load),
    .slot_i(held_slot),
    .x_i(held_x),
    .y_i(held_y),
    .read_i(read),
    .fetch_i(fetch),
    .ahead_i(ahead),
    .index_i(index[fetch]),
    .fixed_i(fixed),
    .number_i(number),
    .base_i(base),
    .constant_i(base_constant_i),
    .enable_i(enable),
    .moves_i(moves),
    .thread_i(thread),
    .entry_i(is_upward(Scalar) ? {2{index[0]}} : entry),
    .clear_i(clear),
    .clear_number_i(clear_number),
    .matrix_i(matrix),
    .sum_o(sum)
  );

  // ------------------------------------------------------------------ scalar, inversion, results
  gfp_scalars #(
    .Threads(Threads),
    .W(ScalarW),
    .N(N),
    .Scalar(Scalar),
    .Window(Window),
    .Chunk(Chunk),
    .LadderW(PW),
    .Kept(Kept),
    .EntryW(EntryW),
    .Groups(Groups),
    .Teeth(Teeth),
    .NumberW(FixedW),
    .Base(Base),
    .NumDigit(Double ? NumDigit : HalfNumDigit),
    .D(HalfD),
    .C(HalfC),
    .Point(HalfPoint),
    .Rows(HalfRows),
    .Odd(HalfOdd),
    .InDsp(S.mul_in_dsp),
    .ClearW(ClearW)
  ) u_scalars (
    .clk_i(clk_i),
    .clear_i(clear),
    .clear_number_i(clear_number),
    .load_i(held_load),
    .slot_i(held_slot),
    .scalar_i(held_scalar),
    .next_i(next),
    .thread_i(fetch),
    .fixed_o(fixed),
    .number_o(number),
    .base_number_o(base_number_o),
    .base_negative_o(base_negative),
    .index_o(index),
    .negative_o(negative),
    .zero_o(zero_scalar),
    .negate_o(negate)
  );

  logic [S.reg_w-1:0] taken[S.num_limb];
  for (genvar k = 0; k < S.num_limb; k++) begin : gen_taken
    assign taken[k] = sum[k];
  end

  logic unused_busy;
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
    .clear_i(clear),
    .start_i(take[TakeDivide]),
    .g_i(taken),
    .u_o(matrix[0]),
    .v_o(matrix[1]),
    .q_o(matrix[2]),
    .r_o(matrix[3]),
    .negative_o(inverse_negative),
    .busy_o(unused_busy)
  );

  logic [PW-1:0] x, y;
  gfp_answers #(
    .Threads(Threads),
    .NumLimb(S.num_limb),
    .LimbW(LimbW),
    .InW(S.reg_w),
    .PW(PW),
    .P(P),
    .MaxShift(MaxShift)
  ) u_answers (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .drop_i(drop),
    .wipe_i(wipe),
    .clear_number_i(ThreadW'(clear_number)),
    .take_curve_i(take[TakeCurve]),
    .take_x_i(take[TakeX]),
    .take_y_i(take[TakeY]),
    .thread_i(thread),
    .v_i(taken),
    .curve_o(curve),
    .curve_thread_o(curve_thread),
    .zero_o(curve_ok),
    .slot_i(answer),
    .x_o(x),
    .y_o(y)
  );

  assign rsp_x_o = affine ? CoordW'(x) : '0;
  assign rsp_y_o = affine ? CoordW'(y) : '0;

  if (CoordW < PW || (Many && (Double || is_upward(Scalar)))) begin : gen_bad
    $error("gfp_engine: CoordW at least PW; two scalars, and digits upward, take one thread");
  end

endmodule

`default_nettype wire
