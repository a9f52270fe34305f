// SPDX-License-Identifier: Apache-2.0
//
// The GF(p) engine: registers, operand network, a multiplier, an adder, a table of the point's
// multiples and division steps, run by the sequencer.
//
// Computes kP on y^2 = x^3 + ax + b, a curve of prime order N, with the program in its parameters
// (which carry the curve too). Requests and responses are valid/ready; one job at a time. The ports
// are those of gf2m_engine:
//
//   req_x_i, req_y_i   affine coordinates, below P
//   req_infinity_i     the point is infinity; coordinates are then ignored
//   req_scalar_i       any ScalarW-bit scalar, N and above included
//   rsp_status_o       ecsm_pkg::status_e; rsp_x_o, rsp_y_o and rsp_infinity_o are zero on error
//   rsp_cycles_o       cycles from the accepted request to the valid response
//   zeroize_i          drop the job; an answer taken in that very cycle is a right one
//
// Cycle 0 takes the request: the point into a register of each bank, the scalar into its register. The
// program's words follow from cycle 1, each decoded in the cycle before the one it executes in.
//
// Latency: 1 + the program's cycles, the same for every scalar, point and status. When it is done,
// and again when the answer is taken, at zeroize and reset, everything but the answer is cleared, the
// table entry by entry and the multiplier by zeros that follow, in Clearing cycles; taking, zeroize
// and reset clear the answer too, and then the core is ready.
// Source of the structure: docs/prime.md.

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
  // Residues and the multiplier: gfp_mul, or one that takes NumStep digits of Step bits, one a cycle
  parameter shape_t S = '0,
  parameter mul_e Mul = MulWhole,
  parameter int unsigned Step = 1,
  parameter int unsigned NumStep = 1,
  // verilator lint_off WIDTHTRUNC
  // Their values would be compared with the widths that S's default gives them.
  parameter bit [S[NumProduct]-1:0][S[NumLimb]-1:0] Pick = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Plus = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Minus = '0,
  parameter bit signed [S[NumCut]-1:0][S[NumWord]-1:0][63:0] Rows = '0,
  parameter bit [S[NumWord]-1:0][S[OutW]-1:0] WordOffset = '0,
  parameter bit signed [S[NumLimb]-1:0][63:0] Fold = '0,
  parameter bit [S[NumRound]-1:0][S[NumLimb]-1:0][S[JoinedW]-1:0] Offset = '0,
  parameter bit [S[NumAddRound]-1:0][S[NumLimb]-1:0][S[OpW]-1:0] AddOffset = '0,
  parameter int unsigned MaxShift = 2,  // of gfp_canon
  // Scalar and inversion
  parameter int unsigned Window = 5,
  parameter int unsigned Chunk = 16,
  parameter int unsigned Batch = 62,
  parameter int unsigned PerCycle = 2,
  parameter int unsigned NumBatch = 10,
  parameter int unsigned Wait = 0,
  // Operand network
  parameter int unsigned NumConst = 1,
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter bit [NumConst-1:0][S[NumLimb]-1:0][S[OpW]-1:0] Consts = '0,
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter gate_t [NumGate-1:0] Gates = '0,
  // verilator lint_on WIDTHTRUNC
  // Program: word = {next, take, entries of the adder's and the multiplier's result, moves, gates}
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  localparam int unsigned EntryW = Window - 1,
  localparam int unsigned WordBits =
      1 + NumTake + 2 * EntryW + $bits(moves_t) + NumGate,
  parameter bit [WordBits-1:0][Depth-1:0] Columns = '0,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            zeroize_i,
  input  logic                            req_valid_i,
  output logic                            req_ready_o,
  input  ecsm_pkg::op_e                   req_op_i,
  input  logic              [ScalarW-1:0] req_scalar_i,
  input  logic              [ CoordW-1:0] req_x_i,
  input  logic              [ CoordW-1:0] req_y_i,
  input  logic                            req_infinity_i,
  input  logic              [   TagW-1:0] req_tag_i,
  output logic                            rsp_valid_o,
  input  logic                            rsp_ready_i,
  output ecsm_pkg::status_e               rsp_status_o,
  output logic              [ CoordW-1:0] rsp_x_o,
  output logic              [ CoordW-1:0] rsp_y_o,
  output logic                            rsp_infinity_o,
  output logic              [   TagW-1:0] rsp_tag_o,
  output logic              [ CycleW-1:0] rsp_cycles_o
);

  localparam int unsigned LimbW = limb_w(S);
  localparam int unsigned Entries = 2 ** EntryW;
  localparam int unsigned Latency = 2 + $countones(S[Ranks]);
  // Zeros into every entry and register, and through the multiplier.
  localparam int unsigned Most = (Entries > BankDepth) ? Entries : BankDepth;
  localparam int unsigned Clearing = (Most > Latency) ? Most : Latency;
  localparam int unsigned ClearW = $clog2(Clearing + 1);

  typedef logic [S[NumLimb]-1:0][S[RegW]-1:0] residue_t;

  // ------------------------------------------------------------------ jobs
  logic accept, respond, drop, active, last, last_q, done_q, unused_idle;
  logic ready_q;
  logic [ClearW-1:0] clearing_q;  // cycles of clearing left
  logic clear;
  assign req_ready_o = ready_q & ~zeroize_i;
  assign accept = req_valid_i & req_ready_o;
  assign rsp_valid_o = done_q;
  assign respond = done_q & rsp_ready_i;
  assign drop = respond | zeroize_i;
  assign clear = clearing_q != '0;

  logic wiped_q;  // the answer is cleared too

  logic [WordBits-1:0] word;
  logic [CycleW-1:0] cycles;
  ecsm_sequencer #(
    .Depth(Depth),
    .WordW(WordBits),
    .RepeatW(RepeatW),
    .Columns(Columns),
    .RepeatColumns(RepeatColumns),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
    .CycleW(CycleW)
  ) u_sequencer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(zeroize_i),
    .start_i(accept),
    .idle_o(unused_idle),
    .active_o(active),
    .last_o(last),
    .word_o(word),
    .cycles_o(cycles)
  );

  // ------------------------------------------------------------------ decoded words
  typedef struct packed {
    logic next;
    logic [NumTake-1:0] take;
    logic [1:0][EntryW-1:0] entry;  // of the table, for the adder's and the multiplier's result
    moves_t moves;
  } control_t;

  control_t control, control_q;
  logic [NumGate-1:0] gate;
  assign {control, gate} = word;

  logic negative, flip, inverse_negative, zero_scalar, negate;
  logic [EntryW-1:0] index;
  assign flip = negate ^ inverse_negative;

  logic [NumGate-1:0] open;
  for (genvar g = 0; g < NumGate; g++) begin : gen_gate
    localparam gate_t Gate = Gates[g];
    if (Gate.guard == GuardNegative) begin : gen_negative
      assign open[g] = gate[g] & (negative == Gate.value);
    end else if (Gate.guard == GuardFlip) begin : gen_flip
      assign open[g] = gate[g] & (flip == Gate.value);
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
      clearing_q <= ClearW'(Clearing);
      wiped_q <= 1'b1;
      ready_q <= 1'b0;
      last_q <= 1'b0;
      done_q <= 1'b0;
      control_q <= '0;
      enable_q <= '0;
    end else begin
      if (drop | last_q) clearing_q <= ClearW'(Clearing);
      else if (clear) clearing_q <= clearing_q - ClearW'(1);
      ready_q <= ~drop & (((clearing_q == ClearW'(1)) & ~done_q) | (ready_q & ~accept));
      wiped_q <= drop;
      last_q <= last & ~zeroize_i;
      done_q <= ~drop & (done_q | last_q);
      control_q <= control & {$bits(control_t) {active & ~zeroize_i}};
      enable_q <= enable_d & {NumTerm{active & ~zeroize_i}};
    end
  end

  // ------------------------------------------------------------------ datapath
  residue_t sum;
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
    .EntryW(EntryW),
    .MatrixW(Batch + 2),
    .NumConst(NumConst),
    .NumTerm(NumTerm),
    .Consts(Consts),
    .Terms(Terms)
  ) u_datapath (
    .clk_i(clk_i),
    .load_i(accept),
    .x_i(req_x_i),
    .y_i(req_y_i),
    .enable_i(enable_q),
    .moves_i(control_q.moves),
    .entry_i(control_q.entry),
    .clear_i(clear),
    .clear_number_i(BankW'(clearing_q)),
    .index_i(index),
    .matrix_i(matrix),
    .sum_o(sum)
  );

  // ------------------------------------------------------------------ scalar, inversion, answers
  ecsm_scalar_window #(
    .W(ScalarW),
    .Window(Window),
    .N(N),
    .Chunk(Chunk)
  ) u_scalar (
    .clk_i(clk_i),
    .clear_i(clear),
    .load_i(accept),
    .next_i(control_q.next),
    .scalar_i(req_scalar_i),
    .index_o(index),
    .negative_o(negative),
    .zero_o(zero_scalar),
    .negate_o(negate)
  );

  logic [S[RegW]-1:0] taken[S[NumLimb]];
  for (genvar k = 0; k < S[NumLimb]; k++) begin : gen_taken
    assign taken[k] = sum[k];
  end

  logic unused_busy;
  gfp_divsteps #(
    .NumLimb(S[NumLimb]),
    .LimbW(LimbW),
    .InW(S[RegW]),
    .Modulus((S[NumLimb] * LimbW)'(P)),
    .Batch(Batch),
    .PerCycle(PerCycle),
    .NumBatch(NumBatch),
    .Wait(Wait)
  ) u_divsteps (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .start_i(control_q.take[TakeDivide]),
    .g_i(taken),
    .u_o(matrix[0]),
    .v_o(matrix[1]),
    .q_o(matrix[2]),
    .r_o(matrix[3]),
    .negative_o(inverse_negative),
    .busy_o(unused_busy)
  );

  logic [PW-1:0] reduced;
  logic reduced_zero, reduced_valid;
  gfp_canon #(
    .NumLimb(S[NumLimb]),
    .LimbW(LimbW),
    .InW(S[RegW]),
    .PW(PW),
    .P(P),
    .MaxShift(MaxShift)
  ) u_canon (
    .clk_i(clk_i),
    .clear_i(wiped_q),
    .start_i(control_q.take[TakeCurve] | control_q.take[TakeX] | control_q.take[TakeY]),
    .v_i(taken),
    .value_o(reduced),
    .zero_o(reduced_zero),
    .valid_o(reduced_valid)
  );

  logic range_q, unsupported_q, infinity_q, curve_q, zero_q;
  logic [1:0] reducing_q;  // what the reducer works on: the curve's test, the answer's x
  logic [PW-1:0] x_q;
  logic [TagW-1:0] tag_q;
  logic [CycleW-1:0] cycles_q;
  logic checked_q;  // the range is checked: the cycle after the request's

  // Coordinates against P, limb by limb, then from the lowest limb up: P and more is outside.
  logic [1:0][S[NumLimb]-1:0] above_q, equal_q;
  function automatic logic outside(logic [S[NumLimb]-1:0] above, logic [S[NumLimb]-1:0] equal);
    outside = 1'b1;
    for (int unsigned k = 0; k < S[NumLimb]; k++) outside = above[k] | (equal[k] & outside);
  endfunction
  for (genvar k = 0; k < S[NumLimb]; k++) begin : gen_range
    // The highest limb has all that is left.
    localparam int unsigned W = (k == S[NumLimb] - 1) ? CoordW - LimbW * k : LimbW;
    localparam bit [W-1:0] Limit = W'((CoordW)'(P) >> (LimbW * k));
    always_ff @(posedge clk_i) begin
      equal_q[0][k] <= req_x_i[LimbW*k+:W] == Limit;
      equal_q[1][k] <= req_y_i[LimbW*k+:W] == Limit;
    end
    if (Limit == '1) begin : gen_never
      assign above_q[0][k] = 1'b0;
      assign above_q[1][k] = 1'b0;
    end else begin : gen_above
      always_ff @(posedge clk_i) begin
        above_q[0][k] <= req_x_i[LimbW*k+:W] > Limit;
        above_q[1][k] <= req_y_i[LimbW*k+:W] > Limit;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      range_q <= 1'b0;
      unsupported_q <= 1'b0;
      infinity_q <= 1'b0;
      curve_q <= 1'b0;
      zero_q <= 1'b0;
      reducing_q <= '0;
      x_q <= '0;
      tag_q <= '0;
      cycles_q <= '0;
      checked_q <= 1'b0;
    end else if (drop) begin
      range_q <= 1'b0;
      unsupported_q <= 1'b0;
      infinity_q <= 1'b0;
      curve_q <= 1'b0;
      zero_q <= 1'b0;
      reducing_q <= '0;
      x_q <= '0;
      tag_q <= '0;
      cycles_q <= '0;
      checked_q <= 1'b0;
    end else begin
      checked_q <= accept;
      if (accept) begin
        unsupported_q <= req_op_i != ecsm_pkg::OpKp;
        infinity_q <= req_infinity_i;
        tag_q <= req_tag_i;
      end
      if (checked_q) range_q <= outside(above_q[0], equal_q[0]) | outside(above_q[1], equal_q[1]);
      if (reduced_valid) begin
        reducing_q <= '0;
        if (reducing_q[0]) curve_q <= reduced_zero;
        if (reducing_q[1]) x_q <= reduced;
      end
      if (control_q.take[TakeCurve]) reducing_q <= 2'b01;
      if (control_q.take[TakeX]) reducing_q <= 2'b10;
      if (last_q) zero_q <= zero_scalar;
      if (last) cycles_q <= cycles + CycleW'(2);  // the request's cycle and this one
    end
  end

  // ------------------------------------------------------------------ the answer, zero until done
  ecsm_pkg::status_e status;
  logic affine;
  always_comb begin
    status = ecsm_pkg::StatusOk;
    if (unsupported_q) status = ecsm_pkg::StatusUnsupported;
    else if (range_q & ~infinity_q) status = ecsm_pkg::StatusCoordinateOutOfRange;
    else if (~curve_q & ~infinity_q) status = ecsm_pkg::StatusPointNotOnCurve;
  end
  assign affine = done_q & (status == ecsm_pkg::StatusOk) & ~infinity_q & ~zero_q;

  assign rsp_status_o = done_q ? status : ecsm_pkg::StatusOk;
  assign rsp_infinity_o = done_q & (status == ecsm_pkg::StatusOk) & ~affine;
  assign rsp_x_o = affine ? CoordW'(x_q) : '0;
  assign rsp_y_o = affine ? CoordW'(reduced) : '0;
  assign rsp_tag_o = tag_q;
  assign rsp_cycles_o = done_q ? cycles_q : '0;

  if (CoordW < PW) begin : gen_bad
    $error("gfp_engine: CoordW must be at least PW");
  end

endmodule

`default_nettype wire
