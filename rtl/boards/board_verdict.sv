// SPDX-License-Identifier: Apache-2.0
//
// The verdict of a check as a pattern of light.
//
//   Running     both are dark
//   Ok          ok_o: half a second on, half a second off
//   Failed      bad_o: four short flashes a second
//   NoEntropy   bad_o: two short flashes, then dark until the second is over
//
// Parameters: Tick is the number of clock cycles in an eighth of a second, 2 and more.
//
// Latency: none after a change of the verdict; the phase goes on.
`default_nettype none

module board_verdict
  import board_pkg::*;
#(
  parameter int unsigned Tick = 3125000
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  verdict_e verdict_i,
  output logic     ok_o,
  output logic     bad_o
);

  localparam int unsigned TickW = $clog2(Tick);

  logic [TickW-1:0] tick_q;
  logic [2:0] phase_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tick_q  <= '0;
      phase_q <= '0;
    end else if (tick_q == TickW'(Tick - 1)) begin
      tick_q  <= '0;
      phase_q <= phase_q + 3'd1;
    end else begin
      tick_q <= tick_q + TickW'(1);
    end
  end

  always_comb begin
    ok_o  = 1'b0;
    bad_o = 1'b0;
    unique case (verdict_i)
      Ok: ok_o = ~phase_q[2];
      Failed: bad_o = ~phase_q[0];
      NoEntropy: bad_o = phase_q == 3'd0 || phase_q == 3'd2;
      default: ;
    endcase
  end

endmodule

`default_nettype wire
