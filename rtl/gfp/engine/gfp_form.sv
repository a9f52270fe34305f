// SPDX-License-Identifier: Apache-2.0
//
// One sink of the operand network of a GF(p) engine: the sum of its slots, limb by limb.
//
// A slot selects at most one of its sources, then shifts it left by a few bits, then complements
// it. The enabled terms choose source, shift and complement. All limbs have OpW bits; sums are
// modulo 2^OpW. Hardware exists only for the terms of this sink.
//
// own_i: the sources 0 .. NumOwn-1, private to this sink. shared_i: the other sources. Latency 0,
// or 1 with Rank: a rank of registers between the slots and their sum.
`default_nettype none

module gfp_form
  import gfp_engine_pkg::term_t;
  import gfp_engine_pkg::TermSource;
  import gfp_engine_pkg::TermShift;
  import gfp_engine_pkg::TermComplement;
#(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned OpW = 70,
  parameter int unsigned Sink = 0,
  parameter int unsigned NumSlot = 3,
  parameter int unsigned NumOwn = 2,  // private sources, the first ones
  parameter int unsigned NumSource = 3,
  parameter int unsigned NumTerm = 1,
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter bit Rank = 1'b0
) (
  input  logic                                            clk_i,
  input  logic [       NumTerm-1:0]                       enable_i,
  input  logic [        NumOwn-1:0][NumLimb-1:0][OpW-1:0] own_i,
  input  logic [NumSource-1:NumOwn][NumLimb-1:0][OpW-1:0] shared_i,
  output logic [       NumLimb-1:0][    OpW-1:0]          form_o
);

  typedef logic [NumLimb-1:0][OpW-1:0] operand_t;

  function automatic bit [NumTerm-1:0] complements_of(bit [7:0] slot);
    for (int unsigned t = 0; t < NumTerm; t++) begin
      complements_of[t] = Terms[t].sink == 8'(Sink) && Terms[t].slot == slot
          && Terms[t].kind == TermComplement;
    end
  endfunction

  operand_t [NumSlot-1:0] slot_d, slot;
  for (genvar s = 0; s < NumSlot; s++) begin : gen_slot
    operand_t chosen[NumTerm+1];  // the OR of the enabled sources of terms below t
    operand_t shifted[NumTerm+1];  // shifted by the enabled one of the terms below t
    assign chosen[0] = '0;
    assign shifted[0] = chosen[NumTerm];
    for (genvar t = 0; t < NumTerm; t++) begin : gen_term
      localparam term_t Term = Terms[t];
      localparam bit IsMine = Term.sink == 8'(Sink) && Term.slot == 8'(s);
      if (IsMine && Term.kind == TermSource && Term.value < 16'(NumOwn)) begin : gen_own
        assign chosen[t+1] = chosen[t] | (own_i[Term.value] & {NumLimb * OpW{enable_i[t]}});
      end else if (IsMine && Term.kind == TermSource) begin : gen_shared
        assign chosen[t+1] = chosen[t] | (shared_i[Term.value] & {NumLimb * OpW{enable_i[t]}});
      end else begin : gen_none
        assign chosen[t+1] = chosen[t];
      end
      for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
        if (IsMine && Term.kind == TermShift) begin : gen_shift
          assign shifted[t+1][k] = enable_i[t] ? chosen[NumTerm][k] << Term.value : shifted[t][k];
        end else begin : gen_other
          assign shifted[t+1][k] = shifted[t][k];
        end
      end
    end
    localparam bit [NumTerm-1:0] Complements = complements_of(8'(s));
    assign slot_d[s] = shifted[NumTerm] ^ {NumLimb * OpW{|(enable_i & Complements)}};
  end

  ecsm_rank #(
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

  logic unused_terms;  // inputs that no term of this sink uses
  assign unused_terms = ^{enable_i, own_i, shared_i};

endmodule

`default_nettype wire
