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

  // term[t] is zero in all other sinks and in slots but its own.
  logic [NumSlot-1:0][NumTerm-1:0][NumLimb-1:0][OpW-1:0] term;
  for (genvar s = 0; s < NumSlot; s++) begin : gen_slot
    for (genvar t = 0; t < NumTerm; t++) begin : gen_term
      localparam term_t Term = Terms[t];
      for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
        if (Term.sink == 8'(Sink) && Term.slot == 8'(s)) begin : gen_mine
          logic [OpW-1:0] value;
          assign value = source_i[Term.source][k] << Term.shift;
          assign term[s][t][k] = (value ^ {OpW{Term.complement}}) & {OpW{enable_i[t]}};
        end else begin : gen_other
          assign term[s][t][k] = '0;
        end
      end
    end
  end

  logic [NumSlot-1:0][NumLimb-1:0][OpW-1:0] slot;
  for (genvar s = 0; s < NumSlot; s++) begin : gen_choice
    always_comb begin
      slot[s] = '0;
      for (int unsigned t = 0; t < NumTerm; t++) slot[s] = slot[s] ^ term[s][t];
    end
  end

  for (genvar k = 0; k < NumLimb; k++) begin : gen_sum
    always_comb begin
      form_o[k] = '0;
      for (int unsigned s = 0; s < NumSlot; s++) form_o[k] = form_o[k] + slot[s][k];
    end
  end

endmodule

`default_nettype wire
