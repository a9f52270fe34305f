// SPDX-License-Identifier: Apache-2.0
//
// Random bits that change the order and the signs of what the word engine does: Trivium, whose
// state is seeded by octets and not by a key.
//
//          +-----------------------------------+
//          v                                   |
//   a: [1 .. 93] --> b: [1 .. 84] --> c: [1 .. 111]     each bit moves on by one in a cycle
//
// An octet of seed_i is XORed into the first bits of a as they move on. A bit depends on all bits
// of the state 1,152 cycles after the last octet; who uses it waits so long. clear_i makes the
// state 0, where it stays without a seed; there is no other reset.
//
// Latency: none; bits_o are new in each fifth cycle, the lowest one in each cycle.
// Source: C. De Canniere, B. Preneel, "Trivium", eSTREAM; ISO/IEC 29192-3, 5.2.

`default_nettype none

module word_random #(
  parameter int unsigned NumBit = 5
) (
  input  logic              clk_i,
  input  logic              clear_i,
  input  logic              seed_valid_i,
  input  logic [       7:0] seed_i,
  output logic [NumBit-1:0] bits_o
);

  logic [93:1] a_q, a_d;
  logic [84:1] b_q;
  logic [111:1] c_q;

  always_comb begin
    a_d = {a_q[92:1], c_q[66] ^ c_q[111] ^ (c_q[109] & c_q[110]) ^ a_q[69]};
    if (seed_valid_i) a_d[8:1] ^= seed_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      a_q <= '0;
      b_q <= '0;
      c_q <= '0;
    end else begin
      a_q <= a_d;
      b_q <= {b_q[83:1], a_q[66] ^ a_q[93] ^ (a_q[91] & a_q[92]) ^ b_q[78]};
      c_q <= {c_q[110:1], b_q[69] ^ b_q[84] ^ (b_q[82] & b_q[83]) ^ c_q[87]};
    end
  end

  assign bits_o = b_q[NumBit:1];

endmodule

`default_nettype wire
