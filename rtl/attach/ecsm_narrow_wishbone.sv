// SPDX-License-Identifier: Apache-2.0
//
// A narrow port behind registers of a bus (Wishbone classic, 32 bits, whole words).
//
//   address_i[10] = 0   function address_i[9:0]. A write requests it with a = the argument and b =
//                       data_i; it is acknowledged when the request is accepted. A read requests it
//                       with b = 0; it is acknowledged with the result
//   address_i[10] = 1   the argument, at every such address, for reads and writes. It is operand a
//                       of the requests that follow
//
// An access waits while the unit is busy, like the custom instruction. cyc_i, we_i, address_i and
// data_i are stable until ack_o, which lasts one cycle. Latency, while the unit is idle: 0 for a
// write and for the argument, 1 for a read.
`default_nettype none

module ecsm_narrow_wishbone
  import ecsm_narrow_pkg::req_t;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cyc_i,
  input  logic        we_i,
  input  logic [10:0] address_i,
  input  logic [31:0] data_i,
  output logic        ack_o,
  output logic [31:0] data_o,
  output logic        req_valid_o,
  input  logic        req_ready_i,
  output req_t        req_o,
  input  logic        rsp_valid_i,
  output logic        rsp_ready_o,
  input  logic [31:0] rsp_i
);

  logic to_argument, to_function, accept;
  logic [31:0] argument_q;
  logic reading_q;  // the unit has the request of a read
  logic dropping_q;  // the answer to a write is still to come; it is dropped

  assign to_argument = cyc_i & address_i[10];
  assign to_function = cyc_i & ~address_i[10];
  assign req_valid_o = to_function & ~reading_q & (~dropping_q | rsp_valid_i);
  assign req_o.func = address_i[9:0];
  assign req_o.a = argument_q;
  assign req_o.b = we_i ? data_i : '0;
  assign accept = req_valid_o & req_ready_i;
  assign rsp_ready_o = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      argument_q <= '0;
      reading_q  <= 1'b0;
      dropping_q <= 1'b0;
    end else begin
      if (to_argument && we_i) argument_q <= data_i;
      if (rsp_valid_i) begin
        reading_q  <= 1'b0;
        dropping_q <= 1'b0;
      end
      if (accept) begin
        reading_q  <= ~we_i;
        dropping_q <= we_i;
      end
    end
  end

  assign ack_o  = to_argument | (we_i ? accept : reading_q & rsp_valid_i);
  assign data_o = to_argument ? argument_q : rsp_i;

endmodule

`default_nettype wire
