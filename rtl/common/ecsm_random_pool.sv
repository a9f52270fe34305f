// SPDX-License-Identifier: Apache-2.0
//
// Collects random words for a job: W bits, which the job takes at once.
//
//   random_i --> [pool_q, shifts by WordW] --> data_o
//
//   random_*   words of WordW bits, by valid/ready. The pool is ready until it is full
//   full_o     all bits of data_o are fresh
//   take_i     the job takes data_o in this cycle; the pool is zero and empty in the next one
//   clear_i    empties the pool, too, and wins
//
// It judges no word: who makes them withholds random_valid_i while they are not good. Ranges: WordW
// at least 1, W at least 1. It fills in ceil(W / WordW) words.

`default_nettype none

module ecsm_random_pool #(
  parameter int unsigned W = 8,
  parameter int unsigned WordW = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             random_valid_i,
  output logic             random_ready_o,
  input  logic [WordW-1:0] random_i,
  output logic             full_o,
  input  logic             take_i,
  output logic [    W-1:0] data_o
);

  localparam int unsigned NumWord = (W + WordW - 1) / WordW;
  localparam int unsigned PoolW = NumWord * WordW;
  localparam int unsigned CountW = $clog2(NumWord + 1);

  logic [ PoolW-1:0] pool_q;
  logic [CountW-1:0] count_q;  // words

  assign full_o = count_q == CountW'(NumWord);
  assign random_ready_o = ~full_o & ~clear_i;
  assign data_o = pool_q[W-1:0];

  if (PoolW > W) begin : gen_more
    logic unused_more;
    assign unused_more = ^pool_q[PoolW-1:W];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pool_q  <= '0;
      count_q <= '0;
    end else if (clear_i || take_i) begin
      pool_q  <= '0;
      count_q <= '0;
    end else if (random_valid_i && random_ready_o) begin
      pool_q  <= PoolW'({pool_q, random_i});
      count_q <= count_q + CountW'(1);
    end
  end

  if (W < 1 || WordW < 1) begin : gen_bad
    $error("ecsm_random_pool: W and WordW must be at least 1");
  end

endmodule

`default_nettype wire
