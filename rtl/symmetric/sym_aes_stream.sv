// SPDX-License-Identifier: Apache-2.0
//
// AES of a byte stream, in cipher block chaining (CBC) or counter mode (CTR).
//
//   CBC: c[i] = E(p[i] ^ c[i-1]),  p[i] = D(c[i]) ^ c[i-1],  c[-1] = IV
//   CTR: out[i] = in[i] ^ E(IV + i), IV + i is a number of 128 bits, its first byte is the highest
//
//   iv_* --> chain_q -+                    +-> XOR data_q  (CTR) ---------+
//                     +-> block -> sym_aes +-> XOR chain_q (CBC decrypt) -+-> data_q -> out_*
//   in_* --> data_q --+               ^    +-> unchanged   (CBC encrypt) -+
//                                   key_*
//   block: chain_q (CTR), data_q ^ chain_q (CBC encrypt), data_q (CBC decrypt)
//   next chain_q: chain_q + 1 (CTR), the ciphertext block (CBC)
//
// Parameters: Columns and W are those of sym_aes.
//
// With req_rekey_i a request first reads a new key of req_size_i: all its words of W bits from
// key_*, a stream without bytes and last. The unit then reads the 128 bits of the IV from iv_*, and
// the data from in_*. Every word of the data but the last must be full. out_* returns as many
// bytes. CBC accepts whole blocks only. In CTR the last block may have any number of bytes. The
// empty string gives the empty string.
//
// With req_pad_i CBC uses the padding of PKCS #7: encryption appends 1 to 16 bytes, each of which
// is their number, so a string of any length becomes whole blocks. Decryption removes them. The
// last word in must then have at least one byte.
//
// Without req_rekey_i the unit uses the previous key, with the same size. Its direction must match:
// a key for decryption is a key of CBC with req_decrypt_i, and no other.
//
// done_o is high for one cycle at the end, with status_o:
//   StatusOk
//   StatusUnsupported  CBC ended within a block. The unit consumes that block's bytes and outputs
//                      none of them; the output before has no word with last. With req_pad_i also:
//                      there is no block, or the last block's padding is wrong. With req_pad_i a
//                      last word of 0 bytes ends the output in all these cases.
//   StatusNoKey        without req_rekey_i: there is no key, or it has the other direction. Nothing
//                      moves.
//
// Timing, if the streams never wait. G = 128 / W, R = Nr (4 / Columns + 1) + 1 (sym_aes). A block
// of data takes 2 G + R + 1 cycles. After a request in cycle t the first block begins in cycle
// t + 1 + G without a new key, and in t + 2 + G with one. The key's K words move from t + 2 on. The
// first block then takes K + 1 - 2 G cycles longer (K + 1 + R - 2 G for CBC decryption), if that is
// positive. done_o is high in the cycle after the last block. A block that is padding alone takes
// G + R + 2 cycles. A block that is not full, in or out, takes one cycle less for each missing
// word.
// Source: NIST SP 800-38A, sections 6.2 and 6.5.
`default_nettype none

module sym_aes_stream
  import sym_aes_pkg::*;
  import ecsm_pkg::*;
#(
  parameter int unsigned Columns = 1,
  parameter int unsigned W = 64,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  aes_mode_e              req_mode_i,
  input  logic                   req_decrypt_i,
  input  logic                   req_rekey_i,
  input  aes_key_e               req_size_i,
  input  logic                   req_pad_i,
  output logic                   done_o,
  output status_e                status_o,
  input  logic                   key_valid_i,
  output logic                   key_ready_o,
  input  logic      [     W-1:0] key_data_i,
  input  logic                   iv_valid_i,
  output logic                   iv_ready_o,
  input  logic      [     W-1:0] iv_data_i,
  input  logic                   in_valid_i,
  output logic                   in_ready_o,
  input  logic      [     W-1:0] in_data_i,
  input  logic      [BytesW-1:0] in_bytes_i,
  input  logic                   in_last_i,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic      [     W-1:0] out_data_o,
  output logic      [BytesW-1:0] out_bytes_o,
  output logic                   out_last_o
);

  localparam int unsigned N = W / 8;
  localparam int unsigned BlockWords = 128 / W;
  localparam int unsigned CountW = $clog2(BlockWords + 1);

  typedef enum logic [3:0] {
    StIdle,
    StRekey,
    StIv,
    StIn,
    StPad,     // a block that is padding alone
    StBlock,   // block to the cipher
    StResult,  // result from the cipher
    StOut,
    StDone
  } state_e;

  logic zeroize;
  state_e state_d, state_q;
  aes_mode_e mode_d, mode_q;
  aes_key_e size_d, size_q;
  status_e status_d, status_q;
  logic decrypt_d, decrypt_q, keyed_d, keyed_q, key_decrypts_d, key_decrypts_q, pad_d, pad_q;
  logic extra_d, extra_q;  // a block that is padding alone follows
  // Words done of IV, input or output. Words of the block; bytes of its last word, and whether
  // the data ends with it.
  logic [CountW-1:0] count_d, count_q, words_d, words_q;
  logic [BytesW-1:0] bytes_d, bytes_q;
  logic last_d, last_q;
  // chain: IV, ciphertext block or counter. data: the block, the first byte highest.
  logic [127:0] chain_d, chain_q, data_d, data_q;

  logic start, decrypts, key_req_ready, block_ready, result_valid, whole;
  logic [127:0] result, cipher_in;
  logic [W-1:0] in_masked;

  assign decrypts = req_mode_i == AesCbc && req_decrypt_i;
  assign start = req_valid_i && req_ready_o;
  assign req_ready_o = state_q == StIdle && !zeroize;
  assign done_o = state_q == StDone;
  assign status_o = done_o ? status_q : StatusOk;
  assign iv_ready_o = state_q == StIv;
  assign in_ready_o = state_q == StIn;
  assign in_masked = in_data_i & ~({W{1'b1}} >> {in_bytes_i, 3'b000});
  assign whole = count_q == CountW'(BlockWords - 1) && in_bytes_i == BytesW'(N);

  // Padding for encryption: it fills the last block behind the last word's bytes.
  logic fills;
  logic [4:0] fill;
  assign fills = pad_q && !decrypt_q && in_last_i && !whole;
  assign fill = 5'd16 - 5'(N) * 5'(count_q) - 5'(in_bytes_i);

  // Padding in decryption: the last block is checked.
  logic pad_good;
  logic [127:0] plain;
  logic [3:0] kept;  // bytes of data before the padding
  assign plain = result ^ chain_q;
  assign kept = 4'd0 - plain[3:0];
  always_comb begin
    pad_good = plain[7:0] inside {[8'd1 : 8'd16]};
    for (int unsigned i = 0; i < 16; i++) begin
      if (8'(i) < plain[7:0] && plain[8*i+:8] != plain[7:0]) pad_good = 1'b0;
    end
  end

  always_comb begin
    unique case (mode_q)
      AesCtr:  cipher_in = chain_q;
      default: cipher_in = decrypt_q ? data_q : data_q ^ chain_q;
    endcase
  end

  sym_aes #(
    .Columns(Columns),
    .W(W)
  ) u_aes (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .key_req_valid_i(state_q == StRekey),
    .key_req_ready_o(key_req_ready),
    .key_req_size_i(size_q),
    .key_req_decrypt_i(key_decrypts_q),
    .key_valid_i(key_valid_i),
    .key_ready_o(key_ready_o),
    .key_data_i(key_data_i),
    .block_valid_i(state_q == StBlock),
    .block_ready_o(block_ready),
    .block_data_i(cipher_in),
    .result_valid_o(result_valid),
    .result_ready_i(state_q == StResult),
    .result_data_o(result)
  );

  always_comb begin
    out_valid_o = state_q == StOut;
    out_data_o = '0;
    out_bytes_o = '0;
    out_last_o = 1'b0;
    if (out_valid_o) begin
      out_last_o  = last_q && count_q + CountW'(1) == words_q;
      out_bytes_o = out_last_o ? bytes_q : BytesW'(N);
      out_data_o  = data_q[127-:W] & ~({W{1'b1}} >> {out_bytes_o, 3'b000});
    end
  end

  always_comb begin
    state_d = state_q;
    mode_d = mode_q;
    size_d = size_q;
    status_d = status_q;
    decrypt_d = decrypt_q;
    keyed_d = keyed_q;
    key_decrypts_d = key_decrypts_q;
    count_d = count_q;
    words_d = words_q;
    bytes_d = bytes_q;
    last_d = last_q;
    pad_d = pad_q;
    extra_d = extra_q;
    unique case (state_q)
      StIdle: begin
        if (start) begin
          mode_d = req_mode_i;
          pad_d = req_mode_i == AesCbc && req_pad_i;
          extra_d = 1'b0;
          decrypt_d = req_decrypt_i;
          count_d = '0;
          last_d = 1'b0;
          status_d = StatusOk;
          if (req_rekey_i) begin
            size_d = req_size_i;
            key_decrypts_d = decrypts;
            keyed_d = 1'b1;
            state_d = StRekey;
          end else if (keyed_q && key_decrypts_q == decrypts) begin
            state_d = StIv;
          end else begin
            status_d = StatusNoKey;
            state_d  = StDone;
          end
        end
      end
      StRekey: if (key_req_ready) state_d = StIv;
      StIv: begin
        if (iv_valid_i) begin
          count_d = count_q + CountW'(1);
          if (count_d == CountW'(BlockWords)) begin
            count_d = '0;
            state_d = StIn;
          end
        end
      end
      StIn: begin
        if (in_valid_i) begin
          count_d = count_q + CountW'(1);
          words_d = count_d;
          bytes_d = in_bytes_i;
          last_d  = in_last_i;
          if (in_last_i || count_d == CountW'(BlockWords)) begin
            count_d = '0;
            state_d = StBlock;
            if (pad_q && !decrypt_q) begin
              last_d  = fills;
              extra_d = in_last_i && whole;
              words_d = CountW'(BlockWords);
              bytes_d = BytesW'(N);
            end else if (in_bytes_i == '0 && count_q == '0) begin
              // The block is empty: there is nothing to encrypt.
              if (pad_q) status_d = StatusUnsupported;
              state_d = StOut;
            end else if (mode_q == AesCbc && !whole) begin
              status_d = StatusUnsupported;
              state_d  = pad_q ? StOut : StDone;
              words_d  = CountW'(1);
              bytes_d  = '0;
            end
          end
        end
      end
      StPad: begin
        last_d  = 1'b1;
        extra_d = 1'b0;
        state_d = StBlock;
      end
      StBlock: if (block_ready) state_d = StResult;
      StResult: begin
        if (result_valid) begin
          state_d = StOut;
          if (pad_q && decrypt_q && last_q) begin
            words_d = CountW'(1);
            bytes_d = '0;
            if (!pad_good) status_d = StatusUnsupported;
            else if (kept != '0) begin
              words_d = CountW'((32'(kept) + N - 1) / N);
              bytes_d = BytesW'((32'(kept) - 1) % N + 1);
            end
          end
        end
      end
      StOut: begin
        if (out_ready_i) begin
          count_d = count_q + CountW'(1);
          if (count_d == words_q) begin
            count_d = '0;
            state_d = last_q ? StDone : extra_q ? StPad : StIn;
          end
        end
      end
      default: state_d = StIdle;
    endcase
  end

  // Next values of the data registers. Each word of data has a write enable of its own.
  logic chain_write, zero_chain, zero_data;
  logic [BlockWords-1:0] data_write;

  always_comb begin
    unique case (state_q)
      StIn: begin
        data_d = {BlockWords{in_masked}};
        for (int unsigned i = 0; i < BlockWords; i++) begin
          if (fills && CountW'(i) == count_q) begin
            data_d[127-W*i-:W] = in_masked | ({N{8'(fill)}} & ({W{1'b1}} >> {in_bytes_i, 3'b000}));
          end else if (fills) data_d[127-W*i-:W] = {N{8'(fill)}};
        end
      end
      StPad:   data_d = {16{8'd16}};
      StOut:   data_d = {data_q[127-W:0], W'(0)};
      default: data_d = (mode_q == AesCtr) ? data_q ^ result : decrypt_q ? plain : result;
    endcase
    if (state_q == StIv) chain_d = {chain_q[127-W:0], iv_data_i};
    else if (mode_q == AesCtr) chain_d = chain_q + 128'd1;
    else chain_d = decrypt_q ? data_q : result;
    for (int unsigned i = 0; i < BlockWords; i++) begin
      data_write[i] = (state_q == StIn && in_valid_i
                       && (count_q == CountW'(i) || (fills && count_q < CountW'(i))))
                   || state_q == StPad || (state_q == StResult && result_valid)
                   || (state_q == StOut && out_ready_i);
    end
  end

  assign chain_write = (state_q == StIv && iv_valid_i) || (state_q == StResult && result_valid);
  assign zero_chain = zeroize || state_q == StDone;
  // No byte of a block is left when the next one comes in.
  assign zero_data = zero_chain || (state_q == StOut && state_d != StOut);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      mode_q <= AesCbc;
      size_q <= AesKey128;
      status_q <= StatusOk;
      decrypt_q <= 1'b0;
      keyed_q <= 1'b0;
      key_decrypts_q <= 1'b0;
      count_q <= '0;
      words_q <= '0;
      bytes_q <= '0;
      last_q <= 1'b0;
      pad_q <= 1'b0;
      extra_q <= 1'b0;
    end else if (clear_i) begin
      state_q <= StIdle;
      mode_q <= AesCbc;
      size_q <= AesKey128;
      status_q <= StatusOk;
      decrypt_q <= 1'b0;
      keyed_q <= 1'b0;
      key_decrypts_q <= 1'b0;
      count_q <= '0;
      words_q <= '0;
      bytes_q <= '0;
      last_q <= 1'b0;
      pad_q <= 1'b0;
      extra_q <= 1'b0;
    end else begin
      state_q <= state_d;
      mode_q <= mode_d;
      size_q <= size_d;
      status_q <= status_d;
      decrypt_q <= decrypt_d;
      keyed_q <= keyed_d;
      key_decrypts_q <= key_decrypts_d;
      count_q <= count_d;
      words_q <= words_d;
      bytes_q <= bytes_d;
      last_q <= last_d;
      pad_q <= pad_d;
      extra_q <= extra_d;
    end
  end

  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_o(zeroize)
  );

  always_ff @(posedge clk_i) begin
    if (zero_chain) chain_q <= '0;
    else if (chain_write) chain_q <= chain_d;
    for (int unsigned i = 0; i < BlockWords; i++) begin
      if (zero_data) data_q[127-W*i-:W] <= '0;
      else if (data_write[i]) data_q[127-W*i-:W] <= data_d[127-W*i-:W];
    end
  end

endmodule

`default_nettype wire
