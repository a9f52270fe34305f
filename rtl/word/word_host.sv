// SPDX-License-Identifier: Apache-2.0
//
// Strings between the host, in words of eight octets, and the word engine, in octets.
//
//   in_*  --> [octet 0 .. 7 of the word] --> from_*
//   to_*  --> [word_q] --> out_*
//
//   port_i        PortHost: a string of as many octets as are asked for, which from_last_i ends;
//                 if it has more or fewer, malformed_o rises, and what is asked for is 0 from then
//                 on. PortMessage: a string of any length, then the octet 80 (hexadecimal), then 0;
//                 ended_o is high once the 80 has moved. PortLength: one octet, how many of the
//                 string were in the last block that moved
//   in_*, out_*   strings as in sym_pkg. A word of in_* moves with its last octet
//   clear_i       drops what is there, and malformed_o and ended_o fall
//
// Latency: an octet a cycle. An output word takes eight cycles and one, also if it is not full.

`default_nettype none

module word_host
  import word_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         again_i,       // another string comes from PortMessage
  input  logic         empty_i,       // an empty string goes out
  input  port_e        port_i,
  input  logic         long_i,        // blocks of a hash have 128 octets, not 64
  output logic         malformed_o,
  output logic         ended_o,
  output logic         over_o,        // .. and before that: its last octet has moved
  output logic         counted_o,     // an octet of PortMessage's string moves
  output logic         busy_o,        // a string's end has not left
  output logic         from_valid_o,
  input  logic         from_ready_i,
  input  logic         from_last_i,
  output logic  [ 7:0] from_data_o,
  input  logic         to_valid_i,
  output logic         to_ready_o,
  input  logic         to_last_i,
  input  logic  [ 7:0] to_data_i,
  input  logic         in_valid_i,
  output logic         in_ready_o,
  input  logic  [63:0] in_data_i,
  input  logic  [ 3:0] in_bytes_i,
  input  logic         in_last_i,
  output logic         out_valid_o,
  input  logic         out_ready_i,
  output logic  [63:0] out_data_o,
  output logic  [ 3:0] out_bytes_o,
  output logic         out_last_o
);

  // ------------------------------------------------------------------ input
  logic [2:0] octet_q;  // of the word
  logic [6:0] count_q;  // of the message's octets in 128
  logic malformed_q, over_q, ended_q;  // over: the message's octets have moved
  logic empty, word_ends, string_ends, takes, moves;

  assign empty = in_bytes_i == '0;
  assign word_ends = empty || octet_q == 3'(in_bytes_i - 4'd1);
  assign string_ends = in_last_i && word_ends;
  assign moves = from_valid_o && from_ready_i;
  assign takes = moves && in_valid_i && port_i != PortLength &&
      !((port_i == PortHost) ? malformed_q : over_q);
  assign in_ready_o = takes && word_ends;

  always_comb begin
    from_valid_o = in_valid_i;
    from_data_o  = in_data_i[8*(7-octet_q)+:8];
    if (port_i == PortLength) begin
      from_valid_o = 1'b1;
      from_data_o  = {1'b0, count_q[6] && long_i, count_q[5:0]};
    end else if (port_i == PortMessage) begin
      if (over_q) from_valid_o = 1'b1;
      if (over_q || empty) from_data_o = ended_q ? '0 : 8'h80;
    end else if (malformed_q) begin
      from_valid_o = 1'b1;
      from_data_o  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      octet_q <= '0;
      count_q <= '0;
      malformed_q <= 1'b0;
      over_q <= 1'b0;
      ended_q <= 1'b0;
    end else if (clear_i) begin
      octet_q <= '0;
      count_q <= '0;
      malformed_q <= 1'b0;
      over_q <= 1'b0;
      ended_q <= 1'b0;
    end else begin
      if (takes) octet_q <= word_ends ? '0 : octet_q + 3'd1;
      if (takes && port_i == PortHost && (string_ends != from_last_i || empty)) begin
        malformed_q <= 1'b1;
      end
      if (again_i) begin
        count_q <= '0;
        over_q  <= 1'b0;
        ended_q <= 1'b0;
      end else if (moves && port_i == PortMessage) begin
        if (takes && string_ends) over_q <= 1'b1;
        if (takes && !empty) count_q <= count_q + 7'd1;
        if (over_q || (takes && empty)) ended_q <= 1'b1;
      end
    end
  end

  assign malformed_o = malformed_q;
  assign ended_o = ended_q;
  assign over_o = over_q;
  assign counted_o = takes && !empty && port_i == PortMessage;

  // ------------------------------------------------------------------ output
  logic [63:0] word_q;
  logic [3:0] bytes_q;  // octets that have come
  logic [2:0] shifts_q;  // .. and zeros behind the last one
  logic last_q, full_q;
  logic open_q;  // a string is on its way: without one, what a fault leaves here is dropped
  logic drops;

  assign to_ready_o = !last_q && !full_q;
  assign drops = clear_i || (full_q && out_ready_i) || (!open_q && !to_valid_i && !empty_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bytes_q <= '0;
      shifts_q <= '0;
      last_q <= 1'b0;
      full_q <= 1'b0;
      open_q <= 1'b0;
    end else if (drops) begin
      bytes_q <= '0;
      shifts_q <= '0;
      last_q <= 1'b0;
      full_q <= 1'b0;
      if (clear_i || last_q) open_q <= 1'b0;
    end else if (empty_i) begin
      open_q <= 1'b1;
      last_q <= 1'b1;
      full_q <= 1'b1;
    end else if (!full_q && (last_q || to_valid_i)) begin
      open_q   <= 1'b1;
      shifts_q <= shifts_q + 3'd1;
      full_q   <= shifts_q == '1;
      if (!last_q) begin
        bytes_q <= bytes_q + 4'd1;
        last_q  <= to_last_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (drops) word_q <= '0;
    else if (!full_q && (last_q || to_valid_i)) word_q <= {word_q[55:0], last_q ? 8'd0 : to_data_i};
  end

  assign busy_o = last_q || full_q;
  assign out_valid_o = full_q && open_q;
  assign out_data_o = out_valid_o ? word_q : '0;
  assign out_bytes_o = out_valid_o ? bytes_q : '0;
  assign out_last_o = out_valid_o && last_q;

endmodule

`default_nettype wire
