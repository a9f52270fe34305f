// SPDX-License-Identifier: Apache-2.0
//
// Runs a program of ecsm_narrow_seq_pkg. It has the address, the flags, the repetition count and
// the position in the key.
//
// Parameters: M is the number of bits in a key.
//
// start_i starts at entry_i. The word that address_o selects in a cycle is on instr_i in the next.
// step_i: the current instruction makes a step in this cycle (otherwise it waits). first_o, last_o:
// this is the instruction's first or last step. OpTest sets a flag to zero_i. OpKey reads the bit
// of key_i that the counter selects. stop_o: the program ends in this cycle.
//
// The cycles of a program do not depend on its data: only OpLoop jumps, and it counts bits.
// Latency: one cycle for each instruction, more for OpPower, from the second cycle after start_i
// on.
`default_nettype none

module ecsm_narrow_seq
  import ecsm_narrow_seq_pkg::*;
#(
  parameter int unsigned M = 163
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic                  start_i,
  input  logic   [AddressW-1:0] entry_i,
  output logic   [AddressW-1:0] address_o,
  input  instr_t                instr_i,
  output logic                  active_o,
  input  logic                  step_i,
  output logic                  first_o,
  output logic                  last_o,
  output logic                  stop_o,
  input  logic                  zero_i,
  input  logic   [       M-1:0] key_i,
  output logic                  guard_a_o,
  output logic                  guard_b_o,
  output logic                  curve_o,
  output logic                  infinity_o
);

  // Number of the next bit of the key: M - 1 .. 0, then -1 and -2, whose bits are 0.
  localparam int unsigned IndexW = $clog2(M + 2);
  localparam int unsigned KeyW = 1 << IndexW;

  logic active_q;
  logic [AddressW-1:0] address_q;
  logic [AddressW-1:0] repeat_q;  // steps of the current instruction so far
  logic [FlagTrue-1:0] flag_q;
  logic [FlagTrue:0] flag;
  logic [IndexW-1:0] index_q;
  logic above_q;  // the bit above the next one

  logic bit_now, jump, unused_instr;
  assign unused_instr = ^{instr_i.wait_mul, instr_i.a, instr_i.b};
  logic [KeyW-1:0] key;
  assign key = KeyW'(key_i);
  assign bit_now = key[index_q];
  assign flag = {1'b1, flag_q};
  assign guard_a_o = flag[instr_i.guard_a.flag] ^ instr_i.guard_a.inverted;
  assign guard_b_o = flag[instr_i.guard_b.flag] ^ instr_i.guard_b.inverted;
  assign curve_o = flag_q[FlagCurve];
  assign infinity_o = flag_q[FlagInfinity];

  assign active_o = active_q;
  assign first_o = repeat_q == '0;
  assign last_o = instr_i.op != OpPower || repeat_q + AddressW'(1) == instr_i.arg;
  assign stop_o = active_q & step_i & (instr_i.op == OpStop);
  assign jump = instr_i.op == OpLoop && index_q != '1;

  always_comb begin
    address_o = address_q;
    if (active_q && step_i && last_o) address_o = jump ? instr_i.arg : address_q + AddressW'(1);
    if (start_i) address_o = entry_i;
  end

  logic set_flag, flag_d;
  always_comb begin
    set_flag = active_q & step_i;
    unique case (instr_i.op)
      OpTest:  flag_d = zero_i;
      OpLogic: flag_d = (guard_a_o & guard_b_o) ^ instr_i.arg[0];
      OpKey:   flag_d = bit_now ^ above_q;
      default: begin
        flag_d = 1'b0;
        set_flag = 1'b0;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      address_q <= '0;
      repeat_q <= '0;
      flag_q <= '0;
      index_q <= '0;
      above_q <= 1'b0;
    end else begin
      active_q <= (start_i | (active_q & ~stop_o)) & ~clear_i;
      address_q <= address_o;
      if (active_q && step_i) repeat_q <= last_o ? '0 : repeat_q + AddressW'(1);
      for (int unsigned i = 0; i < FlagTrue; i++) begin
        if (set_flag && 32'(instr_i.dst) == i) flag_q[i] <= flag_d;
      end
      if (active_q && step_i && instr_i.op == OpKey) begin
        index_q <= instr_i.arg[0] ? IndexW'(M - 1) : index_q - IndexW'(1);
        above_q <= bit_now & ~instr_i.arg[0];
      end
      if (start_i || stop_o || clear_i) begin
        repeat_q <= '0;
        flag_q   <= '0;
        above_q  <= 1'b0;
      end
    end
  end

endmodule

`default_nettype wire
