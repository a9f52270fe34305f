// SPDX-License-Identifier: Apache-2.0
//
// Schoolbook product of two binary polynomials: p = a * b, not reduced.
//
// Operands wider than Block are halved, so that every simulated word fits in 64 bits; the gates are
// the same. Within a block a balanced tree adds the rows a z^i b[i]: one AND and about log2(BWidth)
// XORs deep. Two neighbouring rows share one LUT4 a bit. Across the boundary of two blocks every
// second bit takes one LUT4 more.
//
// Latency 0: combinational. a_i: AWidth bits; b_i: BWidth bits; p_o: AWidth + BWidth - 1 bits.
`default_nettype none

module gf2m_poly_mul #(
  parameter int unsigned AWidth = 16,
  parameter int unsigned BWidth = 16
) (
  input  logic [       AWidth-1:0] a_i,
  input  logic [       BWidth-1:0] b_i,
  output logic [AWidth+BWidth-2:0] p_o
);
  // With this, Verilator makes one C++ function for all instances of a size: half the code to
  // compile, or less.
  /* verilator no_inline_module */

  localparam int unsigned Block = 32;
  localparam int unsigned PWidth = AWidth + BWidth - 1;

  if (AWidth < BWidth) begin : gen_swap
    gf2m_poly_mul #(
      .AWidth(BWidth),
      .BWidth(AWidth)
    ) u_swapped (
      .a_i(b_i),
      .b_i(a_i),
      .p_o(p_o)
    );
  end else if (AWidth > Block) begin : gen_halve
    localparam int unsigned Low = (AWidth + 1) / 2;
    localparam int unsigned High = AWidth - Low;

    logic [Low+BWidth-2:0] p_low;
    logic [High+BWidth-2:0] p_high;

    gf2m_poly_mul #(
      .AWidth(Low),
      .BWidth(BWidth)
    ) u_low (
      .a_i(a_i[Low-1:0]),
      .b_i(b_i),
      .p_o(p_low)
    );

    gf2m_poly_mul #(
      .AWidth(High),
      .BWidth(BWidth)
    ) u_high (
      .a_i(a_i[AWidth-1:Low]),
      .b_i(b_i),
      .p_o(p_high)
    );

    assign p_o = PWidth'(p_low) ^ (PWidth'(p_high) << Low);
  end else begin : gen_rows
    logic [PWidth-1:0] row[BWidth];

    always_comb begin
      for (int unsigned i = 0; i < BWidth; i++) begin
        row[i] = PWidth'(a_i & {AWidth{b_i[i]}}) << i;
      end
      for (int unsigned s = 1; s < BWidth; s = 2 * s) begin
        for (int unsigned i = 0; i + s < BWidth; i = i + 2 * s) row[i] ^= row[i+s];
      end
      p_o = row[0];
    end
  end

endmodule

`default_nettype wire
