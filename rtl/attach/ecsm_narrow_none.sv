// SPDX-License-Identifier: Apache-2.0
//
// An empty narrow port: every function returns 0 in the next cycle, so the port's identification
// reads 0.
`default_nettype none

module ecsm_narrow_none
  import ecsm_narrow_pkg::req_t;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        zeroize_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  req_t        req_i,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output logic [31:0] rsp_o
);

  logic valid_q, unused_req;

  assign req_ready_o = ~valid_q | rsp_ready_i;
  assign rsp_valid_o = valid_q;
  assign rsp_o = '0;
  assign unused_req = ^{req_i, zeroize_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (req_ready_o) valid_q <= req_valid_i;
  end

endmodule

`default_nettype wire
