// SPDX-License-Identifier: Apache-2.0
//
// How a preset describes the operand network of a GF(p) engine.
//
// Sink:    0 and 1 are the operands of the multiplier, 2 is that of the adder. A sink adds up its
//          slots.
// Slot:    selects one source or zero, then shifts it left, then complements it.
// Source:  0, 1 the registers that the sink reads, one of each bank; 2 the result of the
//          multiplier; 3 the result of the adder; 4 .. 8 the columns of the table entry; 9 .. 12
//          the entries of the matrix of the division steps; then the constants.
// Term:    one ability of a slot: to select a source, to shift by a number of bits, to complement.
// Gate:    a control bit that enables a term in a word, if the condition has the required value.

`default_nettype none

package gfp_engine_pkg;

  localparam int unsigned NumColumn = 5;  // X, Y, Z, Z^2, Z^3
  localparam int unsigned NumMatrix = 4;  // u, v, q, r
  localparam int unsigned NumSink = 3;
  localparam int unsigned AdderSink = 2;
  localparam int unsigned NumSlot = 3;
  localparam int unsigned NumBank = 2;
  localparam int unsigned BankDepth = 16;
  localparam int unsigned BankW = 4;  // bits of the number of a register in its bank
  localparam int unsigned Fetch = 2;  // several threads: cycles from read to use

  localparam int unsigned SourceProduct = NumBank;
  localparam int unsigned SourceSum = SourceProduct + 1;
  localparam int unsigned FirstEntry = SourceSum + 1;
  localparam int unsigned FirstMatrix = FirstEntry + NumColumn;
  localparam int unsigned FirstConst = FirstMatrix + NumMatrix;

  // What a bank's register or a column's entry stores in this cycle.
  typedef struct packed {
    logic add;  // the result of the adder
    logic mul;  // the result of the multiplier
  } take_t;

  // Two parts of a decoded word. reads_t: the register of each bank that each sink reads. moves_t:
  // the registers and table columns that store a result.
  typedef logic [NumSink-1:0][NumBank-1:0][BankW-1:0] reads_t;

  typedef struct packed {
    logic [NumBank-1:0][BankW-1:0] address;
    take_t [NumBank-1:0] write;
    take_t [NumColumn-1:0] store;
  } moves_t;

  typedef enum bit [1:0] {
    TermSource     = 2'd0,  // value: the number of the source
    TermShift      = 2'd1,  // value: the number of bits
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
    GuardNegative = 3'd1,  // the digit of the window is negative, or the bit of the ladder is 1
    GuardFlip     = 3'd2,  // the result must be negated
    GuardInvalid  = 3'd3,  // there is no point to return
    GuardInfinity = 3'd4   // the point of the request is infinity
  } guard_e;

  typedef struct packed {
    bit [15:0] term;
    guard_e    guard;
    bit        value;
  } gate_t;

  // How the scalar is recoded, by the unit of gfp_scalars.
  typedef enum bit [2:0] {
    ScalarWindow       = 3'd0,  // signed odd digits, the highest first: ecsm_scalar_window
    ScalarUpward       = 3'd1,  // the same, the lowest first; stores go to the entry of the digit
    ScalarHalves       = 3'd2,  // two halves by an endomorphism: ecsm_scalar_glv
    ScalarDigits       = 3'd3,  // the order of ScalarUpward, N is not used: ecsm_scalar_digits
    ScalarLadder       = 3'd4,  // one bit at a time, N is not used: ecsm_scalar_shift
    ScalarDouble       = 3'd5,  // two scalars {a, b} for aG + bP: ecsm_scalar_double
    ScalarDoubleHalves = 3'd6,  // the same, b in two halves
    ScalarUpwardHalves = 3'd7   // ScalarHalves in the order of ScalarUpward
  } scalar_e;

  function automatic bit is_double(scalar_e kind);
    return kind == ScalarDouble || kind == ScalarDoubleHalves;
  endfunction

  function automatic bit has_halves(scalar_e kind);
    return kind == ScalarHalves || kind == ScalarDoubleHalves || kind == ScalarUpwardHalves;
  endfunction

  function automatic bit is_upward(scalar_e kind);
    return kind == ScalarUpward || kind == ScalarUpwardHalves || kind == ScalarDigits;
  endfunction

  // Units that read the result of the adder directly; one bit each.
  localparam int unsigned NumTake = 4;
  localparam int unsigned TakeCurve = 0;  // a zero: the point is on the curve
  localparam int unsigned TakeX = 1;  // x of the result, to be reduced
  localparam int unsigned TakeY = 2;
  localparam int unsigned TakeDivide = 3;  // starts the division steps

  // The bits of a program's word: see gfp_control.
  function automatic int unsigned word_w(int unsigned thread_w, int unsigned entry_w,
                                         int unsigned num_gate);
    return 1 + NumTake + 2 * thread_w + 2 * entry_w + $bits(reads_t) + $bits(moves_t) + num_gate;
  endfunction

  // Cycles of clearing: zero is written to every entry and register of every slot of a thread, and
  // zeros pass through the multiplier.
  function automatic int unsigned clearing(int unsigned slots, int unsigned entries,
                                           int unsigned latency);
    clearing = slots * ((entries > BankDepth) ? entries : BankDepth);
    if (clearing < latency) clearing = latency;
  endfunction

  // kG for the curve's point G by combs of constants: a second program beside that for kP.
  typedef struct packed {
    bit [31:0] columns;  // of the combs; 0: there is none
    bit [31:0] groups;
    bit [31:0] teeth;
    bit [31:0] depth;  // words, behind those for kP
    bit [31:0] loop_first;  // counted from its first word
    bit [31:0] loop_last;
    bit [31:0] loop_count;
  } base_t;

  // The bits of the number of a constant.
  function automatic int unsigned base_w(bit [31:0] columns, bit [31:0] groups, bit [31:0] teeth);
    return (columns == 0) ? 1 : $clog2(groups) + teeth - 1;
  endfunction

  localparam int unsigned NumBase = 3;  // values of a constant; the columns where they are read:
  localparam int unsigned BaseColumn[NumBase] = '{0, 1, 4};
  localparam int unsigned BaseLate = 2;  // cycles from the start of kP to that of kG

endpackage

`default_nettype wire
