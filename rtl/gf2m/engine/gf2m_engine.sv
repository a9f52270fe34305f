// SPDX-License-Identifier: Apache-2.0
//
// The GF(2^m) engine computes kP on y^2 + xy = x^3 + a x^2 + b, one job at a time. The parameters
// hold curve and program, which runs on registers, network and multipliers: docs/theory/binary.md.
//
//   req_x_i, req_y_i --------------+
//                                  v
//      +------------------> [write forms] --> [registers] ---+--> rsp_x_o, rsp_y_o
//      |                           ^                         |
//      |                           +--- registers, constants +
//      | products                                            |
//      +-- [gf2m_mul] x NumMul <-- [operand forms] <---------+
//                                                            |
//               rsp_status_o <-- flags <-- [zero tester] <---+
//
//   req_scalar_i --> [scalar] -- key, next, roles --> [gf2m_gates] --> enables of all forms
//   [ecsm_sequencer] -- word: gates ------------------------^
//          +--------- word: start, write, test, shift --> multipliers, registers, flags, scalar
//
// Requests and responses use valid/ready: a transfer happens in a cycle with both high.
//
//   req_op_i           ecsm_pkg::OpKp; any other operation gets StatusUnsupported
//   req_x_i, req_y_i   affine coordinates below 2^M, right-aligned; StatusCoordinateOutOfRange
//   req_infinity_i     the point is infinity; the engine then ignores the coordinates
//   req_scalar_i       any M-bit scalar
//   req_tag_i          any value; the response returns it as rsp_tag_o
//   rsp_status_o       ecsm_pkg::status_e; rsp_x_o, rsp_y_o and rsp_infinity_o are zero on error
//   rsp_cycles_o       cycles from the accepted request to the valid response
//   zeroize_i          drops the job; a response that is accepted in this cycle is still right
//   random_*           fresh random words, by valid/ready; ProtectFull takes no job without them
//
// Protection (ecsm_protect_pkg): gf2m_protect has the scalar, in two shares with ProtectFull, and
// ecsm_front and gf2m_decode_check compare what is held and decoded twice (docs/theory/binary.md).
// With ProtectFull the request also loads a random odd number into register RegRandom.
//
// Cycle 0 accepts the request and loads x into register 0, y into register 1 and the scalar into
// its register. The program runs from cycle 1. A word is decoded in the cycle before it executes.
// With OperandReg each operand has a register in its multiplier, which the word before loads.
//
// Latency: 1 + the cycles of the program, the same for every scalar, point and status. Then all
// data is zero but the result. Accepted response, zeroize and reset clear it: in one cycle for each
// rank of registers in a parallel multiplier, at least one.
//
// Ranges: CoordW at least M; OutX and OutY below NumReg. Multipliers: gf2m_mul. Program:
// ecsm_sequencer. Network: gf2m_engine_pkg.

`default_nettype none

module gf2m_engine
  import gf2m_engine_pkg::term_t;
  import gf2m_engine_pkg::gate_t;
  import ecsm_protect_pkg::protect_e;
#(
  parameter protect_e Protect = ecsm_protect_pkg::ProtectNone,
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
  parameter int unsigned Height = 0,
  parameter bit OperandReg = 1'b0,
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
  parameter int unsigned OutX = 0,  // registers that hold the result
  parameter int unsigned OutY = 1,
  parameter int unsigned RegRandom = 2,  // with ProtectFull: the register of a random number,
  parameter bit [M+1:0] Offset = '0,  // and what is added to the scalar
  // Program: word = {shift, test[NumFlag], start[NumMul], write[NumReg], gate[NumGate]}
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  localparam int unsigned NumFlag = (Protect == ecsm_protect_pkg::ProtectNone) ? 3 : 4,
  parameter bit [NumGate+NumReg+NumMul+NumFlag:0][Depth-1:0] Columns = '0,
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
  output logic              [CycleW-1:0] rsp_cycles_o,
  input  logic                           random_valid_i,
  output logic                           random_ready_o,
  input  logic              [      31:0] random_i
);

  localparam int unsigned FlagCurve = 0;  // the curve equation holds
  localparam int unsigned FlagZ1 = 1;  // kP is infinity
  localparam int unsigned FlagZ2 = 2;  // (k+1)P is infinity
  localparam int unsigned FlagResult = NumFlag - 1;  // with protection: the result is on the curve
  localparam int unsigned WordW = NumGate + NumReg + NumMul + NumFlag + 1;
  localparam int unsigned FirstWrite = 2 * NumMul;
  localparam int unsigned Tester = FirstWrite + NumReg;
  localparam int unsigned NumRead = NumReg + NumConst;
  localparam int unsigned NumSource = NumRead + NumMul;
  localparam int unsigned RegX = 0;  // registers that the request loads
  localparam int unsigned RegY = 1;
  localparam bit Full = Protect == ecsm_protect_pkg::ProtectFull;

  // ------------------------------------------------------------------ jobs and control words
  localparam int unsigned NumRank = (Kind == gf2m_pkg::MulSerial) ? 0 : Stages - 1 + OperandReg;
  logic take, ready_d, clear, flush, active, last;
  logic affine_d, affine_q, negate_q;
  logic [WordW-1:0] word;
  logic [NumFlag-1:0] flag;
  logic unused_slot, unused_index;
  logic zero;  // the sum at the tester is zero
  logic check_active, fault, random_taken, random_full;
  logic [WordW-1:0] check_word;
  logic [M-1:0] random;
  logic [M-1:0] register[NumReg];

  logic [NumGate-1:0] word_gate;
  logic [NumReg-1:0] word_write, write_q;
  logic [NumMul-1:0] word_start, start_q;
  logic [NumFlag-1:0] word_test, test_q;
  logic word_shift;
  assign {word_shift, word_test, word_start, word_write, word_gate} = word;

  ecsm_front #(
    .Protect(Protect),
    .CheckW(WordW),
    .FieldW(M),
    .CoordW(CoordW),
    .TagW(TagW),
    .CycleW(CycleW),
    .NumFlag(NumFlag),
    .Ranks((NumRank > 1) ? NumRank : 1),
    .WordW(WordW),
    .Depth(Depth),
    .RepeatW(RepeatW),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
    .Columns(Columns),
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
    .rsp_status_o(rsp_status_o),
    .rsp_x_o(rsp_x_o),
    .rsp_y_o(rsp_y_o),
    .rsp_infinity_o(rsp_infinity_o),
    .rsp_tag_o(rsp_tag_o),
    .rsp_cycles_o(rsp_cycles_o),
    .result_i(flag[FlagResult]),
    .check_active_o(check_active),
    .check_word_o(check_word),
    .fault_i(fault),
    .random_valid_i(random_full),
    .random_ready_o(random_taken),
    .take_o(take),
    .ready_d_o(ready_d),
    .clear_o(clear),
    .flush_o(flush),
    .slot_o(unused_slot),
    .active_o(active),
    .last_o(last),
    .word_o(word),
    .test_i(test_q),
    .found_i({NumFlag{zero}}),
    .flag_o(flag),
    .curve_i(flag[FlagCurve]),
    .odd_i(1'b1),
    .zero_i(flag[FlagZ1]),
    .affine_d_o(affine_d),
    .affine_q_o(affine_q),
    .result_x_i(register[OutX]),
    .result_y_i(register[OutY]),
    .index_o(unused_index),
    .word_i('0)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      start_q <= '0;
      test_q <= '0;
      negate_q <= 1'b0;
    end else begin
      write_q <= word_write & {NumReg{active & ~zeroize_i}};
      if (ready_d) {write_q[RegX], write_q[RegY]} <= '1;
      if (ready_d && Full) write_q[RegRandom] <= 1'b1;
      start_q <= word_start & {NumMul{active & ~zeroize_i}};
      test_q <= word_test & {NumFlag{active & ~zeroize_i}};
      negate_q <= affine_d & flag[FlagZ2];
    end
  end

  // ------------------------------------------------------------------ gates of the network
  logic [NumTerm-1:0] enable;
  logic key, next_key, role, next_role;
  if (Protect == ecsm_protect_pkg::ProtectNone) begin : gen_none
    ecsm_scalar_shift #(
      .W(M)
    ) u_scalar (
      .clk_i(clk_i),
      .clear_i(flush),
      .load_i(take),
      .shift_i(active & word_shift),
      .scalar_i(req_scalar_i),
      .key_o(key),
      .next_o(next_key)
    );
    logic unused_check;
    assign unused_check = check_active ^ (^check_word) ^ last ^ random_taken ^ random_valid_i
        ^ (^random_i) ^ (^Offset);
    assign {role, next_role, fault, random_full, random_ready_o} = '0;
    assign random = '0;
  end else begin : gen_protected
    logic scalar_fault, decode_fault;
    logic [NumFlag:0] unused_tests;  // ecsm_front_check has them
    assign fault = scalar_fault | decode_fault;
    assign unused_tests = check_word[WordW-1-:NumFlag+1];
    gf2m_decode_check #(
      .NumTerm(NumTerm),
      .NumGate(NumGate),
      .NumReg(NumReg),
      .NumMul(NumMul),
      .Gates(Gates),
      .Loads(NumReg'(1 << RegX | 1 << RegY | (Full ? 1 << RegRandom : 0)))
    ) u_decode (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(zeroize_i),
      .active_i(check_active),
      .word_i(check_word[NumMul+NumReg+NumGate-1:0]),
      .load_i(ready_d),
      .key_i(key),
      .next_i(next_key),
      .role_i(role),
      .next_role_i(next_role),
      .affine_i(affine_q),
      .negate_i(negate_q),
      .enable_i(enable),
      .write_i(write_q),
      .start_i(start_q),
      .fault_o(decode_fault)
    );
    gf2m_protect #(
      .Protect(Protect),
      .M(M),
      .Offset(Offset)
    ) u_protect (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .zeroize_i(zeroize_i),
      .clear_i(flush),
      .load_i(take),
      .shift_i(active & word_shift),
      .scalar_i(req_scalar_i),
      .key_o(key),
      .next_o(next_key),
      .role_o(role),
      .next_role_o(next_role),
      .last_i(last),
      .fault_o(scalar_fault),
      .random_valid_i(random_valid_i),
      .random_ready_o(random_ready_o),
      .random_i(random_i),
      .random_full_o(random_full),
      .random_taken_i(random_taken),
      .random_o(random)
    );
  end

  gf2m_gates #(
    .NumTerm(NumTerm),
    .NumGate(NumGate),
    .Gates(Gates)
  ) u_gates (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(zeroize_i),
    .active_i(active),
    .word_i(word_gate),
    .key_i(key),
    .next_i(next_key),
    .role_i(role),
    .next_role_i(next_role),
    .affine_i(affine_q),
    .negate_i(negate_q),
    .enable_o(enable)
  );

  // ------------------------------------------------------------------ sources
  logic [M-1:0] product[NumMul];
  logic [M-1:0] read_source[NumRead];
  logic [M-1:0] source[NumSource];

  for (genvar i = 0; i < NumReg; i++) begin : gen_read
    assign read_source[i] = register[i];
  end
  for (genvar i = 0; i < NumConst; i++) begin : gen_const
    assign read_source[NumReg+i] = Consts[i];
  end
  for (genvar i = 0; i < NumRead; i++) begin : gen_source_read
    assign source[i] = read_source[i];
  end
  for (genvar i = 0; i < NumMul; i++) begin : gen_source_product
    assign source[NumRead+i] = product[i];
  end

  // ------------------------------------------------------------------ multipliers
  // Operands see the products only through a register, so no path has two multipliers in series.
  logic [M-1:0] operand_source[NumSource];
  for (genvar i = 0; i < NumSource; i++) begin : gen_operand_source
    if (i < NumRead || OperandReg) begin : gen_seen
      assign operand_source[i] = source[i];
    end else begin : gen_unseen
      assign operand_source[i] = '0;
    end
  end

  for (genvar u = 0; u < NumMul; u++) begin : gen_mul
    logic [M-1:0] operand[2];
    for (genvar s = 0; s < 2; s++) begin : gen_operand
      gf2m_form #(
        .M(M),
        .Sink(2 * u + s),
        .NumSource(NumSource),
        .NumTerm(NumTerm),
        .NumMap(NumMap),
        .Terms(Terms),
        .Maps(Maps)
      ) u_form (
        .enable_i(enable),
        .source_i(operand_source),
        .form_o(operand[s])
      );
    end
    gf2m_mul #(
      .M(M),
      .Poly(Poly),
      .Kind(Kind),
      .Digit(Digit),
      .Depth(KaratsubaDepth),
      .Stages(Stages),
      .Height(Height),
      .OperandReg(OperandReg)
    ) u_mul (
      .clk_i(clk_i),
      .start_i(start_q[u]),
      .clear_i(flush),
      .a_i(operand[0]),
      .b_i(operand[1]),
      .p_o(product[u])
    );
  end

  // ------------------------------------------------------------------ registers and zero tester
  logic [M-1:0] write_data[NumReg];
  for (genvar r = 0; r < NumReg; r++) begin : gen_write
    logic [M-1:0] form;
    gf2m_form #(
      .M(M),
      .Sink(FirstWrite + r),
      .NumSource(NumSource),
      .NumTerm(NumTerm),
      .NumMap(NumMap),
      .Terms(Terms),
      .Maps(Maps)
    ) u_form (
      .enable_i(enable),
      .source_i(source),
      .form_o(form)
    );
    // No word executes in a cycle that may accept a request, so the form is zero then.
    if (r == RegX || r == RegY || (Full && r == RegRandom)) begin : gen_request
      logic [M-1:0] loaded;
      assign loaded = (r == RegX) ? req_x_i[M-1:0] : (r == RegY) ? req_y_i[M-1:0] : random;
      assign write_data[r] = form ^ (loaded & {M{take}});
    end else begin : gen_form
      assign write_data[r] = form;
    end
  end

  ecsm_regfile #(
    .W(M),
    .NumReg(NumReg)
  ) u_regfile (
    .clk_i(clk_i),
    .clear_i(clear),
    .we_i(write_q),
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
    .enable_i(enable),
    .source_i(read_source),
    .form_o(tested)
  );
  assign zero = tested == '0;

  if (CoordW < M || OutX >= NumReg || OutY >= NumReg) begin : gen_bad
    $error("gf2m_engine: CoordW must be at least M, OutX and OutY must be registers");
  end

endmodule

`default_nettype wire
