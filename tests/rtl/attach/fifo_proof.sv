// SPDX-License-Identifier: Apache-2.0
//
// What is proven of ecsm_block_fifo by induction (test_fifo_proof.py): nothing stays of a word.
//
// Inputs are free, but for what the contract says of put_i and pop_i. `holds_o` is an invariant:
// every place without a word is zero or is still to be scrubbed, and of those there are no more than
// there are cycles left, `left_q`: Depth of them after a word was removed, one less with each cycle
// in which nothing is appended. So after Depth such cycles all places without a word are zero.

`default_nettype none

module fifo_proof #(
  parameter  int unsigned W      = 2,
  parameter  int unsigned Depth  = 4,
  localparam int unsigned PlaceW = $clog2(Depth),
  localparam int unsigned CountW = PlaceW + 1
) (
  input  logic         clk_i,
  input  logic         reset_i,
  input  logic         clear_i,
  input  logic         put_i,
  input  logic [W-1:0] data_i,
  input  logic         pop_i,
  output logic         allowed_o,
  output logic         holds_o
);

  typedef logic [CountW-1:0] count_t;

  logic started_q = 1'b0;  // zero at first: then everything is reset
  logic rst_n;
  assign rst_n = started_q & ~reset_i;

  count_t count, room;

  ecsm_block_fifo #(
    .W(W),
    .Depth(Depth)
  ) u_dut (
    .clk_i(clk_i),
    .rst_ni(rst_n),
    .clear_i(clear_i),
    .put_i(put_i),
    .data_i(data_i),
    .pop_i(pop_i),
    .data_o(),
    .count_o(count),
    .room_o(room)
  );

  assign allowed_o = ~(put_i & room == '0) & ~(pop_i & count == '0);

  // ------------------------------------------------------------------ the cycles that are left
  count_t left_q;
  logic removed;  // a word is
  assign removed = count != '0 & (pop_i | clear_i);

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (~rst_n | removed) left_q <= count_t'(Depth);
    else if (left_q != '0 && !(put_i && !clear_i)) left_q <= left_q - count_t'(1);
  end

  // ------------------------------------------------------------------ the invariant
  count_t gone, used;  // places to be scrubbed, and those with words, too
  logic [Depth-1:0] clean;
  assign gone = u_dut.pop_q - u_dut.scrub_q;
  assign used = u_dut.put_q - u_dut.scrub_q;

  for (genvar i = 0; i < Depth; i++) begin : gen_place
    logic [PlaceW-1:0] behind;  // by how much it is behind the first place that is scrubbed
    assign behind = PlaceW'(i) - u_dut.scrub_q[PlaceW-1:0];
    assign clean[i] = count_t'(behind) < used | u_dut.words[i] == '0;
  end

  assign holds_o = ~rst_n | (&{
    &clean,
    used <= count_t'(Depth),
    gone <= used,
    gone <= left_q,
    count == used - gone,
    room == count_t'(Depth) - used
  });

endmodule

`default_nettype wire
