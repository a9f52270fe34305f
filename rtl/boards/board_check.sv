// SPDX-License-Identifier: Apache-2.0
//
// Check of a machine that runs schemes: operations one after the other, until one fails.
//
//   Steps[0], Steps[1], ..  --> req_*  machine
//                 verdict_o <-- rsp_*
//
// Parameters: NumStep is the number of operations, Steps their numbers.
//
// Each operation runs with slot 0 and without options. The verdict is Ok when all were answered
// StatusOk, NoEntropy when one was answered StatusNoEntropy, and Failed after any other answer. It
// stays until rst_ni.
//
// Latency: that of the operations, and a cycle for each.
`default_nettype none

module board_check
  import board_pkg::*;
  import ecsm_pkg::*;
#(
  parameter int unsigned NumStep = 1,
  parameter bit [NumStep-1:0][5:0] Steps = '0
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  output logic           req_valid_o,
  input  logic           req_ready_i,
  output logic     [5:0] req_op_o,
  input  logic           rsp_valid_i,
  output logic           rsp_ready_o,
  input  logic     [3:0] rsp_status_i,
  output verdict_e       verdict_o
);

  localparam int unsigned StepW = $clog2(NumStep + 1);

  logic [StepW-1:0] step_q;
  logic waits_q;
  verdict_e verdict_q;

  assign req_valid_o = verdict_q == Running && !waits_q;
  assign rsp_ready_o = 1'b1;
  assign verdict_o   = verdict_q;

  always_comb begin
    req_op_o = '0;
    for (int unsigned i = 0; i < NumStep; i++) begin
      if (step_q == StepW'(i)) req_op_o = Steps[i];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
      waits_q <= 1'b0;
      verdict_q <= Running;
    end else if (req_valid_o) begin
      waits_q <= req_ready_i;
    end else if (waits_q && rsp_valid_i) begin
      waits_q <= 1'b0;
      step_q  <= step_q + StepW'(1);
      if (rsp_status_i == StatusNoEntropy) verdict_q <= NoEntropy;
      else if (rsp_status_i != StatusOk) verdict_q <= Failed;
      else if (step_q == StepW'(NumStep - 1)) verdict_q <= Ok;
    end
  end

endmodule

`default_nettype wire
