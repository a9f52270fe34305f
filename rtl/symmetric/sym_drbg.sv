// SPDX-License-Identifier: Apache-2.0
//
// Random bytes: HMAC_DRBG with SHA-256. A noise source, whose samples are tested, gives the seed.
//
//   noise_* --+--> sym_health -- fine, failed --> no_entropy_o
//             |                   |
//             +-------------------+--+
//                                    v        seed          V, K
//   test_* (test mode) -----------> seed_q ---+--> sym_hmac_drbg --> out_*
//   extra_* (after the seed) -----------------+      |      ^
//                                             hash_msg_*  hash_digest_*
//                                                    v      |
//                                               a sym_hash outside
//
// Parameters: PerCycle is 1 or 2, as that of the hash; W = 32 PerCycle. SampleW is the number of
// bits in a sample; it divides W. SeedSamples and ReseedSamples times SampleW are multiples of W.
// Timeout is in cycles. RepetitionCutoff, Window, ProportionCutoff, StartupSamples: see sym_health;
// the defaults are for 4 bits of entropy in 8. ReseedLimit, LengthW: see sym_hmac_drbg.
//
// The operations are those of sym_hmac_drbg. Instantiate reads SeedSamples samples for the entropy
// input and the nonce. Reseed reads ReseedSamples. With H bits of entropy in a sample these must be
// at least (256 + 128) / H and 256 / H. With req_extra_i the stream extra_* follows the samples
// (personalisation, additional input); for Generate it is the additional input. It must not be
// empty. The unit reads it twice, for Generate four times: after the word with last, the first word
// follows again.
//
// Noise: a sample moves when noise_valid_i and noise_ready_o are high. The unit tests every sample
// and drops those that it does not need. noise_ready_o is low only after a failure.
//
// No entropy: no_entropy_o rises when a health test fails, or when the unit waits for a sample for
// Timeout cycles. It stays high until rst_ni; clear_i does not lower it. K and V are then zeroed,
// and every operation returns StatusNoEntropy. Only an operation that already has its seed still
// succeeds.
//
// Test mode: Instantiate with req_test_i enters it. Instantiate without req_test_i and clear_i
// leave it. test_mode_o shows it. Samples then come from test_* without tests: 48 bytes for
// Instantiate, 32 for Reseed. no_entropy_o has no effect. If secret_loaded_i was high since rst_ni,
// the unit refuses to enter test mode: it returns StatusUnsupported and keeps its state, also a
// test mode that it is in.
//
// done_o is high for one cycle at an operation's end, with status_o:
//   StatusOk
//   StatusUnsupported  test mode refused
//   StatusNoEntropy    no_entropy_o; or not instantiated; or ReseedLimit Generates since the seed
//
// Timing: the cycles of the samples, then those of sym_hmac_drbg. Each reading of the seed spends
// SeedW / W cycles on the seed register, whether it is full or not.
// Source: NIST SP 800-90A Rev. 1, sections 9 and 10.1.2; SP 800-90B, section 4.
`default_nettype none

module sym_drbg
  import sym_pkg::*;
  import ecsm_pkg::*;
#(
  parameter int unsigned PerCycle = 2,
  parameter int unsigned LengthW = 16,
  parameter bit [48:0] ReseedLimit = 49'd65536,
  parameter int unsigned SampleW = 8,
  parameter int unsigned SeedSamples = 96,
  parameter int unsigned ReseedSamples = 64,
  parameter int unsigned Timeout = 65536,
  parameter int unsigned RepetitionCutoff = 6,
  parameter int unsigned Window = 512,
  parameter int unsigned ProportionCutoff = 62,
  parameter int unsigned StartupSamples = 1024,
  localparam int unsigned W = 32 * PerCycle,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic                   secret_loaded_i,
  output logic                   no_entropy_o,
  output logic                   test_mode_o,
  output logic                   instantiated_o,
  output logic                   reseed_due_o,
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  drbg_op_e               req_op_i,
  input  logic                   req_test_i,
  input  logic                   req_extra_i,
  input  logic     [LengthW-1:0] req_octets_i,
  output logic                   done_o,
  output status_e                status_o,
  input  logic                   noise_valid_i,
  output logic                   noise_ready_o,
  input  logic     [SampleW-1:0] noise_data_i,
  input  logic                   test_valid_i,
  output logic                   test_ready_o,
  input  logic     [SampleW-1:0] test_data_i,
  input  logic                   extra_valid_i,
  output logic                   extra_ready_o,
  input  logic     [      W-1:0] extra_data_i,
  input  logic     [ BytesW-1:0] extra_bytes_i,
  input  logic                   extra_last_i,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic     [      W-1:0] out_data_o,
  output logic     [ BytesW-1:0] out_bytes_o,
  output logic                   out_last_o,
  // The hash.
  output logic                   hash_req_valid_o,
  input  logic                   hash_req_ready_i,
  output alg_e                   hash_req_alg_o,
  output logic                   hash_msg_valid_o,
  input  logic                   hash_msg_ready_i,
  output logic     [      W-1:0] hash_msg_data_o,
  output logic     [ BytesW-1:0] hash_msg_bytes_o,
  output logic                   hash_msg_last_o,
  input  logic                   hash_digest_valid_i,
  output logic                   hash_digest_ready_o,
  input  logic     [      W-1:0] hash_digest_data_i,
  input  logic     [ BytesW-1:0] hash_digest_bytes_i,
  input  logic                   hash_digest_last_i
);

  localparam int unsigned N = W / 8;
  localparam int unsigned TestSeed = 384;
  localparam int unsigned TestReseed = 256;
  localparam int unsigned NoiseSeed = SeedSamples * SampleW;
  localparam int unsigned NoiseReseed = ReseedSamples * SampleW;
  localparam int unsigned SeedW = (NoiseSeed > TestSeed) ? NoiseSeed : TestSeed;
  localparam int unsigned SeedWords = SeedW / W;
  localparam int unsigned IndexW = $clog2(SeedWords + 1);
  localparam int unsigned SampleCountW = $clog2(SeedW / SampleW + 1);
  localparam int unsigned TimeoutW = $clog2(Timeout + 1);

  typedef enum logic [1:0] {
    StIdle,
    StGather,
    StRun,
    StDone
  } state_e;

  logic zeroize;
  state_e state_d, state_q;
  drbg_op_e op_d, op_q;
  status_e status_d, status_q;
  logic extra_d, extra_q, asked_d, asked_q, test_d, test_q;
  logic [LengthW-1:0] octets_d, octets_q;
  // Samples, in the lowest bits; the first sample is the highest.
  logic [SeedW-1:0] seed_d, seed_q;
  // Samples still to come. Words of seed_q that have moved; at SeedWords the extra stream
  // moves.
  logic [SampleCountW-1:0] samples_d, samples_q;
  logic [IndexW-1:0] index_d, index_q;
  logic [TimeoutW-1:0] idle_d, idle_q;
  logic secret_d, secret_q, late_d, late_q;

  logic start, refuse_test, test_next, no_entropy_next, wanted, sample, purge;
  logic [SampleW-1:0] sample_data;
  logic fine, unhealthy, usable;
  logic core_ready, core_done, core_valid;
  status_e core_status;
  logic seed_valid, seed_ready, seed_last, seed_shift, of_register, in_register;
  logic [W-1:0] seed_data;
  logic [BytesW-1:0] seed_bytes;
  logic [IndexW-1:0] empty_words;

  assign start = req_valid_i && req_ready_o;
  assign secret_d = secret_q || secret_loaded_i;
  assign refuse_test = req_op_i == DrbgInstantiate && req_test_i && secret_d;
  assign test_next = req_op_i == DrbgInstantiate ? req_test_i : test_q;
  assign no_entropy_next = no_entropy_o && !test_next;
  assign usable = !no_entropy_o || test_q;

  assign req_ready_o = state_q == StIdle && (core_ready || purge) && !zeroize;
  assign done_o = state_q == StDone;
  assign status_o = done_o ? status_q : StatusOk;
  assign no_entropy_o = unhealthy || late_q;
  assign test_mode_o = test_q;

  // Samples.
  assign wanted = state_q == StGather;
  assign noise_ready_o = !no_entropy_o && !zeroize;
  assign test_ready_o = wanted && test_q;
  assign sample = wanted && (test_q ? test_valid_i : fine && noise_ready_o);
  assign sample_data = test_q ? test_data_i : noise_data_i;

  sym_health #(
    .SampleW(SampleW),
    .RepetitionCutoff(RepetitionCutoff),
    .Window(Window),
    .ProportionCutoff(ProportionCutoff),
    .StartupSamples(StartupSamples)
  ) u_health (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .valid_i(noise_valid_i && noise_ready_o),
    .sample_i(noise_data_i),
    .fine_o(fine),
    .failed_o(unhealthy)
  );

  always_comb begin
    idle_d = '0;
    late_d = late_q;
    if (wanted && !test_q && !noise_valid_i) begin
      idle_d = idle_q + TimeoutW'(1);
      if (idle_d == TimeoutW'(Timeout)) late_d = 1'b1;
    end
  end

  // The seed for sym_hmac_drbg: the register's content, then the extra stream.
  always_comb begin
    if (op_q == DrbgInstantiate) begin
      empty_words = IndexW'((SeedW - (test_q ? TestSeed : NoiseSeed)) / W);
    end else begin
      empty_words = IndexW'((SeedW - (test_q ? TestReseed : NoiseReseed)) / W);
    end
  end

  assign seed_d = wanted ? {seed_q[SeedW-SampleW-1:0], sample_data}
                         : {seed_q[SeedW-W-1:0], seed_q[SeedW-1-:W]};
  assign extra_ready_o = !in_register && seed_ready;
  assign of_register = op_q != DrbgGenerate;
  assign in_register = of_register && index_q != IndexW'(SeedWords);

  always_comb begin
    seed_valid = 1'b0;
    seed_data = '0;
    seed_bytes = '0;
    seed_last = 1'b0;
    if (in_register) begin
      seed_valid = index_q >= empty_words;
      seed_data  = seed_q[SeedW-1-:W];
      seed_bytes = BytesW'(N);
      seed_last  = !extra_q && index_q == IndexW'(SeedWords - 1);
    end else begin
      seed_valid = extra_valid_i;
      seed_data = extra_data_i;
      seed_bytes = extra_bytes_i;
      seed_last = extra_last_i;
    end
  end

  always_comb begin
    index_d = index_q;
    seed_shift = 1'b0;
    if (seed_ready) begin
      if (in_register && (seed_valid || index_q < empty_words)) begin
        seed_shift = 1'b1;
        index_d = index_q + IndexW'(1);
      end
      if (seed_valid && seed_last) index_d = '0;
    end
    if (state_q == StDone) index_d = '0;
  end

  // Without entropy the generator keeps no state.
  assign purge = !usable && state_q != StRun;
  assign core_valid = state_q == StRun && !asked_q;

  sym_hmac_drbg #(
    .WordW(32),
    .PerCycle(PerCycle),
    .WholeWords(1'b1),
    .LengthW(LengthW),
    .ReseedLimit(ReseedLimit)
  ) u_core (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i || purge),
    .req_valid_i(core_valid),
    .req_ready_o(core_ready),
    .req_op_i(op_q),
    .req_alg_i(AlgSha256),
    .req_extra_i(extra_q),
    .req_octets_i(octets_q),
    .done_o(core_done),
    .status_o(core_status),
    .instantiated_o(instantiated_o),
    .reseed_due_o(reseed_due_o),
    .seed_valid_i(seed_valid),
    .seed_ready_o(seed_ready),
    .seed_data_i(seed_data),
    .seed_bytes_i(seed_bytes),
    .seed_last_i(seed_last),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data_o),
    .out_bytes_o(out_bytes_o),
    .out_last_o(out_last_o),
    .hash_req_valid_o(hash_req_valid_o),
    .hash_req_ready_i(hash_req_ready_i),
    .hash_req_alg_o(hash_req_alg_o),
    .hash_msg_valid_o(hash_msg_valid_o),
    .hash_msg_ready_i(hash_msg_ready_i),
    .hash_msg_data_o(hash_msg_data_o),
    .hash_msg_bytes_o(hash_msg_bytes_o),
    .hash_msg_last_o(hash_msg_last_o),
    .hash_digest_valid_i(hash_digest_valid_i),
    .hash_digest_ready_o(hash_digest_ready_o),
    .hash_digest_data_i(hash_digest_data_i),
    .hash_digest_bytes_i(hash_digest_bytes_i),
    .hash_digest_last_i(hash_digest_last_i)
  );

  always_comb begin
    state_d = state_q;
    op_d = op_q;
    status_d = status_q;
    extra_d = extra_q;
    asked_d = asked_q;
    test_d = test_q;
    octets_d = octets_q;
    samples_d = samples_q - SampleCountW'(sample);
    unique case (state_q)
      StIdle: begin
        if (start) begin
          op_d = req_op_i;
          extra_d = req_extra_i;
          octets_d = req_octets_i;
          asked_d = 1'b0;
          state_d = StDone;
          if (refuse_test) begin
            status_d = StatusUnsupported;
          end else if (no_entropy_next) begin
            status_d = StatusNoEntropy;
            test_d   = test_next;
          end else begin
            status_d = StatusOk;
            test_d   = test_next;
            state_d  = (req_op_i == DrbgGenerate) ? StRun : StGather;
            if (req_op_i == DrbgInstantiate) begin
              samples_d = SampleCountW'((test_next ? TestSeed : NoiseSeed) / SampleW);
            end else begin
              samples_d = SampleCountW'((test_next ? TestReseed : NoiseReseed) / SampleW);
            end
          end
        end
      end
      StGather: begin
        if (sample && samples_q == SampleCountW'(1)) state_d = StRun;
        if (!usable) begin
          status_d = StatusNoEntropy;
          state_d  = StDone;
        end
      end
      StRun: begin
        if (core_valid && core_ready) asked_d = 1'b1;
        if (core_done) begin
          status_d = core_status;
          state_d  = StDone;
        end
      end
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      op_q <= DrbgInstantiate;
      status_q <= StatusOk;
      extra_q <= 1'b0;
      asked_q <= 1'b0;
      test_q <= 1'b0;
      octets_q <= '0;
      samples_q <= '0;
      index_q <= '0;
      idle_q <= '0;
    end else if (clear_i) begin
      state_q <= StIdle;
      op_q <= DrbgInstantiate;
      status_q <= StatusOk;
      extra_q <= 1'b0;
      asked_q <= 1'b0;
      test_q <= 1'b0;
      octets_q <= '0;
      samples_q <= '0;
      index_q <= '0;
      idle_q <= '0;
    end else begin
      state_q <= state_d;
      op_q <= op_d;
      status_q <= status_d;
      extra_q <= extra_d;
      asked_q <= asked_d;
      test_q <= test_d;
      octets_q <= octets_d;
      samples_q <= samples_d;
      index_q <= index_d;
      idle_q <= idle_d;
    end
  end

  // These stay until reset; clear_i does not change them.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      secret_q <= 1'b0;
      late_q   <= 1'b0;
    end else begin
      secret_q <= secret_d;
      late_q   <= late_d;
    end
  end

  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_o(zeroize)
  );

  always_ff @(posedge clk_i) begin
    if (zeroize || state_q == StDone) seed_q <= '0;
    else if (sample || seed_shift) seed_q <= seed_d;
  end

  if (W % SampleW != 0 || NoiseSeed % W != 0 || NoiseReseed % W != 0) begin : gen_bad_samples
    $error("sym_drbg: SampleW must divide W, SeedSamples and ReseedSamples make whole words");
  end
  if (NoiseReseed > SeedW || SeedSamples * SampleW < 384 || NoiseReseed < 256) begin : gen_bad_seed
    $error("sym_drbg: a seed has at least 384 bits, a reseed 256 and no more than a seed");
  end

endmodule

`default_nettype wire
