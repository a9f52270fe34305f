// SPDX-License-Identifier: Apache-2.0
//
// Linear map over GF(2): y = A x, for any M by M matrix A (squaring, powers 2^k, half-trace,
// product with a constant).
//
// Each column is gated by its bit of x. A balanced tree adds the columns; synthesis removes zero
// columns, and zero bits of the others.
//
// Latency 0: combinational. x_i, y_o: M bits. Matrix[j*M +: M] is column j, the image of z^j.
`default_nettype none

module gf2m_linear #(
  parameter int unsigned    M      = 4,
  parameter bit [M*M-1:0] Matrix = 16'h8421
) (
  input  logic [M-1:0] x_i,
  output logic [M-1:0] y_o
);

  // A binary heap: node k is the sum of nodes 2k and 2k + 1; nodes M .. 2M - 1 are the columns.
  for (genvar k = 1; k < 2 * M; k++) begin : gen_node
    logic [M-1:0] sum;
  end

  for (genvar k = 1; k < M; k++) begin : gen_sum
    assign gen_node[k].sum = gen_node[2*k].sum ^ gen_node[2*k+1].sum;
  end

  for (genvar j = 0; j < M; j++) begin : gen_column
    localparam bit [M-1:0] Column = Matrix[j*M+:M];
    assign gen_node[M+j].sum = Column & {M{x_i[j]}};
  end

  assign y_o = gen_node[1].sum;

endmodule

`default_nettype wire
