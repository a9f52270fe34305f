// SPDX-License-Identifier: Apache-2.0
//
// The scalar of point halving: k to 2^t (k - C) mod n in signed digits to the base 16.
//
//   load_i    take k, W bits
//   step_i    r := 2^8 r - q n, q what stands above 2^Top; the register holds 2 r, in two parts with
//             a carry between them that waits for the next step
//   last_i    subtract Constant: C and a bias that makes plain digits of signed ones
//   shift_i   the digit that was caught is read, the next one is caught
//   latch_i   the digit that was read is written
//   clear_i   clear everything; wins
//
// next_*_o are the digits that are caught, read and written in the next cycle; before the first
// shift they ask for nothing. The digit behind the last one is that of nibble 0.
//
// n = 2^Top + Delta. Latency: one cycle each. There is no reset: the engine clears after one.
// Source: ecsm/curves/halving.py, which has the same steps and their bounds.

`default_nettype none

module ecsm_halving_digits
  import gf2m_halving_pkg::digit_t;
#(
  parameter int unsigned W = 163,
  parameter int unsigned Top = 162,
  parameter int unsigned DeltaW = 83,
  parameter bit signed [DeltaW-1:0] Delta = '0,
  parameter int unsigned Split = 96,  // bits of the lower part
  parameter int unsigned Windows = 41,
  parameter bit signed [Top+2:0] Constant = '0
) (
  input  logic         clk_i,
  input  logic         clear_i,
  input  logic         load_i,
  input  logic         step_i,
  input  logic         last_i,
  input  logic         shift_i,
  input  logic         latch_i,
  input  logic [W-1:0] scalar_i,
  output digit_t       next_catch_o,
  output digit_t       next_read_o,
  output digit_t       next_write_o
);

  localparam int unsigned Step = 8;
  localparam int unsigned AccW = Top + 3;
  localparam int unsigned PlainW = 4 * Windows;
  localparam int unsigned First = Top - Step + 1;  // the quotient's lowest bit in 2 r
  localparam int unsigned QuotientW = AccW - First;
  localparam int unsigned ProductW = DeltaW + QuotientW;
  localparam int unsigned HighW = AccW - Split;

  // Multiples of Delta by four bits of the quotient: one LUT4 a bit.
  typedef bit signed [15:0][ProductW-1:0] table_t;
  function automatic table_t multiples(int unsigned shift);
    for (int i = 0; i < 16; i++) begin
      multiples[i] = (ProductW'(signed'(Delta)) * ProductW'(i)) << shift;
    end
  endfunction
  localparam table_t Low = multiples(0);
  localparam table_t High = multiples(4);
  localparam bit [ProductW-1:0] Full = ProductW'(signed'(Delta)) << Step;

  logic signed [HighW-1:0] high_q, high_d;
  logic [Split-1:0] low_q, low_d;
  logic signed [1:0] carry_q, carry_d;
  logic signed [QuotientW-1:0] quotient;
  logic signed [ProductW-1:0] low, high, full;
  logic signed [Split+1:0] rest;
  logic signed [AccW-1:0] twice, plain;

  // quotient = 256 full + 16 high + low, where full is -1, 0 or 1.
  assign quotient = high_q[HighW-1:First-Split];
  assign low = Low[quotient[3:0]];
  assign high = High[quotient[7:4]];
  always_comb begin
    full = '0;
    if (quotient[QuotientW-1]) full = -Full;
    else if (quotient[Step]) full = Full;
  end
  assign rest = signed'({2'b00, low_q[Split-Step-1:0], {Step{1'b0}}})
      - (((Split + 2)'(low) + (Split + 2)'(high) + (Split + 2)'(full)) <<< 1);
  assign twice = signed'({high_q, low_q}) + (AccW'(carry_q) <<< Split);
  assign plain = (twice >>> 1) - signed'(Constant);

  always_comb begin
    {high_d, low_d} = {high_q, low_q};
    carry_d = carry_q;
    if (load_i) begin
      {high_d, low_d} = AccW'(scalar_i);
    end else if (step_i) begin
      high_d = signed'(HighW'({high_q[First-Split-1:0], low_q[Split-1-:Step]}))
          + (HighW'(carry_q) <<< Step);
      {carry_d, low_d} = rest;
    end else if (last_i) begin
      {high_d, low_d} = plain;
    end else if (shift_i) begin
      {high_d, low_d} = {high_q, low_q} << gf2m_halving_pkg::DigitBits;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      high_q <= '0;
      low_q <= '0;
      carry_q <= '0;
    end else begin
      high_q <= high_d;
      low_q <= low_d;
      carry_q <= load_i ? '0 : carry_d;
    end
  end

  // A digit from -8 to 7 is +-2^s o; its half for a window is the one in front of the last by s.
  function automatic digit_t decode(logic [3:0] nibble);
    unique case (nibble)
      4'd0:    decode = '{4'b0001, 1'b1, 4'b0001};  // -8
      4'd1:    decode = '{4'b1000, 1'b1, 4'b1000};
      4'd2:    decode = '{4'b0010, 1'b1, 4'b0100};
      4'd3:    decode = '{4'b0100, 1'b1, 4'b1000};
      4'd4:    decode = '{4'b0001, 1'b1, 4'b0010};
      4'd5:    decode = '{4'b0010, 1'b1, 4'b1000};
      4'd6:    decode = '{4'b0001, 1'b1, 4'b0100};
      4'd7:    decode = '{4'b0001, 1'b1, 4'b1000};
      4'd8:    decode = '{4'b0000, 1'b0, 4'b1000};  // 0
      4'd9:    decode = '{4'b0001, 1'b0, 4'b1000};
      4'd10:   decode = '{4'b0001, 1'b0, 4'b0100};
      4'd11:   decode = '{4'b0010, 1'b0, 4'b1000};
      4'd12:   decode = '{4'b0001, 1'b0, 4'b0010};
      4'd13:   decode = '{4'b0100, 1'b0, 4'b1000};
      4'd14:   decode = '{4'b0010, 1'b0, 4'b0100};
      default: decode = '{4'b1000, 1'b0, 4'b1000};  // 7
    endcase
  endfunction

  logic [3:0] nibble;
  assign nibble = high_q[PlainW-Split-1-:4];

  digit_t catch_q, read_q, write_q;
  assign next_catch_o = shift_i ? decode(nibble) : catch_q;
  assign next_read_o = shift_i ? catch_q : read_q;
  assign next_write_o = latch_i ? read_q : write_q;

  always_ff @(posedge clk_i) begin
    if (clear_i || load_i) begin
      catch_q <= '0;
      read_q <= '0;
      write_q <= '0;
    end else begin
      catch_q <= next_catch_o;
      read_q <= next_read_o;
      write_q <= next_write_o;
    end
  end

  if (PlainW > AccW || W > AccW || Split < ProductW + 2 || Split > First) begin : gen_bad
    $error("ecsm_halving_digits: n has too few digits, or Delta too many bits for Split");
  end

endmodule

`default_nettype wire
