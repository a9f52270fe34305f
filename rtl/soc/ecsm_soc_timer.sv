// SPDX-License-Identifier: Apache-2.0
//
// The timer of the RISC-V privileged architecture. mtime counts clock cycles. irq_o is high while
// mtime is at or above mtimecmp.
//
// address_i: 0 and 1 are mtime low and high (read only), 2 and 3 mtimecmp low and high. After reset
// mtimecmp is all ones: no interrupt. Latency: reads in the same cycle; writes act in the next
// cycle; irq_o follows the comparison one cycle later.
`default_nettype none

module ecsm_soc_timer (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        we_i,
  input  logic [ 1:0] address_i,
  input  logic [31:0] data_i,
  output logic [31:0] data_o,
  output logic        irq_o
);

  logic [63:0] time_q, compare_q;
  logic irq_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      time_q <= '0;
      compare_q <= '1;
      irq_q <= 1'b0;
    end else begin
      time_q <= time_q + 64'd1;
      if (we_i && address_i == 2'd2) compare_q[31:0] <= data_i;
      if (we_i && address_i == 2'd3) compare_q[63:32] <= data_i;
      irq_q <= time_q >= compare_q;
    end
  end

  always_comb begin
    unique case (address_i)
      2'd0: data_o = time_q[31:0];
      2'd1: data_o = time_q[63:32];
      2'd2: data_o = compare_q[31:0];
      default: data_o = compare_q[63:32];
    endcase
  end

  assign irq_o = irq_q;

endmodule

`default_nettype wire
