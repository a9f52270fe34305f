// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic modulo any of some constants, such as the order of a group and the prime or polynomial
// of its field.
//
//   port_* <--> [memory: NumReg registers] <------------------------------ result --+
//                       | word                                                      |
//   str_* --> [ecsm_order_string] -- word --+--> [ecsm_order_digits] -- digit --+   |
//                                           |                                   v   |
//                                           +--------------------> [ecsm_order_datapath]
//   req_* --> [ecsm_order_control] -- state bits, addresses, counts --> all         |
//   done_o, zero_o, below_o <--+ <------------------------------- below ------------+
//
//   OrderAdd, OrderSub, OrderMul     dst <- a + b, a - b, a b
//   OrderInv                         dst <- 1/a, 0 for 0; the modulus must be prime (irreducible)
//   OrderMod                         dst <- a
//   OrderReduce                      dst <- the first req_bits_i bits of a string
//   OrderCheck                       writes nothing; tests whether a is zero, and whether a < m
//   OrderXor                         dst <- a xor b, all W bits, modulo nothing
//
// All others are modulo Modulus[req_modulus_i]: an integer m, or with Binary a polynomial over
// GF(2), where bit i is the coefficient of z^i and sums are XORs. Operands are any numbers of W
// bits; results are below m (of lower degree). dst, a and b are any of the NumReg registers of W
// bits; req_modulus_i is below NumModulus.
//
// A request is accepted in a cycle with req_valid_i and req_ready_o. done_o is high for one cycle
// when it has ended; req_ready_o is high in the same cycle. From then zero_o and below_o are valid
// until the next one has ended: the result (OrderCheck: a) is zero; it is below m, which is 1 for
// whatever is not OrderCheck.
//
// Cycles from the request's to done_o's, with N = ceil(W / Word), and S division steps: S =
// ceil((9437 L + 1) / 4096) for an integer of L bits, 2 L - 1 for a polynomial of degree L. The
// cycles depend on nothing else:
//
//   OrderAdd, OrderSub   3 N + 12
//   OrderXor             3 N + 3
//   OrderMul             2 N + ceil(W / D) + 9
//   OrderInv             2 N + S + 14
//   OrderMod             2 N + 7
//   OrderCheck           N + 2
//   OrderReduce          N + n + ceil((bits - n Word) / D) + 8, n = min(floor(W / Word), floor(bits
//                        / Word) with bits rounded up to digits); plus the cycles in which it waits
//                        for the string, and one for every word that it drops
//
// Registers are read and written over port_*: one word of Word bits in a cycle with port_valid_i
// and port_ready_o, which is high when req_ready_o is. Word 0 is the lowest. port_data_o is the
// read word in the same cycle, and zero otherwise. Bits from W up are not stored. A request in the
// same cycle sees the written word.
//
// The string: words in cycles with str_valid_i and str_ready_o, the first octet highest; str_last_i
// comes with the last word. A string of fewer than req_bits_i bits is extended by zeros at its end.
// Of a longer one the first bits are used, as bits2int of RFC 6979 does, and the rest is dropped.
//
// zeroize_i in any cycle, and reset, abort the operation and zero every register. That takes 1 +
// NumReg 2^ceil(log2 N) cycles (2 NumReg words for N = 1), in which req_ready_o is low. The working
// registers are zero after every operation.
//
// W: bits of a register, at most 571. D: bits of a factor a cycle, a power of 2, at most 16. W is
// at most D above the length of every modulus (bits of an integer; degree of a polynomial, which
// must be D above its next exponent). Word: a power of 2, a multiple of D. Segment: bits of a carry
// chain (ecsm_order_add.sv), 0 for one chain. Methods and bounds: ecsm_order_datapath.sv and
// ecsm/curves/order.py.
`default_nettype none

module ecsm_order
  import ecsm_order_pkg::*;
#(
  parameter int unsigned W = 256,
  parameter int unsigned D = 4,
  parameter int unsigned Word = 64,
  parameter int unsigned NumReg = 8,
  parameter int unsigned NumModulus = 2,
  parameter bit [NumModulus-1:0][W:0] Modulus = {
    257'hFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    257'hFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
  },
  parameter bit [NumModulus-1:0] Binary = '0,
  parameter int unsigned Segment = 0,
  localparam int unsigned BitsW = $clog2(2 * W + 65),
  localparam int unsigned SelW = (NumModulus > 1) ? $clog2(NumModulus) : 1,
  localparam int unsigned RegW = $clog2(NumReg),
  localparam int unsigned NumWord = (W + Word - 1) / Word,
  localparam int unsigned IndexW = (NumWord > 1) ? $clog2(NumWord) : 1
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
  input  logic                   str_valid_i,
  output logic                   str_ready_o,
  input  logic      [  Word-1:0] str_data_i,
  input  logic                   str_last_i,
  input  logic                   port_valid_i,
  output logic                   port_ready_o,
  input  logic                   port_write_i,
  input  logic      [  RegW-1:0] port_reg_i,
  input  logic      [IndexW-1:0] port_index_i,
  input  logic      [  Word-1:0] port_data_i,
  output logic      [  Word-1:0] port_data_o
);

  localparam int unsigned SkewW = (D > 1) ? $clog2(D) : 1;
  // Bits of the highest word, and the number of its digits in a product.
  localparam int unsigned HighW = W - (NumWord - 1) * Word;
  localparam int unsigned First = (HighW + D - 1) / D;
  localparam int unsigned Depth = NumReg << IndexW;

  order_in_t in;
  order_op_e op;
  logic [SelW-1:0] modulus;
  logic idle, halve, second, count_zero, move, below;

  assign idle = in[StIdle] || in[StClear];

  // ------------------------------------------------------------------ registers
  logic [Word-1:0] mem_q[Depth];
  logic [RegW-1:0] mem_reg, own_reg;
  logic [IndexW-1:0] mem_index, own_index;
  logic own_write, port_access, port_write, mem_write;
  logic [Word-1:0] read, write, result, kept;

  assign port_ready_o = req_ready_o;
  assign port_access = port_valid_i && port_ready_o && 32'(port_index_i) < NumWord;
  assign port_write = port_access && port_write_i;
  always_comb begin
    kept = port_data_i;
    if (32'(port_index_i) == NumWord - 1) kept = port_data_i & Word'({HighW{1'b1}});
  end

  assign mem_reg = port_access ? port_reg_i : own_reg;
  assign mem_index = port_access ? port_index_i : own_index;
  assign mem_write = port_write || own_write;
  always_comb begin
    write = '0;
    if (port_write) write = kept;
    if (in[StStore]) write = result;
  end

  always_ff @(posedge clk_i) if (mem_write) mem_q[{mem_reg, mem_index}] <= write;
  assign read = mem_q[{mem_reg, mem_index}];
  assign port_data_o = (port_access && !port_write_i) ? read : '0;

  // ------------------------------------------------------------------ strings and digits
  logic str_take, str_drain, str_valid, str_ended;
  logic [SkewW-1:0] str_skew;
  logic [Word-1:0] str_word, word;
  logic digits_start, digits_short, digits_want, digits_move, digits_last, digits_fetch;
  logic [BitsW-1:0] digits;
  logic [D-1:0] digit;

  assign word = (op == OrderReduce) ? str_word : read;
  assign digits_fetch = in[StLatch] || in[StDigit];

  ecsm_order_string #(
    .Word(Word),
    .D(D)
  ) u_string (
    .clk_i(clk_i),
    .clear_i(idle),
    .take_i(str_take),
    .drain_i(str_drain),
    .skew_i(str_skew),
    .valid_o(str_valid),
    .word_o(str_word),
    .ended_o(str_ended),
    .str_valid_i(str_valid_i),
    .str_ready_o(str_ready_o),
    .str_data_i(str_data_i),
    .str_last_i(str_last_i)
  );

  ecsm_order_digits #(
    .Word(Word),
    .D(D),
    .First(First),
    .DigitsW(BitsW)
  ) u_digits (
    .clk_i(clk_i),
    .clear_i(idle),
    .start_i(digits_start),
    .digits_i(digits),
    .short_i(digits_short),
    .fetch_i(digits_fetch),
    .step_i(in[StDigit]),
    .valid_i(op != OrderReduce || str_valid),
    .word_i(word),
    .want_o(digits_want),
    .move_o(digits_move),
    .digit_o(digit),
    .last_o(digits_last)
  );

  // ------------------------------------------------------------------ control and datapath
  ecsm_order_control #(
    .W(W),
    .D(D),
    .Word(Word),
    .NumReg(NumReg),
    .BitsW(BitsW),
    .NumModulus(NumModulus),
    .Modulus(Modulus),
    .Binary(Binary)
  ) u_control (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_op_i(req_op_i),
    .req_dst_i(req_dst_i),
    .req_a_i(req_a_i),
    .req_b_i(req_b_i),
    .req_modulus_i(req_modulus_i),
    .req_bits_i(req_bits_i),
    .done_o(done_o),
    .zero_o(zero_o),
    .below_o(below_o),
    .str_valid_i(str_valid),
    .str_ended_i(str_ended),
    .str_take_o(str_take),
    .str_drain_o(str_drain),
    .str_skew_o(str_skew),
    .digits_start_o(digits_start),
    .digits_o(digits),
    .digits_short_o(digits_short),
    .digits_want_i(digits_want),
    .digits_move_i(digits_move),
    .digits_last_i(digits_last),
    .mem_reg_o(own_reg),
    .mem_index_o(own_index),
    .mem_write_o(own_write),
    .mem_nonzero_i((in[StStore]) ? |result : |read),
    .in_o(in),
    .halve_o(halve),
    .op_o(op),
    .modulus_o(modulus),
    .second_o(second),
    .count_zero_o(count_zero),
    .move_o(move),
    .below_i(below)
  );

  ecsm_order_datapath #(
    .W(W),
    .D(D),
    .Word(Word),
    .NumModulus(NumModulus),
    .Modulus(Modulus),
    .Binary(Binary),
    .Segment(Segment)
  ) u_datapath (
    .clk_i(clk_i),
    .in_i(in),
    .halve_i(halve),
    .op_i(op),
    .modulus_i(modulus),
    .second_i(second),
    .count_zero_i(count_zero),
    .move_i(move),
    .word_i(word),
    .digit_i(digit),
    .word_o(result),
    .below_o(below)
  );

  for (genvar i = 0; i < NumModulus; i++) begin : gen_check
    localparam int unsigned Length = length(584'(Modulus[i]), Binary[i]);
    // For a polynomial: its length without the highest term.
    localparam int unsigned Rest = length(584'(Modulus[i]) ^ (584'(1) << Length), 1'b0);
    if (Length > W || W - Length > D || Length < FineW || !Modulus[i][0]) begin : gen_bad_modulus
      $error("ecsm_order: a modulus must be odd and of W - D .. W bits, three at least");
    end
    if (Binary[i] && Rest + D > Length + 1) begin : gen_bad_polynomial
      $error("ecsm_order: a polynomial must have no exponent in the D - 1 below its degree");
    end
  end
  if (D < 1 || D > 16 || (D & (D - 1)) != 0 || Word < D || (Word & (Word - 1)) != 0) begin : gen_bad
    $error("ecsm_order: D and Word must be powers of 2, D at most 16 and at most Word");
  end
  if (W > 571 || NumReg < 2 || (NumReg & (NumReg - 1)) != 0 || NumModulus < 1) begin : gen_bad_size
    $error("ecsm_order: W must be at most 571, NumReg a power of 2");
  end

endmodule

`default_nettype wire
