// SPDX-License-Identifier: Apache-2.0
//
// Repeats the strings Z and info for a key derivation (sym_kdf), which reads them once for each
// hash. Each string comes in once.
//
// Parameters: Words is the number of words in Z and info together, at most; a power of 2, at least
// 2.
//
//   begin_i    a derivation begins: Z comes, and info if info_i is high. With again_i the strings
//              of the last derivation are used and none comes
//   z_*_i, info_*_i, data_i, bytes_i, last_i   the strings that come. They pass through to the
//              derivation and are stored
//   z_*_o, info_*_o, data_o, bytes_o, last_o   to the derivation: at first the strings that come,
//              then the stored ones
//   ready_o    the memory is zero (after reset and clear_i). begin_i needs ready_o
//
// Latency 0. clear_i zeroes the memory in Words cycles.

`default_nettype none

module scheme_replay
  import scheme_pkg::*;
#(
  parameter int unsigned Words = 32
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  output logic              ready_o,
  input  logic              begin_i,
  input  logic              info_i,
  input  logic              again_i,
  input  logic              z_valid_i,
  output logic              z_ready_o,
  input  logic              info_valid_i,
  output logic              info_ready_o,
  input  logic [     W-1:0] data_i,
  input  logic [BytesW-1:0] bytes_i,
  input  logic              last_i,
  output logic              z_valid_o,
  input  logic              z_ready_i,
  output logic              info_valid_o,
  input  logic              info_ready_i,
  output logic [     W-1:0] data_o,
  output logic [BytesW-1:0] bytes_o,
  output logic              last_o
);

  localparam int unsigned AtW = $clog2(Words);

  typedef struct packed {
    logic              last;
    logic [BytesW-1:0] bytes;
    logic [W-1:0]      data;
  } word_t;

  (* no_rw_check *) word_t memory[Words];
  word_t word_q;
  logic first_d, first_q;  // strings come in
  logic info_d, info_q;
  logic [AtW-1:0] at_d, at_q;  // of the next word
  logic [AtW-1:0] end_d, end_q;  // of the last word
  logic clearing_d, clearing_q;

  logic moves, pass_ends;
  assign moves = (z_valid_o && z_ready_i) || (info_valid_o && info_ready_i);
  assign pass_ends = first_q ? last_i && (info_ready_i || !info_q) : at_q == end_q;

  assign ready_o = !clearing_q;
  assign z_valid_o = first_q ? z_valid_i : !clearing_q;
  assign info_valid_o = first_q ? info_valid_i : !clearing_q;
  assign z_ready_o = first_q && z_ready_i;
  assign info_ready_o = first_q && info_ready_i;
  assign data_o = first_q ? data_i : word_q.data;
  assign bytes_o = first_q ? bytes_i : word_q.bytes;
  assign last_o = first_q ? last_i : word_q.last;

  always_comb begin
    first_d = first_q;
    info_d = info_q;
    at_d = at_q;
    end_d = end_q;
    clearing_d = clearing_q;
    if (clearing_q) begin
      at_d = at_q + AtW'(1);
      clearing_d = at_q != AtW'(Words - 1);
      if (!clearing_d) at_d = '0;
    end else if (moves) begin
      at_d = pass_ends ? '0 : at_q + AtW'(1);
      if (pass_ends) first_d = 1'b0;
      if (first_q) end_d = at_q;
    end
    if (begin_i) begin
      at_d = '0;
      info_d = info_i;
      first_d = !again_i;
    end
    if (clear_i) begin
      at_d = '0;
      end_d = '0;
      info_d = 1'b0;
      first_d = 1'b0;
      clearing_d = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b0;
      info_q <= 1'b0;
      at_q <= '0;
      end_q <= '0;
      clearing_q <= 1'b1;
    end else begin
      first_q <= first_d;
      info_q <= info_d;
      at_q <= at_d;
      end_q <= end_d;
      clearing_q <= clearing_d;
    end
  end

  word_t word;
  always_comb begin
    word = '{last: last_i, bytes: bytes_i, data: data_i};
    if (clearing_q) word = '0;
  end

  // A word is read two cycles after it is written at the earliest: a digest is computed in
  // between.
  always_ff @(posedge clk_i) begin
    if (clearing_q || (first_q && moves)) memory[at_q] <= word;
    word_q <= memory[at_d];
  end

  if (Words < 2 || 2 ** AtW != Words) begin : gen_bad_words
    $error("scheme_replay: Words must be a power of 2");
  end

endmodule

`default_nettype wire
