// SPDX-License-Identifier: Apache-2.0
//
// Reduction modulo a sparse prime: from the words of a product to limbs that fit a register.
//
// Word j of the product, by complement, is worth sum of Rows[j][i] t^i modulo p, t = 2^WordW;
// WordOffset, a multiple of p, keeps the sums above zero; words are added up in two steps, parts of
// up to four and then the parts. A limb is two words. Then come S[NumRound] rounds of carries
// (gfp_carry).
//
// Latency 0, plus one for each rank of registers in S[Ranks]: 7 behind the parts, 8 behind the limbs
// that words make, 9 behind the first round.
// ecsm/curves/residues.py makes the parameters.
// Source: J. Solinas, Generalized Mersenne numbers, CORR 99-39 (1999).
`default_nettype none

module gfp_reduce
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit signed [S[NumCut]-1:0][S[NumWord]-1:0][63:0] Rows = '0,
  parameter bit [S[NumWord]-1:0][S[OutW]-1:0] WordOffset = '0,
  parameter bit signed [S[NumLimb]-1:0][63:0] Fold = '0,
  parameter bit [S[NumRound]-1:0][S[NumLimb]-1:0][S[JoinedW]-1:0] Offset = '0
) (
  input  logic                               clk_i,
  input  logic [ S[NumCut]-1:0][S[CutW]-1:0] cut_i,
  output logic [S[NumLimb]-1:0][S[RegW]-1:0] q_o
);

  // How many numbers word i is the sum of.
  function automatic int unsigned terms_of(int unsigned i);
    terms_of = 1;  // the offset
    for (int unsigned j = 0; j < S[NumCut]; j++) begin
      terms_of += $countones(naf_plus(longint'(Rows[j][i])) | naf_minus(longint'(Rows[j][i])));
    end
  endfunction

  // As wide as the words that they are added to.
  logic [S[NumCut]-1:0][S[OutW]-1:0] wide;
  for (genvar j = 0; j < S[NumCut]; j++) begin : gen_wide
    assign wide[j] = {{S[OutW] - S[CutW]{cut_i[j][S[CutW]-1]}}, cut_i[j]};
  end

  localparam int unsigned PartSize = 4;

  logic [S[NumWord]-1:0][S[OutW]-1:0] word;
  for (genvar i = 0; i < S[NumWord]; i++) begin : gen_word
    localparam int unsigned NumPart = (terms_of(i) + PartSize - 1) / PartSize;

    logic [NumPart-1:0][S[OutW]-1:0] part_d, part;
    always_comb begin
      automatic int unsigned n = 1;
      part_d = '0;
      part_d[0] = WordOffset[i];
      for (int unsigned j = 0; j < S[NumCut]; j++) begin
        for (int unsigned b = 0; b < S[OutW]; b++) begin
          if (((naf_plus(longint'(Rows[j][i])) >> b) & 64'd1) != 0) begin
            part_d[n/PartSize] = part_d[n/PartSize] + (wide[j] << b);
            n++;
          end
          if (((naf_minus(longint'(Rows[j][i])) >> b) & 64'd1) != 0) begin
            part_d[n/PartSize] = part_d[n/PartSize] - (wide[j] << b);
            n++;
          end
        end
      end
    end

    gf2m_rank #(
      .Width(NumPart * S[OutW]),
      .Enable(S[Ranks][7])
    ) u_parts (
      .clk_i(clk_i),
      .d_i(part_d),
      .q_o(part)
    );

    always_comb begin
      word[i] = '0;
      for (int unsigned k = 0; k < NumPart; k++) word[i] = word[i] + part[k];
    end
  end

  logic [S[NumLimb]-1:0][S[JoinedW]-1:0] joined;
  logic [S[NumLimb]-1:0][S[JoinedW]-1:0] limb[S[NumRound]+1];
  for (genvar k = 0; k < S[NumLimb]; k++) begin : gen_join
    if (2 * k + 1 < S[NumWord]) begin : gen_two
      assign joined[k] = (S[JoinedW])'(word[2*k]) + ((S[JoinedW])'(word[2*k+1]) << S[WordW]);
    end else begin : gen_one
      assign joined[k] = (S[JoinedW])'(word[2*k]);
    end
    assign q_o[k] = limb[S[NumRound]][k][S[RegW]-1:0];
  end

  gf2m_rank #(
    .Width(S[NumLimb] * S[JoinedW]),
    .Enable(S[Ranks][8])
  ) u_joined (
    .clk_i(clk_i),
    .d_i(joined),
    .q_o(limb[0])
  );

  for (genvar r = 0; r < S[NumRound]; r++) begin : gen_round
    logic [S[NumLimb]-1:0][S[JoinedW]-1:0] carried;
    gfp_carry #(
      .NumLimb(S[NumLimb]),
      .LimbW(limb_w(S)),
      .TopW(top_w(S)),
      .InW(S[JoinedW]),
      .OutW(S[JoinedW]),
      .Fold(Fold),
      .Offset(Offset[r])
    ) u_carry (
      .clk_i(clk_i),
      .v_i(limb[r]),
      .q_o(carried)
    );

    gf2m_rank #(
      .Width(S[NumLimb] * S[JoinedW]),
      .Enable(r == 0 && S[Ranks][9])
    ) u_carried (
      .clk_i(clk_i),
      .d_i(carried),
      .q_o(limb[r+1])
    );
  end

endmodule

`default_nettype wire
