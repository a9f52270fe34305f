// SPDX-License-Identifier: Apache-2.0
//
// How a preset describes the operand network of a GF(p) engine.
//
// Sinks:   0, 1 the multiplier's operands, 2 the adder's.
// Slots:   a sink adds up its slots; a slot is a choice of one source, or zero, then shifted left, then
//          complemented.
// Sources: 0, 1 the registers that the sink reads, one of each bank, 2 the multiplier's result, 3 the
//          adder's, 4 .. 8 the columns of the table's entry, 9 .. 12 the entries of the division
//          steps' matrix, then the constants.
// Terms:   what a slot has: a source, a shift by so many bits, the complement.
// Gates:   a control bit that enables a term in a word, if the condition has the value asked for.

`default_nettype none

package gfp_engine_pkg;

  localparam int unsigned NumColumn = 5;  // X, Y, Z, Z^2, Z^3
  localparam int unsigned NumMatrix = 4;  // u, v, q, r
  localparam int unsigned NumSink = 3;
  localparam int unsigned AdderSink = 2;
  localparam int unsigned NumSlot = 3;
  localparam int unsigned NumBank = 2;
  localparam int unsigned BankDepth = 16;
  localparam int unsigned BankW = 4;  // bits of a register's number in its bank
  localparam int unsigned Fetch = 2;  // cycles by which several threads read ahead of the use

  localparam int unsigned SourceProduct = NumBank;
  localparam int unsigned SourceSum = SourceProduct + 1;
  localparam int unsigned FirstEntry = SourceSum + 1;
  localparam int unsigned FirstMatrix = FirstEntry + NumColumn;
  localparam int unsigned FirstConst = FirstMatrix + NumMatrix;

  // Where a result goes: a bank's register, or a column's entry in the table.
  typedef struct packed {
    logic add;  // it takes the adder's result
    logic mul;  // it takes the multiplier's
  } take_t;

  // What a decoded word says beside its gates and what the units' results are taken for: the register
  // of each bank that each sink reads, and what takes results.
  typedef logic [NumSink-1:0][NumBank-1:0][BankW-1:0] reads_t;

  typedef struct packed {
    logic [NumBank-1:0][BankW-1:0] address;
    take_t [NumBank-1:0] write;
    take_t [NumColumn-1:0] store;
  } moves_t;

  typedef enum bit [1:0] {
    TermSource     = 2'd0,  // value: its number
    TermShift      = 2'd1,  // value: bits
    TermComplement = 2'd2
  } term_e;

  typedef struct packed {
    bit [7:0]  sink;
    bit [7:0]  slot;
    term_e     kind;
    bit [15:0] value;
  } term_t;

  typedef enum bit [2:0] {
    GuardNone     = 3'd0,
    GuardNegative = 3'd1,  // the window's digit is negative, a ladder's is 1
    GuardFlip     = 3'd2,  // the answer must be negated
    GuardInvalid  = 3'd3,  // there is no point to answer
    GuardInfinity = 3'd4   // the request's point is infinity
  } guard_e;

  typedef struct packed {
    bit [15:0] term;
    guard_e    guard;
    bit        value;
  } gate_t;

  // Units that take the adder's result as it comes; one bit each.
  localparam int unsigned NumTake = 4;
  localparam int unsigned TakeCurve = 0;  // zero: the point is on the curve
  localparam int unsigned TakeX = 1;  // reduced: the answer's x
  localparam int unsigned TakeY = 2;
  localparam int unsigned TakeDivide = 3;  // the division steps start

endpackage

`default_nettype wire
