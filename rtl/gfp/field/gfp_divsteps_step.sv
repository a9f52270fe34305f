// SPDX-License-Identifier: Apache-2.0
//
// One division step on redundant limbs and on the matrix of its batch. Combinational.
//
//   swap_i:          (f, g) <- (g, (g - f) / 2),   (u, v; q, r) <- (2q, 2r; q - u, r - v)
//   odd_i:           (f, g) <- (f, (g + f) / 2),   (u, v; q, r) <- (2u, 2v; q + u, r + v)
//   neither:         (f, g) <- (f, g / 2),         (u, v; q, r) <- (2u, 2v; q, r)
//
// odd_i must be the parity of g. swap_i may be set only with odd_i: see gfp_divsteps.sv.
//
// f_i, g_i, f_o, g_o: f = sum f[i] 2^(LimbW i), signed limbs of Width bits. Halving a limb drops
// its lowest bit, which goes to limb i - 1. There it has the weight 2^LimbW and is added to the
// bits above without carries, so that one carry chain of Width + 2 bits computes the limb. The
// lowest bit of limb 0 before the halving is 0. gfp_divsteps.sv bounds the limbs.
// m_i, m_o: u, v, q, r, signed, of MatrixW bits.
`default_nettype none

module gfp_divsteps_step #(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW   = 64,
  parameter int unsigned Width   = 70,
  parameter int unsigned MatrixW = 62
) (
  input  logic                      odd_i,
  input  logic                      swap_i,
  input  logic signed [  Width-1:0] f_i   [NumLimb],
  input  logic signed [  Width-1:0] g_i   [NumLimb],
  output logic signed [  Width-1:0] f_o   [NumLimb],
  output logic signed [  Width-1:0] g_o   [NumLimb],
  input  logic signed [MatrixW-1:0] m_i   [      4],
  output logic signed [MatrixW-1:0] m_o   [      4]
);

  for (genvar i = 0; i < NumLimb; i++) begin : gen_limb
    // The bit from the limb above: the lowest bit of its sum.
    logic from_above;
    // g; and f, 0 or the complement of f. The carry in adds the 1 of a subtraction.
    logic [Width:0] whole, masked;
    // The same sum with the bit from above: sums and carries of three bits from its place on.
    logic [Width-LimbW:0] three, carries;
    logic unused_carry, unused_low, unused_top;

    if (i < NumLimb - 1) begin : gen_inner
      assign from_above = g_i[i+1][0] ^ (odd_i & f_i[i+1][0]);
    end else begin : gen_top
      assign from_above = 1'b0;
    end

    assign whole = {g_i[i][Width-1], g_i[i]};
    assign masked = ({f_i[i][Width-1], f_i[i]} & {(Width + 1) {odd_i}}) ^ {(Width + 1) {swap_i}};
    assign three = whole[Width:LimbW] ^ masked[Width:LimbW] ^ (Width + 1 - LimbW)'(from_above);
    assign carries = (whole[Width:LimbW] & masked[Width:LimbW]) |
        ((whole[Width:LimbW] | masked[Width:LimbW]) & (Width + 1 - LimbW)'(from_above));
    assign unused_top = carries[Width-LimbW];

    assign {g_o[i], unused_low, unused_carry} = {three, whole[LimbW-1:0], 1'b1} +
        {carries[Width-LimbW-1:0], 1'b0, masked[LimbW-1:0], swap_i};
    assign f_o[i] = swap_i ? g_i[i] : f_i[i];
  end

  for (genvar i = 0; i < 2; i++) begin : gen_column
    logic [MatrixW-1:0] masked;
    logic unused_carry;

    assign masked = (m_i[i] & {MatrixW{odd_i}}) ^ {MatrixW{swap_i}};
    assign {m_o[i+2], unused_carry} = {m_i[i+2], 1'b1} + {masked, swap_i};
    assign m_o[i] = (swap_i ? m_i[i+2] : m_i[i]) <<< 1;
  end

endmodule

`default_nettype wire
