// SPDX-License-Identifier: Apache-2.0
//
// A core of any preset on the narrow port. The core is outside, with its wide port. This module has
// registers of NumBit bits for the operands, and one program: kP.
//
//   req_*, rsp_* <--> ecsm_narrow_port --start--> state_q --> core_req_valid_o --+
//                         |     ^                                                +--> (core)
//                   words v     | word                                           |      |
//                     register_q: X, Y, K ---> core_scalar_o, core_x_o, core_y_o +      |
//                         ^                                                             |
//                         +---- X, Y = result, K = 0 <--------- core_x_i, core_y_i -----+
//
// Parameters: NumBit is the number of bits in a coordinate and in the scalar. CoordW is the number
// of bits in a coordinate at the core's port, at least NumBit.
//
//   register 0, 1   X, Y: the point, afterwards kP. (0, 0) means infinity; it is on no curve with b
//                   not 0
//   register 2      K: the scalar, cleared when the program ends
//
// Latency of the program: the core's cycles and one more, the same for all inputs. A coordinate out
// of range gives StatusRange, a point off the curve StatusCurve; the result is then (0, 0).
`default_nettype none

module ecsm_narrow_core
  import ecsm_narrow_pkg::req_t;
#(
  parameter int unsigned NumBit = 163,  // bits in a coordinate and in the scalar
  parameter int unsigned CoordW = 168   // bits in a coordinate at the core's port, at least NumBit
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           zeroize_i,
  input  logic                           req_valid_i,
  output logic                           req_ready_o,
  input  req_t                           req_i,
  output logic                           rsp_valid_o,
  input  logic                           rsp_ready_i,
  output logic              [      31:0] rsp_o,
  output logic                           core_zeroize_o,
  output logic                           core_req_valid_o,
  input  logic                           core_req_ready_i,
  output logic              [NumBit-1:0] core_scalar_o,
  output logic              [CoordW-1:0] core_x_o,
  output logic              [CoordW-1:0] core_y_o,
  output logic                           core_infinity_o,
  input  logic                           core_rsp_valid_i,
  output logic                           core_rsp_ready_o,
  input  ecsm_pkg::status_e              core_status_i,
  input  logic              [CoordW-1:0] core_x_i,
  input  logic              [CoordW-1:0] core_y_i,
  input  logic                           core_infinity_i
);

  localparam int unsigned NumPair = (NumBit + 63) / 64;
  localparam int unsigned X = 0, Y = 1, K = 2, NumReg = 3;
  localparam bit [NumReg-1:0] Point = 3'b011, Scalar = 3'b100;

  logic write, odd, start, clear, busy, done;
  logic [3:0] name;
  logic [2:0] pair;
  logic [63:0] data;
  logic [31:0] word;
  logic unused_run, unused_bits;

  ecsm_narrow_port #(
    .NumBit(NumBit),
    .NumReg(NumReg),
    .NumRun(1),
    .Needs(Point | Scalar),
    .Clears(Scalar),
    .Fills(Point)
  ) u_port (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i),
    .req_ready_o(req_ready_o),
    .req_i(req_i),
    .rsp_valid_o(rsp_valid_o),
    .rsp_ready_i(rsp_ready_i),
    .rsp_o(rsp_o),
    .write_o(write),
    .reg_o(name),
    .pair_o(pair),
    .odd_o(odd),
    .data_o(data),
    .word_i(word),
    .start_o(start),
    .run_o(unused_run),
    .clear_o(clear),
    .busy_i(busy),
    .done_i(done),
    .range_i(core_status_i == ecsm_pkg::StatusCoordinateOutOfRange),
    .curve_i(core_status_i == ecsm_pkg::StatusPointNotOnCurve),
    .infinity_i(core_infinity_i)
  );

  // ------------------------------------------------------------------ job
  typedef enum logic [1:0] {
    Idle,
    Offer,
    Work
  } state_e;
  state_e state_q;

  assign unused_bits = ^{core_x_i, core_y_i};  // bits from NumBit up are zero
  assign busy = state_q != Idle;
  assign core_zeroize_o = clear;
  assign core_req_valid_o = state_q == Offer;
  assign core_rsp_ready_o = state_q == Work;
  assign done = (state_q == Work) & core_rsp_valid_i & ~clear;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle: if (start) state_q <= Offer;
        Offer: if (core_req_ready_i) state_q <= Work;
        default: if (core_rsp_valid_i) state_q <= Idle;
      endcase
      if (clear) state_q <= Idle;
    end
  end

  // ------------------------------------------------------------------ registers
  logic [NumReg-1:0][64*NumPair-1:0] register_q;

  for (genvar r = 0; r < NumReg; r++) begin : gen_register
    logic [NumBit-1:0] value_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        value_q <= '0;
      end else if (clear || (done && r == K)) begin
        value_q <= '0;
      end else if (done) begin
        value_q <= (r == X) ? core_x_i[NumBit-1:0] : core_y_i[NumBit-1:0];
      end else if (write && 32'(name) == r) begin
        for (int unsigned i = 0; i < NumBit; i++) if (32'(pair) == i / 64) value_q[i] <= data[i%64];
      end
    end
    assign register_q[r] = (64 * NumPair)'(value_q);
  end

  assign core_scalar_o = register_q[K][NumBit-1:0];
  assign core_x_o = CoordW'(register_q[X][NumBit-1:0]);
  assign core_y_o = CoordW'(register_q[Y][NumBit-1:0]);
  assign core_infinity_o = register_q[X] == '0 && register_q[Y] == '0;

  // A register that does not exist is not read: the port reports it.
  always_comb begin
    word = '0;
    for (int unsigned r = 0; r < NumReg; r++) begin
      if (32'(name) == r) word = 32'(512'(register_q[r]) >> {pair, odd, 5'd0});
    end
  end

  if (CoordW < NumBit) begin : gen_bad
    $error("ecsm_narrow_core: CoordW must be at least NumBit");
  end

endmodule

`default_nettype wire
