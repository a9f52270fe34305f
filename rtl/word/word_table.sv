// SPDX-License-Identifier: Apache-2.0
//
// A table that comes from the host, in memories with one port, as the single-port RAM blocks of an
// iCE40 UltraPlus: a word is written or read in a cycle, and none has an initial value.
//
//   load_i: word load_address_i is written; else word address_i is read
//
// A word's lowest 32 bits are in such memories, what is above them in a block RAM: two pairs of
// blocks of 16 bits are all that the UP5K has, and the words of a program have 36 bits.
//
// Latency: a word is on data_o the cycle after its address. data_o keeps its word while one is
// written. No register has a reset: words are public.

`default_nettype none

module word_table #(
  parameter int unsigned Width = 36,  // bits of a word
  parameter int unsigned Depth = 2048,  // words
  localparam int unsigned AddressW = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                load_i,
  input  logic [AddressW-1:0] load_address_i,
  input  logic [   Width-1:0] load_data_i,
  input  logic [AddressW-1:0] address_i,
  output logic [   Width-1:0] data_o
);

  localparam int unsigned LowW = (Width > 32) ? 32 : Width;

  (* ram_style = "huge" *) logic [LowW-1:0] low[Depth];
  logic [AddressW-1:0] address;
  logic [LowW-1:0] low_q;
  assign address = load_i ? load_address_i : address_i;
  always_ff @(posedge clk_i) begin
    if (load_i) low[address] <= load_data_i[LowW-1:0];
    else low_q <= low[address];
  end
  assign data_o[LowW-1:0] = low_q;

  if (Width > LowW) begin : gen_high
    (* ram_style = "block" *) logic [Width-LowW-1:0] high[Depth];
    logic [Width-LowW-1:0] high_q;
    always_ff @(posedge clk_i) begin
      if (load_i) high[address] <= load_data_i[Width-1:LowW];
      else high_q <= high[address];
    end
    assign data_o[Width-1:LowW] = high_q;
  end

endmodule

`default_nettype wire
