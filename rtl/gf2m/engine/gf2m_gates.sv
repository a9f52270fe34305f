// SPDX-License-Identifier: Apache-2.0
//
// Decodes the gates of a control word into the enables of the terms of the operand network.
//
//   enable_o[t], in the cycle after the word, =
//     OR over the gates g of term t of (word_i[g] & bits of the streams & late condition of g)
//
// The bits of the scalar (key_i, next_i) and of the roles of a masked ladder (role_i, next_role_i)
// are those of the cycle of the word. The late conditions
// (gf2m_engine_pkg: affine_i, negate_i) are those of the cycle of enable_o. So the path from a
// register to the network has a late condition at most, and only where a gate has one.
//
// Latency: one cycle from word_i and the streams; none from affine_i and negate_i. In a cycle
// without active_i, or with clear_i, the module ignores word_i, and enable_o is zero in the next
// cycle.

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
  input  logic               role_i,
  input  logic               next_role_i,
  input  logic               affine_i,
  input  logic               negate_i,
  output logic [NumTerm-1:0] enable_o
);

  localparam int unsigned NumLate = 3;

  // The gates of a term with the same late condition.
  function automatic bit [NumGate-1:0] gates_of(int unsigned term, int unsigned late);
    bit [NumGate-1:0] mask = '0;
    for (int unsigned g = 0; g < NumGate; g++) begin
      mask[g] = 32'(Gates[g].term) == term && 32'(Gates[g].late) == late;
    end
    return mask;
  endfunction

  logic [NumGate-1:0] open;
  for (genvar g = 0; g < NumGate; g++) begin : gen_gate
    logic key, next, role, next_role;
    assign key = ~Gates[g].key.care | (key_i == Gates[g].key.value);
    assign next = ~Gates[g].next.care | (next_i == Gates[g].next.value);
    assign role = ~Gates[g].role.care | (role_i == Gates[g].role.value);
    assign next_role = ~Gates[g].next_role.care | (next_role_i == Gates[g].next_role.value);
    assign open[g] = active_i & word_i[g] & key & next & role & next_role;
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
