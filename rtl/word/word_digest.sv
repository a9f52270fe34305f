// SPDX-License-Identifier: Apache-2.0
//
// The hashes of a word engine, behind one port: that of a core's parameters.
//
//   in_* --> word_hash, word_hash_wide or word_hash_small --> out_*
//        --> word_sha1, with Full                         -->
//
//   start_i, kind_i  a digest begins; kind_i: which one, see word_hash_wide. With Full 4 is SHA-1
//   long_o           blocks of this digest have 128 octets, not 64
//   in_*, out_*      octets, the message padded; see word_hash
//   clear_i          drops what is there
//
// Latency: that of the hash.

`default_nettype none

module word_digest #(
  parameter bit WideHash = 0,  // SHA-224 to SHA-512, not SHA-256 alone
  parameter bit Full = 0,  // SHA-1, too
  parameter bit Ice40 = 0  // SHA-256 in block RAMs: word_hash_small
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       start_i,
  input  logic [2:0] kind_i,
  output logic       long_o,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_data_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_data_o
);

  // SHA-1 beside it, of kind 4.
  logic sha2_start, sha2_in_valid, sha2_ready, sha2_valid, sha2_out_ready, sha2_long;
  logic [7:0] sha2_data;
  if (Full) begin : gen_sha1
    logic sha1_q, ready, valid;
    logic [7:0] data;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) sha1_q <= 1'b0;
      else if (start_i) sha1_q <= kind_i[2];
    end
    assign sha2_start = start_i && !kind_i[2];
    assign sha2_in_valid = in_valid_i && !sha1_q;
    assign sha2_out_ready = out_ready_i && !sha1_q;
    assign in_ready_o = sha1_q ? ready : sha2_ready;
    assign out_valid_o = sha1_q ? valid : sha2_valid;
    assign out_data_o = sha1_q ? data : sha2_data;
    assign long_o = sha2_long && !sha1_q;
    word_sha1 u_sha1 (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(start_i && kind_i[2]),
      .in_valid_i(in_valid_i && sha1_q),
      .in_ready_o(ready),
      .in_data_i(in_data_i),
      .out_valid_o(valid),
      .out_ready_i(out_ready_i && sha1_q),
      .out_data_o(data)
    );
  end else begin : gen_sha2
    assign sha2_start = start_i;
    assign sha2_in_valid = in_valid_i;
    assign sha2_out_ready = out_ready_i;
    assign in_ready_o = sha2_ready;
    assign out_valid_o = sha2_valid;
    assign out_data_o = sha2_data;
    assign long_o = sha2_long;
  end

  if (WideHash) begin : gen_wide
    word_hash_wide u_hash (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(sha2_start),
      .kind_i(kind_i[1:0]),
      .long_o(sha2_long),
      .in_valid_i(sha2_in_valid),
      .in_ready_o(sha2_ready),
      .in_data_i(in_data_i),
      .out_valid_o(sha2_valid),
      .out_ready_i(sha2_out_ready),
      .out_data_o(sha2_data)
    );
  end else if (Ice40) begin : gen_small
    assign sha2_long = 1'b0;
    word_hash_small u_hash (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(sha2_start),
      .in_valid_i(sha2_in_valid),
      .in_ready_o(sha2_ready),
      .in_data_i(in_data_i),
      .out_valid_o(sha2_valid),
      .out_ready_i(sha2_out_ready),
      .out_data_o(sha2_data)
    );
  end else begin : gen_short
    assign sha2_long = 1'b0;
    word_hash u_hash (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(clear_i),
      .start_i(sha2_start),
      .in_valid_i(sha2_in_valid),
      .in_ready_o(sha2_ready),
      .in_data_i(in_data_i),
      .out_valid_o(sha2_valid),
      .out_ready_i(sha2_out_ready),
      .out_data_o(sha2_data)
    );
  end

  logic unused;
  assign unused = ^kind_i;

endmodule

`default_nettype wire
