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
// A number is some words at a multiple of 2^StrideW, the lowest first; the highest one is signed.
// Numbers 0 and 1 are the constants of the walks, number 2 is their scratch.
//
// Latency: that of the program, the same for every secret (word_control), told in rsp_cycles_o. A
// slot's result can be read by the seventh slot after it.
// Input and output are words of numbers, in the order of the program. zeroize_i aborts a job, which
// has no answer, and clears what it had.

`default_nettype none

module word_core
  import word_pkg::*;
#(
  parameter int unsigned W = 32,
  parameter int unsigned Depth = 1024,  // words of the memory
  parameter int unsigned NumSlot = 4,
  parameter bit [NumSlot-1:0][SlotW-1:0] Slots = '0,
  parameter bit [2**WalkW-1:0][SlotAddressW-1:0] Starts = '0,
  parameter int unsigned NumWord = 2,
  parameter bit [NumWord-1:0][WordW-1:0] Words = '0,
  parameter int unsigned Fixed = 1,  // words with initial values, a multiple of 2^StrideW
  parameter bit [Fixed-1:0][W-1:0] Values = '0,
  localparam int unsigned CycleW = 24
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              zeroize_i,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [       3:0] req_op_i,
  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [     W-1:0] in_data_i,
  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [     W-1:0] out_data_o,
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [       3:0] rsp_status_o,
  output logic [CycleW-1:0] rsp_cycles_o
);

  localparam int unsigned AddressW = $clog2(Depth);
  localparam int unsigned NumDelay = 6;  // from a slot to its result
  localparam logic [NumberW-1:0] Scratch = NumberW'(2);

  function automatic logic [AddressW-1:0] address(logic [NumberW-1:0] number,
                                                  logic [OffsetW-1:0] offset);
    return AddressW'({number, StrideW'(0)}) + AddressW'(offset);
  endfunction

  // Program and walks.
  logic walk_valid, walk_ready, walking, computing, settling_q, flag_q;
  logic [1:0] valid_q;
  walk_t walk, current;
  logic slot_valid;
  slot_t slot;
  logic write_word, clear, read_word;
  logic [AddressW-1:0] word_address;

  word_control #(
    .Depth(NumWord),
    .Words(Words),
    .AddressW(AddressW),
    .FirstWork(Fixed),
    .CycleW(CycleW)
  ) u_control (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(zeroize_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_op_i(req_op_i),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_status_o(rsp_status_o),
    .rsp_cycles_o(rsp_cycles_o),
    .busy_i(walking | (|valid_q) | computing | settling_q),
    .walk_valid_o(walk_valid),
    .walk_o(walk),
    .walk_ready_i(walk_ready),
    .flag_i(flag_q),
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready_o),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .write_o(write_word),
    .clear_o(clear),
    .read_o(read_word),
    .address_o(word_address)
  );

  word_walk #(
    .Depth(NumSlot),
    .Slots(Slots),
    .Starts(Starts)
  ) u_walk (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .abort_i(clear),
    .walk_valid_i(walk_valid),
    .walk_i(walk),
    .walk_ready_o(walk_ready),
    .busy_o(walking),
    .valid_o(slot_valid),
    .slot_o(slot),
    .walk_o(current)
  );

  // Memory. What a slot's result needs goes along with it.
  logic mac_write, mac_last, mac_negative, mac_zero;
  logic [W-1:0] mac_word, a, b;
  logic [NumDelay-1:0][AddressW-1:0] to_q;
  logic [NumDelay-1:0][1:0] capture_q;
  logic [AddressW-1:0] address_a, address_b;
  assign address_a = read_word ? word_address
      : address(slot.scratch_a ? Scratch : current.a, slot.offset_a);
  assign address_b = address(slot.const_b ? '0 : current.b, slot.offset_b);

  word_memory #(
    .W(W),
    .Depth(Depth),
    .Fixed(Fixed),
    .Values(Values)
  ) u_memory (
    .clk_i(clk_i),
    .clear_i(clear),
    .we_i(mac_write | write_word),
    .address_i(write_word ? word_address : to_q[NumDelay-1]),
    .data_i(mac_write ? mac_word : clear ? '0 : in_data_i),
    .address_a_i(address_a),
    .address_b_i(address_b),
    .a_o(a),
    .b_o(b)
  );
  assign out_data_o = out_valid_o ? a : '0;

  // A slot and its walk wait for their operands.
  slot_t [1:0] slot_q;
  mask_e mask_q;
  logic [DigitW-1:0] immediate_q;
  always_ff @(posedge clk_i) begin
    valid_q <= clear ? '0 : {valid_q[0], slot_valid};
    settling_q <= computing;
    slot_q <= {slot_q[0], slot};
    mask_q <= current.mask;
    immediate_q <= current.immediate;
    to_q <= {to_q[NumDelay-2:0], address(slot.mac.to_scratch ? Scratch : current.d, slot.to)};
    capture_q <= {capture_q[NumDelay-2:0], current.capture};
  end

  // Masks of sums: by the digit, by the flag. They are registered when the operands are.
  logic [DigitW-1:0] magnitude_q;
  logic negative_q, mask_a_q, mask_b_q, subtract_q;
  always_ff @(posedge clk_i) begin
    mask_a_q   <= ~(mask_q == MaskChoose & flag_q);
    mask_b_q   <= 1'b1;
    subtract_q <= slot_q[0].subtract;
    unique case (mask_q)
      MaskPick: mask_b_q <= magnitude_q == immediate_q;
      MaskChoose: mask_b_q <= flag_q;
      MaskSign: subtract_q <= negative_q;
      default: ;
    endcase
  end

  word_mac #(
    .W(W)
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
    .word_o(mac_word)
  );

  logic unused;
  assign unused = ^{current.drained, current.walk};

  // Flag and digit. A digit is its bits less half their range.
  logic signed [DigitW:0] digit;
  assign digit = (DigitW + 1)'(mac_word[DigitW-1:0]) - (DigitW + 1)'(2 ** (DigitW - 1));
  always_ff @(posedge clk_i) begin
    if (clear) begin
      flag_q <= 1'b0;
      magnitude_q <= '0;
      negative_q <= 1'b0;
    end else if (mac_last) begin
      unique case (capture_e'(capture_q[NumDelay-1]))
        CaptureSign: flag_q <= mac_negative;
        CaptureZero: flag_q <= mac_zero;
        CaptureDigit: begin
          magnitude_q <= digit[DigitW] ? DigitW'(-digit) : DigitW'(digit);
          negative_q  <= digit[DigitW];
        end
        default: ;
      endcase
    end
  end

endmodule

`default_nettype wire
