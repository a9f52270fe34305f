// SPDX-License-Identifier: Apache-2.0
//
// A queue of Depth words of W bits, in distributed RAM where the device has some, else flip-flops.
//
// Parameters: W is the number of bits in a word. Depth is a power of 2, at least 2.
//
//   put_i     appends data_i; only while room_o is not 0
//   pop_i     removes the first word; only while count_o is not 0
//   data_o    the first word, if there is one
//   count_o   how many words there are
//   room_o    how many can be appended
//   clear_i   removes all words; nothing is appended
//
// Places whose word is gone are not free before zero is written into them, one in each cycle in
// which nothing is appended: first all of them after reset.
//
//        scrub      pop         put        scrub + Depth
//          |  gone   |  words    |   zero    |
//
// So Depth cycles after a word was removed it is nowhere, if nothing is appended, and else 2 Depth
// cycles.
//
// Latency: one cycle. Throughput: one word in two cycles, and Depth words at once.

`default_nettype none

module ecsm_block_fifo #(
  parameter  int unsigned W      = 32,
  parameter  int unsigned Depth  = 8,                 // a power of 2
  localparam int unsigned PlaceW = $clog2(Depth),
  localparam int unsigned CountW = PlaceW + 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              put_i,
  input  logic [     W-1:0] data_i,
  input  logic              pop_i,
  output logic [     W-1:0] data_o,
  output logic [CountW-1:0] count_o,
  output logic [CountW-1:0] room_o
);

  logic [W-1:0] words[Depth];
  logic [CountW-1:0] put_q, pop_q, scrub_q;
  logic put, scrub;
  logic [PlaceW-1:0] place;

  assign count_o = put_q - pop_q;
  assign room_o = (scrub_q - put_q) ^ CountW'(Depth);  // Depth - (put_q - scrub_q)
  assign data_o = words[pop_q[PlaceW-1:0]];
  assign put = put_i & ~clear_i;
  assign scrub = ~put & scrub_q != pop_q;
  assign place = put ? put_q[PlaceW-1:0] : scrub_q[PlaceW-1:0];

  always_ff @(posedge clk_i) begin
    if (put || scrub) begin
      words[place] <= put ? data_i : '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      put_q   <= CountW'(Depth);
      pop_q   <= CountW'(Depth);
      scrub_q <= '0;
    end else begin
      if (put) put_q <= put_q + CountW'(1);
      if (clear_i) pop_q <= put_q;
      else if (pop_i) pop_q <= pop_q + CountW'(1);
      if (scrub) scrub_q <= scrub_q + CountW'(1);
    end
  end

endmodule

`default_nettype wire
