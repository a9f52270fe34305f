// SPDX-License-Identifier: Apache-2.0
//
// The GF(2^m) engine: registers, operand network, U multipliers, run by the sequencer.
//
// Computes kP on y^2 + xy = x^3 + a x^2 + b with the program in its parameters (which carry the
// curve too). Requests and responses are valid/ready; one job at a time.
//
//   req_x_i, req_y_i   affine coordinates, right-aligned; bits at and above M must be zero
//   req_infinity_i     the point is infinity; coordinates are then ignored
//   req_scalar_i       any M-bit scalar
//   rsp_status_o       ecsm_pkg::status_e; rsp_x_o, rsp_y_o and rsp_infinity_o are zero on error
//   rsp_cycles_o       cycles from the accepted request to the valid response
//   zeroize_i          drop the job and clear everything secret; ready in the next cycle
//                      (an answer that is taken in that very cycle is a right one)
//
// Latency: the program's cycles, the same for every scalar, point and status. Registers, scalar
// and multipliers are zero after done, zeroize and reset; the answer is, once it is taken.
// Source of the structure: docs/theory.md.

`default_nettype none

module gf2m_engine
  import gf2m_engine_pkg::term_t;
  import gf2m_engine_pkg::gate_t;
#(
  parameter int unsigned M = 8,
  parameter bit [M:0] Poly = '0,
  parameter int unsigned CoordW = 8,  // port width of a coordinate, >= M
  parameter int unsigned TagW = 8,
  parameter int unsigned CycleW = 16,
  // Multipliers
  parameter int unsigned NumMul = 1,
  parameter gf2m_pkg::mul_kind_e Kind = gf2m_pkg::MulKaratsuba,
  parameter int unsigned Digit = 8,
  parameter int unsigned KaratsubaDepth = 0,
  parameter int unsigned Stages = 1,
  // Operand network
  parameter int unsigned NumReg = 8,
  parameter int unsigned NumConst = 1,
  parameter int unsigned NumMap = 1,
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter bit [NumConst-1:0][M-1:0] Consts = '0,
  parameter bit [NumMap-1:0][M*M-1:0] Maps = '0,
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter gate_t [NumGate-1:0] Gates = '0,
  parameter int unsigned OutX = 0,  // registers that hold the answer
  parameter int unsigned OutY = 1,
  // Program: word = {shift, test[3], start[NumMul], write[NumReg], gate[NumGate]}
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  parameter bit [NumGate+NumReg+NumMul+3:0][Depth-1:0] Columns = '0,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           zeroize_i,
  input  logic                           req_valid_i,
  output logic                           req_ready_o,
  input  ecsm_pkg::op_e                  req_op_i,
  input  logic              [     M-1:0] req_scalar_i,
  input  logic              [CoordW-1:0] req_x_i,
  input  logic              [CoordW-1:0] req_y_i,
  input  logic                           req_infinity_i,
  input  logic              [  TagW-1:0] req_tag_i,
  output logic                           rsp_valid_o,
  input  logic                           rsp_ready_i,
  output ecsm_pkg::status_e              rsp_status_o,
  output logic              [CoordW-1:0] rsp_x_o,
  output logic              [CoordW-1:0] rsp_y_o,
  output logic                           rsp_infinity_o,
  output logic              [  TagW-1:0] rsp_tag_o,
  output logic              [CycleW-1:0] rsp_cycles_o
);

  localparam int unsigned NumFlag = 3;
  localparam int unsigned FlagCurve = 0;  // the curve equation holds
  localparam int unsigned FlagZ1 = 1;  // kP is infinity
  localparam int unsigned FlagZ2 = 2;  // (k+1)P is infinity
  localparam int unsigned WordW = NumGate + NumReg + NumMul + NumFlag + 1;
  localparam int unsigned FirstWrite = 2 * NumMul;
  localparam int unsigned Tester = FirstWrite + NumReg;
  localparam int unsigned NumRead = NumReg + NumConst;
  localparam int unsigned NumSource = NumRead + NumMul + 2;

  // ------------------------------------------------------------------ jobs and control words
  logic accept, respond, idle, active, last, clear;
  logic done_q;
  logic [WordW-1:0] word;
  logic [CycleW-1:0] cycles;

  assign req_ready_o = idle & ~done_q & ~zeroize_i;
  assign accept = req_valid_i & req_ready_o;
  assign rsp_valid_o = done_q;
  assign respond = rsp_valid_o & rsp_ready_i;
  assign clear = respond | zeroize_i;

  ecsm_sequencer #(
    .Depth(Depth),
    .WordW(WordW),
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
    .idle_o(idle),
    .active_o(active),
    .last_o(last),
    .word_o(word),
    .cycles_o(cycles)
  );

  logic [NumGate-1:0] word_gate;
  logic [NumReg-1:0] word_write;
  logic [NumMul-1:0] word_start;
  logic [NumFlag-1:0] word_test;
  logic word_shift;
  assign {word_shift, word_test, word_start, word_write, word_gate} = word;

  // ------------------------------------------------------------------ what a job is
  logic range_q, unsupported_q, infinity_q;
  logic [TagW-1:0] tag_q;
  logic [CycleW-1:0] cycles_q;
  logic [NumFlag-1:0] flag_q;
  logic outside;

  if (CoordW > M) begin : gen_range
    assign outside = ~req_infinity_i & ((|req_x_i[CoordW-1:M]) | (|req_y_i[CoordW-1:M]));
  end else begin : gen_exact
    assign outside = 1'b0;
  end

  logic zero;  // the tester's form is zero

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= 1'b0;
      range_q <= 1'b0;
      unsupported_q <= 1'b0;
      infinity_q <= 1'b0;
      tag_q <= '0;
      cycles_q <= '0;
      flag_q <= '0;
    end else if (clear) begin
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
      for (int unsigned i = 0; i < NumFlag; i++) begin
        if (active && word_test[i]) flag_q[i] <= zero;
      end
      if (last) begin
        done_q <= 1'b1;
        cycles_q <= cycles + CycleW'(1);
      end
    end
  end

  ecsm_pkg::status_e status;
  logic affine;
  always_comb begin
    status = ecsm_pkg::StatusOk;
    if (unsupported_q) status = ecsm_pkg::StatusUnsupported;
    else if (range_q) status = ecsm_pkg::StatusCoordinateOutOfRange;
    else if (!infinity_q && !flag_q[FlagCurve]) status = ecsm_pkg::StatusPointNotOnCurve;
  end
  assign affine = (status == ecsm_pkg::StatusOk) & ~infinity_q & ~flag_q[FlagZ1];

  // ------------------------------------------------------------------ gates of the network
  logic load_key, held_key;
  ecsm_scalar_shift #(
    .W(M)
  ) u_scalar (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(last | zeroize_i),
    .load_i(accept),
    .shift_i(active & word_shift),
    .scalar_i(req_scalar_i),
    .key_o(load_key),
    .key_held_o(held_key)
  );

  // Only registers take part in the load, and only their gates see the port's scalar bit: no path
  // leads from the port to a multiplier or to the tester.
  logic [NumTerm-1:0] read_enable, write_enable;
  for (genvar w = 0; w < 2; w++) begin : gen_gates
    logic [NumTerm-1:0] enable;
    gf2m_gates #(
      .NumTerm(NumTerm),
      .NumGate(NumGate),
      .Gates(Gates)
    ) u_gates (
      .word_i(word_gate),
      .key_i((w == 0) ? held_key : load_key),
      .affine_i(affine),
      .negate_i(affine & flag_q[FlagZ2]),
      .enable_o(enable)
    );
  end
  assign read_enable = gen_gates[0].enable;
  assign write_enable = gen_gates[1].enable;

  // ------------------------------------------------------------------ sources
  logic [M-1:0] register[NumReg];
  logic [M-1:0] product[NumMul];
  logic [M-1:0] read_source[NumRead];
  logic [M-1:0] write_source[NumSource];

  for (genvar i = 0; i < NumReg; i++) begin : gen_read
    assign read_source[i] = register[i];
  end
  for (genvar i = 0; i < NumConst; i++) begin : gen_const
    assign read_source[NumReg+i] = Consts[i];
  end
  for (genvar i = 0; i < NumRead; i++) begin : gen_write_read
    assign write_source[i] = read_source[i];
  end
  for (genvar i = 0; i < NumMul; i++) begin : gen_write_product
    assign write_source[NumRead+i] = product[i];
  end
  assign write_source[NumRead+NumMul] = req_infinity_i ? '0 : req_x_i[M-1:0];
  assign write_source[NumRead+NumMul+1] = req_infinity_i ? '0 : req_y_i[M-1:0];

  // ------------------------------------------------------------------ multipliers
  for (genvar u = 0; u < NumMul; u++) begin : gen_mul
    logic [M-1:0] operand[2];
    for (genvar s = 0; s < 2; s++) begin : gen_operand
      gf2m_form #(
        .M(M),
        .Sink(2 * u + s),
        .NumSource(NumRead),
        .NumTerm(NumTerm),
        .NumMap(NumMap),
        .Terms(Terms),
        .Maps(Maps)
      ) u_form (
        .enable_i(read_enable),
        .source_i(read_source),
        .form_o(operand[s])
      );
    end
    gf2m_mul #(
      .M(M),
      .Poly(Poly),
      .Kind(Kind),
      .Digit(Digit),
      .Depth(KaratsubaDepth),
      .Stages(Stages)
    ) u_mul (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .start_i(active & word_start[u]),
      .clear_i(last | clear),
      .a_i(operand[0]),
      .b_i(operand[1]),
      .p_o(product[u])
    );
  end

  // ------------------------------------------------------------------ registers and zero tester
  logic [M-1:0] write_data[NumReg];
  for (genvar r = 0; r < NumReg; r++) begin : gen_write
    gf2m_form #(
      .M(M),
      .Sink(FirstWrite + r),
      .NumSource(NumSource),
      .NumTerm(NumTerm),
      .NumMap(NumMap),
      .Terms(Terms),
      .Maps(Maps)
    ) u_form (
      .enable_i(write_enable),
      .source_i(write_source),
      .form_o(write_data[r])
    );
  end

  ecsm_regfile #(
    .W(M),
    .NumReg(NumReg)
  ) u_regfile (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .we_i(word_write & {NumReg{active}}),
    .data_i(write_data),
    .data_o(register)
  );

  logic [M-1:0] tested;
  gf2m_form #(
    .M(M),
    .Sink(Tester),
    .NumSource(NumRead),
    .NumTerm(NumTerm),
    .NumMap(NumMap),
    .Terms(Terms),
    .Maps(Maps)
  ) u_tester (
    .enable_i(read_enable),
    .source_i(read_source),
    .form_o(tested)
  );
  assign zero = tested == '0;

  // ------------------------------------------------------------------ the answer, zero until done
  assign rsp_status_o = done_q ? status : ecsm_pkg::StatusOk;
  assign rsp_infinity_o = done_q & (status == ecsm_pkg::StatusOk) & ~affine;
  assign rsp_x_o = done_q ? CoordW'(register[OutX]) : '0;
  assign rsp_y_o = done_q ? CoordW'(register[OutY]) : '0;
  assign rsp_tag_o = tag_q;
  assign rsp_cycles_o = cycles_q;

  if (CoordW < M || OutX >= NumReg || OutY >= NumReg) begin : gen_bad
    $error("gf2m_engine: CoordW must be at least M, OutX and OutY must be registers");
  end

endmodule

`default_nettype wire
