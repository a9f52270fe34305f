// SPDX-License-Identifier: Apache-2.0
//
// Schemes on the word engine: ECDSA, ECDH, hashes, keys. They are one program of word_core, which
// makes strings in its memory and sends them through a small hash. The port is ecsm_scheme's.
//
//   req_* --> word_core <--octets--> word_host <--> in_*, out_*
//               |  ^ |
//      commands v  | +----octets---> word_hash
//     keys, seed,  | +<---octets---- word_noise <-- noise_*, test_*
//     test mode ---+ conditions
//
//   req_op_i       the operation; the program begins with word req_op_i
//   req_slot_i     the key slot that it uses
//   req_flags_i    its options
//   in_*, out_*    byte strings as in sym_pkg, every word full but the last. When rsp_valid_o is
//                  high, the host must withdraw words of in_* that have not moved
//   rsp_status_o   ecsm_pkg::status_e
//   rsp_cycles_o   cycles from the accepted request to the valid response
//   noise_*        samples of a noise source; test_*: samples of its test mode (word_noise)
//   zeroize_i      drops the job and every key, the state of the random generator included. No word
//                  is offered on out_* from the next cycle on
//
// Keys and the generator's state are numbers of the memory that outlive a program: none hands them
// out. Before the response all else is zeroed. Latency: the cycles of the program.

`default_nettype none

module word_scheme
  import word_pkg::*;
#(
  parameter int unsigned W = 32,
  parameter bit Binary = 0,  // polynomials over GF(2) are numbers, too
  parameter int unsigned Depth = 1024,
  parameter int unsigned Stride = 16,
  parameter int unsigned Key = 0,
  parameter int unsigned Decoys = 0,
  parameter int unsigned FirstRandom = 1,
  parameter int unsigned FirstWork = 1,
  parameter bit WideHash = 0,  // SHA-224 to SHA-512, not SHA-256 alone
  parameter bit SelfTest = 1,  // after reset and after tables (word_requests)
  parameter bit Full = 0,  // AES, SHA-1, strings of any length, pairs of keys
  parameter bit Loaded = 0,  // tables come from the host (word_load), and not from parameters
  parameter bit Ice40 = 0,  // for blocks of the iCE40 UP5K: word_table, word_hash_small, word_mac
  parameter int unsigned NumSlot = 4,
  parameter bit [NumSlot-1:0][SlotW-1:0] Slots = '0,
  parameter bit [2**WalkW-1:0][SlotAddressW-1:0] Starts = '0,
  parameter int unsigned NumWord = 2,
  parameter bit [NumWord-1:0][WordW-1:0] Words = '0,
  parameter int unsigned Fixed = 1,
  parameter bit [Fixed-1:0][W-1:0] Values = '0,
  parameter int unsigned TableStepW = 3,  // 2^TableStepW words from a table's number to the next
  parameter int unsigned NumTable = 2,
  parameter bit [NumTable-1:0][W-1:0] Table = '0,
  localparam int unsigned CycleW = 24
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                zeroize_i,
  input  logic                req_valid_i,
  output logic                req_ready_o,
  input  logic [         5:0] req_op_i,
  input  logic [KeySlotW-1:0] req_slot_i,
  input  logic [         7:0] req_flags_i,
  output logic                rsp_valid_o,
  input  logic                rsp_ready_i,
  output logic [         3:0] rsp_status_o,
  output logic [  CycleW-1:0] rsp_cycles_o,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [        63:0] in_data_i,
  input  logic [         3:0] in_bytes_i,
  input  logic                in_last_i,
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [        63:0] out_data_o,
  output logic [         3:0] out_bytes_o,
  output logic                out_last_o,
  output logic                no_entropy_o,
  output logic                test_mode_o,
  input  logic                noise_valid_i,
  output logic                noise_ready_o,
  input  logic [         7:0] noise_data_i,
  input  logic                test_valid_i,
  output logic                test_ready_o,
  input  logic [         7:0] test_data_i
);

  // ------------------------------------------------------------------ request, keys, seed
  logic [KeySlotW-1:0] slot_q, other_slot_q;  // a fault in one of them is seen: they are opposite
  logic [7:0] flags_q;
  logic [2**KeySlotW-1:0] loaded_q;
  logic seeded_q, secret_q, usable;
  logic command_valid, clear, accepted;
  command_e command;
  logic [PcW-1:0] argument;

  logic zeroize, load_zeroize, core_valid, core_ready, core_answers, core_answered, tests;
  logic [5:0] core_op;
  logic [3:0] core_status;
  logic [CycleW-1:0] core_cycles;
  load_e load;
  logic [LoadAddressW-1:0] load_address;
  logic [LoadW-1:0] load_data;

  assign zeroize  = zeroize_i || load_zeroize;
  assign accepted = req_valid_i && req_ready_o;
  assign usable = !no_entropy_o || test_mode_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
      other_slot_q <= '1;
      flags_q <= '0;
      loaded_q <= '0;
      seeded_q <= 1'b0;
      secret_q <= 1'b0;
    end else begin
      if (accepted) begin
        slot_q <= req_slot_i;
        other_slot_q <= ~req_slot_i;
        flags_q <= req_flags_i;
      end
      if (tests) flags_q <= '0;
      if (Full && command_valid && command == CommandPair) begin
        slot_q[0] <= ~slot_q[0];
        other_slot_q[0] <= ~other_slot_q[0];
      end
      if (command_valid && command == CommandKey) begin
        loaded_q[slot_q] <= argument[0];
        secret_q <= secret_q || argument[0];
      end
      if (command_valid && command == CommandSeed) seeded_q <= argument[0];
      if (!usable) seeded_q <= 1'b0;
      if (zeroize) begin
        loaded_q <= '0;
        seeded_q <= 1'b0;
      end
    end
  end

  // ------------------------------------------------------------------ the engine
  condition_e condition;
  port_e port;
  logic holds, host_busy;
  logic from_valid, from_ready, from_last, to_valid, to_ready, to_last;
  logic [7:0] from_data, to_data;
  logic windowed, dropped, host_last, begins, empty, over, counted;  // see word_window
  logic aes_busy;  // a command to it would be lost

  word_core #(
    .W(W),
    .Binary(Binary),
    .Depth(Depth),
    .Stride(Stride),
    .Key(Key),
    .Decoys(Decoys),
    .FirstRandom(FirstRandom),
    .FirstWork(FirstWork),
    .Loaded(Loaded),
    .OnePort(Ice40),
    .Unsigned(Ice40),
    .Full(Full),
    .NumSlot(NumSlot),
    .Slots(Slots),
    .Starts(Starts),
    .NumWord(NumWord),
    .Words(Words),
    .Fixed(Fixed),
    .Values(Values),
    .TableStepW(TableStepW),
    .NumTable(NumTable),
    .Table(Table)
  ) u_core (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize),
    .load_i(load),
    .load_address_i(load_address),
    .load_data_i(load_data),
    .no_entropy_i(!usable),
    .req_valid_i(core_valid),
    .req_ready_o(core_ready),
    .req_op_i(core_op),
    .key_slot_i(slot_q),
    .clear_o(clear),
    .hold_i(host_busy || aes_busy),
    .condition_i(holds),
    .condition_o(condition),
    .command_valid_o(command_valid),
    .command_o(command),
    .argument_o(argument),
    .port_o(port),
    .windowed_o(windowed),
    .in_valid_i(from_valid),
    .in_ready_o(from_ready),
    .in_last_o(from_last),
    .in_data_i(from_data),
    .out_valid_o(to_valid),
    .out_ready_i(to_ready),
    .out_last_o(to_last),
    .out_data_o(to_data),
    .rsp_valid_o(core_answers),
    .rsp_ready_i(core_answered),
    .rsp_status_o(core_status),
    .rsp_cycles_o(core_cycles)
  );

  // ------------------------------------------------------------------ self-test, tables
  logic host_in_ready;

  word_requests #(
    .SelfTest(SelfTest),
    .Loaded(Loaded),
    .Fixed(Fixed),
    .NumWord(NumWord),
    .NumSlot(NumSlot),
    .NumTable(NumTable)
  ) u_requests (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .zeroize_o(load_zeroize),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_op_i(req_op_i),
    .tests_o(tests),
    .core_valid_o(core_valid),
    .core_ready_i(core_ready),
    .core_op_o(core_op),
    .core_answers_i(core_answers),
    .core_answered_o(core_answered),
    .core_status_i(core_status),
    .core_cycles_i(core_cycles),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_status_o(rsp_status_o),
    .rsp_cycles_o(rsp_cycles_o),
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready_o),
    .in_data_i(in_data_i),
    .in_bytes_i(in_bytes_i),
    .in_last_i(in_last_i),
    .core_in_ready_i(host_in_ready),
    .load_o(load),
    .load_address_o(load_address),
    .load_data_o(load_data)
  );

  // ------------------------------------------------------------------ units
  logic long_blocks, host_in, host_valid, malformed, ended, host_out_ready;
  logic [7:0] host_data;
  assign host_in = port inside {PortHost, PortMessage, PortLength};

  word_host u_host (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear || accepted || zeroize),  // the engine clears a cycle later
    .again_i(begins),
    .empty_i(empty),
    .port_i(port),
    .long_i(long_blocks),
    .malformed_o(malformed),
    .ended_o(ended),
    .over_o(over),
    .counted_o(counted),
    .busy_o(host_busy),
    .from_valid_o(host_valid),
    .from_ready_i(from_ready && host_in),
    .from_last_i(from_last),
    .from_data_o(host_data),
    .to_valid_i(to_valid && port == PortHost && !dropped),
    .to_ready_o(host_out_ready),
    .to_last_i(host_last),
    .to_data_i(to_data),
    .in_valid_i(in_valid_i),
    .in_ready_o(host_in_ready),
    .in_data_i(in_data_i),
    .in_bytes_i(in_bytes_i),
    .in_last_i(in_last_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data_o),
    .out_bytes_o(out_bytes_o),
    .out_last_o(out_last_o)
  );

  logic hash_valid, hash_ready, hash_start, hash_in_valid, hash_out_ready;
  logic [7:0] hash_data, pad;
  always_comb begin
    pad = '0;
    if (port == PortInner) pad = 8'h36;
    if (port == PortOuter) pad = 8'h5c;
  end

  assign hash_start = command_valid && command == CommandHash;
  assign hash_in_valid = to_valid && port inside {PortHash, PortInner, PortOuter} && !dropped;
  assign hash_out_ready = from_ready && port == PortHash;

  word_digest #(
    .WideHash(WideHash),
    .Full(Full),
    .Ice40(Ice40)
  ) u_digest (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .start_i(hash_start),
    .kind_i(argument[2:0]),
    .long_o(long_blocks),
    .in_valid_i(hash_in_valid),
    .in_ready_o(hash_ready),
    .in_data_i(to_data ^ pad),
    .out_valid_o(hash_valid),
    .out_ready_i(hash_out_ready),
    .out_data_o(hash_data)
  );

  logic noise_valid;
  logic [7:0] noise_data;

  word_noise u_noise (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize),
    .choose_i(command_valid && command == CommandTest),
    .test_i(argument[0]),
    .mask_i(port == PortMask),
    .no_entropy_o(no_entropy_o),
    .test_mode_o(test_mode_o),
    .valid_o(noise_valid),
    .ready_i(from_ready && port inside {PortNoise, PortMask}),
    .data_o(noise_data),
    .noise_valid_i(noise_valid_i),
    .noise_ready_o(noise_ready_o),
    .noise_data_i(noise_data_i),
    .test_valid_i(test_valid_i),
    .test_ready_o(test_ready_o),
    .test_data_i(test_data_i)
  );

  // Strings of any length, and AES.
  logic aes_port, aes_ready, aes_valid, done, padding, aligned, more;
  logic [7:0] aes_data, bits_data;
  assign aes_port = Full && port inside {PortMessage, PortLength};
  assign more = Full && port inside {PortInner, PortOuter};  // what comes in

  if (Full) begin : gen_full
    logic passes;
    logic [7:0] padded;

    word_window u_window (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear),
      .command_valid_i(command_valid && command == CommandText),
      .command_i(text_t'(argument)),
      .begins_o(begins),
      .empty_o(empty),
      .counts_i(counted),
      .over_i(over),
      .windowed_i(windowed),
      .moves_i(to_valid && to_ready),
      .last_i(to_last),
      .data_i(to_data),
      .pass_o(passes),
      .last_o(host_last),
      .data_o(padded),
      .decrypted_valid_i(aes_valid && from_ready && port == PortInner),
      .decrypted_i(aes_data),
      .hash_start_i(hash_start),
      .hashes_i(hash_in_valid && hash_ready),
      .bits_ready_i(from_ready && port == PortOuter),
      .bits_data_o(bits_data),
      .done_o(done),
      .padding_o(padding),
      .aligned_o(aligned)
    );
    assign dropped = !passes && !aes_port;
    assign aes_busy = !aes_ready;

    word_aes u_aes (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear),
      .command_valid_i(command_valid && command == CommandAes),
      .command_i(aes_e'(argument[2:0])),
      .in_valid_i(to_valid && aes_port),
      .in_ready_o(aes_ready),
      .in_key_i(port == PortLength),
      .in_data_i(padded),
      .out_valid_o(aes_valid),
      .out_ready_i(from_ready && port == PortInner),
      .out_data_o(aes_data)
    );
  end else begin : gen_small
    assign {dropped, begins, empty, aes_ready, aes_valid, done, padding, aligned} = '0;
    assign host_last = to_last;
    assign aes_busy = 1'b0;
    assign aes_data = '0;
    assign bits_data = '0;
    logic unused_full;
    assign unused_full = ^{windowed, over, counted, aes_ready, aes_valid};
  end

  always_comb begin
    to_ready = (port == PortHost) ? host_out_ready : hash_ready || port == PortMask;
    if (aes_port) to_ready = aes_ready;
    if (dropped) to_ready = 1'b1;
  end
  always_comb begin
    unique case (port)
      PortHash: begin
        from_valid = hash_valid;
        from_data  = hash_data;
      end
      PortNoise, PortMask: begin
        from_valid = noise_valid;
        from_data  = noise_data;
      end
      default: begin
        from_valid = more ? port == PortOuter || aes_valid : host_valid;
        from_data  = !more ? host_data : (port == PortOuter) ? bits_data : aes_data;
      end
    endcase
  end

  always_comb begin
    unique case (condition)
      IfMalformed: holds = malformed;
      IfEmpty: holds = !loaded_q[slot_q] || slot_q != ~other_slot_q;
      IfOptions: holds = |(flags_q & argument[7:0]);
      IfNoEntropy: holds = !usable;
      IfSeeded: holds = seeded_q;
      IfEnded: holds = ended;
      IfSecrets: holds = secret_q;
      IfTest: holds = Full && test_mode_o;
      IfOver: holds = over;
      IfDone: holds = done;
      IfPadding: holds = padding;
      IfAligned: holds = aligned;
      default: holds = 1'b0;
    endcase
  end

  logic unused;
  assign unused = ^argument[PcW-1:8];

endmodule

`default_nettype wire
