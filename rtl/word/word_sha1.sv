// SPDX-License-Identifier: Apache-2.0
//
// SHA-1's compression, small: octets in, blocks of 64 of them; the digest's octets out. Padding is
// the caller's: what comes in is whole blocks.
//
//   octets --> [word] --> [w: 16 words] --w[0]--+    +--> a b c d e --e--+
//                            ^ rotated XOR -----+    |                   |
//                                     constants --> y_q, x_q (two sums) -+-- H: [5 words]
//
// A round takes three cycles, so that no path has more than one sum. Five steps of two cycles shift
// a value into H and into the variables: the initial one after start_i, H plus the variables after
// the rounds. So a block takes a cycle for each octet, and 250 cycles.
//
//   start_i           begins a digest; what was before is forgotten. From the next cycle on no
//                     octet moves for 10 cycles
//   in_*              an octet moves when valid and ready are high
//   out_*             the octets of the digest of the blocks so far, the highest first. Each word
//                     takes four cycles more. Who reads a part starts anew
//   clear_i           zeroes every register
//
// Latency: constant. in_ready_o and out_valid_o are low while a block is computed.
// Source: FIPS 180-4, section 6.1.

`default_nettype none

module word_sha1 (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       start_i,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_data_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output logic [7:0] out_data_o
);

  localparam int unsigned NumRound = 80;
  localparam int unsigned NumValue = 5;

  typedef logic [31:0] word_t;
  typedef enum logic [2:0] {
    Load,   // octets move
    Round,
    Step,   // H plus the variables
    Begin,  // the initial value
    Turn    // H is turned, so that the digest's next word is the highest one
  } state_e;

  function automatic word_t rotated(word_t x, int unsigned n);
    return (x << n) | (x >> (32 - n));
  endfunction

  // Of a quarter of the rounds; the initial value, its last word first.
  function automatic word_t constant(logic begins, logic [2:0] i);
    if (begins) begin
      unique case (i)
        3'd0: return 32'hc3d2e1f0;
        3'd1: return 32'h10325476;
        3'd2: return 32'h98badcfe;
        3'd3: return 32'hefcdab89;
        default: return 32'h67452301;
      endcase
    end
    unique case (i[1:0])
      2'd0: return 32'h5a827999;
      2'd1: return 32'h6ed9eba1;
      2'd2: return 32'h8f1bbcdc;
      default: return 32'hca62c1d6;
    endcase
  endfunction

  state_e state_q;
  logic [1:0] phase_q;
  logic [6:0] round_q;
  logic [1:0] quarter_q;  // of the rounds
  logic [4:0] in_quarter_q;
  logic [2:0] step_q;  // steps, or turns
  logic [5:0] octet_q;  // of the block, or of the digest
  logic [NumValue-1:0][31:0] v_q, h_q;  // the last one leaves first: a is v_q[4], e is v_q[0]
  logic [15:0][31:0] w_q;
  logic [23:0] word_q;
  word_t x_q, y_q, a, b, c, d, e, f, left, right, sum;
  logic takes, gives, take, shifts;

  assign {a, b, c, d, e} = v_q;
  assign takes = in_valid_i && in_ready_o;
  assign gives = out_ready_i && out_valid_o && !takes;
  assign take  = takes && octet_q[1:0] == '1;

  always_comb begin
    unique case (quarter_q)
      2'd0: f = (b & c) | (~b & d);
      2'd2: f = (b & c) | (b & d) | (c & d);
      default: f = b ^ c ^ d;
    endcase
    left  = x_q;
    right = y_q;
    if (state_q == Round && phase_q == '0) begin
      left  = e;
      right = w_q[0];
    end
    if (state_q inside {Step, Begin}) left = h_q[0];
    if (state_q == Step) right = e;
    sum = left + right;
  end
  assign shifts = state_q inside {Step, Begin} && phase_q[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Load;
      phase_q <= '0;
      round_q <= '0;
      quarter_q <= '0;
      in_quarter_q <= '0;
      step_q <= '0;
      octet_q <= '0;
    end else if (clear_i || start_i) begin
      state_q <= clear_i ? Load : Begin;
      phase_q <= '0;
      round_q <= '0;
      quarter_q <= '0;
      in_quarter_q <= '0;
      step_q <= '0;
      octet_q <= '0;
    end else begin
      unique case (state_q)
        Load: begin
          if (takes || gives) octet_q <= octet_q + 6'd1;
          if (gives && octet_q == 6'(4 * NumValue - 1)) octet_q <= '0;
          if (takes && octet_q == '1) state_q <= Round;
          if (gives && octet_q[1:0] == '1) state_q <= Turn;
        end
        Round: begin
          phase_q <= (phase_q == 2'd2) ? '0 : phase_q + 2'd1;
          if (phase_q == 2'd2) begin
            round_q <= round_q + 7'd1;
            in_quarter_q <= in_quarter_q + 5'd1;
            if (in_quarter_q == 5'd19) begin
              in_quarter_q <= '0;
              quarter_q <= quarter_q + 2'd1;
            end
            if (round_q == 7'(NumRound - 1)) begin
              round_q <= '0;
              state_q <= Step;
            end
          end
        end
        Turn: begin
          step_q <= step_q + 3'd1;
          if (step_q == 3'd3) begin
            step_q  <= '0;
            state_q <= Load;
          end
        end
        default: begin
          phase_q <= {1'b0, ~phase_q[0]};
          if (phase_q[0]) begin
            step_q <= step_q + 3'd1;
            if (step_q == 3'(NumValue - 1)) begin
              step_q  <= '0;
              state_q <= Load;
            end
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      x_q <= '0;
      y_q <= '0;
      w_q <= '0;
      word_q <= '0;
    end else begin
      if (state_q == Round) x_q <= sum;
      y_q <= (state_q == Round && phase_q == 2'd1) ? f : (state_q == Begin ? '0 : rotated(
          a, 5
      )) + constant(
          state_q == Begin, state_q == Begin ? step_q : {1'b0, quarter_q}
      );
      if (takes) word_q <= {word_q[15:0], in_data_i};
      if (take || (state_q == Round && phase_q == 2'd2)) begin
        w_q <= {
          take ? {word_q, in_data_i} : rotated(w_q[13] ^ w_q[8] ^ w_q[2] ^ w_q[0], 1), w_q[15:1]
        };
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || start_i) begin
      v_q <= '0;
      h_q <= '0;
    end else begin
      if (state_q == Round && phase_q == 2'd2) v_q <= {sum, a, rotated(b, 30), c, d};
      else if (shifts) v_q <= {sum, v_q[4:1]};
      if (shifts || state_q == Turn) h_q <= {shifts ? sum : h_q[0], h_q[4:1]};
    end
  end

  assign in_ready_o = state_q == Load;
  assign out_valid_o = in_ready_o;
  assign out_data_o = h_q[4][{~octet_q[1:0], 3'd0}+:8];

endmodule

`default_nettype wire
