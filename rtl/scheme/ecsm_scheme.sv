// SPDX-License-Identifier: Apache-2.0
//
// Schemes on a core: ECDSA, ECDH, PSEC-KEM and the like, as programs of a small machine whose words
// move strings between a memory, the host and the units: the core, the order unit, the symmetric
// ones. What it does is said by the programs (ecsm/schemes), which are in a memory beside it.
//
//   req_op_i       the program, which begins with word req_op_i
//   req_slot_i     key slot that it uses; req_flags_i: what the program says
//   in_*, out_*    strings of octets, as in sym_pkg: every word full but the last. Words of in_* that
//                  nobody took when rsp_valid_o is high are to be withdrawn
//   rsp_status_o   ecsm_pkg::status_e; rsp_cycles_o from the accepted request to the valid answer
//   noise_*        samples of a noise source; test_*: those of its test mode (sym_drbg)
//   zeroize_i      drop the job and every key, random state included
//
// Strings go out before the answer, and only when nothing can fail any more.
// Keys stay in their slots, which no program hands out, until replaced or zeroized. When a program
// has ended, the rest of the memory and every register of the units is zeroed, the random generator's
// state aside, before the next request is taken.
// core_*: the port of an engine (gf2m_engine, gfp_engine) or of a farm whose answers keep their order.
// index_o, word_i, constant_*: the memories of the generated module beside; one cycle.
// Latency: what the program takes.

`default_nettype none

module ecsm_scheme
  import scheme_pkg::*;
#(
  parameter int unsigned                 ScalarW    = 256,
  parameter int unsigned                 CoordW     = 256,
  parameter int unsigned                 CycleW     = 24,
  parameter int unsigned                 NumSlot    = 4,
  parameter int unsigned                 SlotWords  = 32,   // of memory, a power of 2
  parameter int unsigned                 OrderW     = 256,
  parameter int unsigned                 OrderD     = 4,
  parameter int unsigned                 Segment    = 0,
  parameter bit          [1:0][OrderW:0] Modulus    = '0,   // the order, the field
  parameter bit          [1:0]           Binary     = '0,
  parameter int unsigned                 HashWordW  = 32,
  parameter int unsigned                 AesColumns = 1,
  parameter int unsigned                 SampleW    = 8,
  parameter int unsigned                 SeedSamples = 96,
  parameter int unsigned                 ReseedSamples = 64,
  parameter int unsigned                 Startup    = 1024,
  localparam int unsigned                SlotW      = (NumSlot > 1) ? $clog2(NumSlot) : 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             zeroize_i,
  input  logic                             req_valid_i,
  output logic                             req_ready_o,
  input  logic              [         5:0] req_op_i,
  input  logic              [   SlotW-1:0] req_slot_i,
  input  logic              [         2:0] req_flags_i,
  output logic                             rsp_valid_o,
  input  logic                             rsp_ready_i,
  output ecsm_pkg::status_e                rsp_status_o,
  output logic              [  CycleW-1:0] rsp_cycles_o,
  input  logic                             in_valid_i,
  output logic                             in_ready_o,
  input  logic              [       W-1:0] in_data_i,
  input  logic              [  BytesW-1:0] in_bytes_i,
  input  logic                             in_last_i,
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output logic              [       W-1:0] out_data_o,
  output logic              [  BytesW-1:0] out_bytes_o,
  output logic                             out_last_o,
  output logic                             no_entropy_o,
  output logic                             test_mode_o,
  input  logic                             noise_valid_i,
  output logic                             noise_ready_o,
  input  logic              [ SampleW-1:0] noise_data_i,
  input  logic                             test_valid_i,
  output logic                             test_ready_o,
  input  logic              [ SampleW-1:0] test_data_i,
  output logic                             core_zeroize_o,
  output logic                             core_req_valid_o,
  input  logic                             core_req_ready_i,
  output logic              [ ScalarW-1:0] core_req_scalar_o,
  output logic              [  CoordW-1:0] core_req_x_o,
  output logic              [  CoordW-1:0] core_req_y_o,
  input  logic                             core_rsp_valid_i,
  output logic                             core_rsp_ready_o,
  input  ecsm_pkg::status_e                core_rsp_status_i,
  input  logic              [  CoordW-1:0] core_rsp_x_i,
  input  logic              [  CoordW-1:0] core_rsp_y_i,
  input  logic                             core_rsp_infinity_i,
  output logic              [ProgramW-1:0] index_o,
  input  logic              [   WordW-1:0] word_i,
  output logic              [AddressW-2:0] constant_address_o,
  input  logic              [       W-1:0] constant_i
);

  localparam int unsigned NumFrom = 11;
  localparam int unsigned NumTo = 16;
  localparam int unsigned NumUnit = 16;
  localparam int unsigned NumIf = 16;
  localparam int unsigned FirstWork = NumSlot * SlotWords;

  // ------------------------------------------------------------------ request
  logic clear, kp_idle, memory_ready, order_ready, settled;
  logic wipe;  // everything but keys and random state
  logic [SlotW-1:0] slot_q;
  logic [2:0] flags_q;
  logic [NumSlot-1:0] loaded_d, loaded_q;

  assign wipe = clear || zeroize_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
      flags_q <= '0;
      loaded_q <= '0;
    end else begin
      if (req_valid_i && req_ready_o) begin
        slot_q <= req_slot_i;
        flags_q <= req_flags_i;
      end
      loaded_q <= zeroize_i ? '0 : loaded_d;
    end
  end

  // ------------------------------------------------------------------ program
  logic start, start_drain, channel_ready, drain_ready, malformed, forget, differs;
  move_t move;
  logic [NumUnit-1:0] command, unit_ready;
  logic [23:0] argument;
  logic [NumIf-1:0] holds, known;
  ecsm_pkg::status_e status[NumIf];

  scheme_control #(
    .CycleW(CycleW),
    .NumUnit(NumUnit),
    .NumIf(NumIf)
  ) u_control (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .settled_i(settled),
    .ready_i(memory_ready && order_ready),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_op_i(ProgramW'(req_op_i)),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_status_o(rsp_status_o),
    .rsp_cycles_o(rsp_cycles_o),
    .clear_o(clear),
    .index_o(index_o),
    .word_i(word_i),
    .start_o(start),
    .start_drain_o(start_drain),
    .move_o(move),
    .channel_ready_i(channel_ready),
    .drain_ready_i(drain_ready),
    .malformed_i(malformed),
    .command_o(command),
    .argument_o(argument),
    .unit_ready_i(unit_ready),
    .holds_i(holds),
    .known_i(known),
    .status_i(status)
  );

  // ------------------------------------------------------------------ moves
  logic [NumFrom-1:0] from_valid, from_ready, from_last;
  logic [W-1:0] from_data[NumFrom];
  logic [BytesW-1:0] from_bytes[NumFrom];
  logic [NumTo-1:0] to_valid, to_ready;
  logic [W-1:0] to_data, read_data;
  logic [BytesW-1:0] to_bytes;
  logic to_last, read;
  logic [AddressW-1:0] target, origin, read_address;
  logic [OctetsW-1:0] length;

  scheme_channel #(
    .NumFrom(NumFrom),
    .NumTo(NumTo)
  ) u_channel (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .start_i(start),
    .move_i(move),
    .ready_o(channel_ready),
    .key_i(AddressW'(slot_q) * AddressW'(SlotWords)),
    .from_valid_i(from_valid),
    .from_ready_o(from_ready),
    .from_data_i(from_data),
    .from_bytes_i(from_bytes),
    .from_last_i(from_last),
    .to_valid_o(to_valid),
    .to_ready_i(to_ready),
    .to_data_o(to_data),
    .to_bytes_o(to_bytes),
    .to_last_o(to_last),
    .target_o(target),
    .origin_o(origin),
    .length_o(length),
    .read_o(read),
    .read_address_o(read_address),
    .read_data_i(read_data),
    .forget_i(forget),
    .differs_o(differs),
    .malformed_o(malformed)
  );

  logic drain_write, drain_host, drain_last, aes_taken;
  logic [AddressW-1:0] drain_target;
  logic [W-1:0] drain_data;
  logic [BytesW-1:0] drain_bytes;

  scheme_drain u_drain (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .start_i(start_drain),
    .move_i(move),
    .ready_o(drain_ready),
    .from_valid_i(from_valid[FromAes]),
    .from_ready_o(aes_taken),
    .from_data_i(from_data[FromAes]),
    .from_bytes_i(from_bytes[FromAes]),
    .from_last_i(from_last[FromAes]),
    .write_o(drain_write),
    .target_o(drain_target),
    .host_valid_o(drain_host),
    .host_ready_i(out_ready_i),
    .data_o(drain_data),
    .bytes_o(drain_bytes),
    .last_o(drain_last)
  );

  scheme_memory #(
    .FirstWork(FirstWork)
  ) u_memory (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .zeroize_i(zeroize_i),
    .ready_o(memory_ready),
    .write_i(to_valid[ToMemory] || drain_write),
    .write_address_i(drain_write ? drain_target : target),
    .write_data_i(drain_write ? drain_data : to_data),
    .read_i(read),
    .read_address_i(read_address),
    .read_data_o(read_data),
    .constant_address_o(constant_address_o),
    .constant_i(constant_i)
  );

  assign from_valid[FromMemory] = 1'b0;
  assign from_data[FromMemory] = '0;
  assign from_bytes[FromMemory] = '0;
  assign from_last[FromMemory] = 1'b0;
  assign to_ready[ToMemory] = 1'b1;
  assign to_ready[ToNothing] = 1'b1;

  // ------------------------------------------------------------------ host
  assign from_valid[FromHost] = in_valid_i;
  assign in_ready_o = from_ready[FromHost];
  assign from_data[FromHost] = in_data_i;
  assign from_bytes[FromHost] = in_bytes_i;
  assign from_last[FromHost] = in_last_i;
  assign out_valid_o = to_valid[ToHost] || drain_host;
  assign to_ready[ToHost] = out_ready_i && !drain_host;
  assign out_data_o = !out_valid_o ? '0 : drain_host ? drain_data : to_data;
  assign out_bytes_o = !out_valid_o ? '0 : drain_host ? drain_bytes : to_bytes;
  assign out_last_o = out_valid_o && (drain_host ? drain_last : to_last);

  // ------------------------------------------------------------------ core
  logic answer, infinity, operand_ready;
  ecsm_pkg::status_e kp_status;

  scheme_kp #(
    .ScalarW(ScalarW),
    .CoordW(CoordW)
  ) u_kp (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .scalar_valid_i(to_valid[ToScalar]),
    .x_valid_i(to_valid[ToX]),
    .y_valid_i(to_valid[ToY]),
    .operand_ready_o(operand_ready),
    .data_i(to_data),
    .start_i(command[UnitKp]),
    .start_ready_o(unit_ready[UnitKp]),
    .answer_o(answer),
    .status_o(kp_status),
    .infinity_o(infinity),
    .next_i(command[UnitKpNext]),
    .rsp_x_ready_i(from_ready[FromX]),
    .rsp_x_o(from_data[FromX]),
    .rsp_y_ready_i(from_ready[FromY]),
    .rsp_y_o(from_data[FromY]),
    .idle_o(kp_idle),
    .req_valid_o(core_req_valid_o),
    .req_ready_i(core_req_ready_i),
    .req_scalar_o(core_req_scalar_o),
    .req_x_o(core_req_x_o),
    .req_y_o(core_req_y_o),
    .rsp_valid_i(core_rsp_valid_i),
    .rsp_ready_o(core_rsp_ready_o),
    .rsp_status_i(core_rsp_status_i),
    .rsp_x_i(core_rsp_x_i),
    .rsp_y_i(core_rsp_y_i),
    .rsp_infinity_i(core_rsp_infinity_i)
  );

  assign core_zeroize_o = wipe && !kp_idle;
  assign to_ready[ToScalar] = operand_ready;
  assign to_ready[ToX] = operand_ready;
  assign to_ready[ToY] = operand_ready;
  assign unit_ready[UnitKpNext] = answer;
  for (genvar i = int'(FromX); i <= int'(FromY); i++) begin : gen_coordinate
    assign from_valid[i] = answer;
    assign from_bytes[i] = BytesW'(W / 8);
    assign from_last[i] = 1'b0;
  end

  // ------------------------------------------------------------------ order
  logic zero, below;

  scheme_order #(
    .OrderW(OrderW),
    .D(OrderD),
    .Segment(Segment),
    .Modulus(Modulus),
    .Binary(Binary)
  ) u_order (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .command_i(command[UnitOrder]),
    .argument_i(argument),
    .ready_o(order_ready),
    .zero_o(zero),
    .below_o(below),
    .begin_i(start),
    .to_valid_i(to_valid[ToOrder]),
    .to_ready_o(to_ready[ToOrder]),
    .to_register_i(target[3:0]),
    .to_data_i(to_data),
    .to_last_i(to_last),
    .from_valid_o(from_valid[FromOrder]),
    .from_ready_i(from_ready[FromOrder]),
    .from_register_i(origin[2:0]),
    .from_data_o(from_data[FromOrder])
  );

  assign unit_ready[UnitOrder] = order_ready;
  assign from_bytes[FromOrder] = BytesW'(W / 8);
  assign from_last[FromOrder] = 1'b0;

  // ------------------------------------------------------------------ symmetric units
  localparam from_e Strings[6] = '{FromHash, FromHmac, FromKdf, FromNonce, FromRandom, FromAes};
  logic [5:0] string_valid, string_ready, string_last;
  logic [W-1:0] string_data[6];
  logic [BytesW-1:0] string_bytes[6];
  ecsm_pkg::status_e random_status, aes_status;

  for (genvar i = 0; i < 6; i++) begin : gen_string
    assign from_valid[Strings[i]] = string_valid[i];
    assign from_data[Strings[i]] = string_data[i];
    assign from_bytes[Strings[i]] = string_bytes[i];
    assign from_last[Strings[i]] = string_last[i];
    assign string_ready[i] = (Strings[i] == FromAes) ? aes_taken : from_ready[Strings[i]];
  end

  scheme_symmetric #(
    .HashWordW(HashWordW),
    .AesColumns(AesColumns),
    .SampleW(SampleW),
    .SeedSamples(SeedSamples),
    .ReseedSamples(ReseedSamples),
    .Startup(Startup)
  ) u_symmetric (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .zeroize_i(zeroize_i),
    .settled_o(settled),
    .secret_i(|loaded_q),
    .length_i(16'(length)),
    .hash_command_i(command[UnitHash]),
    .hash_ready_o(unit_ready[UnitHash]),
    .hmac_command_i(command[UnitHmac]),
    .hmac_ready_o(unit_ready[UnitHmac]),
    .kdf_command_i(command[UnitKdf]),
    .kdf_ready_o(unit_ready[UnitKdf]),
    .nonce_command_i(command[UnitNonce]),
    .nonce_ready_o(unit_ready[UnitNonce]),
    .random_command_i(command[UnitRandom]),
    .random_ready_o(unit_ready[UnitRandom]),
    .aes_command_i(command[UnitAes]),
    .aes_ready_o(unit_ready[UnitAes]),
    .argument_i(argument),
    .status_o(random_status),
    .aes_status_o(aes_status),
    .data_i(to_data),
    .bytes_i(to_bytes),
    .last_i(to_last),
    .hash_valid_i(to_valid[ToHash]),
    .hash_ready_in_o(to_ready[ToHash]),
    .hmac_key_valid_i(to_valid[ToHmacKey]),
    .hmac_key_ready_o(to_ready[ToHmacKey]),
    .hmac_valid_i(to_valid[ToHmac]),
    .hmac_ready_in_o(to_ready[ToHmac]),
    .kdf_valid_i(to_valid[ToKdf]),
    .kdf_ready_in_o(to_ready[ToKdf]),
    .kdf_info_valid_i(to_valid[ToKdfInfo]),
    .kdf_info_ready_o(to_ready[ToKdfInfo]),
    .nonce_valid_i(to_valid[ToNonce]),
    .nonce_ready_in_o(to_ready[ToNonce]),
    .aes_key_valid_i(to_valid[ToAesKey]),
    .aes_key_ready_o(to_ready[ToAesKey]),
    .aes_iv_valid_i(to_valid[ToAesIv]),
    .aes_iv_ready_o(to_ready[ToAesIv]),
    .aes_valid_i(to_valid[ToAes]),
    .aes_ready_in_o(to_ready[ToAes]),
    .out_valid_o(string_valid),
    .out_ready_i(string_ready),
    .out_data_o(string_data),
    .out_bytes_o(string_bytes),
    .out_last_o(string_last),
    .no_entropy_o(no_entropy_o),
    .test_mode_o(test_mode_o),
    .noise_valid_i(noise_valid_i),
    .noise_ready_o(noise_ready_o),
    .noise_data_i(noise_data_i),
    .test_valid_i(test_valid_i),
    .test_ready_o(test_ready_o),
    .test_data_i(test_data_i)
  );

  // ------------------------------------------------------------------ keys and flags
  always_comb begin
    loaded_d = loaded_q;
    if (command[UnitKey]) loaded_d[slot_q] = argument[0];
  end
  assign unit_ready[UnitKey] = 1'b1;
  assign unit_ready[UnitForget] = 1'b1;
  assign forget = command[UnitForget];
  assign unit_ready[NumUnit-1:int'(UnitForget)+1] = '0;

  logic unused_bits;
  assign unused_bits = ^{
    command[NumUnit-1:int'(UnitForget)+1],
    to_valid[ToNothing],
    from_ready[FromAes],
    origin[AddressW-1:3]
  };

  // ------------------------------------------------------------------ conditions
  always_comb begin
    holds = '0;
    known = '1;
    status = '{default: ecsm_pkg::StatusOk};
    holds[IfAlways] = 1'b1;
    holds[IfPointBad] = kp_status != ecsm_pkg::StatusOk;
    known[IfPointBad] = answer;
    status[IfPointBad] = kp_status;
    holds[IfInfinity] = infinity;
    known[IfInfinity] = answer;
    holds[IfZero] = zero;
    known[IfZero] = order_ready;
    holds[IfRange] = below && !zero;
    known[IfRange] = order_ready;
    holds[IfDiffers] = differs;
    holds[IfNonce] = random_status != ecsm_pkg::StatusOk;
    known[IfNonce] = (unit_ready[UnitNonce] && unit_ready[UnitRandom]) ||
        from_valid[FromNonce] || from_valid[FromRandom];
    status[IfNonce] = random_status;
    holds[IfAes] = aes_status != ecsm_pkg::StatusOk;
    known[IfAes] = unit_ready[UnitAes];
    status[IfAes] = aes_status;
    holds[IfHost2:IfHost0] = flags_q;
    holds[IfKey] = !loaded_q[slot_q];
    holds[IfTest] = test_mode_o;
    holds[IfPair] = !loaded_q[slot_q^SlotW'(1)];
  end

endmodule

`default_nettype wire
