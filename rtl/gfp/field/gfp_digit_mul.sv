// SPDX-License-Identifier: Apache-2.0
//
// Product of two digits: in a DSP block, or in look-up tables as the sum of one number's rows.
//
// Synthesis makes a DSP block of a multiplication operator where it can; Yosys has no attribute
// against this. So the version in look-up tables has no such operator. Yosys adds its rows in a
// compressor tree.
//
// Latency 0. a_i, b_i: W bits, unsigned. p_o: 2 W bits.
`default_nettype none

module gfp_digit_mul #(
  parameter int unsigned W = 18,
  parameter bit InDsp = 1'b1
) (
  input  logic [  W-1:0] a_i,
  input  logic [  W-1:0] b_i,
  output logic [2*W-1:0] p_o
);

  if (InDsp) begin : gen_dsp
    assign p_o = a_i * b_i;
  end else begin : gen_lut
    always_comb begin
      p_o = '0;
      for (int unsigned i = 0; i < W; i++) p_o = p_o + ((2 * W)'(a_i & {W{b_i[i]}}) << i);
    end
  end

endmodule

`default_nettype wire
