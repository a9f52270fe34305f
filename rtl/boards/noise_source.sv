// SPDX-License-Identifier: Apache-2.0
//
// A noise source for an FPGA: rings are sampled, combined, and packed into samples of a byte.
//
//   noise_rings --> [sync] --> [sync] --> xor --every Period cycles--> byte --+--> noise_*
//                                                                             +--> raw_*
//
// Parameters: Family: see noise_rings. Rings is the number of rings. Period is the number of clock
// cycles from a bit to the next, 2 and more: the longer, the more jitter is in a bit.
//
//   noise_*   to the noise port of ecsm_scheme, word_scheme or sym_drbg, which have the health
//             tests of SP 800-90B in front of their generator (sym_health). A sample is offered
//             until it is read or the next one comes
//   raw_*     the same samples, each for one cycle with raw_valid_o, whether or not noise_* are
//             read: for a measurement. No bit is conditioned, none is dropped
//
// NO ESTIMATE OF ENTROPY IS MADE. The health tests assume 4 bits of entropy in a sample and detect
// a source that fails; they do not show that this one has them. How much noise there is depends on
// the device, its placement, temperature and supply, and rings can lock to each other or to the
// clock. Measure raw samples of your own board with the tests of SP 800-90B, section 3, before you
// rely on keys that it makes (docs/guide/boards.md).
//
// Latency: a sample takes 8 Period cycles. Source: NIST SP 800-90B, section 2.2.1.
`default_nettype none

module noise_source #(
  parameter int unsigned Family = 0,
  parameter int unsigned Rings = 8,
  parameter int unsigned Period = 64
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  output logic       noise_valid_o,
  input  logic       noise_ready_i,
  output logic [7:0] noise_data_o,
  output logic       raw_valid_o,
  output logic [7:0] raw_data_o
);

  localparam int unsigned PeriodW = $clog2(Period);

  logic [Rings-1:0] ring, first_q, second_q;
  logic [PeriodW-1:0] period_q;
  logic [2:0] count_q;
  logic [7:0] byte_q, noise_q;
  logic take, raw_valid_q, noise_valid_q;

  noise_rings #(
    .Family(Family),
    .Rings(Rings)
  ) u_rings (
    .clk_i(clk_i),
    .enable_i(rst_ni),
    .ring_o(ring)
  );

  // Two registers: a ring is asynchronous, and the first one may be metastable.
  always_ff @(posedge clk_i) begin
    first_q  <= ring;
    second_q <= first_q;
  end

  assign take = period_q == PeriodW'(Period - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      period_q <= '0;
      count_q <= '0;
      byte_q <= '0;
      raw_valid_q <= 1'b0;
      noise_valid_q <= 1'b0;
      noise_q <= '0;
    end else begin
      period_q <= take ? '0 : period_q + PeriodW'(1);
      if (take) begin
        byte_q  <= {byte_q[6:0], ^second_q};
        count_q <= count_q + 3'd1;
      end
      raw_valid_q <= take && count_q == 3'd7;
      if (raw_valid_q) begin
        noise_q <= byte_q;
        noise_valid_q <= 1'b1;
      end else if (noise_ready_i) begin
        noise_valid_q <= 1'b0;
      end
    end
  end

  assign raw_valid_o = raw_valid_q;
  assign raw_data_o = byte_q;
  assign noise_valid_o = noise_valid_q;
  assign noise_data_o = noise_q;

  if (Period < 2) begin : gen_bad
    $error("noise_source: Period must be at least 2");
  end

endmodule

`default_nettype wire
