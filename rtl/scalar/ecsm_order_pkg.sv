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
    OrderCheck  = 3'd6   // nothing: a = 0? a < m?
  } order_op_e;

  // r is what stands in the accumulator (ecsm_order_datapath.sv), a word that of a register.
  typedef enum logic [4:0] {
    StClear,    // zero a word of the memory
    StIdle,
    StLoad,     // a word into G
    StTake,     // G into the accumulator
    StFold,     // fold the accumulator
    StPull,     // r into G
    StKeep,     // G into F
    StJoin,     // F to G or from it
    StCanon,    // once the modulus to G or from it
    StLatch,    // r, or 1 for a string, into A
    StDigit,    // fold, and a digit times A
    StDrain,    // a word of the string that is not wanted
    StSeed,     // 0 and 1 as coefficients
    StStep,     // a division step
    StSign,     // sign of the last f; accumulator zero
    StSigned,   // A into the accumulator, with that sign
    StCompare,  // the modulus from G
    StStore     // a word out of G
  } order_state_e;

  // A bit for every state, so that nothing is decoded before it is used.
  localparam int unsigned NumState = 32'(StStore) + 1;
  typedef logic [NumState-1:0] order_in_t;

  // Bits below the leading one of a modulus that ecsm_order_quotient looks at in the accumulator.
  localparam int unsigned FineW = 3;

  // A modulus at most 2^583: room for an integer or a polynomial.
  typedef bit [583:0] modulus_t;

  // The lowest power of 2 (z) above every residue: 2^length > m for an integer, the degree of a
  // polynomial.
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

  // Division steps after which g is 0: see ecsm/curves/order.py.
  function automatic int unsigned division_steps(modulus_t m, bit binary);
    int unsigned len;
    len = length(m, binary);
    return binary ? 2 * len - 1 : (9437 * len + 4096) / 4096;
  endfunction

endpackage

`default_nettype wire
