// SPDX-License-Identifier: Apache-2.0
//
// Sums of two residues in limbs, limb by limb modulo 2^W: on the carry chains of look-up tables, or
// in DSP blocks.
//
// InDsp: a limb is added in lanes of 24 bits. Two lanes fit in a block of Xilinx's 7 series
// (DSP48E1, mode TWO24), which the attribute requests. Each lane has an output register. So a block
// never feeds itself, whichever two lanes share it. Lane i adds its bits in cycle i, with the carry
// of the lane below: the carry is the lowest bit of both addends, so that their sum carries it into
// the next bit. So every lane but the lowest has 23 bits of the sum. If the device has no such
// blocks, synthesis uses carry chains; Yosys makes no adder in the DSP blocks of ECP5.
//
// Latency 0, or with InDsp sum_lanes(W) of gfp_pkg. A new sum may come every cycle. There is no
// reset: as many cycles with zeros at a_i and b_i zero all registers. a_i, b_i, s_o: NumLimb limbs
// of W bits.
// Source: Xilinx UG479, 7 Series DSP48E1 Slice User Guide, SIMD mode.
`default_nettype none

module gfp_sum
  import gfp_pkg::LaneW;
#(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned W = 70,
  parameter bit InDsp = 1'b0
) (
  input  logic                      clk_i,
  input  logic [NumLimb-1:0][W-1:0] a_i,
  input  logic [NumLimb-1:0][W-1:0] b_i,
  output logic [NumLimb-1:0][W-1:0] s_o
);

  if (InDsp) begin : gen_dsp
    localparam int unsigned NumLane = gfp_pkg::sum_lanes(W);

    for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
      logic [NumLane:0] carry_q;  // into a lane
      assign carry_q[0] = 1'b0;

      for (genvar i = 0; i < NumLane; i++) begin : gen_lane
        localparam int unsigned Skip = (i == 0) ? 0 : 1;  // bits used by the carry
        localparam int unsigned At = (i == 0) ? 0 : LaneW + (LaneW - 1) * (i - 1);
        localparam int unsigned OwnW = (W - At < LaneW - Skip) ? W - At : LaneW - Skip;

        // Lane i adds its bits i cycles later. Its sum then waits for that of the highest lane.
        logic [1:0][OwnW-1:0] addend[i+1];
        assign addend[0] = {a_i[k][At+:OwnW], b_i[k][At+:OwnW]};
        for (genvar r = 0; r < i; r++) begin : gen_before
          ecsm_rank #(
            .Width(2 * OwnW),
            .Enable(1'b1)
          ) u_addend (
            .clk_i(clk_i),
            .d_i(addend[r]),
            .q_o(addend[r+1])
          );
        end

        logic [LaneW-1:0] a, b;
        (* use_dsp = "simd" *) logic [LaneW:0] s;
        logic [LaneW:0] s_q;
        assign a = (LaneW)'(addend[i][1]) << Skip | (LaneW)'(carry_q[i]);
        assign b = (LaneW)'(addend[i][0]) << Skip | (LaneW)'(carry_q[i]);
        assign s = a + b;
        always_ff @(posedge clk_i) s_q <= s;
        assign carry_q[i+1] = s_q[LaneW];

        logic [OwnW-1:0] own[NumLane-i];
        assign own[0] = s_q[Skip+:OwnW];
        for (genvar r = 0; r + 1 < NumLane - i; r++) begin : gen_behind
          ecsm_rank #(
            .Width(OwnW),
            .Enable(1'b1)
          ) u_own (
            .clk_i(clk_i),
            .d_i(own[r]),
            .q_o(own[r+1])
          );
        end
        assign s_o[k][At+:OwnW] = own[NumLane-1-i];

        logic unused_carry;  // bit 0 of a lane's sum, and unused carries
        assign unused_carry = ^{s_q, carry_q};
      end
    end
  end else begin : gen_lut
    logic unused_clock;
    assign unused_clock = clk_i;
    for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
      assign s_o[k] = a_i[k] + b_i[k];
    end
  end

endmodule

`default_nettype wire
