// SPDX-License-Identifier: Apache-2.0
//
// From a control word to the enables of the operand network's terms.
//
//   enable_o[t] = OR over the gates g of term t of (word_i[g] & guard of g)
//
// Guards are listed in gf2m_engine_pkg. Combinational.

`default_nettype none

module gf2m_gates
  import gf2m_engine_pkg::gate_t;
#(
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter gate_t [NumGate-1:0] Gates = '0
) (
  input  logic [NumGate-1:0] word_i,
  input  logic               key_i,
  input  logic               affine_i,
  input  logic               negate_i,
  output logic [NumTerm-1:0] enable_o
);

  function automatic bit [NumGate-1:0] gates_of(int unsigned term);
    bit [NumGate-1:0] mask = '0;
    for (int unsigned g = 0; g < NumGate; g++) mask[g] = 32'(Gates[g].term) == term;
    return mask;
  endfunction

  logic [NumGate-1:0] open;
  for (genvar g = 0; g < NumGate; g++) begin : gen_gate
    if (Gates[g].guard == gf2m_engine_pkg::GuardKey) begin : gen_key
      assign open[g] = word_i[g] & key_i;
    end else if (Gates[g].guard == gf2m_engine_pkg::GuardNotKey) begin : gen_not_key
      assign open[g] = word_i[g] & ~key_i;
    end else if (Gates[g].guard == gf2m_engine_pkg::GuardAffine) begin : gen_affine
      assign open[g] = word_i[g] & affine_i;
    end else if (Gates[g].guard == gf2m_engine_pkg::GuardNegate) begin : gen_negate
      assign open[g] = word_i[g] & negate_i;
    end else begin : gen_always
      assign open[g] = word_i[g];
    end
  end

  for (genvar t = 0; t < NumTerm; t++) begin : gen_enable
    assign enable_o[t] = |(open & gates_of(t));
  end

endmodule

`default_nettype wire
