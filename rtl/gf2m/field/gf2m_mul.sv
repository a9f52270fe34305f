// SPDX-License-Identifier: Apache-2.0
//
// Multiplier over GF(2^M): p = a * b mod f. Kind selects the architecture.
//
//   a_i, b_i -+-> [rank, if OperandReg] -+-> [gf2m_mul_serial] -----+
//             |                          +-> [gf2m_mul_segmented] --+-> p_o; Kind selects one
//             +-> [gf2m_mul_karatsuba, with a rank of its own] -----+
//
//   Kind          Digit            Depth             Stages   latency L
//   MulSerial     digit, 1..M      unused            unused   ceil(M / Digit) + 1
//   MulSegmented  segment, 1..M    unused            1..4     Stages
//   MulKaratsuba  unused           levels, 0 = none  1..4     Stages
//
// Timing: gf2m_pkg. The parallel kinds (MulSegmented, MulKaratsuba) accept new operands every cycle
// and ignore start_i and clear_i. Zero operands give zero, so L cycles of zeros clear a pipeline.
// Stages = 1 is combinational. In MulSerial a cycle with clear_i sets every register to zero at its
// end; it abandons the current product and ignores the operands of that cycle. There is no reset: a
// cycle with clear_i must come before the first product.
//
// With OperandReg the operands have a register and come one cycle earlier: the product comes L + 1
// cycles after them, and start_i in the cycle after them. The register is placed where it divides
// the paths of the architecture best. Height: see gf2m_mul_karatsuba.
//
// a_i, b_i, p_o: M bits, polynomial basis; bit i is the coefficient of z^i. Poly: f, with its term
// z^M.
`default_nettype none

module gf2m_mul #(
  parameter int unsigned         M      = 163,
  parameter bit [M:0]            Poly   = {1'b1, {(M - 8) {1'b0}}, 8'hC9},
  parameter gf2m_pkg::mul_kind_e Kind   = gf2m_pkg::MulKaratsuba,
  parameter int unsigned         Digit  = 16,
  parameter int unsigned         Depth  = 3,
  parameter int unsigned         Stages = 1,
  parameter int unsigned         Height = 0,
  parameter bit                  OperandReg = 1'b0
) (
  input  logic         clk_i,
  input  logic         start_i,
  input  logic         clear_i,
  input  logic [M-1:0] a_i,
  input  logic [M-1:0] b_i,
  output logic [M-1:0] p_o
);

  logic [M-1:0] a, b;
  ecsm_rank #(
    .Width(2 * M),
    .Enable(OperandReg && Kind != gf2m_pkg::MulKaratsuba)
  ) u_rank_operands (
    .clk_i(clk_i),
    .d_i({a_i, b_i}),
    .q_o({a, b})
  );

  if (Kind == gf2m_pkg::MulSerial) begin : gen_serial
    gf2m_mul_serial #(
      .M(M),
      .Poly(Poly),
      .Digit(Digit)
    ) u_mul (
      .clk_i(clk_i),
      .start_i(start_i),
      .clear_i(clear_i),
      .a_i(a),
      .b_i(b),
      .p_o(p_o)
    );
  end else begin : gen_parallel
    logic unused_control;
    assign unused_control = start_i ^ clear_i;

    if (Kind == gf2m_pkg::MulSegmented) begin : gen_segmented
      gf2m_mul_segmented #(
        .M(M),
        .Poly(Poly),
        .Digit(Digit),
        .Stages(Stages)
      ) u_mul (
        .clk_i(clk_i),
        .a_i(a),
        .b_i(b),
        .p_o(p_o)
      );
    end else begin : gen_karatsuba
      gf2m_mul_karatsuba #(
        .M(M),
        .Poly(Poly),
        .Depth(Depth),
        .Stages(Stages),
        .Height(Height),
        .OperandReg(OperandReg)
      ) u_mul (
        .clk_i(clk_i),
        .a_i(a),
        .b_i(b),
        .p_o(p_o)
      );
    end
  end

  if (Digit < 1 || Digit > M || Stages < 1 || Stages > 4 || !Poly[M] || !Poly[0]) begin : gen_bad
    $error("gf2m_mul: Digit must be 1..M, Stages 1..4, and Poly have its terms z^M and 1");
  end

endmodule

`default_nettype wire
