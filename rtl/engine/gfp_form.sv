// SPDX-License-Identifier: Apache-2.0
//
// One sink of a GF(p) engine's operand network: the sum of its slots, limb by limb.
//
// A slot is the sum modulo 2 of its gated terms, of which the program opens at most one: the same
// gates are a multiplexer. A term is a source shifted left by up to a few bits, or the complement of
// that, in every limb of OpW bits; sums are modulo 2^OpW.
//
// Latency 0. A term that Terms does not have is not built.
`default_nettype none

module gfp_form
  import gfp_engine_pkg::term_t;
#(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned OpW = 70,
  parameter int unsigned Sink = 0,
  parameter int unsigned NumSlot = 3,
  parameter int unsigned NumSource = 1,
  parameter int unsigned NumTerm = 1,
  parameter term_t [NumTerm-1:0] Terms = '0
) (
  input  logic [  NumTerm-1:0]                            enable_i,
  input  logic [NumSource-1:0][NumLimb-1:0][OpW-1:0] source_i,
  output logic [  NumLimb-1:0][    OpW-1:0]           form_o
);

  always_comb begin
    for (int unsigned k = 0; k < NumLimb; k++) begin
      form_o[k] = '0;
      for (int unsigned s = 0; s < NumSlot; s++) begin
        automatic logic [OpW-1:0] slot = '0;
        for (int unsigned t = 0; t < NumTerm; t++) begin
          if (Terms[t].sink == 8'(Sink) && Terms[t].slot == 8'(s)) begin
            automatic logic [OpW-1:0] value = source_i[Terms[t].source][k] << Terms[t].shift;
            slot ^= (Terms[t].complement ? ~value : value) & {OpW{enable_i[t]}};
          end
        end
        form_o[k] = form_o[k] + slot;
      end
    end
  end

  logic unused_enable;
  assign unused_enable = ^enable_i;

endmodule

`default_nettype wire
