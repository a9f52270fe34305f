// SPDX-License-Identifier: Apache-2.0
//
// Models of the Gowin cells that Yosys has no model of: the block memory and the multiplier.
//
// The models cover what synth_gowin makes of RTL. Neither has registers but the memory's address;
// check() in test_gowin.py refuses others.
//
// Source: Gowin UG285, BSRAM and SSRAM User Guide; Gowin UG287, DSP User Guide; and how Yosys'
// gowin/brams_map.v and gowin/dsp_map.v wire them.
`define INITS \
  parameter [287:0] INIT_RAM_00 = 0, INIT_RAM_01 = 0, INIT_RAM_02 = 0, INIT_RAM_03 = 0; \
  parameter [287:0] INIT_RAM_04 = 0, INIT_RAM_05 = 0, INIT_RAM_06 = 0, INIT_RAM_07 = 0; \
  parameter [287:0] INIT_RAM_08 = 0, INIT_RAM_09 = 0, INIT_RAM_0A = 0, INIT_RAM_0B = 0; \
  parameter [287:0] INIT_RAM_0C = 0, INIT_RAM_0D = 0, INIT_RAM_0E = 0, INIT_RAM_0F = 0; \
  parameter [287:0] INIT_RAM_10 = 0, INIT_RAM_11 = 0, INIT_RAM_12 = 0, INIT_RAM_13 = 0; \
  parameter [287:0] INIT_RAM_14 = 0, INIT_RAM_15 = 0, INIT_RAM_16 = 0, INIT_RAM_17 = 0; \
  parameter [287:0] INIT_RAM_18 = 0, INIT_RAM_19 = 0, INIT_RAM_1A = 0, INIT_RAM_1B = 0; \
  parameter [287:0] INIT_RAM_1C = 0, INIT_RAM_1D = 0, INIT_RAM_1E = 0, INIT_RAM_1F = 0; \
  parameter [287:0] INIT_RAM_20 = 0, INIT_RAM_21 = 0, INIT_RAM_22 = 0, INIT_RAM_23 = 0; \
  parameter [287:0] INIT_RAM_24 = 0, INIT_RAM_25 = 0, INIT_RAM_26 = 0, INIT_RAM_27 = 0; \
  parameter [287:0] INIT_RAM_28 = 0, INIT_RAM_29 = 0, INIT_RAM_2A = 0, INIT_RAM_2B = 0; \
  parameter [287:0] INIT_RAM_2C = 0, INIT_RAM_2D = 0, INIT_RAM_2E = 0, INIT_RAM_2F = 0; \
  parameter [287:0] INIT_RAM_30 = 0, INIT_RAM_31 = 0, INIT_RAM_32 = 0, INIT_RAM_33 = 0; \
  parameter [287:0] INIT_RAM_34 = 0, INIT_RAM_35 = 0, INIT_RAM_36 = 0, INIT_RAM_37 = 0; \
  parameter [287:0] INIT_RAM_38 = 0, INIT_RAM_39 = 0, INIT_RAM_3A = 0, INIT_RAM_3B = 0; \
  parameter [287:0] INIT_RAM_3C = 0, INIT_RAM_3D = 0, INIT_RAM_3E = 0, INIT_RAM_3F = 0; \
  localparam [18431:0] INIT = { \
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, \
    INIT_RAM_38, INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, \
    INIT_RAM_31, INIT_RAM_30, INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, \
    INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28, INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, \
    INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20, INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, \
    INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18, INIT_RAM_17, INIT_RAM_16, \
    INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10, INIT_RAM_0F, \
    INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08, \
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, \
    INIT_RAM_00 \
  };

// Two ports on 2,048 bytes of 9 bits. The lowest bits of an address enable bytes of a wide word.
module gowin_memory #(
  parameter [18431:0] INIT = 18432'h0,
  parameter WIDTH_A = 36, WIDTH_B = 36,
  parameter [1:0] MODE_A = 0, MODE_B = 0
) (
  input clk_a, ce_a, we_a, input [13:0] ad_a, input [35:0] di_a, output [35:0] do_a,
  input clk_b, ce_b, we_b, input [13:0] ad_b, input [35:0] di_b, output [35:0] do_b
);
  reg [8:0] memory [0:2047];
  wire [10:0] first_a, first_b;
  wire [3:0] enable_a, enable_b;
  wire [35:0] old_a = {
    memory[first_a | 11'd3], memory[first_a | 11'd2], memory[first_a | 11'd1], memory[first_a]
  };
  wire [35:0] old_b = {
    memory[first_b | 11'd3], memory[first_b | 11'd2], memory[first_b | 11'd1], memory[first_b]
  };
  integer i;
  initial for (i = 0; i < 2048; i = i + 1) memory[i] = INIT[9*i +: 9];
  gowin_port #(.WIDTH(WIDTH_A), .MODE(MODE_A)) a (
    .clk(clk_a), .ce(ce_a), .we(we_a), .ad(ad_a), .di(di_a), .old(old_a), .enable(enable_a),
    .first(first_a), .q(do_a)
  );
  gowin_port #(.WIDTH(WIDTH_B), .MODE(MODE_B)) b (
    .clk(clk_b), .ce(ce_b), .we(we_b), .ad(ad_b), .di(di_b), .old(old_b), .enable(enable_b),
    .first(first_b), .q(do_b)
  );
  integer n;
  always @(posedge clk_a) begin
    for (n = 0; n < 4; n = n + 1)
      if (enable_a[n]) memory[first_a | n[10:0]] <= di_a[9*n +: 9];
    for (n = 0; n < 4; n = n + 1)
      if (enable_b[n]) memory[first_b | n[10:0]] <= di_b[9*n +: 9];
  end
endmodule

// MODE on a write: 0 the output stays, 1 it is what is written, 2 it is what was there.
module gowin_port #(
  parameter WIDTH = 36,
  parameter [1:0] MODE = 0
) (
  input clk, ce, we, input [13:0] ad, input [35:0] di, input [35:0] old,
  output [3:0] enable, output [10:0] first, output reg [35:0] q
);
  assign first = WIDTH == 36 ? {ad[13:5], 2'b0} : WIDTH == 18 ? {ad[13:4], 1'b0} : ad[13:3];
  wire [3:0] bytes = WIDTH == 36 ? ad[3:0] : WIDTH == 18 ? {2'b0, ad[1:0]} : 4'b1;
  assign enable = ce && we ? bytes : 4'b0;
  wire [35:0] shown = WIDTH == 36 ? ~36'b0 : WIDTH == 18 ? 36'h3ffff : 36'h1ff;
  wire [35:0] mask = {{9{bytes[3]}}, {9{bytes[2]}}, {9{bytes[1]}}, {9{bytes[0]}}};
  always @(posedge clk)
    if (ce && (!we || MODE != 0))
      q <= shown & (we && MODE == 1 ? (di & mask) | (old & ~mask) : old);
endmodule

module SPX9 (
  input [2:0] BLKSEL, input [13:0] AD, input [35:0] DI, output [35:0] DO,
  input CLK, CE, OCE, RESET, WRE
);
  parameter READ_MODE = 1'b0, BLK_SEL = 3'b0, RESET_MODE = "SYNC";
  parameter BIT_WIDTH = 36;
  parameter [1:0] WRITE_MODE = 0;
  `INITS
  gowin_memory #(.INIT(INIT), .WIDTH_A(BIT_WIDTH), .MODE_A(WRITE_MODE)) memory (
    .clk_a(CLK), .ce_a(CE), .we_a(WRE), .ad_a(AD), .di_a(DI), .do_a(DO),
    .clk_b(CLK), .ce_b(1'b0), .we_b(1'b0), .ad_b(14'b0), .di_b(36'b0), .do_b()
  );
endmodule

module DPX9B (
  input [2:0] BLKSELA, BLKSELB, input [13:0] ADA, ADB, input [17:0] DIA, DIB,
  output [17:0] DOA, DOB, input CLKA, CEA, OCEA, RESETA, WREA, CLKB, CEB, OCEB, RESETB, WREB
);
  parameter READ_MODE0 = 1'b0, READ_MODE1 = 1'b0, BLK_SEL_0 = 3'b0, BLK_SEL_1 = 3'b0;
  parameter RESET_MODE = "SYNC";
  parameter BIT_WIDTH_0 = 18, BIT_WIDTH_1 = 18;
  parameter [1:0] WRITE_MODE0 = 0, WRITE_MODE1 = 0;
  `INITS
  wire [17:0] none_a, none_b;
  gowin_memory #(
    .INIT(INIT), .WIDTH_A(BIT_WIDTH_0), .WIDTH_B(BIT_WIDTH_1), .MODE_A(WRITE_MODE0),
    .MODE_B(WRITE_MODE1)
  ) memory (
    .clk_a(CLKA), .ce_a(CEA), .we_a(WREA), .ad_a(ADA), .di_a({18'b0, DIA}), .do_a({none_a, DOA}),
    .clk_b(CLKB), .ce_b(CEB), .we_b(WREB), .ad_b(ADB), .di_b({18'b0, DIB}), .do_b({none_b, DOB})
  );
endmodule

module MULT18X18 (
  input [17:0] A, SIA, B, SIB, input ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
  output [35:0] DOUT, output [17:0] SOA, SOB
);
  wire signed [18:0] a = {ASIGN & A[17], A};
  wire signed [18:0] b = {BSIGN & B[17], B};
  wire signed [37:0] p = a * b;
  assign DOUT = p[35:0];
  assign SOA = 18'b0;
  assign SOB = 18'b0;
endmodule
