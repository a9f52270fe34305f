// SPDX-License-Identifier: Apache-2.0
//
// Moves the output string of AES to memory or to the host, while another move feeds AES. A cipher
// stores only one block, so both moves must run at the same time.
//
// start_i, with ready_o, begins move_i. Only its fields to, target and last have a meaning: the
// whole string passes unchanged. ready_o is high again when the word with last has moved. If it
// went to memory, kept_o is high in the cycle in which it moves, and length_o is the string's
// length in bytes. Latency 0. clear_i ends the move.

`default_nettype none

module scheme_drain
  import scheme_pkg::*;
(
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 start_i,
  input  move_t                move_i,
  output logic                 ready_o,
  input  logic                 from_valid_i,
  output logic                 from_ready_o,
  input  logic  [       W-1:0] from_data_i,
  input  logic  [  BytesW-1:0] from_bytes_i,
  input  logic                 from_last_i,
  output logic                 write_o,
  output logic  [AddressW-1:0] target_o,
  output logic                 kept_o,
  output logic  [ OctetsW-1:0] length_o,
  output logic                 host_valid_o,
  input  logic                 host_ready_i,
  output logic  [       W-1:0] data_o,
  output logic  [  BytesW-1:0] bytes_o,
  output logic                 last_o
);

  logic run_d, run_q, host_d, host_q, last_d, last_q, moves;
  logic [AddressW-1:0] target_d, target_q;
  logic [OctetsW-1:0] length_d, length_q;

  assign ready_o = !run_q;
  assign host_valid_o = run_q && host_q && from_valid_i;
  assign write_o = run_q && !host_q && from_valid_i;
  assign moves = write_o || (host_valid_o && host_ready_i);
  assign from_ready_o = run_q && (!host_q || host_ready_i);
  assign target_o = target_q;
  assign data_o = from_data_i;
  assign bytes_o = from_bytes_i;
  assign last_o = from_last_i && last_q;
  assign kept_o = write_o && from_last_i;
  assign length_o = length_q + OctetsW'(from_bytes_i);

  always_comb begin
    run_d = run_q && !(moves && from_last_i);
    host_d = host_q;
    last_d = last_q;
    target_d = target_q + AddressW'(moves);
    length_d = moves ? length_o : length_q;
    if (start_i && ready_o) begin
      run_d = 1'b1;
      host_d = move_i.to == ToHost;
      last_d = move_i.last;
      target_d = move_i.target;
      length_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 1'b0;
    else run_q <= run_d && !clear_i;
  end

  always_ff @(posedge clk_i) begin
    host_q <= host_d;
    last_q <= last_d;
    target_q <= target_d;
    length_q <= length_d;
  end

  logic unused_move;
  assign unused_move = ^move_i;

endmodule

`default_nettype wire
