// SPDX-License-Identifier: Apache-2.0
//
// What a protected GF(2^m) engine has in place of the plain scalar register: the recoded scalar,
// with ProtectFull in two shares, and the random bits of a job.
//
//   scalar_i --> [recode] ------------------------> [ecsm_stream_shift] --> key_o, next_o
//                    ProtectFull:  + Offset, xor roles      |
//   random_i --> [ecsm_random_pool] -- roles -----> [ecsm_stream_shift] --> role_o, next_role_o
//                         |                                 +-- odd, marked --> fault_o
//                         +-- random_o: a random odd number
//
// ProtectCheck: the keys of ecsm_scalar_shift. ProtectFull: those of scalar_i + Offset, which has
// its highest bit at M + 1 and a zero before it, each xor the role of its step; role_o is the role
// of the step after it. Source: ecsm/formulas/gf2m/ladder.py.
//
//   load_i     loads scalar_i and the random bits; key_o is the first bit in the same cycle
//   shift_i    the next bits from the next cycle on
//   clear_i    clears the streams; wins over everything
//   last_i     the streams have their last bits, and all others were used once: fault_o if not
//   random_*   words of random bits; random_full_o: a job may take what is collected, and does in
//              the cycle of random_taken_i

`default_nettype none

module gf2m_protect
  import ecsm_protect_pkg::protect_e;
#(
  parameter protect_e Protect = ecsm_protect_pkg::ProtectCheck,
  parameter int unsigned M = 8,
  parameter bit [M+1:0] Offset = '0
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         zeroize_i,
  input  logic         clear_i,
  input  logic         load_i,
  input  logic         shift_i,
  input  logic [M-1:0] scalar_i,
  output logic         key_o,
  output logic         next_o,
  output logic         role_o,
  output logic         next_role_o,
  input  logic         last_i,
  output logic         fault_o,
  input  logic         random_valid_i,
  output logic         random_ready_o,
  input  logic [ 31:0] random_i,
  output logic         random_full_o,
  input  logic         random_taken_i,
  output logic [M-1:0] random_o
);

  // SEC_CM: SCALAR.PARITY: a changed bit, or a wrong number of shifts, is found at the end
  logic key, next, key_odd, key_marked, whole;
  assign fault_o = last_i & ~whole;

  if (Protect == ecsm_protect_pkg::ProtectFull) begin : gen_full
    localparam int unsigned RoleW = M + 3;
    localparam int unsigned RandomW = RoleW + M - 1;
    logic [RandomW-1:0] fresh;
    logic [RoleW-1:0] roles, keys;
    logic [M+1:0] scalar;
    logic role, next_role, role_odd, role_marked;

    ecsm_random_pool #(
      .W(RandomW)
    ) u_pool (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(zeroize_i),
      .random_valid_i(random_valid_i),
      .random_ready_o(random_ready_o),
      .random_i(random_i),
      .full_o(random_full_o),
      .take_i(random_taken_i),
      .data_o(fresh)
    );
    assign roles = fresh[RandomW-1-:RoleW];
    // SEC_CM: POINT.RANDOM: the coordinates get a random factor; it is odd, so never zero
    assign random_o = {fresh[M-2:0], 1'b1};

    // SEC_CM: SCALAR.SHARES: no register holds the scalar; its highest bit is the same for all
    assign scalar = (M + 2)'(scalar_i) + Offset;
    assign keys = {scalar, 1'b0} ^ {1'b0, scalar} ^ roles;
    ecsm_stream_shift #(
      .W(RoleW + 1)
    ) u_keys (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .load_i(load_i),
      .shift_i(shift_i),
      .data_i({1'b0, keys}),
      .bit_o(key),
      .next_o(next),
      .odd_o(key_odd),
      .marked_o(key_marked)
    );
    // SEC_CM: POINT.ROLES: a random bit a step says which place which point is in
    ecsm_stream_shift #(
      .W(RoleW + 1)
    ) u_roles (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .load_i(load_i),
      .shift_i(shift_i),
      .data_i({roles, 1'b0}),
      .bit_o(role),
      .next_o(next_role),
      .odd_o(role_odd),
      .marked_o(role_marked)
    );
    // The load takes a zero of each stream. The keys without roles have an even number of ones.
    assign key_o = ~load_i & key;
    assign next_o = ~load_i & next;
    assign role_o = ~load_i & role;
    assign next_role_o = load_i ? roles[RoleW-1] : next_role;
    assign whole = (key_odd == role_odd) & key_marked & role_marked;
  end else begin : gen_check
    logic first_q;  // the key that the load took
    ecsm_stream_shift #(
      .W(M)
    ) u_keys (
      .clk_i(clk_i),
      .clear_i(clear_i),
      .load_i(load_i),
      .shift_i(shift_i),
      .data_i(scalar_i ^ {scalar_i[M-2:0], 1'b0}),
      .bit_o(key),
      .next_o(next),
      .odd_o(key_odd),
      .marked_o(key_marked)
    );
    always_ff @(posedge clk_i) begin
      if (clear_i) first_q <= 1'b0;
      else if (load_i) first_q <= scalar_i[M-1];
    end
    assign key_o = load_i ? scalar_i[M-1] : key;
    assign next_o = load_i ? scalar_i[M-1] ^ scalar_i[M-2] : next;
    assign {role_o, next_role_o} = '0;
    // All keys together have an even number of ones.
    assign whole = (key_odd == first_q) & key_marked;
    logic unused_random;
    assign unused_random = rst_ni ^ zeroize_i ^ random_valid_i ^ (^random_i) ^ random_taken_i
        ^ (^Offset);
    assign {random_ready_o, random_full_o} = '0;
    assign random_o = '0;
  end

endmodule

`default_nettype wire
