// SPDX-License-Identifier: Apache-2.0
//
// Shares one sym_hash between several users. A user owns it from its request to the last word of
// its digest.
//
// Parameters: Num is the number of users, at least 2. W is the number of bits in a word.
//
// If several users request in the same cycle, the one with the lowest number is served first. The
// latency of every signal is 0. digest_data_o, digest_bytes_o and digest_last_o go to every user;
// digest_valid_o tells whose digest it is. clear_i must clear the hash and all users in the same
// cycle.
`default_nettype none

module sym_hash_mux
  import sym_pkg::*;
#(
  parameter int unsigned Num = 2,
  parameter int unsigned W = 64,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  // Users.
  input  logic [   Num-1:0] req_valid_i,
  output logic [   Num-1:0] req_ready_o,
  input  alg_e              req_alg_i          [Num],
  input  logic [   Num-1:0] msg_valid_i,
  output logic [   Num-1:0] msg_ready_o,
  input  logic [     W-1:0] msg_data_i         [Num],
  input  logic [BytesW-1:0] msg_bytes_i        [Num],
  input  logic [   Num-1:0] msg_last_i,
  output logic [   Num-1:0] digest_valid_o,
  input  logic [   Num-1:0] digest_ready_i,
  output logic [     W-1:0] digest_data_o,
  output logic [BytesW-1:0] digest_bytes_o,
  output logic              digest_last_o,
  // The hash.
  output logic              hash_req_valid_o,
  input  logic              hash_req_ready_i,
  output alg_e              hash_req_alg_o,
  output logic              hash_msg_valid_o,
  input  logic              hash_msg_ready_i,
  output logic [     W-1:0] hash_msg_data_o,
  output logic [BytesW-1:0] hash_msg_bytes_o,
  output logic              hash_msg_last_o,
  input  logic              hash_digest_valid_i,
  output logic              hash_digest_ready_o,
  input  logic [     W-1:0] hash_digest_data_i,
  input  logic [BytesW-1:0] hash_digest_bytes_i,
  input  logic              hash_digest_last_i
);

  // The owner of the hash, one-hot; zero if there is none.
  logic [Num-1:0] owner_d, owner_q, first;

  assign first = req_valid_i & (~req_valid_i + Num'(1));
  assign hash_req_valid_o = owner_q == '0 && req_valid_i != '0;
  assign req_ready_o = (owner_q == '0 && hash_req_ready_i) ? first : '0;

  assign msg_ready_o = hash_msg_ready_i ? owner_q : '0;
  assign hash_msg_valid_o = |(msg_valid_i & owner_q);
  assign hash_msg_last_o = |(msg_last_i & owner_q);
  assign digest_valid_o = hash_digest_valid_i ? owner_q : '0;
  assign hash_digest_ready_o = |(digest_ready_i & owner_q);
  assign digest_data_o = hash_digest_data_i;
  assign digest_bytes_o = hash_digest_bytes_i;
  assign digest_last_o = hash_digest_last_i;

  always_comb begin
    hash_req_alg_o   = AlgSha1;
    hash_msg_data_o  = '0;
    hash_msg_bytes_o = '0;
    for (int unsigned i = 0; i < Num; i++) begin
      if (first[i]) hash_req_alg_o = req_alg_i[i];
      if (owner_q[i]) begin
        hash_msg_data_o  = msg_data_i[i];
        hash_msg_bytes_o = msg_bytes_i[i];
      end
    end
  end

  always_comb begin
    owner_d = owner_q;
    if (hash_digest_valid_i && hash_digest_ready_o && hash_digest_last_i) owner_d = '0;
    if (hash_req_valid_o && hash_req_ready_i) owner_d = first;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owner_q <= '0;
    else if (clear_i) owner_q <= '0;
    else owner_q <= owner_d;
  end

endmodule

`default_nettype wire
