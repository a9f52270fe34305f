// SPDX-License-Identifier: Apache-2.0
//
// How a preset describes the operand network of a GF(2^m) engine.
//
// Sinks:   0 .. 2U-1  operand side s of multiplier u at 2u + s
//          2U .. 2U+R-1  the write port of each register
//          2U+R  the zero tester
// Sources: 0 .. R-1 registers, then the constants, then the multipliers' results, then the port's
//          x and y. Operands and the tester see registers and constants only; that keeps one
//          multiplier between two registers, never two.
// Maps:    0 is the identity; map i > 0 is matrix i - 1 of the engine's parameter Maps.
// Guards:  a gate's control bit counts in a cycle where its guard holds.

`default_nettype none

package gf2m_engine_pkg;

  typedef struct packed {
    bit [7:0]  sink;
    bit [7:0]  map;
    bit [15:0] source;
  } term_t;

  typedef enum bit [2:0] {
    GuardAlways = 3'd0,
    GuardKey    = 3'd1,  // the recoded scalar bit is 1
    GuardNotKey = 3'd2,
    GuardAffine = 3'd3,  // no check failed and kP is not infinity
    GuardNegate = 3'd4   // affine, and (k+1)P is infinity: kP = -P
  } guard_e;

  typedef struct packed {
    bit [15:0] term;
    bit [2:0]  guard;
  } gate_t;

endpackage

`default_nettype wire
