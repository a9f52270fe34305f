// SPDX-License-Identifier: Apache-2.0
//
// One sink of the operand network: form_o = sum over maps A of A( sum of (enable & source) ).
//
// With one enabled term the form is a multiplexer, with several it is an adder. Hardware exists
// only for the terms of this sink and for the maps that they use. Terms with the same map are
// summed before the map, so a sink has each dense map once.
//
// enable_i: one bit a term. source_i: NumSource values of M bits. Latency 0: combinational.

`default_nettype none

module gf2m_form
  import gf2m_engine_pkg::term_t;
#(
  parameter int unsigned M = 8,
  parameter int unsigned Sink = 0,
  parameter int unsigned NumSource = 1,
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumMap = 1,  // matrices, without the identity
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter bit [NumMap-1:0][M*M-1:0] Maps = '0
) (
  // A sink uses only its own terms and sources.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [NumTerm-1:0] enable_i,
  input  logic [      M-1:0] source_i[NumSource],
  // verilator lint_on UNUSEDSIGNAL
  output logic [      M-1:0] form_o
);

  localparam int unsigned SourceW = (NumSource > 1) ? $clog2(NumSource) : 1;

  // Number of terms of this sink with map k.
  function automatic int unsigned count(int unsigned k);
    count = 0;
    for (int unsigned t = 0; t < NumTerm; t++) begin
      if (32'(Terms[t].sink) == Sink && 32'(Terms[t].map) == k) count++;
    end
  endfunction

  // Number of the n-th of these terms.
  function automatic int unsigned nth(int unsigned k, int unsigned n);
    int unsigned seen = 0;
    nth = 0;
    for (int unsigned t = 0; t < NumTerm; t++) begin
      if (32'(Terms[t].sink) == Sink && 32'(Terms[t].map) == k) begin
        if (seen == n) nth = t;
        seen++;
      end
    end
  endfunction

  // Number of maps other than the identity that have a term.
  function automatic int unsigned count_maps();
    count_maps = 0;
    for (int unsigned k = 1; k <= NumMap; k++) if (count(k) != 0) count_maps++;
  endfunction

  function automatic int unsigned nth_map(int unsigned n);
    int unsigned seen = 0;
    nth_map = 0;
    for (int unsigned k = 1; k <= NumMap; k++) begin
      if (count(k) != 0) begin
        if (seen == n) nth_map = k;
        seen++;
      end
    end
  endfunction

  localparam int unsigned Plain = count(0);
  localparam int unsigned NumUsed = count_maps();
  localparam int unsigned NumLeaf = Plain + NumUsed;

  // Balanced trees: the leaves come first, and node n + i is the sum of nodes 2i and 2i + 1. The
  // last leaves are the nearest to the root: products come after registers, mapped sums after
  // products.
  if (NumLeaf == 0) begin : gen_none
    assign form_o = '0;
  end else begin : gen_form
    for (genvar i = 0; i < 2 * NumLeaf - 1; i++) begin : gen_node
      logic [M-1:0] sum;
      if (i < Plain) begin : gen_term
        localparam int unsigned Term = nth(0, i);
        assign sum = {M{enable_i[Term]}} & source_i[SourceW'(Terms[Term].source)];
      end else if (i < NumLeaf) begin : gen_map
        localparam int unsigned Map = nth_map(i - Plain);
        localparam int unsigned Size = count(Map);
        for (genvar j = 0; j < 2 * Size - 1; j++) begin : gen_node
          logic [M-1:0] x;
          if (j < Size) begin : gen_term
            localparam int unsigned Term = nth(Map, j);
            assign x = {M{enable_i[Term]}} & source_i[SourceW'(Terms[Term].source)];
          end else begin : gen_sum
            assign x = gen_node[2*(j-Size)].x ^ gen_node[2*(j-Size)+1].x;
          end
        end
        gf2m_linear #(
          .M(M),
          .Matrix(Maps[Map-1])
        ) u_linear (
          .x_i(gen_node[2*Size-2].x),
          .y_o(sum)
        );
      end else begin : gen_sum
        assign sum = gen_node[2*(i-NumLeaf)].sum ^ gen_node[2*(i-NumLeaf)+1].sum;
      end
    end
    assign form_o = gen_node[2*NumLeaf-2].sum;
  end

endmodule

`default_nettype wire
