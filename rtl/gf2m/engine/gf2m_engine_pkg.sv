// SPDX-License-Identifier: Apache-2.0
//
// How a preset describes the operand network of a GF(2^m) engine. U is the number of multipliers, R
// the number of registers.
//
// Sink:    a place that receives a sum of terms
//          0 .. 2U-1     operand s (0 or 1) of multiplier u is sink 2u + s
//          2U .. 2U+R-1  the write port of each register
//          2U+R          the zero tester
// Source:  0 .. R-1 the registers, then the constants, then the results of the multipliers. The
//          tester sees registers and constants only. So do operands that go straight into a
//          multiplier: no path from register to register has two multipliers.
// Map:     0 is the identity; map i > 0 is matrix i - 1 of the engine's parameter Maps.
// Term:    a sink, a map and a source.
// Gate:    a control bit that enables a term in a word, if the recoded bits of the scalar have the
//          values that the gate requires: the bit of this word (key) and of the next one (next); in
//          a masked ladder the bits of its roles, too (role, next_role). A
//          late condition is tested in the cycle in which the word executes.

`default_nettype none

package gf2m_engine_pkg;

  typedef struct packed {
    bit [7:0]  sink;
    bit [7:0]  map;
    bit [15:0] source;
  } term_t;

  typedef struct packed {
    bit care;
    bit value;
  } bit_guard_t;

  typedef enum bit [1:0] {
    LateNone   = 2'd0,
    LateAffine = 2'd1,  // no check failed, and kP is not infinity
    LateNegate = 2'd2   // affine, and (k+1)P is infinity: kP = -P
  } late_e;

  typedef struct packed {
    bit [15:0]  term;
    bit_guard_t key;
    bit_guard_t next;
    bit_guard_t role;
    bit_guard_t next_role;
    late_e      late;
  } gate_t;

endpackage

`default_nettype wire
