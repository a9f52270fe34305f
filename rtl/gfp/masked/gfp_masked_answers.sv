// SPDX-License-Identifier: Apache-2.0
//
// The results of a masked prime-field engine: reduces values to canonical form, stores the
// coordinates, and compares each with a second one.
//
//   v_i --> [gfp_canon] --> zero_o: is it 0?
//                      +--> [x_q, y_q: the first] --> x_o, y_o
//                      +--> is the second the first? --> fault_o
//
//   take_test_i             reduce v_i; zero_o tells whether it is 0 modulo P
//   take_x_i, take_y_i      reduce v_i: x or y of the result. The first value is stored; the second
//                           must be the same. One at a time (latency of gfp_canon).
//   clear_i                 abandons a reduction, and clears the result
//   zero_o                  the reduction ends in this cycle, and its value is 0
//   fault_o                 the second value differs, or a stored one has another parity
//
// Latency: that of gfp_canon, from a take to zero_o and fault_o; x_o and y_o one cycle later. v_i:
// NumLimb limbs of InW bits. x_o, y_o: below P.

`default_nettype none

module gfp_masked_answers #(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW = 64,
  parameter int unsigned InW = 66,
  parameter int unsigned PW = 255,
  parameter bit [PW-1:0] P = {{(PW - 5) {1'b1}}, 5'd13},
  parameter int unsigned MaxShift = 3
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           clear_i,
  input  logic           take_test_i,
  input  logic           take_x_i,
  input  logic           take_y_i,
  input  logic [InW-1:0] v_i        [NumLimb],
  output logic           zero_o,
  output logic           fault_o,
  output logic [ PW-1:0] x_o,
  output logic [ PW-1:0] y_o
);

  logic [PW-1:0] reduced;
  logic valid;
  gfp_canon #(
    .NumLimb(NumLimb),
    .LimbW(LimbW),
    .InW(InW),
    .PW(PW),
    .P(P),
    .MaxShift(MaxShift)
  ) u_canon (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .start_i(take_test_i | take_x_i | take_y_i),
    .v_i(v_i),
    .value_o(reduced),
    .zero_o(zero_o),
    .valid_o(valid)
  );

  // SEC_CM: RESULT.TWICE: coordinates are computed and reduced twice, and stored with a parity
  logic [1:0] what_q, stored_q, odd_q;  // x, y: being reduced, stored, parity
  logic [1:0] differs, changed;
  logic [1:0][PW-1:0] value_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      what_q <= '0;
      stored_q <= '0;
      odd_q <= '0;
    end else if (clear_i) begin
      what_q <= '0;
      stored_q <= '0;
      odd_q <= '0;
    end else begin
      if (take_test_i | take_x_i | take_y_i) what_q <= {take_y_i, take_x_i};
      else if (valid) what_q <= '0;
      for (int unsigned i = 0; i < 2; i++) begin
        if (valid && what_q[i] && !stored_q[i]) begin
          stored_q[i] <= 1'b1;
          odd_q[i] <= ^reduced;
        end
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) value_q <= '0;
    else if (clear_i) value_q <= '0;
    else begin
      for (int unsigned i = 0; i < 2; i++) begin
        if (valid && what_q[i] && !stored_q[i]) value_q[i] <= reduced;
      end
    end
  end

  for (genvar i = 0; i < 2; i++) begin : gen_compare
    assign differs[i] = valid & what_q[i] & stored_q[i] & (reduced != value_q[i]);
    assign changed[i] = (^value_q[i]) != odd_q[i];
  end
  assign fault_o = (|differs) | (|changed);
  assign x_o = value_q[0];
  assign y_o = value_q[1];

endmodule

`default_nettype wire
