// SPDX-License-Identifier: Apache-2.0
//
// The GF(2^m) engine for point halving computes kP on y^2 + xy = x^3 + x^2 + b for P of odd order.
// The parameters hold the curve and the repeat counts of the program; the words of the program are
// in a memory beside the engine. Method and sources: docs/theory/halving.md.
//
//   req_x_i, req_y_i
//      |           +------------ products, squares, root, half ----------------------+
//      v           v                                                                 |
//   [registers] <-[write forms] <--- registers, memories, constants                  |
//      |  [memories] <-+   +--> [zero tester] --> flags --> rsp_status_o             |
//      |                                                                             |
//      +-- 0, 1 --> [multiplier 0] --+-- + register 0 = u --> [sqrt] --> root -------+
//      |                             |                  +---> [H + Tr] --> half -----+
//      +-- 2, 3 --> [multiplier 1] --+-----------------------------------------------+
//
//   req_scalar_i --> [gf2m_halving_digits] -- digits --> [gf2m_halving_gates] --> enables,
//   [ecsm_sequencer] --> index_o    word_i -----------------^                writes, slots
//
// The ports have the protocol of gf2m_engine, with these differences:
//   rsp_status_o      is StatusLowOrderPoint if P is on the curve and its order is even
//   index_o, word_i   word_i in cycle t + 1 is the program word that index_o selects in cycle t
//
// Multiplier u multiplies registers 2u and 2u + 1 in every cycle, in two stages. Its product is a
// source in the next cycle. With u = product 0 + register 0 the network has two more sources: root
// = sqrt(u), and half = sqrt(u) + H(sqrt(u)) = H(u) + Tr(u), where H is the half-trace. A halving
// takes two cycles.
//
// Cycle 0 accepts the request. The program runs from cycle 2. A word is decoded in the cycle before
// it executes.
//
// Latency: 2 + the cycles of the program, the same for every scalar, point and status. When the
// program has ended, all data is zero except the result. After the response is accepted, after
// zeroize and after reset the engine clears everything, one slot of every memory a cycle. Then it
// is ready. Ranges: CoordW at least M; OutX and OutY below NumReg.

`default_nettype none

module gf2m_halving
  import gf2m_engine_pkg::term_t;
  import gf2m_halving_pkg::gate_t;
  import gf2m_halving_pkg::write_t;
#(
  parameter int unsigned M = 8,
  parameter bit [M:0] Poly = '0,
  parameter int unsigned CoordW = 8,  // port width of a coordinate, >= M
  parameter int unsigned TagW = 8,
  parameter int unsigned CycleW = 16,
  // Multipliers and halving
  parameter int unsigned KaratsubaDepth = 0,
  parameter int unsigned Height = 0,
  parameter bit [M*M-1:0] Root = '0,  // matrices (format: gf2m_linear): the square root,
  parameter bit [M*M-1:0] Half = '0,  // H(v) + Tr(v), and the square
  parameter bit [M*M-1:0] Square = '0,
  parameter bit [M-1:0] Trace = '0,  // the bits whose sum is the trace
  // Scalar: gf2m_halving_digits
  parameter int unsigned Top = 1,
  parameter int unsigned Windows = 1,
  parameter int unsigned AccW = Top + 12,
  parameter bit [AccW-1:0] Delta = '0,
  parameter bit [AccW-1:0] Start = '0,
  // Operand network
  parameter int unsigned NumReg = 8,
  parameter int unsigned NumBank = 1,  // memories
  parameter int unsigned SlotW = 2,
  parameter int unsigned NumConst = 1,
  parameter int unsigned NumMap = 1,
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter int unsigned NumWrite = 1,
  parameter bit [NumConst-1:0][M-1:0] Consts = '0,
  parameter bit [NumMap-1:0][M*M-1:0] Maps = '0,
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter gate_t [NumGate-1:0] Gates = '0,
  parameter write_t [NumWrite-1:0] Writes = '0,
  parameter int unsigned InX = 0,  // registers that the request loads
  parameter int unsigned InY = 1,
  parameter int unsigned OutX = 0,  // registers that hold the result
  parameter int unsigned OutY = 1,
  // Program: word = {latch, shift, settle, last, add, step, test[3], write slots, read slots,
  // write[NumWrite], gate[NumGate]}. For each memory the slots are {by the digit, slot}.
  parameter int unsigned WordBits = 8,
  parameter int unsigned IndexW = 1,
  parameter int unsigned Depth = 2,
  parameter int unsigned RepeatW = 1,
  parameter int unsigned LoopFirst = 0,
  parameter int unsigned LoopLast = 0,
  parameter int unsigned LoopCount = 1,
  parameter bit [RepeatW-1:0][Depth-1:0] RepeatColumns = '0
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             zeroize_i,
  input  logic                             req_valid_i,
  output logic                             req_ready_o,
  input  ecsm_pkg::op_e                    req_op_i,
  input  logic              [       M-1:0] req_scalar_i,
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
  input  logic              [WordBits-1:0] word_i
);

  localparam int unsigned NumFlag = 3;
  localparam int unsigned FlagCurve = 0;  // the curve equation holds
  localparam int unsigned FlagTrace = 1;  // P has odd order
  localparam int unsigned FlagZero = 2;  // kP is infinity
  localparam int unsigned NumScalar = 6;
  localparam int unsigned NumPlace = NumReg + NumBank;

  // ------------------------------------------------------------------ jobs and control words
  logic take, unused_ready, clear, flush, active, unused_last;
  logic unused_affine, affine_q;
  logic unused_random, unused_check, unused_word;
  logic [WordBits-1:0] word;
  logic [SlotW-1:0] clear_slot;
  logic [NumFlag-1:0] flag, found;
  logic [M-1:0] register[NumReg];

  // Decoded words. gf2m_halving_gates decodes the gates, writes and slots.
  logic [NumBank-1:0][SlotW:0] word_read, word_slot;
  logic [NumGate-1:0] word_gate;
  logic [NumWrite-1:0] word_write;
  logic [NumFlag-1:0] word_test;
  logic [NumFlag-1:0] testing_q, test_q;  // in the word's cycle; in the next one
  logic [NumScalar-1:0] word_scalar, scalar_q;
  assign {word_scalar, word_test, word_slot, word_read, word_write, word_gate} = word;

  ecsm_front #(
    .FieldW(M),
    .CoordW(CoordW),
    .TagW(TagW),
    .CycleW(CycleW),
    .NumFlag(NumFlag),
    .SlotW(SlotW),
    .Memory(1'b1),
    .IndexW(IndexW),
    .WordW(WordBits),
    .Depth(Depth),
    .RepeatW(RepeatW),
    .LoopFirst(LoopFirst),
    .LoopLast(LoopLast),
    .LoopCount(LoopCount),
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
    .check_active_o(unused_check),
    .check_word_o(unused_word),
    .result_i(1'b0),
    .fault_i(1'b0),
    .random_valid_i(1'b0),
    .random_ready_o(unused_random),
    .take_o(take),
    .ready_d_o(unused_ready),
    .clear_o(clear),
    .flush_o(flush),
    .slot_o(clear_slot),
    .active_o(active),
    .last_o(unused_last),
    .word_o(word),
    .test_i(test_q),
    .found_i(found),
    .flag_o(flag),
    .curve_i(flag[FlagCurve]),
    .odd_i(flag[FlagTrace]),
    .zero_i(flag[FlagZero]),
    .affine_d_o(unused_affine),
    .affine_q_o(affine_q),
    .result_x_i(register[OutX]),
    .result_y_i(register[OutY]),
    .index_o(index_o),
    .word_i(word_i)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scalar_q <= '0;
      testing_q <= '0;
      test_q <= '0;
    end else begin
      scalar_q <= word_scalar & {NumScalar{active & ~zeroize_i}};
      testing_q <= word_test & {NumFlag{active & ~zeroize_i}};
      test_q <= testing_q & {NumFlag{~zeroize_i}};
    end
  end

  // ------------------------------------------------------------------ scalar and gates
  gf2m_halving_pkg::digit_t next_catch, next_read, next_write;
  gf2m_halving_digits #(
    .W(M),
    .Top(Top),
    .Windows(Windows),
    .AccW(AccW),
    .Delta(Delta),
    .Start(Start)
  ) u_digits (
    .clk_i(clk_i),
    .clear_i(flush),
    .load_i(take),
    .step_i(scalar_q[0]),
    .add_i(scalar_q[1]),
    .last_i(scalar_q[2]),
    .settle_i(scalar_q[3]),
    .shift_i(scalar_q[4]),
    .latch_i(scalar_q[5]),
    .scalar_i(req_scalar_i),
    .next_catch_o(next_catch),
    .next_read_o(next_read),
    .next_write_o(next_write)
  );

  logic trace, trace_q;
  logic [NumTerm-1:0] enable;
  logic [NumPlace-1:0] write;
  logic [NumBank-1:0][SlotW-1:0] read_slot, write_slot;
  gf2m_halving_gates #(
    .NumTerm(NumTerm),
    .NumGate(NumGate),
    .NumWrite(NumWrite),
    .NumPlace(NumPlace),
    .NumBank(NumBank),
    .SlotW(SlotW),
    .Gates(Gates),
    .Writes(Writes)
  ) u_gates (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(zeroize_i),
    .active_i(active),
    .word_gate_i(word_gate),
    .word_write_i(word_write),
    .word_read_i(word_read),
    .word_slot_i(word_slot),
    .catch_i(next_catch),
    .read_i(next_read),
    .write_i(next_write),
    .trace0_i(~trace),
    .affine_i(affine_q),
    .enable_o(enable),
    .write_o(write),
    .read_slot_o(read_slot),
    .write_slot_o(write_slot)
  );

  // ------------------------------------------------------------------ datapath
  logic tested_zero;
  always_ff @(posedge clk_i) trace_q <= trace;
  gf2m_halving_datapath #(
    .M(M),
    .Poly(Poly),
    .KaratsubaDepth(KaratsubaDepth),
    .Height(Height),
    .Root(Root),
    .Half(Half),
    .Square(Square),
    .Trace(Trace),
    .NumReg(NumReg),
    .NumBank(NumBank),
    .SlotW(SlotW),
    .NumConst(NumConst),
    .NumMap(NumMap),
    .NumTerm(NumTerm),
    .Consts(Consts),
    .Maps(Maps),
    .Terms(Terms),
    .InX(InX),
    .InY(InY)
  ) u_datapath (
    .clk_i(clk_i),
    .clear_i(clear),
    .clear_slot_i(clear_slot),
    .take_i(take),
    .x_i(req_x_i[M-1:0]),
    .y_i(req_y_i[M-1:0]),
    .enable_i(enable),
    .write_i(write),
    .read_slot_i(read_slot),
    .write_slot_i(write_slot),
    .trace_o(trace),
    .zero_o(tested_zero),
    .register_o(register)
  );

  always_comb begin
    found[FlagCurve] = tested_zero;
    found[FlagZero] = tested_zero;
    found[FlagTrace] = trace_q;  // the trace of a, which is 1
  end

  if (CoordW < M || OutX >= NumReg || OutY >= NumReg) begin : gen_bad
    $error("gf2m_halving: CoordW must be at least M, OutX and OutY must be registers");
  end

endmodule

`default_nettype wire
