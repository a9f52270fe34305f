// SPDX-License-Identifier: Apache-2.0
//
// A round robin arbiter that chooses ahead: it keeps one of N candidates in a register until it is
// used.
//
// Parameters: N is the number of candidates.
//
//   clear_i       no choice in the next cycle
//   candidate_i   bit i: i may be chosen
//   use_i         uses the choice in this cycle; without a choice it has no effect
//   chosen_o      one-hot, or zero while there is no candidate; stays until use_i
//
// Latency: a candidate is chosen in the next cycle. Throughput: one choice a cycle, the same one at
// most every other cycle. The search begins above the last choice, so a candidate that stays one is
// chosen after at most N - 1 others.

`default_nettype none

module ecsm_round_robin #(
  parameter int unsigned N = 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic [N-1:0] candidate_i,
  input  logic         use_i,
  output logic [N-1:0] chosen_o
);

  function automatic logic [N-1:0] lowest(logic [N-1:0] bits);
    return bits & (~bits + N'(1));
  endfunction

  logic [N-1:0] chosen_q;
  logic [N-1:0] above_q;  // candidates above the last choice
  logic [N-1:0] others, others_above, next;

  assign others = candidate_i & ~chosen_q;
  assign others_above = others & above_q;
  assign next = (|others_above) ? lowest(others_above) : lowest(others);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chosen_q <= '0;
      above_q <= '1;
    end else if (clear_i) begin
      chosen_q <= '0;
    end else if (use_i | ~(|chosen_q)) begin
      chosen_q <= next;
      if (|next) above_q <= ~(next | (next - N'(1)));
    end
  end

  assign chosen_o = chosen_q;

endmodule

`default_nettype wire
