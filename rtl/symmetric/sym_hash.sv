// SPDX-License-Identifier: Apache-2.0
//
// Hash of a byte string, with padding: SHA-1, SHA-224, SHA-256 (WordW = 32) or SHA-384, SHA-512
// (WordW = 64).
//
//   msg_*  -->  sym_pack  ----->  sym_pad  ----->  sym_hash_core  -->  digest_*
//   any bytes   full words        0x80, zeros,     schedule, Rounds
//   a word      (last: any)       length           rounds a cycle
//                                                       ^
//   req_* ----------------------------------------------+
//
// Parameters: WordW is 32 or 64, PerCycle is 1 or 2, Rounds is PerCycle or 1. W = WordW PerCycle.
//
// The streams follow sym_pkg, with words of W bits. A word of the message may have any number of
// bytes, also in the middle of the message. The first byte is in the highest bits of a word, in the
// message and in the digest. req_alg_i is read with the request; it must be an algorithm of WordW.
// Messages are shorter than 2^61 bytes.
//
// Latency. The request moves in cycle t; the message has L bytes in full words without a gap. A
// block has B = 2 WordW bytes, so there are n = floor((L + 2 WordW / 8) / B) + 1 blocks. The
// digest's first word is valid on digest_* in cycle
//
//   t + 3 + n C,   C = 64 / Rounds + 1 for SHA-224 and SHA-256, 80 / Rounds + 1 for the others.
//
// The digest has ceil(words / PerCycle) words of W bits, one a cycle. Words of the message move in
// the first 16 / Rounds cycles of its blocks. See sym_hash_core for the structure.
// Source: FIPS 180-4.
`default_nettype none

module sym_hash
  import sym_pkg::*;
#(
  parameter int unsigned WordW = 32,
  parameter int unsigned PerCycle = 2,
  parameter int unsigned Rounds = PerCycle,
  localparam int unsigned W = WordW * PerCycle,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  alg_e              req_alg_i,
  input  logic              msg_valid_i,
  output logic              msg_ready_o,
  input  logic [     W-1:0] msg_data_i,
  input  logic [BytesW-1:0] msg_bytes_i,
  input  logic              msg_last_i,
  output logic              digest_valid_o,
  input  logic              digest_ready_i,
  output logic [     W-1:0] digest_data_o,
  output logic [BytesW-1:0] digest_bytes_o,
  output logic              digest_last_o
);

  logic pack_ready;
  logic packed_valid, packed_ready, packed_last;
  logic [W-1:0] packed_data;
  logic [BytesW-1:0] packed_bytes;
  logic word_valid, word_ready, word_last;
  logic [W-1:0] word_data;

  // High from a request to the last word of its message. At other times words of the next
  // message wait.
  logic open_d, open_q;

  assign msg_ready_o = open_q && pack_ready;

  always_comb begin
    open_d = open_q;
    if (msg_valid_i && msg_ready_o && msg_last_i) open_d = 1'b0;
    if (req_valid_i && req_ready_o) open_d = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) open_q <= 1'b0;
    else if (clear_i) open_q <= 1'b0;
    else open_q <= open_d;
  end

  sym_pack #(
    .W(W)
  ) u_pack (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .in_valid_i(msg_valid_i && open_q),
    .in_ready_o(pack_ready),
    .in_data_i(msg_data_i),
    .in_bytes_i(msg_bytes_i),
    .in_last_i(msg_last_i),
    .out_valid_o(packed_valid),
    .out_ready_i(packed_ready),
    .out_data_o(packed_data),
    .out_bytes_o(packed_bytes),
    .out_last_o(packed_last)
  );

  sym_pad #(
    .WordW(WordW),
    .PerCycle(PerCycle)
  ) u_pad (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .in_valid_i(packed_valid),
    .in_ready_o(packed_ready),
    .in_data_i(packed_data),
    .in_bytes_i(packed_bytes),
    .in_last_i(packed_last),
    .out_valid_o(word_valid),
    .out_ready_i(word_ready),
    .out_data_o(word_data),
    .out_last_o(word_last)
  );

  sym_hash_core #(
    .WordW(WordW),
    .PerCycle(PerCycle),
    .Rounds(Rounds)
  ) u_core (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .alg_i(req_alg_i),
    .word_valid_i(word_valid),
    .word_ready_o(word_ready),
    .word_data_i(word_data),
    .word_last_i(word_last),
    .digest_valid_o(digest_valid_o),
    .digest_ready_i(digest_ready_i),
    .digest_data_o(digest_data_o),
    .digest_bytes_o(digest_bytes_o),
    .digest_last_o(digest_last_o)
  );

endmodule

`default_nettype wire
