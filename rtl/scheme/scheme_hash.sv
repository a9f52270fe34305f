// SPDX-License-Identifier: Apache-2.0
//
// A sym_hash with words of W bits, for Num users (behind a sym_hash_mux) or for one.
//
// Parameters: Num is the number of users, at least 1. HashWordW is 32 or 64. Rounds, those of a
// cycle, is 1, or 2 with HashWordW = 32: faster in cycles, but the longest path of the machine.
// Ports and latency are those of sym_hash and sym_hash_mux.

`default_nettype none

module scheme_hash
  import scheme_pkg::*;
  import sym_pkg::*;
#(
  parameter int unsigned Num = 2,
  parameter int unsigned HashWordW = 32,
  parameter int unsigned Rounds = 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic [   Num-1:0] req_valid_i,
  output logic [   Num-1:0] req_ready_o,
  input  alg_e              req_alg_i     [Num],
  input  logic [   Num-1:0] msg_valid_i,
  output logic [   Num-1:0] msg_ready_o,
  input  logic [     W-1:0] msg_data_i    [Num],
  input  logic [BytesW-1:0] msg_bytes_i   [Num],
  input  logic [   Num-1:0] msg_last_i,
  output logic [   Num-1:0] digest_valid_o,
  input  logic [   Num-1:0] digest_ready_i,
  output logic [     W-1:0] digest_data_o [Num],
  output logic [BytesW-1:0] digest_bytes_o[Num],
  output logic [   Num-1:0] digest_last_o
);

  logic req_valid, req_ready, msg_valid, msg_ready, msg_last, digest_valid, digest_ready;
  logic digest_last;
  alg_e req_alg;
  logic [W-1:0] msg_data, digest_data;
  logic [BytesW-1:0] msg_bytes, digest_bytes;

  if (Num > 1) begin : gen_mux
    sym_hash_mux #(
      .Num(Num),
      .W(W)
    ) u_mux (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .req_valid_i(req_valid_i),
      .req_ready_o(req_ready_o),
      .req_alg_i(req_alg_i),
      .msg_valid_i(msg_valid_i),
      .msg_ready_o(msg_ready_o),
      .msg_data_i(msg_data_i),
      .msg_bytes_i(msg_bytes_i),
      .msg_last_i(msg_last_i),
      .digest_valid_o(digest_valid_o),
      .digest_ready_i(digest_ready_i),
      .digest_data_o(digest_data_o[0]),
      .digest_bytes_o(digest_bytes_o[0]),
      .digest_last_o(digest_last_o[0]),
      .hash_req_valid_o(req_valid),
      .hash_req_ready_i(req_ready),
      .hash_req_alg_o(req_alg),
      .hash_msg_valid_o(msg_valid),
      .hash_msg_ready_i(msg_ready),
      .hash_msg_data_o(msg_data),
      .hash_msg_bytes_o(msg_bytes),
      .hash_msg_last_o(msg_last),
      .hash_digest_valid_i(digest_valid),
      .hash_digest_ready_o(digest_ready),
      .hash_digest_data_i(digest_data),
      .hash_digest_bytes_i(digest_bytes),
      .hash_digest_last_i(digest_last)
    );
    for (genvar i = 1; i < Num; i++) begin : gen_digest
      assign digest_data_o[i] = digest_data_o[0];
      assign digest_bytes_o[i] = digest_bytes_o[0];
      assign digest_last_o[i] = digest_last_o[0];
    end
  end else begin : gen_one
    assign req_valid = req_valid_i[0];
    assign req_ready_o[0] = req_ready;
    assign req_alg = req_alg_i[0];
    assign msg_valid = msg_valid_i[0];
    assign msg_ready_o[0] = msg_ready;
    assign msg_data = msg_data_i[0];
    assign msg_bytes = msg_bytes_i[0];
    assign msg_last = msg_last_i[0];
    assign digest_valid_o[0] = digest_valid;
    assign digest_ready = digest_ready_i[0];
    assign digest_data_o[0] = digest_data;
    assign digest_bytes_o[0] = digest_bytes;
    assign digest_last_o[0] = digest_last;
  end

  sym_hash #(
    .WordW(HashWordW),
    .PerCycle(W / HashWordW),
    .Rounds(Rounds)
  ) u_hash (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .req_valid_i(req_valid),
    .req_ready_o(req_ready),
    .req_alg_i(req_alg),
    .msg_valid_i(msg_valid),
    .msg_ready_o(msg_ready),
    .msg_data_i(msg_data),
    .msg_bytes_i(msg_bytes),
    .msg_last_i(msg_last),
    .digest_valid_o(digest_valid),
    .digest_ready_i(digest_ready),
    .digest_data_o(digest_data),
    .digest_bytes_o(digest_bytes),
    .digest_last_o(digest_last)
  );

endmodule

`default_nettype wire
