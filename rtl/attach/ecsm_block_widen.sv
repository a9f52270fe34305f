// SPDX-License-Identifier: Apache-2.0
//
// Converts strings in words of 32 bits to strings in words of 64 bits (sym_pkg).
//
// Parameters: Zeros is 1 if bytes that are not valid go out as zeros, and data is zero while
// out_valid_o is low. Else they have no meaning.
//
// Input words are full, except for the last word of a string. Bytes that are not valid have no
// effect on others.
//
// Latency 0: a word goes out with the input word that completes it or ends the string. Throughput:
// one input word a cycle.

`default_nettype none

module ecsm_block_widen #(
  parameter bit Zeros = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [31:0] in_data_i,
  input  logic [ 2:0] in_bytes_i,
  input  logic        in_last_i,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [63:0] out_data_o,
  output logic [ 3:0] out_bytes_o,
  output logic        out_last_o
);

  logic held_q;  // the first half has come
  logic [31:0] half_q;  // zero, unless held_q
  logic complete, take;

  assign complete = held_q | in_last_i;
  assign out_valid_o = in_valid_i & complete;
  assign in_ready_o = out_ready_i | ~complete;
  assign take = in_valid_i & in_ready_o;

  if (Zeros) begin : gen_zeros
    logic [31:0] mask, first, second;  // bytes that are valid, and where they go out
    assign mask = ~(32'hFFFF_FFFF >> {in_bytes_i, 3'b000}) & {32{out_valid_o}};
    assign first = mask & {32{~held_q}};
    assign second = mask & {32{held_q}};
    assign out_data_o = {half_q & {32{out_valid_o}} | in_data_i & first, in_data_i & second};
  end else begin : gen_any
    assign out_data_o = {held_q ? half_q : in_data_i, in_data_i};
  end
  assign out_bytes_o = out_valid_o ? (held_q ? 4'd4 : 4'd0) + 4'(in_bytes_i) : '0;
  assign out_last_o = out_valid_o & in_last_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 1'b0;
    else if (clear_i) held_q <= 1'b0;
    else if (take) held_q <= ~complete;
  end

  // Without a reset of its own, a flip-flop is cleared by its reset pin.
  always_ff @(posedge clk_i) begin
    if (clear_i || (take ? complete : !held_q)) half_q <= '0;
    else if (take) half_q <= in_data_i;
  end

endmodule

`default_nettype wire
