// SPDX-License-Identifier: Apache-2.0
//
// Schemes on a core: ECDSA, ECDH, PSEC-KEM and others. Each scheme is a program of a small machine,
// whose words move strings between a memory, the host and the units. ecsm/schemes writes the
// programs.
//
//   req_* --> scheme_control <-- word_i (program)   constant_i
//                 |  moves, commands                    |
//                 v                                     v
//   in_*  --> scheme_strings: channel, drain, memory (slots, work, constants) --> out_*
//                 |  to_*                       ^  from_*
//                 v                             |
//             scheme_units: core port, order unit, hash units, random, AES <-- noise_*
//                 |                             ^
//                 v core_req_*                  | core_rsp_*
//
// Parameters: ScalarW, NumScalar, CoordW: see scheme_kp. CycleW is the width of rsp_cycles_o.
// NumSlot is the number of key slots, SlotWords the words of memory in each. OrderW, OrderD,
// Segment, Modulus, Binary: see ecsm_order. HashWordW, HashRounds, SampleW, SeedSamples,
// ReseedSamples, Startup: see scheme_symmetric. AesColumns: see sym_aes. Masked: the core takes
// random words with every request, on core_random_*, and a scalar comes to scheme_kp in two parts;
// without it core_random_valid_o is 0.
//
//   req_op_i       the program; it begins with word req_op_i
//   req_slot_i     the key slot that it uses
//   req_flags_i    its options; a program refuses unknown ones with StatusUnsupported
//   in_*, out_*    byte strings as in sym_pkg, every word full but the last. When rsp_valid_o is
//                  high, the host must withdraw words of in_* that have not moved
//   rsp_status_o   ecsm_pkg::status_e
//   rsp_cycles_o   cycles from the accepted request to the valid response
//   noise_*        samples of a noise source; test_*: samples in its test mode (sym_drbg)
//   zeroize_i      drops the job and every key, the state of the random generator included
//   core_*         the port of an engine (gf2m_engine, gfp_engine), or of a farm that returns its
//                  results in order
//   index_o, word_i, constant_*   memories of the generated module; they read in one cycle
//
// Strings go out before the response, and only when nothing can fail any more. Keys stay in their
// slots until they are replaced or zeroized; no program outputs them. After a program and before
// the next request, the machine zeroes the rest of the memory and every register of the units,
// except for the state of the random generator. Latency: the cycles of the program.

`default_nettype none

module ecsm_scheme
  import scheme_pkg::*;
#(
  parameter int unsigned                 ScalarW    = 256,
  parameter int unsigned                 NumScalar  = 1,    // 2: aG + bP, with {a, b}
  parameter int unsigned                 CoordW     = 256,
  parameter int unsigned                 CycleW     = 24,
  parameter int unsigned                 NumSlot    = 4,
  parameter int unsigned                 SlotWords  = 32,   // of memory, a power of 2
  parameter int unsigned                 OrderW     = 256,  // at least 65: more than a word
  parameter int unsigned                 OrderD     = 4,
  parameter int unsigned                 Segment    = 0,
  parameter bit          [1:0][OrderW:0] Modulus    = '0,   // [0] the order, [1] the field
  parameter bit          [1:0]           Binary     = '0,
  parameter bit                          Masked     = 1'b0,
  parameter int unsigned                 HashWordW  = 32,
  parameter int unsigned                 HashRounds = 1,
  parameter int unsigned                 AesColumns = 1,
  parameter int unsigned                 RandomOctets = 32,  // of a random string, at most
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
  input  logic              [  FlagsW-1:0] req_flags_i,
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
  output logic                             core_random_valid_o,
  input  logic                             core_random_ready_i,
  output logic              [        31:0] core_random_o,
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

  localparam int unsigned FirstWork = NumSlot * SlotWords;

  // ------------------------------------------------------------------ request
  logic clear, memory_ready, units_ready, settled;
  logic [SlotW-1:0] slot_q;
  logic [FlagsW-1:0] flags_q;
  logic [NumSlot-1:0] loaded_d, loaded_q;

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
  logic start, start_drain, channel_ready, drain_ready, malformed, differs;
  move_t move;
  logic [NumUnit-1:0] command, unit_ready;
  logic [23:0] argument;
  logic [NumIf-1:0] holds, known;
  ecsm_pkg::status_e status[NumIf];

  scheme_control #(
    .CycleW(CycleW)
  ) u_control (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .settled_i(settled),
    .ready_i(memory_ready && units_ready),
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
    .flags_i(flags_q),
    .holds_i(holds),
    .known_i(known),
    .status_i(status)
  );

  // ------------------------------------------------------------------ moves
  logic [NumFrom-1:0] from_valid, from_ready, from_last;
  logic [W-1:0] from_data[NumFrom];
  logic [BytesW-1:0] from_bytes[NumFrom];
  logic [NumTo-1:0] to_valid, to_ready;
  logic [W-1:0] to_data;
  logic [BytesW-1:0] to_bytes;
  logic to_last;
  logic [AddressW-1:0] target, origin;
  logic [OctetsW-1:0] length;

  scheme_strings #(
    .FirstWork(FirstWork)
  ) u_strings (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .zeroize_i(zeroize_i),
    .ready_o(memory_ready),
    .start_i(start),
    .channel_ready_o(channel_ready),
    .start_drain_i(start_drain),
    .drain_ready_o(drain_ready),
    .move_i(move),
    .key_address_i(AddressW'(slot_q) * AddressW'(SlotWords)),
    .forget_i(command[UnitForget]),
    .differs_o(differs),
    .malformed_o(malformed),
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
    .in_valid_i(in_valid_i),
    .in_ready_o(in_ready_o),
    .in_data_i(in_data_i),
    .in_bytes_i(in_bytes_i),
    .in_last_i(in_last_i),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data_o),
    .out_bytes_o(out_bytes_o),
    .out_last_o(out_last_o),
    .constant_address_o(constant_address_o),
    .constant_i(constant_i)
  );

  // ------------------------------------------------------------------ units
  logic answer, infinity, zero, below;
  ecsm_pkg::status_e kp_status, random_status, aes_status;
  logic [NumUnit-1:0] ready_units;

  scheme_units #(
    .ScalarW(ScalarW),
    .NumScalar(NumScalar),
    .CoordW(CoordW),
    .OrderW(OrderW),
    .OrderD(OrderD),
    .Segment(Segment),
    .Modulus(Modulus),
    .Binary(Binary),
    .Masked(Masked),
    .HashWordW(HashWordW),
    .HashRounds(HashRounds),
    .AesColumns(AesColumns),
    .RandomOctets(RandomOctets),
    .SampleW(SampleW),
    .SeedSamples(SeedSamples),
    .ReseedSamples(ReseedSamples),
    .Startup(Startup)
  ) u_units (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .zeroize_i(zeroize_i),
    .settled_o(settled),
    .ready_o(units_ready),
    .secret_i(|loaded_q),
    .command_i(command),
    .argument_i(argument),
    .unit_ready_o(ready_units),
    .begin_i(start),
    .target_i(target[3:0]),
    .origin_i(origin[2:0]),
    .length_i(length),
    .from_valid_o(from_valid),
    .from_ready_i(from_ready),
    .from_data_o(from_data),
    .from_bytes_o(from_bytes),
    .from_last_o(from_last),
    .to_valid_i(to_valid),
    .to_ready_o(to_ready),
    .to_data_i(to_data),
    .to_bytes_i(to_bytes),
    .to_last_i(to_last),
    .answer_o(answer),
    .kp_status_o(kp_status),
    .infinity_o(infinity),
    .zero_o(zero),
    .below_o(below),
    .random_status_o(random_status),
    .aes_status_o(aes_status),
    .no_entropy_o(no_entropy_o),
    .test_mode_o(test_mode_o),
    .noise_valid_i(noise_valid_i),
    .noise_ready_o(noise_ready_o),
    .noise_data_i(noise_data_i),
    .test_valid_i(test_valid_i),
    .test_ready_o(test_ready_o),
    .test_data_i(test_data_i),
    .core_zeroize_o(core_zeroize_o),
    .core_req_valid_o(core_req_valid_o),
    .core_req_ready_i(core_req_ready_i),
    .core_req_scalar_o(core_req_scalar_o),
    .core_req_x_o(core_req_x_o),
    .core_req_y_o(core_req_y_o),
    .core_random_valid_o(core_random_valid_o),
    .core_random_ready_i(core_random_ready_i),
    .core_random_o(core_random_o),
    .core_rsp_valid_i(core_rsp_valid_i),
    .core_rsp_ready_o(core_rsp_ready_o),
    .core_rsp_status_i(core_rsp_status_i),
    .core_rsp_x_i(core_rsp_x_i),
    .core_rsp_y_i(core_rsp_y_i),
    .core_rsp_infinity_i(core_rsp_infinity_i)
  );

  // ------------------------------------------------------------------ keys and flags
  always_comb begin
    loaded_d = loaded_q;
    if (command[UnitKey]) loaded_d[slot_q] = argument[0];
  end
  always_comb begin
    unit_ready = ready_units;
    unit_ready[UnitKey] = 1'b1;
    unit_ready[UnitForget] = 1'b1;
  end

  logic unused_bits;
  assign unused_bits = ^{target[AddressW-1:4], origin[AddressW-1:3]};

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
    known[IfZero] = unit_ready[UnitOrder];
    holds[IfRange] = below && !zero;
    known[IfRange] = unit_ready[UnitOrder];
    holds[IfDiffers] = differs;
    holds[IfNonce] = random_status != ecsm_pkg::StatusOk;
    known[IfNonce] = (unit_ready[UnitNonce] && unit_ready[UnitRandom]) ||
        from_valid[FromNonce] || from_valid[FromRandom] || core_random_valid_o;
    status[IfNonce] = random_status;
    holds[IfAes] = aes_status != ecsm_pkg::StatusOk;
    known[IfAes] = unit_ready[UnitAes];
    status[IfAes] = aes_status;
    holds[IfKey] = !loaded_q[slot_q];
    holds[IfTest] = test_mode_o;
    holds[IfPair] = !loaded_q[slot_q^SlotW'(1)];
  end

endmodule

`default_nettype wire
