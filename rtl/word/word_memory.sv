// SPDX-License-Identifier: Apache-2.0
//
// The memory of the word engine: two copies with one read port each, written together. The first
// words have constant initial values, which the engine never writes: constants and moduli.
//
// A table of constants is behind the right port: constant_i reads word table_i of it, or 0 with
// none_i, instead of address_b_i.
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
  parameter int unsigned NumTable = 2,  // words of the table
  parameter bit [NumTable-1:0][W-1:0] Table = '0,
  localparam int unsigned AddressW = $clog2(Depth),
  localparam int unsigned TableW = $clog2(NumTable)
) (
  input  logic                clk_i,
  input  logic                we_i,
  input  logic [AddressW-1:0] address_i,
  input  logic [       W-1:0] data_i,
  input  logic [AddressW-1:0] address_a_i,
  input  logic [AddressW-1:0] address_b_i,
  input  logic                load_i,          // the table's word load_address_i is written
  input  logic [  TableW-1:0] load_address_i,
  input  logic                constant_i,
  input  logic                none_i,
  input  logic [  TableW-1:0] table_i,
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

  (* no_rw_check *) logic [W-1:0] constants[2**TableW];
  initial begin
    for (int unsigned i = 0; i < 2 ** TableW; i++) constants[i] = (i < NumTable) ? Table[i] : '0;
  end

  // The table has a register of its own: behind a block RAM there is no time to choose.
  logic [W-1:0] read_a_q, read_b_q, read_table_q, a_q, b_q, table_q;
  logic [1:0] constant_q;
  logic none_q;
  always_ff @(posedge clk_i) begin
    if (we_i) copy_a[address_i] <= data_i;
    read_a_q <= copy_a[address_a_i];
  end
  always_ff @(posedge clk_i) begin
    if (we_i) copy_b[address_i] <= data_i;
    read_b_q <= copy_b[address_b_i];
  end
  always_ff @(posedge clk_i) begin
    if (load_i) constants[load_address_i] <= data_i;
    read_table_q <= constants[table_i];
    constant_q <= {constant_q[0], constant_i};
    none_q <= none_i;
    a_q <= read_a_q;
    b_q <= read_b_q;
    table_q <= none_q ? '0 : read_table_q;
  end

  assign a_o = a_q;
  assign b_o = constant_q[1] ? table_q : b_q;

endmodule

`default_nettype wire
