// SPDX-License-Identifier: Apache-2.0
//
// A serial port: 8 data bits, least significant first, no parity, one stop bit, divisor_i clock
// cycles a bit, 4 at the least.
//
// tx_valid_i is taken while tx_ready_o is high. rx_valid_o says that an octet has come; rx_take_i
// takes it. An octet that comes before the last one was taken replaces it.
//
// Latency: an octet takes 10 divisor_i cycles on the line.
`default_nettype none

module ecsm_soc_uart (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] divisor_i,
  input  logic        rx_i,
  output logic        tx_o,
  input  logic        tx_valid_i,
  output logic        tx_ready_o,
  input  logic [ 7:0] tx_data_i,
  output logic        rx_valid_o,
  input  logic        rx_take_i,
  output logic [ 7:0] rx_data_o
);

  logic [15:0] last, half;
  assign last = divisor_i - 16'd1;
  assign half = divisor_i >> 1;

  // ------------------------------------------------------------------ out
  logic [9:0] tx_shift_q;  // stop bit, data, start bit; zero when idle
  logic [15:0] tx_count_q;

  assign tx_ready_o = tx_shift_q == '0;
  assign tx_o = tx_ready_o | tx_shift_q[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tx_shift_q <= '0;
      tx_count_q <= '0;
    end else if (tx_ready_o) begin
      tx_count_q <= '0;
      if (tx_valid_i) tx_shift_q <= {1'b1, tx_data_i, 1'b0};
    end else if (tx_count_q == last) begin
      tx_count_q <= '0;
      tx_shift_q <= tx_shift_q >> 1;
    end else begin
      tx_count_q <= tx_count_q + 16'd1;
    end
  end

  // ------------------------------------------------------------------ in
  logic [1:0] rx_sync_q;  // the line, brought into this clock
  logic [3:0] rx_bits_q;  // bits to come, the start bit's check included; 0 when idle
  logic [15:0] rx_count_q;
  logic [7:0] rx_shift_q, rx_data_q;
  logic rx_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_sync_q  <= '1;
      rx_bits_q  <= '0;
      rx_count_q <= '0;
      rx_shift_q <= '0;
      rx_data_q  <= '0;
      rx_valid_q <= 1'b0;
    end else begin
      rx_sync_q <= {rx_sync_q[0], rx_i};
      if (rx_take_i) rx_valid_q <= 1'b0;
      if (rx_bits_q == '0) begin
        rx_count_q <= half;  // the middle of the start bit comes first
        if (!rx_sync_q[1]) rx_bits_q <= 4'd10;
      end else if (rx_count_q == last) begin
        rx_count_q <= '0;
        rx_bits_q  <= rx_bits_q - 4'd1;
        rx_shift_q <= {rx_sync_q[1], rx_shift_q[7:1]};
        if (rx_bits_q == 4'd10 && rx_sync_q[1]) rx_bits_q <= '0;  // no start bit: noise
        if (rx_bits_q == 4'd1) begin
          rx_valid_q <= rx_sync_q[1];  // without its stop bit an octet is none
          rx_data_q  <= rx_shift_q;
        end
      end else begin
        rx_count_q <= rx_count_q + 16'd1;
      end
    end
  end

  assign rx_valid_o = rx_valid_q;
  assign rx_data_o  = rx_data_q;

endmodule

`default_nettype wire
