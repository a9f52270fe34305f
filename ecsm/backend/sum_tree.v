// SPDX-License-Identifier: Apache-2.0
//
// A sum of many numbers as a balanced tree of sums of two, each a carry chain: what Yosys's techmap
// makes of a cell $macc_v2 without products. (maccmap -unmap makes a chain of chains.)
//
// Nodes 0 to N - 1 are the addends, node N + k the sum of nodes 2k and 2k + 1. What is to be
// subtracted is subtracted as soon as it meets what is not.
// Parameters and ports are Yosys's: C has the addends, the first lowest, C_WIDTHS 16 bits for each.
(* techmap_celltype = "$macc_v2" *)
module ecsm_sum_tree (A, B, C, Y);
  parameter NPRODUCTS = 0;
  parameter NADDENDS = 1;
  parameter A_WIDTHS = 0;
  parameter B_WIDTHS = 0;
  parameter C_WIDTHS = 16'd1;
  parameter Y_WIDTH = 1;
  parameter PRODUCT_NEGATED = 0;
  parameter ADDEND_NEGATED = 0;
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter C_SIGNED = 0;

  localparam N = NADDENDS;
  localparam W = Y_WIDTH;

  input A, B;  // of products
  input [start(N)-1:0] C;
  output [W-1:0] Y;

  // Where addend i begins.
  function integer start;
    input integer i;
    integer k;
    begin
      start = 0;
      for (k = 0; k < i; k = k + 1) start = start + C_WIDTHS[16*k+:16];
    end
  endfunction

  // Which nodes are to be subtracted.
  function [2*N-2:0] subtracted;
    input integer unused;
    integer k;
    begin
      subtracted = ADDEND_NEGATED[N-1:0];
      for (k = 0; k < N - 1; k = k + 1) subtracted[N+k] = subtracted[2*k] & subtracted[2*k+1];
    end
  endfunction

  localparam [2*N-2:0] Minus = subtracted(0);

  wire [(2*N-1)*W-1:0] node;
  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : gen_addend
      wire [C_WIDTHS[16*i+:16]-1:0] addend = C[start(i)+:C_WIDTHS[16*i+:16]];
      if (C_SIGNED[i]) assign node[W*i+:W] = $signed(addend);
      else assign node[W*i+:W] = addend;
    end
    for (i = 0; i < N - 1; i = i + 1) begin : gen_sum
      wire [W-1:0] a = node[W*(2*i)+:W];
      wire [W-1:0] b = node[W*(2*i+1)+:W];
      if (Minus[2*i] == Minus[2*i+1]) assign node[W*(N+i)+:W] = a + b;
      else if (Minus[2*i]) assign node[W*(N+i)+:W] = b - a;
      else assign node[W*(N+i)+:W] = a - b;
    end
    if (Minus[2*N-2]) assign Y = -node[W*(2*N-2)+:W];
    else assign Y = node[W*(2*N-2)+:W];
  endgenerate
endmodule
