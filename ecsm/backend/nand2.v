// SPDX-License-Identifier: Apache-2.0
// One NAND of two inputs: what it is mapped to is the unit of areas in standard cells.
module nand2 (
    input  a,
    input  b,
    output y
);
  assign y = ~(a & b);
endmodule
