// SPDX-License-Identifier: Apache-2.0
//
// Packs a byte stream (see sym_pkg). It accepts words with any number of bytes, also in the middle
// of a string, and returns the same bytes in words that are all full but the last.
//
// Parameters: W is the number of bits in a word, a multiple of 8, at least 16.
//
//   in_* --> joined with held_q --> out_q --> out_*
//                 ^        |
//                 +-- held_q
//
// Latency 1: a word comes out in the cycle after the input word that completes it. Bytes that
// complete no word are kept. in_ready_o does not depend on in_*. The end of a string takes one more
// cycle, without input, only if the last word's bytes and the kept bytes do not fit into one word.
// The last word out has 0 bytes only if the last word in had 0 bytes and no byte was kept.
`default_nettype none

module sym_pack #(
  parameter int unsigned W = 64,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [     W-1:0] in_data_i,
  input  logic [BytesW-1:0] in_bytes_i,
  input  logic              in_last_i,
  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [     W-1:0] out_data_o,
  output logic [BytesW-1:0] out_bytes_o,
  output logic              out_last_o
);

  localparam int unsigned N = W / 8;

  logic zeroize;
  // Kept bytes, 0 .. N - 1, in the highest bits. flush: they are the rest of a string.
  logic [W-9:0] held_d, held_q;
  logic [BytesW-1:0] count_d, count_q;
  logic flush_d, flush_q;

  logic [W-1:0] masked;
  logic [2*W-9:0] joined;
  // At most 2 N - 1.
  logic [BytesW:0] total;
  logic full, out, room;
  logic out_valid_d, out_valid_q, out_last_d, out_last_q;
  logic [W-1:0] out_data_d, out_data_q;
  logic [BytesW-1:0] out_bytes_d, out_bytes_q;

  assign masked = in_data_i & ~({W{1'b1}} >> {in_bytes_i, 3'b000});
  assign joined = {held_q, {W{1'b0}}} | ({masked, {(W - 8) {1'b0}}} >> {count_q, 3'b000});
  assign total  = (BytesW + 1)'(count_q) + (BytesW + 1)'(in_bytes_i);
  assign full   = total >= (BytesW + 1)'(N);
  assign out    = in_valid_i && (full || in_last_i);
  assign room   = !out_valid_q || out_ready_i;

  assign in_ready_o = room && !flush_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o = out_data_q;
  assign out_bytes_o = out_bytes_q;
  assign out_last_o = out_last_q;

  always_comb begin
    out_valid_d = flush_q || out;
    out_last_d  = flush_q || (out && in_last_i && total <= (BytesW + 1)'(N));
    out_data_d  = '0;
    out_bytes_d = '0;
    if (flush_q) begin
      out_data_d  = {held_q, 8'h0};
      out_bytes_d = count_q;
    end else if (out) begin
      out_data_d  = joined[2*W-9-:W];
      out_bytes_d = full ? BytesW'(N) : BytesW'(total);
    end
  end

  always_comb begin
    held_d = held_q;
    count_d = count_q;
    flush_d = flush_q;
    if (flush_q) begin
      if (room) begin
        held_d = '0;
        count_d = '0;
        flush_d = 1'b0;
      end
    end else if (in_valid_i && in_ready_o) begin
      if (full) begin
        held_d = joined[W-9:0];
        count_d = BytesW'(total - (BytesW + 1)'(N));
        flush_d = in_last_i && total != (BytesW + 1)'(N);
      end else if (in_last_i) begin
        held_d = '0;
        count_d = '0;
      end else begin
        held_d = joined[2*W-9-:W-8];
        count_d = BytesW'(total);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      flush_q <= 1'b0;
      out_valid_q <= 1'b0;
      out_data_q <= '0;
      out_bytes_q <= '0;
      out_last_q <= 1'b0;
    end else if (clear_i) begin
      count_q <= '0;
      flush_q <= 1'b0;
      out_valid_q <= 1'b0;
      out_data_q <= '0;
      out_bytes_q <= '0;
      out_last_q <= 1'b0;
    end else begin
      count_q <= count_d;
      flush_q <= flush_d;
      if (room) begin
        out_valid_q <= out_valid_d;
        out_data_q  <= out_data_d;
        out_bytes_q <= out_bytes_d;
        out_last_q  <= out_last_d;
      end
    end
  end

  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_o(zeroize)
  );

  always_ff @(posedge clk_i) begin
    if (zeroize) held_q <= '0;
    else held_q <= held_d;
  end

endmodule

`default_nettype wire
