// SPDX-License-Identifier: Apache-2.0
//
// word_hash with the words of a block and H in a block RAM instead of flip-flops, for devices that
// have no other memory: SHA-256's compression, octets in, blocks of 64 of them; the digest's octets
// out. Padding is the caller's: what comes in is whole blocks. Port and cycles are word_hash's.
//
//   octets --> [word] --> [memory: 16 words w, 8 words H] --> read_q --+--> kw_q, as in word_hash
//                             ^                                        |
//                             +-- [sum_q + w, sigma0 or sigma1 of w] <-+
//
// A round takes four cycles, in which w[t], w[t+1], w[t+9] and w[t+14] leave the memory one after
// the other. Their sum is w[t+16], which has the place of w[t]. Eight steps of as many cycles put a
// value into H and into the variables: the initial one after start_i, H plus the variables after
// the rounds. Seven cycles follow, in which nothing moves. So a block takes a cycle for each octet,
// and 295 cycles: 256 of rounds, 32 of steps and these.
//
//   start_i           begins a digest; what was before is forgotten. From the next cycle on no
//                     octet moves for 41 cycles
//   in_*              an octet moves when valid and ready are high
//   out_*             the octets of the digest of the blocks so far, the highest first. Each word
//                     takes seven cycles more. Only whole digests are read, between whole blocks
//   clear_i           zeroes every register but those of the constants and octet_q, and a word of
//                     the memory each cycle. After 33 cycles all of it is 0, and what was read, too
//
// Latency: constant. in_ready_o and out_valid_o are low while a block is computed.
// Source: FIPS 180-4, section 6.2.

`default_nettype none

module word_hash_small (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       start_i,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_data_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_data_o
);

  localparam int unsigned NumRound = 64;
  localparam int unsigned NumValue = 8;

  typedef logic [31:0] word_t;

  function automatic word_t rotated(word_t x, int unsigned n);
    return (x >> n) | (x << (32 - n));
  endfunction

  typedef enum logic [1:0] {
    Load,   // octets move
    Round,
    Step,   // a value is shifted into H
    Turn    // the digest's next word is read
  } state_e;

  // The constants: of rounds, then the initial value, its last word first, then 0.
  logic [31:0] constants[128];
  initial begin
    for (int unsigned i = 0; i < 128; i++) begin
      constants[i] = '0;
      if (i < NumRound) constants[i] = sym_hash_pkg::Sha2K[i][63:32];
      else if (i < NumRound + NumValue) constants[i] = sym_hash_pkg::Sha2Iv[71-i][63:32];
    end
  end

  state_e state_d, state_q;
  logic [1:0] phase_q;
  logic [6:0] index_d, index_q;  // of the constant of the next round, from the second cycle on
  logic [5:0] octet_d, octet_q;  // of the block, or of the digest
  logic [2:0] turn_d, turn_q;  // cycles of Turn that are still to come
  logic last_phase, computing, takes;
  logic [1:0] starts_q;  // the constant of a start is on its way, is there

  assign last_phase = phase_q == 2'd3;
  assign takes = in_valid_i && in_ready_o;
  assign computing = state_q inside {Round, Step};

  always_comb begin
    state_d = state_q;
    index_d = index_q;
    octet_d = octet_q;
    turn_d = turn_q;
    unique case (state_q)
      Load: begin
        if (takes) begin
          octet_d = octet_q + 6'd1;
          if (octet_q == '1) state_d = Round;
        end else if (out_valid_o && out_ready_i) begin
          octet_d = {1'b0, octet_q[4:0] + 5'd1};
          turn_d  = 3'd7;
          if (octet_q[1:0] == '1) state_d = Turn;
        end
      end
      Round: begin
        if (phase_q == 2'd1) begin
          index_d = (index_q == 7'(NumRound - 1)) ? 7'(NumRound + NumValue) : index_q + 7'd1;
        end
        if (last_phase && index_q[6]) state_d = Step;
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
    if (start_i) index_d = 7'(NumRound);
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

  // Variables {a, .., h}.
  logic [NumValue-1:0][31:0] v_q;
  logic [23:0] word_q;  // octets of the next word of the block
  word_t constant_read_q, constant_q, kw_q, t_q, t1_q, s2_q, s3_q, sum_q, sum, term;
  word_t a, b, c, d, e, f, g, h, value;
  logic take, fresh_q;  // H of the steps is 0: those of a start
  assign {a, b, c, d, e, f, g, h} = v_q;
  assign value = t1_q + s3_q;
  assign take = takes && octet_q[1:0] == '1;

  // The memory: w[t] at t modulo 16, then H, its last word first. In the first two cycles of a
  // round t index_q is t, in the others t + 1; alike in those of a step.
  (* no_rw_check *) word_t words[32];
  word_t read_q, written;
  logic [4:0] read_address, write_address;
  logic writes;
  initial begin
    for (int unsigned i = 0; i < 32; i++) words[i] = '0;
  end
  always_comb begin
    read_address = {2'b10, ~octet_q[4:2]};  // the digest's word
    if (takes) read_address = '0;
    if (computing) begin
      read_address[4] = index_q[6] && last_phase;
      unique case (phase_q)
        2'd0: read_address[3:0] = index_q[3:0] + 4'd1;
        2'd1: read_address[3:0] = index_q[3:0] + 4'd9;
        2'd2: read_address[3:0] = index_q[3:0] + 4'd13;
        default: read_address[3:0] = {index_q[3] & ~index_q[6], index_q[2:0]};
      endcase
    end
    write_address = {1'b0, octet_q[5:2]};
    written = {word_q, in_data_i};
    writes = take || (computing && last_phase);
    if (state_q == Round) begin
      write_address[3:0] = index_q[3:0] - 4'd1;
      written = sum;
    end
    if (state_q == Step) begin
      write_address = {2'b10, index_q[2:0] - 3'd1};
      written = t1_q;  // s3_q is 0
    end
    if (clear_i) begin
      write_address = octet_q[4:0];
      read_address = octet_q[4:0] ^ 5'd1;  // not the one that is written
      written = '0;
      writes = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (writes) words[write_address] <= written;
    read_q <= words[read_address];
  end

  // w[t] + sigma0(w[t+1]) + w[t+9] + sigma1(w[t+14])
  always_comb begin
    term = read_q;
    if (phase_q == 2'd1) term = rotated(read_q, 7) ^ rotated(read_q, 18) ^ (read_q >> 3);
    if (phase_q == 2'd3) term = rotated(read_q, 17) ^ rotated(read_q, 19) ^ (read_q >> 10);
    sum = sum_q + term;
  end
  always_ff @(posedge clk_i) begin
    sum_q <= sum;
    if (clear_i || state_q != Round || last_phase) sum_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      phase_q <= '0;
      index_q <= '0;
      octet_q <= octet_q + 6'd1;
      turn_q <= '0;
      starts_q <= '0;
      fresh_q <= 1'b0;
    end else begin
      phase_q <= (computing && starts_q == '0) ? phase_q + 2'd1 : '0;
      index_q <= index_d;
      octet_q <= octet_d;
      turn_q <= turn_d;
      starts_q <= {starts_q[0], start_i};
      if (start_i) fresh_q <= 1'b1;
      else if (state_q == Turn && starts_q == '0) fresh_q <= 1'b0;
    end
  end

  // Without a reset, so that both registers can be those of a block RAM.
  always_ff @(posedge clk_i) begin
    constant_read_q <= constants[index_q];
    constant_q <= constant_read_q;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      kw_q <= '0;
      t_q  <= '0;
      t1_q <= '0;
      s2_q <= '0;
      s3_q <= '0;
    end else begin
      kw_q <= constant_q + (fresh_q ? '0 : read_q);
      s2_q <= (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g));
      s3_q <= (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      t_q <= kw_q + h;
      t1_q <= t_q + s2_q;
      if (state_q == Step) begin  // the value is kw + h
        s2_q <= '0;
        s3_q <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || starts_q[1]) begin
      v_q <= '0;
    end else begin
      if (computing && last_phase) begin
        v_q <= {value, a, b, c, d + (state_q == Round ? t1_q : '0), e, f, g};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      word_q <= '0;
    end else if (takes) begin
      word_q <= {word_q[15:0], in_data_i};
    end
  end

  assign in_ready_o = state_q == Load && starts_q == '0;
  assign out_valid_o = in_ready_o;
  assign out_data_o = read_q[{~octet_q[1:0], 3'd0}+:8];

endmodule

`default_nettype wire
