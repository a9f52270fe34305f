// SPDX-License-Identifier: Apache-2.0
//
// The path of strings in the scheme machine. It has the memory and the host ports. The channel
// (scheme_channel) moves a string between any two places. The drain (scheme_drain) moves the output
// of AES at the same time, while the channel feeds AES.
//
//   in_*, from_* ---------> scheme_channel ----+--------------> to_*
//                            ^ read            | ToMemory, ToHost
//                       scheme_memory <--------+----------+---> out_*
//                            ^                            |
//   from_*[FromAes] --> scheme_drain ---------------------+
//
// Parameters: FirstWork is the first word of memory after the key slots.
//
// start_i (with channel_ready_o) begins move_i in the channel, start_drain_i (with drain_ready_o)
// in the drain. The channel must not write to memory while the drain does; at out_* the drain goes
// first. from_* and to_* are the streams of the units, by from_e and to_e; the entries of memory,
// host and nothing are not used. target_o, origin_o, length_o describe the present move for the
// units (scheme_channel). key_address_i is the address of the key slot. in_* and out_* are the
// host's strings. differs_o, forget_i, malformed_o are as in scheme_channel, constant_* as in
// scheme_memory. clear_i ends all moves and zeroes everything outside the key slots; zeroize_i
// zeroes the slots too. ready_o is low until this is done. Latency: that of scheme_channel and
// scheme_drain.

`default_nettype none

module scheme_strings
  import scheme_pkg::*;
#(
  parameter int unsigned FirstWork = 128
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 zeroize_i,
  output logic                 ready_o,
  input  logic                 start_i,
  output logic                 channel_ready_o,
  input  logic                 start_drain_i,
  output logic                 drain_ready_o,
  input  move_t                move_i,
  input  logic  [AddressW-1:0] key_address_i,
  input  logic                 forget_i,
  output logic                 differs_o,
  output logic                 malformed_o,
  // Units.
  input  logic  [ NumFrom-1:0] from_valid_i,
  output logic  [ NumFrom-1:0] from_ready_o,
  input  logic  [       W-1:0] from_data_i       [NumFrom],
  input  logic  [  BytesW-1:0] from_bytes_i      [NumFrom],
  input  logic  [ NumFrom-1:0] from_last_i,
  output logic  [   NumTo-1:0] to_valid_o,
  input  logic  [   NumTo-1:0] to_ready_i,
  output logic  [       W-1:0] to_data_o,
  output logic  [  BytesW-1:0] to_bytes_o,
  output logic                 to_last_o,
  output logic  [AddressW-1:0] target_o,
  output logic  [AddressW-1:0] origin_o,
  output logic  [ OctetsW-1:0] length_o,
  // The host.
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic  [       W-1:0] in_data_i,
  input  logic  [  BytesW-1:0] in_bytes_i,
  input  logic                 in_last_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic  [       W-1:0] out_data_o,
  output logic  [  BytesW-1:0] out_bytes_o,
  output logic                 out_last_o,
  output logic  [AddressW-2:0] constant_address_o,
  input  logic  [       W-1:0] constant_i
);

  logic wipe;
  assign wipe = clear_i || zeroize_i;

  // ------------------------------------------------------------------ channel
  logic [NumFrom-1:0] from_valid, from_ready, from_last;
  logic [W-1:0] from_data[NumFrom];
  logic [BytesW-1:0] from_bytes[NumFrom];
  logic [NumTo-1:0] to_ready;
  logic read;
  logic [W-1:0] read_data;
  logic [AddressW-1:0] read_address;

  logic drain_write, drain_host, drain_last, aes_taken;
  logic drain_kept;
  logic [OctetsW-1:0] drain_length;
  logic [AddressW-1:0] drain_target;
  logic [W-1:0] drain_data;
  logic [BytesW-1:0] drain_bytes;

  always_comb begin
    from_valid = from_valid_i;
    from_last = from_last_i;
    from_data = from_data_i;
    from_bytes = from_bytes_i;
    from_valid[FromMemory] = 1'b0;
    from_last[FromMemory] = 1'b0;
    from_data[FromMemory] = '0;
    from_bytes[FromMemory] = '0;
    from_valid[FromHost] = in_valid_i;
    from_last[FromHost] = in_last_i;
    from_data[FromHost] = in_data_i;
    from_bytes[FromHost] = in_bytes_i;
    from_ready_o = from_ready;
    from_ready_o[FromAes] = aes_taken;
    to_ready = to_ready_i;
    to_ready[ToMemory] = 1'b1;
    to_ready[ToNothing] = 1'b1;
    to_ready[ToHost] = out_ready_i && !drain_host;
  end

  scheme_channel u_channel (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .start_i(start_i),
    .move_i(move_i),
    .ready_o(channel_ready_o),
    .key_i(key_address_i),
    .from_valid_i(from_valid),
    .from_ready_o(from_ready),
    .from_data_i(from_data),
    .from_bytes_i(from_bytes),
    .from_last_i(from_last),
    .to_valid_o(to_valid_o),
    .to_ready_i(to_ready),
    .to_data_o(to_data_o),
    .to_bytes_o(to_bytes_o),
    .to_last_o(to_last_o),
    .target_o(target_o),
    .origin_o(origin_o),
    .length_o(length_o),
    .kept_i(drain_kept),
    .kept_length_i(drain_length),
    .read_o(read),
    .read_address_o(read_address),
    .read_data_i(read_data),
    .forget_i(forget_i),
    .differs_o(differs_o),
    .malformed_o(malformed_o)
  );

  // ------------------------------------------------------------------ output of AES
  scheme_drain u_drain (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .start_i(start_drain_i),
    .move_i(move_i),
    .ready_o(drain_ready_o),
    .from_valid_i(from_valid_i[FromAes]),
    .from_ready_o(aes_taken),
    .from_data_i(from_data_i[FromAes]),
    .from_bytes_i(from_bytes_i[FromAes]),
    .from_last_i(from_last_i[FromAes]),
    .write_o(drain_write),
    .target_o(drain_target),
    .kept_o(drain_kept),
    .length_o(drain_length),
    .host_valid_o(drain_host),
    .host_ready_i(out_ready_i),
    .data_o(drain_data),
    .bytes_o(drain_bytes),
    .last_o(drain_last)
  );

  // ------------------------------------------------------------------ memory and host
  scheme_memory #(
    .FirstWork(FirstWork)
  ) u_memory (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_i(zeroize_i),
    .ready_o(ready_o),
    .write_i(to_valid_o[ToMemory] || drain_write),
    .write_address_i(drain_write ? drain_target : target_o),
    .write_data_i(drain_write ? drain_data : to_data_o),
    .read_i(read),
    .read_address_i(read_address),
    .read_data_o(read_data),
    .constant_address_o(constant_address_o),
    .constant_i(constant_i)
  );

  assign in_ready_o = from_ready[FromHost];
  assign out_valid_o = to_valid_o[ToHost] || drain_host;
  assign out_data_o = !out_valid_o ? '0 : drain_host ? drain_data : to_data_o;
  assign out_bytes_o = !out_valid_o ? '0 : drain_host ? drain_bytes : to_bytes_o;
  assign out_last_o = out_valid_o && (drain_host ? drain_last : to_last_o);

  logic unused_streams;
  assign unused_streams = ^{
    from_ready[FromAes],
    from_ready[FromMemory],
    from_valid_i[FromHost:FromMemory],
    from_last_i[FromHost:FromMemory],
    from_data_i[FromHost],
    from_data_i[FromMemory],
    from_bytes_i[FromHost],
    from_bytes_i[FromMemory],
    to_ready_i[ToHost:ToMemory],
    to_ready_i[ToNothing]
  };

endmodule

`default_nettype wire
