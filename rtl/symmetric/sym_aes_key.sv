// SPDX-License-Identifier: Apache-2.0
//
// Key schedule of AES as it goes, either way; one step is combinational.
//
// The window is w[4 r] .. w[4 r + Nk - 1] after r steps, Nk = 4, 6, 8 words of a key; its first four
// words are round r's key. A step forward makes the next four words,
//
//   w[i] = w[i - Nk] ^ T(w[i - 1]),  T(x) = SubWord(RotWord(x)) ^ rcon if Nk divides i,
//                                    SubWord(x) if Nk = 8 and i = 4 modulo 8, else x,
//
// and one back the four before by the same equation. At most one of four words needs SubWord: its
// argument is sub_o, the S-boxes are the user's.
//
// window_i, window_o: w[4 r] is window[0]. third_i: r modulo 3, odd_i: r modulo 2, both of the
// window that comes in. rcon_i: forward that of the next use, back that of the last use; used_o:
// the step uses it.
// Source: FIPS 197, section 5.2.
`default_nettype none

module sym_aes_key
  import sym_aes_pkg::*;
(
  input  aes_key_e        size_i,
  input  logic            back_i,
  input  logic     [ 1:0] third_i,
  input  logic            odd_i,
  input  logic     [ 7:0] rcon_i,
  output logic            used_o,
  output logic     [31:0] sub_o,
  input  logic     [31:0] sub_i,
  input  logic     [31:0] window_i[8],
  output logic     [31:0] window_o[8]
);

  typedef logic [31:0] word_t;

  // Step r of Nk = 6, the one that made or makes the window r, has T at no word or at this one.
  logic at_first, at_third;
  logic rotate;
  word_t t;
  word_t made[4];

  always_comb begin
    unique case (size_i)
      AesKey192: begin
        at_first = third_i == (back_i ? 2'd1 : 2'd0);
        at_third = third_i == (back_i ? 2'd2 : 2'd1);
      end
      default: begin
        at_first = 1'b1;
        at_third = 1'b0;
      end
    endcase
    // Of Nk = 8, steps 1, 3, .. rotate.
    rotate = size_i != AesKey256 || odd_i == back_i;
    used_o = rotate && (at_first || at_third);
  end

  // w[i - 1] of the step's first word, and of its third one.
  always_comb begin
    unique case ({
      back_i, size_i
    })
      {1'b0, AesKey128} : sub_o = window_i[3];
      {1'b0, AesKey192} : sub_o = at_third ? window_i[5] ^ window_i[0] ^ window_i[1] : window_i[5];
      {1'b0, AesKey256} : sub_o = window_i[7];
      {1'b1, AesKey128} : sub_o = window_i[3] ^ window_i[2];
      {1'b1, AesKey192} : sub_o = at_third ? window_i[3] : window_i[1];
      default: sub_o = window_i[3];
    endcase
    if (rotate) sub_o = {sub_o[23:0], sub_o[31:24]};
  end

  assign t = sub_i ^ (used_o ? {rcon_i, 24'h0} : '0);

  // The four new words; where there is no T at the first, Nk = 6.
  always_comb begin
    if (!back_i) begin
      made[0] = window_i[0] ^ (at_first ? t : window_i[5]);
      made[1] = window_i[1] ^ made[0];
      made[2] = window_i[2] ^ (at_third ? t : made[1]);
      made[3] = window_i[3] ^ made[2];
    end else begin
      unique case (size_i)
        AesKey128: begin
          made[3] = window_i[3] ^ window_i[2];
          made[2] = window_i[2] ^ window_i[1];
          made[1] = window_i[1] ^ window_i[0];
          made[0] = window_i[0] ^ t;
        end
        AesKey192: begin
          made[3] = window_i[5] ^ window_i[4];
          made[2] = window_i[4] ^ (at_third ? t : window_i[3]);
          made[1] = window_i[3] ^ window_i[2];
          made[0] = window_i[2] ^ (at_first ? t : window_i[1]);
        end
        default: begin
          made[3] = window_i[7] ^ window_i[6];
          made[2] = window_i[6] ^ window_i[5];
          made[1] = window_i[5] ^ window_i[4];
          made[0] = window_i[4] ^ t;
        end
      endcase
    end
  end

  always_comb begin
    window_o = '{default: '0};
    if (back_i) begin
      for (int unsigned j = 0; j < 4; j++) begin
        window_o[j] = made[j];
        if (size_i == AesKey256 || (size_i == AesKey192 && j < 2)) window_o[4+j] = window_i[j];
      end
    end else begin
      unique case (size_i)
        AesKey128: for (int unsigned j = 0; j < 4; j++) window_o[j] = made[j];
        AesKey192: begin
          for (int unsigned j = 0; j < 2; j++) window_o[j] = window_i[4+j];
          for (int unsigned j = 0; j < 4; j++) window_o[2+j] = made[j];
        end
        default: begin
          for (int unsigned j = 0; j < 4; j++) begin
            window_o[j]   = window_i[4+j];
            window_o[4+j] = made[j];
          end
        end
      endcase
    end
  end

endmodule

`default_nettype wire
