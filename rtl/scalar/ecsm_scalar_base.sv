// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of kG: digits of k for Groups combs of the multiples of G (ecsm_scalar_comb),
// one for each next_i, from the highest column to the lowest, and in a column from the highest
// group to the lowest.
//
//   scalar_i --> [ecsm_scalar_comb] -- a column --> [group_q] --> number_o, negative_o
//                       ^                              |
//                       +-- after the lowest group ----+-- next_i
//
//   number_o     the digit's entry: {group, index} of the comb
//   negative_o   the digit is negative
//
// Latency, ranges, clear_i and sources: those of ecsm_scalar_comb with Signed. next_i may come from
// the cycle on in which the first digit is valid, and takes effect at the end of its cycle.
// Groups: 2 and more. Everything but the timing is secret. Model: ecsm/curves/comb.py.

`default_nettype none

module ecsm_scalar_base #(
  parameter int unsigned W = 8,
  parameter bit [W-1:0] N = '1,
  parameter int unsigned Columns = 2,
  parameter int unsigned Groups = 2,
  parameter int unsigned Teeth = 2,
  parameter int unsigned Chunk = 16,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned NumberW = GroupW + Teeth - 1
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               load_i,
  input  logic               next_i,
  input  logic [      W-1:0] scalar_i,
  output logic [NumberW-1:0] number_o,
  output logic               negative_o
);

  logic [GroupW-1:0] group_q;
  logic lowest;
  assign lowest = group_q == '0;

  always_ff @(posedge clk_i) begin
    if (clear_i) group_q <= '0;
    else if (load_i) group_q <= GroupW'(Groups - 1);
    else if (next_i) group_q <= lowest ? GroupW'(Groups - 1) : group_q - GroupW'(1);
  end

  logic [Groups-1:0][Teeth-2:0] index;
  logic [Groups-1:0] minus;
  ecsm_scalar_comb #(
    .W(W),
    .N(N),
    .Columns(Columns),
    .Groups(Groups),
    .Teeth(Teeth),
    .Chunk(Chunk),
    .Signed(1'b1)
  ) u_comb (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .load_i(load_i),
    .next_i(next_i & lowest),
    .scalar_i(scalar_i),
    .index_o(index),
    .negative_o(minus)
  );

  assign number_o = {group_q, index[group_q]};
  assign negative_o = minus[group_q];

  if (Groups < 2) begin : gen_bad
    $error("ecsm_scalar_base: Groups must be at least 2");
  end

endmodule

`default_nettype wire
