// SPDX-License-Identifier: Apache-2.0
//
// How a preset describes the operand network of the engine for point halving.
//
// Places:   registers, then memories. A memory is written in one slot and read in one slot a cycle.
// Sinks:    the places, then the zero tester; multiplier u multiplies registers 2u, 2u+1
// Sources:  the places, then the constants, the products, their squares, half, root
// Maps:     0 is the identity; map i > 0 is matrix i - 1 of the engine's parameter Maps.
// Gates:    a control bit that enables a term in a word where its condition holds.
// Writes:   a control bit that writes a place in a word where its condition holds.
// Slots:    of each memory, to be read and to be written: a slot, or that of the digit's accumulator.

`default_nettype none

package gf2m_halving_pkg;

  typedef enum bit [3:0] {
    CondNone   = 4'd0,
    CondRead   = 4'd1,   // and one more: the digit to be read for has a low or a high accumulator
    CondNeg    = 4'd3,   // the digit to be read for is negative
    CondWrite  = 4'd4,   // the digit to be written for is not 0; then: it has a low, a high one
    CondCatch  = 4'd7,   // and three more: the next digit's half comes by in this halving
    CondTrace  = 4'd11,  // late: the trace of u is 0
    CondAffine = 4'd12   // late: no check failed and kP is not infinity
  } cond_e;

  localparam int unsigned NumAcc = 4;
  localparam int unsigned DigitBits = 4;
  localparam int unsigned NumBlock = 2;  // of the scalar, for its carries

  typedef struct packed {
    bit [15:0] term;
    bit [3:0]  cond;
  } gate_t;

  typedef struct packed {
    bit [7:0] target;
    bit [3:0] cond;
  } write_t;

  // The slot of an accumulator; 0 where there is none. The first one's bit is not asked for.
  function automatic logic [1:0] slot_of(logic [NumAcc-1:1] others);
    return {others[3] | others[2], others[3] | others[1]};
  endfunction

  // What a digit asks for.
  typedef struct packed {
    logic [NumAcc-1:0]    accumulator;  // one hot; none for the digit 0
    logic                 negative;
    logic [DigitBits-1:0] halving;      // one hot: which of the window's halves
  } digit_t;

endpackage

`default_nettype wire
