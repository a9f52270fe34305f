// SPDX-License-Identifier: Apache-2.0
//
// What is proven of ecsm_farm by induction (test_farm_proof.py): exactly once.
//
// The farm between any user and any engines that keep valid/ready: inputs are free, each engine
// holds up to three jobs and finishes them in any order at any time. A job is two bits, both set in
// one job at most, the marked one. `holds_o` is an invariant: as many jobs are somewhere in the
// farm or in an engine as were accepted and not answered, the marked one among them once if and
// only if it was accepted and not answered. Zeroize and reset empty the books, so nothing of what
// was dropped can come out. `allowed_o` is what is assumed of the inputs.

`default_nettype none

module farm_proof #(
  parameter int unsigned N = 3
) (
  input  logic         clk_i,
  input  logic         reset_i,
  input  logic         zeroize_i,
  input  logic         req_valid_i,
  input  logic         req_mark_i,
  input  logic         rsp_ready_i,
  input  logic [N-1:0] ready_i,      // engine i takes a job if it has a place
  input  logic [N-1:0] finish_i,     // engine i finishes a job if it has one
  input  logic [N-1:0] marked_i,     // the marked one
  output logic         allowed_o,
  output logic         holds_o
);

  logic started_q = 1'b0;  // zero at first: then everything is reset
  logic rst_n;
  assign rst_n = started_q & ~reset_i;

  logic req_ready, rsp_valid;
  logic [1:0] rsp;
  logic [N-1:0] give, given, done, taken;
  logic [N-1:0][1:0] job, answer;

  ecsm_farm #(
    .N(N),
    .ReqW(2),
    .RspW(2)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_n),
    .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready),
    .req_i({req_mark_i, 1'b1}),
    .rsp_valid_o(rsp_valid),
    .rsp_ready_i(rsp_ready_i),
    .rsp_o(rsp),
    .engine_req_valid_o(give),
    .engine_req_ready_i(given),
    .engine_req_o(job),
    .engine_rsp_valid_i(done),
    .engine_rsp_ready_o(taken),
    .engine_rsp_i(answer)
  );

  // ------------------------------------------------------------------ engines
  logic [N-1:0][1:0] plain_q;  // jobs at work that are not marked
  logic [N-1:0] mark_q;  // the marked job is at work
  logic [N-1:0] shown_q, shown_mark_q;  // an answer stands at the port
  logic [N-1:0] finish, finish_mark, accept;

  for (genvar i = 0; i < N; i++) begin : gen_engine
    assign given[i] = ready_i[i] & ~zeroize_i & ((plain_q[i] + 2'(mark_q[i])) != 2'd3);
    assign done[i] = shown_q[i];
    assign answer[i] = {shown_mark_q[i], 1'b1} & {2{shown_q[i]}};
    assign accept[i] = give[i] & given[i];
    assign finish_mark[i] = marked_i[i] & mark_q[i];
    assign finish[i] = finish_i[i] & ~shown_q[i] & (finish_mark[i] | (plain_q[i] != '0));

    always_ff @(posedge clk_i) begin
      if (~rst_n | zeroize_i) begin
        plain_q[i] <= '0;
        mark_q[i] <= 1'b0;
        shown_q[i] <= 1'b0;
        shown_mark_q[i] <= 1'b0;
      end else begin
        plain_q[i] <= plain_q[i] + 2'(accept[i] & ~job[i][1]) - 2'(finish[i] & ~finish_mark[i]);
        mark_q[i] <= (mark_q[i] & ~(finish[i] & finish_mark[i])) | (accept[i] & job[i][1]);
        shown_q[i] <= finish[i] | (shown_q[i] & ~taken[i]);
        shown_mark_q[i] <= finish[i] ? finish_mark[i] : shown_mark_q[i] & ~taken[i];
      end
    end
  end

  // ------------------------------------------------------------------ the user's books
  localparam int unsigned CountW = $clog2(6 * N + 3);
  typedef logic [CountW-1:0] count_t;

  count_t owed_q;
  logic sent_q, back_q;  // the marked job was accepted, was answered
  logic in, out;
  assign in = req_valid_i & req_ready;
  assign out = rsp_valid & rsp_ready_i;
  assign allowed_o = ~(req_valid_i & req_mark_i & sent_q);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (~rst_n | zeroize_i) begin
      owed_q <= '0;
      sent_q <= 1'b0;
      back_q <= 1'b0;
    end else begin
      owed_q <= owed_q + count_t'(in) - count_t'(out);
      sent_q <= sent_q | (in & req_mark_i);
      back_q <= back_q | (out & rsp[1]);
    end
  end

  // ------------------------------------------------------------------ the invariant
  logic [N-1:0] waiting, finished, to, from;
  logic [N-1:0][1:0] kept;  // in the slots of answers
  logic [N-1:0] stale_request, stale_answer, local_ok;
  assign waiting = give;
  assign finished = ~taken;
  assign to = u_dut.to;
  assign from = u_dut.from;
  assign kept = u_dut.answer;

  for (genvar i = 0; i < N; i++) begin : gen_local
    assign stale_request[i] = u_dut.gen_engine[i].u_request.stale_q;
    assign stale_answer[i] = u_dut.gen_engine[i].u_answer.stale_q;
    assign local_ok[i] = &{
      ~(to[i] & waiting[i]),
      ~(from[i] & ~finished[i]),
      waiting[i] ? job[i][0] & ~stale_request[i] : stale_request[i] | (job[i] == '0),
      finished[i] ? kept[i][0] & ~stale_answer[i] : stale_answer[i] | (kept[i] == '0),
      ~(shown_mark_q[i] & ~shown_q[i]),
      // None is lost by an overflow of the engine's own count.
      ~(mark_q[i] & (plain_q[i] == 2'd3))
    };
  end

  count_t jobs, marks;
  always_comb begin
    jobs = count_t'(rsp_valid);
    marks = count_t'(rsp[1]);
    for (int unsigned i = 0; i < N; i++) begin
      jobs += count_t'(waiting[i]) + count_t'(plain_q[i]) + count_t'(mark_q[i]);
      jobs += count_t'(shown_q[i]) + count_t'(finished[i]);
      marks += count_t'(waiting[i] & job[i][1]) + count_t'(mark_q[i]);
      marks += count_t'(shown_mark_q[i]) + count_t'(finished[i] & kept[i][1]);
    end
  end

  assign holds_o = ~rst_n | (&{
    &local_ok,
    (to & (to - N'(1))) == '0,
    (from & (from - N'(1))) == '0,
    rsp == '0 | rsp_valid,
    rsp[0] | ~rsp_valid,
    jobs == owed_q,
    marks == count_t'(sent_q & ~back_q),
    ~(back_q & ~sent_q)
  });

endmodule

`default_nettype wire
