// SPDX-License-Identifier: Apache-2.0
//
// The request of a GF(p) engine: holds it for one cycle, checks the range of its coordinates, and
// recognises the curve's point G.
//
//   load_i, slot_i, req_* --> [load_q, slot_q, scalar_q, x_q, y_q] --> load_o, slot_o, scalar_o,
//                         |                          |                 x_o, y_o
//                         +--> [gfp_range]           +--> [= G?] --> [base_q] --> base_o
//                                  +--> outside_o
//
//   load_o .. y_o   the request of the cycle before; all zero when there was none
//   outside_o       one cycle after the request: a coordinate is P or above
//   base_o          with HasBase: the request's point is G, and the job is kG; from two cycles
//                   after the request until abort_i. base_start_o is high in the first of these
//                   cycles, BaseLate cycles after the request.
//   abort_i         the program ends, or is dropped
//
// With Ladder x is any number of PW bits, and y is not masked. infinity_i: one cycle after the
// request, its point is infinity. Whether a point is G is no secret: points are not.

`default_nettype none

module gfp_request #(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW = 64,
  parameter int unsigned PW = 256,
  parameter bit [PW-1:0] P = '1,
  parameter int unsigned ScalarW = 256,
  parameter int unsigned CoordW = 256,
  parameter int unsigned SlotW = 1,
  parameter bit Ladder = 1'b0,
  parameter bit HasBase = 1'b0,
  parameter bit [1:0][PW-1:0] Generator = '0  // {y, x}
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               abort_i,
  input  logic               load_i,
  input  logic [  SlotW-1:0] slot_i,
  input  logic [ScalarW-1:0] req_scalar_i,
  input  logic [ CoordW-1:0] req_x_i,
  input  logic [ CoordW-1:0] req_y_i,
  input  logic               infinity_i,
  output logic               outside_o,
  output logic               load_o,
  output logic [  SlotW-1:0] slot_o,
  output logic [ScalarW-1:0] scalar_o,
  output logic [ CoordW-1:0] x_o,
  output logic [ CoordW-1:0] y_o,
  output logic               base_o,
  output logic               base_start_o
);

  gfp_range #(
    .NumLimb(NumLimb),
    .LimbW(LimbW),
    .CoordW(CoordW),
    .PW(PW),
    .P(P)
  ) u_range (
    .clk_i(clk_i),
    .take_i(load_i),
    .x_i(Ladder ? '0 : req_x_i),
    .y_i(req_y_i),
    .outside_o(outside_o)
  );

  logic load_q;
  logic [SlotW-1:0] slot_q;
  logic [ScalarW-1:0] scalar_q;
  logic [CoordW-1:0] x_q, y_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) load_q <= 1'b0;
    else load_q <= load_i;
  end
  always_ff @(posedge clk_i) begin
    slot_q <= slot_i;
    scalar_q <= load_i ? req_scalar_i : '0;
    x_q <= load_i ? (Ladder ? CoordW'(PW'(req_x_i)) : req_x_i) : '0;
    y_q <= load_i ? req_y_i : '0;
  end

  assign load_o = load_q;
  assign slot_o = slot_q;
  assign scalar_o = scalar_q;
  assign x_o = x_q;
  assign y_o = y_q;

  if (HasBase) begin : gen_base
    logic is_base, base_q, start_q;
    assign is_base = {y_q, x_q} == {CoordW'(Generator[1]), CoordW'(Generator[0])} && !infinity_i;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        base_q  <= 1'b0;
        start_q <= 1'b0;
      end else begin
        if (abort_i) base_q <= 1'b0;
        else if (load_q) base_q <= is_base;
        start_q <= load_q & is_base & ~abort_i;
      end
    end
    assign base_o = base_q;
    assign base_start_o = start_q;
  end else begin : gen_no_base
    assign base_o = 1'b0;
    assign base_start_o = 1'b0;
    logic unused_base;
    assign unused_base = ^{abort_i, infinity_i};
  end

endmodule

`default_nettype wire
