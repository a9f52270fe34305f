// SPDX-License-Identifier: Apache-2.0
//
// The ladder's scalar register: recodes the scalar into differences and hands them out from the
// top, one a shift.
//
//   key_i = k_i xor k_(i+1) for i = W-1 .. 0 (with k_W = 0), then key_(-1) = k_0.
//
// In the cycle of load_i, key_o is the first recoded bit, straight from scalar_i; from the next
// cycle on it is the second, and after each shift_i the one below. next_o is what key_o will be in
// the next cycle. clear_i clears the register and wins over everything; zeros follow the last bit.
// There is no reset: the engine clears after one.

`default_nettype none

module ecsm_scalar_shift #(
  parameter int unsigned W = 8
) (
  input  logic         clk_i,
  input  logic         clear_i,
  input  logic         load_i,
  input  logic         shift_i,
  input  logic [W-1:0] scalar_i,
  output logic         key_o,
  output logic         next_o
);

  logic [W-1:0] bits_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) bits_q <= '0;
    else if (load_i) bits_q <= scalar_i ^ {scalar_i[W-2:0], 1'b0};
    else if (shift_i) bits_q <= {bits_q[W-2:0], 1'b0};
  end

  always_comb begin
    key_o = bits_q[W-1];
    next_o = shift_i ? bits_q[W-2] : bits_q[W-1];
    if (load_i) begin
      key_o = scalar_i[W-1];
      next_o = scalar_i[W-1] ^ scalar_i[W-2];
    end
  end

  if (W < 2) begin : gen_bad
    $error("ecsm_scalar_shift: W must be at least 2");
  end

endmodule

`default_nettype wire
