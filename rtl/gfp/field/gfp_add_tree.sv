// SPDX-License-Identifier: Apache-2.0
//
// Sum of N numbers of W bits modulo 2^W, in a balanced tree of sums of two, which synthesis builds
// from carry chains. The numbers in Minus are subtracted. If all numbers are in Minus, sum_o is the
// sum without its sign: the caller must subtract it.
//
// Node i of a level is the sum of nodes 2i and 2i + 1 of the level below. If both must be
// subtracted, their sum must be subtracted too. The tree is explicit because Yosys narrows every
// sum of a chain to the width that it needs before it looks for sums of many numbers, and then does
// not find them.
//
// Latency 0, plus one for each rank of registers: RankParts after the sums of four numbers,
// RankGroups after the sums of sixteen. A new sum may come every cycle.
`default_nettype none

module gfp_add_tree #(
  parameter int unsigned N          = 3,
  parameter int unsigned W          = 40,
  parameter bit [N-1:0]  Minus      = '0,
  parameter bit          RankParts  = 1'b0,
  parameter bit          RankGroups = 1'b0
) (
  input  logic                clk_i,
  input  logic [N-1:0][W-1:0] term_i,
  output logic [W-1:0]        sum_o
);

  localparam int unsigned PartLevel = 2;
  localparam int unsigned GroupLevel = 4;
  localparam int unsigned NumLevel = ($clog2(N) > GroupLevel) ? $clog2(N) : GroupLevel;

  function automatic int unsigned nodes_of(int unsigned level);
    return (N - 1) / (1 << level) + 1;
  endfunction

  // Node i of a level must be subtracted if all its numbers must be.
  function automatic bit subtracted(int unsigned level, int unsigned i);
    subtracted = 1'b1;
    for (int unsigned k = i << level; k < (i + 1) << level && k < N; k++) begin
      subtracted = subtracted & Minus[k];
    end
  endfunction

  for (genvar d = 0; d <= NumLevel; d++) begin : gen_level
    localparam int unsigned NumNode = nodes_of(d);

    logic [NumNode-1:0][W-1:0] node_d, node;
    if (d == 0) begin : gen_first
      assign node_d = term_i;
    end else begin : gen_sums
      for (genvar i = 0; i < NumNode; i++) begin : gen_node
        if (2 * i + 1 == nodes_of(d - 1)) begin : gen_alone
          assign node_d[i] = gen_level[d-1].node[2*i];
        end else if (subtracted(d - 1, 2 * i) == subtracted(d - 1, 2 * i + 1)) begin : gen_alike
          assign node_d[i] = gen_level[d-1].node[2*i] + gen_level[d-1].node[2*i+1];
        end else if (subtracted(d - 1, 2 * i)) begin : gen_from
          assign node_d[i] = gen_level[d-1].node[2*i+1] - gen_level[d-1].node[2*i];
        end else begin : gen_less
          assign node_d[i] = gen_level[d-1].node[2*i] - gen_level[d-1].node[2*i+1];
        end
      end
    end

    ecsm_rank #(
      .Width(NumNode * W),
      .Enable(d == PartLevel && RankParts || d == GroupLevel && RankGroups)
    ) u_nodes (
      .clk_i(clk_i),
      .d_i(node_d),
      .q_o(node)
    );
  end

  assign sum_o = gen_level[NumLevel].node[0];

endmodule

`default_nettype wire
