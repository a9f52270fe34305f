// SPDX-License-Identifier: Apache-2.0
//
// Adder modulo any P: passes the carries of a sum of residues in limbs, so that it fits a register.
//
//   v_i -> [rank] -> [gfp_carry] x (S.num_add_round - 1) -+- low bits, carry -> [gfp_sum] -> q_o
//                                                        +- h -> [table] ----------^
//
// Limbs of 64 bits need no round before the table. After the rounds the highest limb has h 2^TopW
// above its low bits, which is worth h 2^(WordW NumWord) modulo P. A table of constants has this
// value for every h. Limb k becomes its own low bits + the bits of limb k - 1 above its low bits +
// limb k of the table entry.
//
// Latency 2, as gfp_add: the sum is registered, then carried and registered. In DSP blocks it is 1
// + sum_lanes(S.reg_w). A new sum may come every cycle. There is no reset and no clear: a zero sum
// clears the pipeline.
// v_i: limbs of S.op_w bits. q_o: limbs of S.reg_w bits. Bounds: ecsm/curves/gfp/montgomery.py.
`default_nettype none

module gfp_add_table
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter int unsigned PW = 256,
  parameter bit [PW-1:0] P = '1
) (
  input  logic                               clk_i,
  input  logic [S.num_limb-1:0][ S.op_w-1:0] v_i,
  output logic [S.num_limb-1:0][S.reg_w-1:0] q_o
);

  localparam int unsigned LimbW = limb_w(S);
  localparam int unsigned TopW = top_w(S);
  localparam int unsigned InW = S.op_w + 1;  // a round at most doubles a limb
  localparam int unsigned IndexW = S.op_w - LimbW + ((S.num_add_round > 1) ? 1 : 0);
  localparam int unsigned TableW = S.num_limb * LimbW;

  // Bit h of column b is bit b of entry h: each bit is one look-up table.
  typedef bit [TableW-1:0][2**IndexW-1:0] table_t;
  function automatic table_t entries();
    bit [PW:0] unit, entry;
    unit = (PW + 1)'(1);
    for (int unsigned i = 0; i < S.word_w * S.num_word; i++) begin
      unit = unit << 1;
      if (unit >= (PW + 1)'(P)) unit = unit - (PW + 1)'(P);
    end
    for (int unsigned b = 0; b < TableW; b++) entries[b] = '0;
    entry = '0;
    for (int unsigned h = 1; h < 2 ** IndexW; h++) begin
      entry = entry + unit;
      if (entry >= (PW + 1)'(P)) entry = entry - (PW + 1)'(P);
      for (int unsigned b = 0; b < PW; b++) entries[b][h] = entry[b];
    end
  endfunction
  localparam table_t Table = entries();

  logic [S.num_limb-1:0][S.op_w-1:0] sum;
  ecsm_rank #(
    .Width(S.num_limb * S.op_w),
    .Enable(1'b1)
  ) u_sum (
    .clk_i(clk_i),
    .d_i(v_i),
    .q_o(sum)
  );

  logic [S.num_limb-1:0][InW-1:0] limb[S.num_add_round];
  for (genvar k = 0; k < S.num_limb; k++) begin : gen_widen
    assign limb[0][k] = InW'(sum[k]);
  end
  for (genvar r = 0; r + 1 < S.num_add_round; r++) begin : gen_round
    gfp_carry #(
      .NumLimb(S.num_limb),
      .LimbW(LimbW),
      .TopW(InW),
      .InW(InW),
      .OutW(InW)
    ) u_carry (
      .clk_i(clk_i),
      .v_i(limb[r]),
      .q_o(limb[r+1])
    );
  end

  logic [S.num_limb-1:0][InW-1:0] v;
  logic [IndexW-1:0] h;
  logic [S.num_limb-1:0][LimbW-1:0] entry;
  assign v = limb[S.num_add_round-1];
  assign h = IndexW'(v[S.num_limb-1] >> TopW);
  for (genvar b = 0; b < TableW; b++) begin : gen_bit
    assign entry[b/LimbW][b%LimbW] = Table[b][h];
  end

  logic [S.num_limb-1:0][S.reg_w-1:0] kept, added, carried;
  for (genvar k = 0; k < S.num_limb; k++) begin : gen_limb
    localparam int unsigned KeepW = (k == S.num_limb - 1) ? TopW : LimbW;
    logic [S.reg_w-1:0] above;
    if (k > 0) begin : gen_above
      assign above = (S.reg_w)'(v[k-1] >> LimbW);
    end else begin : gen_lowest
      assign above = '0;
    end
    assign kept[k]  = (S.reg_w)'(v[k][KeepW-1:0]);
    assign added[k] = above + (S.reg_w)'(entry[k]);
  end

  gfp_sum #(
    .NumLimb(S.num_limb),
    .W(S.reg_w),
    .InDsp(S.add_in_dsp)
  ) u_sums (
    .clk_i(clk_i),
    .a_i(kept),
    .b_i(added),
    .s_o(carried)
  );

  ecsm_rank #(
    .Width(S.num_limb * S.reg_w),
    .Enable(!S.add_in_dsp)
  ) u_carried (
    .clk_i(clk_i),
    .d_i(carried),
    .q_o(q_o)
  );

endmodule

`default_nettype wire
