// SPDX-License-Identifier: Apache-2.0
//
// Health tests of a noise source: repetition count, adaptive proportion and a start-up test.
//
// The repetition count test fails at RepetitionCutoff equal samples in a row. The adaptive
// proportion test counts, in a window of Window samples, how often the first sample's value occurs,
// the first sample included. It fails if the count reaches ProportionCutoff. Windows do not
// overlap. Both tests see every sample. For a false alarm probability a and H bits of entropy in a
// sample the cutoffs are
//
//   RepetitionCutoff = 1 + ceil(-log2(a) / H),
//   ProportionCutoff = 1 + critbinom(Window, 2^-H, 1 - a).
//
// ecsm.hdl.health computes them. The defaults are for a = 2^-20 and H = 4 bits in 8.
//
// Parameters: SampleW is the number of bits in a sample. Window is 1024 if SampleW is 1, otherwise
// 512. StartupSamples is at least 1024. The cutoffs are at least 2; ProportionCutoff is at most
// Window.
//
// The unit reads one sample in each cycle with valid_i. fine_o is high in the same cycle if the
// sample may be used: no test has failed before or fails with it, and StartupSamples samples came
// before it. failed_o is high from the cycle after a failure until rst_ni. clear_i does not lower
// it, but restarts the tests, the start-up test included.
// Source: NIST SP 800-90B, sections 4.3 and 4.4.
`default_nettype none

module sym_health #(
  parameter int unsigned SampleW = 8,
  parameter int unsigned RepetitionCutoff = 6,
  parameter int unsigned Window = 512,
  parameter int unsigned ProportionCutoff = 62,
  parameter int unsigned StartupSamples = 1024
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic               valid_i,
  input  logic [SampleW-1:0] sample_i,
  output logic               fine_o,
  output logic               failed_o
);

  localparam int unsigned RepeatW = $clog2(RepetitionCutoff + 1);
  localparam int unsigned WindowW = $clog2(Window);
  localparam int unsigned MatchW = $clog2(ProportionCutoff + 1);
  localparam int unsigned StartW = $clog2(StartupSamples + 1);

  // The last sample, and how often it came in a row; 0 if there was none.
  logic [SampleW-1:0] last_d, last_q;
  logic [RepeatW-1:0] repeats_d, repeats_q;
  // The window's first sample, how often its value came, and the samples of the window so far.
  logic [SampleW-1:0] first_d, first_q;
  logic [MatchW-1:0] matches_d, matches_q;
  logic [WindowW-1:0] seen_d, seen_q;
  // Samples of the start-up test that are still to come.
  logic [StartW-1:0] start_d, start_q;
  logic failed_d, failed_q;

  logic fails;

  always_comb begin
    last_d = last_q;
    repeats_d = repeats_q;
    first_d = first_q;
    matches_d = matches_q;
    seen_d = seen_q;
    start_d = start_q;
    fails = 1'b0;
    if (valid_i && !failed_q) begin
      last_d = sample_i;
      repeats_d = (sample_i == last_q && repeats_q != '0) ? repeats_q + RepeatW'(1) : RepeatW'(1);
      seen_d = (seen_q == WindowW'(Window - 1)) ? '0 : seen_q + WindowW'(1);
      if (seen_q == '0) begin
        first_d   = sample_i;
        matches_d = MatchW'(1);
      end else if (sample_i == first_q) begin
        matches_d = matches_q + MatchW'(1);
      end
      if (start_q != '0) start_d = start_q - StartW'(1);
      fails = repeats_d == RepeatW'(RepetitionCutoff) || matches_d == MatchW'(ProportionCutoff);
    end
    failed_d = failed_q || fails;
  end

  assign fine_o = valid_i && start_q == '0 && !failed_d;
  assign failed_o = failed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q <= '0;
      repeats_q <= '0;
      first_q <= '0;
      matches_q <= '0;
      seen_q <= '0;
      start_q <= StartW'(StartupSamples);
    end else if (clear_i) begin
      last_q <= '0;
      repeats_q <= '0;
      first_q <= '0;
      matches_q <= '0;
      seen_q <= '0;
      start_q <= StartW'(StartupSamples);
    end else begin
      last_q <= last_d;
      repeats_q <= repeats_d;
      first_q <= first_d;
      matches_q <= matches_d;
      seen_q <= seen_d;
      start_q <= start_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) failed_q <= 1'b0;
    else failed_q <= failed_d;
  end

  if (RepetitionCutoff < 2 || ProportionCutoff < 2 || ProportionCutoff > Window) begin : gen_bad
    $error("sym_health: cutoffs are at least 2, and the proportion's at most the window");
  end

endmodule

`default_nettype wire
