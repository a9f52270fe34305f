// SPDX-License-Identifier: Apache-2.0
//
// How a preset describes the operand network of the engine for point halving.
//
// Place:   a register or a memory; registers first. One slot of a memory is written and one is read
//          in a cycle.
// Sink:    the places, then the zero tester. Multiplier u multiplies registers 2u and 2u + 1.
// Source:  the places, then the constants, the products, their squares, half, root.
// Map:     0 is the identity; map i > 0 is matrix i - 1 of the engine's parameter Maps.
// Gate:    a control bit that enables a term in a word in which its condition is true.
// Write:   a control bit that writes a place in a word in which its condition is true.
// Slot:    for each memory the word has a slot to read and a slot to write: a number, or the slot
//          of the digit's accumulator.

`default_nettype none

package gf2m_halving_pkg;

  typedef enum bit [3:0] {
    CondNone   = 4'd0,
    CondRead   = 4'd1,   // with the next one: accumulator of the read digit is low; is high
    CondNeg    = 4'd3,   // the read digit is negative
    CondWrite  = 4'd4,   // with the next two: the written digit is not 0; low; high accumulator
    CondCatch  = 4'd7,   // with the next three: this halving makes the half of the caught digit
    CondTrace  = 4'd11,  // late: the trace of u is 0
    CondAffine = 4'd12   // late: no check failed, and kP is not infinity
  } cond_e;

  localparam int unsigned NumAcc = 4;
  localparam int unsigned DigitBits = 4;
  localparam int unsigned NumBlock = 2;  // blocks of the scalar, for its carries

  typedef struct packed {
    bit [15:0] term;
    bit [3:0]  cond;
  } gate_t;

  typedef struct packed {
    bit [7:0] target;
    bit [3:0] cond;
  } write_t;

  // The slot of an accumulator, and 0 if there is none. The bit of accumulator 0 is not needed.
  function automatic logic [1:0] slot_of(logic [NumAcc-1:1] others);
    return {others[3] | others[2], others[3] | others[1]};
  endfunction

  // A decoded digit.
  typedef struct packed {
    logic [NumAcc-1:0]    accumulator;  // one hot; all zero for the digit 0
    logic                 negative;
    logic [DigitBits-1:0] halving;      // one hot: the half of the window
  } digit_t;

endpackage

`default_nettype wire
