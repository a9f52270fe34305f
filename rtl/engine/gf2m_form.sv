// SPDX-License-Identifier: Apache-2.0
//
// One sink of the operand network: form_o = sum over maps A of A( sum of (enable & source) ).
//
// With one term enabled it is a multiplexer, with several an adder. Terms of other sinks, maps
// that no term of this sink uses and terms that no word enables cost nothing. Terms that share a
// map are summed sum_in it, so a dense map is built once a sink.
// Combinational.

`default_nettype none

module gf2m_form
  import gf2m_engine_pkg::term_t;
#(
  parameter int unsigned M = 8,
  parameter int unsigned Sink = 0,
  parameter int unsigned NumSource = 1,
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumMap = 1,  // matrices, the identity not counted
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter bit [NumMap-1:0][M*M-1:0] Maps = '0
) (
  // Each sink uses its own terms and sources only.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [NumTerm-1:0] enable_i,
  input  logic [      M-1:0] source_i[NumSource],
  // verilator lint_on UNUSEDSIGNAL
  output logic [      M-1:0] form_o
);

  localparam int unsigned SourceW = (NumSource > 1) ? $clog2(NumSource) : 1;

  function automatic bit uses(int unsigned map);
    for (int unsigned t = 0; t < NumTerm; t++) begin
      if (32'(Terms[t].sink) == Sink && 32'(Terms[t].map) == map) return 1'b1;
    end
    return 1'b0;
  endfunction

  logic [M-1:0] mapped[NumMap+1];

  for (genvar k = 0; k <= NumMap; k++) begin : gen_map
    if (!uses(k)) begin : gen_none
      assign mapped[k] = '0;
    end else begin : gen_sum
      // A chain through the terms; those of other sinks and maps pass it on unchanged.
      for (genvar t = 0; t < NumTerm; t++) begin : gen_term
        logic [M-1:0] sum_in, sum;
        if (t == 0) begin : gen_first
          assign sum_in = '0;
        end else begin : gen_next
          assign sum_in = gen_term[t-1].sum;
        end
        if (32'(Terms[t].sink) == Sink && 32'(Terms[t].map) == k) begin : gen_gate
          assign sum = sum_in ^ ({M{enable_i[t]}} & source_i[SourceW'(Terms[t].source)]);
        end else begin : gen_pass
          assign sum = sum_in;
        end
      end
      if (k == 0) begin : gen_identity
        assign mapped[k] = gen_term[NumTerm-1].sum;
      end else begin : gen_linear
        gf2m_linear #(
          .M(M),
          .Matrix(Maps[k-1])
        ) u_linear (
          .x_i(gen_term[NumTerm-1].sum),
          .y_o(mapped[k])
        );
      end
    end
  end

  always_comb begin
    form_o = '0;
    for (int unsigned k = 0; k <= NumMap; k++) form_o ^= mapped[k];
  end

endmodule

`default_nettype wire
