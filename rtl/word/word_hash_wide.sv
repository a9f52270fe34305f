// SPDX-License-Identifier: Apache-2.0
//
// The compressions of SHA-224, SHA-256, SHA-384 and SHA-512, small: octets in, blocks of 64 or 128
// of them; the digest's octets out. Padding is the caller's: what comes in is whole blocks.
//
//   octets --> [word] --> [w: 16 words] --w[0]--+--> kw_q --> t_q ----> t1_q --+--> a b c d e f g h
//                            ^ sigma0, sigma1 --+     ^       ^ h       ^      |        |
//                                       constants, or H       |   Sigma1, Ch   Sigma0, Maj
//                                                         H: [8 words] <-- a, at a block's end
//
// The words of the shorter hashes are the upper halves; the lower ones stay 0. A round takes four
// cycles, so that no path has more than one sum. Eight steps of as many cycles shift a value into H
// and into the variables: the initial one after start_i, H plus the variables after the rounds.
// Then seven cycles turn H. So a block takes a cycle for each octet, and 295 cycles, or 359 of the
// longer hashes.
//
//   start_i           begins a digest of kind_i: 0 SHA-256, 1 SHA-224, 2 SHA-384, 3 SHA-512. What
//                     was before is forgotten. From the next cycle on no octet moves for 41 cycles
//   in_*              an octet moves when valid and ready are high
//   out_*             the octets of the digest of the blocks so far, the highest first, of eight
//                     words. Each word takes seven cycles more. Who reads a part starts anew
//   long_o            blocks have 128 octets
//   clear_i           zeroes every register but those of the constants
//
// Latency: constant. in_ready_o and out_valid_o are low while a block is computed.
// Source: FIPS 180-4, sections 5.3, 6.2 to 6.5.

`default_nettype none

module word_hash_wide (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       start_i,
  input  logic [1:0] kind_i,
  output logic       long_o,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_data_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_data_o
);

  localparam int unsigned NumRound = 80;  // of the longer hashes
  localparam int unsigned NumShort = 64;
  localparam int unsigned NumValue = 8;
  localparam int unsigned Zeros = NumRound + 3 * NumValue;  // constants that are 0

  typedef logic [63:0] word_t;

  function automatic word_t rotated(word_t x, int unsigned n);
    return (x >> n) | (x << (64 - n));
  endfunction

  // Of an upper half; the lower one is 0.
  function automatic word_t half_rotated(logic [31:0] x, int unsigned n);
    return {(x >> n) | (x << (32 - n)), 32'd0};
  endfunction

  typedef enum logic [1:0] {
    Load,   // octets move
    Round,
    Step,   // a value is shifted into H
    Turn    // H is turned, so that the digest's next word is the last one
  } state_e;

  // The constants: of rounds; the initial values, each with its last word first; then 0. There is
  // no case here: Yosys' slang frontend takes the default of each in an initial block.
  logic [63:0] constants[128];
  initial begin
    for (int unsigned i = 0; i < 128; i++) begin
      constants[i] = '0;
      if (i < NumRound) constants[i] = sym_hash_pkg::Sha2K[i];
      else if (i < NumRound + NumValue) constants[i] = sym_hash_pkg::Sha2Iv[7-i%NumValue];
      else if (i < NumRound + 2 * NumValue) constants[i] = sym_hash_pkg::Sha2ShortIv[7-i%NumValue];
      else if (i < Zeros) constants[i] = {sym_hash_pkg::Sha2ShortIv[7-i%NumValue][31:0], 32'd0};
    end
  end

  function automatic logic [6:0] initial_value(logic [1:0] kind);
    unique case (kind)
      2'd1: return 7'(NumRound + 2 * NumValue);
      2'd2: return 7'(NumRound + NumValue);
      default: return 7'(NumRound);
    endcase
  endfunction

  state_e state_d, state_q;
  logic long_q;
  logic [1:0] phase_q;
  logic [6:0] index_d, index_q;  // of the constant of the next round, from the second cycle on
  logic [6:0] octet_d, octet_q;  // of the block, or of the digest
  logic [2:0] turn_d, turn_q;  // turns of H that are still to come
  logic last_phase, computing, takes, word_ends, block_ends, rounds_end;
  logic [1:0] starts_q;  // the constant of a start is on its way, is there

  assign last_phase = phase_q == 2'd3;
  assign takes = in_valid_i && in_ready_o;
  assign computing = state_q inside {Round, Step};
  assign word_ends = octet_q[1:0] == '1 && (!long_q || octet_q[2]);
  assign block_ends = octet_q[5:0] == '1 && (!long_q || octet_q[6]);
  assign rounds_end = index_q == 7'(Zeros);

  always_comb begin
    state_d = state_q;
    index_d = index_q;
    octet_d = octet_q;
    turn_d = turn_q;
    unique case (state_q)
      Load: begin
        if (takes) begin
          octet_d = block_ends ? '0 : octet_q + 7'd1;
          if (block_ends) state_d = Round;
        end else if (out_valid_o && out_ready_i) begin
          octet_d = octet_q + 7'd1;
          turn_d  = 3'd7;
          if (word_ends) state_d = Turn;
          if (octet_q[4:0] == '1 && (!long_q || octet_q[5])) octet_d = '0;
        end
      end
      Round: begin
        if (phase_q == 2'd1) begin
          index_d = index_q + 7'd1;
          if (index_q == (long_q ? 7'(NumRound - 1) : 7'(NumShort - 1))) index_d = 7'(Zeros);
        end
        if (last_phase && rounds_end) state_d = Step;
      end
      Step: begin
        if (phase_q == 2'd1) index_d = index_q + 7'd1;
        if (last_phase && index_q[2:0] == '0) begin
          index_d = '0;
          turn_d  = 3'd7;
          state_d = Turn;
        end
      end
      default: begin
        turn_d = turn_q - 3'd1;
        if (turn_q == 3'd1) state_d = Load;
      end
    endcase
    if (|starts_q) begin
      state_d = starts_q[1] ? Step : Load;
      index_d = index_q;
      octet_d = '0;
    end
    if (start_i) index_d = initial_value(kind_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Load;
    end else if (clear_i) begin
      state_q <= Load;
    end else begin
      state_q <= state_d;
    end
  end

  // Variables {a, .., h} and H, the first one the highest; the last ones leave first.
  logic [NumValue-1:0][63:0] v_q, h_q;
  logic [15:0][63:0] w_q;  // w_q[0] is the round's
  logic [55:0] word_q;  // octets of the next word of the block
  word_t read_q, constant_q, kw_q, t_q, t1_q, s2_q, s3_q, m1_q, m2_q;
  word_t sum0_q, sum1_q, small0_q, small1_q;  // Sigma0, Sigma1, sigma0, sigma1
  word_t a, b, c, d, e, f, g, h, value, given, mask;
  logic take, begins;
  assign {a, b, c, d, e, f, g, h} = v_q;
  assign value = t1_q + s3_q;
  assign mask = {32'hffffffff, {32{long_q}}};
  // The first cycle of the rounds: H's last word is the last one again.
  assign begins = state_q == Round && phase_q == '0 && index_q == '0;
  assign take = takes && word_ends;
  assign given = long_q ? {word_q, in_data_i} : {word_q[23:0], in_data_i, 32'd0};

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      phase_q <= '0;
      index_q <= '0;
      octet_q <= '0;
      turn_q <= '0;
      starts_q <= '0;
      long_q <= 1'b0;
    end else begin
      phase_q <= (computing && starts_q == '0) ? phase_q + 2'd1 : '0;
      index_q <= index_d;
      octet_q <= octet_d;
      turn_q <= turn_d;
      starts_q <= {starts_q[0], start_i};
      if (start_i) long_q <= kind_i[1];
    end
  end

  // Without a reset, so that both registers can be those of a block RAM.
  always_ff @(posedge clk_i) begin
    read_q <= constants[index_q];
    constant_q <= read_q;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      kw_q <= '0;
      t_q <= '0;
      t1_q <= '0;
      s2_q <= '0;
      s3_q <= '0;
      m1_q <= '0;
      m2_q <= '0;
      sum0_q <= '0;
      sum1_q <= '0;
      small0_q <= '0;
      small1_q <= '0;
    end else begin
      kw_q <= (constant_q & mask) + (state_q == Step ? h_q[0] : w_q[0]);
      t_q <= kw_q + h;
      t1_q <= t_q + s2_q;
      s2_q <= sum1_q + ((e & f) ^ (~e & g));
      s3_q <= sum0_q + ((a & b) ^ (a & c) ^ (b & c));
      m1_q <= small0_q + w_q[0];
      m2_q <= small1_q + w_q[9];
      if (long_q) begin
        sum1_q   <= rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41);
        sum0_q   <= rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39);
        small0_q <= rotated(w_q[1], 1) ^ rotated(w_q[1], 8) ^ (w_q[1] >> 7);
        small1_q <= rotated(w_q[14], 19) ^ rotated(w_q[14], 61) ^ (w_q[14] >> 6);
      end else begin
        sum1_q <= half_rotated(e[63:32], 6) ^ half_rotated(e[63:32], 11) ^
            half_rotated(e[63:32], 25);
        sum0_q <= half_rotated(a[63:32], 2) ^ half_rotated(a[63:32], 13) ^
            half_rotated(a[63:32], 22);
        small0_q <= half_rotated(w_q[1][63:32], 7) ^ half_rotated(w_q[1][63:32], 18) ^
            {w_q[1][63:32] >> 3, 32'd0};
        small1_q <= half_rotated(w_q[14][63:32], 17) ^ half_rotated(w_q[14][63:32], 19) ^
            {w_q[14][63:32] >> 10, 32'd0};
      end
      if (state_q == Step) begin  // the value is kw + h
        s2_q <= '0;
        s3_q <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || starts_q[1]) begin
      v_q <= '0;
      h_q <= '0;
    end else begin
      if (computing && last_phase) begin
        v_q <= {value, a, b, c, d + (state_q == Round ? t1_q : '0), e, f, g};
      end
      if (state_q == Step && last_phase) h_q <= {value, h_q[7:1]};
      if (state_q == Turn || begins) h_q <= {h_q[0], h_q[7:1]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      w_q <= '0;
      word_q <= '0;
    end else begin
      if (takes) word_q <= {word_q[47:0], in_data_i};
      if (take || (state_q == Round && last_phase)) w_q <= {take ? given : m1_q + m2_q, w_q[15:1]};
    end
  end

  assign long_o = long_q;
  assign in_ready_o = state_q == Load && starts_q == '0;
  assign out_valid_o = in_ready_o;
  assign out_data_o = h_q[0][{~(octet_q[2] && long_q), ~octet_q[1:0], 3'd0}+:8];

endmodule

`default_nettype wire
