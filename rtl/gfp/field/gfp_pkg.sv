// SPDX-License-Identifier: Apache-2.0
//
// What the prime-field units share: sizes, and small constants as signed sums of powers of two.

`default_nettype none

package gfp_pkg;

  // The sizes of a multiplier of residues in limbs. ecsm/curves/gfp/residues.py computes them.
  typedef struct packed {
    int unsigned num_limb;  // limbs of a residue
    int unsigned num_word;  // its words, two a limb; if odd, the highest limb has one
    int unsigned word_w;  // bits of a word
    int unsigned reg_w;  // bits of a register's limb
    int unsigned op_w;  // bits of an operand's limb
    int unsigned sum_w;  // bits of a sum of limbs
    int unsigned num_product;  // products of sums of limbs
    int unsigned digit_w;  // bits of a digit of these products, one DSP block each
    int unsigned num_cut;  // words of the product
    int unsigned cut_w;  // bits of such a word, two's complement
    int unsigned out_w;  // bits of a word after its row of gfp_reduce
    int unsigned joined_w;  // bits of a limb that two words make
    int unsigned num_round;  // rounds of carries after that
    int unsigned num_add_round;  // rounds of carries of an adder's operand
    bit [31:0] ranks;  // ranks of registers in the multiplier: gfp_mul
    bit mul_in_dsp;  // products of digits are placed in DSP blocks
    bit add_in_dsp;  // carried sums are placed there
  } shape_t;

  // A product of limbs is the sum of so many numbers: gfp_limb_mul.
  localparam int unsigned NumAddend = 3;

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

  // Each of the three functions reads some fields of the shape.
  // verilator lint_off UNUSEDSIGNAL
  // Cycles from an operand of gfp_add to its sum, without Delay.
  function automatic int unsigned add_latency(shape_t s);
    return s.add_in_dsp ? 1 + s.num_add_round * sum_lanes(s.op_w) : 2;
  endfunction

  // Bits of a limb after the carries, and of the highest limb.
  function automatic int unsigned limb_w(shape_t s);
    return 2 * s.word_w;
  endfunction

  function automatic int unsigned top_w(shape_t s);
    return (s.num_word % 2 == 1) ? s.word_w : 2 * s.word_w;
  endfunction
  // verilator lint_on UNUSEDSIGNAL

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
