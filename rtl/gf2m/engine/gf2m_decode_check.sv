// SPDX-License-Identifier: Apache-2.0
//
// Decodes the words of the second sequencer as the engine decodes those of the first one, and
// compares what executes: enables of the network's terms, writes of registers, starts of
// multipliers.
//
//   word_i, active_i --> [gf2m_gates, write, start] --> is it what executes? --> fault_o
//
// The second sequencer is that of ecsm_front; the bits of the streams and the late conditions are
// the engine's. load_i: registers of Loads are written in the next cycle, whatever the word says.
// Latency: fault_o is high in the cycle after the one in which something differs.

`default_nettype none

module gf2m_decode_check
  import gf2m_engine_pkg::gate_t;
#(
  parameter int unsigned NumTerm = 1,
  parameter int unsigned NumGate = 1,
  parameter int unsigned NumReg = 2,
  parameter int unsigned NumMul = 1,
  parameter gate_t [NumGate-1:0] Gates = '0,
  parameter bit [NumReg-1:0] Loads = '0
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  input  logic                             active_i,
  input  logic [NumMul+NumReg+NumGate-1:0] word_i,
  input  logic                             load_i,
  input  logic                             key_i,
  input  logic                             next_i,
  input  logic                             role_i,
  input  logic                             next_role_i,
  input  logic                             affine_i,
  input  logic                             negate_i,
  input  logic [              NumTerm-1:0] enable_i,
  input  logic [               NumReg-1:0] write_i,
  input  logic [               NumMul-1:0] start_i,
  output logic                             fault_o
);

  logic [NumGate-1:0] gate;
  logic [NumReg-1:0] write, write_q;
  logic [NumMul-1:0] start, start_q;
  logic [NumTerm-1:0] enable;
  logic fault_q;
  assign {start, write, gate} = word_i;
  assign fault_o = fault_q;

  // SEC_CM: DECODE.REDUNDANCY: every word is decoded twice, the second time inverted
  gf2m_gates #(
    .NumTerm(NumTerm),
    .NumGate(NumGate),
    .Gates(Gates)
  ) u_gates (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .active_i(active_i),
    .word_i(gate),
    .key_i(key_i),
    .next_i(next_i),
    .role_i(role_i),
    .next_role_i(next_role_i),
    .affine_i(affine_i),
    .negate_i(negate_i),
    .enable_o(enable)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '1;
      start_q <= '1;
      fault_q <= 1'b0;
    end else begin
      write_q <= ~(write & {NumReg{active_i & ~clear_i}}) & ~(Loads & {NumReg{load_i}});
      start_q <= ~(start & {NumMul{active_i & ~clear_i}});
      fault_q <= ~clear_i & ({enable, write_q, start_q} != {enable_i, ~write_i, ~start_i});
    end
  end

endmodule

`default_nettype wire
