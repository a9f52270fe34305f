// SPDX-License-Identifier: Apache-2.0
//
// AES-128 and AES-256 of single blocks, small: an octet a cycle, tables and round keys in one block
// RAM. Modes are the caller's.
//
//   octets --XOR--> [state: 2 x 16 octets] --octet--> [S-box, or its inverse] --+--> [column]
//                        ^                            [round keys] ------XOR----+        |
//                        +-------- XOR of a round key <-- MixColumns, an octet <---------+
//
//   command_*   AesLoad: the next 16 octets of in_* replace the state. AesEncrypt,
//               AesDecrypt: of the state, with the key. AesKey: octets of a key follow.
//               AesExpand: they have moved, 16 or 32; makes the round keys
//   in_*        an octet: of the key where in_key_i is high, else XORed with the state's next one.
//               After 16 octets the next one is the first one again
//   out_*       the state's next octet, which stays there. In and out count in common
//   clear_i     zeroes all but the tables if it is high for 256 cycles
//
// From the cycle behind a command on no octet moves for so many cycles: AesEncrypt and
// AesDecrypt 20 + 36 Nr, Nr = 10 or 14 rounds; AesExpand 480 or 624. Nor is a command taken
// then. Latency: constant.
// Source: FIPS 197.

`default_nettype none

module word_aes
  import word_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       command_valid_i,
  input  aes_e       command_i,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic       in_key_i,
  input  logic [7:0] in_data_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_data_o
);

  typedef enum logic [2:0] {
    Idle,
    KeyRead,   // of an octet of the round keys: S-box, and the octet a key before it
    KeyMake,
    KeyWrite,
    First,     // the first round key is added
    Round
  } state_e;

  localparam logic [3:0] LastPhase = 4'd8;  // of a column

  function automatic logic [7:0] doubled(logic [7:0] x);
    return {x[6:0], 1'b0} ^ (x[7] ? 8'h1b : 8'h00);
  endfunction

  typedef bit [255:0][7:0] table_t;

  // A x^-1 + 63 (hexadecimal). 3 generates all x but 0: x goes through its powers, and y through
  // their inverses.
  function automatic table_t substitution();
    logic [7:0] x, y, sum;
    table_t found;
    found[0] = 8'h63;
    x = 8'h01;
    y = 8'h01;
    for (int unsigned i = 0; i < 255; i++) begin
      sum = y ^ {y[6:0], y[7]} ^ {y[5:0], y[7:6]} ^ {y[4:0], y[7:5]} ^ {y[3:0], y[7:4]};
      found[x] = sum ^ 8'h63;
      x ^= doubled(x);
      y ^= {y[6:0], 1'b0};  // y / 3
      y ^= {y[5:0], 2'd0};
      y ^= {y[3:0], 4'd0};
      y ^= y[7] ? 8'h09 : 8'h00;
    end
    return found;
  endfunction

  function automatic table_t inverted(table_t of);
    table_t found;
    for (int unsigned i = 0; i < 256; i++) found[of[i]] = 8'(i);
    return found;
  endfunction

  localparam table_t Substitution = substitution();
  localparam table_t Inverse = inverted(Substitution);

  // Tables, then the round keys, of which each port reads what it needs.
  (* no_rw_check *) logic [7:0] memory[1024];
  initial begin
    for (int unsigned i = 0; i < 256; i++) begin
      memory[i] = Substitution[i];
      memory[i+256] = Inverse[i];
      memory[i+512] = '0;
      memory[i+768] = '0;
    end
  end

  state_e state_q;
  logic decrypt_q, long_q, load_q;
  logic [3:0] round_q, phase_q, last_round;
  logic [1:0] column_q;
  logic [3:0] octet_q;  // of the state that moves next
  logic [7:0] key_q;  // octet of the round keys
  logic [7:0] rcon_q, first_q, made_q;
  logic [2:0] word_q;  // of the key, of a step of the schedule
  logic [3:0][7:0] line_q;  // a column, or the last four octets of the key
  logic bank_q;

  logic idle, takes, takes_key, gives, rotates, substitutes, ends;
  logic [7:0] table_q, round_key_q, source, made, looked_up;
  logic [9:0] key_address;
  logic key_write;
  logic [7:0] key_data;

  assign idle = state_q == Idle;
  assign in_ready_o = idle;
  assign out_valid_o = idle;
  assign takes = in_valid_i && idle && !in_key_i;
  assign takes_key = in_valid_i && idle && in_key_i;
  assign gives = out_ready_i && idle;
  assign last_round = decrypt_q ? 4'd0 : long_q ? 4'd14 : 4'd10;

  // ------------------------------------------------------------------ schedule of keys
  assign rotates = word_q == '0;
  assign substitutes = rotates || (long_q && word_q == 3'd4);
  assign source = !rotates ? line_q[0] : (key_q[1:0] == 2'd3) ? first_q : line_q[1];
  assign made = round_key_q ^ (substitutes ? table_q : source) ^
      ((rotates && key_q[1:0] == 2'd0) ? rcon_q : 8'h00);
  assign ends = key_q == (long_q ? 8'd239 : 8'd175);

  // ------------------------------------------------------------------ state
  logic [7:0] cells[32];
  logic [4:0] read_address, write_address;
  logic [7:0] cell_octet, cell_data, mixed, sum;
  logic cell_write;
  logic [3:0] at;  // of a round's octet that is written
  logic [1:0] from;  // the column that it is read from

  assign from = decrypt_q ? column_q - phase_q[1:0] : column_q + phase_q[1:0];
  assign at   = {column_q, phase_q[1:0] - 2'd1};
  assign sum  = line_q[0] ^ line_q[1] ^ line_q[2] ^ line_q[3];
  always_comb begin
    mixed = doubled(line_q[0] ^ line_q[1]) ^ sum ^ line_q[0];
    if (decrypt_q) begin
      mixed ^= doubled(doubled(doubled(sum))) ^ doubled(doubled(line_q[0] ^ line_q[2]));
    end
    if (round_q == last_round) mixed = line_q[0];
    unique case (state_q)
      Round: begin
        read_address = {bank_q, from, phase_q[1:0]};
        write_address = {~bank_q, at};
        cell_data = mixed ^ (decrypt_q ? 8'h00 : round_key_q);
        cell_write = phase_q > 4'd4;
      end
      First: begin
        read_address = {1'b0, at};
        write_address = {1'b0, at};
        cell_data = cell_octet ^ round_key_q;
        cell_write = phase_q != '0;
      end
      default: begin
        read_address = {1'b0, octet_q};
        write_address = {1'b0, octet_q};
        cell_data = in_data_i ^ (load_q ? 8'h00 : cell_octet);
        cell_write = takes;
      end
    endcase
    if (clear_i) begin
      write_address = key_q[4:0];
      cell_data = '0;
      cell_write = 1'b1;
    end
  end

  always_ff @(posedge clk_i) if (cell_write) cells[write_address] <= cell_data;
  assign cell_octet = cells[read_address];
  assign out_data_o = out_valid_o ? cell_octet : '0;

  // ------------------------------------------------------------------ memory
  assign looked_up = (state_q == Round) ? cell_octet : source;
  always_comb begin
    key_address = {2'b10, key_q};
    if (state_q == KeyRead) key_address = {2'b10, key_q - (long_q ? 8'd32 : 8'd16)};
    if (state_q == Round || state_q == First) begin
      key_address = {2'b10, round_q, column_q, phase_q[1:0]};
    end
    key_write = clear_i || takes_key || state_q == KeyWrite;
    key_data  = clear_i ? '0 : takes_key ? in_data_i : made_q;
  end

  always_ff @(posedge clk_i) begin
    table_q <= memory[{1'b0, state_q==Round&&decrypt_q, looked_up}];
  end
  always_ff @(posedge clk_i) begin
    if (key_write) memory[key_address] <= key_data;
    else round_key_q <= memory[key_address];
  end

  // ------------------------------------------------------------------ sequence
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else if (clear_i) state_q <= Idle;
    else begin
      unique case (state_q)
        Idle: begin
          if (command_valid_i && command_i == AesExpand) state_q <= KeyRead;
          if (command_valid_i && command_i inside {AesEncrypt, AesDecrypt}) state_q <= First;
        end
        KeyRead: state_q <= KeyMake;
        KeyMake: state_q <= KeyWrite;
        KeyWrite: state_q <= ends ? Idle : KeyRead;
        First: if (column_q == 2'd3 && phase_q == 4'd4) state_q <= Round;
        default: begin
          if (column_q == 2'd3 && phase_q == LastPhase && round_q == last_round) state_q <= Idle;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      decrypt_q <= 1'b0;
      long_q <= 1'b0;
      load_q <= 1'b0;
      round_q <= '0;
      phase_q <= '0;
      column_q <= '0;
      octet_q <= '0;
      key_q <= key_q + 8'd1;
      rcon_q <= 8'h01;
      first_q <= '0;
      made_q <= '0;
      word_q <= '0;
      line_q <= '0;
      bank_q <= 1'b0;
    end else begin
      unique case (state_q)
        Idle: begin
          if (takes || gives) begin
            octet_q <= octet_q + 4'd1;
            if (takes && &octet_q) load_q <= 1'b0;
          end
          if (takes_key) begin
            key_q  <= key_q + 8'd1;
            line_q <= {in_data_i, line_q[3:1]};
          end
          if (command_valid_i) begin
            unique case (command_i)
              AesLoad:   load_q <= 1'b1;
              AesKey: begin
                key_q  <= '0;
                word_q <= '0;
                rcon_q <= 8'h01;
              end
              AesExpand: long_q <= key_q[5];
              default:   ;
            endcase
            decrypt_q <= command_i == AesDecrypt;
            column_q <= '0;
            phase_q <= '0;
            bank_q <= 1'b0;
            round_q <= (command_i == AesEncrypt) ? '0 : long_q ? 4'd14 : 4'd10;
          end
        end
        KeyRead: ;
        KeyMake: made_q <= made;
        KeyWrite: begin
          key_q  <= key_q + 8'd1;
          line_q <= {made_q, line_q[3:1]};
          if (key_q[1:0] == 2'd0) first_q <= line_q[0];
          if (key_q[1:0] == 2'd3) begin
            word_q <= (word_q == (long_q ? 3'd7 : 3'd3)) ? '0 : word_q + 3'd1;
            if (rotates) rcon_q <= doubled(rcon_q);
          end
        end
        default: begin
          phase_q <= phase_q + 4'd1;
          if (phase_q == ((state_q == First) ? 4'd4 : LastPhase)) begin
            phase_q  <= '0;
            column_q <= column_q + 2'd1;
            if (column_q == 2'd3) begin
              round_q <= decrypt_q ? round_q - 4'd1 : round_q + 4'd1;
              if (state_q == Round) bank_q <= ~bank_q;
            end
          end
          if (state_q == Round) begin
            if (phase_q inside {[4'd1 : 4'd4]}) begin
              line_q <= {table_q ^ (decrypt_q ? round_key_q : 8'h00), line_q[3:1]};
            end else if (phase_q > 4'd4) begin
              line_q <= {line_q[0], line_q[3:1]};
            end
          end
        end
      endcase
    end
  end

endmodule

`default_nettype wire
