// SPDX-License-Identifier: Apache-2.0
//
// Names and timing shared by the GF(2^m) multipliers.
//
// The timing of gf2m_mul, with L = mul_latency() and I = mul_interval():
//   operands   are on a_i, b_i (with start_i = 1) in cycle t
//   product    p_o is a * b mod f, combinationally, in cycle t + L - 1 and only there; a register
//              that samples p_o at the end of that cycle is usable in cycle t + L
//   next       operands may come in cycle t + I, not earlier
`default_nettype none

package gf2m_pkg;

  // Multiplier architectures: the module of each, and how it works.
  typedef enum int {
    MulSerial    = 0,  // gf2m_mul_serial: Digit bits of b a cycle
    MulSegmented = 1,  // gf2m_mul_segmented: full precision, schoolbook in Digit-bit segments
    MulKaratsuba = 2   // gf2m_mul_karatsuba: full precision, Karatsuba of any depth
  } mul_kind_e;

  // L: cycles from the cycle of the operands to the first cycle in which the registered product is
  // usable.
  function automatic int unsigned mul_latency(mul_kind_e kind, int unsigned m, int unsigned digit,
                                              int unsigned stages);
    return (kind == MulSerial) ? (m + digit - 1) / digit + 1 : stages;
  endfunction

  // I: the least number of cycles between the starts of two products.
  function automatic int unsigned mul_interval(mul_kind_e kind, int unsigned m, int unsigned digit);
    return (kind == MulSerial) ? (m + digit - 1) / digit : 1;
  endfunction

endpackage

`default_nettype wire
