// SPDX-License-Identifier: Apache-2.0
//
// The narrow port: how a 32-bit CPU uses an accelerator with wide operands. A request is a function
// and two operands of 32 bits, an answer a result of 32 bits; both are valid/ready, and answers
// come in the order of the requests. It is the shape of a RISC-V custom instruction of type R:
// {funct7, funct3}, rs1, rs2, rd. docs/soc.md has the functions in a programmer's words.
//
// Same names and numbers: ecsm/narrow/port.py and sw/soc/narrow.h; a test holds them equal.
`default_nettype none

package ecsm_narrow_pkg;

  // func[9:3] is the function's index: {register, pair of words} for words, a number for run and
  // info, 0 for the rest.
  typedef struct packed {
    logic [9:0]  func;
    logic [31:0] a;
    logic [31:0] b;
  } req_t;

  // func[2:0]. Those of words, run and wait are not taken while the unit is busy.
  typedef enum logic [2:0] {
    FuncWrite  = 3'd0,  // words 2 pair and 2 pair + 1 of a register become a and b
    FuncEven   = 3'd1,  // the result is word 2 pair
    FuncOdd    = 3'd2,  // the result is word 2 pair + 1
    FuncRun    = 3'd3,  // begin a program
    FuncStatus = 3'd4,  // the result is the status; then clear its bits in a, set those in b
    FuncWait   = 3'd5,  // the result is the status, once the unit is idle
    FuncInfo   = 3'd6,  // the result says what the unit is
    FuncClear  = 3'd7   // drop a program under way, forget every register and the status
  } func_e;

  // Bits of the status. All but busy stay until they are cleared; infinity is the last program's.
  typedef enum int unsigned {
    StatusBusy     = 0,
    StatusUnknown  = 1,  // a function, index, register or word that there is not
    StatusOrder    = 2,  // read or run before the register was written, all its words
    StatusRange    = 3,  // a word with bits that the register has not; also: ran with such
    StatusCurve    = 4,  // a point off the curve
    StatusInfinity = 5,  // the result is the point at infinity
    StatusFull     = 16  // and above: a bit a register, all its words have been written
  } status_e;

  // What FuncInfo answers, by index.
  typedef enum int unsigned {
    InfoId      = 0,
    InfoVersion = 1,
    InfoBits    = 2,  // of a register
    InfoReg     = 3,  // registers
    InfoRun     = 4   // programs
  } info_e;

endpackage

`default_nettype wire
