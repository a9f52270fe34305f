// SPDX-License-Identifier: Apache-2.0
//
// A unit on the narrow port that computes in GF(2^M): registers, one digit-serial multiplier, a
// squarer, an adder, and programs in a memory outside. With programs of field operations it is the
// field unit, with programs of points the point unit (ecsm/narrow/programs.py).
//
//   req_*, rsp_* <--> ecsm_narrow_port --start--> ecsm_narrow_seq --> address_o
//                          |  ^                        ^                  |
//                    words v  | word                   +--- instr_i <-- (program memory)
//                    banks: Depth registers of M bits
//                      ^        | a, b
//                      |        +--> gf2m_mul_serial ----+   (NumDigit cycles, in parallel)
//                      |        +--> square (gf2m_reduce)+
//                      |        +--> guarded sum --------+   sum = 0: flag
//                      +---- result <---- constant ------+
//
// Parameters: M and Poly define the field. Digit is the number of bits that the multiplier handles
// in a cycle, at most M. Depth is the number of registers, 2 .. 16; the host sees registers
// 0 .. NumReg - 1 as in ecsm_narrow_port. Consts are the programs' constants. Entry[p] is where
// program p begins. Needs, Clears, Fills: see ecsm_narrow_port.
//
// Programs use all Depth registers. A product is computed while other instructions execute; an
// instruction that needs it has wait_mul. instr_i is the program's word at address_o of the cycle
// before.
//
// Latency of a program: the cycles of its instructions and one more, the same for all operands.
// Reset, zeroize_i and FuncClear end a program and set all registers to zero, in Depth cycles, in
// which the unit is busy. Programs leave no data in registers that the host does not see.
// Source: Hankerson, Menezes, Vanstone, Guide to Elliptic Curve Cryptography, chapters 2.3 and 3.
`default_nettype none

module ecsm_narrow_gf2m
  import ecsm_narrow_pkg::req_t;
  import ecsm_narrow_seq_pkg::*;
#(
  parameter int unsigned M = 163,
  parameter bit [M:0] Poly = {1'b1, {(M - 8) {1'b0}}, 8'hC9},
  parameter int unsigned Digit = 32,
  parameter int unsigned Depth = 4,  // registers, 2 .. 16
  parameter int unsigned NumReg = 3,  // registers that the host sees
  parameter int unsigned NumConst = 1,
  parameter bit [NumConst-1:0][M-1:0] Consts = '0,
  parameter int unsigned NumRun = 1,
  parameter bit [NumRun-1:0][AddressW-1:0] Entry = '0,
  parameter bit [NumRun-1:0][NumReg-1:0] Needs = '0,
  parameter bit [NumRun-1:0][NumReg-1:0] Clears = '0,
  parameter bit [NumRun-1:0][NumReg-1:0] Fills = '0
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  zeroize_i,
  input  logic                  req_valid_i,
  output logic                  req_ready_o,
  input  req_t                  req_i,
  output logic                  rsp_valid_o,
  input  logic                  rsp_ready_i,
  output logic   [        31:0] rsp_o,
  output logic   [AddressW-1:0] address_o,
  input  instr_t                instr_i
);

  localparam int unsigned NumWord = (M + 31) / 32;
  localparam int unsigned NumPair = (NumWord + 1) / 2;
  localparam int unsigned NumDigit = (M + Digit - 1) / Digit;
  localparam int unsigned MulW = $clog2(NumDigit + 1);
  localparam int unsigned DepthW = $clog2(Depth);
  localparam int unsigned RunIndexW = (NumRun > 1) ? $clog2(NumRun) : 1;

  // ------------------------------------------------------------------ port
  logic host_write, odd, start, clear, busy, stop, curve, infinity;
  logic [3:0] host_reg;
  logic [2:0] pair;
  logic [63:0] host_data;
  logic [31:0] host_word;
  logic [RunIndexW-1:0] run;

  ecsm_narrow_port #(
    .NumBit(M),
    .NumReg(NumReg),
    .NumRun(NumRun),
    .Needs(Needs),
    .Clears(Clears),
    .Fills(Fills)
  ) u_port (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_i(req_i),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_o(rsp_o),
    .write_o(host_write),
    .reg_o(host_reg),
    .pair_o(pair),
    .odd_o(odd),
    .data_o(host_data),
    .word_i(host_word),
    .start_o(start),
    .run_o(run),
    .clear_o(clear),
    .busy_i(busy),
    .done_i(stop),
    .range_i(1'b0),
    .curve_i(curve),
    .infinity_i(infinity)
  );

  // ------------------------------------------------------------------ sequencer
  logic active, step, first, unused_last, guard_a, guard_b, zero;
  logic [M-1:0] a, b;
  logic clearing_q;
  logic [DepthW-1:0] clear_reg_q;

  ecsm_narrow_seq #(
    .M(M)
  ) u_seq (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear),
    .start_i(start),
    .entry_i(Entry[run]),
    .address_o(address_o),
    .instr_i(instr_i),
    .active_o(active),
    .step_i(step),
    .first_o(first),
    .last_o(unused_last),
    .stop_o(stop),
    .zero_i(zero),
    .key_i(a),
    .guard_a_o(guard_a),
    .guard_b_o(guard_b),
    .curve_o(curve),
    .infinity_o(infinity)
  );
  assign busy = active | clearing_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clearing_q  <= 1'b1;
      clear_reg_q <= '0;
    end else begin
      if (clear) clearing_q <= 1'b1;
      else if (clear_reg_q == DepthW'(Depth - 1)) clearing_q <= 1'b0;
      clear_reg_q <= (clear || !clearing_q) ? '0 : clear_reg_q + DepthW'(1);
    end
  end

  // ------------------------------------------------------------------ multiplier
  // A product that starts in cycle t is written in cycle t + NumDigit; the next may start
  // there.
  logic [MulW-1:0] mul_left_q;  // cycles until the product is written, 0 if there is none
  logic [RegW-1:0] mul_dst_q;
  logic mul_done, mul_start, writes;
  logic [M-1:0] product;

  assign mul_done = mul_left_q == MulW'(1);
  assign mul_start = active & step & (instr_i.op == OpMul);
  assign writes = instr_i.op inside {OpSum, OpPower, OpConst};

  // An instruction waits for the product that it needs, for the multiplier, or for the write
  // port.
  always_comb begin
    step = ~clearing_q;
    if (instr_i.wait_mul && mul_left_q != '0) step = 1'b0;
    if (instr_i.op == OpMul && mul_left_q > MulW'(1)) step = 1'b0;
    if (writes && mul_done) step = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mul_left_q <= '0;
      mul_dst_q  <= '0;
    end else if (clear) begin
      mul_left_q <= '0;
    end else if (mul_start) begin
      mul_left_q <= MulW'(NumDigit);
      mul_dst_q  <= instr_i.dst;
    end else if (mul_left_q != '0) begin
      mul_left_q <= mul_left_q - MulW'(1);
    end
  end

  gf2m_mul_serial #(
    .M(M),
    .Poly(Poly),
    .Digit(Digit)
  ) u_mul (
    .clk_i(clk_i),
    .start_i(mul_start),
    .clear_i(clearing_q),
    .a_i(a),
    .b_i(b),
    .p_o(product)
  );

  // ------------------------------------------------------------------ square, sum, constants
  logic [2*M-2:0] spread;
  logic [M-1:0] square, sum, constant;

  always_comb begin
    spread = '0;
    for (int unsigned i = 0; i < M; i++) spread[2*i] = a[i];
  end

  gf2m_reduce #(
    .M(M),
    .Poly(Poly)
  ) u_square (
    .c_i(spread),
    .p_o(square)
  );

  assign sum = (a & {M{guard_a}}) ^ (b & {M{guard_b}});
  assign zero = sum == '0;
  assign constant = Consts[$clog2(NumConst+1)'(instr_i.arg)];

  // ------------------------------------------------------------------ registers
  // A lane is a pair of words: the host writes one pair at a time.
  logic we;
  logic [DepthW-1:0] write_reg, read_a;
  logic [M-1:0] result;

  always_comb begin
    we = active & step & writes;
    write_reg = DepthW'(instr_i.dst);
    unique case (instr_i.op)
      OpPower: result = square;
      OpConst: result = constant;
      default: result = sum;
    endcase
    if (mul_done) begin
      we = 1'b1;
      write_reg = DepthW'(mul_dst_q);
      result = product;
    end
    if (!active) write_reg = DepthW'(host_reg);
    if (clearing_q) begin
      we = 1'b1;
      write_reg = clear_reg_q;
      result = '0;
    end
  end

  // A power of more than one square continues from its own destination.
  always_comb begin
    read_a = first ? DepthW'(instr_i.a) : DepthW'(instr_i.dst);
    if (!active) read_a = DepthW'(host_reg);
  end

  for (genvar i = 0; i < NumPair; i++) begin : gen_lane
    localparam int unsigned W = (64 * i + 64 > M) ? M - 64 * i : 64;
    ecsm_bank #(
      .Depth(Depth),
      .W(W),
      .NumRead(2)
    ) u_bank (
      .clk_i(clk_i),
      .we_i(we | (host_write & 32'(pair) == i)),
      .address_i(write_reg),
      .data_i((active || clearing_q) ? result[64*i+:W] : host_data[W-1:0]),
      .read_i({DepthW'(instr_i.b), read_a}),
      .data_o({b[64*i+:W], a[64*i+:W]})
    );
  end

  logic unused_bits;  // data above M, register numbers above Depth
  assign unused_bits = ^{host_data, host_reg, mul_dst_q};

  logic [511:0] padded;  // all words that a function can select
  assign padded = 512'(a);
  assign host_word = padded[{pair, odd, 5'd0}+:32];

  // A program ends when its last product is written: OpStop waits for it.
  if (Depth < 2 || Depth > 1 << RegW || NumReg > Depth || Digit > M) begin : gen_bad
    $error("ecsm_narrow_gf2m: 2 .. 16 registers, the host sees no more; Digit at most M");
  end

endmodule

`default_nettype wire
