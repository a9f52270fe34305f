// SPDX-License-Identifier: Apache-2.0
//
// The results of a GF(p) engine: reduces values to canonical form and stores the coordinates, one
// slot a thread.
//
//   take_curve_i, take_x_i, take_y_i   reduce v_i for thread thread_i: the curve test, x or y of
//                                      the result. The next one may come when the reduction
//                                      (latency of gfp_canon) is finished.
//   curve_o        the curve test of thread curve_thread_o is finished; zero_o: its value is 0
//                  modulo P
//   slot_i         selects the thread of x_o and y_o
//   drop_i         abandons the current reduction; one thread: clears the result too
//   wipe_i         several threads: writes zero to slot clear_number_i
//
// Latency: that of gfp_canon, and one cycle more with several threads. With one thread, y stays in
// the reducer. v_i: NumLimb limbs of InW bits. x_o, y_o: below P.

`default_nettype none

module gfp_answers #(
  parameter int unsigned Threads = 1,
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW = 64,
  parameter int unsigned InW = 66,
  parameter int unsigned PW = 255,
  parameter bit [PW-1:0] P = {{(PW - 5) {1'b1}}, 5'd13},
  parameter int unsigned MaxShift = 3,
  localparam int unsigned SlotW = (Threads > 1) ? $clog2(Threads) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             drop_i,
  input  logic             wipe_i,
  input  logic [SlotW-1:0] clear_number_i,
  input  logic             take_curve_i,
  input  logic             take_x_i,
  input  logic             take_y_i,
  input  logic [SlotW-1:0] thread_i,
  input  logic [  InW-1:0] v_i           [NumLimb],
  output logic             curve_o,
  output logic [SlotW-1:0] curve_thread_o,
  output logic             zero_o,
  input  logic [SlotW-1:0] slot_i,
  output logic [   PW-1:0] x_o,
  output logic [   PW-1:0] y_o
);

  logic [PW-1:0] reduced;
  logic valid, dropped_q;
  gfp_canon #(
    .NumLimb(NumLimb),
    .LimbW(LimbW),
    .InW(InW),
    .PW(PW),
    .P(P),
    .MaxShift(MaxShift)
  ) u_canon (
    .clk_i(clk_i),
    .clear_i(dropped_q),
    .start_i(take_curve_i | take_x_i | take_y_i),
    .v_i(v_i),
    .value_o(reduced),
    .zero_o(zero_o),
    .valid_o(valid)
  );

  typedef struct packed {
    logic curve;
    logic x;
    logic y;
  } what_t;
  what_t what_q;  // the value that is being reduced
  logic [SlotW-1:0] thread_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      what_q <= '0;
      thread_q <= '0;
      dropped_q <= 1'b1;
    end else begin
      dropped_q <= drop_i;
      if (drop_i) begin
        what_q   <= '0;
        thread_q <= '0;
      end else if (take_curve_i | take_x_i | take_y_i) begin
        what_q <= '{curve: take_curve_i, x: take_x_i, y: take_y_i};
        thread_q <= thread_i;
      end else if (valid) what_q <= '0;
    end
  end

  assign curve_o = valid & what_q.curve;
  assign curve_thread_o = thread_q;

  if (Threads == 1) begin : gen_one
    logic [PW-1:0] x_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) x_q <= '0;
      else if (drop_i) x_q <= '0;
      else if (valid & what_q.x) x_q <= reduced;
    end
    assign x_o = x_q;
    assign y_o = reduced;

    logic unused_slots;
    assign unused_slots = ^{wipe_i, clear_number_i, slot_i, what_q.y};
  end else begin : gen_many
    logic [PW-1:0] x[Threads];
    logic [PW-1:0] y[Threads];
    logic [SlotW-1:0] number;
    logic [PW-1:0] data;
    assign number = wipe_i ? clear_number_i : thread_q;
    assign data = wipe_i ? '0 : reduced;
    always_ff @(posedge clk_i) begin
      if (wipe_i | (valid & what_q.x)) x[number] <= data;
      if (wipe_i | (valid & what_q.y)) y[number] <= data;
    end
    assign x_o = x[slot_i];
    assign y_o = y[slot_i];
  end

endmodule

`default_nettype wire
