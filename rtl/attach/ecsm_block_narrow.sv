// SPDX-License-Identifier: Apache-2.0
//
// Converts strings in words of 64 bits (sym_pkg) to strings in words of 32 bits.
//
// A word of at most 4 bytes gives one word, a longer one gives two. Every word out is full, except
// for the last word of a string.
//
// Latency 0. Throughput: one output word a cycle.

`default_nettype none

module ecsm_block_narrow (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [63:0] in_data_i,
  input  logic [ 3:0] in_bytes_i,
  input  logic        in_last_i,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [31:0] out_data_o,
  output logic [ 2:0] out_bytes_o,
  output logic        out_last_o
);

  logic second_q;  // the second half comes next
  logic two;  // there is a second half

  assign two = in_bytes_i > 4'd4;
  assign out_valid_o = in_valid_i;
  assign in_ready_o = out_ready_i & (second_q | ~two);

  assign out_data_o = second_q ? in_data_i[31:0] : in_data_i[63:32];
  assign out_bytes_o = second_q ? 3'(in_bytes_i - 4'd4) : two ? 3'd4 : in_bytes_i[2:0];
  assign out_last_o = in_last_i & (second_q | ~two);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) second_q <= 1'b0;
    else if (clear_i) second_q <= 1'b0;
    else if (in_valid_i && out_ready_i) second_q <= two & ~second_q;
  end

endmodule

`default_nettype wire
