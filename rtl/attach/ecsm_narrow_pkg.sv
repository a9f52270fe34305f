// SPDX-License-Identifier: Apache-2.0
//
// The narrow port: how a 32-bit CPU uses an accelerator with wide operands. A request is a function
// and two operands of 32 bits; an answer is a result of 32 bits. Both use valid and ready. Answers
// come in the order of requests. This is the shape of a RISC-V custom instruction of type R:
// {funct7, funct3}, rs1, rs2, rd. docs/integrate/soc.md describes the functions for programmers.
//
// ecsm/narrow/port.py and sw/firmware/narrow.h have the same names and numbers; a test compares
// them.
`default_nettype none

package ecsm_narrow_pkg;

  // func[9:3] is the function's index: {register, pair of words} for functions of words, a
  // number for run and info, 0 for the others.
  typedef struct packed {
    logic [9:0]  func;
    logic [31:0] a;
    logic [31:0] b;
  } req_t;

  // func[2:0]. Functions of words, run and wait are not accepted while the unit is busy.
  typedef enum logic [2:0] {
    FuncWrite  = 3'd0,  // a and b become words 2 pair and 2 pair + 1 of a register
    FuncEven   = 3'd1,  // returns word 2 pair
    FuncOdd    = 3'd2,  // returns word 2 pair + 1
    FuncRun    = 3'd3,  // starts a program
    FuncStatus = 3'd4,  // returns the status; then clears its bits in a, sets those in b
    FuncWait   = 3'd5,  // returns the status when the unit is idle
    FuncInfo   = 3'd6,  // returns a fact about the unit
    FuncClear  = 3'd7   // drops a running program, clears every register and the status
  } func_e;

  // Bits of the status. All but busy stay until they are cleared; infinity is that of the last
  // program.
  typedef enum int unsigned {
    StatusBusy     = 0,
    StatusUnknown  = 1,  // no such function, index, register or word
    StatusOrder    = 2,  // read or run before all words of a register were written
    StatusRange    = 3,  // a word has bits beyond the register's; also: a program found such
    StatusCurve    = 4,  // a point off the curve
    StatusInfinity = 5,  // the result is the point at infinity
    StatusFull     = 16  // and above: one bit a register, all its words are written
  } status_e;

  // What FuncInfo returns, by index.
  typedef enum int unsigned {
    InfoId      = 0,
    InfoVersion = 1,
    InfoBits    = 2,  // bits in a register
    InfoReg     = 3,  // number of registers
    InfoRun     = 4   // number of programs
  } info_e;

endpackage

`default_nettype wire
