// SPDX-License-Identifier: Apache-2.0
//
// An operand of W bits that a bus writes in words of 32 bits. Word 0 is the highest.
//
// Parameters: W is the number of bits in the operand.
//
//   write_i    bit i: writes data_i to word i
//   excess_o   data_i has bits at or above W; the word is not written
//   clear_i    sets the operand to zero
//
// Latency: one cycle.

`default_nettype none

module ecsm_block_window #(
  parameter  int unsigned W     = 163,
  localparam int unsigned Words = (W + 31) / 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic [Words-1:0] write_i,
  input  logic [     31:0] data_i,
  output logic             excess_o,
  output logic [    W-1:0] value_o
);

  localparam int unsigned Top = W - 32 * (Words - 1);  // bits of word 0, 1 .. 32

  logic [W-1:0] value_q;

  if (Top < 32) begin : gen_excess
    assign excess_o = write_i[0] & (|data_i[31:Top]);
  end else begin : gen_whole
    assign excess_o = 1'b0;
  end

  for (genvar i = 0; i < Words; i++) begin : gen_word
    localparam int unsigned Low = 32 * (Words - 1 - i);
    localparam int unsigned Bits = (i == 0) ? Top : 32;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) value_q[Low+:Bits] <= '0;
      else if (clear_i) value_q[Low+:Bits] <= '0;
      else if (write_i[i] && !excess_o) value_q[Low+:Bits] <= data_i[Bits-1:0];
    end
  end

  assign value_o = value_q;

endmodule

`default_nettype wire
