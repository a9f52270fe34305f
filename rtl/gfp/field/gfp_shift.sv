// SPDX-License-Identifier: Apache-2.0
//
// Drops the lowest Step bits of a number in limbs: limb k becomes
//
//   floor(v_i[k] / 2^Step) + (v_i[k + 1] mod 2^Step) 2^(LimbW - Step)
//
// The result has the same value without those bits, whatever bits the limbs have above LimbW. There
// are no carries.
//
// Latency 0. Step <= LimbW. v_i, q_o: NumLimb limbs of W bits; W > LimbW.
`default_nettype none

module gfp_shift #(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW = 64,
  parameter int unsigned W = 70,
  parameter int unsigned Step = 18
) (
  input  logic [NumLimb-1:0][W-1:0] v_i,
  output logic [NumLimb-1:0][W-1:0] q_o
);

  for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
    if (k < NumLimb - 1) begin : gen_inner
      assign q_o[k] = (v_i[k] >> Step) + (W'(v_i[k+1][Step-1:0]) << (LimbW - Step));
    end else begin : gen_top
      assign q_o[k] = v_i[k] >> Step;
    end
  end

  logic unused_low;
  assign unused_low = ^v_i[0][Step-1:0];

endmodule

`default_nettype wire
