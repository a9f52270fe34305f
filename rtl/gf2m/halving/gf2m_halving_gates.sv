// SPDX-License-Identifier: Apache-2.0
//
// Decodes a word of the engine for halving, one cycle before it executes, into the enables of the
// terms, the writes and the slots.
//
//   active_i           the inputs word_*_i are those of the word of the next cycle
//   catch_i, read_i, write_i   the digits of the next cycle
//   trace0_i, affine_i   late conditions of this cycle
//   enable_o, write_o, read_slot_o, write_slot_o   belong to the word of this cycle
//   clear_i            in the next cycle nothing is enabled
//
// Latency: one cycle from word_*_i and the digits; none from trace0_i and affine_i.
`default_nettype none

module gf2m_halving_gates
  import gf2m_halving_pkg::gate_t;
  import gf2m_halving_pkg::write_t;
  import gf2m_halving_pkg::digit_t;
  import gf2m_halving_pkg::slot_of;
#(
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter int unsigned NumWrite = 1,
  parameter int unsigned NumPlace = 1,
  parameter int unsigned NumBank = 1,  // memories
  parameter int unsigned SlotW = 2,
  parameter gate_t [NumGate-1:0] Gates = '0,
  parameter write_t [NumWrite-1:0] Writes = '0
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  input  logic                             active_i,
  input  logic   [ NumGate-1:0]            word_gate_i,
  input  logic   [NumWrite-1:0]            word_write_i,
  // {by the digit, slot} for each memory
  input  logic   [ NumBank-1:0][  SlotW:0] word_read_i,
  input  logic   [ NumBank-1:0][  SlotW:0] word_slot_i,
  // Not every digit uses all its fields: catch_i does not use its accumulator, for example.
  // verilator lint_off UNUSEDSIGNAL
  input  digit_t                           catch_i,
  input  digit_t                           read_i,
  input  digit_t                           write_i,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                             trace0_i,
  input  logic                             affine_i,
  output logic   [ NumTerm-1:0]            enable_o,
  output logic   [NumPlace-1:0]            write_o,
  output logic   [ NumBank-1:0][SlotW-1:0] read_slot_o,
  output logic   [ NumBank-1:0][SlotW-1:0] write_slot_o
);

  localparam int unsigned NumLate = 3;

  logic [15:0] condition;
  always_comb begin
    condition = '0;
    condition[gf2m_halving_pkg::CondNone] = 1'b1;
    condition[gf2m_halving_pkg::CondRead+:2] = {|read_i.accumulator[3:2], |read_i.accumulator[1:0]};
    condition[gf2m_halving_pkg::CondNeg] = read_i.negative;
    condition[gf2m_halving_pkg::CondWrite+:3] = {
      |write_i.accumulator[3:2], |write_i.accumulator[1:0], |write_i.accumulator
    };
    condition[gf2m_halving_pkg::CondCatch+:4] = catch_i.halving;
    condition[gf2m_halving_pkg::CondTrace] = 1'b1;
    condition[gf2m_halving_pkg::CondAffine] = 1'b1;
  end

  function automatic int unsigned late_of(bit [3:0] cond);
    if (cond == gf2m_halving_pkg::CondTrace) return 1;
    if (cond == gf2m_halving_pkg::CondAffine) return 2;
    return 0;
  endfunction

  // The gates of a term with the same late condition.
  function automatic bit [NumGate-1:0] gates_of(int unsigned term, int unsigned late);
    bit [NumGate-1:0] mask = '0;
    for (int unsigned g = 0; g < NumGate; g++) begin
      mask[g] = 32'(Gates[g].term) == term && late_of(Gates[g].cond) == late;
    end
    return mask;
  endfunction

  function automatic bit [NumWrite-1:0] writes_of(int unsigned place);
    bit [NumWrite-1:0] mask = '0;
    for (int unsigned w = 0; w < NumWrite; w++) begin
      mask[w] = 32'(Writes[w].target) == place;
    end
    return mask;
  endfunction

  logic [NumGate-1:0] open;
  for (genvar g = 0; g < NumGate; g++) begin : gen_gate
    assign open[g] = active_i & word_gate_i[g] & condition[Gates[g].cond];
  end

  logic [NumLate-1:0] late;
  assign late = {affine_i, trace0_i, 1'b1};

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

  logic [NumWrite-1:0] opened;
  for (genvar w = 0; w < NumWrite; w++) begin : gen_write
    assign opened[w] = active_i & word_write_i[w] & condition[Writes[w].cond];
  end

  for (genvar r = 0; r < NumPlace; r++) begin : gen_place
    localparam bit [NumWrite-1:0] Mine = writes_of(r);
    logic open_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) open_q <= 1'b0;
      else open_q <= ~clear_i & (|(opened & Mine));
    end
    assign write_o[r] = open_q;
  end

  for (genvar b = 0; b < NumBank; b++) begin : gen_bank
    logic [SlotW-1:0] read_q, write_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        read_q <= '0;
        write_q <= '0;
      end else begin
        read_q <= word_read_i[b][SlotW] ? SlotW'(slot_of(
            read_i.accumulator[3:1]
        )) : word_read_i[b][SlotW-1:0];
        write_q <= word_slot_i[b][SlotW] ? SlotW'(slot_of(
            write_i.accumulator[3:1]
        )) : word_slot_i[b][SlotW-1:0];
      end
    end
    assign read_slot_o[b] = read_q;
    assign write_slot_o[b] = write_q;
  end

endmodule

`default_nettype wire
