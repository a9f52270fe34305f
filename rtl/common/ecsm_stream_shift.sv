// SPDX-License-Identifier: Apache-2.0
//
// A shift register of W bits that finds out whether each of its bits left it once. It returns one
// bit for each shift, from the highest to the lowest.
//
//   data_i, 1 --> [bits_q: W bits and a marker] -- top --> bit_o
//                                                   +--> [odd_q] --> odd_o
//
//   load_i     loads data_i, any W bits; bit_o is the first of them from the next cycle on
//   shift_i    bit_o is the next lower bit from the next cycle on
//   next_o     the value of bit_o in the next cycle, if load_i is low
//   odd_o      the parity of the bits that bit_o has been, the one of this cycle included
//   marked_o   bit_o is the last bit of data_i. A marker follows it, and zeros follow that
//   clear_i    clears the registers; wins over everything
//
// At the end marked_o tells whether the number of shifts was right, and odd_o, compared with the
// parity of what was loaded, whether an odd number of bits changed. W: 2 and more. There is no
// reset: the engine clears after its own reset.

`default_nettype none

module ecsm_stream_shift #(
  parameter int unsigned W = 8
) (
  input  logic         clk_i,
  input  logic         clear_i,
  input  logic         load_i,
  input  logic         shift_i,
  input  logic [W-1:0] data_i,
  output logic         bit_o,
  output logic         next_o,
  output logic         odd_o,
  output logic         marked_o
);

  logic [W:0] bits_q;
  logic odd_q;

  assign bit_o = bits_q[W];
  assign next_o = shift_i ? bits_q[W-1] : bits_q[W];
  assign odd_o = odd_q ^ bits_q[W];
  assign marked_o = bits_q[W-1:0] == {1'b1, {(W - 1) {1'b0}}};

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      bits_q <= '0;
      odd_q  <= 1'b0;
    end else if (load_i) begin
      bits_q <= {data_i, 1'b1};
      odd_q  <= 1'b0;
    end else if (shift_i) begin
      bits_q <= {bits_q[W-1:0], 1'b0};
      odd_q  <= odd_o;
    end
  end

  if (W < 2) begin : gen_bad
    $error("ecsm_stream_shift: W must be at least 2");
  end

endmodule

`default_nettype wire
