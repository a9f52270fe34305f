// SPDX-License-Identifier: Apache-2.0
//
// How a preset describes the operand network of the engine for point halving.
//
// Sinks:    0 .. R-1 the registers, R the zero tester; multiplier u multiplies registers 2u, 2u+1
// Sources:  0 .. R-1 registers, then the constants, the products, their squares, half, root
// Maps:     0 is the identity; map i > 0 is matrix i - 1 of the engine's parameter Maps.
// Gates:    a control bit that enables a term in a word where its condition holds.
// Writes:   a control bit that writes a register in a word where its condition holds.

`default_nettype none

package gf2m_halving_pkg;

  typedef enum bit [3:0] {
    CondNone   = 4'd0,
    CondRead   = 4'd1,   // and three more: the digit to be read for has this accumulator
    CondNeg    = 4'd5,   // the digit to be read for is negative
    CondWrite  = 4'd6,   // and three more: the digit to be written for has this accumulator
    CondCatch  = 4'd10,  // and three more: the next digit's half comes by in this halving
    CondTrace  = 4'd14,  // late: the trace of u is 0
    CondAffine = 4'd15   // late: no check failed and kP is not infinity
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

  // What a digit asks for.
  typedef struct packed {
    logic [NumAcc-1:0]    accumulator;  // one hot; none for the digit 0
    logic                 negative;
    logic [DigitBits-1:0] halving;      // one hot: which of the window's halves
  } digit_t;

endpackage

`default_nettype wire
