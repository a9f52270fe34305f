// SPDX-License-Identifier: Apache-2.0
//
// The job of a register block: executes its commands, or refuses them.
//
//   command_i      data_i is written to the register of commands: 1 is start, 2 acknowledge, 4
//                  zeroize; any other word is no command
//   refuse_o       data_i is no command, or the command is not possible now; it has no effect
//   zeroize_i      same effect as the command. zeroize_o: either of them, in this cycle
//   req_*, rsp_*   handshakes of the job. The request is valid from start until it is accepted. The
//                  sender of the response keeps it until it is acknowledged
//   busy_o         high from start to the response
//   answer_o       there is a response; done_o: it came in this cycle
//
// Start is possible if there is no job: before the first, after acknowledge and after zeroize.
// Acknowledge is possible while answer_o is high. Zeroize is possible at any time. Latency: one
// cycle from start to req_valid_o and busy_o, none from acknowledge to rsp_ready_o and from zeroize
// to zeroize_o.

`default_nettype none

module ecsm_block_job (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        zeroize_i,
  input  logic        command_i,
  input  logic [31:0] data_i,
  output logic        refuse_o,
  output logic        zeroize_o,
  output logic        busy_o,
  output logic        answer_o,
  output logic        done_o,
  output logic        req_valid_o,
  input  logic        req_ready_i,
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o
);

  localparam logic [31:0] Start = 32'd1;
  localparam logic [31:0] Acknowledge = 32'd2;
  localparam logic [31:0] Zeroize = 32'd4;

  typedef enum logic [1:0] {
    StIdle,
    StRequest,
    StWork
  } state_e;

  state_e state_d, state_q;
  logic answered_q;  // there was a response in the cycle before
  logic start, acknowledge, zeroize;

  assign start = command_i && data_i == Start && state_q == StIdle;
  assign acknowledge = command_i && data_i == Acknowledge && answer_o;
  assign zeroize = command_i && data_i == Zeroize;
  assign refuse_o = command_i & ~(start | acknowledge | zeroize);
  assign zeroize_o = zeroize_i | zeroize;

  assign answer_o = state_q == StWork && rsp_valid_i;
  assign busy_o = state_q != StIdle && !answer_o;
  assign done_o = answer_o & ~answered_q;
  assign req_valid_o = state_q == StRequest;
  assign rsp_ready_o = acknowledge;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle: if (start) state_d = StRequest;
      StRequest: if (req_ready_i) state_d = StWork;
      default: if (acknowledge) state_d = StIdle;
    endcase
    if (zeroize_o) state_d = StIdle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      answered_q <= 1'b0;
    end else begin
      state_q <= state_d;
      answered_q <= answer_o;
    end
  end

endmodule

`default_nettype wire
