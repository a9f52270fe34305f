// SPDX-License-Identifier: Apache-2.0
//
// The control of ecsm_order: the state in every cycle. Each operation is a sequence of states. A
// state lasts one cycle, or the number of cycles behind its name. N is the number of words of a
// register, S the number of division steps of an inversion (ecsm_order_pkg.sv).
//
//   Add, Sub   Load N, Take, Fold, Pull, Keep          b
//              Load N, Take, Fold, Pull, Join, Canon 3, Store N
//   Mul        Load N, Take, Fold, Latch               a into A
//              Digit, Fold, Pull, Canon 3, Store N     b by digits
//   Inv        Load N, Take, Fold, Pull, Canon 3       a below the modulus
//              Seed, Step S, Sign, Signed, Pull, Canon 3, Store N
//   Mod        Load N, Take, Fold, Pull, Canon 3, Store N
//   Reduce     Load, Take, Latch, Digit, Drain, Fold, Pull, Canon 3, Store N
//   Check      Load N, Compare
//   Xor        Load N, Keep, Load N, Join, Store N
//
// Reduce loads the first bits of the string: as many whole words as fit in W bits. It processes the
// rest as digits. Its Load, Digit and Drain wait for the words of the string. Nothing else waits,
// and no state depends on a value.
//
// StClear zeroes the memory, one word a cycle, after reset and zeroize_i. The other registers of
// this module describe the operation. They hold no data except the result flags.
`default_nettype none

module ecsm_order_control
  import ecsm_order_pkg::*;
#(
  parameter int unsigned              W          = 256,
  parameter int unsigned              D          = 4,
  parameter int unsigned              Word       = 64,
  parameter int unsigned              NumReg     = 8,
  parameter int unsigned              BitsW      = 10,
  parameter int unsigned              NumModulus = 1,
  parameter bit [NumModulus-1:0][W:0] Modulus    = '0,
  parameter bit [NumModulus-1:0]      Binary     = '0,
  localparam int unsigned             SelW       = (NumModulus > 1) ? $clog2(NumModulus) : 1,
  localparam int unsigned             SkewW      = (D > 1) ? $clog2(D) : 1,
  localparam int unsigned             RegW       = $clog2(NumReg),
  localparam int unsigned             NumWord    = (W + Word - 1) / Word,
  localparam int unsigned             IndexW     = (NumWord > 1) ? $clog2(NumWord) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   zeroize_i,
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  order_op_e              req_op_i,
  input  logic      [  RegW-1:0] req_dst_i,
  input  logic      [  RegW-1:0] req_a_i,
  input  logic      [  RegW-1:0] req_b_i,
  input  logic      [  SelW-1:0] req_modulus_i,
  input  logic      [ BitsW-1:0] req_bits_i,
  output logic                   done_o,
  output logic                   zero_o,
  output logic                   below_o,
  // The string and its digits.
  input  logic                   str_valid_i,
  input  logic                   str_ended_i,
  output logic                   str_take_o,
  output logic                   str_drain_o,
  output logic      [ SkewW-1:0] str_skew_o,
  output logic                   digits_start_o,
  output logic      [ BitsW-1:0] digits_o,
  output logic                   digits_short_o,
  input  logic                   digits_want_i,
  input  logic                   digits_move_i,
  input  logic                   digits_last_i,
  // The memory: a word of a register, and whether it is written.
  output logic      [  RegW-1:0] mem_reg_o,
  output logic      [IndexW-1:0] mem_index_o,
  output logic                   mem_write_o,
  input  logic                   mem_nonzero_i,   // of the word that is read or written
  // The datapath.
  output order_in_t              in_o,
  output logic                   halve_o,
  output order_op_e              op_o,
  output logic      [  SelW-1:0] modulus_o,
  output logic                   second_o,
  output logic                   count_zero_o,
  output logic                   move_o,
  input  logic                   below_i
);

  localparam int unsigned Depth = NumReg << IndexW;
  localparam int unsigned MostSteps = (W < 4) ? 16 : 3 * W;
  localparam int unsigned CountW = $clog2((Depth > MostSteps) ? Depth : MostSteps);
  localparam int unsigned WordShift = $clog2(Word);
  localparam int unsigned DigitShift = $clog2(D);
  localparam int unsigned DirectW = $clog2(W / Word + 2);
  localparam int unsigned ProductDigits = (W + D - 1) / D;

  typedef logic [CountW-1:0] count_t;
  localparam count_t LastWord = count_t'(NumWord - 1);
  localparam count_t LastCanon = count_t'(2);

  order_state_e state_d, state_q;
  order_in_t in_d, in_q;  // the same, one bit a state
  logic halve_d, halve_q;  // StStep or StSigned
  order_op_e op_d, op_q;
  logic [RegW-1:0] dst_d, dst_q, a_d, a_q, b_d, b_q;
  logic [SelW-1:0] modulus_d, modulus_q;
  logic [SkewW-1:0] skew_d, skew_q;
  // Words, corrections or steps that follow this one; in StClear the address of the word.
  count_t count_d, count_q;
  logic last_q;  // none follows: count_q is 0
  logic second_d, second_q;
  logic done_d, done_q;
  logic nonzero_d, nonzero_q, zero_d, zero_q, below_d, below_q;

  count_t steps[NumModulus];
  count_t last_step;
  for (genvar i = 0; i < NumModulus; i++) begin : gen_modulus
    assign steps[i] = count_t'(division_steps(584'(Modulus[i]), Binary[i]) - 1);
  end
  if (NumModulus > 1) begin : gen_choice
    assign last_step = steps[modulus_q];
  end else begin : gen_only
    assign last_step = steps[0];
  end

  logic accept, from_string, add_like, xors;
  assign req_ready_o = state_q == StIdle && !zeroize_i;
  assign accept = req_valid_i && req_ready_o;
  assign from_string = op_q == OrderReduce;
  assign xors = op_q == OrderXor;
  assign add_like = op_q == OrderAdd || op_q == OrderSub || xors;

  // The bits of a string with zeros before them to whole digits; its words that are loaded; the
  // digits of the rest.
  logic [BitsW:0] total, words, rest;
  logic [DirectW-1:0] direct;
  logic [SkewW-1:0] skew;
  assign skew = (D > 1) ? SkewW'(BitsW'(0) - req_bits_i) : '0;
  assign total = (BitsW + 1)'(req_bits_i) + (BitsW + 1)'(skew);
  assign words = total >> WordShift;
  assign direct = (words > (BitsW + 1)'(W / Word)) ? DirectW'(W / Word) : words[DirectW-1:0];
  assign rest = (total - ((BitsW + 1)'(direct) << WordShift)) >> DigitShift;
  logic unused_rest;
  assign unused_rest = rest[BitsW];
  assign digits_start_o = accept;
  assign digits_short_o = req_op_i == OrderMul;
  assign digits_o = digits_short_o ? BitsW'(ProductDigits)
                  : (req_op_i == OrderReduce) ? rest[BitsW-1:0] : '0;

  assign str_take_o = from_string && (state_q == StLoad || digits_want_i);
  assign str_drain_o = state_q == StDrain;
  assign str_skew_o = skew_q;

  assign mem_write_o = state_q == StClear || state_q == StStore;
  always_comb begin
    mem_index_o = count_q[IndexW-1:0];
    unique case (state_q)
      StClear: mem_reg_o = count_q[IndexW+:RegW];
      StLoad:  mem_reg_o = (add_like && !second_q) ? b_q : a_q;
      StStore: mem_reg_o = dst_q;
      default: mem_reg_o = b_q;
    endcase
    // With one word a register the index has one bit, which is 0.
    if (NumWord == 1) begin
      mem_index_o = '0;
    end
  end

  always_comb begin
    state_d = state_q;
    count_d = last_q ? '0 : count_q - count_t'(1);
    op_d = op_q;
    dst_d = dst_q;
    a_d = a_q;
    b_d = b_q;
    modulus_d = modulus_q;
    skew_d = skew_q;
    second_d = second_q;
    done_d = 1'b0;
    nonzero_d = nonzero_q;
    zero_d = zero_q;
    below_d = below_q;
    move_o = 1'b1;

    unique case (state_q)
      StClear:  if (last_q) state_d = StIdle;
      StIdle: begin
        if (accept) begin
          op_d = req_op_i;
          dst_d = req_dst_i;
          a_d = req_a_i;
          b_d = req_b_i;
          modulus_d = req_modulus_i;
          skew_d = skew;
          second_d = 1'b0;
          nonzero_d = 1'b0;
          state_d = StLoad;
          count_d = LastWord;
          if (req_op_i == OrderReduce) begin
            count_d = count_t'(direct) - count_t'(1);
            if (words == '0 || W < Word) state_d = StTake;
          end
        end
      end
      StLoad: begin
        if (from_string && !str_valid_i) begin
          move_o  = 1'b0;
          count_d = count_q;
        end else begin
          nonzero_d = nonzero_q | mem_nonzero_i;
          if (last_q) begin
            state_d = StTake;
            if (op_q == OrderCheck) state_d = StCompare;
            if (xors) state_d = second_q ? StJoin : StKeep;
          end
        end
      end
      StTake:   state_d = from_string ? StLatch : StFold;
      StFold: begin
        count_d = LastWord;
        state_d = (op_q == OrderMul && !second_q) ? StLatch : StPull;
      end
      StLatch, StDigit: begin
        second_d = 1'b1;
        count_d  = (digits_want_i && !last_q) ? count_q - count_t'(1) : count_q;
        move_o   = digits_move_i;
        state_d  = StDigit;
        if (digits_last_i) state_d = (from_string && !str_ended_i) ? StDrain : StFold;
      end
      StDrain:  if (str_ended_i) state_d = StFold;
      StPull: begin
        count_d = LastCanon;
        state_d = StCanon;
        if (add_like) state_d = second_q ? StJoin : StKeep;
      end
      StKeep: begin
        second_d = 1'b1;
        count_d  = LastWord;
        state_d  = StLoad;
      end
      StJoin: begin
        count_d = LastCanon;
        state_d = StCanon;
        if (xors) begin
          count_d = LastWord;
          nonzero_d = 1'b0;
          state_d = StStore;
        end
      end
      StCanon: begin
        if (last_q) begin
          count_d = LastWord;
          nonzero_d = 1'b0;
          state_d = (op_q == OrderInv && !second_q) ? StSeed : StStore;
        end
      end
      StSeed: begin
        second_d = 1'b1;
        count_d  = last_step;
        state_d  = StStep;
      end
      StStep:   if (last_q) state_d = StSign;
      StSign:   state_d = StSigned;
      StSigned: state_d = StPull;
      StCompare: begin
        done_d  = 1'b1;
        zero_d  = ~nonzero_q;
        below_d = below_i;
        state_d = StIdle;
      end
      default: begin  // StStore
        nonzero_d = nonzero_q | mem_nonzero_i;
        if (last_q) begin
          done_d  = 1'b1;
          zero_d  = ~nonzero_d;
          below_d = 1'b1;
          state_d = StIdle;
        end
      end
    endcase
  end

  always_comb begin
    for (int unsigned i = 0; i < NumState; i++) in_d[i] = 32'(state_d) == i;
    halve_d = state_d == StStep || state_d == StSigned;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StClear;
      in_q <= order_in_t'(1) << StClear;
      halve_q <= 1'b0;
      count_q <= count_t'(Depth - 1);
      last_q <= 1'b0;
      op_q <= OrderAdd;
      dst_q <= '0;
      a_q <= '0;
      b_q <= '0;
      modulus_q <= '0;
      skew_q <= '0;
      second_q <= 1'b0;
      done_q <= 1'b0;
      nonzero_q <= 1'b0;
      zero_q <= 1'b0;
      below_q <= 1'b0;
    end else if (zeroize_i) begin
      state_q <= StClear;
      in_q <= order_in_t'(1) << StClear;
      halve_q <= 1'b0;
      count_q <= count_t'(Depth - 1);
      last_q <= 1'b0;
      op_q <= OrderAdd;
      dst_q <= '0;
      a_q <= '0;
      b_q <= '0;
      modulus_q <= '0;
      skew_q <= '0;
      second_q <= 1'b0;
      done_q <= 1'b0;
      nonzero_q <= 1'b0;
      zero_q <= 1'b0;
      below_q <= 1'b0;
    end else begin
      state_q <= state_d;
      in_q <= in_d;
      halve_q <= halve_d;
      count_q <= count_d;
      last_q <= count_d == '0;
      op_q <= op_d;
      dst_q <= dst_d;
      a_q <= a_d;
      b_q <= b_d;
      modulus_q <= modulus_d;
      skew_q <= skew_d;
      second_q <= second_d;
      done_q <= done_d;
      nonzero_q <= nonzero_d;
      zero_q <= zero_d;
      below_q <= below_d;
    end
  end

  assign done_o = done_q;
  assign zero_o = zero_q;
  assign below_o = below_q;
  assign in_o = in_q;
  assign halve_o = halve_q;
  assign op_o = op_q;
  assign modulus_o = modulus_q;
  assign second_o = second_q;
  assign count_zero_o = last_q;

endmodule

`default_nettype wire
