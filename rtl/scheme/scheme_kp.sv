// SPDX-License-Identifier: Apache-2.0
//
// Connects a core's port to streams of words: operands in, results out. It stores one request that
// waits and one result.
//
//   data_i --+-- scalar_valid_i --> scalar_q --+   (Masked: the core's scalar is their xor)
//            +-- x_valid_i -------> x_q -------+--> req_* --> (core) --> rsp_* --+
//            +-- y_valid_i -------> y_q -------+                                 |
//                                                                                v
//   rsp_x_o, rsp_y_o (words, highest first) <-- rotate <-- rsp_x_q, rsp_y_q, status_q, ..
//
// Parameters: ScalarW is the number of bits in NumScalar scalars together; with two, {a, b}, a
// comes first. CoordW is the number of bits in a coordinate. Masked: a scalar comes as two numbers,
// and is their xor, which no register holds; NumScalar is 1.
//
// scalar_*, x_*, y_* accept the words of a number, the highest first: as many words of W bits as
// the number needs. Each word shifts the earlier ones up. The unit accepts them while no request
// waits. start_i, with start_ready_o, requests the product; the point is never infinity. The
// operands stay, so the next request may use them again.
//
// answer_o is high while there is a result, with status_o and infinity_o. rsp_x_*, rsp_y_* return
// its coordinates, the highest word first, and start again after the last word. next_i drops the
// result.
//
// Latency: one cycle for the request and one for the result. clear_i zeroes every register; in the
// same cycle the core must be cleared with its own zeroize_i.

`default_nettype none

module scheme_kp
  import scheme_pkg::*;
#(
  parameter int unsigned ScalarW   = 256,
  parameter int unsigned NumScalar = 1,
  parameter int unsigned CoordW    = 256,
  parameter bit          Masked    = 1'b0
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  input  logic                            scalar_valid_i,
  input  logic                            x_valid_i,
  input  logic                            y_valid_i,
  output logic                            operand_ready_o,
  input  logic              [      W-1:0] data_i,
  input  logic                            start_i,
  output logic                            start_ready_o,
  output logic                            answer_o,
  output ecsm_pkg::status_e               status_o,
  output logic                            infinity_o,
  input  logic                            next_i,
  input  logic                            rsp_x_ready_i,
  output logic              [      W-1:0] rsp_x_o,
  input  logic                            rsp_y_ready_i,
  output logic              [      W-1:0] rsp_y_o,
  output logic                            idle_o,
  // The core.
  output logic                            req_valid_o,
  input  logic                            req_ready_i,
  output logic              [ScalarW-1:0] req_scalar_o,
  output logic              [ CoordW-1:0] req_x_o,
  output logic              [ CoordW-1:0] req_y_o,
  input  logic                            rsp_valid_i,
  output logic                            rsp_ready_o,
  input  ecsm_pkg::status_e               rsp_status_i,
  input  logic              [ CoordW-1:0] rsp_x_i,
  input  logic              [ CoordW-1:0] rsp_y_i,
  input  logic                            rsp_infinity_i
);

  localparam int unsigned OneW = ScalarW / NumScalar;
  localparam int unsigned NumPart = Masked ? 2 : NumScalar;
  localparam int unsigned ScalarWords = (OneW + W - 1) / W;
  localparam int unsigned CoordWords = (CoordW + W - 1) / W;

  typedef logic [CoordWords-1:0][W-1:0] coordinate_t;

  logic [NumPart-1:0][W*ScalarWords-1:0] scalar_d, scalar_q;
  logic [NumScalar-1:0][OneW-1:0] scalar;
  coordinate_t x_d, x_q, y_d, y_q, rsp_x_d, rsp_x_q, rsp_y_d, rsp_y_q;
  logic request_d, request_q;
  logic [1:0] under_way_d, under_way_q;
  logic answer_d, answer_q, infinity_d, infinity_q;
  ecsm_pkg::status_e status_d, status_q;

  function automatic coordinate_t rotated(coordinate_t v);
    for (int unsigned i = 0; i < CoordWords; i++) begin
      rotated[(i+1)%CoordWords] = v[i];
    end
  endfunction

  logic accept, respond;
  assign accept = request_q && req_ready_i;
  assign respond = rsp_valid_i && rsp_ready_o;
  assign rsp_ready_o = !answer_q;
  assign operand_ready_o = !request_q;
  assign start_ready_o = !request_q;

  always_comb begin
    scalar_d = scalar_q;
    x_d = x_q;
    y_d = y_q;
    request_d = request_q && !accept;
    under_way_d = under_way_q + 2'(accept) - 2'(respond);
    answer_d = answer_q && !next_i;
    status_d = status_q;
    infinity_d = infinity_q;
    rsp_x_d = rsp_x_q;
    rsp_y_d = rsp_y_q;
    if (scalar_valid_i && operand_ready_o) scalar_d = $bits(scalar_q)'({scalar_q, data_i});
    if (x_valid_i && operand_ready_o) x_d = (W * CoordWords)'({x_q, data_i});
    if (y_valid_i && operand_ready_o) y_d = (W * CoordWords)'({y_q, data_i});
    if (start_i && start_ready_o) request_d = 1'b1;
    if (rsp_x_ready_i) rsp_x_d = rotated(rsp_x_q);
    if (rsp_y_ready_i) rsp_y_d = rotated(rsp_y_q);
    if (respond) begin
      answer_d = 1'b1;
      status_d = rsp_status_i;
      infinity_d = rsp_infinity_i;
      rsp_x_d = (W * CoordWords)'(rsp_x_i);
      rsp_y_d = (W * CoordWords)'(rsp_y_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      request_q <= 1'b0;
      answer_q <= 1'b0;
      under_way_q <= '0;
    end else if (clear_i) begin
      request_q <= 1'b0;
      answer_q <= 1'b0;
      under_way_q <= '0;
    end else begin
      request_q <= request_d;
      answer_q <= answer_d;
      under_way_q <= under_way_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      scalar_q <= '0;
      x_q <= '0;
      y_q <= '0;
      rsp_x_q <= '0;
      rsp_y_q <= '0;
      infinity_q <= 1'b0;
      status_q <= ecsm_pkg::StatusOk;
    end else begin
      scalar_q <= scalar_d;
      x_q <= x_d;
      y_q <= y_d;
      rsp_x_q <= rsp_x_d;
      rsp_y_q <= rsp_y_d;
      infinity_q <= infinity_d;
      status_q <= status_d;
    end
  end

  assign req_valid_o = request_q;
  if (Masked) begin : gen_masked
    // SEC_CM: SCALAR.PARTS: no register of the machine's port holds a scalar
    assign scalar = OneW'(scalar_q[0]) ^ OneW'(scalar_q[NumPart-1]);
  end else begin : gen_plain
    for (genvar i = 0; i < NumScalar; i++) begin : gen_scalar
      assign scalar[i] = OneW'(scalar_q[i]);
    end
  end
  assign req_scalar_o = request_q ? scalar : '0;
  assign req_x_o = request_q ? CoordW'(x_q) : '0;
  assign req_y_o = request_q ? CoordW'(y_q) : '0;
  assign answer_o = answer_q;
  assign status_o = status_q;
  assign infinity_o = infinity_q;
  assign rsp_x_o = rsp_x_q[CoordWords-1];
  assign rsp_y_o = rsp_y_q[CoordWords-1];
  assign idle_o = !request_q && under_way_q == '0;

  if (Masked && NumScalar != 1) begin : gen_bad
    $error("scheme_kp: a masked scalar is one");
  end

endmodule

`default_nettype wire
