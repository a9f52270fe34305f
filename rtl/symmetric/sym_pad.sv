// SPDX-License-Identifier: Apache-2.0
//
// Padding of SHA-1 and SHA-2: makes blocks of sixteen words of WordW bits from a message.
//
//   message || 0x80 || zeros || length in bits as a number of 2 WordW bits
//
// Parameters: WordW is 32 (SHA-1, SHA-224, SHA-256) or 64 (SHA-384, SHA-512). PerCycle is 1 or 2.
//
// The unit accepts the words of a packed stream (sym_pack) and returns W = WordW PerCycle bits a
// cycle. Latency 0. After the message's last word come the words of the padding, one a cycle.
// last_o is high with the last word of the last block. The next message may follow at once.
// Messages are shorter than 2^61 bytes, for SHA-384 and SHA-512 too.
// Source: FIPS 180-4, section 5.1.
`default_nettype none

module sym_pad #(
  parameter int unsigned WordW = 32,
  parameter int unsigned PerCycle = 2,
  localparam int unsigned W = WordW * PerCycle,
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
  output logic              out_last_o
);

  localparam int unsigned N = W / 8;
  localparam int unsigned BlockWords = 16 / PerCycle;
  localparam int unsigned LengthWords = 2 / PerCycle;
  localparam int unsigned IndexW = $clog2(BlockWords);

  typedef enum logic [1:0] {
    StMessage,
    StMarker,   // 0x80, if the message's last word was full
    StLength    // zeros, then the length
  } state_e;

  state_e state_d, state_q;
  // Index of the next word in its block.
  logic [IndexW-1:0] index_d, index_q;
  // The length goes into this block: the marker is before the length's place.
  logic fits_d, fits_q;
  logic [60:0] octets_d, octets_q;

  logic move, tail;
  logic [2*WordW-1:0] bits;

  assign move = out_valid_o && out_ready_i;
  assign bits = (2 * WordW)'({octets_q, 3'b000});
  // The words of the length.
  assign tail = index_q >= IndexW'(BlockWords - LengthWords);

  assign in_ready_o  = state_q == StMessage && out_ready_i;
  assign out_valid_o = state_q != StMessage || in_valid_i;
  assign out_last_o  = state_q == StLength && fits_q && index_q == IndexW'(BlockWords - 1);

  always_comb begin
    out_data_o = '0;
    unique case (state_q)
      StMessage: begin
        out_data_o = in_data_i;
        if (in_last_i && in_bytes_i != BytesW'(N)) begin
          out_data_o = in_data_i | ({8'h80, {(W - 8) {1'b0}}} >> {in_bytes_i, 3'b000});
        end
      end
      StMarker: out_data_o = {8'h80, {(W - 8) {1'b0}}};
      default: begin
        if (fits_q && tail) begin
          out_data_o = (index_q == IndexW'(BlockWords - 1)) ? bits[W-1:0] : bits[2*WordW-1-:W];
        end
      end
    endcase
  end

  always_comb begin
    state_d  = state_q;
    index_d  = index_q;
    fits_d   = fits_q;
    octets_d = octets_q;
    if (move) begin
      index_d = index_q + IndexW'(1);
      unique case (state_q)
        StMessage: begin
          octets_d = octets_q + 61'(in_bytes_i);
          if (in_last_i) begin
            state_d = (in_bytes_i == BytesW'(N)) ? StMarker : StLength;
            fits_d  = !tail;
          end
        end
        StMarker: begin
          state_d = StLength;
          fits_d  = !tail;
        end
        default: begin
          if (out_last_o) begin
            state_d  = StMessage;
            octets_d = '0;
          end
        end
      endcase
      // In a block that begins after the marker the length has room.
      if (index_q == IndexW'(BlockWords - 1)) fits_d = !out_last_o;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= StMessage;
      index_q  <= '0;
      fits_q   <= 1'b0;
      octets_q <= '0;
    end else if (clear_i) begin
      state_q  <= StMessage;
      index_q  <= '0;
      fits_q   <= 1'b0;
      octets_q <= '0;
    end else begin
      state_q  <= state_d;
      index_q  <= index_d;
      fits_q   <= fits_d;
      octets_q <= octets_d;
    end
  end

endmodule

`default_nettype wire
