// SPDX-License-Identifier: Apache-2.0
//
// a_i + b_i modulo 2^W. Latency 0: combinational.
//
// A carry chain has Segment bits; Segment = 0 makes one chain of W bits. With several chains, every
// segment but the lowest computes its sum with and without a carry in, and the carry of the
// segments below selects one. So the longest path is a chain of Segment bits and a multiplexer for
// each segment, instead of a chain of W bits.
// Source: O. Bedrij, Carry-select adder (1962).
`default_nettype none

module ecsm_order_add #(
  parameter int unsigned W = 259,
  parameter int unsigned Segment = 0
) (
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  output logic [W-1:0] sum_o
);

  localparam int unsigned SegW = (Segment == 0 || Segment > W) ? W : Segment;
  localparam int unsigned NumSeg = (W + SegW - 1) / SegW;

  logic [NumSeg:0] carry;
  assign carry[0] = 1'b0;

  for (genvar i = 0; i < NumSeg; i++) begin : gen_segment
    localparam int unsigned ThisW = (i == NumSeg - 1) ? W - SegW * i : SegW;
    logic [ThisW:0] plain;

    assign plain = {1'b0, a_i[SegW*i+:ThisW]} + {1'b0, b_i[SegW*i+:ThisW]};
    if (i == 0) begin : gen_lowest
      assign {carry[1], sum_o[ThisW-1:0]} = plain;
    end else begin : gen_upper
      logic [ThisW:0] more;
      logic unused_low;
      // The ones in the lowest place make the carry in.
      assign {more, unused_low} =
          {1'b0, a_i[SegW*i+:ThisW], 1'b1} + {1'b0, b_i[SegW*i+:ThisW], 1'b1};
      assign {carry[i+1], sum_o[SegW*i+:ThisW]} = carry[i] ? more : plain;
    end
  end

  logic unused_carry;
  assign unused_carry = carry[NumSeg];

endmodule

`default_nettype wire
