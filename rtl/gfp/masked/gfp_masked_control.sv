// SPDX-License-Identifier: Apache-2.0
//
// Decodes the words of a masked prime-field program, and finds out whether a bit changed on the way
// from the memory to what executes. The job front counts the words.
//
//   word_i: the word whose number the front had in the cycle before
//     |
//     +--> fields, gates by swap_i and role_i --> [control_q, enable_q] --> all outputs
//     |            |                                        |
//     |            +--> parities --> [odd_q] ---------------+--> are they the same? --> fault_o
//     +--> parity of the word, where it arrives -----------------------------------> fault_o
//
//   active_i, check_active_i   the front, and its second sequencer, had a number in this cycle
//   abort_i                    no word executes from the next cycle on
//   swap_i, role_i             conditions of gates: GuardNegative is swap_i; GuardInfinity, which
//                              this engine does not have, is role_i
//   word                       {parity: all bits have an even number of ones, next, take, read,
//                              address, write, gates}
//   fault_o                    registered: one cycle after what it found
//
// Latency: a word executes in the cycle after it arrives.

`default_nettype none

module gfp_masked_control
  import gfp_engine_pkg::*;
  import gfp_masked_pkg::*;
#(
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter gate_t [NumGate-1:0] Gates = '0,
  parameter int unsigned WordBits = 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic                       abort_i,
  input  logic                       active_i,
  input  logic                       check_active_i,
  input  logic   [     WordBits-1:0] word_i,
  input  logic                       swap_i,
  input  logic                       role_i,
  output logic                       next_o,
  output reads_t                     read_o,
  output logic   [      NumTerm-1:0] enable_o,
  output moves_t                     moves_o,
  output logic   [NumMaskedTake-1:0] take_o,
  output logic                       fault_o
);

  localparam int unsigned NumOdd = 8;  // parities, each of every eighth bit

  control_t control, control_q;
  logic [NumGate-1:0] gate;
  logic parity;
  assign {parity, control, gate} = word_i;

  // ------------------------------------------------------------------ the word arrives
  logic active_q, check_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      check_q  <= 1'b1;
    end else begin
      active_q <= active_i & ~abort_i;
      check_q  <= ~(check_active_i & ~abort_i);
    end
  end

  logic [NumGate-1:0] open;
  for (genvar g = 0; g < NumGate; g++) begin : gen_gate
    localparam gate_t Gate = Gates[g];
    if (Gate.guard == GuardNegative) begin : gen_swap
      assign open[g] = gate[g] & (swap_i == Gate.value);
    end else if (Gate.guard == GuardInfinity) begin : gen_role
      assign open[g] = gate[g] & (role_i == Gate.value);
    end else begin : gen_always
      assign open[g] = gate[g];
    end
  end

  function automatic bit [NumGate-1:0] gates_of(int unsigned term);
    for (int unsigned g = 0; g < NumGate; g++) gates_of[g] = 32'(Gates[g].term) == term;
  endfunction

  logic [NumTerm-1:0] enable_d, enable_q;
  for (genvar t = 0; t < NumTerm; t++) begin : gen_term
    localparam bit [NumGate-1:0] Mine = gates_of(t);
    assign enable_d[t] = |(open & Mine);
  end

  // ------------------------------------------------------------------ the word executes
  localparam int unsigned DecodedW = $bits(control_t) + NumTerm;
  logic [DecodedW-1:0] decoded_d, decoded_q;
  logic run;
  assign run = active_q & ~abort_i;
  assign decoded_d = {control, enable_d} & {DecodedW{run}};
  assign decoded_q = {control_q, enable_q};

  function automatic logic [NumOdd-1:0] odd(logic [DecodedW-1:0] v);
    odd = '0;
    for (int unsigned i = 0; i < DecodedW; i++) odd[i%NumOdd] = odd[i%NumOdd] ^ v[i];
  endfunction

  // SEC_CM: WORD.PARITY: words, and what they are decoded to, have parities
  logic [NumOdd-1:0] odd_q;
  logic fault_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q <= '0;
      enable_q <= '0;
      odd_q <= '1;
      fault_q <= 1'b0;
    end else begin
      {control_q, enable_q} <= decoded_d;
      odd_q <= ~odd(decoded_d);
      fault_q <= (odd(decoded_q) != ~odd_q) | (active_q == check_q) | (active_q & (^word_i));
    end
  end
  assign fault_o = fault_q;

  assign next_o = control_q.next;
  assign read_o = control_q.read;
  assign enable_o = enable_q;
  assign moves_o = '{address: control_q.address, write: control_q.write, store: '0};
  assign take_o = control_q.take;

  logic unused_parity;
  assign unused_parity = parity;

  if (WordBits != 1 + $bits(control_t) + NumGate) begin : gen_bad
    $error("gfp_masked_control: WordBits is not what the words have");
  end

endmodule

`default_nettype wire
