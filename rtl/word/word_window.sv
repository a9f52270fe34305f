// SPDX-License-Identifier: Apache-2.0
//
// Strings of any length on the word engine: counts the octets of the host's strings, and lets those
// of an output pass that are in a window of it. A program sends whole blocks; what is not in the
// window is dropped.
//
//   to_* (indexed orders and parts) --> [ position in the window? ] --> pass_o, data_o, last_o
//
//   command_*   text_t of word_pkg. The window opens with it, at the first octet, or a string
//               begins
//   counts_i    an octet of the host's string moves; over_i: the string has ended
//   moves_i     an octet of to_* moves (it is taken or dropped)
//   decrypted_* octets of AES that move: the last ones are the padding
//   hashes_i    an octet moves to the hash; hash_start_i: a digest begins
//   empty_o     the window is one of an empty string, to the host (count is not 0). A string whose
//               length has wrapped is none
//   done_o      nothing passes any more (but WindowTail); padding_o: what was decrypted is empty,
//               no whole blocks, or not padded as PKCS #7 has it; aligned_o: the hash's position in
//               its block is 56
//   bits_*      eight octets: how many bits the hash has got
//   clear_i     zeroes all
//
// Lengths are modulo 4096 octets, those of a hash below 2^32 octets. Latency: octets pass at once;
// a command, or a length that has grown, counts from the fourth cycle on.

`default_nettype none

module word_window
  import word_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        command_valid_i,
  input  text_t       command_i,
  output logic        begins_o,
  output logic        empty_o,
  input  logic        counts_i,
  input  logic        over_i,
  input  logic        windowed_i,
  input  logic        moves_i,
  input  logic        last_i,
  input  logic  [7:0] data_i,
  output logic        pass_o,
  output logic        last_o,
  output logic  [7:0] data_o,
  input  logic        decrypted_valid_i,
  input  logic  [7:0] decrypted_i,
  input  logic        hash_start_i,
  input  logic        hashes_i,
  input  logic        bits_ready_i,
  output logic  [7:0] bits_data_o,
  output logic        done_o,
  output logic        padding_o,
  output logic        aligned_o
);

  localparam int unsigned LengthW = 12;
  typedef logic [LengthW-1:0] length_t;

  logic counted_q;  // which length counts
  length_t [1:0] length_q;
  logic [1:0] wrapped_q;  // 4096 octets or more have been counted
  length_t position_q, after_q, length, length_now_q, limit, limit_q;
  window_e kind_q;
  logic open_q, second_q, on, at_end_q, counting, advances, fills, filled_q;
  logic [5:0] left_q;
  logic [7:0] octet_q;  // the last one that was decrypted
  logic [4:0] run_q;  // .. and how many are like it, to 16
  logic [31:0] hashed_q;
  logic [2:0] bits_q;

  assign on = open_q && windowed_i;
  assign length = length_q[second_q];
  always_comb begin
    unique case (kind_q)
      WindowPad: limit = {length[LengthW-1:4] + (LengthW - 4)'(1), 4'd0};
      WindowUnpad: limit = length - length_t'(octet_q);
      default: limit = length;
    endcase
  end
  assign counting = kind_q == WindowTail && at_end_q;  // behind the string
  assign advances = on && moves_i && !at_end_q;
  assign fills = filled_q || position_q == length_now_q;

  assign begins_o = command_valid_i && command_i.begins;
  assign pass_o = !on || (counting ? left_q != '0 : !at_end_q && kind_q != WindowTail);
  assign last_o = on ? over_i && after_q == limit_q : last_i;
  always_comb begin
    data_o = data_i;
    if (on && kind_q == WindowPad && fills) begin
      data_o = {3'd0, 5'd16 - 5'(length_now_q[3:0])};
    end
  end
  assign done_o = at_end_q;
  assign padding_o = length[3:0] != '0 || length == '0 || octet_q == '0 || octet_q > 8'd16 ||
      8'(run_q) < octet_q;
  assign aligned_o = hashed_q[5:0] == 6'd56;

  // The command's limit is there two cycles later.
  logic [1:0] asks_q;
  assign empty_o = asks_q[1] && limit_q == '0 && !wrapped_q[second_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counted_q <= 1'b0;
      length_q <= '0;
      wrapped_q <= '0;
      position_q <= '0;
      kind_q <= WindowText;
      open_q <= 1'b0;
      second_q <= 1'b0;
      left_q <= '0;
      octet_q <= '0;
      run_q <= '0;
      hashed_q <= '0;
      bits_q <= '0;
      asks_q <= '0;
      after_q <= '0;
      length_now_q <= '0;
      limit_q <= '0;
      at_end_q <= 1'b0;
      filled_q <= 1'b0;
    end else if (clear_i) begin
      counted_q <= 1'b0;
      length_q <= '0;
      wrapped_q <= '0;
      position_q <= '0;
      kind_q <= WindowText;
      open_q <= 1'b0;
      second_q <= 1'b0;
      left_q <= '0;
      octet_q <= '0;
      run_q <= '0;
      hashed_q <= '0;
      bits_q <= '0;
      asks_q <= '0;
      after_q <= '0;
      length_now_q <= '0;
      limit_q <= '0;
      at_end_q <= 1'b0;
      filled_q <= 1'b0;
    end else begin
      asks_q <= {
        asks_q[0],
        command_valid_i && !command_i.begins && command_i.kind != WindowTail &&
            command_i.count != '0
      };
      length_now_q <= length;
      limit_q <= limit;
      at_end_q <= advances ? after_q == limit_q : position_q == limit_q;
      if (advances && fills) filled_q <= 1'b1;
      if (counts_i) begin
        length_q[counted_q] <= length_q[counted_q] + length_t'(1);
        if (&length_q[counted_q]) wrapped_q[counted_q] <= 1'b1;
      end
      if (on && moves_i) begin
        if (!at_end_q) begin
          position_q <= after_q;
          after_q <= after_q + length_t'(1);
        end else if (counting && left_q != '0) left_q <= left_q - 6'd1;
      end
      if (command_valid_i && command_i.begins) begin
        counted_q <= command_i.second;
        length_q[command_i.second] <= '0;
        wrapped_q[command_i.second] <= 1'b0;
      end
      if (command_valid_i && !command_i.begins) begin
        position_q <= '0;
        after_q <= length_t'(1);
        filled_q <= 1'b0;
        kind_q <= command_i.kind;
        open_q <= command_i.open;
        second_q <= command_i.second;
        left_q <= command_i.count;
      end
      if (decrypted_valid_i) begin
        octet_q <= decrypted_i;
        if (decrypted_i != octet_q) run_q <= 5'd1;
        else if (!run_q[4]) run_q <= run_q + 5'd1;
      end
      if (hash_start_i) hashed_q <= '0;
      else if (hashes_i) hashed_q <= hashed_q + 32'd1;
      if (bits_ready_i) bits_q <= bits_q + 3'd1;
    end
  end

  always_comb begin
    unique case (bits_q)
      3'd3: bits_data_o = {5'd0, hashed_q[31:29]};
      3'd4: bits_data_o = hashed_q[28:21];
      3'd5: bits_data_o = hashed_q[20:13];
      3'd6: bits_data_o = hashed_q[12:5];
      3'd7: bits_data_o = {hashed_q[4:0], 3'd0};
      default: bits_data_o = '0;
    endcase
  end

endmodule

`default_nettype wire
