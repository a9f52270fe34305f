// SPDX-License-Identifier: Apache-2.0
//
// The datapath of the word engine: a signed accumulator of products and sums of words.
//
//   a, b --+--> [x, y: doubled, signed] --> [products of halves] --+--> [term] --> [acc] --> word
//          |                                                        |                 ^ |
//          +--> [left, right: masked] ----> [left +- right] --------+                 base: 0, acc
//                                                                                     or acc >> W
//
// Of product and sum, the one that a slot does not ask for is 0.
//
// With Binary there is a second accumulator, of polynomials over GF(2), which slots with carryless
// use: products are carry-less, and a sum is an XOR. No such slot is doubled, signed or a
// difference. A walk has slots of one kind only, so that the other accumulator is 0.
//
//   x, y --> [carry-less products of halves, + (left XOR right)] --> [poly_term] --> [poly_acc]
//
// With Unsigned the products are of halves as they are, and what signs and doubling change is
// added: x is s 2^W + x' with s from -2 to 1, y is t 2^W + y' with t from -1 to 0, and x y is
// x' y' + 2^W (s y + t x').
//
// A column of a product is the sum of slots up to one with `shift`: its low word is a digit of the
// result, the rest is the carry into the next column. Words are unsigned but where a slot says that
// one is signed: the highest word of a number.
//
// Latency: valid_i, slot_i and the operands in cycle t; the word in cycle t + 4, with write_o. One
// slot a cycle. Slots without valid_i change nothing. Range: the accumulator is 2 W + 8 bits wide,
// signed; Python proves for each walk that it never overflows. clear_i for four cycles zeroes
// every register; those of products have no reset, as in DSP blocks.

`default_nettype none

module word_mac
  import word_pkg::*;
#(
  parameter int unsigned W = 32,
  parameter bit Binary = 0,  // there are polynomials
  parameter bit Unsigned = 0,  // blocks multiply W/2 by W/2 bits without signs
  localparam int unsigned AccW = 2 * W + 8
) (
  input  logic         clk_i,
  input  logic         clear_i,
  input  logic         valid_i,
  input  mac_t         slot_i,
  input  logic         mask_a_i,    // the left operand of a sum counts
  input  logic         mask_b_i,
  input  logic         subtract_i,  // the right operand of a sum is subtracted
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] b_i,
  output logic         busy_o,
  output logic         write_o,
  output logic         last_o,      // with write_o
  output logic         negative_o,  // with last_o: the number is negative
  output logic         zero_o,      // with last_o: its words are all 0
  output logic [  3:0] digit_o,     // with last_o: the bits above the word
  output logic         serial_o,    // with last_o: only the lowest of them is
  output logic [W-1:0] word_o
);

  localparam int unsigned H = W / 2;

  typedef struct packed {
    logic valid;
    mac_t slot;
  } stage_t;

  // Operands.
  stage_t one_q, two_q, three_q, four_q;
  logic signed [W+1:0] x_q;
  logic signed [W:0] y_q;
  logic signed [W+1:0] sum_q;
  logic subtract_q;
  logic signed [W:0] left, right, left_q, right_q;
  assign left = {slot_i.signed_a & a_i[W-1], a_i};
  assign right = {slot_i.signed_b & b_i[W-1], b_i};
  always_ff @(posedge clk_i) begin
    one_q <= clear_i ? '0 : '{valid: valid_i, slot: slot_i};
    subtract_q <= subtract_i;
    x_q <= slot_i.doubled ? {left, 1'b0} : (W + 2)'(left);
    y_q <= right;
    left_q <= left;
    right_q <= right;
    if (clear_i || slot_i.sum) x_q <= '0;
    if (clear_i) y_q <= '0;
    if (clear_i || !slot_i.sum || !mask_a_i) left_q <= '0;
    if (clear_i || !slot_i.sum || !mask_b_i) right_q <= '0;
  end

  // The product: in one block, or of halves in four.
  logic signed [2*W+2:0] term_q;
  if (W <= 16) begin : gen_one
    logic signed [2*W+2:0] whole_q;
    always_ff @(posedge clk_i) begin
      whole_q <= x_q * y_q;
      term_q  <= whole_q | (2 * W + 3)'(sum_q);
      if (Binary && two_q.slot.carryless) term_q <= '0;
    end
  end else if (Unsigned) begin : gen_unsigned
    logic [H-1:0] x_high, x_low, y_high, y_low;
    logic [2*H-1:0] high_q, cross_a_q, cross_b_q, low_q;
    logic signed [W+2:0] times_s, times_t, signs_q;  // s y, or one less; -t x'
    logic one_less_q;
    // The first cross product's upper half with s y + t x', and a bit below for its carry. Both
    // cross products keep registers of their own: in an adder of one block, there would be one.
    logic signed [W+3:0] above;
    logic signed [W+H+2:0] middle;
    assign above = {signs_q, 1'b1} + (W + 4)'({cross_a_q[2*H-1:H], one_less_q});
    assign middle = {above[W+3:1], cross_a_q[H-1:0]} + (W + H + 3)'(cross_b_q);
    assign {x_high, x_low} = x_q[W-1:0];
    assign {y_high, y_low} = y_q[W-1:0];
    always_comb begin
      unique case (x_q[W+1:W])
        2'b00:   times_s = '0;
        2'b01:   times_s = (W + 3)'(y_q);
        2'b10:   times_s = ~((W + 3)'(y_q) <<< 1);
        default: times_s = ~(W + 3)'(y_q);
      endcase
      times_t = (W + 3)'({1'b0, x_q[W-1:0]});
      if (!y_q[W]) times_t = '0;
    end
    always_ff @(posedge clk_i) begin
      high_q <= x_high * y_high;
      cross_a_q <= x_high * y_low;
      cross_b_q <= x_low * y_high;
      low_q <= x_low * y_low;
      signs_q <= times_s - times_t;
      one_less_q <= x_q[W+1];
      term_q <= ((2 * W + 3)'({1'b0, high_q, low_q}) | (2 * W + 3)'(sum_q))
          + ((2 * W + 3)'(middle) <<< H);
      if (Binary && two_q.slot.carryless) term_q <= '0;
    end
    logic unused_above;
    assign unused_above = above[0];
  end else begin : gen_halves
    logic signed [W+1-H:0] x_high;
    logic signed [W-H:0] y_high;
    logic signed [H:0] x_low, y_low;
    logic signed [2*W+2-2*H:0] high_q;
    logic signed [W+2:0] cross_a_q, cross_b_q;
    logic signed [2*H+1:0] low_q;
    assign x_high = x_q[W+1:H];
    assign y_high = y_q[W:H];
    assign x_low  = {1'b0, x_q[H-1:0]};
    assign y_low  = {1'b0, y_q[H-1:0]};
    always_ff @(posedge clk_i) begin
      high_q <= x_high * y_high;
      cross_a_q <= x_high * y_low;
      cross_b_q <= x_low * y_high;
      low_q <= x_low * y_low;
      term_q <= ((2 * W + 3)'({high_q, low_q[2*H-1:0]}) | (2 * W + 3)'(sum_q))
          + ((2 * W + 3)'(cross_a_q + cross_b_q) <<< H);
      if (Binary && two_q.slot.carryless) term_q <= '0;
    end
    logic unused_low;
    assign unused_low = ^low_q[2*H+1:2*H];
  end
  always_ff @(posedge clk_i) begin
    two_q <= clear_i ? '0 : one_q;
    three_q <= clear_i ? '0 : two_q;
    sum_q <= subtract_q ? (W + 2)'(left_q) - (W + 2)'(right_q)
                        : (W + 2)'(left_q) + (W + 2)'(right_q);
  end

  // The accumulator.
  logic signed [AccW-1:0] acc_q, base;
  logic shift_q;
  always_comb begin
    base = acc_q;
    if (three_q.slot.first) base = '0;
    else if (shift_q) base = acc_q >>> W;
  end
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      four_q  <= '0;
      acc_q   <= '0;
      shift_q <= 1'b0;
    end else begin
      four_q <= three_q;
      if (three_q.valid) begin
        acc_q   <= base + AccW'(term_q);
        shift_q <= three_q.slot.shift;
      end
    end
  end

  // Polynomials. The product of two words is that of halves, as Karatsuba has it: low, high, and
  // mid + low + high in the middle. A sum s comes on the same way: as low = s_low and
  // mid = s_low + s_high.
  logic [W-1:0] poly_word;
  if (Binary) begin : gen_binary
    function automatic logic [2*H-2:0] carryless(logic [H-1:0] x, logic [H-1:0] y);
      logic [2*H-2:0] product;
      product = '0;
      for (int unsigned i = 0; i < H; i++) begin
        for (int unsigned j = 0; j < H; j++) product[i+j] = product[i+j] ^ (x[i] & y[j]);
      end
      return product;
    endfunction

    logic [2*H-2:0] low_q, mid_q, high_q, middle;
    logic [2*W-2:0] poly_term_q, poly_acc_q, poly_base;
    logic [W-1:0] poly_sum;
    assign poly_sum = left_q[W-1:0] ^ right_q[W-1:0];
    assign middle = mid_q ^ low_q ^ high_q;
    always_comb begin
      poly_base = poly_acc_q;
      if (three_q.slot.first) poly_base = '0;
      else if (shift_q) poly_base = poly_acc_q >> W;
    end
    always_ff @(posedge clk_i) begin
      low_q <= carryless(x_q[H-1:0], y_q[H-1:0]) ^ (2 * H - 1)'(poly_sum[H-1:0]);
      mid_q <= carryless(x_q[H-1:0] ^ x_q[W-1:H], y_q[H-1:0] ^ y_q[W-1:H]) ^
          (2 * H - 1)'(poly_sum[H-1:0] ^ poly_sum[W-1:H]);
      high_q <= carryless(x_q[W-1:H], y_q[W-1:H]);
      poly_term_q <= {high_q, 1'b0, low_q} ^ ((2 * W - 1)'(middle) << H);
      if (!two_q.slot.carryless) poly_term_q <= '0;
      if (clear_i) poly_acc_q <= '0;
      else if (three_q.valid) poly_acc_q <= poly_base ^ poly_term_q;
    end
    assign poly_word = poly_acc_q[W-1:0];
  end else begin : gen_integers
    assign poly_word = '0;
  end

  // Whether all words of the number so far are 0. A number begins with its walk.
  logic zero_q, zero;
  assign zero = zero_q & (word_o == '0);
  always_ff @(posedge clk_i) begin
    if (clear_i) zero_q <= 1'b1;
    else if (write_o & ~four_q.slot.to_scratch) zero_q <= four_q.slot.last | zero;
  end

  assign word_o = acc_q[W-1:0] | poly_word;
  assign write_o = four_q.valid & four_q.slot.write;
  assign last_o = write_o & four_q.slot.last;
  assign negative_o = acc_q[W-1];
  assign zero_o = zero;
  assign digit_o = acc_q[W+:4];
  assign serial_o = four_q.slot.doubled;
  assign busy_o = one_q.valid | two_q.valid | three_q.valid | four_q.valid;

  logic unused;
  assign unused = ^four_q.slot;

endmodule

`default_nettype wire
