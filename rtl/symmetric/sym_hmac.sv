// SPDX-License-Identifier: Apache-2.0
//
// HMAC with a hash outside:
//
//   tag = H((K ^ opad) || H((K ^ ipad) || message)),
//
// K is the key followed by zeros to a block, or the key's digest if the key is longer than a block.
//
//   key_* ----------------+--> key_q (one block) -- XOR ipad, opad --+
//                         +--- long key, to its digest --------------+--> hash_msg_*
//   msg_* -----------------------------------------------------------+        |
//   u_inner (inner digest) ------------------------------------------+   (a sym_hash outside)
//                                                                             |
//   key_q <-- long key's digest ----+-----------------------------------------+
//   u_inner <-- inner digest -------+     hash_digest_*
//   tag_*, or key_q <-- outer ------+
//
// Parameters: WordW is 32 or 64, PerCycle is 1 or 2, as those of the hash. W = WordW PerCycle.
//
// With req_rekey_i a request first reads a new key from key_*: any number of bytes, every word but
// the last full. Without it the unit uses the previous key. A key stays until it is replaced or
// cleared. After reset it is zeros, which is the empty key. Words of the message may have any
// number of bytes. With req_keep_i the tag becomes the key and does not move out (HMAC_DRBG needs
// this). req_alg_i is as for sym_hash. A key is valid only with the algorithm with which it was
// read.
//
// Latency, if the streams never wait. The request moves in cycle t; S = 16 / PerCycle; D is the
// number of words of W bits in a digest; C is the cycles of a block in sym_hash; n is the number of
// blocks in the inner hash, which covers one block and the message. The tag's first word is valid
// on tag_* in cycle
//
//   t + 7 + D + (n + 2) C                 without a new key,
//   t + 7 + D + (n + 2) C + S             with a new key of at most a block,
//   t + 11 + D + (n + n0 + 2) C + 2 S     with a longer key, whose hash has n0 blocks.
//
// With req_keep_i req_ready_o is high S cycles after that.
// Source: FIPS 198-1.
`default_nettype none

module sym_hmac
  import sym_pkg::*;
#(
  parameter int unsigned WordW = 32,
  parameter int unsigned PerCycle = 2,
  localparam int unsigned W = WordW * PerCycle,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  alg_e              req_alg_i,
  input  logic              req_rekey_i,
  input  logic              req_keep_i,
  input  logic              key_valid_i,
  output logic              key_ready_o,
  input  logic [     W-1:0] key_data_i,
  input  logic [BytesW-1:0] key_bytes_i,
  input  logic              key_last_i,
  input  logic              msg_valid_i,
  output logic              msg_ready_o,
  input  logic [     W-1:0] msg_data_i,
  input  logic [BytesW-1:0] msg_bytes_i,
  input  logic              msg_last_i,
  output logic              tag_valid_o,
  input  logic              tag_ready_i,
  output logic [     W-1:0] tag_data_o,
  output logic [BytesW-1:0] tag_bytes_o,
  output logic              tag_last_o,
  // The hash.
  output logic              hash_req_valid_o,
  input  logic              hash_req_ready_i,
  output alg_e              hash_req_alg_o,
  output logic              hash_msg_valid_o,
  input  logic              hash_msg_ready_i,
  output logic [     W-1:0] hash_msg_data_o,
  output logic [BytesW-1:0] hash_msg_bytes_o,
  output logic              hash_msg_last_o,
  input  logic              hash_digest_valid_i,
  output logic              hash_digest_ready_o,
  input  logic [     W-1:0] hash_digest_data_i,
  input  logic [BytesW-1:0] hash_digest_bytes_i,
  input  logic              hash_digest_last_i
);

  localparam int unsigned N = W / 8;
  // Words of a block, and of the longest digest.
  localparam int unsigned KeyWords = 16 / PerCycle;
  localparam int unsigned DigestWords = 8 / PerCycle;
  localparam int unsigned CountW = $clog2(KeyWords + 1);
  localparam int unsigned InnerW = $clog2(DigestWords + 1);

  typedef enum logic [2:0] {
    StIdle,
    StKey,
    StAlign,  // zeros follow the key
    StReq,
    StBlock,  // the key's block to the hash
    StBody,   // the data after it
    StDigest
  } state_e;

  // The hash that runs.
  typedef enum logic [1:0] {
    PassKey,
    PassInner,
    PassOuter
  } pass_e;

  state_e state_d, state_q;
  pass_e pass_d, pass_q;
  alg_e alg_d, alg_q;
  logic zeroize;
  logic keep_d, keep_q;
  // Words done in this state.
  logic [CountW-1:0] count_d, count_q;

  logic [W-1:0] key_d[KeyWords], key_q[KeyWords];
  logic key_shift;
  logic [W-1:0] key_in;

  logic inner_shift;
  logic [W-1:0] inner_in, inner;
  logic [InnerW-1:0] inner_words;
  logic inner_last_d, inner_last_q;  // the inner digest's last word
  logic [7:0] pad;
  logic [3:0] digest_count;
  logic long_key, done, to_tag;

  assign digest_count = digest_words(alg_q);
  assign inner_words = InnerW'((32'(digest_count) + PerCycle - 1) / PerCycle);
  // A word of the key lies beyond a block.
  assign long_key = count_q == CountW'(KeyWords) && key_bytes_i != '0;
  // The last word of the block is done in this state.
  assign done = count_q == CountW'(KeyWords - 1);

  assign req_ready_o = state_q == StIdle && !zeroize;
  assign hash_req_valid_o = state_q == StReq;
  assign hash_req_alg_o = alg_q;
  assign key_ready_o = (state_q == StKey && !long_key)
                    || (state_q == StBody && pass_q == PassKey && hash_msg_ready_i);
  assign msg_ready_o = state_q == StBody && pass_q == PassInner && hash_msg_ready_i;

  always_comb begin
    unique case (pass_q)
      PassKey:   pad = 8'h00;
      PassInner: pad = 8'h36;
      default:   pad = 8'h5c;
    endcase
  end

  always_comb begin
    hash_msg_valid_o = 1'b0;
    hash_msg_data_o = '0;
    hash_msg_bytes_o = '0;
    hash_msg_last_o = 1'b0;
    if (state_q == StBlock) begin
      hash_msg_valid_o = 1'b1;
      hash_msg_data_o  = key_q[0] ^ {N{pad}};
      hash_msg_bytes_o = BytesW'(N);
    end
    if (state_q == StBody) begin
      unique case (pass_q)
        PassKey: begin
          hash_msg_valid_o = key_valid_i;
          hash_msg_data_o = key_data_i;
          hash_msg_bytes_o = key_bytes_i;
          hash_msg_last_o = key_last_i;
        end
        PassInner: begin
          hash_msg_valid_o = msg_valid_i;
          hash_msg_data_o = msg_data_i;
          hash_msg_bytes_o = msg_bytes_i;
          hash_msg_last_o = msg_last_i;
        end
        default: begin
          hash_msg_valid_o = 1'b1;
          hash_msg_data_o = inner;
          hash_msg_last_o = inner_last_q;
          // With two words a cycle the last cycle may have one.
          hash_msg_bytes_o = (inner_last_q && PerCycle == 2 && digest_count[0]) ? BytesW'(N / 2)
                                                                             : BytesW'(N);
        end
      endcase
    end
  end

  assign to_tag = state_q == StDigest && pass_q == PassOuter && !keep_q;
  assign hash_digest_ready_o = to_tag ? tag_ready_i : state_q == StDigest;

  always_comb begin
    tag_valid_o = 1'b0;
    tag_data_o = '0;
    tag_bytes_o = '0;
    tag_last_o = 1'b0;
    if (to_tag && hash_digest_valid_i) begin
      tag_valid_o = 1'b1;
      tag_data_o  = hash_digest_data_i;
      tag_bytes_o = hash_digest_bytes_i;
      tag_last_o  = hash_digest_last_i;
    end
  end

  // The inner digest. Zeros replace it while it moves to the hash.
  assign inner_in = (state_q == StDigest) ? hash_digest_data_i : '0;
  assign inner_shift = (state_q == StDigest && pass_q == PassInner && hash_digest_valid_i)
                    || (state_q == StBody && pass_q == PassOuter && hash_msg_ready_i);

  sym_words #(
    .Num(DigestWords),
    .W(W)
  ) u_inner (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .count_i(inner_words),
    .shift_i(inner_shift),
    .word_i(inner_in),
    .word_o(inner)
  );

  always_comb begin
    state_d = state_q;
    pass_d = pass_q;
    alg_d = alg_q;
    keep_d = keep_q;
    count_d = count_q;
    key_shift = 1'b0;
    key_in = '0;
    unique case (state_q)
      StIdle: begin
        if (req_valid_i && req_ready_o) begin
          alg_d   = req_alg_i;
          keep_d  = req_keep_i;
          pass_d  = PassInner;
          count_d = '0;
          state_d = req_rekey_i ? StKey : StReq;
        end
      end
      StKey: begin
        if (key_valid_i) begin
          if (long_key) begin
            pass_d  = PassKey;
            state_d = StReq;
          end else begin
            if (count_q != CountW'(KeyWords)) begin
              key_shift = 1'b1;
              key_in = key_data_i & ~({W{1'b1}} >> {key_bytes_i, 3'b000});
              count_d = count_q + CountW'(1);
            end
            if (key_last_i) state_d = (count_q >= CountW'(KeyWords - 1)) ? StReq : StAlign;
          end
        end
      end
      StAlign: begin
        key_shift = 1'b1;
        count_d   = count_q + CountW'(1);
        if (done) begin
          state_d = (pass_q == PassOuter) ? StIdle : StReq;
          pass_d  = PassInner;
        end
      end
      StReq: begin
        count_d = '0;
        if (hash_req_ready_i) state_d = StBlock;
      end
      StBlock: begin
        if (hash_msg_ready_i) begin
          key_shift = 1'b1;
          key_in = key_q[0];
          count_d = count_q + CountW'(1);
          if (done) begin
            state_d = StBody;
            count_d = '0;
          end
        end
      end
      StBody: begin
        if (hash_msg_valid_o && hash_msg_ready_i) begin
          if (pass_q == PassOuter) count_d = count_q + CountW'(1);
          if (hash_msg_last_o) begin
            state_d = StDigest;
            count_d = '0;
          end
        end
      end
      default: begin
        if (hash_digest_valid_i && hash_digest_ready_o) begin
          count_d = count_q + CountW'(1);
          if (pass_q == PassKey || (pass_q == PassOuter && keep_q)) begin
            key_shift = 1'b1;
            key_in = hash_digest_data_i;
          end
          if (hash_digest_last_i) begin
            unique case (pass_q)
              PassKey: state_d = StAlign;
              PassInner: begin
                state_d = StReq;
                pass_d  = PassOuter;
              end
              default: state_d = keep_q ? StAlign : StIdle;
            endcase
          end
        end
      end
    endcase
    inner_last_d = count_d + CountW'(1) == CountW'(inner_words);
  end

  always_comb begin
    for (int unsigned i = 0; i < KeyWords - 1; i++) key_d[i] = key_q[i+1];
    key_d[KeyWords-1] = key_in;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      pass_q  <= PassKey;
      alg_q   <= AlgSha1;
      keep_q  <= 1'b0;
      count_q <= '0;
      inner_last_q <= 1'b0;
    end else if (clear_i) begin
      state_q <= StIdle;
      pass_q  <= PassKey;
      alg_q   <= AlgSha1;
      keep_q  <= 1'b0;
      count_q <= '0;
      inner_last_q <= 1'b0;
    end else begin
      state_q <= state_d;
      pass_q  <= pass_d;
      alg_q   <= alg_d;
      keep_q  <= keep_d;
      count_q <= count_d;
      inner_last_q <= inner_last_d;
    end
  end

  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_o(zeroize)
  );

  always_ff @(posedge clk_i) begin
    if (zeroize) key_q <= '{default: '0};
    else if (key_shift) key_q <= key_d;
  end

endmodule

`default_nettype wire
