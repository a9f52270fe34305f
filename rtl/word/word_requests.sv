// SPDX-License-Identifier: Apache-2.0
//
// The request port of a word engine whose tables come from the host.
//
//   req_* --> [tables are there?] --yes--> core_*
//              |          |  no: UNSUPPORTED
//              v LoadOperation
//             word_load --load_*--> program, walks, constants
//
// Without tables there are no operations. An operation that the core does not see is answered here.
// LoadOperation zeroizes, and takes the tables from in_*. Without Loaded all goes to the core.
//
// Latency: none for the core's operations. Of others it is in rsp_cycles_o.

`default_nettype none

module word_requests
  import word_pkg::*;
#(
  parameter bit Loaded = 0,
  parameter int unsigned Fixed = 1,  // words of constants
  localparam int unsigned CycleW = 24
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     zeroize_i,
  output logic                     zeroize_o,
  input  logic                     req_valid_i,
  output logic                     req_ready_o,
  input  logic  [             5:0] req_op_i,
  output logic                     core_valid_o,
  input  logic                     core_ready_i,
  input  logic                     core_answers_i,
  input  logic  [             3:0] core_status_i,
  input  logic  [      CycleW-1:0] core_cycles_i,
  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output logic  [             3:0] rsp_status_o,
  output logic  [      CycleW-1:0] rsp_cycles_o,
  input  logic                     in_valid_i,
  output logic                     in_ready_o,
  input  logic  [            63:0] in_data_i,
  input  logic  [             3:0] in_bytes_i,
  input  logic                     in_last_i,
  input  logic                     core_in_ready_i,
  output load_e                    load_o,
  output logic  [LoadAddressW-1:0] load_address_o,
  output logic  [       LoadW-1:0] load_data_o
);

  if (Loaded) begin : gen_load
    typedef enum logic [1:0] {
      Tables,  // the core runs, or may
      Load,
      Answer
    } state_e;
    state_e state_q;
    logic tabled_q, done, good, busy, accepted, wants, loads, load_ready;
    ecsm_pkg::status_e status_q;
    logic [CycleW-1:0] cycles_q;

    assign accepted = req_valid_i && req_ready_o;
    assign wants = req_op_i == LoadOperation;
    assign loads = accepted && wants;
    assign core_valid_o = req_valid_i && tabled_q && !wants && state_q == Tables;
    assign req_ready_o = core_ready_i && state_q == Tables;

    word_load #(
      .Fixed(Fixed)
    ) u_load (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .abort_i(zeroize_i),
      .start_i(loads),
      .zeroize_o(zeroize_o),
      .ready_i(core_ready_i),
      .busy_o(busy),
      .done_o(done),
      .good_o(good),
      .in_valid_i(in_valid_i),
      .in_ready_o(load_ready),
      .in_data_i(in_data_i),
      .in_bytes_i(in_bytes_i),
      .in_last_i(in_last_i),
      .load_o(load_o),
      .load_address_o(load_address_o),
      .load_data_o(load_data_o)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q  <= Tables;
        tabled_q <= 1'b0;
        status_q <= ecsm_pkg::StatusOk;
        cycles_q <= '0;
      end else begin
        unique case (state_q)
          Tables: begin
            cycles_q <= CycleW'(1);
            status_q <= ecsm_pkg::StatusUnsupported;
            if (loads) begin
              state_q  <= Load;
              tabled_q <= 1'b0;
            end else if (accepted && !tabled_q) state_q <= Answer;
          end
          Load: begin
            if (!(&cycles_q)) cycles_q <= cycles_q + CycleW'(1);
            if (done) begin
              state_q  <= Answer;
              tabled_q <= good;
              status_q <= good ? ecsm_pkg::StatusOk : ecsm_pkg::StatusUnsupported;
            end
          end
          default: if (rsp_ready_i) state_q <= Tables;
        endcase
        if (zeroize_i) state_q <= Tables;
      end
    end

    assign rsp_valid_o = core_answers_i || state_q == Answer;
    assign rsp_status_o = (state_q == Answer) ? status_q : core_status_i;
    assign rsp_cycles_o = (state_q == Answer) ? cycles_q : core_cycles_i;
    assign in_ready_o = busy ? load_ready : core_in_ready_i;
  end else begin : gen_constant
    assign core_valid_o = req_valid_i;
    assign req_ready_o = core_ready_i;
    assign zeroize_o = 1'b0;
    assign load_o = LoadNone;
    assign load_address_o = '0;
    assign load_data_o = '0;
    assign rsp_valid_o = core_answers_i;
    assign rsp_status_o = core_status_i;
    assign rsp_cycles_o = core_cycles_i;
    assign in_ready_o = core_in_ready_i;
    logic unused;
    assign unused = ^{
      clk_i, rst_ni, zeroize_i, req_op_i, rsp_ready_i, in_valid_i, in_data_i, in_bytes_i, in_last_i
    };
  end

endmodule

`default_nettype wire
