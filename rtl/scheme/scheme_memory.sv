// SPDX-License-Identifier: Apache-2.0
//
// The memory of the scheme machine: 2^(AddressW - 1) words of W bits, and above them as many words
// of constants, which are in a memory outside.
//
//   write_* --------+--> memory (key slots | work) --> word_q --------+--> read_data_o
//   zeros, number --+          ^                                      |    (stays: hold_q)
//   (clearing)                 |                                      |
//   read_address_i ------------+--> constant_address_o --> constant_i +
//
// Parameters: FirstWork is the first word after the key slots.
//
// Read: if read_i is high in cycle t, the word at read_address_i is on read_data_o from t + 1 until
// the next read_i. A word that is written in t can be read in t + 1. A write to an address of a
// constant has no effect. constant_i in cycle t + 1 is the constant that constant_address_o selects
// in t. Clearing: clear_i starts to write zeros from word FirstWork to the last word, one word a
// cycle. zeroize_i and reset start with word 0. Meanwhile ready_o is low and writes are not
// allowed. read_data_o is then zero until the next read.

`default_nettype none

module scheme_memory
  import scheme_pkg::*;
#(
  parameter int unsigned FirstWork = 128,
  localparam int unsigned RamW = AddressW - 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                zeroize_i,
  output logic                ready_o,
  input  logic                write_i,
  input  logic [AddressW-1:0] write_address_i,
  input  logic [       W-1:0] write_data_i,
  input  logic                read_i,
  input  logic [AddressW-1:0] read_address_i,
  output logic [       W-1:0] read_data_o,
  output logic [    RamW-1:0] constant_address_o,
  input  logic [       W-1:0] constant_i
);

  (* no_rw_check *) logic [W-1:0] memory[2**RamW];
  logic [W-1:0] word_q, hold_q;
  logic constant_q, fresh_q, held_q;

  logic clearing_d, clearing_q;
  logic [RamW-1:0] number_d, number_q;

  always_comb begin
    clearing_d = clearing_q && number_q != '1;
    number_d = clearing_q ? number_q + RamW'(1) : '0;
    if (clear_i && !clearing_q) begin
      clearing_d = 1'b1;
      number_d = RamW'(FirstWork);
    end
    if (zeroize_i) begin
      clearing_d = 1'b1;
      number_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clearing_q <= 1'b1;
      number_q <= '0;
    end else begin
      clearing_q <= clearing_d;
      number_q <= number_d;
    end
  end

  assign ready_o = !clearing_q && !clear_i && !zeroize_i;

  logic write;
  logic [RamW-1:0] address;
  logic [W-1:0] data;
  assign write = clearing_q || (write_i && !write_address_i[RamW]);
  assign address = clearing_q ? number_q : write_address_i[RamW-1:0];
  assign data = clearing_q ? '0 : write_data_i;

  always_ff @(posedge clk_i) begin
    if (write) memory[address] <= data;
    word_q <= memory[read_address_i[RamW-1:0]];
  end

  assign constant_address_o = read_address_i[RamW-1:0];

  // The memories return a word in the cycle after read_i. hold_q keeps it from then on.
  logic [W-1:0] fresh;
  assign fresh = constant_q ? constant_i : word_q;
  assign read_data_o = fresh_q ? fresh : held_q ? hold_q : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fresh_q <= 1'b0;
      held_q <= 1'b0;
    end else begin
      fresh_q <= read_i && ready_o;
      held_q <= ready_o && (read_i || fresh_q || held_q);
    end
  end

  always_ff @(posedge clk_i) begin
    constant_q <= read_address_i[RamW];
    if (!ready_o) hold_q <= '0;
    else if (fresh_q) hold_q <= fresh;
  end

endmodule

`default_nettype wire
