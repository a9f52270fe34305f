// SPDX-License-Identifier: Apache-2.0
//
// The scalar of point halving: turns k into 2^t (k - C) mod n, in signed digits to the base 16.
//
//   scalar_i, Start --> [sum_q, carry_q: 2 r] -- high bits --> quotient --> [Low, High, Full]
//                         ^         |                                              |
//                         |  2^8 r, less the multiple of n <-- [out_sum_q, out_carry_q]
//                         +---------+
//                                   +- nibble -> [decode] -> [catch_q] -> [read_q] -> [write_q]
//
//   load_i    loads k, any W bits, and adds Start
//   step_i    r := 2^8 r - q n, where q is the part above 2^Top. A step subtracts the q n of the
//             step before.
//   add_i     with step_i, in the last step but one: adds n, so that the result is not negative
//   last_i    with step_i, in the last step: drops no bits, and subtracts the q n of the step
//             before
//   settle_i  moves the carries one block up; after NumBlock such cycles the digits are exact
//   shift_i   the caught digit becomes the read digit, and the next digit is caught
//   latch_i   the read digit becomes the written digit
//   clear_i   clears every register; wins over everything
//   next_catch_o, next_read_o, next_write_o   the digits that are caught, read and written in the
//                                             next cycle; before the first shift they select
//                                             nothing. After the last digit follows the digit of
//                                             nibble 0.
//
// n = 2^Top + Delta. The unit stores 2 r as a sum and its carries, so no step has a carry chain
// longer than the quotient. AccW: at least Top + 12, 4 Windows + 9 and W. Latency: one cycle for
// each operation. There is no reset: the engine clears after its own reset.
// Source: ecsm/curves/gf2m/halving.py, which has the same steps and their bounds.

`default_nettype none

module gf2m_halving_digits
  import gf2m_halving_pkg::digit_t;
  import gf2m_halving_pkg::NumBlock;
#(
  parameter int unsigned W = 163,
  parameter int unsigned Top = 162,
  parameter int unsigned Windows = 41,
  parameter int unsigned AccW = Top + 12,  // and at least 4 Windows + 9
  parameter bit [AccW-1:0] Delta = '0,  // two's complement
  parameter bit [AccW-1:0] Start = '0  // added to k
) (
  input  logic           clk_i,
  input  logic           clear_i,
  input  logic           load_i,
  input  logic           step_i,
  input  logic           add_i,
  input  logic           last_i,
  input  logic           settle_i,
  input  logic           shift_i,
  input  logic           latch_i,
  input  logic   [W-1:0] scalar_i,
  output digit_t         next_catch_o,
  output digit_t         next_read_o,
  output digit_t         next_write_o
);

  localparam int unsigned Step = 8;
  localparam int unsigned PlainW = 4 * Windows;
  localparam int unsigned First = Top - Step + 1;  // the lowest bit of the quotient in 2 r
  localparam int unsigned QuotientW = AccW - Step - First;
  localparam int unsigned Block = (AccW + NumBlock - 1) / NumBlock;

  typedef logic [AccW-1:0] acc_t;
  typedef bit [15:0][AccW-1:0] table_t;

  // -2 Delta times a number of four bits, times a power of two.
  function automatic table_t multiples(int unsigned shift);
    for (int unsigned i = 0; i < 16; i++) multiples[i] = -((Delta * AccW'(i)) << (shift + 1));
  endfunction
  localparam table_t Low = multiples(0);
  localparam table_t High = multiples(4);
  localparam acc_t Full = -(Delta << (Step + 1));
  localparam acc_t More = (acc_t'(1) << (Top + 1)) + (Delta << 1);  // 2 n

  // Not a memory: one LUT4 for each bit.
  function automatic acc_t pick(table_t numbers, logic [3:0] index);
    pick = '0;
    for (int unsigned i = 0; i < 16; i++) pick |= numbers[i] & {AccW{index == 4'(i)}};
  endfunction

  // The carries of a sum of three numbers.
  function automatic acc_t majority(acc_t a, acc_t b, acc_t c);
    return ((a & b) | (a & c) | (b & c)) << 1;
  endfunction

  // 2 r, and the number to subtract from it, each as a sum and its carries.
  acc_t sum_q, carry_q, sum_d, carry_d, out_sum_q, out_carry_q;

  logic [QuotientW-1:0] quotient;
  acc_t low, high, full;
  assign quotient = sum_q[AccW-Step-1:First] + carry_q[AccW-Step-1:First];
  assign low = pick(Low, quotient[3:0]);
  assign high = pick(High, quotient[7:4]);
  // The bits above the two nibbles of the quotient are -1, 0, 1 or 2.
  always_comb begin
    unique case ({
      add_i, quotient[QuotientW-1], quotient[Step+1:Step]
    })
      4'b0001: full = Full;
      4'b0010: full = Full << 1;
      4'b0111: full = -Full;
      4'b1000: full = More;
      4'b1001: full = Full + More;
      4'b1010: full = (Full << 1) + More;
      4'b1111: full = More - Full;
      default: full = '0;
    endcase
  end

  // The shifted number minus the number to subtract.
  acc_t kept, kept_carry, once, once_carry, reduced, reduced_carry;
  logic [QuotientW-1:0] over, over_carry;
  assign over = sum_q[AccW-Step-1:First] & {QuotientW{last_i}};
  assign over_carry = carry_q[AccW-Step-1:First] & {QuotientW{last_i}};
  assign kept = {over, sum_q[First-1:0], {Step{1'b0}}};
  assign kept_carry = {over_carry, carry_q[First-1:0], {Step{1'b0}}};
  assign once = kept ^ kept_carry ^ (out_sum_q << Step);
  assign once_carry = majority(kept, kept_carry, out_sum_q << Step);
  assign reduced = once ^ once_carry ^ (out_carry_q << Step);
  assign reduced_carry = majority(once, once_carry, out_carry_q << Step);

  // Blocks, each with its carry into the next one.
  localparam int unsigned Padded = Block * NumBlock;
  logic [Padded-1:0] settled, settled_carry;
  logic [NumBlock:0] out;
  assign out[0] = 1'b0;
  for (genvar b = 0; b < NumBlock; b++) begin : gen_block
    assign {out[b+1], settled[Block*b+:Block]} =
        {1'b0, Block'(sum_q >> (Block * b))} + {1'b0, Block'(carry_q >> (Block * b))};
    assign settled_carry[Block*b+:Block] = Block'(out[b]);
  end

  always_comb begin
    sum_d = sum_q;
    carry_d = carry_q;
    if (load_i) begin
      sum_d = acc_t'(scalar_i);
      carry_d = Start;
    end else if (step_i) begin
      sum_d = reduced;
      carry_d = reduced_carry;
    end else if (settle_i) begin
      sum_d = acc_t'(settled);
      carry_d = acc_t'(settled_carry);
    end else if (shift_i) begin
      sum_d = sum_q << gf2m_halving_pkg::DigitBits;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      sum_q <= '0;
      carry_q <= '0;
      out_sum_q <= '0;
      out_carry_q <= '0;
    end else begin
      sum_q <= sum_d;
      carry_q <= carry_d;
      out_sum_q <= step_i ? low ^ high ^ full : '0;
      out_carry_q <= step_i ? majority(low, high, full) : '0;
    end
  end

  // A digit from -8 to 7 is +-2^s o with o = 1, 3, 5, 7. It adds the half of the window that is s
  // places before the last one.
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

  // The register is 2^9 times the number with these digits.
  logic [3:0] nibble;
  assign nibble = sum_q[PlainW+Step-:4];

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

  logic unused_end;
  assign unused_end = ^{out[NumBlock], settled, settled_carry};

  if (PlainW + Step >= AccW || W > AccW || AccW < Top + 4 + Step) begin : gen_bad
    $error("gf2m_halving_digits: AccW is too small");
  end

endmodule

`default_nettype wire
