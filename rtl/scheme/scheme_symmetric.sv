// SPDX-License-Identifier: Apache-2.0
//
// The units of the scheme machine that use a hash: digests, HMAC, KDF, nonces of RFC 6979, random
// bytes. docs/theory/symmetric.md describes each.
//
//   hash_*  --------------------------+
//   hmac_*, hmac_key_* --> sym_hmac --+                           +--> out_*[0] digest
//   kdf_*, kdf_info_*                 |                           +--> out_*[1] tag
//     --> scheme_replay --> sym_kdf --+--> scheme_hash -- back -->+--> out_*[2] key
//   nonce_* --> sym_hmac_drbg --------+     (shared)    to user   +--> out_*[3] nonce
//   noise_* --> scheme_random --------+                           +--> out_*[4] random bytes
//
// Parameters: HashWordW is 32 for SHA-1, SHA-224 and SHA-256, 64 for SHA-384 and SHA-512. The
// random generator uses SHA-256; with 64 it has a hash of its own. HashRounds is the rounds of a
// hash of 32-bit words in a cycle: 1, or 2, which costs clock (scheme_hash). RandomOctets is the
// largest draw. SampleW, SeedSamples, ReseedSamples, Startup: see sym_drbg.
//
// A command, with its unit's ready, begins an operation. Fields of argument_i from bit 0, with
// their width:
//
//   hash    alg (3)
//   HMAC    alg (3), new key (1)
//   KDF     alg (3), counter from 1 (1), info (1), add length_i to the bytes (1), Z and info of the
//           last derivation again (1), unused (1), bytes (16)
//   nonce   op (2), alg (3), unused (3), bytes (16)
//   random  op (2), test mode (1), for the core (1, scheme_mask), unused (4), bytes (16)
//
// status_o is the status of the last operation of the nonce or random generator, StatusOk while it
// runs. The streams are those of the units. Z and info of the KDF come once (scheme_replay).
// clear_i needs settled_o. It zeroes everything but the random generator; zeroize_i zeroes that
// too. ready_o: all is cleared, and the random generator has made its next draw (scheme_random).
// Latency: that of each unit.

`default_nettype none

module scheme_symmetric
  import scheme_pkg::*;
  import sym_pkg::*;
  import ecsm_pkg::*;
#(
  parameter int unsigned HashWordW = 32,
  parameter int unsigned HashRounds = 1,
  parameter int unsigned RandomOctets = 32,
  parameter int unsigned SampleW = 8,
  parameter int unsigned SeedSamples = 96,
  parameter int unsigned ReseedSamples = 64,
  parameter int unsigned Startup = 1024
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  zeroize_i,
  output logic                  settled_o,
  output logic                  ready_o,
  input  logic                  secret_i,
  input  logic    [       15:0] length_i,
  input  logic                  hash_command_i,
  output logic                  hash_ready_o,
  input  logic                  hmac_command_i,
  output logic                  hmac_ready_o,
  input  logic                  kdf_command_i,
  output logic                  kdf_ready_o,
  input  logic                  nonce_command_i,
  output logic                  nonce_ready_o,
  input  logic                  random_command_i,
  output logic                  random_ready_o,
  input  logic    [       23:0] argument_i,
  output status_e               status_o,
  // Strings in.
  input  logic    [      W-1:0] data_i,
  input  logic    [ BytesW-1:0] bytes_i,
  input  logic                  last_i,
  input  logic                  hash_valid_i,
  output logic                  hash_ready_in_o,
  input  logic                  hmac_key_valid_i,
  output logic                  hmac_key_ready_o,
  input  logic                  hmac_valid_i,
  output logic                  hmac_ready_in_o,
  input  logic                  kdf_valid_i,
  output logic                  kdf_ready_in_o,
  input  logic                  kdf_info_valid_i,
  output logic                  kdf_info_ready_o,
  input  logic                  nonce_valid_i,
  output logic                  nonce_ready_in_o,
  // Strings out: digest, tag, key, nonce, random bytes.
  output logic    [        4:0] out_valid_o,
  input  logic    [        4:0] out_ready_i,
  output logic    [      W-1:0] out_data_o      [5],
  output logic    [ BytesW-1:0] out_bytes_o     [5],
  output logic    [        4:0] out_last_o,
  // Noise.
  output logic                  no_entropy_o,
  output logic                  test_mode_o,
  input  logic                  noise_valid_i,
  output logic                  noise_ready_o,
  input  logic    [SampleW-1:0] noise_data_i,
  input  logic                  test_valid_i,
  output logic                  test_ready_o,
  input  logic    [SampleW-1:0] test_data_i
);

  localparam int unsigned PerCycle = W / HashWordW;
  // The users of the hash: direct, HMAC, KDF, nonces, random bytes.
  localparam int unsigned NumUser = 5;
  localparam int unsigned UserHash = 0, UserHmac = 1, UserKdf = 2, UserNonce = 3, UserRandom = 4;
  localparam bit Shared = HashWordW == 32;
  localparam int unsigned NumShared = Shared ? NumUser : NumUser - 1;

  // ------------------------------------------------------------------ the users' ports of the
  // hash
  logic [NumUser-1:0] req_valid, req_ready, msg_valid, msg_ready, msg_last, digest_valid;
  logic [NumUser-1:0] digest_ready;
  alg_e req_alg[NumUser];
  logic [W-1:0] msg_data[NumUser], digest_data[NumUser];
  logic [BytesW-1:0] msg_bytes[NumUser], digest_bytes[NumUser];
  logic [NumUser-1:0] digest_last;

  scheme_hash #(
    .Num(NumShared),
    .HashWordW(HashWordW),
    .Rounds(Shared ? HashRounds : 1)
  ) u_hash (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .req_valid_i(req_valid[NumShared-1:0]),
    .req_ready_o(req_ready[NumShared-1:0]),
    .req_alg_i(req_alg[0:NumShared-1]),
    .msg_valid_i(msg_valid[NumShared-1:0]),
    .msg_ready_o(msg_ready[NumShared-1:0]),
    .msg_data_i(msg_data[0:NumShared-1]),
    .msg_bytes_i(msg_bytes[0:NumShared-1]),
    .msg_last_i(msg_last[NumShared-1:0]),
    .digest_valid_o(digest_valid[NumShared-1:0]),
    .digest_ready_i(digest_ready[NumShared-1:0]),
    .digest_data_o(digest_data[0:NumShared-1]),
    .digest_bytes_o(digest_bytes[0:NumShared-1]),
    .digest_last_o(digest_last[NumShared-1:0])
  );

  if (!Shared) begin : gen_own
    scheme_hash #(
      .Num(1),
      .HashWordW(32),
      .Rounds(HashRounds)
    ) u_hash (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(zeroize_i),
      .req_valid_i(req_valid[UserRandom]),
      .req_ready_o(req_ready[UserRandom]),
      .req_alg_i(req_alg[UserRandom:UserRandom]),
      .msg_valid_i(msg_valid[UserRandom]),
      .msg_ready_o(msg_ready[UserRandom]),
      .msg_data_i(msg_data[UserRandom:UserRandom]),
      .msg_bytes_i(msg_bytes[UserRandom:UserRandom]),
      .msg_last_i(msg_last[UserRandom]),
      .digest_valid_o(digest_valid[UserRandom]),
      .digest_ready_i(digest_ready[UserRandom]),
      .digest_data_o(digest_data[UserRandom:UserRandom]),
      .digest_bytes_o(digest_bytes[UserRandom:UserRandom]),
      .digest_last_o(digest_last[UserRandom])
    );
  end

  // ------------------------------------------------------------------ digests
  assign req_valid[UserHash] = hash_command_i;
  assign req_alg[UserHash] = alg_e'(argument_i[2:0]);
  assign hash_ready_o = req_ready[UserHash];
  assign msg_valid[UserHash] = hash_valid_i;
  assign hash_ready_in_o = msg_ready[UserHash];
  assign msg_data[UserHash] = data_i;
  assign msg_bytes[UserHash] = bytes_i;
  assign msg_last[UserHash] = last_i;
  assign out_valid_o[0] = digest_valid[UserHash];
  assign digest_ready[UserHash] = out_ready_i[0];
  assign out_data_o[0] = digest_data[UserHash];
  assign out_bytes_o[0] = digest_bytes[UserHash];
  assign out_last_o[0] = digest_last[UserHash];

  // ------------------------------------------------------------------ HMAC
  sym_hmac #(
    .WordW(HashWordW),
    .PerCycle(PerCycle)
  ) u_hmac (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .req_valid_i(hmac_command_i),
    .req_ready_o(hmac_ready_o),
    .req_alg_i(alg_e'(argument_i[2:0])),
    .req_rekey_i(argument_i[3]),
    .req_keep_i(1'b0),
    .key_valid_i(hmac_key_valid_i),
    .key_ready_o(hmac_key_ready_o),
    .key_data_i(data_i),
    .key_bytes_i(bytes_i),
    .key_last_i(last_i),
    .msg_valid_i(hmac_valid_i),
    .msg_ready_o(hmac_ready_in_o),
    .msg_data_i(data_i),
    .msg_bytes_i(bytes_i),
    .msg_last_i(last_i),
    .tag_valid_o(out_valid_o[1]),
    .tag_ready_i(out_ready_i[1]),
    .tag_data_o(out_data_o[1]),
    .tag_bytes_o(out_bytes_o[1]),
    .tag_last_o(out_last_o[1]),
    .hash_req_valid_o(req_valid[UserHmac]),
    .hash_req_ready_i(req_ready[UserHmac]),
    .hash_req_alg_o(req_alg[UserHmac]),
    .hash_msg_valid_o(msg_valid[UserHmac]),
    .hash_msg_ready_i(msg_ready[UserHmac]),
    .hash_msg_data_o(msg_data[UserHmac]),
    .hash_msg_bytes_o(msg_bytes[UserHmac]),
    .hash_msg_last_o(msg_last[UserHmac]),
    .hash_digest_valid_i(digest_valid[UserHmac]),
    .hash_digest_ready_o(digest_ready[UserHmac]),
    .hash_digest_data_i(digest_data[UserHmac]),
    .hash_digest_bytes_i(digest_bytes[UserHmac]),
    .hash_digest_last_i(digest_last[UserHmac])
  );

  // ------------------------------------------------------------------ KDF
  logic kdf_ready, replay_ready, z_valid, z_ready, info_valid, info_ready, kdf_last;
  logic [W-1:0] kdf_data;
  logic [BytesW-1:0] kdf_bytes;
  assign kdf_ready_o = kdf_ready && replay_ready;

  scheme_replay u_replay (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .ready_o(replay_ready),
    .begin_i(kdf_command_i && kdf_ready_o),
    .info_i(argument_i[4]),
    .again_i(argument_i[6]),
    .z_valid_i(kdf_valid_i),
    .z_ready_o(kdf_ready_in_o),
    .info_valid_i(kdf_info_valid_i),
    .info_ready_o(kdf_info_ready_o),
    .data_i(data_i),
    .bytes_i(bytes_i),
    .last_i(last_i),
    .z_valid_o(z_valid),
    .z_ready_i(z_ready),
    .info_valid_o(info_valid),
    .info_ready_i(info_ready),
    .data_o(kdf_data),
    .bytes_o(kdf_bytes),
    .last_o(kdf_last)
  );

  sym_kdf #(
    .W(W),
    .LengthW(16)
  ) u_kdf (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .req_valid_i(kdf_command_i && replay_ready),
    .req_ready_o(kdf_ready),
    .req_alg_i(alg_e'(argument_i[2:0])),
    .req_one_i(argument_i[3]),
    .req_info_i(argument_i[4]),
    .req_octets_i(argument_i[23:8] + (argument_i[5] ? length_i : '0)),
    .z_valid_i(z_valid),
    .z_ready_o(z_ready),
    .z_data_i(kdf_data),
    .z_bytes_i(kdf_bytes),
    .z_last_i(kdf_last),
    .info_valid_i(info_valid),
    .info_ready_o(info_ready),
    .info_data_i(kdf_data),
    .info_bytes_i(kdf_bytes),
    .info_last_i(kdf_last),
    .key_valid_o(out_valid_o[2]),
    .key_ready_i(out_ready_i[2]),
    .key_data_o(out_data_o[2]),
    .key_bytes_o(out_bytes_o[2]),
    .key_last_o(out_last_o[2]),
    .hash_req_valid_o(req_valid[UserKdf]),
    .hash_req_ready_i(req_ready[UserKdf]),
    .hash_req_alg_o(req_alg[UserKdf]),
    .hash_msg_valid_o(msg_valid[UserKdf]),
    .hash_msg_ready_i(msg_ready[UserKdf]),
    .hash_msg_data_o(msg_data[UserKdf]),
    .hash_msg_bytes_o(msg_bytes[UserKdf]),
    .hash_msg_last_o(msg_last[UserKdf]),
    .hash_digest_valid_i(digest_valid[UserKdf]),
    .hash_digest_ready_o(digest_ready[UserKdf]),
    .hash_digest_data_i(digest_data[UserKdf]),
    .hash_digest_bytes_i(digest_bytes[UserKdf]),
    .hash_digest_last_i(digest_last[UserKdf])
  );

  // ------------------------------------------------------------------ nonces
  status_e nonce_status, random_status, status_d, status_q;
  logic nonce_done, random_done, unused_nonce_state, unused_nonce_due;

  sym_hmac_drbg #(
    .WordW(HashWordW),
    .PerCycle(PerCycle)
  ) u_nonce (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .req_valid_i(nonce_command_i),
    .req_ready_o(nonce_ready_o),
    .req_op_i(drbg_op_e'(argument_i[1:0])),
    .req_alg_i(alg_e'(argument_i[4:2])),
    .req_extra_i(1'b0),
    .req_octets_i(argument_i[23:8]),
    .done_o(nonce_done),
    .status_o(nonce_status),
    .instantiated_o(unused_nonce_state),
    .reseed_due_o(unused_nonce_due),
    .seed_valid_i(nonce_valid_i),
    .seed_ready_o(nonce_ready_in_o),
    .seed_data_i(data_i),
    .seed_bytes_i(bytes_i),
    .seed_last_i(last_i),
    .out_valid_o(out_valid_o[3]),
    .out_ready_i(out_ready_i[3]),
    .out_data_o(out_data_o[3]),
    .out_bytes_o(out_bytes_o[3]),
    .out_last_o(out_last_o[3]),
    .hash_req_valid_o(req_valid[UserNonce]),
    .hash_req_ready_i(req_ready[UserNonce]),
    .hash_req_alg_o(req_alg[UserNonce]),
    .hash_msg_valid_o(msg_valid[UserNonce]),
    .hash_msg_ready_i(msg_ready[UserNonce]),
    .hash_msg_data_o(msg_data[UserNonce]),
    .hash_msg_bytes_o(msg_bytes[UserNonce]),
    .hash_msg_last_o(msg_last[UserNonce]),
    .hash_digest_valid_i(digest_valid[UserNonce]),
    .hash_digest_ready_o(digest_ready[UserNonce]),
    .hash_digest_data_i(digest_data[UserNonce]),
    .hash_digest_bytes_i(digest_bytes[UserNonce]),
    .hash_digest_last_i(digest_last[UserNonce])
  );

  // ------------------------------------------------------------------ random bytes
  scheme_random #(
    .Octets(RandomOctets),
    .SampleW(SampleW),
    .SeedSamples(SeedSamples),
    .ReseedSamples(ReseedSamples),
    .Startup(Startup)
  ) u_random (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_i(zeroize_i),
    .settled_o(settled_o),
    .secret_i(secret_i),
    .command_i(random_command_i),
    .ready_o(random_ready_o),
    .op_i(drbg_op_e'(argument_i[1:0])),
    .test_i(argument_i[2]),
    .octets_i(argument_i[23:8]),
    .done_o(random_done),
    .status_o(random_status),
    .out_valid_o(out_valid_o[4]),
    .out_ready_i(out_ready_i[4]),
    .out_data_o(out_data_o[4]),
    .out_bytes_o(out_bytes_o[4]),
    .out_last_o(out_last_o[4]),
    .no_entropy_o(no_entropy_o),
    .test_mode_o(test_mode_o),
    .noise_valid_i(noise_valid_i),
    .noise_ready_o(noise_ready_o),
    .noise_data_i(noise_data_i),
    .test_valid_i(test_valid_i),
    .test_ready_o(test_ready_o),
    .test_data_i(test_data_i),
    .hash_req_valid_o(req_valid[UserRandom]),
    .hash_req_ready_i(req_ready[UserRandom]),
    .hash_req_alg_o(req_alg[UserRandom]),
    .hash_msg_valid_o(msg_valid[UserRandom]),
    .hash_msg_ready_i(msg_ready[UserRandom]),
    .hash_msg_data_o(msg_data[UserRandom]),
    .hash_msg_bytes_o(msg_bytes[UserRandom]),
    .hash_msg_last_o(msg_last[UserRandom]),
    .hash_digest_valid_i(digest_valid[UserRandom]),
    .hash_digest_ready_o(digest_ready[UserRandom]),
    .hash_digest_data_i(digest_data[UserRandom]),
    .hash_digest_bytes_i(digest_bytes[UserRandom]),
    .hash_digest_last_i(digest_last[UserRandom])
  );

  // ------------------------------------------------------------------ statuses
  always_comb begin
    status_d = status_q;
    if (nonce_command_i || random_command_i) status_d = StatusOk;
    if (nonce_done) status_d = nonce_status;
    if (random_done) status_d = random_status;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) status_q <= StatusOk;
    else status_q <= status_d;
  end

  assign status_o = status_q;
  assign ready_o = settled_o && replay_ready;

  logic unused_argument;
  assign unused_argument = argument_i[7];

endmodule

`default_nettype wire
