// SPDX-License-Identifier: Apache-2.0
//
// Hash of padded blocks, Rounds rounds a cycle: SHA-1, SHA-224, SHA-256 (WordW = 32) or SHA-384,
// SHA-512 (WordW = 64).
//
//   word_* --------+                 K of the round
//                  v                       |
//           +-------------+  newest  +-----v-----------+     +-----+
//      +--->| w_q[0..15]  |--------->| sym_hash_round  |---->| v_q |---+
//      |    | shift reg.  |  words   | Rounds copies   |  +--| a..h|   |
//      |    +------+------+          +-----------------+  |  +-----+   | StAdd
//      |           v                        ^             |            v
//      +-- sym_hash_schedule                +-------------+     h_q = h_q + v_q --> digest_*
//
// Parameters: WordW is 32 or 64. PerCycle, the words that move in a cycle, is 1 or 2. W = WordW
// PerCycle. Rounds, those of a cycle, is PerCycle, or 1.
//
// alg_i is read with the request; it must be an algorithm of WordW. The unit accepts W bits of a
// block in PerCycle / Rounds cycles. The digest is a stream as in sym_pkg, its first word first.
// The registers fill with zeros while the digest moves out. req_ready_o is high when no word of the
// digest is left.
//
// Latency. The request moves in cycle t, and blocks come without a gap. The first word moves in
// t + 1. A block takes
//
//   C = r / Rounds + 1 cycles   (r, the rounds of a block: 64 for SHA-224 and SHA-256, else 80).
//
// The first word of the next block moves C cycles after that of the block before. The digest begins
// in cycle t + 2 + C n after n blocks. Words move in the block's first 16 / Rounds cycles. A late
// word delays everything by as many cycles.
//
// Structure. A shift register has the last sixteen words of the message schedule: first those of
// the port, then those of sym_hash_schedule. The rounds use its newest words one cycle later. The
// cycle after the last round adds the chaining value and accepts the next block's first word.
// Source: FIPS 180-4, section 6.
`default_nettype none

module sym_hash_core
  import sym_pkg::*;
  import sym_hash_pkg::*;
#(
  parameter int unsigned WordW = 32,
  parameter int unsigned PerCycle = 2,
  parameter int unsigned Rounds = PerCycle,
  localparam int unsigned W = WordW * PerCycle,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  alg_e              alg_i,
  input  logic              word_valid_i,
  output logic              word_ready_o,
  input  logic [     W-1:0] word_data_i,
  input  logic              word_last_i,
  output logic              digest_valid_o,
  input  logic              digest_ready_i,
  output logic [     W-1:0] digest_data_o,
  output logic [BytesW-1:0] digest_bytes_o,
  output logic              digest_last_o
);

  localparam int unsigned InputCycles = 16 / Rounds;
  localparam int unsigned LongCycles = 80 / Rounds;
  localparam int unsigned ShortCycles = 64 / Rounds;
  localparam int unsigned CountW = $clog2(LongCycles + 1);
  localparam int unsigned StepW = WordW * Rounds;  // of the schedule, in a cycle

  typedef logic [WordW-1:0] word_t;
  typedef enum logic [1:0] {
    StIdle,
    StRun,
    StAdd,
    StDigest
  } state_e;

  state_e state_d, state_q;
  alg_e alg_d, alg_q;
  logic zeroize, zero_wv;
  // Steps of the schedule of this block that are in w_q.
  logic [CountW-1:0] count_d, count_q;
  // fresh: the newest words of w_q are still to go through a round. last: they belong to the
  // last block.
  logic fresh_d, fresh_q;
  logic last_d, last_q;
  // k and f of the rounds of the newest words.
  word_t k_d[Rounds], k_q[Rounds];
  sha1_f_e f_d, f_q;

  word_t w_d[16], w_q[16];  // schedule
  word_t v_d[8], v_q[8];  // working variables
  word_t h_d[8], h_q[8];  // chaining value

  logic init_q;  // alg_q is new
  logic start, sha1, short_iv, short_run, feed, push, all;
  // Words of the digest that have not moved; this cycle's words end it; one word is left.
  logic [3:0] left_d, left_q;
  logic end_d, end_q, single_d, single_q;
  logic [StepW-1:0] next, newest, moved;
  logic wants;  // this step needs a word of the port
  logic [CountW-1:0] cycles;

  assign sha1 = WordW == 32 && alg_q == AlgSha1;
  assign short_run = WordW == 32 && !sha1;
  assign short_iv = alg_q == ((WordW == 32) ? AlgSha224 : AlgSha384);
  assign cycles = short_run ? CountW'(ShortCycles) : CountW'(LongCycles);
  assign all = count_q == cycles;

  assign feed = state_q == StRun ? count_q < CountW'(InputCycles) : (state_q == StAdd && !last_q);
  assign push = feed ? !wants || word_valid_i : (state_q == StRun && !all);
  assign newest = feed ? moved : next;

  assign req_ready_o  = state_q == StIdle && !zeroize;
  assign word_ready_o = feed && wants;
  assign start = req_valid_i && req_ready_o;

  sym_hash_schedule #(
    .WordW(WordW),
    .PerCycle(Rounds)
  ) u_schedule (
    .sha1_i(sha1),
    .w_i(w_q),
    .next_o(next)
  );

  if (Rounds == PerCycle) begin : gen_whole
    assign wants = 1'b1;
    assign moved = word_data_i;
  end else begin : gen_halves
    // The second half of the port's word, for the step after.
    word_t half_q;

    assign wants = !count_q[0];
    assign moved = wants ? word_data_i[W-1-:WordW] : half_q;

    always_ff @(posedge clk_i) begin
      if (zero_wv) half_q <= '0;
      else if (push) half_q <= wants && feed ? word_data_i[WordW-1:0] : '0;
    end
  end

  for (genvar i = 0; i < Rounds; i++) begin : gen_round
    word_t v_in[8], v_out[8];

    if (i == 0) begin : gen_first
      assign v_in = v_q;
    end else begin : gen_next
      assign v_in = gen_round[i-1].v_out;
    end

    sym_hash_round #(
      .WordW(WordW)
    ) u_round (
      .f_i(f_q),
      .k_i(k_q[i]),
      .w_i(w_q[16-Rounds+i]),
      .v_i(v_in),
      .v_o(v_out)
    );
  end

  // SHA-1 has four phases of twenty rounds.
  logic [1:0] phase;

  always_comb begin
    phase = 2'd3;
    for (int unsigned i = 3; i > 0; i--) begin
      if (count_q < CountW'(20 * i / Rounds)) phase = 2'(i - 1);
    end
    f_d = f_q;
    if (push) begin
      unique case (phase)
        2'd0: f_d = Sha1Choose;
        2'd2: f_d = Sha1Majority;
        default: f_d = Sha1Parity;
      endcase
      if (!sha1) f_d = Sha2;
    end
  end

  for (genvar i = 0; i < Rounds; i++) begin : gen_k
    logic [6:0] round;
    word_t k;

    assign round = 7'(count_q) * 7'(Rounds) + 7'(i);
    assign k = round < 7'd80 ? Sha2K[round][63-:WordW] : '0;
    assign k_d[i] = !push ? k_q[i] : sha1 ? word_t'(Sha1K[phase]) : k;
  end

  // Words of the digest, of WordW bits each.
  assign digest_valid_o = state_q == StDigest;
  assign digest_last_o = end_q;

  always_comb begin
    digest_data_o  = '0;
    digest_bytes_o = '0;
    if (digest_valid_o) begin
      for (int unsigned i = 0; i < PerCycle; i++) begin
        if (i == 0 || !single_q) begin
          digest_data_o[W-1-WordW*i-:WordW] = h_q[i];
          digest_bytes_o = BytesW'((i + 1) * WordW / 8);
        end
      end
    end
  end

  always_comb begin
    state_d = state_q;
    alg_d   = alg_q;
    count_d = count_q;
    last_d  = last_q;
    left_d  = '0;
    fresh_d = push;
    if (push) begin
      count_d = count_q + CountW'(1);
      if (feed && word_last_i) last_d = 1'b1;
    end
    unique case (state_q)
      StIdle: begin
        if (start) begin
          state_d = StRun;
          alg_d   = alg_i;
        end
      end
      StRun: begin
        if (all) begin
          state_d = StAdd;
          count_d = '0;
        end
      end
      StAdd: begin
        state_d = StRun;
        if (last_q) begin
          state_d = StDigest;
          last_d  = 1'b0;
          left_d  = digest_words(alg_q);
        end
      end
      default: begin
        left_d = left_q;
        if (digest_ready_i) begin
          left_d = digest_last_o ? '0 : left_q - 4'(PerCycle);
          if (digest_last_o) state_d = StIdle;
        end
      end
    endcase
    end_d = left_d != '0 && left_d <= 4'(PerCycle);
    single_d = left_d == 4'd1;
  end

  // Next values of the data registers.
  always_comb begin
    for (int unsigned i = 0; i < 16 - Rounds; i++) w_d[i] = w_q[i+Rounds];
    for (int unsigned i = 0; i < Rounds; i++) begin
      w_d[16-Rounds+i] = newest[StepW-1-WordW*i-:WordW];
    end
    for (int unsigned i = 0; i < 8; i++) begin
      unique case (state_q)
        StRun: begin
          h_d[i] = short_iv ? Sha2ShortIv[i][WordW-1:0] : Sha2Iv[i][63-:WordW];
          if (sha1) h_d[i] = i < 5 ? word_t'(Sha1Iv[i%5]) : '0;
        end
        StDigest: h_d[i] = i + PerCycle < 8 ? h_q[(i+PerCycle)%8] : '0;
        default:  h_d[i] = h_q[i] + v_q[i];
      endcase
      v_d[i] = fresh_q ? gen_round[Rounds-1].v_out[i] : h_d[i];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      alg_q   <= AlgSha1;
      count_q <= '0;
      fresh_q <= 1'b0;
      init_q  <= 1'b0;
      last_q  <= 1'b0;
      left_q  <= '0;
      end_q <= 1'b0;
      single_q <= 1'b0;
      f_q     <= Sha2;
      k_q     <= '{default: '0};
    end else if (clear_i) begin
      state_q <= StIdle;
      alg_q   <= AlgSha1;
      count_q <= '0;
      fresh_q <= 1'b0;
      init_q  <= 1'b0;
      last_q  <= 1'b0;
      left_q  <= '0;
      end_q <= 1'b0;
      single_q <= 1'b0;
      f_q     <= Sha2;
      k_q     <= '{default: '0};
    end else begin
      state_q <= state_d;
      alg_q   <= alg_d;
      count_q <= count_d;
      fresh_q <= fresh_d;
      init_q  <= start;
      last_q  <= last_d;
      left_q  <= left_d;
      end_q <= end_d;
      single_q <= single_d;
      f_q     <= f_d;
      k_q     <= k_d;
    end
  end

  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_o(zeroize)
  );

  // High when the message needs the registers no more.
  logic zero_h, h_write, v_write;
  assign zero_wv = zeroize || (state_q == StAdd && last_q);
  assign h_write = init_q || state_q == StAdd || (digest_valid_o && digest_ready_i);
  assign v_write = fresh_q || init_q || state_q == StAdd;
  assign zero_h  = zeroize || (digest_last_o && digest_ready_i);

  always_ff @(posedge clk_i) begin
    if (zero_wv) begin
      w_q <= '{default: '0};
      v_q <= '{default: '0};
    end else begin
      if (push) w_q <= w_d;
      if (v_write) v_q <= v_d;
    end
    if (zero_h) h_q <= '{default: '0};
    else if (h_write) h_q <= h_d;
  end

  if (!(WordW inside {32, 64}) || !(PerCycle inside {1, 2}) || !(Rounds inside {1, PerCycle}))
  begin : gen_bad_parameters
    $error("sym_hash_core: WordW must be 32 or 64, PerCycle 1 or 2, Rounds 1 or PerCycle");
  end

endmodule

`default_nettype wire
