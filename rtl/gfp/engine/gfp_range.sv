// SPDX-License-Identifier: Apache-2.0
//
// Tests whether one of two coordinates is P or more.
//
// First all limbs are compared with those of P, in parallel, into registers. Then the results are
// combined from the lowest limb up. Latency 1: take_i, x_i and y_i in cycle t, outside_o in cycle
// t + 1. Without take_i every register is 0 in the next cycle, and outside_o with them.
// x_i, y_i: any values of CoordW bits. There is no reset: nothing is stored for longer than a
// cycle.

`default_nettype none

module gfp_range #(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW = 64,
  parameter int unsigned CoordW = 256,
  parameter int unsigned PW = 256,
  parameter bit [PW-1:0] P = '1
) (
  input  logic              clk_i,
  input  logic              take_i,
  input  logic [CoordW-1:0] x_i,
  input  logic [CoordW-1:0] y_i,
  output logic              outside_o
);

  logic [1:0][NumLimb-1:0] above_q, equal_q;

  function automatic logic outside(logic [NumLimb-1:0] above, logic [NumLimb-1:0] equal);
    outside = 1'b1;
    for (int unsigned k = 0; k < NumLimb; k++) outside = above[k] | (equal[k] & outside);
  endfunction

  for (genvar k = 0; k < NumLimb; k++) begin : gen_limb
    // The highest limb has all remaining bits.
    localparam int unsigned W = (k == NumLimb - 1) ? CoordW - LimbW * k : LimbW;
    localparam bit [W-1:0] Limit = W'((CoordW)'(P) >> (LimbW * k));
    always_ff @(posedge clk_i) begin
      equal_q[0][k] <= take_i & (x_i[LimbW*k+:W] == Limit);
      equal_q[1][k] <= take_i & (y_i[LimbW*k+:W] == Limit);
    end
    if (Limit == '1) begin : gen_never
      assign above_q[0][k] = 1'b0;
      assign above_q[1][k] = 1'b0;
    end else begin : gen_above
      always_ff @(posedge clk_i) begin
        above_q[0][k] <= take_i & (x_i[LimbW*k+:W] > Limit);
        above_q[1][k] <= take_i & (y_i[LimbW*k+:W] > Limit);
      end
    end
  end

  assign outside_o = outside(above_q[0], equal_q[0]) | outside(above_q[1], equal_q[1]);

endmodule

`default_nettype wire
