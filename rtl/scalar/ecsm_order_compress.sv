// SPDX-License-Identifier: Apache-2.0
//
// Compresses Num rows into two with the same sum modulo 2^W: sum_o + carry_o. Latency 0:
// combinational, in levels, one full adder for every three rows. With binary_i, sum_o is the XOR of
// all rows, and carry_o is 0 if Num > 2, because there are no carries. Num: 2 and more.
// Source: C. S. Wallace, A suggestion for a fast multiplier (1964); a full adder of both fields: E.
// Savaş, A. F. Tenca, Ç. K. Koç, A scalable and unified multiplier architecture (CHES 2000).
`default_nettype none

module ecsm_order_compress #(
  parameter int unsigned Num = 3,
  parameter int unsigned W   = 8
) (
  input  logic         binary_i,
  input  logic [W-1:0] row_i   [Num],
  output logic [W-1:0] sum_o,
  output logic [W-1:0] carry_o
);

  // The number of rows after so many levels.
  function automatic int unsigned rows(int unsigned level);
    rows = Num;
    for (int unsigned i = 0; i < level; i++) rows = rows - rows / 3;
  endfunction

  function automatic int unsigned levels();
    levels = 0;
    while (rows(levels) > 2) levels = levels + 1;
  endfunction

  localparam int unsigned Levels = levels();

  for (genvar l = 0; l <= Levels; l++) begin : gen_level
    localparam int unsigned Count = rows(l);
    logic [W-1:0] row[Count];

    if (l == 0) begin : gen_first
      assign row = row_i;
    end else begin : gen_next
      localparam int unsigned Before = rows(l - 1);
      localparam int unsigned Triples = Before / 3;
      for (genvar i = 0; i < Triples; i++) begin : gen_triple
        logic [W-1:0] x, y, z, majority;
        logic unused_top;
        assign x = gen_level[l-1].row[3*i];
        assign y = gen_level[l-1].row[3*i+1];
        assign z = gen_level[l-1].row[3*i+2];
        assign majority = ((x & y) | (x & z) | (y & z)) & {W{~binary_i}};
        assign unused_top = majority[W-1];
        assign row[2*i] = x ^ y ^ z;
        assign row[2*i+1] = {majority[W-2:0], 1'b0};
      end
      for (genvar i = 3 * Triples; i < Before; i++) begin : gen_rest
        assign row[i-Triples] = gen_level[l-1].row[i];
      end
    end
  end

  assign sum_o = gen_level[Levels].row[0];
  assign carry_o = gen_level[Levels].row[1];

  if (Num < 3) begin : gen_unused
    logic unused_binary;
    assign unused_binary = binary_i;
  end
  if (Num < 2) begin : gen_bad
    $error("ecsm_order_compress: there must be two rows");
  end

endmodule

`default_nettype wire
