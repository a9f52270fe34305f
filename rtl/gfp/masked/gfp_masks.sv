// SPDX-License-Identifier: Apache-2.0
//
// The scalar of a masked prime-field engine, and the random bits of a job.
//
//   scalar_i --> [+ Offset, keys, xor roles] --> [ecsm_stream_shift] --> swap_o
//                                    |                 |
//   random_i --> [ecsm_random_pool] -+- roles -> [ecsm_stream_shift] --> role_o
//                         |                            +-- odd, marked --> fault_o
//                         +--> [mask_q] --> mask_o: NumMask odd numbers
//
// scalar_i + Offset has its highest bit at W + 1. A key is a bit of it xor the one above; the last
// key is the lowest bit. W + 2 keys follow one another, each xor the role of its step.
//
//   load_i     the job takes the pool: loads scalar_i and the random bits. swap_o and role_o are
//              those of the first step from the next cycle on
//   shift_i    the next ones from the next cycle on
//   clear_i    clears all but the pool; wins over everything
//   last_i     each key was used once: fault_o if not
//   random_*   words of random bits; random_full_o: a job may take what is collected
//   zeroize_i  clears the pool
//
// Before a job takes the pool no register holds anything of scalar_i. Ranges: Offset from 2^(W+1)
// to 3 * 2^W. Source: ecsm/curves/gfp/masked.py.

`default_nettype none

module gfp_masks #(
  parameter int unsigned W = 256,
  parameter bit [W+1:0] Offset = '0,
  parameter int unsigned NumMask = 4,
  parameter int unsigned MaskW = 60  // bits of a mask, the lowest of which is 1
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          zeroize_i,
  input  logic                          clear_i,
  input  logic                          load_i,
  input  logic                          shift_i,
  input  logic [      W-1:0]            scalar_i,
  output logic                          swap_o,
  output logic                          role_o,
  input  logic                          last_i,
  output logic                          fault_o,
  input  logic                          random_valid_i,
  output logic                          random_ready_o,
  input  logic [       31:0]            random_i,
  output logic                          random_full_o,
  output logic [NumMask-1:0][MaskW-1:0] mask_o
);

  localparam int unsigned RoleW = W + 2;
  localparam int unsigned FreshW = MaskW - 1;
  localparam int unsigned RandomW = RoleW + NumMask * FreshW;

  logic [RandomW-1:0] fresh;
  logic [RoleW-1:0] roles, keys;
  logic [W+1:0] scalar;
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
    .take_i(load_i),
    .data_o(fresh)
  );
  assign roles = fresh[RandomW-1-:RoleW];

  // SEC_CM: KEY.SHARES: no register holds the scalar; its highest bit is the same for all
  assign scalar = (W + 2)'(scalar_i) + Offset;
  assign keys = RoleW'({scalar, 1'b0} ^ {1'b0, scalar}) ^ roles;

  // Another bit follows the keys and roles of all steps: not the same one, so that no tool takes
  // the two registers for one.
  logic key_odd, role_odd, key_marked, role_marked;
  logic unused_key, unused_role;
  ecsm_stream_shift #(
    .W(RoleW + 1)
  ) u_keys (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .load_i(load_i),
    .shift_i(shift_i),
    .data_i({keys, 1'b0}),
    .bit_o(swap_o),
    .next_o(unused_key),
    .odd_o(key_odd),
    .marked_o(key_marked)
  );
  // SEC_CM: POINT.PLACES: a random bit a step says which point is in which place
  ecsm_stream_shift #(
    .W(RoleW + 1)
  ) u_roles (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .load_i(load_i),
    .shift_i(shift_i),
    .data_i({roles, 1'b1}),
    .bit_o(role_o),
    .next_o(unused_role),
    .odd_o(role_odd),
    .marked_o(role_marked)
  );

  // SEC_CM: KEY.PARITY: a changed key, or a wrong number of steps, is found at the end
  // The keys without roles have an odd number of ones: the scalar's highest bit. The bits behind
  // them make it even.
  assign fault_o = last_i & ~((key_odd == role_odd) & key_marked & role_marked);

  // SEC_CM: POINT.FACTOR: the coordinates get a random factor; masks are odd, so it is never zero
  logic [NumMask-1:0][MaskW-1:0] mask_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) mask_q <= '0;
    else if (load_i) begin
      for (int unsigned i = 0; i < NumMask; i++) mask_q[i] <= {fresh[FreshW*i+:FreshW], 1'b1};
    end
  end
  assign mask_o = mask_q;

  if (MaskW < 2 || Offset[W+1] == 1'b0) begin : gen_bad
    $error("gfp_masks: MaskW must be at least 2, and Offset at least 2^(W+1)");
  end

endmodule

`default_nettype wire
