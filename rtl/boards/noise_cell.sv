// SPDX-License-Identifier: Apache-2.0
//
// A look-up table of an FPGA as a NAND gate: the one part of the noise source that differs from
// vendor to vendor. Synthesis keeps the instance.
//
// Parameters: Family is 1 for ECP5 (LUT4), 2 for iCE40 (SB_LUT4), 3 for Gowin (LUT4).
//
// Latency: none.
`default_nettype none

module noise_cell #(
  parameter int unsigned Family = 1
) (
  input  logic a_i,
  input  logic b_i,
  output logic y_o
);

  if (Family == 1) begin : gen_ecp5
    (* keep *)
    LUT4 #(
      .INIT(16'h7777)
    ) u_lut (
      .A(a_i),
      .B(b_i),
      .C(1'b0),
      .D(1'b0),
      .Z(y_o)
    );
  end else if (Family == 3) begin : gen_gowin
    (* keep *)
    LUT4 #(
      .INIT(16'h7777)
    ) u_lut (
      .I0(a_i),
      .I1(b_i),
      .I2(1'b0),
      .I3(1'b0),
      .F(y_o)
    );
  end else begin : gen_ice40
    (* keep *)
    SB_LUT4 #(
      .LUT_INIT(16'h7777)
    ) u_lut (
      .I0(a_i),
      .I1(b_i),
      .I2(1'b0),
      .I3(1'b0),
      .O(y_o)
    );
  end

endmodule

`default_nettype wire
