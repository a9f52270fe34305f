// SPDX-License-Identifier: Apache-2.0
//
// Samples for the seed of the random generator: of a noise source, whose health is tested, or of a
// test.
//
//   noise_* --+----------> [sample_q] --+--> valid_o, ready_i, data_o
//             +--> sym_health --^       |
//   test_*  ----------------------------+ (test mode)
//
// A sample moves out when valid_o and ready_i are high. The unit tests every sample of the noise
// source, offers it in the next cycle, and drops it if nobody takes it then; noise_ready_o is low
// only after a failure.
//
// no_entropy_o rises when a health test fails, or when a sample is waited for and none comes for
// Timeout cycles. It stays high until rst_ni. valid_o is high then, with 0: who waits goes on, and
// looks at no_entropy_o. In test mode it has no effect.
//
//   choose_i   with test_i: test mode begins or ends. zeroize_i ends it
//   mask_i     samples for masks are wanted: of the noise source, also in test mode
//
// Latency: a cycle; none in test mode. Parameters: see sym_drbg.
// Source: NIST SP 800-90B, section 4.

`default_nettype none

module word_noise #(
  parameter int unsigned Timeout = 65536,
  parameter int unsigned RepetitionCutoff = 6,
  parameter int unsigned Window = 512,
  parameter int unsigned ProportionCutoff = 62,
  parameter int unsigned StartupSamples = 1024
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       zeroize_i,
  input  logic       choose_i,
  input  logic       test_i,
  input  logic       mask_i,
  output logic       no_entropy_o,
  output logic       test_mode_o,
  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o,
  input  logic       noise_valid_i,
  output logic       noise_ready_o,
  input  logic [7:0] noise_data_i,
  input  logic       test_valid_i,
  output logic       test_ready_o,
  input  logic [7:0] test_data_i
);

  localparam int unsigned TimeoutW = $clog2(Timeout + 1);

  logic fine, unhealthy, test_q, tests, late_q, waits, offered_q;
  logic [7:0] sample_q;
  logic [TimeoutW-1:0] idle_q;

  sym_health #(
    .SampleW(8),
    .RepetitionCutoff(RepetitionCutoff),
    .Window(Window),
    .ProportionCutoff(ProportionCutoff),
    .StartupSamples(StartupSamples)
  ) u_health (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(zeroize_i),
    .valid_i(noise_valid_i && noise_ready_o),
    .sample_i(noise_data_i),
    .fine_o(fine),
    .failed_o(unhealthy)
  );

  always_ff @(posedge clk_i) begin
    offered_q <= fine || no_entropy_o;
    sample_q  <= (fine && !no_entropy_o) ? noise_data_i : '0;
  end

  assign tests = test_q && !mask_i;
  assign waits = ready_i && !tests && !noise_valid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      test_q <= 1'b0;
      late_q <= 1'b0;
      idle_q <= '0;
    end else begin
      if (choose_i) test_q <= test_i;
      if (zeroize_i) test_q <= 1'b0;
      idle_q <= waits ? idle_q + TimeoutW'(1) : '0;
      if (waits && idle_q == TimeoutW'(Timeout - 1)) late_q <= 1'b1;
    end
  end

  assign no_entropy_o = unhealthy || late_q;
  assign test_mode_o = test_q;
  assign noise_ready_o = !no_entropy_o && !zeroize_i;
  assign test_ready_o = ready_i && tests;
  always_comb begin
    valid_o = offered_q;  // the sample is 0 without entropy
    data_o  = sample_q;
    if (tests) begin
      valid_o = test_valid_i;
      data_o  = test_data_i;
    end
  end

endmodule

`default_nettype wire
