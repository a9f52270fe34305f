// SPDX-License-Identifier: Apache-2.0
//
// Notices a fault in what says where the program is: a bit that is another one though nothing was
// written, and a program that does not come to its end.
//
//   state_i --parity--> [parity_q] --differs, and kept_i a cycle ago--> trap_o, until idle_i alone
//   step_i  --> [steps_q], from 0 on since idle_i or fresh_i --2^StepsW--^
//
// An odd number of bits that change together is seen in the cycle after. Those that change in a
// cycle in which state_i is written are not.

`default_nettype none

module word_guard #(
  parameter int unsigned Width  = 2,
  parameter int unsigned StepsW = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] state_i,
  input  logic             kept_i,   // state_i is in the next cycle what it is
  input  logic             idle_i,   // no program runs
  input  logic             lost_i,   // .. but one should
  input  logic             step_i,   // a word of it is executed
  input  logic             fresh_i,  // an octet of the host's has moved: strings have any length
  output logic             trap_o
);

  logic kept_q, parity, parity_q, trap_q;
  logic [StepsW:0] steps_q;

  assign parity = ^state_i;
  assign trap_o = trap_q;

  always_ff @(posedge clk_i) parity_q <= parity;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q  <= 1'b0;
      trap_q  <= 1'b0;
      steps_q <= '0;
    end else begin
      kept_q <= kept_i && !idle_i;
      if (idle_i) trap_q <= lost_i;
      else if (steps_q[StepsW] || (kept_q && parity != parity_q)) trap_q <= 1'b1;
      if (idle_i || fresh_i) steps_q <= '0;
      else if (step_i) steps_q <= steps_q + (StepsW + 1)'(1);
    end
  end

endmodule

`default_nettype wire
