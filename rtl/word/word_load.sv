// SPDX-License-Identifier: Apache-2.0
//
// Takes the tables of a curve from the host: program, walks, constants.
//
//   start_i --> [zeroize_o] --> [wait for ready_i] --> words of in_* --> load_* --> done_o, good_o
//                                                       | octets
//                                                       v
//                                                     [crc_q]
//
// An image is one string of whole words. A word says in its highest four bits what it is for, in
// the twelve bits below at which address, and in its lowest 36 bits what is written there. Bits
// between are 0. The last word has the CRC-32 of all octets before it, in its lowest 32 bits.
//
// Everything that may hold a secret is zeroized before the first word moves. good_o is high with
// done_o if the image is whole: nothing else may run on its tables.
//
// Latency: eleven cycles a word. Source of the CRC: IEEE 802.3, as zlib has it.

`default_nettype none

module word_load
  import word_pkg::*;
#(
  parameter int unsigned Fixed = 1,  // words of the memory that constants may have
  parameter int unsigned NumWord = 2,  // .. of the program, and so on
  parameter int unsigned NumSlot = 4,
  parameter int unsigned NumTable = 2
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     abort_i,         // drops the image
  input  logic                     start_i,
  output logic                     zeroize_o,
  input  logic                     ready_i,         // the memory is clear
  output logic                     busy_o,
  output logic                     done_o,          // one cycle
  output logic                     good_o,
  input  logic                     in_valid_i,
  output logic                     in_ready_o,
  input  logic  [            63:0] in_data_i,
  input  logic  [             3:0] in_bytes_i,
  input  logic                     in_last_i,
  output load_e                    load_o,
  output logic  [LoadAddressW-1:0] load_address_o,
  output logic  [       LoadW-1:0] load_data_o
);

  typedef enum logic [2:0] {
    Idle,
    Begin,
    Ready,
    Take,
    Check,
    Write,
    Octets,
    Done
  } state_e;

  typedef struct packed {
    load_e                   kind;
    logic [LoadAddressW-1:0] address;
    logic [11:0]             zero;
    logic [LoadW-1:0]        data;
  } record_t;

  function automatic logic [31:0] crc(logic [31:0] so_far, logic [7:0] octet);
    logic [31:0] value;
    value = so_far ^ 32'(octet);
    for (int unsigned i = 0; i < 8; i++) value = (value >> 1) ^ (value[0] ? 32'hedb88320 : '0);
    return value;
  endfunction

  state_e state_q, state_d;
  logic [63:0] word_q;
  logic [2:0] octet_q;
  logic [31:0] crc_q;
  logic last_q, whole_q, good_q, fits, takes;
  record_t record;

  assign record = word_q;
  assign takes  = state_q == Take && in_valid_i;
  always_comb begin
    unique case (record.kind)
      LoadProgram: fits = record.address < LoadAddressW'(NumWord);
      LoadSlot: fits = record.address < LoadAddressW'(NumSlot);
      LoadTable: fits = record.address < LoadAddressW'(NumTable);
      LoadStart: fits = record.address < LoadAddressW'(2 ** WalkW);
      LoadMemory: fits = record.address < LoadAddressW'(Fixed);
      LoadEnd: fits = last_q && record.data == {4'd0, ~crc_q} && record.address == '0;
      default: fits = 1'b0;
    endcase
    if (!whole_q || record.zero != '0 || (last_q && record.kind != LoadEnd)) fits = 1'b0;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (start_i) state_d = Begin;
      Begin: state_d = Ready;
      Ready: if (ready_i) state_d = Take;
      Take: if (takes) state_d = Check;
      Check: state_d = Write;
      Write: state_d = (good_q && !last_q) ? Octets : Done;
      Octets: if (&octet_q) state_d = Take;
      default: state_d = Idle;
    endcase
    if (abort_i) state_d = Idle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      word_q <= '0;
      octet_q <= '0;
      crc_q <= '1;
      last_q <= 1'b0;
      whole_q <= 1'b0;
      good_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == Check) good_q <= fits;
      unique case (state_q)
        Idle: begin
          word_q  <= '0;
          octet_q <= '0;
          crc_q   <= '1;
        end
        Take: begin
          word_q  <= in_data_i;
          last_q  <= in_last_i;
          whole_q <= in_bytes_i == 4'd8;
        end
        Octets: begin
          word_q  <= {word_q[55:0], 8'd0};
          octet_q <= octet_q + 3'd1;
          crc_q   <= crc(crc_q, word_q[63:56]);
        end
        default: ;
      endcase
    end
  end

  assign zeroize_o = state_q == Begin;
  assign busy_o = state_q != Idle;
  assign done_o = state_q == Done;
  assign good_o = good_q;
  assign in_ready_o = state_q == Take;
  assign load_o = (state_q == Write && good_q) ? record.kind : LoadNone;
  assign load_address_o = record.address;
  assign load_data_o = record.data;

endmodule

`default_nettype wire
