// SPDX-License-Identifier: Apache-2.0
//
// Reset of a board's design: low from power-on until good_i has been high for Cycles clock cycles,
// and again while good_i is low.
//
// Parameters: Cycles is 2 and more.
//
// good_i is asynchronous: the lock of a PLL, a button. rst_no changes with the clock. The counter
// begins at 0 after the bitstream is loaded.
//
// Latency: Cycles and 3 cycles.
`default_nettype none

module board_reset #(
  parameter int unsigned Cycles = 255
) (
  input  logic clk_i,
  input  logic good_i,
  output logic rst_no
);

  localparam int unsigned CountW = $clog2(Cycles + 1);

  // There is no reset before this one: the bitstream has these values.
  /* verilator lint_off PROCASSINIT */
  logic [1:0] good_q = '0;
  logic [CountW-1:0] count_q = '0;
  logic reset_q = 1'b0;
  /* verilator lint_on PROCASSINIT */

  always_ff @(posedge clk_i) begin
    good_q <= {good_q[0], good_i};
    if (!good_q[1]) count_q <= '0;
    else if (count_q != CountW'(Cycles)) count_q <= count_q + CountW'(1);
    reset_q <= good_q[1] && count_q == CountW'(Cycles);
  end

  assign rst_no = reset_q;

endmodule

`default_nettype wire
