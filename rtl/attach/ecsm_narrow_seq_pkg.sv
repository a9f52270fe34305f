// SPDX-License-Identifier: Apache-2.0
//
// Instructions of the units of rtl/attach that compute in GF(2^m) (ecsm_narrow_gf2m).
// ecsm/narrow/assembler.py makes the programs; it has the same names and numbers.
`default_nettype none

package ecsm_narrow_seq_pkg;

  localparam int unsigned RegW = 4;  // registers 0 .. 15
  localparam int unsigned FlagW = 4;  // flags 0 .. 15
  localparam int unsigned AddressW = 9;

  localparam int unsigned FlagCurve = 13;  // at the end: a point is off the curve
  localparam int unsigned FlagInfinity = 14;  // at the end: the result is infinity
  localparam int unsigned FlagTrue = 15;  // always 1

  typedef enum logic [3:0] {
    OpSum = 4'd0,  // dst = [guard a] a + [guard b] b
    OpPower = 4'd1,  // dst = a^(2^arg), arg cycles, arg > 0
    OpMul = 4'd2,  // dst = a b, when the multiplier is done
    OpConst = 4'd3,  // dst = constant arg
    OpTest = 4'd4,  // flag dst = ([guard a] a + [guard b] b = 0)
    OpLogic = 4'd5,  // flag dst = (guard a and guard b) xor arg[0]
    OpKey = 4'd6,  // flag dst = next bit of a, from the top, xor the bit above; arg[0]: to the top
    OpLoop = 4'd7,  // go to arg, if bits of the key are left
    OpStop = 4'd8  // end
  } op_e;

  typedef struct packed {
    logic             inverted;
    logic [FlagW-1:0] flag;
  } guard_t;

  // wait_mul: wait until the multiplier has written its last product.
  typedef struct packed {
    logic                wait_mul;
    op_e                 op;
    logic [RegW-1:0]     dst;
    logic [RegW-1:0]     a;
    guard_t              guard_a;
    logic [RegW-1:0]     b;
    guard_t              guard_b;
    logic [AddressW-1:0] arg;
  } instr_t;

endpackage

`default_nettype wire
