// SPDX-License-Identifier: Apache-2.0
//
// The computing units of the scheme machine: the core (behind scheme_kp), the order unit, the units
// that use a hash, and AES. Each has the number that scheme_pkg gives it.
//
//   to_*[ToScalar, ToX, ToY] -------> scheme_kp <--> core_*  --> from_*[FromX, FromY]
//   to_*[ToOrder] ------------------> scheme_order ------------> from_*[FromOrder]
//   to_*[ToHash .. ToNonce] --------> scheme_symmetric --------> from_*[FromHash .. FromRandom]
//   noise_*, test_* ----------------/            \-- scheme_mask --> core_random_*
//   to_*[ToAesKey, ToAesIv, ToAes] -> sym_aes_stream ----------> from_*[FromAes]
//   command_i, argument_i: to all
//
// Parameters: see ecsm_scheme.
//
// command_i, with unit_ready_o, begins an operation of a unit. argument_i is described in
// scheme_order and scheme_symmetric. For AES it has, from bit 0: CTR (1), decrypt (1), new key (1),
// size (2), padding (1). to_* and from_* are the streams of the units; begin_i, target_i, origin_i,
// length_i describe the present move. answer_o: there is a result of the core, with kp_status_o and
// infinity_o. zero_o, below_o: of the last operation of the order unit. random_status_o: of the
// last operation of nonces or random bytes. aes_status_o: of the last operation of AES. clear_i
// needs settled_o. It zeroes everything but the random generator; zeroize_i zeroes that too.
// ready_o: all is cleared, and the random generator has made its next draw. secret_i: there is a
// key. Units that are elsewhere (keys, differences) and places (memory, host) have no ready and no
// stream. Latency: that of each unit.

`default_nettype none

module scheme_units
  import scheme_pkg::*;
  import sym_aes_pkg::*;
#(
  parameter int unsigned                 ScalarW = 256,
  parameter int unsigned                 NumScalar = 1,
  parameter int unsigned                 CoordW = 256,
  parameter int unsigned                 OrderW = 256,
  parameter int unsigned                 OrderD = 4,
  parameter int unsigned                 Segment = 0,
  parameter bit          [1:0][OrderW:0] Modulus = '0,
  parameter bit          [1:0]           Binary = '0,
  parameter bit                          Masked = 1'b0,
  parameter int unsigned                 HashWordW = 32,
  parameter int unsigned                 HashRounds = 1,
  parameter int unsigned                 AesColumns = 1,
  parameter int unsigned                 RandomOctets = 32,
  parameter int unsigned                 SampleW = 8,
  parameter int unsigned                 SeedSamples = 96,
  parameter int unsigned                 ReseedSamples = 64,
  parameter int unsigned                 Startup = 1024
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  input  logic                            zeroize_i,
  output logic                            settled_o,
  output logic                            ready_o,
  input  logic                            secret_i,
  input  logic              [NumUnit-1:0] command_i,
  input  logic              [       23:0] argument_i,
  output logic              [NumUnit-1:0] unit_ready_o,
  // Strings.
  input  logic                            begin_i,
  input  logic              [        3:0] target_i,
  input  logic              [        2:0] origin_i,
  input  logic              [OctetsW-1:0] length_i,
  output logic              [NumFrom-1:0] from_valid_o,
  input  logic              [NumFrom-1:0] from_ready_i,
  output logic              [      W-1:0] from_data_o        [NumFrom],
  output logic              [ BytesW-1:0] from_bytes_o       [NumFrom],
  output logic              [NumFrom-1:0] from_last_o,
  input  logic              [  NumTo-1:0] to_valid_i,
  output logic              [  NumTo-1:0] to_ready_o,
  input  logic              [      W-1:0] to_data_i,
  input  logic              [ BytesW-1:0] to_bytes_i,
  input  logic                            to_last_i,
  // Conditions.
  output logic                            answer_o,
  output ecsm_pkg::status_e               kp_status_o,
  output logic                            infinity_o,
  output logic                            zero_o,
  output logic                            below_o,
  output ecsm_pkg::status_e               random_status_o,
  output ecsm_pkg::status_e               aes_status_o,
  // Noise.
  output logic                            no_entropy_o,
  output logic                            test_mode_o,
  input  logic                            noise_valid_i,
  output logic                            noise_ready_o,
  input  logic              [SampleW-1:0] noise_data_i,
  input  logic                            test_valid_i,
  output logic                            test_ready_o,
  input  logic              [SampleW-1:0] test_data_i,
  // The core.
  output logic                            core_zeroize_o,
  output logic                            core_req_valid_o,
  input  logic                            core_req_ready_i,
  output logic              [ScalarW-1:0] core_req_scalar_o,
  output logic              [ CoordW-1:0] core_req_x_o,
  output logic              [ CoordW-1:0] core_req_y_o,
  output logic                            core_random_valid_o,
  input  logic                            core_random_ready_i,
  output logic              [       31:0] core_random_o,
  input  logic                            core_rsp_valid_i,
  output logic                            core_rsp_ready_o,
  input  ecsm_pkg::status_e               core_rsp_status_i,
  input  logic              [ CoordW-1:0] core_rsp_x_i,
  input  logic              [ CoordW-1:0] core_rsp_y_i,
  input  logic                            core_rsp_infinity_i
);

  logic wipe;
  assign wipe = clear_i || zeroize_i;

  // ------------------------------------------------------------------ core
  logic kp_idle, operand_ready;

  scheme_kp #(
    .ScalarW(ScalarW),
    .NumScalar(NumScalar),
    .CoordW(CoordW),
    .Masked(Masked)
  ) u_kp (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .scalar_valid_i(to_valid_i[ToScalar]),
    .x_valid_i(to_valid_i[ToX]),
    .y_valid_i(to_valid_i[ToY]),
    .operand_ready_o(operand_ready),
    .data_i(to_data_i),
    .start_i(command_i[UnitKp]),
    .start_ready_o(unit_ready_o[UnitKp]),
    .answer_o(answer_o),
    .status_o(kp_status_o),
    .infinity_o(infinity_o),
    .next_i(command_i[UnitKpNext]),
    .rsp_x_ready_i(from_ready_i[FromX]),
    .rsp_x_o(from_data_o[FromX]),
    .rsp_y_ready_i(from_ready_i[FromY]),
    .rsp_y_o(from_data_o[FromY]),
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

  assign core_zeroize_o = wipe && (Masked || !kp_idle);  // random words wait in a masked core
  assign to_ready_o[ToScalar] = operand_ready;
  assign to_ready_o[ToX] = operand_ready;
  assign to_ready_o[ToY] = operand_ready;
  assign unit_ready_o[UnitKpNext] = answer_o;
  for (genvar i = int'(FromX); i <= int'(FromY); i++) begin : gen_coordinate
    assign from_valid_o[i] = answer_o;
    assign from_bytes_o[i] = BytesW'(W / 8);
    assign from_last_o[i] = 1'b0;
  end

  // ------------------------------------------------------------------ order
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
    .command_i(command_i[UnitOrder]),
    .argument_i(argument_i),
    .ready_o(unit_ready_o[UnitOrder]),
    .zero_o(zero_o),
    .below_o(below_o),
    .begin_i(begin_i),
    .to_valid_i(to_valid_i[ToOrder]),
    .to_ready_o(to_ready_o[ToOrder]),
    .to_register_i(target_i),
    .to_data_i(to_data_i),
    .to_last_i(to_last_i),
    .from_valid_o(from_valid_o[FromOrder]),
    .from_ready_i(from_ready_i[FromOrder]),
    .from_register_i(origin_i),
    .from_data_o(from_data_o[FromOrder])
  );

  assign from_bytes_o[FromOrder] = BytesW'(W / 8);
  assign from_last_o[FromOrder] = 1'b0;

  // ------------------------------------------------------------------ units that use a hash
  localparam int unsigned NumString = 5;
  localparam from_e Strings[NumString] = '{FromHash, FromHmac, FromKdf, FromNonce, FromRandom};
  logic [NumString-1:0] string_valid, string_ready, string_last;
  logic [W-1:0] string_data[NumString];
  logic [BytesW-1:0] string_bytes[NumString];
  logic symmetric_ready;

  for (genvar i = 0; i < NumString; i++) begin : gen_string
    assign from_data_o[Strings[i]] = string_data[i];
    assign from_bytes_o[Strings[i]] = string_bytes[i];
    assign from_last_o[Strings[i]] = string_last[i];
  end
  for (genvar i = 0; i < NumString - 1; i++) begin : gen_plain
    assign from_valid_o[Strings[i]] = string_valid[i];
    assign string_ready[i] = from_ready_i[Strings[i]];
  end

  scheme_mask #(
    .Masked(Masked)
  ) u_mask (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .command_i(command_i[UnitRandom] && unit_ready_o[UnitRandom]),
    .core_i(argument_i[3]),
    .in_valid_i(string_valid[NumString-1]),
    .in_ready_o(string_ready[NumString-1]),
    .in_data_i(string_data[NumString-1]),
    .in_bytes_i(string_bytes[NumString-1]),
    .out_valid_o(from_valid_o[FromRandom]),
    .out_ready_i(from_ready_i[FromRandom]),
    .random_valid_o(core_random_valid_o),
    .random_ready_i(core_random_ready_i),
    .random_o(core_random_o)
  );

  scheme_symmetric #(
    .HashWordW(HashWordW),
    .HashRounds(HashRounds),
    .RandomOctets(RandomOctets),
    .SampleW(SampleW),
    .SeedSamples(SeedSamples),
    .ReseedSamples(ReseedSamples),
    .Startup(Startup)
  ) u_symmetric (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .zeroize_i(zeroize_i),
    .settled_o(settled_o),
    .ready_o(symmetric_ready),
    .secret_i(secret_i),
    .length_i(16'(length_i)),
    .hash_command_i(command_i[UnitHash]),
    .hash_ready_o(unit_ready_o[UnitHash]),
    .hmac_command_i(command_i[UnitHmac]),
    .hmac_ready_o(unit_ready_o[UnitHmac]),
    .kdf_command_i(command_i[UnitKdf]),
    .kdf_ready_o(unit_ready_o[UnitKdf]),
    .nonce_command_i(command_i[UnitNonce]),
    .nonce_ready_o(unit_ready_o[UnitNonce]),
    .random_command_i(command_i[UnitRandom]),
    .random_ready_o(unit_ready_o[UnitRandom]),
    .argument_i(argument_i),
    .status_o(random_status_o),
    .data_i(to_data_i),
    .bytes_i(to_bytes_i),
    .last_i(to_last_i),
    .hash_valid_i(to_valid_i[ToHash]),
    .hash_ready_in_o(to_ready_o[ToHash]),
    .hmac_key_valid_i(to_valid_i[ToHmacKey]),
    .hmac_key_ready_o(to_ready_o[ToHmacKey]),
    .hmac_valid_i(to_valid_i[ToHmac]),
    .hmac_ready_in_o(to_ready_o[ToHmac]),
    .kdf_valid_i(to_valid_i[ToKdf]),
    .kdf_ready_in_o(to_ready_o[ToKdf]),
    .kdf_info_valid_i(to_valid_i[ToKdfInfo]),
    .kdf_info_ready_o(to_ready_o[ToKdfInfo]),
    .nonce_valid_i(to_valid_i[ToNonce]),
    .nonce_ready_in_o(to_ready_o[ToNonce]),
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

  assign ready_o = unit_ready_o[UnitOrder] && symmetric_ready;

  // ------------------------------------------------------------------ AES
  logic aes_done;
  ecsm_pkg::status_e aes_status, aes_status_q;

  sym_aes_stream #(
    .Columns(AesColumns),
    .W(W)
  ) u_aes (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(wipe),
    .req_valid_i(command_i[UnitAes]),
    .req_ready_o(unit_ready_o[UnitAes]),
    .req_mode_i(aes_mode_e'(argument_i[0])),
    .req_decrypt_i(argument_i[1]),
    .req_rekey_i(argument_i[2]),
    .req_size_i(aes_key_e'(argument_i[4:3])),
    .req_pad_i(argument_i[5]),
    .done_o(aes_done),
    .status_o(aes_status),
    .key_valid_i(to_valid_i[ToAesKey]),
    .key_ready_o(to_ready_o[ToAesKey]),
    .key_data_i(to_data_i),
    .iv_valid_i(to_valid_i[ToAesIv]),
    .iv_ready_o(to_ready_o[ToAesIv]),
    .iv_data_i(to_data_i),
    .in_valid_i(to_valid_i[ToAes]),
    .in_ready_o(to_ready_o[ToAes]),
    .in_data_i(to_data_i),
    .in_bytes_i(to_bytes_i),
    .in_last_i(to_last_i),
    .out_valid_o(from_valid_o[FromAes]),
    .out_ready_i(from_ready_i[FromAes]),
    .out_data_o(from_data_o[FromAes]),
    .out_bytes_o(from_bytes_o[FromAes]),
    .out_last_o(from_last_o[FromAes])
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) aes_status_q <= ecsm_pkg::StatusOk;
    else if (aes_done) aes_status_q <= aes_status;
  end
  assign aes_status_o = aes_status_q;

  // ------------------------------------------------------------------ not in this module
  assign unit_ready_o[NumUnit-1:int'(UnitOrder)+1] = '0;
  assign to_ready_o[ToHost:ToMemory] = '0;
  assign to_ready_o[ToNothing] = 1'b0;
  for (genvar i = int'(FromMemory); i <= int'(FromHost); i++) begin : gen_place
    assign from_valid_o[i] = 1'b0;
    assign from_data_o[i] = '0;
    assign from_bytes_o[i] = '0;
    assign from_last_o[i] = 1'b0;
  end

  logic unused_places;
  assign unused_places = ^{
    command_i[NumUnit-1:int'(UnitOrder)+1],
    to_valid_i[ToHost:ToMemory],
    to_valid_i[ToNothing],
    from_ready_i[FromHost:FromMemory]
  };

endmodule

`default_nettype wire
