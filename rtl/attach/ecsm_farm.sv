// SPDX-License-Identifier: Apache-2.0
//
// A farm: N engines behind one stream of jobs and one stream of answers.
//
//                  engine_req_ready_i --> u_dispatch (round robin): to
//                                               |
//   req_* --> one of N slots (u_request) -------+----> engine_req_* --> engines 0 .. N - 1
//                                                                             |
//   rsp_* <-- rsp_q <-- chosen answer <-- N slots (u_answer) <-- engine_rsp_* +
//                           ^
//                           +-- u_collect (round robin): from
//
// Parameters: N is the number of engines. ReqW and RspW are the bits of a request and an answer;
// they include the user's tag. The farm does not look at their content.
//
// Each accepted request goes to one engine. Each answer of an engine comes out once, in the order
// in which answers are ready.
//
//   req_*, rsp_*       the user's side, valid and ready as at an engine's port
//   engine_*           the engines' side; bit i or element i belongs to engine i
//   zeroize_i          drops every job; the engines get it in the same cycle. An answer that moves
//                      in that cycle is correct. Afterwards no register has data of a job
//
// A job waits at req_* until an engine is ready, not in a queue. So it never waits for one engine
// while another is free. An engine may accept any number of jobs before it answers, and answer in
// any order. If an engine lowers ready without a request, only the job that it was given waits.
//
// Requests: a free engine is chosen ahead of time. req_ready_o tells that there is one, and the
// request goes to that engine's slot. Answers: each engine has a slot, so the engine is free again
// at once. The slots share one output register. Both choices are round robins over the ready ones.
//
// Latency: an engine has the request 1 cycle after the farm accepted it. An answer is valid at
// rsp_* 3 cycles after it was valid at the engine, or later if others (at most N - 1) come first.
// Throughput: one request and one answer a cycle; at most every third cycle for one engine. rsp_o
// is zero unless valid. The only combinational path is from zeroize_i to req_ready_o and the
// engines.
// Source of the structure: docs/integrate/farm.md.

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
  logic [N-1:0] waiting;  // engine i has not yet accepted the content of its slot
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
  logic [N-1:0] finished;  // the answer of engine i is in its slot
  logic [N-1:0] from;  // the engine whose answer comes out next
  logic [N-1:0][RspW-1:0] answer;
  logic [RspW-1:0] chosen;  // that answer
  logic move;  // the output register is free

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
