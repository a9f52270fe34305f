// SPDX-License-Identifier: Apache-2.0
//
// The table of the multiples of a point: NumColumn columns of Depth entries of W bits. In every
// cycle one whole entry is read, and every column may be written. With HasFixed there are NumFixed
// constant entries too; with fixed_i the constant entry number_i is read instead. With HasBase and
// base_i the values of constant_i are shown in their columns instead, one cycle later.
//
// Latency: index_i in cycle t, entry_o in cycle t + 1, or t + 2 with Rank, which adds a register
// because that of block RAM is slow. A write in cycle t is visible to an index from cycle t + 1 on.
// A read of the entry that is written in the same cycle returns an undefined value. The index is
// secret; the cycle of a read is not. There is no reset: the engine clears.
`default_nettype none

module gfp_table
  import gfp_engine_pkg::NumBase;
  import gfp_engine_pkg::BaseColumn;
#(
  parameter int unsigned NumColumn = 5,
  parameter int unsigned Depth = 16,
  parameter int unsigned W = 264,
  parameter bit Rank = 1'b0,
  parameter bit HasFixed = 1'b0,
  parameter int unsigned NumFixed = 1,
  parameter bit [NumFixed-1:0][NumColumn-1:0][W-1:0] Fixed = '0,
  parameter bit HasBase = 1'b0,
  localparam int unsigned IndexW = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned NumberW = (NumFixed > 1) ? $clog2(NumFixed) : 1
) (
  input  logic                             clk_i,
  input  logic [NumColumn-1:0]             we_i,
  input  logic [NumColumn-1:0][IndexW-1:0] address_i,
  input  logic [NumColumn-1:0][     W-1:0] data_i,
  input  logic [   IndexW-1:0]             index_i,
  input  logic                             fixed_i,
  input  logic [  NumberW-1:0]             number_i,
  input  logic                             base_i,
  input  logic [  NumBase-1:0][     W-1:0] constant_i,
  output logic [NumColumn-1:0][     W-1:0] entry_o
);

  // The value of a constant of kG that column c shows, or NumBase.
  function automatic int unsigned value_of(int unsigned c);
    value_of = NumBase;
    for (int unsigned i = 0; i < NumBase; i++) if (BaseColumn[i] == c) value_of = i;
  endfunction

  for (genvar c = 0; c < NumColumn; c++) begin : gen_column
    (* no_rw_check *) logic [W-1:0] memory[Depth];
    logic [W-1:0] entry_q;
    always_ff @(posedge clk_i) begin
      if (we_i[c]) memory[address_i[c]] <= data_i[c];
      if (HasBase && base_i && value_of(c) < NumBase) entry_q <= constant_i[value_of(c)%NumBase];
      else entry_q <= (HasFixed && fixed_i) ? Fixed[number_i][c] : memory[index_i];
    end
    ecsm_rank #(
      .Width(W),
      .Enable(Rank)
    ) u_entry (
      .clk_i(clk_i),
      .d_i(entry_q),
      .q_o(entry_o[c])
    );
  end

  if (!HasBase) begin : gen_no_base
    logic unused_base;
    assign unused_base = ^{base_i, constant_i};
  end

  if (!HasFixed) begin : gen_no_fixed
    logic unused_fixed;
    assign unused_fixed = ^{fixed_i, number_i};
  end

endmodule

`default_nettype wire
