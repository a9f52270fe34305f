// SPDX-License-Identifier: Apache-2.0
//
// Walks through the table of slots, one slot a cycle, walk after walk without a gap.
//
//   walk_i (start from the directory) --> [next_q] --> [table] --> [read_q] --> [slot_q] --> slot_o
//                                         walk_q, where its numbers begin --> walk_o, first_*_o
//
// A walk ends two slots after its slot with `turn`. If walk_valid_i is high in the cycle in which
// that slot is on slot_o, the next walk follows at once; else the table rests.
//
// Latency: walk_valid_i and walk_ready_o in cycle t, the walk's first slot on slot_o in cycle
// t + 3. Range: a walk has three slots or more. abort_i forgets every walk, and the addresses are 0
// then. The numbers Key and Key + 4 stand for those of the slot. Of a walk with MaskPick, the right
// operand is entry times_i of its table, in an order that turn_i changes; or, of one that reads one
// entry only, that of index_i, which turn_i has changed, too.

`default_nettype none

module word_walk
  import word_pkg::*;
#(
  parameter int unsigned Depth = 4,  // slots of all walks
  parameter bit [Depth-1:0][SlotW-1:0] Slots = '0,
  parameter bit [2**WalkW-1:0][SlotAddressW-1:0] Starts = '0,
  parameter bit Loaded = 0,  // slots and starts come from load_*
  parameter bit OnePort = 0,  // .. slots into word_table, starts into a block RAM
  parameter int unsigned AddressW = 10,  // of the memory
  parameter int unsigned Stride = 16,  // words from a number to the next
  parameter int unsigned Key = 0,  // a multiple of 8; 0: there are no slots
  localparam int unsigned TableW = $clog2(Depth)
) (
  input logic clk_i,
  input logic rst_ni,
  input logic abort_i,
  input load_e load_i,  // of LoadSlot, LoadStart, while nothing runs
  // Slots are narrower than what is loaded.
  // verilator lint_off UNUSEDSIGNAL
  input logic [LoadAddressW-1:0] load_address_i,
  input logic [LoadW-1:0] load_data_i,
  // verilator lint_on UNUSEDSIGNAL
  input logic [KeySlotW-1:0] key_slot_i,
  input logic [IndexW-1:0] turn_i,  // of a table's entries
  input logic turn_sign_i,  // .. of one of two
  input logic [IndexW-1:0] index_i,
  input logic walk_valid_i,
  input walk_t walk_i,
  input logic [WalkW-1:0] walk_next_i,  // the walk of walk_i in the next cycle
  input logic [DigitW-1:0] times_i,
  output logic walk_ready_o,
  output logic busy_o,
  output logic valid_o,
  output slot_t slot_o,
  output walk_t walk_o,
  output logic [DigitW-1:0] times_o,
  output logic constant_o,  // the right operand is from the table of constants
  output logic [NumberW-1:0] number_b_o,  // .. with this number
  output logic [AddressW-1:0] first_d_o,  // addresses
  output logic [AddressW-1:0] first_a_o,
  output logic [AddressW-1:0] first_b_o
);

  function automatic logic [AddressW-1:0] first(logic [NumberW-1:0] number,
                                                logic [KeySlotW-1:0] key_slot);
    logic slot;
    slot = Key != 0 && (number & ~NumberW'(2 ** KeySlotW)) == NumberW'(Key);
    return AddressW'(first_word(number | NumberW'(slot ? key_slot : '0), 8'(Stride)));
  endfunction

  logic [TableW-1:0] start, next_q;
  slot_t read_q;

  if (OnePort) begin : gen_table
    word_table #(
      .Width(SlotW),
      .Depth(2 ** TableW)
    ) u_slots (
      .clk_i(clk_i),
      .load_i(load_i == LoadSlot),
      .load_address_i(load_address_i[TableW-1:0]),
      .load_data_i(load_data_i[SlotW-1:0]),
      .address_i(next_q),
      .data_o(read_q)
    );
    logic unused_load;
    assign unused_load = ^{load_address_i, load_data_i};
  end else begin : gen_memory
    (* no_rw_check *) logic [SlotW-1:0] slots[2**TableW];
    initial begin
      for (int unsigned i = 0; i < 2 ** TableW; i++) slots[i] = (i < Depth) ? Slots[i] : '0;
    end
    always_ff @(posedge clk_i) read_q <= slot_t'(slots[next_q]);
    if (Loaded) begin : gen_slots
      always_ff @(posedge clk_i) begin
        if (load_i == LoadSlot) slots[load_address_i[TableW-1:0]] <= load_data_i[SlotW-1:0];
      end
    end
  end

  if (OnePort) begin : gen_starts
    (* ram_style = "block", no_rw_check *) logic [TableW-1:0] starts[2**WalkW];
    logic [TableW-1:0] start_q;
    always_ff @(posedge clk_i) begin
      if (load_i == LoadStart) starts[load_address_i[WalkW-1:0]] <= load_data_i[TableW-1:0];
      start_q <= starts[walk_next_i];
    end
    assign start = start_q;
  end else if (Loaded) begin : gen_load
    logic [TableW-1:0] starts[2**WalkW];
    initial begin
      for (int unsigned i = 0; i < 2 ** WalkW; i++) starts[i] = '0;
    end
    always_ff @(posedge clk_i) begin
      if (load_i == LoadStart) starts[load_address_i[WalkW-1:0]] <= load_data_i[TableW-1:0];
    end
    assign start = starts[walk_i.walk];
    logic unused_next;
    assign unused_next = ^walk_next_i;
  end else begin : gen_constant
    logic unused_load;
    assign unused_load = ^{load_i, load_address_i, load_data_i, walk_next_i};
    assign start = TableW'(Starts[walk_i.walk]);
  end

  logic going_q, read_valid_q, slot_valid_q;
  slot_t slot_q;
  walk_t held_q, walk_q;
  logic [DigitW-1:0] held_times_q, times_q;
  logic [NumberW-1:0] held_b_q, number_b_q;
  logic [IndexW-1:0] entry;
  logic constant_q, picks, constants;
  logic [AddressW-1:0] first_d_q, first_a_q, first_b_q;
  logic [1:0] begin_q;  // of a walk: its first slot's address, its first slot
  logic turn, starts;

  assign turn = slot_valid_q & slot_q.turn;
  assign walk_ready_o = turn | ~going_q;
  assign starts = walk_valid_i & walk_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      going_q <= 1'b0;
      read_valid_q <= 1'b0;
      slot_valid_q <= 1'b0;
    end else if (abort_i) begin
      going_q <= 1'b0;
      read_valid_q <= 1'b0;
      slot_valid_q <= 1'b0;
    end else begin
      if (starts) going_q <= 1'b1;
      else if (turn) going_q <= 1'b0;
      read_valid_q <= going_q;
      slot_valid_q <= read_valid_q;
    end
  end

  assign picks = held_q.mask inside {MaskPick, MaskSign};
  assign constants = picks && held_q.immediate[DigitW-1];  // the memory reads the first ones
  always_comb begin
    entry = turn_i ^ held_times_q;
    if (!held_q.immediate[0]) entry = turn_i ^ index_i;
    entry[IndexW-1] &= held_q.immediate[DigitW-1];  // of 8 entries
    if (held_q.mask == MaskSign) entry = IndexW'(turn_sign_i ^ held_times_q[0]);
  end

  always_ff @(posedge clk_i) begin
    slot_q <= read_q;
    if (starts) begin
      next_q <= start;
      held_q <= walk_i;
      held_times_q <= times_i;
    end else begin
      next_q <= next_q + TableW'(1);
    end
    begin_q <= {begin_q[0], starts};
    held_b_q <= held_q.b | NumberW'(picks ? entry : '0);
    if (begin_q[1]) begin
      walk_q <= held_q;
      times_q <= held_times_q;
      number_b_q <= held_b_q;
    end
    if (abort_i) begin
      constant_q <= 1'b0;
      first_d_q <= '0;
      first_a_q <= '0;
      first_b_q <= '0;
    end else if (begin_q[1]) begin
      first_d_q <= first(held_q.d, key_slot_i);
      first_a_q <= first(held_q.a, key_slot_i);
      first_b_q <= constants ? '0 : first(held_b_q, key_slot_i);
      constant_q <= constants;
    end
  end

  assign busy_o = going_q | read_valid_q | slot_valid_q;
  assign valid_o = slot_valid_q;
  assign slot_o = slot_q;
  assign walk_o = walk_q;
  assign times_o = times_q;
  assign constant_o = constant_q;
  assign number_b_o = number_b_q;
  assign first_d_o = first_d_q;
  assign first_a_o = first_a_q;
  assign first_b_o = first_b_q;

endmodule

`default_nettype wire
