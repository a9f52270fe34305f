// SPDX-License-Identifier: Apache-2.0
//
// A queue of Depth words of W bits. Its registers are zero where there is no word.
//
// Parameters: W is the number of bits in a word. Depth is a power of 2, at least 2.
//
//   put_i     appends data_i; only while full_o is low
//   pop_i     removes the first word; only while count_o is not 0
//   data_o    the first word, zero if there is none
//   clear_i   removes all words
//
// Latency: one cycle. Throughput: one word a cycle.

`default_nettype none

module ecsm_axil_fifo #(
  parameter  int unsigned W      = 32,
  parameter  int unsigned Depth  = 8,                 // a power of 2
  localparam int unsigned CountW = $clog2(Depth) + 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              put_i,
  input  logic [     W-1:0] data_i,
  input  logic              pop_i,
  output logic [     W-1:0] data_o,
  output logic              full_o,
  output logic [CountW-1:0] count_o
);

  logic [CountW-1:0] put_q, pop_q;
  logic [W-1:0] words_q[Depth];

  assign count_o = put_q - pop_q;
  assign full_o = count_o == CountW'(Depth);
  assign data_o = words_q[pop_q[CountW-2:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      put_q <= '0;
      pop_q <= '0;
      words_q <= '{default: '0};
    end else if (clear_i) begin
      put_q <= '0;
      pop_q <= '0;
      words_q <= '{default: '0};
    end else begin
      if (pop_i) begin
        words_q[pop_q[CountW-2:0]] <= '0;
        pop_q <= pop_q + CountW'(1);
      end
      if (put_i) begin
        words_q[put_q[CountW-2:0]] <= data_i;
        put_q <= put_q + CountW'(1);
      end
    end
  end

endmodule

`default_nettype wire
