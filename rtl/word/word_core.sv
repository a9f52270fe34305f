// SPDX-License-Identifier: Apache-2.0
//
// The word engine: words move, not coordinates. A program of walks and orders computes with numbers
// of any length, modulo any odd number, in one multiplier of W bits.
//
//   request --> word_control --walks--> word_walk --slots--> addresses
//     input  -->  |                                              |
//                 +-- words ------> word_memory <----------------+
//                                    | a    | b        ^
//                                    v      v          | words of results
//                                   word_mac ----------+
//
// Number k begins with word k Stride of the memory, the lowest word first; the highest one is
// signed. What is behind a place is cleared by what stands beside it:
//
//   0            constants of walks, constants that are numbers   never
//   Fixed        keys, the state of masks                         reset, zeroize_i
//   FirstRandom  the random generator's state                     .. an answer without entropy
//   FirstWork    numbers of programs, decoys                      .. every answer
//   Depth - 32   scratch of walks                                 .. every answer
//
// An entry of a table of 16 constants that is not the digit's is written to a decoy, a number of
// its own.
//
// Latency: that of the program, the same for every secret (word_control), told in rsp_cycles_o. A
// slot's result can be read by the seventh slot after it.
// Input and output are strings of octets, in the order of the program: in_* and out_*, with port_o.
// Units outside get commands and tell conditions. zeroize_i aborts a job, which has no answer, and
// clears what it had.

`default_nettype none

module word_core
  import word_pkg::*;
#(
  parameter int unsigned W = 32,
  parameter bit Binary = 0,  // polynomials over GF(2) are numbers, too
  parameter int unsigned Depth = 1024,  // words of the memory
  parameter bit Loaded = 0,  // tables come from load_*, and not from parameters
  parameter bit OnePort = 0,  // .. and program and walks are in memories with one port (word_table)
  parameter bit Unsigned = 0,  // blocks multiply without signs (word_mac)
  parameter bit Full = 0,  // see word_control
  parameter int unsigned NumSlot = 4,
  parameter bit [NumSlot-1:0][SlotW-1:0] Slots = '0,
  parameter bit [2**WalkW-1:0][SlotAddressW-1:0] Starts = '0,
  parameter int unsigned NumWord = 2,
  parameter bit [NumWord-1:0][WordW-1:0] Words = '0,
  parameter int unsigned Stride = 16,  // words from a number to the next
  parameter int unsigned Key = 0,  // the number that stands for that of the key slot
  parameter int unsigned Decoys = 0,  // the first of 16 numbers: see walk_t; 0: there are none
  parameter int unsigned FirstRandom = 1,
  parameter int unsigned FirstWork = 1,
  parameter int unsigned Fixed = 1,  // words with initial values
  parameter bit [Fixed-1:0][W-1:0] Values = '0,
  parameter int unsigned TableStepW = 3,  // 2^TableStepW words from a table's number to the next
  parameter int unsigned NumTable = 2,  // words of the table of constants: numbers, see TableStepW
  parameter bit [NumTable-1:0][W-1:0] Table = '0,
  localparam int unsigned CycleW = 24
) (
  input logic clk_i,
  input logic rst_ni,
  input logic zeroize_i,
  input load_e load_i,  // while nothing runs
  input logic [LoadAddressW-1:0] load_address_i,
  input logic [LoadW-1:0] load_data_i,
  input logic no_entropy_i,
  input logic req_valid_i,
  output logic req_ready_o,
  input logic [5:0] req_op_i,
  input logic [KeySlotW-1:0] key_slot_i,  // of the job
  output logic clear_o,
  input logic hold_i,  // an output is on its way: nothing else begins
  input logic condition_i,
  output condition_e condition_o,
  output logic command_valid_o,
  output command_e command_o,
  output logic [PcW-1:0] argument_o,
  output port_e port_o,
  output logic windowed_o,  // see word_control
  input logic in_valid_i,
  output logic in_ready_o,
  output logic in_last_o,
  input logic [7:0] in_data_i,
  output logic out_valid_o,
  input logic out_ready_i,
  output logic out_last_o,
  output logic [7:0] out_data_o,
  output logic rsp_valid_o,
  input logic rsp_ready_i,
  output logic [3:0] rsp_status_o,
  output logic [CycleW-1:0] rsp_cycles_o
);

  localparam int unsigned AddressW = $clog2(Depth);
  localparam int unsigned NumDelay = 6;  // from a slot to its result
  localparam int unsigned TableW = $clog2(NumTable);
  localparam logic [AddressW-1:0] Scratch = AddressW'(Depth - 2 ** OffsetW);

  // Program and walks.
  logic walk_valid, walk_ready, walking, computing, working_q, flag_q;
  logic [1:0] valid_q;
  walk_t walk, current;
  logic [WalkW-1:0] walk_next;
  logic slot_valid;
  slot_t slot;
  logic write_word, clear, read_word;
  logic [W-1:0] word, a, b;
  logic [AddressW-1:0] first_d, first_a, first_b;
  // The digit's index and sign; what changes them, and the order of tables.
  logic [IndexW-1:0] index_q, turn_q;
  logic negative_q, sign_q;
  logic [DigitW-1:0] walk_times, times;
  logic constant;
  logic [NumberW-1:0] number_b;
  logic [AddressW-1:0] word_address;

  word_control #(
    .Depth(NumWord),
    .Words(Words),
    .Loaded(Loaded),
    .OnePort(OnePort),
    .Full(Full),
    .W(W),
    .AddressW(AddressW),
    .Stride(Stride),
    .FirstWork(FirstWork),
    .FirstRandom(FirstRandom),
    .FirstKept(Fixed),
    .CycleW(CycleW)
  ) u_control (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(zeroize_i),
    .load_i(load_i),
    .load_address_i(load_address_i),
    .load_data_i(load_data_i),
    .no_entropy_i(no_entropy_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_op_i(req_op_i),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_status_o(rsp_status_o),
    .rsp_cycles_o(rsp_cycles_o),
    .busy_i(walking | working_q | hold_i),
    .walk_valid_o(walk_valid),
    .walk_o(walk),
    .walk_next_o(walk_next),
    .walk_times_o(walk_times),
    .walk_ready_i(walk_ready),
    .flag_i(flag_q),
    .condition_i(condition_i),
    .condition_o(condition_o),
    .command_valid_o(command_valid_o),
    .command_o(command_o),
    .argument_o(argument_o),
    .port_o(port_o),
    .windowed_o(windowed_o),
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready_o),
    .in_last_o(in_last_o),
    .in_data_i(in_data_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_last_o(out_last_o),
    .out_data_o(out_data_o),
    .write_o(write_word),
    .clear_o(clear),
    .read_o(read_word),
    .address_o(word_address),
    .word_o(word),
    .word_i(a)
  );
  assign clear_o = clear;

  word_walk #(
    .Depth(NumSlot),
    .Slots(Slots),
    .Starts(Starts),
    .Loaded(Loaded),
    .OnePort(OnePort),
    .AddressW(AddressW),
    .Stride(Stride),
    .Key(Key)
  ) u_walk (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(clear),
    .load_i(load_i),
    .load_address_i(load_address_i),
    .load_data_i(load_data_i),
    .key_slot_i(key_slot_i),
    .turn_i(turn_q),
    .turn_sign_i(sign_q),
    .index_i(index_q),
    .walk_valid_i(walk_valid),
    .walk_i(walk),
    .walk_next_i(walk_next),
    .times_i(walk_times),
    .walk_ready_o(walk_ready),
    .busy_o(walking),
    .valid_o(slot_valid),
    .slot_o(slot),
    .walk_o(current),
    .times_o(times),
    .constant_o(constant),
    .number_b_o(number_b),
    .first_d_o(first_d),
    .first_a_o(first_a),
    .first_b_o(first_b)
  );

  // Memory. What a slot's result needs goes along with it.
  logic mac_write, mac_last, mac_negative, mac_zero, serial;
  logic [W-1:0] mac_word;
  logic [DigitW-1:0] digit;
  logic other;  // an entry of a table that is not that of the digit is written
  logic [AddressW-1:0] away_q;  // .. there
  logic [NumDelay-1:0][AddressW-1:0] to_q;
  logic [NumDelay-1:0][OffsetW-1:0] offset_q;
  logic [NumDelay-1:0][1:0] capture_q;
  logic [AddressW-1:0] address_a, address_b;
  assign address_a = (read_word ? word_address : slot.scratch_a ? Scratch : first_a)
      + AddressW'(read_word ? '0 : slot.offset_a);
  assign address_b = (slot.const_b ? '0 : first_b) + AddressW'(slot.offset_b);

  // A constant that comes from the host, where none is in the memory from the beginning.
  logic load_word;
  logic [AddressW-1:0] write_address;
  logic [W-1:0] written;
  assign load_word = Loaded && load_i == LoadMemory;
  always_comb begin
    write_address = write_word ? word_address : to_q[NumDelay-1];
    if (mac_write && other && !clear) write_address = away_q;
    written = clear ? '0 : mac_write ? mac_word : word;
    if (load_word) write_address = AddressW'(load_address_i);
    if (Loaded && load_i != LoadNone) written = W'(load_data_i);
  end

  word_memory #(
    .W(W),
    .Depth(Depth),
    .Fixed(Fixed),
    .Values(Values),
    .NumTable(NumTable),
    .Table(Table)
  ) u_memory (
    .clk_i(clk_i),
    .we_i(mac_write | write_word | load_word),
    .address_i(write_address),
    .data_i(written),
    .address_a_i(address_a),
    .address_b_i(address_b),
    .load_i(Loaded && load_i == LoadTable),
    .load_address_i(TableW'(load_address_i)),
    .constant_i(constant && !slot.const_b),
    .none_i(|(slot.offset_b >> TableStepW)),
    .table_i((TableW'(number_b[NumberW-2:0]) << TableStepW) | TableW'(slot.offset_b)),
    .a_o(a),
    .b_o(b)
  );

  // A slot and its walk wait for their operands.
  slot_t [1:0] slot_q;
  mask_e mask_q;
  logic decoy_q;
  logic [DigitW-1:0] immediate_q, times_q;
  always_ff @(posedge clk_i) begin
    valid_q <= clear ? '0 : {valid_q[0], slot_valid};
    working_q <= slot_valid | (|valid_q) | computing;  // to the cycle after the last result
    slot_q <= {slot_q[0], slot};
    mask_q <= current.mask;
    immediate_q <= current.immediate;
    decoy_q <= current.b[NumberW-1];
    times_q <= times;
    to_q <= {
      to_q[NumDelay-2:0],
      (slot.mac.to_scratch ? Scratch : first_d) + AddressW'(slot.to)
    };
    offset_q <= {offset_q[NumDelay-2:0], slot.to};
    capture_q <= {capture_q[NumDelay-2:0], current.capture};
  end

  // Masks of sums, by the flag. They are there with the operands.
  logic mask_a_q, mask_b_q, subtract_q;
  always_ff @(posedge clk_i) begin
    mask_a_q   <= 1'b1;
    mask_b_q   <= 1'b1;
    subtract_q <= slot_q[0].subtract;
    if (slot_q[0].mac.sum && mask_q == MaskChoose) begin
      mask_a_q <= ~flag_q;
      mask_b_q <= flag_q;
    end
  end

  // Of a table, all entries are read, and move through the datapath alike. Whether one is that of
  // the digit is asked for when its words are written, and no register has the answer.
  typedef struct packed {
    logic whole;  // all entries are read
    logic sign;  // .. of two, by the sign
    logic wide;  // .. of 16
    logic decoy;  // an entry for nothing has a number of its own
    logic [DigitW-1:0] times;
  } pick_t;
  pick_t [4:0] pick_q;  // from the operands to the word
  logic [IndexW-1:0] differs;
  always_ff @(posedge clk_i) begin
    pick_q <= {
      pick_q[3:0],
      pick_t'({
        mask_q == MaskSign || (mask_q == MaskPick && immediate_q[0]),
        mask_q == MaskSign,
        immediate_q[DigitW-1],
        Decoys != 0 && immediate_q[DigitW-1] && decoy_q,
        times_q
      })
    };
    away_q <= Scratch | AddressW'(offset_q[NumDelay-2]);
    if (pick_q[3].decoy) begin
      away_q <= AddressW'(first_word(NumberW'(Decoys) + NumberW'(pick_q[3].times), 8'(Stride))) +
          AddressW'(offset_q[NumDelay-2]);
    end
  end
  always_comb begin
    differs = pick_q[4].times ^ index_q;
    differs[IndexW-1] &= pick_q[4].wide;
    if (pick_q[4].sign) differs = IndexW'(pick_q[4].times[0] ^ negative_q);
    other = pick_q[4].whole && differs != '0;
  end

  word_mac #(
    .W(W),
    .Binary(Binary),
    .Unsigned(Unsigned)
  ) u_mac (
    .clk_i(clk_i),
    .clear_i(clear),
    .valid_i(valid_q[1]),
    .slot_i(slot_q[1].mac),
    .mask_a_i(mask_a_q),
    .mask_b_i(mask_b_q),
    .subtract_i(subtract_q),
    .a_i(a),
    .b_i(b),
    .busy_o(computing),
    .write_o(mac_write),
    .last_o(mac_last),
    .negative_o(mac_negative),
    .zero_o(mac_zero),
    .digit_o(digit),
    .serial_o(serial),
    .word_o(mac_word)
  );

  logic unused;
  assign unused = ^{current.drained, current.walk, current.d, current.a, current.b, number_b};

  // Random bits change the order of a table's entries and the sign of a digit, so that neither is
  // told by what is done.
  logic [IndexW:0] random;
  word_random #(
    .NumBit(IndexW + 1)
  ) u_random (
    .clk_i(clk_i),
    .clear_i(clear),
    .seed_valid_i(out_valid_o && out_ready_i && port_o == PortMask),
    .seed_i(out_data_o),
    .bits_o(random)
  );

  // Flag and digit. A digit of four bits is one of five: 2 b - 15 = 2 (b + 8) - 31. Random bits
  // change it, and the same ones are kept beside it.
  logic [IndexW:0] digit_q, random_digit_q;
  always_ff @(posedge clk_i) begin
    if (clear) begin
      flag_q <= 1'b0;
      digit_q <= '0;
      random_digit_q <= '0;
    end else if (mac_last) begin
      unique case (capture_e'(capture_q[NumDelay-1]))
        CaptureSign: flag_q <= mac_negative;
        CaptureZero: flag_q <= mac_zero;
        CaptureDigit: begin
          if (serial) begin
            digit_q <= {digit_q[IndexW-1:0], digit[0] ^ random[0]};
            random_digit_q <= {random_digit_q[IndexW-1:0], random[0]};
          end else begin
            digit_q <= {digit[3], ~digit[3], digit[2:0]} ^ random;
            random_digit_q <= random;
          end
        end
        default: ;
      endcase
    end
  end

  // Its index and its sign a cycle later, with what changes them.
  always_ff @(posedge clk_i) begin
    index_q <= digit_q[IndexW-1:0] ^ {IndexW{~digit_q[IndexW]}};
    turn_q <= random_digit_q[IndexW-1:0] ^ {IndexW{random_digit_q[IndexW]}};
    negative_q <= ~digit_q[IndexW];
    sign_q <= random_digit_q[IndexW];
  end

endmodule

`default_nettype wire
