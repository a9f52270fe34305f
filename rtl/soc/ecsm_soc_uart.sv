// SPDX-License-Identifier: Apache-2.0
//
// A serial port: 8 data bits, least significant first, no parity, one stop bit. divisor_i is the
// number of clock cycles in a bit, at least 4.
//
// tx_data_i moves when tx_valid_i and tx_ready_o are high. rx_valid_o tells that a byte has come;
// rx_take_i removes it. A byte that comes before the last one was removed replaces it.
//
// Latency: a byte needs 10 divisor_i cycles on the line.
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

  // ------------------------------------------------------------------ output
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

  // ------------------------------------------------------------------ input
  logic [1:0] rx_sync_q;  // the line, synchronised to this clock
  logic [3:0] rx_bits_q;  // bits to come, the check of the start bit included; 0 when idle
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
          rx_valid_q <= rx_sync_q[1];  // without its stop bit a byte is not valid
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
