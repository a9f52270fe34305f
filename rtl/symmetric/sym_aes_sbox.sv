// SPDX-License-Identifier: Apache-2.0
//
// The S-box of AES and its inverse, without a table of 256 entries, in two cycles.
//
//   S(x) = A x^-1 + 0x63 and S^-1(x) = (A^-1 (x + 0x63))^-1 over GF(2^8), 0^-1 = 0.
//
// The inverse is computed in the isomorphic tower GF((2^4)^2): GF(2^4) has the polynomial
// z^4 + z + 1, and the extension has y^2 + y + 10. For x = h y + l, with d = 10 h^2 + h l + l^2,
//
//   x^-1 = (h / d) y + (h + l) / d.
//
// This needs three products in GF(2^4) and one inverse there. Each bit of that inverse is one LUT
// of four inputs. The matrices of the isomorphism are merged with A on both sides.
//
//   x_i --> into the tower --> d^-1 --> half_q --> products --> out of the tower --> y_o
//
// inverse_i selects S^-1. With write_i, x_i and inverse_i go into half_q, and y_o is theirs from
// the next cycle on. zero_i sets half_q to zero, and wins; y_o is S(0) then.
// Source: FIPS 197, section 5.1.1; for the tower Satoh, Morioka, Takano, Munetoh, A compact
// Rijndael hardware architecture with S-box optimization (ASIACRYPT 2001).
`default_nettype none

module sym_aes_sbox (
  input  logic       clk_i,
  input  logic       zero_i,
  input  logic       write_i,
  input  logic       inverse_i,
  input  logic [7:0] x_i,
  output logic [7:0] y_o
);

  // Rows of a matrix over GF(2); the row of bit 7 comes first.
  typedef bit [7:0][7:0] matrix_t;

  localparam matrix_t ToTower = {8'ha0, 8'h72, 8'hac, 8'hdc, 8'hca, 8'hc2, 8'h2c, 8'h21};
  localparam matrix_t FromTower = {8'h22, 8'h56, 8'ha2, 8'hc4, 8'h0c, 8'hac, 8'h70, 8'ha3};
  // FromAffine is ToTower A^-1, FromAffine63 its image of 0x63. ToAffine is A FromTower.
  localparam matrix_t FromAffine = {8'hc6, 8'hbe, 8'h71, 8'h86, 8'h17, 8'h32, 8'h23, 8'h30};
  localparam bit [7:0] FromAffine63 = 8'h33;
  localparam matrix_t ToAffine = {8'h1e, 8'h90, 8'hb6, 8'hb7, 8'h51, 8'h0b, 8'h05, 8'hb1};

  function automatic logic [7:0] map(matrix_t m, logic [7:0] x);
    for (int unsigned i = 0; i < 8; i++) map[i] = ^(m[i] & x);
  endfunction

  function automatic logic [3:0] mul(logic [3:0] a, logic [3:0] b);
    logic [6:0] p;
    p = '0;
    for (int unsigned i = 0; i < 4; i++) if (b[i]) p ^= 7'(a) << i;
    return p[3:0] ^ {1'b0, p[6:4]} ^ {p[6:4], 1'b0};
  endfunction

  // Returns 10 h^2 + l^2.
  function automatic logic [3:0] squares(logic [3:0] h, logic [3:0] l);
    return mul(4'd10, mul(h, h)) ^ mul(l, l);
  endfunction

  function automatic logic [3:0] invert(logic [3:0] d);
    localparam bit [3:0] Inverse[16] = '{
        4'h0,
        4'h1,
        4'h9,
        4'he,
        4'hd,
        4'hb,
        4'h7,
        4'h6,
        4'hf,
        4'h2,
        4'hc,
        4'h5,
        4'ha,
        4'h4,
        4'h3,
        4'h8
    };
    return Inverse[d];
  endfunction

  // Before the products.
  typedef struct packed {
    logic inverse;
    logic [7:0] x;
    logic [3:0] d;
  } half_t;

  half_t half_q;
  logic [7:0] x, y;
  logic [3:0] d;

  assign x = inverse_i ? map(FromAffine, x_i) ^ FromAffine63 : map(ToTower, x_i);
  assign d = invert(squares(x[7:4], x[3:0]) ^ mul(x[7:4], x[3:0]));

  always_ff @(posedge clk_i) begin
    if (zero_i) half_q <= '0;
    else if (write_i) half_q <= '{inverse: inverse_i, x: x, d: d};
  end

  assign y = {mul(half_q.x[7:4], half_q.d), mul(half_q.x[7:4] ^ half_q.x[3:0], half_q.d)};
  assign y_o = half_q.inverse ? map(FromTower, y) : map(ToAffine, y) ^ 8'h63;

endmodule

`default_nettype wire
