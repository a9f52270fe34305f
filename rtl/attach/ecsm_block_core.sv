// SPDX-License-Identifier: Apache-2.0
//
// A core's operands, job and result, behind the registers of a bus.
//
//   bus -> port -> ecsm_regs ------------+                       (these two: generated module)
//                                        | data_i, *_write_i, *_read_i
//         +------------------------------v---------------------------+
//         |  COMMAND ------> ecsm_block_job ------------- req_valid --|--> req_*
//         |  K, X, Y, JOB -> ecsm_block_window (operands) ------------|-->        (core)
//         |  RESULT_X, Y <-- words, zero unless the result is ok <---|--- rsp_*
//         +----------------------------------------------------------+
//
// Parameters: ScalarW is the number of bits in each scalar, Scalars is 1 or 2 (2: aG + bP). CoordW
// is the number of bits in a coordinate, CycleW in the cycle count.
//
// The generated module around this one has the bus, the registers (ecsm_regs.rdl) and the core. An
// access is a cycle in which a bit of *_write_i or *_read_i is high:
//
//   command_write_i   writes data_i to the register COMMAND
//   job_write_i       writes data_i to the register JOB: bits 3 .. 0 operation, bit 8 infinity
//   scalar_write_i    bit i: word i of k; with Scalars = 2 the words of b, above them those of a
//   x_, y_write_i     bit i: word i of the point
//   result_read_i     reads a word of the result
//   locked_o, command_o, operand_o   the access is refused and has no effect. At most one is high:
//                     locked_o: an operand is written while busy_o is high, or the result is read
//                     without status ok; command_o: the command is not possible (ecsm_block_job);
//                     operand_o: the word has bits above the operand
//   result_x_, result_y_o   words of the result, word 0 is the highest; zero without status ok
//   done_o            a result has come, high for one cycle
//
// Operands are locked from the start of a job to its result. The scalar is cleared when the core
// has accepted it. Zeroize clears everything. Latency: a register is written in one cycle, read in
// none.
// Sources: docs/integrate/registers.md; operand words: ecsm_block_window; commands: ecsm_block_job.

`default_nettype none

module ecsm_block_core #(
  parameter  int unsigned ScalarW     = 163,  // of each scalar
  parameter  int unsigned Scalars     = 1,
  parameter  int unsigned CoordW      = 168,
  parameter  int unsigned CycleW      = 20,
  localparam int unsigned ScalarWords = (ScalarW + 31) / 32,
  localparam int unsigned CoordWords  = (CoordW + 31) / 32
) (
  input  logic                                                     clk_i,
  input  logic                                                     rst_ni,
  input  logic                                                     zeroize_i,
  input  logic                                                     command_write_i,
  input  logic                                                     job_write_i,
  input  logic              [        Scalars-1:0][ScalarWords-1:0] scalar_write_i,
  input  logic              [     CoordWords-1:0]                  x_write_i,
  input  logic              [     CoordWords-1:0]                  y_write_i,
  input  logic                                                     result_read_i,
  input  logic              [               31:0]                  data_i,
  output logic                                                     locked_o,
  output logic                                                     command_o,
  output logic                                                     operand_o,
  output logic                                                     zeroize_o,
  output logic              [                3:0]                  operation_o,
  output logic                                                     infinity_o,
  output logic                                                     busy_o,
  output logic                                                     answer_o,
  output logic                                                     done_o,
  output logic                                                     result_infinity_o,
  output ecsm_pkg::status_e                                        status_o,
  output logic              [               31:0]                  cycles_o,
  output logic              [     CoordWords-1:0][           31:0] result_x_o,
  output logic              [     CoordWords-1:0][           31:0] result_y_o,
  // The core.
  output logic                                                     req_valid_o,
  input  logic                                                     req_ready_i,
  output ecsm_pkg::op_e                                            req_op_o,
  output logic              [Scalars*ScalarW-1:0]                  req_scalar_o,
  output logic              [         CoordW-1:0]                  req_x_o,
  output logic              [         CoordW-1:0]                  req_y_o,
  output logic                                                     req_infinity_o,
  input  logic                                                     rsp_valid_i,
  output logic                                                     rsp_ready_o,
  input  ecsm_pkg::status_e                                        rsp_status_i,
  input  logic              [         CoordW-1:0]                  rsp_x_i,
  input  logic              [         CoordW-1:0]                  rsp_y_i,
  input  logic                                                     rsp_infinity_i,
  input  logic              [         CycleW-1:0]                  rsp_cycles_i
);

  // ------------------------------------------------------------------ job
  logic wipe;  // clears everything
  logic ok;  // there is a valid result
  logic write_operand;

  ecsm_block_job u_job (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .command_i(command_write_i),
    .data_i(data_i),
    .refuse_o(command_o),
    .zeroize_o(wipe),
    .busy_o(busy_o),
    .answer_o(answer_o),
    .done_o(done_o),
    .req_valid_o(req_valid_o),
    .req_ready_i(req_ready_i),
    .rsp_valid_i(rsp_valid_i),
    .rsp_ready_o(rsp_ready_o)
  );

  assign zeroize_o = wipe;
  assign ok = answer_o && rsp_status_i == ecsm_pkg::StatusOk;
  assign write_operand = job_write_i | (|scalar_write_i) | (|x_write_i) | (|y_write_i);
  assign locked_o = (write_operand & busy_o) | (result_read_i & ~ok);

  // ------------------------------------------------------------------ operands
  logic [3:0] operation_q;
  logic infinity_q;
  logic [Scalars-1:0] scalar_excess;
  logic x_excess, y_excess, free;

  assign free = ~busy_o;
  assign operand_o = free & ((|scalar_excess) | x_excess | y_excess);

  for (genvar i = 0; i < Scalars; i++) begin : gen_scalar
    ecsm_block_window #(
      .W(ScalarW)
    ) u_scalar (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(wipe | (req_valid_o & req_ready_i)),
      .write_i(scalar_write_i[i] & {ScalarWords{free}}),
      .data_i(data_i),
      .excess_o(scalar_excess[i]),
      .value_o(req_scalar_o[i*ScalarW+:ScalarW])
    );
  end

  ecsm_block_window #(
    .W(CoordW)
  ) u_x (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .write_i(x_write_i & {CoordWords{free}}),
    .data_i(data_i),
    .excess_o(x_excess),
    .value_o(req_x_o)
  );

  ecsm_block_window #(
    .W(CoordW)
  ) u_y (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .write_i(y_write_i & {CoordWords{free}}),
    .data_i(data_i),
    .excess_o(y_excess),
    .value_o(req_y_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      operation_q <= '0;
      infinity_q <= 1'b0;
    end else if (wipe) begin
      operation_q <= '0;
      infinity_q <= 1'b0;
    end else if (job_write_i && free) begin
      operation_q <= data_i[3:0];
      infinity_q <= data_i[8];
    end
  end

  assign operation_o = operation_q;
  assign infinity_o = infinity_q;
  assign req_op_o = ecsm_pkg::op_e'(operation_q);
  assign req_infinity_o = infinity_q;

  // ------------------------------------------------------------------ result
  logic [32*CoordWords-1:0] x, y;
  assign x = (32 * CoordWords)'(rsp_x_i);
  assign y = (32 * CoordWords)'(rsp_y_i);

  for (genvar i = 0; i < CoordWords; i++) begin : gen_result
    assign result_x_o[i] = x[32*(CoordWords-1-i)+:32] & {32{ok}};
    assign result_y_o[i] = y[32*(CoordWords-1-i)+:32] & {32{ok}};
  end

  assign result_infinity_o = ok & rsp_infinity_i;
  assign status_o = answer_o ? rsp_status_i : ecsm_pkg::StatusOk;
  assign cycles_o = answer_o ? 32'(rsp_cycles_i) : '0;

endmodule

`default_nettype wire
