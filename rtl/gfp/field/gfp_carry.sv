// SPDX-License-Identifier: Apache-2.0
//
// One round of carries of a residue in limbs, modulo a sparse prime. Limb k becomes
//
//   its own low bits + the bits of limb k - 1 above its low bits + Fold[k] h + Offset[k]
//
// where h is the part of the highest limb above its low bits, worth sum of Fold[k] 2^(LimbW k)
// modulo p. Offset is a multiple of p that keeps the limbs above zero where Fold is negative. A
// carry moves up by one limb only.
//
// Latency: that of gfp_sum, 0 without DSP blocks. v_i: NumLimb limbs of InW bits. q_o: limbs of
// OutW bits, which must hold the largest limbs. TopW: low bits of the highest limb; the other limbs
// have LimbW. Bounds: ecsm/curves/gfp/residues.py.
`default_nettype none

module gfp_carry #(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW = 64,
  parameter int unsigned TopW = 64,
  parameter int unsigned InW = 70,
  parameter int unsigned OutW = 66,
  parameter bit signed [NumLimb-1:0][63:0] Fold = '0,
  parameter bit [NumLimb-1:0][OutW-1:0] Offset = '0,
  parameter bit InDsp = 1'b0  // see gfp_sum
) (
  input  logic                         clk_i,
  input  logic [NumLimb-1:0][ InW-1:0] v_i,
  output logic [NumLimb-1:0][OutW-1:0] q_o
);

  logic [InW-1:0] h;
  assign h = v_i[NumLimb-1] >> TopW;

  logic [NumLimb-1:0][OutW-1:0] kept, added;
  for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
    localparam int unsigned KeepW = (k == NumLimb - 1) ? TopW : LimbW;
    localparam bit [63:0] Power = gfp_pkg::naf_powers(longint'(Fold[k]));

    logic [OutW-1:0] below;
    if (k > 0) begin : gen_below
      assign below = OutW'(v_i[k-1] >> LimbW);
    end else begin : gen_lowest
      assign below = '0;
    end

    // The terms: the offset, and h times each power of two in Fold[k].
    localparam int unsigned NumTerm = 1 + gfp_pkg::naf_terms(longint'(Fold[k]));
    localparam bit [64:0] MinusTerm = {gfp_pkg::naf_signs(longint'(Fold[k])), 1'b0};

    logic [NumTerm-1:0][OutW-1:0] term;
    always_comb begin
      automatic int unsigned n = 1;
      term = '0;
      term[0] = Offset[k];
      for (int unsigned i = 0; i < 64; i++) begin
        if (Power[i]) begin
          term[n] = OutW'(h) << i;
          n++;
        end
      end
    end

    logic [OutW-1:0] folded;
    gfp_add_tree #(
      .N(NumTerm),
      .W(OutW),
      .Minus(MinusTerm[NumTerm-1:0])
    ) u_folded (
      .clk_i(clk_i),
      .term_i(term),
      .sum_o(folded)
    );

    // Two short paths instead of a long one; in DSP blocks, whose chains are short, one path.
    logic [OutW-1:0] own;
    assign own = OutW'(v_i[k][KeepW-1:0]);
    assign kept[k] = InDsp ? own : own + below;
    assign added[k] = InDsp ? below + folded : folded;
  end

  gfp_sum #(
    .NumLimb(NumLimb),
    .W(OutW),
    .InDsp(InDsp)
  ) u_sum (
    .clk_i(clk_i),
    .a_i(kept),
    .b_i(added),
    .s_o(q_o)
  );

endmodule

`default_nettype wire
