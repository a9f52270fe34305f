// SPDX-License-Identifier: Apache-2.0
//
// AES-128, AES-192 and AES-256: encrypts or decrypts single blocks. The key schedule runs on the
// fly.
//
//   key_* --> key_q ----> window_q <---> sym_aes_word <---- T = SubWord(..) ^ rcon
//             first          |                |                        ^
//             window         | first words    | round key              | 4 S-boxes of column 0
//                            v                v                        |
//   block_* --------------> XOR --> bytes_q --> S-boxes --> MixColumns, AddRoundKey --+
//                                   ^    |      (2 cycles)                            |
//                                   |    +--> result_*                                |
//                                   +-------------------------------------------------+
//
// Parameters: Columns is 1, 2 or 4; the unit has 4 Columns S-boxes. W is 32 or 64.
//
// key_req_* starts a new key. It gives the key's size, and the direction of all blocks that follow.
// The unit then accepts the key's words of W bits on key_*. It accepts one block at a time on
// block_* and returns it on result_*. Byte 0 is in the highest bits of words and blocks. Without a
// key the unit accepts no block. The key stays until the next key_req_* or clear_i.
//
// Latency. Nr = 10, 12 or 14 is the number of rounds. If the key's last word moves in cycle t, the
// first block can move in cycle t + 2 (encrypt) or t + 3 + Nr (4 / Columns + 1) (decrypt). If a
// block moves in cycle t, the result is valid from cycle
//
//   t + 1 + Nr (4 / Columns + 1)
//
// until it moves. The next block can move in the cycle after that; the state is zero by then.
//
// Structure. A round begins Columns columns a cycle: ShiftRows (it is the places that are read) and
// the first half of SubBytes. The second half, MixColumns and AddRoundKey follow in the next cycle.
// The rows rotate by Columns in each of these cycles, so the places are fixed. Each new byte is
// written over an old one. The key schedule makes one word for each column. One more cycle ends the
// last columns and rotates the rows into place; in it the first four S-boxes begin SubWord for the
// next four words of the schedule. For decryption, the schedule runs backwards from the key of the
// last round, which is computed once for each key, and the block's columns are in reverse order.
// InvMixColumns is MixColumns after a sum with multiples by 4.
// Source: FIPS 197.
`default_nettype none

module sym_aes
  import sym_aes_pkg::*;
#(
  parameter int unsigned Columns = 1,
  parameter int unsigned W = 64
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             key_req_valid_i,
  output logic             key_req_ready_o,
  input  aes_key_e         key_req_size_i,
  input  logic             key_req_decrypt_i,
  input  logic             key_valid_i,
  output logic             key_ready_o,
  input  logic     [W-1:0] key_data_i,
  input  logic             block_valid_i,
  output logic             block_ready_o,
  input  logic     [127:0] block_data_i,
  output logic             result_valid_o,
  input  logic             result_ready_i,
  output logic     [127:0] result_data_o
);

  localparam int unsigned Turns = 4 / Columns;
  localparam int unsigned PerWord = W / 32;

  typedef logic [31:0] word_t;
  typedef enum logic [2:0] {
    StNoKey,
    StKey,
    StReady,
    StPrepare,  // schedule runs to the last round's key
    StIdle,
    StRound,
    StResult
  } state_e;

  logic zeroize, zero_key, zero_block;
  state_e state_d, state_q;
  aes_key_e size_d, size_q;
  logic decrypt_d, decrypt_q;
  // StKey: words of W bits of the key that have moved. In a round: cycles done, Turns with
  // columns and one with SubWord.
  logic [3:0] count_d, count_q;
  // Steps of the schedule, modulo 2 and modulo 3 (used for 192-bit keys only), and rcon of the
  // next use in forward direction.
  logic odd_d, odd_q;
  logic [1:0] third_d, third_q;
  logic [7:0] rcon_d, rcon_q;
  // Rounds done.
  logic [3:0] round_d, round_q;

  // Key schedule: the window with which a block begins, and the present one.
  word_t key_d[8], key_q[8];
  word_t window_d[8], window_q[8];
  // T of this round's words, whether it has rcon, and which word uses it.
  word_t t, t_d, t_q;
  logic with_rcon_d, with_rcon_q;
  logic [3:0] use_d, use_q;
  // The block: bytes_q[row][place], with column 0 in place 0, or in place 3 if decrypt_q. So a
  // round reads and writes the same places in both directions, and the rows rotate to the left.
  logic [7:0] bytes_d[4][4], bytes_q[4][4];

  logic [3:0] rounds, key_words;
  // With four columns nothing is written within a round, and mix is not used.
  // verilator lint_off UNUSEDSIGNAL
  logic back, substitute, last_round, turn, walk, mix, rotate, prepared, restart, accept;
  // verilator lint_on UNUSEDSIGNAL
  logic begins, with_rcon, window_write, zero_sub;
  logic [7:0] key_write;
  logic [3:0] uses;
  logic [7:0] rcon;
  word_t sub_in, sub_out;

  function automatic logic [7:0] double(logic [7:0] x);
    return {x[6:0], 1'b0} ^ (x[7] ? 8'h1b : 8'h00);
  endfunction

  function automatic logic [7:0] halve(logic [7:0] x);
    return {1'b0, x[7:1]} ^ (x[0] ? 8'h8d : 8'h00);
  endfunction

  always_comb begin
    unique case (size_q)
      AesKey128: begin
        rounds = 4'd10;
        key_words = 4'(4 / PerWord);
      end
      AesKey192: begin
        rounds = 4'd12;
        key_words = 4'(6 / PerWord);
      end
      default: begin
        rounds = 4'd14;
        key_words = 4'(8 / PerWord);
      end
    endcase
  end

  assign turn = state_q == StRound && count_q != 4'(Turns);
  assign walk = turn || (state_q == StPrepare && count_q != 4'(Turns));
  assign mix = state_q == StRound && count_q != '0;
  assign rotate = state_q == StRound && count_q == 4'(Turns);
  assign last_round = round_q == rounds - 4'd1;
  assign accept = block_valid_i && block_ready_o;
  assign prepared = state_q == StPrepare && count_q == 4'(Turns) && round_q == rounds;
  assign restart = state_q == StReady || (rotate && last_round);
  assign window_write = restart || walk;
  // SubWord begins in the cycle before each round, and ends in its first one.
  assign substitute = accept || (rotate && !last_round)
                   || (state_q == StPrepare && count_q == 4'(Turns) && !prepared);
  assign begins = walk && count_q == '0;
  assign back = decrypt_q && state_q != StPrepare;

  assign key_req_ready_o = (state_q == StNoKey || state_q == StIdle) && !zeroize;
  assign key_ready_o = state_q == StKey;
  assign block_ready_o = state_q == StIdle && !key_req_valid_i && !zeroize;
  assign result_valid_o = state_q == StResult;

  // Key schedule.
  assign rcon = back ? rcon_q : halve(rcon_q);
  assign t_d = sub_out ^ (with_rcon_q ? {rcon, 24'h0} : '0);
  assign t = begins ? t_d : t_q;

  sym_aes_key u_key (
    .size_i(size_q),
    .back_i(back),
    .third_i(third_q),
    .odd_i(odd_q),
    .window_i(window_q),
    .word_o(uses),
    .sub_o(sub_in),
    .rcon_o(with_rcon)
  );

  // Columns.
  for (genvar i = 0; i < Columns; i++) begin : gen_column
    word_t window_in[8], window_out[8];
    word_t made, round_key, round_key_q;
    logic [7:0] sub[4], keyed[4], mixed_in[4], mixed[4], out[4];

    if (i == 0) begin : gen_first
      assign window_in = window_q;
    end else begin : gen_next
      assign window_in = gen_column[i-1].window_out;
    end

    sym_aes_word u_word (
      .size_i(size_q),
      .back_i(back),
      .use_i(use_q[i]),
      .t_i(t),
      .window_i(window_in),
      .window_o(window_out),
      .word_o(made)
    );

    // Forward, the schedule makes w[b + Nk]. This round needs w[b + 4], which is in the
    // window if Nk is above 4.
    assign round_key = (back || size_q == AesKey128) ? made : window_in[4];

    for (genvar r = 0; r < 4; r++) begin : gen_row
      logic [7:0] in, place;

      // ShiftRows, or its inverse.
      assign place = bytes_q[r][(i+r)%4];
      if (i == 0) begin : gen_shared
        assign in = turn ? place : sub_in[31-8*r-:8];
        assign sub_out[31-8*r-:8] = sub[r];
      end else begin : gen_own
        assign in = place;
      end

      sym_aes_sbox u_sbox (
        .clk_i(clk_i),
        .zero_i(zero_sub),
        .write_i(turn || (substitute && i == 0)),
        .inverse_i(decrypt_q && turn),
        .x_i(in),
        .y_o(sub[r])
      );

      assign keyed[r] = sub[r] ^ round_key_q[31-8*r-:8];
      // The sum with multiples by 4 turns MixColumns into its inverse.
      assign mixed_in[r] = decrypt_q ? keyed[r] ^ double(double(keyed[r] ^ keyed[(r+2)%4]))
                                     : sub[r];
      assign mixed[r] = mixed_in[0] ^ mixed_in[1] ^ mixed_in[2] ^ mixed_in[3] ^ mixed_in[r]
                      ^ double(mixed_in[r] ^ mixed_in[(r+1)%4]);
      assign out[r] = last_round ? keyed[r]
                    : decrypt_q ? mixed[r]
                                : mixed[r] ^ round_key_q[31-8*r-:8];
    end

    always_ff @(posedge clk_i) begin
      if (zero_sub) round_key_q <= '0;
      else if (turn) round_key_q <= round_key;
    end
  end

  // Each turn rotates the rows by its columns. A column that was read in the turn before is written
  // over its own bytes, one rotation further. The last ones are written where the rows are rotated
  // once more, by ShiftRows.
  for (genvar r = 0; r < 4; r++) begin : gen_written
    for (genvar p = 0; p < 4; p++) begin : gen_place
      // Which column is written here in a turn, and at the end of the round; none from Columns on.
      localparam int unsigned Turned = (p + 8 + 2 * Columns - r) % 4;
      localparam int unsigned Last = (p + Columns) % 4;
      logic [7:0] start, turned, last;

      assign start = decrypt_q ? block_data_i[32*p+24-8*r+:8] ^ window_q[3-p][31-8*r-:8]
                               : block_data_i[127-32*p-8*r-:8] ^ window_q[p][31-8*r-:8];
      if (Turns > 1 && Turned < Columns) begin : gen_turned
        assign turned = mix ? gen_column[Turned].out[r] : bytes_q[r][(p+Columns)%4];
      end else begin : gen_moved
        assign turned = bytes_q[r][(p+Columns)%4];
      end
      if (Last < Columns) begin : gen_last
        assign last = gen_column[Last].out[r];
      end else begin : gen_kept
        assign last = bytes_q[r][(p+r)%4];
      end
      assign bytes_d[r][p] = turn ? turned : rotate ? last : start;
    end
  end

  always_comb begin
    result_data_o = '0;
    for (int unsigned r = 0; r < 4; r++) begin
      for (int unsigned c = 0; c < 4; c++) begin
        if (result_valid_o) result_data_o[127-32*c-8*r-:8] = bytes_q[r][decrypt_q?3-c : c];
      end
    end
  end

  always_comb begin
    key_d = window_q;
    key_write = {8{prepared}};
    window_d = gen_column[Columns-1].window_out;
    use_d = use_q;
    odd_d = odd_q;
    third_d = third_q;
    rcon_d = rcon_q;
    with_rcon_d = with_rcon_q;
    if (walk) use_d = use_q >> Columns;
    if (substitute) begin
      use_d = uses;
      odd_d = !odd_q;
      if (back) third_d = (third_q == 2'd0) ? 2'd2 : third_q - 2'd1;
      else third_d = (third_q == 2'd2) ? 2'd0 : third_q + 2'd1;
      if (with_rcon) rcon_d = back ? halve(rcon_q) : double(rcon_q);
      with_rcon_d = with_rcon;
    end
    for (int unsigned i = 0; i < 8; i++) begin
      if (!prepared) key_d[i] = key_data_i[W-1-32*(i%PerWord)-:32];
      if (key_valid_i && key_ready_o && count_q == 4'(i / PerWord)) begin
        key_write[i] = 1'b1;
      end
    end
    // Back to the window with which a block begins.
    if (restart || prepared) begin
      if (restart) window_d = key_q;
      odd_d   = 1'b0;
      third_d = '0;
      unique case ({
        decrypt_q && state_q != StReady, size_q
      })
        {1'b1, AesKey128} : rcon_d = 8'h6c;
        {1'b1, AesKey192} : rcon_d = 8'h1b;
        {1'b1, AesKey256} : rcon_d = 8'h80;
        default: rcon_d = 8'h01;
      endcase
    end
  end

  always_comb begin
    state_d = state_q;
    size_d = size_q;
    decrypt_d = decrypt_q;
    count_d = count_q;
    round_d = round_q;
    unique case (state_q)
      StKey: begin
        if (key_valid_i) begin
          count_d = count_q + 4'd1;
          if (count_d == key_words) begin
            count_d = '0;
            state_d = StReady;
          end
        end
      end
      StReady: begin
        count_d = decrypt_q ? 4'(Turns) : '0;
        state_d = decrypt_q ? StPrepare : StIdle;
      end
      StPrepare: begin
        count_d = count_q + 4'd1;
        if (count_q == 4'(Turns)) begin
          count_d = '0;
          round_d = round_q + 4'd1;
          if (prepared) begin
            round_d = '0;
            state_d = StIdle;
          end
        end
      end
      StRound: begin
        count_d = count_q + 4'd1;
        if (rotate) begin
          count_d = '0;
          round_d = round_q + 4'd1;
          if (last_round) begin
            round_d = '0;
            state_d = StResult;
          end
        end
      end
      StResult: if (result_ready_i) state_d = StIdle;
      default:  if (accept) state_d = StRound;
    endcase
    if (key_req_valid_i && key_req_ready_o) begin
      size_d = key_req_size_i;
      decrypt_d = key_req_decrypt_i;
      state_d = StKey;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StNoKey;
      size_q <= AesKey128;
      decrypt_q <= 1'b0;
      count_q <= '0;
      odd_q <= 1'b0;
      use_q <= '0;
      third_q <= '0;
      rcon_q <= '0;
      with_rcon_q <= 1'b0;
      round_q <= '0;
    end else if (clear_i) begin
      state_q <= StNoKey;
      size_q <= AesKey128;
      decrypt_q <= 1'b0;
      count_q <= '0;
      odd_q <= 1'b0;
      use_q <= '0;
      third_q <= '0;
      rcon_q <= '0;
      with_rcon_q <= 1'b0;
      round_q <= '0;
    end else begin
      state_q <= state_d;
      size_q <= size_d;
      decrypt_q <= decrypt_d;
      count_q <= count_d;
      odd_q <= odd_d;
      use_q <= use_d;
      third_q <= third_d;
      rcon_q <= rcon_d;
      with_rcon_q <= with_rcon_d;
      round_q <= round_d;
    end
  end

  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .zeroize_o(zeroize)
  );

  // A result leaves nothing behind when it moves, nor does a key when a new one begins.
  assign zero_key   = zeroize || (key_req_valid_i && key_req_ready_o);
  assign zero_block = zeroize || (result_valid_o && result_ready_i);
  assign zero_sub   = zero_key || zero_block;

  always_ff @(posedge clk_i) begin
    if (zero_key) begin
      key_q <= '{default: '0};
      window_q <= '{default: '0};
      t_q <= '0;
    end else begin
      for (int unsigned i = 0; i < 8; i++) if (key_write[i]) key_q[i] <= key_d[i];
      if (window_write) window_q <= window_d;
      if (begins) t_q <= t_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (zero_block) bytes_q <= '{default: '0};
    else if (accept || turn || rotate) bytes_q <= bytes_d;
  end

  if (!(Columns inside {1, 2, 4}) || !(W inside {32, 64})) begin : gen_bad_parameters
    $error("sym_aes: Columns must be 1, 2 or 4, W 32 or 64");
  end

endmodule

`default_nettype wire
