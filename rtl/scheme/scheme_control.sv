// SPDX-License-Identifier: Apache-2.0
//
// Runs a program of the scheme machine: one word at a time, in order.
//
//   req_op_i -> index_o -> (program memory) -> word_i -> word_q -> decode: move, command, decide
//                  ^                                                        |      |       |
//                  +------------ next word, or the jump's target -----------|------|-------+
//                                                              channel, drain   units    response
//
// Parameters: CycleW is the number of bits in rsp_cycles_o.
//
// A request gives the word with which its program begins (req_op_i). The response is a status and
// the cycles from the accepted request to the valid response, or all ones if they are more. The
// program is in a memory outside: word_i in cycle t + 1 is the word that index_o selects in cycle
// t.
//
// Every word waits until the channel and the drain are ready. A move to AES does not wait for the
// drain.
//   KindMove     starts the channel, or for a move from AES the drain (scheme_drain). The next word
//                follows at once
//   KindCommand  also waits for the unit, then starts its operation
//   KindAbort    also waits until the condition is known. If it holds (with negate: if it does
//                not), the program ends with the status. IfFlags compares the request's flags_i
//   KindJump     waits like KindAbort; if the condition holds (with negate: if it does not), goes
//                to word next
//   KindEnd      ends the program with StatusOk
//
// A wrong string of the host (malformed_i) ends the program with StatusUnsupported. A word takes
// one cycle if nothing waits; a jump takes two. After the end clear_o is high for one cycle, as
// soon as settled_i is high: the machine then zeroes everything but the keys. ready_i tells that
// this is done and a new request is possible. zeroize_i drops the request without a response;
// whoever raises it must clear everything.

`default_nettype none

module scheme_control
  import scheme_pkg::*;
#(
  parameter int unsigned CycleW = 24
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             zeroize_i,
  input  logic                             settled_i,
  input  logic                             ready_i,
  input  logic                             req_valid_i,
  output logic                             req_ready_o,
  input  logic              [ProgramW-1:0] req_op_i,
  output logic                             rsp_valid_o,
  input  logic                             rsp_ready_i,
  output ecsm_pkg::status_e                rsp_status_o,
  output logic              [  CycleW-1:0] rsp_cycles_o,
  output logic                             clear_o,
  output logic              [ProgramW-1:0] index_o,
  input  logic              [   WordW-1:0] word_i,
  // Moves.
  output logic                             start_o,
  output logic                             start_drain_o,
  output move_t                            move_o,
  input  logic                             channel_ready_i,
  input  logic                             drain_ready_i,
  input  logic                             malformed_i,
  // Commands, by unit_e. They stay until the unit is ready.
  output logic              [ NumUnit-1:0] command_o,
  output logic              [        23:0] argument_o,
  input  logic              [ NumUnit-1:0] unit_ready_i,
  // Conditions, by if_e: whether they hold, whether that is known, and their status.
  input  logic              [  FlagsW-1:0] flags_i,
  input  logic              [   NumIf-1:0] holds_i,
  input  logic              [   NumIf-1:0] known_i,
  input  ecsm_pkg::status_e                status_i       [NumIf]
);

  typedef enum logic [1:0] {
    StIdle,
    StRun,
    StAnswer,
    StClear
  } state_e;

  state_e state_d, state_q;
  logic valid_d, valid_q;  // word_q is to be executed
  logic dirty_d, dirty_q;  // still to be cleared
  logic [WordW-1:0] word_d, word_q;
  logic [ProgramW-1:0] index_q;  // index of word_i
  ecsm_pkg::status_e status_d, status_q;
  logic [CycleW-1:0] cycles_d, cycles_q;

  kind_e kind;
  move_t move;
  command_t command;
  decide_t decide;
  assign kind = kind_e'(word_q[WordW-1:BodyW]);
  assign move = word_q[BodyW-1:0];
  assign command = word_q[$bits(command_t)-1:0];
  assign decide = word_q[$bits(decide_t)-1:0];

  logic execute, holds, taken, done, jump, finish;
  assign execute = state_q == StRun && valid_q && channel_ready_i && !malformed_i &&
      (drain_ready_i || (kind == KindMove && move.to == ToAes));
  assign holds = decide.condition == IfFlags ? (flags_i & decide.mask) == decide.flags
      : holds_i[decide.condition];
  assign taken = holds != decide.negate;

  always_comb begin
    done = 1'b0;
    jump = 1'b0;
    finish = 1'b0;
    start_o = 1'b0;
    start_drain_o = 1'b0;
    command_o = '0;
    status_d = status_q;
    if (execute) begin
      unique case (kind)
        KindMove: begin
          start_o = move.from != FromAes;
          start_drain_o = move.from == FromAes;
          done = 1'b1;
        end
        KindCommand: begin
          done = unit_ready_i[command.unit];
          command_o[command.unit] = 1'b1;
        end
        KindAbort: begin
          done = known_i[decide.condition];
          if (done && taken) begin
            finish = 1'b1;
            status_d = status_i[decide.condition];
            if (decide.status != '0) status_d = ecsm_pkg::status_e'(decide.status);
          end
        end
        KindJump: begin
          done = known_i[decide.condition];
          jump = done && taken;
        end
        default: begin
          done = 1'b1;
          finish = 1'b1;
          status_d = ecsm_pkg::StatusOk;
        end
      endcase
    end
    if (state_q == StRun && malformed_i) begin
      finish = 1'b1;
      status_d = ecsm_pkg::StatusUnsupported;
    end
  end

  assign move_o = move;
  assign argument_o = command.argument;

  logic load;
  assign load = state_q == StRun && (!valid_q || (done && !jump));

  always_comb begin
    state_d = state_q;
    valid_d = valid_q;
    word_d = word_q;
    index_o = index_q;
    cycles_d = cycles_q;
    clear_o = dirty_q && settled_i && (state_q == StAnswer || state_q == StClear);
    dirty_d = dirty_q && !clear_o;
    unique case (state_q)
      StIdle: begin
        index_o = req_op_i;
        cycles_d = '0;
        valid_d = 1'b0;
        if (req_valid_i && req_ready_o) begin
          state_d = StRun;
          dirty_d = 1'b1;
          cycles_d = CycleW'(1);
        end
      end
      StRun: begin
        if (cycles_q != '1) cycles_d = cycles_q + CycleW'(1);
        if (load) begin
          valid_d = 1'b1;
          word_d = word_i;
          index_o = index_q + ProgramW'(1);
        end
        if (jump) begin
          valid_d = 1'b0;
          index_o = decide.next;
        end
        if (finish) begin
          state_d = StAnswer;
          valid_d = 1'b0;
        end
      end
      StAnswer: if (rsp_ready_i) state_d = StClear;
      default:  if (ready_i) state_d = StIdle;
    endcase
    if (zeroize_i) begin
      state_d = StClear;
      valid_d = 1'b0;
      dirty_d = 1'b0;
    end
  end

  assign req_ready_o = state_q == StIdle && ready_i && !zeroize_i;
  assign rsp_valid_o = state_q == StAnswer && !zeroize_i;
  assign rsp_status_o = rsp_valid_o ? status_q : ecsm_pkg::StatusOk;
  assign rsp_cycles_o = rsp_valid_o ? cycles_q : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StClear;
      valid_q <= 1'b0;
      dirty_q <= 1'b0;
      index_q <= '0;
      word_q <= '0;
      status_q <= ecsm_pkg::StatusOk;
      cycles_q <= '0;
    end else begin
      state_q <= state_d;
      valid_q <= valid_d;
      dirty_q <= dirty_d;
      index_q <= index_o;
      word_q <= word_d;
      status_q <= status_d;
      cycles_q <= cycles_d;
    end
  end

endmodule

`default_nettype wire
