// SPDX-License-Identifier: Apache-2.0
//
// Connects the order unit (ecsm_order) to streams of words: its registers, and the string that it
// reduces.
//
// Parameters: OrderW, D, Segment, Modulus, Binary are those of ecsm_order (OrderW is its W).
// NumWord = ceil(OrderW / W) is the number of words in a register.
//
// command_i, with ready_o, begins an operation. argument_i = {bits, modulus, b, a, dst, op}. After
// begin_i, NumWord words go to a register or come from one, the highest first. Bit 3 of
// to_register_i selects the string; otherwise the other bits are the register. zero_o and below_o
// are those of ecsm_order for the last operation; they are valid when ready_o is high. Latency:
// none is added.

`default_nettype none

module scheme_order
  import scheme_pkg::*;
  import ecsm_order_pkg::*;
#(
  parameter int unsigned OrderW = 256,
  parameter int unsigned D = 4,
  parameter int unsigned Segment = 0,
  parameter bit [1:0][OrderW:0] Modulus = '0,
  parameter bit [1:0] Binary = '0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         command_i,
  input  logic [ 23:0] argument_i,
  output logic         ready_o,
  output logic         zero_o,
  output logic         below_o,
  input  logic         begin_i,
  input  logic         to_valid_i,
  output logic         to_ready_o,
  input  logic [  3:0] to_register_i,
  input  logic [W-1:0] to_data_i,
  input  logic         to_last_i,
  output logic         from_valid_o,
  input  logic         from_ready_i,
  input  logic [  2:0] from_register_i,
  output logic [W-1:0] from_data_o
);

  localparam int unsigned NumWord = (OrderW + W - 1) / W;
  localparam int unsigned IndexW = (NumWord > 1) ? $clog2(NumWord) : 1;
  localparam int unsigned BitsW = $clog2(2 * OrderW + 65);

  logic [IndexW-1:0] index_d, index_q;
  logic to_string, port_ready, string_ready, moves;

  assign to_string = to_register_i[3];
  assign to_ready_o = to_string ? string_ready : port_ready;
  assign from_valid_o = port_ready;
  assign moves = port_ready && ((to_valid_i && !to_string) || from_ready_i);

  always_comb begin
    index_d = index_q - IndexW'(moves);
    if (begin_i) index_d = IndexW'(NumWord - 1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) index_q <= '0;
    else index_q <= index_d;
  end

  logic unused_done;

  ecsm_order #(
    .W(OrderW),
    .D(D),
    .Word(W),
    .NumReg(8),
    .NumModulus(2),
    .Modulus(Modulus),
    .Binary(Binary),
    .Segment(Segment)
  ) u_order (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(clear_i),
    .req_valid_i(command_i),
    .req_ready_o(ready_o),
    .req_op_i(order_op_e'(argument_i[2:0])),
    .req_dst_i(argument_i[5:3]),
    .req_a_i(argument_i[8:6]),
    .req_b_i(argument_i[11:9]),
    .req_modulus_i(argument_i[12]),
    .req_bits_i(BitsW'(argument_i[23:13])),
    .done_o(unused_done),
    .zero_o(zero_o),
    .below_o(below_o),
    .str_valid_i(to_valid_i && to_string),
    .str_ready_o(string_ready),
    .str_data_i(to_data_i),
    .str_last_i(to_last_i),
    .port_valid_i((to_valid_i && !to_string) || from_ready_i),
    .port_ready_o(port_ready),
    .port_write_i(to_valid_i),
    .port_reg_i(to_valid_i ? to_register_i[2:0] : from_register_i),
    .port_index_i(index_q),
    .port_data_i(to_data_i),
    .port_data_o(from_data_o)
  );

endmodule

`default_nettype wire
