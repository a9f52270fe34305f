// SPDX-License-Identifier: Apache-2.0
//
// A farm: one stream of jobs in, one of answers out, N engines between them.
//
// What a request and an answer consist of is the engines' business: here they are ReqW and RspW
// bits, the user's tag among them, which pass unchanged. Every accepted request goes to one engine
// and every answer of an engine comes out once, in the order in which they are finished.
//
//   req_*, rsp_*       the user's side, valid/ready as at an engine's port
//   engine_*           the engines' side; bit i or element i is engine i's
//   zeroize_i          drop every job; the engines get it in the same cycle. An answer taken in
//                      that very cycle is a right one; afterwards nothing is left in a register
//
// A job waits at req_* until an engine is ready, not in a queue: it never waits for one engine
// while another is free. An engine may take as many jobs as it likes before it answers, in any
// order; one that lowers ready without a request only makes a job wait that was given to it.
//
// Requests: a free engine is chosen ahead, req_ready_o says that there is one, and the request goes
// to that engine's slot. Answers: each engine has a slot, so it is free again at once; the slots
// take turns at one output register. Both choices are round robins over those that are ready.
//
// Latency: the engine has the request 1 cycle after it was accepted here; its answer is valid here
// 3 cycles after it was valid there, and later if others are before it, N - 1 at most. Throughput:
// a request and an answer a cycle; one engine every third cycle at most. rsp_o is zero unless valid.
// No path leads through from a port to another but from zeroize_i to req_ready_o and the engines.
// Source of the structure: docs/farm.md.

`default_nettype none

module ecsm_farm #(
  parameter int unsigned N = 2,  // engines
  parameter int unsigned ReqW = 8,
  parameter int unsigned RspW = 8
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      zeroize_i,
  input  logic                      req_valid_i,
  output logic                      req_ready_o,
  input  logic [ReqW-1:0]           req_i,
  output logic                      rsp_valid_o,
  input  logic                      rsp_ready_i,
  output logic [RspW-1:0]           rsp_o,
  output logic [   N-1:0]           engine_req_valid_o,
  input  logic [   N-1:0]           engine_req_ready_i,
  output logic [   N-1:0][ReqW-1:0] engine_req_o,
  input  logic [   N-1:0]           engine_rsp_valid_i,
  output logic [   N-1:0]           engine_rsp_ready_o,
  input  logic [   N-1:0][RspW-1:0] engine_rsp_i
);

  // ------------------------------------------------------------------ requests: one to many
  logic [N-1:0] waiting;  // engine i has not yet taken what is in its slot
  logic [N-1:0] to;  // the engine that gets the next request
  logic accept;

  assign req_ready_o = (|to) & ~zeroize_i;
  assign accept = req_valid_i & req_ready_o;
  assign engine_req_valid_o = waiting;

  ecsm_round_robin #(
    .N(N)
  ) u_dispatch (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(zeroize_i),
    .candidate_i(engine_req_ready_i & ~waiting),
    .use_i(accept),
    .chosen_o(to)
  );

  // ------------------------------------------------------------------ answers: many to one
  logic [N-1:0] finished;  // engine i's answer is in its slot
  logic [N-1:0] from;  // the one that comes out next
  logic [N-1:0][RspW-1:0] answer;
  logic [RspW-1:0] chosen;  // the answer of that one
  logic move;  // the output register is free for it

  logic valid_q;
  logic [RspW-1:0] rsp_q;

  assign move = ~valid_q | rsp_ready_i;
  assign engine_rsp_ready_o = ~finished;

  ecsm_round_robin #(
    .N(N)
  ) u_collect (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(zeroize_i),
    .candidate_i(finished),
    .use_i(move),
    .chosen_o(from)
  );

  always_comb begin
    chosen = '0;
    for (int unsigned i = 0; i < N; i++) chosen |= answer[i] & {RspW{from[i]}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rsp_q <= '0;
    end else if (zeroize_i) begin
      valid_q <= 1'b0;
      rsp_q <= '0;
    end else if (move) begin
      valid_q <= |from;
      rsp_q <= chosen;
    end
  end

  assign rsp_valid_o = valid_q;
  assign rsp_o = rsp_q;

  // ------------------------------------------------------------------ slots
  for (genvar i = 0; i < N; i++) begin : gen_engine
    ecsm_slot #(
      .W(ReqW)
    ) u_request (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(zeroize_i),
      .load_i(accept & to[i]),
      .data_i(req_i),
      .take_i(waiting[i] & engine_req_ready_i[i]),
      .full_o(waiting[i]),
      .data_o(engine_req_o[i])
    );

    ecsm_slot #(
      .W(RspW)
    ) u_answer (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(zeroize_i),
      .load_i(engine_rsp_valid_i[i] & ~finished[i] & ~zeroize_i),
      .data_i(engine_rsp_i[i]),
      .take_i(from[i] & move),
      .full_o(finished[i]),
      .data_o(answer[i])
    );
  end

endmodule

`default_nettype wire
