// SPDX-License-Identifier: Apache-2.0
//
// The ladder's scalar register: recodes the scalar into differences and hands them out from the
// top, one a shift.
//
//   key_i = k_i xor k_(i+1) for i = W-1 .. 0 (with k_W = 0), then key_(-1) = k_0.
//
// In the cycle of load_i, key_o is the first recoded bit, straight from scalar_i (the load uses
// it); from the next cycle on it is the second, and after each shift_i the one below.
// key_held_o is the same from a register: what does not take part in the load uses it, so that no
// path leads from the port to a multiplier.
// clear_i clears the register and wins over everything; zeros follow the last bit.

`default_nettype none

module ecsm_scalar_shift #(
  parameter int unsigned W = 8
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         load_i,
  input  logic         shift_i,
  input  logic [W-1:0] scalar_i,
  output logic         key_o,
  output logic         key_held_o
);

  logic [W-1:0] bits_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bits_q <= '0;
    else if (clear_i) bits_q <= '0;
    else if (load_i) bits_q <= scalar_i ^ {scalar_i[W-2:0], 1'b0};
    else if (shift_i) bits_q <= {bits_q[W-2:0], 1'b0};
  end

  assign key_held_o = bits_q[W-1];
  assign key_o = load_i ? scalar_i[W-1] : key_held_o;

  if (W < 2) begin : gen_bad
    $error("ecsm_scalar_shift: W must be at least 2");
  end

endmodule

`default_nettype wire
