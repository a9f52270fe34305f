// SPDX-License-Identifier: Apache-2.0
//
// Returns the first octets_i bytes of an endless stream, packed. Units use it for outputs of a
// requested length.
//
// Parameters: W is the number of bits in a word. LengthW is the number of bits in the length; it
// must fit more than the bytes of a word. With Whole, all words that come in are full.
//
// start_i reads octets_i, the length. Then words come in, with any number of bytes, until more_o is
// low: the word that is then on in_* completes the length. The unit accepts and drops later words.
// The output is a packed stream with last. Length 0 gives one word of 0 bytes. busy_o is high from
// the cycle after start_i until the last word has moved out. Latency 1, or 0 with Whole.
`default_nettype none

module sym_trim #(
  parameter int unsigned W = 64,
  parameter int unsigned LengthW = 16,
  parameter bit Whole = 1'b0,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic               start_i,
  input  logic [LengthW-1:0] octets_i,
  output logic               more_o,
  output logic               busy_o,
  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [      W-1:0] in_data_i,
  input  logic [ BytesW-1:0] in_bytes_i,
  output logic               out_valid_o,
  input  logic               out_ready_i,
  output logic [      W-1:0] out_data_o,
  output logic [ BytesW-1:0] out_bytes_o,
  output logic               out_last_o
);

  // Bytes still to come.
  logic [LengthW-1:0] left_d, left_q;
  logic empty_d, empty_q, busy_d, busy_q;
  logic pack_ready, open, last, valid;
  logic [BytesW-1:0] bytes;

  assign last = left_q[LengthW-1:BytesW] == '0 && left_q[BytesW-1:0] <= in_bytes_i;
  assign open = left_q != '0;
  assign more_o = open && !(in_valid_i && last);
  assign busy_o = busy_q;
  assign in_ready_o = !open || pack_ready;
  assign valid = empty_q || (in_valid_i && open);
  assign bytes = empty_q ? '0 : last ? BytesW'(left_q) : in_bytes_i;

  if (Whole) begin : gen_whole
    assign pack_ready = out_ready_i;
    assign out_valid_o = valid;
    assign out_data_o = valid ? in_data_i & ~({W{1'b1}} >> {bytes, 3'b000}) : '0;
    assign out_bytes_o = valid ? bytes : '0;
    assign out_last_o = valid && last;
  end else begin : gen_any
    sym_pack #(
      .W(W)
    ) u_pack (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .in_valid_i(valid),
      .in_ready_o(pack_ready),
      .in_data_i(in_data_i),
      .in_bytes_i(bytes),
      .in_last_i(last),
      .out_valid_o(out_valid_o),
      .out_ready_i(out_ready_i),
      .out_data_o(out_data_o),
      .out_bytes_o(out_bytes_o),
      .out_last_o(out_last_o)
    );
  end

  always_comb begin
    left_d  = left_q;
    empty_d = empty_q && !pack_ready;
    busy_d  = busy_q && !(out_valid_o && out_ready_i && out_last_o);
    if (in_valid_i && open && pack_ready) left_d = last ? '0 : left_q - LengthW'(in_bytes_i);
    if (start_i) begin
      left_d  = octets_i;
      empty_d = octets_i == '0;
      busy_d  = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      empty_q <= 1'b0;
      busy_q  <= 1'b0;
    end else if (clear_i) begin
      left_q  <= '0;
      empty_q <= 1'b0;
      busy_q  <= 1'b0;
    end else begin
      left_q  <= left_d;
      empty_q <= empty_d;
      busy_q  <= busy_d;
    end
  end

  if (LengthW <= BytesW) begin : gen_bad_length
    $error("sym_trim: LengthW must hold more than the octets of a word");
  end

endmodule

`default_nettype wire
