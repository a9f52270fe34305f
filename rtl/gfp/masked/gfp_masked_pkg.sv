// SPDX-License-Identifier: Apache-2.0
//
// The words of a masked prime-field program, beside what gfp_engine_pkg has of operand networks.

`default_nettype none

package gfp_masked_pkg;

  import gfp_engine_pkg::*;

  // Units that read the result of the adder: those of gfp_engine_pkg, and one more.
  localparam int unsigned NumMaskedTake = NumTake + 1;
  localparam int unsigned TakeResult = NumTake;  // a value of the result that may be zero

  // A word without its parity and its gates.
  typedef struct packed {
    logic next;  // the next key
    logic [NumMaskedTake-1:0] take;
    reads_t read;
    logic [NumBank-1:0][BankW-1:0] address;
    take_t [NumBank-1:0] write;
  } control_t;

  // Flags of the job front, of values that are 0.
  localparam int unsigned NumFlag = 5;
  localparam int unsigned FlagCurve = 0;  // the equation of the request's point
  localparam int unsigned FlagInfinity = 1;  // y of the result
  localparam int unsigned FlagResult = 2;  // the equation of the result
  localparam int unsigned FlagX = 3;  // X of the result (X : Y : Z)
  localparam int unsigned FlagY = 4;

endpackage

`default_nettype wire
