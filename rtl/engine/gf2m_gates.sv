// SPDX-License-Identifier: Apache-2.0
//
// From a control word to the enables of the operand network's terms, one cycle later.
//
//   enable_o[t], in the cycle after the word, =
//     OR over the gates g of term t of (word_i[g] & scalar bits & late condition of g)
//
// The scalar bits are those of the word's cycle; the late conditions (gf2m_engine_pkg) those of
// the cycle of enable_o. What remains between a register and the network is a late condition, and
// only where a gate has one. No word is taken in a cycle without active_i or with clear_i.

`default_nettype none

module gf2m_gates
  import gf2m_engine_pkg::gate_t;
#(
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter gate_t [NumGate-1:0] Gates = '0
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic               active_i,
  input  logic [NumGate-1:0] word_i,
  input  logic               key_i,
  input  logic               next_i,
  input  logic               affine_i,
  input  logic               negate_i,
  output logic [NumTerm-1:0] enable_o
);

  localparam int unsigned NumLate = 3;

  // Gates of a term that have the same late condition.
  function automatic bit [NumGate-1:0] gates_of(int unsigned term, int unsigned late);
    bit [NumGate-1:0] mask = '0;
    for (int unsigned g = 0; g < NumGate; g++) begin
      mask[g] = 32'(Gates[g].term) == term && 32'(Gates[g].late) == late;
    end
    return mask;
  endfunction

  logic [NumGate-1:0] open;
  for (genvar g = 0; g < NumGate; g++) begin : gen_gate
    logic key, next;
    assign key = ~Gates[g].key.care | (key_i == Gates[g].key.value);
    assign next = ~Gates[g].next.care | (next_i == Gates[g].next.value);
    assign open[g] = active_i & word_i[g] & key & next;
  end

  logic [NumLate-1:0] late;
  assign late[gf2m_engine_pkg::LateNone] = 1'b1;
  assign late[gf2m_engine_pkg::LateAffine] = affine_i;
  assign late[gf2m_engine_pkg::LateNegate] = negate_i;

  for (genvar t = 0; t < NumTerm; t++) begin : gen_term
    logic [NumLate-1:0] enable;
    for (genvar l = 0; l < NumLate; l++) begin : gen_late
      localparam bit [NumGate-1:0] Mine = gates_of(t, l);
      if (Mine != '0) begin : gen_register
        logic open_q;
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) open_q <= 1'b0;
          else open_q <= ~clear_i & (|(open & Mine));
        end
        assign enable[l] = open_q & late[l];
      end else begin : gen_none
        assign enable[l] = 1'b0;
      end
    end
    assign enable_o[t] = |enable;
  end

endmodule

`default_nettype wire
