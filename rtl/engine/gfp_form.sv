// SPDX-License-Identifier: Apache-2.0
//
// One sink of a GF(p) engine's operand network: the sum of its slots, limb by limb.
//
// A slot is the sum modulo 2 of its gated terms, of which the program opens at most one: the same
// gates are a multiplexer. A term is a source shifted left by up to a few bits, or the complement of
// that, in every limb of OpW bits; sums are modulo 2^OpW.
//
// Latency 0, or 1 with a rank of registers between the slots and their sum. A term that Terms does
// not have is not built.
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
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter bit Rank = 1'b0
) (
  input  logic                                       clk_i,
  input  logic [  NumTerm-1:0]                       enable_i,
  input  logic [  NumSlot-1:0][NumLimb-1:0][OpW-1:0] own_i,     // source 0 of each slot
  input  logic [NumSource-1:1][NumLimb-1:0][OpW-1:0] shared_i,
  output logic [  NumLimb-1:0][    OpW-1:0]          form_o
);

  logic [NumSlot-1:0][NumLimb-1:0][OpW-1:0] slot_d, slot;
  for (genvar s = 0; s < NumSlot; s++) begin : gen_slot
    logic [NumLimb-1:0][OpW-1:0] below[NumTerm+1];  // the slot's terms below t
    assign below[0] = '0;
    for (genvar t = 0; t < NumTerm; t++) begin : gen_term
      localparam term_t Term = Terms[t];
      if (Term.sink == 8'(Sink) && Term.slot == 8'(s)) begin : gen_mine
        for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
          logic [OpW-1:0] value;
          if (Term.source == 0) begin : gen_own
            assign value = own_i[s][k] << Term.shift;
          end else begin : gen_shared
            assign value = shared_i[Term.source][k] << Term.shift;
          end
          assign below[t+1][k] = below[t][k]
              ^ ((value ^ {OpW{Term.complement}}) & {OpW{enable_i[t]}});
        end
      end else begin : gen_other
        assign below[t+1] = below[t];
      end
    end
    assign slot_d[s] = below[NumTerm];
  end

  gf2m_rank #(
    .Width(NumSlot * NumLimb * OpW),
    .Enable(Rank)
  ) u_slots (
    .clk_i(clk_i),
    .d_i(slot_d),
    .q_o(slot)
  );

  for (genvar k = 0; k < NumLimb; k++) begin : gen_sum
    always_comb begin
      form_o[k] = '0;
      for (int unsigned s = 0; s < NumSlot; s++) form_o[k] = form_o[k] + slot[s][k];
    end
  end

  logic unused_terms;  // what no term of this sink has
  assign unused_terms = ^{enable_i, own_i, shared_i};

endmodule

`default_nettype wire
