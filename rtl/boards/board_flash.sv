// SPDX-License-Identifier: Apache-2.0
//
// Read a string from a serial flash memory and hand it over as words of 64 bits, once after reset.
//
//   after start_i:  wake up (AB), pause, read (03, address), Words * 64 bits --> out_*
//
// Parameters: Address is where the string begins. Words is its length in words, 1 and more. Pause
// is the number of clock cycles that the memory needs to wake up: an iCE40 leaves it asleep.
//
// The memory is used in SPI mode 0 with a clock of half the frequency of clk_i; the clock stands
// still while a word waits. The first byte is in the highest bits of a word. out_last_o is high
// with the last word.
//
// Latency: Pause and 2 (8 + 32 + 64 Words) cycles, if no word waits, and a few more.
`default_nettype none

module board_flash #(
  parameter bit [23:0] Address = '0,
  parameter int unsigned Words = 1,
  parameter int unsigned Pause = 4096
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [63:0] out_data_o,
  output logic        out_last_o,
  output logic        flash_cs_no,
  output logic        flash_clk_o,
  output logic        flash_mosi_o,
  input  logic        flash_miso_i
);

  localparam int unsigned WordW = $clog2(Words + 1);
  localparam int unsigned PauseW = $clog2(Pause + 1);
  localparam logic [7:0] Wake = 8'hab;
  localparam logic [7:0] Read = 8'h03;

  typedef enum logic [2:0] {
    Idle,
    Waking,
    Pausing,
    Asking,
    Reading,
    Offering,
    Done
  } state_e;
  state_e state_q;

  logic [63:0] shift_q;
  logic [6:0] left_q;  // bits that are still to come
  logic [PauseW-1:0] pause_q;
  logic [WordW-1:0] word_q;
  logic clk_q, moves, last_bit;

  assign moves = state_q == Waking || state_q == Asking || state_q == Reading;
  assign last_bit = moves && clk_q && left_q == 7'd1;
  assign flash_cs_no = !(moves || state_q == Offering);
  assign flash_clk_o = clk_q;
  assign flash_mosi_o = shift_q[63];
  assign out_valid_o = state_q == Offering;
  assign out_data_o = shift_q;
  assign out_last_o = word_q == WordW'(Words - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      shift_q <= '0;
      left_q  <= '0;
      pause_q <= '0;
      word_q  <= '0;
      clk_q   <= 1'b0;
    end else begin
      // The memory reads a bit when its clock rises; it is read when the clock falls.
      if (moves) begin
        clk_q <= !clk_q;
        if (clk_q) begin
          shift_q <= {shift_q[62:0], flash_miso_i};
          left_q  <= left_q - 7'd1;
        end
      end
      unique case (state_q)
        Idle: begin
          if (start_i) begin
            state_q <= Waking;
            shift_q <= {Wake, 56'h0};
            left_q  <= 7'd8;
          end
        end
        Waking:  if (last_bit) state_q <= Pausing;
        Pausing: begin
          pause_q <= pause_q + PauseW'(1);
          if (pause_q == PauseW'(Pause)) begin
            state_q <= Asking;
            shift_q <= {Read, Address, 32'h0};
            left_q  <= 7'd32;
          end
        end
        Asking: begin
          if (last_bit) begin
            state_q <= Reading;
            left_q  <= 7'd64;
          end
        end
        Reading: if (last_bit) state_q <= Offering;
        Offering: begin
          if (out_ready_i) begin
            state_q <= out_last_o ? Done : Reading;
            word_q  <= word_q + WordW'(1);
            left_q  <= 7'd64;
          end
        end
        default: ;
      endcase
    end
  end

endmodule

`default_nettype wire
