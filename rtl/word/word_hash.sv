// SPDX-License-Identifier: Apache-2.0
//
// SHA-256's compression, small: octets in, blocks of 64 of them; the digest's octets out. Padding
// is the caller's: what comes in is whole blocks.
//
//   octets --> [word] --> [w: 16 words] --w[0]--+--> kw_q --> t_q ----> t1_q --+--> a b c d e f g h
//                            ^ sigma0, sigma1 --+     ^       ^ h       ^      |        |
//                                       constants, or H       |   Sigma1, Ch   Sigma0, Maj
//                                                         H: [8 words] <-- a, at a block's end
//
// A round takes four cycles, so that no path has more than one sum. Eight steps of as many cycles
// shift a value into H and into the variables: the initial one after start_i, H plus the variables
// after the rounds. Then seven cycles turn H. So a block takes a cycle for each octet, and 295
// cycles: 256 of rounds, 32 of steps and these.
//
//   start_i           begins a digest; what was before is forgotten. From the next cycle on no
//                     octet moves for 41 cycles
//   in_*              an octet moves when valid and ready are high
//   out_*             the octets of the digest of the blocks so far, the highest first. Each word
//                     takes seven cycles more. Only whole digests are read, between whole blocks
//   clear_i           zeroes every register but that of the constants
//
// Latency: constant. in_ready_o and out_valid_o are low while a block is computed.
// Source: FIPS 180-4, section 6.2.

`default_nettype none

module word_hash (
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
    Turn    // H is turned, so that the digest's next word is the last one
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
  logic [2:0] turn_d, turn_q;  // turns of H that are still to come
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

  // Variables {a, .., h} and H, the first one the highest; the last ones leave first.
  logic [NumValue-1:0][31:0] v_q, h_q;
  logic [15:0][31:0] w_q;  // w_q[0] is the round's
  logic [23:0] word_q;  // octets of the next word of the block
  word_t read_q, constant_q, kw_q, t_q, t1_q, s2_q, s3_q, m1_q, m2_q;
  word_t a, b, c, d, e, f, g, h, value;
  logic take, begins;
  assign {a, b, c, d, e, f, g, h} = v_q;
  assign value = t1_q + s3_q;
  // The first cycle of the rounds: H's last word is the last one again.
  assign begins = state_q == Round && phase_q == '0 && index_q == '0;
  assign take = takes && octet_q[1:0] == '1;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      phase_q <= '0;
      index_q <= '0;
      octet_q <= '0;
      turn_q <= '0;
      starts_q <= '0;
    end else begin
      phase_q <= (computing && starts_q == '0) ? phase_q + 2'd1 : '0;
      index_q <= index_d;
      octet_q <= octet_d;
      turn_q <= turn_d;
      starts_q <= {starts_q[0], start_i};
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
      t_q  <= '0;
      t1_q <= '0;
      s2_q <= '0;
      s3_q <= '0;
      m1_q <= '0;
      m2_q <= '0;
    end else begin
      kw_q <= constant_q + (state_q == Step ? h_q[0] : w_q[0]);
      s2_q <= (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g));
      s3_q <= (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      t_q <= kw_q + h;
      t1_q <= t_q + s2_q;
      m1_q <= (rotated(w_q[1], 7) ^ rotated(w_q[1], 18) ^ (w_q[1] >> 3)) + w_q[0];
      m2_q <= (rotated(w_q[14], 17) ^ rotated(w_q[14], 19) ^ (w_q[14] >> 10)) + w_q[9];
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
      if (takes) word_q <= {word_q[15:0], in_data_i};
      if (take || (state_q == Round && last_phase)) begin
        w_q <= {take ? {word_q, in_data_i} : m1_q + m2_q, w_q[15:1]};
      end
    end
  end

  assign in_ready_o = state_q == Load && starts_q == '0;
  assign out_valid_o = in_ready_o;
  assign out_data_o = h_q[0][{~octet_q[1:0], 3'd0}+:8];

endmodule

`default_nettype wire
