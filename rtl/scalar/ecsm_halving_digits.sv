// SPDX-License-Identifier: Apache-2.0
//
// The scalar of point halving: k to 2^t (k - C) mod n in signed digits to the base 16.
//
//   load_i    take k, W bits
//   step_i    r := 2^8 r - q n, q what stands above 2^Top; the register holds 2 r
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

  logic signed [AccW-1:0] acc_q, acc_d, rest, reduced, plain;
  logic signed [QuotientW-1:0] quotient;
  logic signed [ProductW-1:0] low, high, full;

  // quotient = 256 full + 16 high + low, where full is -1, 0 or 1.
  assign quotient = acc_q[AccW-1:First];
  assign low = Low[quotient[3:0]];
  assign high = High[quotient[7:4]];
  always_comb begin
    full = '0;
    if (quotient[QuotientW-1]) full = -Full;
    else if (quotient[Step]) full = Full;
  end
  assign rest = signed'(AccW'({acc_q[First-1:0], {(Step - 1) {1'b0}}}));
  assign reduced = rest - AccW'(low) - AccW'(high) - AccW'(full);
  assign plain = (acc_q >>> 1) - signed'(Constant);

  always_comb begin
    acc_d = acc_q;
    if (load_i) acc_d = AccW'(scalar_i);
    else if (step_i) acc_d = reduced << 1;
    else if (last_i) acc_d = plain;
    else if (shift_i) acc_d = acc_q << gf2m_halving_pkg::DigitBits;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) acc_q <= '0;
    else acc_q <= acc_d;
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

  digit_t catch_q, read_q, write_q;
  assign next_catch_o = shift_i ? decode(acc_q[PlainW-1-:4]) : catch_q;
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

  if (PlainW > AccW || W > AccW) begin : gen_bad
    $error("ecsm_halving_digits: a digit more than a number below n has");
  end

endmodule

`default_nettype wire
