// SPDX-License-Identifier: Apache-2.0
//
// A register for W bits of data between two sides that do not wait for each other in the same
// cycle.
//
// Parameters: W is the number of bits.
//
//   clear_i   empties it
//   load_i    fills it with data_i; only while full_o and clear_i are low
//   take_i    empties it; only while full_o is high
//   data_o    the data; zero while full_o is low, except in the cycle after a reset
//
// Latency: one cycle. Throughput: data every second cycle.

`default_nettype none

module ecsm_slot #(
  parameter int unsigned W = 8
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         load_i,
  input  logic [W-1:0] data_i,
  input  logic         take_i,
  output logic         full_o,
  output logic [W-1:0] data_o
);

  logic full_q;
  logic stale_q;  // after a reset: old data is still there
  logic [W-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      stale_q <= 1'b1;
    end else begin
      full_q <= ~clear_i & (load_i | (full_q & ~take_i));
      stale_q <= 1'b0;
    end
  end

  logic wipe;
  assign wipe = ~load_i & (clear_i | take_i | stale_q);

  always_ff @(posedge clk_i) begin
    if (wipe) data_q <= '0;
    else if (load_i) data_q <= data_i;
  end

  assign full_o = full_q;
  assign data_o = data_q;

endmodule

`default_nettype wire
