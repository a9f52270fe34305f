// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of the ladder: recodes the scalar into differences of neighbouring bits, and
// returns one bit for each shift, from the highest to the lowest.
//
//   key_i = k_i xor k_(i+1) for i = W-1 .. 0 (with k_W = 0), then key_(-1) = k_0.
//
//   load_i     loads scalar_i, any W bits; key_o is the first recoded bit in the same cycle,
//              straight from scalar_i, and the second from the next cycle on
//   shift_i    key_o is the next lower recoded bit from the next cycle on; zeros follow the last
//              bit
//   next_o     the value of key_o in the next cycle
//   clear_i    clears the register; wins over everything
//
// W: 2 and more. There is no reset: the engine clears after its own reset.

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
