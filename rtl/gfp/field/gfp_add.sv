// SPDX-License-Identifier: Apache-2.0
//
// Adder modulo a sparse prime: passes the carries of a sum of residues in limbs, so that it fits a
// register.
//
//   v_i --> [rank] --> [gfp_carry] x S.num_add_round --> [rank] --> [Delay ranks] --> q_o
//
// Latency 2 + Delay: a sum that is on v_i in cycle t is registered at its end, carried and
// registered in cycle t + 1, and on q_o in cycle t + 2 if Delay = 0. In DSP blocks a round takes
// sum_lanes(S.op_w) cycles and the last rank is left out: latency add_latency(S) + Delay. A new sum
// may come every cycle. There is no reset and no clear: a zero sum clears the pipeline.
// v_i: limbs of S.op_w bits. q_o: limbs of S.reg_w bits. Bounds: ecsm/curves/gfp/residues.py.
`default_nettype none

module gfp_add
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit signed [S.num_limb-1:0][63:0] Fold = '0,
  parameter bit [S.num_add_round-1:0][S.num_limb-1:0][S.op_w-1:0] Offset = '0,
  parameter int unsigned Delay = 0
) (
  input  logic                               clk_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] v_i,
  output logic [S.num_limb-1:0][S.reg_w-1:0] q_o
);

  logic [S.num_limb-1:0][S.op_w-1:0] limb[S.num_add_round+1];
  ecsm_rank #(
    .Width(S.num_limb * S.op_w),
    .Enable(1'b1)
  ) u_sum (
    .clk_i(clk_i),
    .d_i(v_i),
    .q_o(limb[0])
  );

  for (genvar r = 0; r < S.num_add_round; r++) begin : gen_round
    gfp_carry #(
      .NumLimb(S.num_limb),
      .LimbW(limb_w(S)),
      .TopW(top_w(S)),
      .InW(S.op_w),
      .OutW(S.op_w),
      .Fold(Fold),
      .Offset(Offset[r]),
      .InDsp(S.add_in_dsp)
    ) u_carry (
      .clk_i(clk_i),
      .v_i(limb[r]),
      .q_o(limb[r+1])
    );
  end

  logic [S.num_limb-1:0][S.reg_w-1:0] carried;
  for (genvar k = 0; k < S.num_limb; k++) begin : gen_limb
    assign carried[k] = limb[S.num_add_round][k][S.reg_w-1:0];
  end

  logic [S.num_limb-1:0][S.reg_w-1:0] stage[Delay+2];
  assign stage[0] = carried;
  for (genvar i = 0; i <= Delay; i++) begin : gen_stage
    ecsm_rank #(
      .Width(S.num_limb * S.reg_w),
      .Enable(i > 0 || !S.add_in_dsp)
    ) u_carried (
      .clk_i(clk_i),
      .d_i(stage[i]),
      .q_o(stage[i+1])
    );
  end
  assign q_o = stage[Delay+1];

endmodule

`default_nettype wire
