// SPDX-License-Identifier: Apache-2.0
//
// Key derivation with a hash outside: returns the first req_octets_i bytes of
//
//   H(Z || I(c) || info) || H(Z || I(c + 1) || info) || ...,   c = req_one_i.
//
// I(c) is a number as four bytes. The KDF of ANSI X9.63 has c = 1. MGF1 has c = 0 and no info; its
// Z is the seed. KDF1 and KDF2 of ISO 18033-2 have c = 0 and c = 1 without info.
//
//   z_* --------+
//   counter_q --+--> hash_msg_* --> (a sym_hash outside) --> hash_digest_* -> sym_trim -> key_*
//   info_* -----+
//
// Parameters: W is the number of bits in a word, at least 32. LengthW is the number of bits in
// req_octets_i, 8 .. 32.
//
// The unit reads Z and info once for each hash: after the word with last, the first word follows
// again. Their words may have any number of bytes. With req_info_i low there is no info and the
// unit reads none. req_alg_i is as for sym_hash. The key is a stream in which every word but the
// last is full. A key of length 0 is one word of 0 bytes, and no hash runs. req_ready_o is high
// again when the key has moved out.
//
// Timing, if the streams never wait. The request moves in cycle t; D is the number of words of W
// bits in a digest, C the cycles of a block in sym_hash, n the number of blocks in a hash. If Z is
// whole words and there is no info, the first word of digest i = 0, 1, .. comes in cycle
//
//   t + 5 + n C + i (4 + D + n C).
//
// A word of Z, counter or info that does not fill a word of the hash may cost one more cycle: the
// last word of Z, and the counter before info. A word of the key moves out in the cycle after it
// is full.
// Source: ANSI X9.63 (SEC 1, section 3.6.1); RFC 8017, appendix B.2.1.
`default_nettype none

module sym_kdf
  import sym_pkg::*;
#(
  parameter int unsigned W = 64,
  parameter int unsigned LengthW = 16,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  alg_e               req_alg_i,
  input  logic               req_one_i,
  input  logic               req_info_i,
  input  logic [LengthW-1:0] req_octets_i,
  input  logic               z_valid_i,
  output logic               z_ready_o,
  input  logic [      W-1:0] z_data_i,
  input  logic [ BytesW-1:0] z_bytes_i,
  input  logic               z_last_i,
  input  logic               info_valid_i,
  output logic               info_ready_o,
  input  logic [      W-1:0] info_data_i,
  input  logic [ BytesW-1:0] info_bytes_i,
  input  logic               info_last_i,
  output logic               key_valid_o,
  input  logic               key_ready_i,
  output logic [      W-1:0] key_data_o,
  output logic [ BytesW-1:0] key_bytes_o,
  output logic               key_last_o,
  // The hash.
  output logic               hash_req_valid_o,
  input  logic               hash_req_ready_i,
  output alg_e               hash_req_alg_o,
  output logic               hash_msg_valid_o,
  input  logic               hash_msg_ready_i,
  output logic [      W-1:0] hash_msg_data_o,
  output logic [ BytesW-1:0] hash_msg_bytes_o,
  output logic               hash_msg_last_o,
  input  logic               hash_digest_valid_i,
  output logic               hash_digest_ready_o,
  input  logic [      W-1:0] hash_digest_data_i,
  input  logic [ BytesW-1:0] hash_digest_bytes_i,
  input  logic               hash_digest_last_i
);

  typedef enum logic [2:0] {
    StIdle,
    StReq,
    StZ,
    StCounter,
    StInfo,
    StDigest
  } state_e;

  state_e state_d, state_q;
  alg_e alg_d, alg_q;
  logic info_d, info_q;
  logic [31:0] counter_d, counter_q;

  logic start, more, busy, move, trim_ready;

  assign start = req_valid_i && req_ready_o;
  assign move = hash_msg_valid_o && hash_msg_ready_i;

  assign req_ready_o = state_q == StIdle && !busy;
  assign hash_req_valid_o = state_q == StReq;
  assign hash_req_alg_o = alg_q;
  assign z_ready_o = state_q == StZ && hash_msg_ready_i;
  assign info_ready_o = state_q == StInfo && hash_msg_ready_i;
  assign hash_digest_ready_o = state_q == StDigest && trim_ready;

  always_comb begin
    hash_msg_valid_o = 1'b0;
    hash_msg_data_o = '0;
    hash_msg_bytes_o = '0;
    hash_msg_last_o = 1'b0;
    unique case (state_q)
      StZ: begin
        hash_msg_valid_o = z_valid_i;
        hash_msg_data_o = z_data_i;
        hash_msg_bytes_o = z_bytes_i;
      end
      StCounter: begin
        hash_msg_valid_o = 1'b1;
        hash_msg_data_o[W-1-:32] = counter_q;
        hash_msg_bytes_o = BytesW'(4);
        hash_msg_last_o = !info_q;
      end
      StInfo: begin
        hash_msg_valid_o = info_valid_i;
        hash_msg_data_o = info_data_i;
        hash_msg_bytes_o = info_bytes_i;
        hash_msg_last_o = info_last_i;
      end
      default: ;
    endcase
  end

  sym_trim #(
    .W(W),
    .LengthW(LengthW)
  ) u_trim (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .start_i(start),
    .octets_i(req_octets_i),
    .more_o(more),
    .busy_o(busy),
    .in_valid_i(hash_digest_valid_i && state_q == StDigest),
    .in_ready_o(trim_ready),
    .in_data_i(hash_digest_data_i),
    .in_bytes_i(hash_digest_bytes_i),
    .out_valid_o(key_valid_o),
    .out_ready_i(key_ready_i),
    .out_data_o(key_data_o),
    .out_bytes_o(key_bytes_o),
    .out_last_o(key_last_o)
  );

  always_comb begin
    state_d   = state_q;
    alg_d     = alg_q;
    info_d    = info_q;
    counter_d = counter_q;
    unique case (state_q)
      StIdle: begin
        if (more) state_d = StReq;
        else if (start) begin
          alg_d = req_alg_i;
          info_d = req_info_i;
          counter_d = 32'(req_one_i);
          if (req_octets_i != '0) state_d = StReq;
        end
      end
      StReq: if (hash_req_ready_i) state_d = StZ;
      StZ: if (move && z_last_i) state_d = StCounter;
      StCounter: begin
        if (move) begin
          state_d   = info_q ? StInfo : StDigest;
          counter_d = counter_q + 32'd1;
        end
      end
      StInfo: if (move && info_last_i) state_d = StDigest;
      default: begin
        if (hash_digest_valid_i && hash_digest_ready_o && hash_digest_last_i) state_d = StIdle;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      alg_q     <= AlgSha1;
      info_q    <= 1'b0;
      counter_q <= '0;
    end else if (clear_i) begin
      state_q   <= StIdle;
      alg_q     <= AlgSha1;
      info_q    <= 1'b0;
      counter_q <= '0;
    end else begin
      state_q   <= state_d;
      alg_q     <= alg_d;
      info_q    <= info_d;
      counter_q <= counter_d;
    end
  end

  if (W < 32 || LengthW < 8 || LengthW > 32) begin : gen_bad_parameters
    $error("sym_kdf: W must be at least 32, LengthW 8 .. 32");
  end

endmodule

`default_nettype wire
