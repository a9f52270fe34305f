// SPDX-License-Identifier: Apache-2.0
//
// What the modules of ecsm_order share: operations, states, and facts of a modulus.

`default_nettype none

package ecsm_order_pkg;

  typedef enum logic [2:0] {
    OrderAdd    = 3'd0,  // a + b
    OrderSub    = 3'd1,  // a - b
    OrderMul    = 3'd2,  // a b
    OrderInv    = 3'd3,  // 1/a, 0 for 0
    OrderMod    = 3'd4,  // a
    OrderReduce = 3'd5,  // a string
    OrderCheck  = 3'd6,  // writes nothing: a = 0? a < m?
    OrderXor    = 3'd7   // a xor b, of all bits, modulo nothing
  } order_op_e;

  // r is the value in the accumulator (ecsm_order_datapath.sv); a word is a word of a register.
  typedef enum logic [4:0] {
    StClear,    // zeroes a word of the memory
    StIdle,
    StLoad,     // shifts a word into G
    StTake,     // moves G to the accumulator
    StFold,     // folds the accumulator
    StPull,     // moves r to G
    StKeep,     // moves G to F
    StJoin,     // adds F to G, or subtracts it
    StCanon,    // adds the modulus to G, or subtracts it
    StLatch,    // moves r, or 1 for a string, to A
    StDigit,    // folds, and adds a digit times A
    StDrain,    // drops a word of the string
    StSeed,     // sets the coefficients to 0 and 1
    StStep,     // makes a division step
    StSign,     // stores the sign of the last f; clears the accumulator
    StSigned,   // moves A to the accumulator, with that sign
    StCompare,  // compares G with the modulus
    StStore     // stores a word of G
  } order_state_e;

  // One bit for every state, so that no state must be decoded.
  localparam int unsigned NumState = 32'(StStore) + 1;
  typedef logic [NumState-1:0] order_in_t;

  // ecsm_order_quotient looks at so many bits of the accumulator below the leading one of a
  // modulus.
  localparam int unsigned FineW = 3;

  // A modulus has at most 584 bits: an integer or a polynomial.
  typedef bit [583:0] modulus_t;

  // The length of a modulus: the least such that 2^length > m for an integer, the degree for a
  // polynomial. It bounds every residue.
  function automatic int unsigned length(modulus_t m, bit binary);
    length = 0;
    for (int unsigned i = 0; i < $bits(modulus_t); i++) if (m[i]) length = i + 1;
    if (binary) length = length - 1;
  endfunction

  // 2^(d + 5) 2^length / m rounded, from the 24 highest bits of an integer m.
  function automatic int unsigned reciprocal(modulus_t m, int unsigned d);
    longint unsigned lead;
    int unsigned len;
    len = length(m, 1'b0);
    lead = (len >= 24) ? 64'(24'(m >> (len - 24))) : 64'(24'(m << (24 - len)));
    return int'(((64'd1 << (d + 30)) / lead + 64'd1) >> 1);
  endfunction

  // The number of division steps after which g is 0: see ecsm/curves/order.py.
  function automatic int unsigned division_steps(modulus_t m, bit binary);
    int unsigned len;
    len = length(m, binary);
    return binary ? 2 * len - 1 : (9437 * len + 4096) / 4096;
  endfunction

endpackage

`default_nettype wire
