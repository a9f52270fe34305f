// SPDX-License-Identifier: Apache-2.0
//
// Aligns a string of words for ecsm_order: puts skew_i zero bits, fewer than D, before the first
// word, so that the last bit that counts is the last bit of a digit of D bits. Zeros follow the
// last word.
//
//   take_i     consumes word_o in a cycle with valid_o
//   drain_i    consumes words of the string and drops them
//   ended_o    the last word was consumed, or is dropped in this cycle
//   clear_i    must come before every string
//
// Latency 0.
`default_nettype none

module ecsm_order_string #(
  parameter int unsigned  Word  = 64,
  parameter int unsigned  D     = 4,
  localparam int unsigned SkewW = (D > 1) ? $clog2(D) : 1
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             take_i,
  input  logic             drain_i,
  input  logic [SkewW-1:0] skew_i,
  output logic             valid_o,
  output logic [ Word-1:0] word_o,
  output logic             ended_o,
  input  logic             str_valid_i,
  output logic             str_ready_o,
  input  logic [ Word-1:0] str_data_i,
  input  logic             str_last_i
);

  logic ended_q;
  logic moves;
  // The last bits of the word before.
  logic [D-1:0] before_q;
  logic [Word-1:0] data;

  assign str_ready_o = (take_i | drain_i) & ~ended_q;
  assign moves = str_valid_i & str_ready_o;
  assign data = ended_q ? '0 : str_data_i;
  assign valid_o = str_valid_i | ended_q;
  assign word_o = Word'({before_q, data} >> skew_i);
  assign ended_o = ended_q | (drain_i & str_valid_i & str_last_i);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      ended_q  <= 1'b0;
      before_q <= '0;
    end else begin
      ended_q <= ended_q | (moves & str_last_i);
      if (take_i && valid_o) before_q <= data[D-1:0];
    end
  end

endmodule

`default_nettype wire
