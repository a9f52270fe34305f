// SPDX-License-Identifier: Apache-2.0
//
// Memory of the system on chip: words of 32 bits and two ports. Port i reads words (instructions).
// Port d reads words, and writes the bytes of a word that d_we_i selects (data).
//
// Parameters: NumWord is the number of words, 2 and more. Image, if not empty, names a file of
// hexadecimal words with the initial content. Reset does not change the content. The first NumRom
// words cannot be written: a write to them is acknowledged and has no effect.
//
// The user keeps req high, with a stable address, until ack. ack is high for one cycle, the one
// after the first cycle of req. The data of a read is valid in the cycle of ack. It is undefined if
// a port writes the same word in the cycle before.
//
// Latency: 1 cycle. Throughput: one word every second cycle.
`default_nettype none

module ecsm_soc_ram #(
  parameter int unsigned NumWord = 16384,
  parameter string Image = "",
  parameter int unsigned NumRom = 0,
  localparam int unsigned AddressW = $clog2(NumWord)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                i_req_i,
  input  logic [AddressW-1:0] i_address_i,
  output logic                i_ack_o,
  output logic [        31:0] i_data_o,
  input  logic                d_req_i,
  input  logic [         3:0] d_we_i,
  input  logic [AddressW-1:0] d_address_i,
  input  logic [        31:0] d_data_i,
  output logic                d_ack_o,
  output logic [        31:0] d_data_o
);

  (* no_rw_check *) logic [31:0] memory[NumWord];
  logic i_ack_q, d_ack_q;
  logic [3:0] d_we;

  if (Image != "") begin : gen_image
    initial $readmemh(Image, memory);
  end

  if (NumRom == 0) begin : gen_ram
    assign d_we = d_we_i;
  end else begin : gen_rom
    assign d_we = (d_address_i < AddressW'(NumRom)) ? '0 : d_we_i;
  end

  always_ff @(posedge clk_i) begin
    if (i_req_i) i_data_o <= memory[i_address_i];
  end

  always_ff @(posedge clk_i) begin
    if (d_req_i) begin
      for (int unsigned i = 0; i < 4; i++) begin
        if (d_we[i]) memory[d_address_i][8*i+:8] <= d_data_i[8*i+:8];
      end
      d_data_o <= memory[d_address_i];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      i_ack_q <= 1'b0;
      d_ack_q <= 1'b0;
    end else begin
      i_ack_q <= i_req_i & ~i_ack_q;
      d_ack_q <= d_req_i & ~d_ack_q;
    end
  end

  assign i_ack_o = i_ack_q;
  assign d_ack_o = d_ack_q;

endmodule

`default_nettype wire
