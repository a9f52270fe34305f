// SPDX-License-Identifier: Apache-2.0
//
// Sends random bytes to the program, or to the core, which takes words of 32 bits.
//
//   in_* (words of scheme_pkg::W bits) --+-- core_q = 0 --> out_valid_o (the data are in_data_i)
//                                        +-- core_q = 1 --> halves, the upper first --> random_*
//
//   command_i   a draw begins in this cycle: core_i says whom it is for, until the next one
//   in_bytes_i  of a word, 1 .. 8, from the highest byte on; four or fewer have no lower half
//   clear_i     forgets which half is next
//
// Parameters: Masked: the core takes random words. Without it all draws are the program's.
//
// Latency: none. A word for the core takes two cycles, or one if it has no lower half.

`default_nettype none

module scheme_mask
  import scheme_pkg::*;
#(
  parameter bit Masked = 1'b0
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              command_i,
  input  logic              core_i,
  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [     W-1:0] in_data_i,
  input  logic [BytesW-1:0] in_bytes_i,
  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic              random_valid_o,
  input  logic              random_ready_i,
  output logic [      31:0] random_o
);

  if (Masked) begin : gen_masked
    logic core_q, lower_q, short_word;
    assign short_word = in_bytes_i <= BytesW'(4);
    assign out_valid_o = in_valid_i & ~core_q;
    assign random_valid_o = in_valid_i & core_q;
    assign random_o = !random_valid_o ? '0 : lower_q ? in_data_i[31:0] : in_data_i[63:32];
    assign in_ready_o = core_q ? random_ready_i & (lower_q | short_word) : out_ready_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        core_q  <= 1'b0;
        lower_q <= 1'b0;
      end else if (clear_i) begin
        core_q  <= 1'b0;
        lower_q <= 1'b0;
      end else if (command_i) begin
        core_q  <= core_i;
        lower_q <= 1'b0;
      end else if (random_valid_o && random_ready_i) begin
        lower_q <= ~lower_q & ~short_word;
      end
    end
  end else begin : gen_plain
    logic unused_core;
    assign unused_core = clk_i ^ rst_ni ^ clear_i ^ command_i ^ core_i ^ random_ready_i
        ^ (^in_data_i) ^ (^in_bytes_i);
    assign out_valid_o = in_valid_i;
    assign in_ready_o = out_ready_i;
    assign {random_valid_o, random_o} = '0;
  end

endmodule

`default_nettype wire
