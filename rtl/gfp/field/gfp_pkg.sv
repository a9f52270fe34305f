// SPDX-License-Identifier: Apache-2.0
//
// What the prime-field units share: sizes, and small constants as signed sums of powers of two.

`default_nettype none

package gfp_pkg;

  // All sizes of a multiplier of residues in limbs, by the indices below. ecsm/curves/gfp/residues.py
  // computes them.
  typedef bit [15:0][31:0] shape_t;
  localparam int unsigned NumLimb = 0;  // limbs of a residue
  localparam int unsigned NumWord = 1;  // its words, two a limb; if odd, the highest limb has one
  localparam int unsigned WordW = 2;  // bits of a word
  localparam int unsigned RegW = 3;  // bits of a register's limb
  localparam int unsigned OpW = 4;  // bits of an operand's limb
  localparam int unsigned SumW = 5;  // bits of a sum of limbs
  localparam int unsigned NumProduct = 6;  // products of sums of limbs
  localparam int unsigned DigitW = 7;  // bits of a digit of these products, one DSP block each
  localparam int unsigned NumCut = 8;  // words of the product
  localparam int unsigned CutW = 9;  // bits of such a word, two's complement
  localparam int unsigned OutW = 10;  // bits of a word after its row of gfp_reduce
  localparam int unsigned JoinedW = 11;  // bits of a limb that two words make
  localparam int unsigned NumRound = 12;  // rounds of carries after that
  localparam int unsigned NumAddRound = 13;  // rounds of carries of an adder's operand
  localparam int unsigned Ranks = 14;  // ranks of registers in the multiplier: gfp_mul
  localparam int unsigned InDsp = 15;  // what is placed in DSP blocks: the bits below

  // A product of limbs is the sum of so many numbers: gfp_limb_mul.
  localparam int unsigned NumAddend = 3;

  localparam int unsigned MulInDsp = 0;  // products of digits
  localparam int unsigned AddInDsp = 1;  // carried sums

  // How products are computed: whole, one every cycle; one digit of an operand a cycle; or three
  // products of halves, one a cycle.
  typedef enum bit [1:0] {
    MulWhole      = 2'd0,  // gfp_mul
    MulColumn     = 2'd1,  // gfp_mul_column
    MulMontgomery = 2'd2,  // gfp_mul_montgomery; sums by gfp_add_table
    MulFolded     = 2'd3   // gfp_mul_folded
  } mul_e;

  // Bits of a lane of a DSP block, and number of lanes of a sum of w bits: gfp_sum.
  localparam int unsigned LaneW = 24;

  function automatic int unsigned sum_lanes(int unsigned w);
    return (w <= LaneW) ? 1 : 1 + (w - 2) / (LaneW - 1);
  endfunction

  // Cycles from an operand of gfp_add to its sum, without Delay.
  function automatic int unsigned add_latency(shape_t s);
    return s[InDsp][AddInDsp] ? 1 + s[NumAddRound] * sum_lanes(s[OpW]) : 2;
  endfunction

  // Bits of a limb after the carries, and of the highest limb.
  function automatic int unsigned limb_w(shape_t s);
    return 2 * s[WordW];
  endfunction

  function automatic int unsigned top_w(shape_t s);
    return (s[NumWord] % 2 == 1) ? s[WordW] : 2 * s[WordW];
  endfunction

  // Non-adjacent form of c: the powers of two that are added (naf_plus) and subtracted (naf_minus).
  // Source: Hankerson, Menezes, Vanstone, Guide to Elliptic Curve Cryptography, algorithm 3.30.
  function automatic bit [63:0] naf_plus(input longint c);
    longint n;
    n = (c < 0) ? -c : c;
    return (c < 0) ? 64'((n & ~(3 * n)) >> 1) : 64'((3 * n & ~n) >> 1);
  endfunction

  function automatic bit [63:0] naf_minus(input longint c);
    return naf_plus(-c);
  endfunction

  // All these powers, their number, and, the lowest first, which of them are subtracted.
  function automatic bit [63:0] naf_powers(input longint c);
    return naf_plus(c) | naf_minus(c);
  endfunction

  function automatic int unsigned naf_terms(input longint c);
    return $countones(naf_powers(c));
  endfunction

  function automatic bit [63:0] naf_signs(input longint c);
    bit [63:0] powers, minus;
    int unsigned n;
    powers = naf_powers(c);
    minus = naf_minus(c);
    n = 0;
    naf_signs = '0;
    for (int unsigned i = 0; i < 64; i++) begin
      if (powers[i]) begin
        naf_signs[n] = minus[i];
        n++;
      end
    end
  endfunction

endpackage

`default_nettype wire
