// SPDX-License-Identifier: Apache-2.0
//
// The memory of the word engine: two copies with one read port each, written together. The first
// words have constant initial values, which the engine never writes: constants and moduli.
//
// Latency: a read's word is there two cycles after its address, a written word can be read in the
// next cycle. A read of the word that is written in the same cycle returns an undefined value. The
// registers have no reset, so that they can be those of block RAMs: who clears the memory reads
// words then that are cleared or public.

`default_nettype none

module word_memory #(
  parameter int unsigned W = 32,
  parameter int unsigned Depth = 1024,
  parameter int unsigned Fixed = 1,  // words with an initial value
  parameter bit [Fixed-1:0][W-1:0] Values = '0,
  localparam int unsigned AddressW = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                we_i,
  input  logic [AddressW-1:0] address_i,
  input  logic [       W-1:0] data_i,
  input  logic [AddressW-1:0] address_a_i,
  input  logic [AddressW-1:0] address_b_i,
  output logic [       W-1:0] a_o,
  output logic [       W-1:0] b_o
);

  (* no_rw_check *) logic [W-1:0] copy_a[Depth];
  (* no_rw_check *) logic [W-1:0] copy_b[Depth];
  initial begin
    for (int unsigned i = 0; i < Depth; i++) begin
      copy_a[i] = (i < Fixed) ? Values[i] : '0;
      copy_b[i] = (i < Fixed) ? Values[i] : '0;
    end
  end

  logic [W-1:0] read_a_q, read_b_q, a_q, b_q;
  always_ff @(posedge clk_i) begin
    if (we_i) copy_a[address_i] <= data_i;
    read_a_q <= copy_a[address_a_i];
  end
  always_ff @(posedge clk_i) begin
    if (we_i) copy_b[address_i] <= data_i;
    read_b_q <= copy_b[address_b_i];
  end
  always_ff @(posedge clk_i) begin
    a_q <= read_a_q;
    b_q <= read_b_q;
  end

  assign a_o = a_q;
  assign b_o = b_q;

endmodule

`default_nettype wire
