// SPDX-License-Identifier: Apache-2.0
//
// Finds where the AES key schedule needs SubWord in the four steps of a round. Combinational.
//
//   w[i] = w[i - Nk] ^ T(w[i - 1]),  T(x) = SubWord(RotWord(x)) ^ rcon if Nk divides i,
//                                    SubWord(x) if Nk = 8 and i = 4 modulo 8, else x
//
// window_i is w[4 r] .. w[4 r + Nk - 1], the words before the steps (sym_aes_word). The steps make
// the four words after the window, or with back_i the four before it. At most one of these needs
// SubWord. Its argument is an exclusive or of words of the window.
//
// Inputs: third_i is r modulo 3, odd_i is r modulo 2. Outputs: word_o has one bit for each step,
// set for the step that uses T. sub_o is the argument, rotated if T rotates. rcon_o is high if T
// adds rcon.
// Source: FIPS 197, section 5.2.
`default_nettype none

module sym_aes_key
  import sym_aes_pkg::*;
(
  input  aes_key_e        size_i,
  input  logic            back_i,
  input  logic     [ 1:0] third_i,
  input  logic            odd_i,
  input  logic     [31:0] window_i[8],
  output logic     [ 3:0] word_o,
  output logic     [31:0] sub_o,
  output logic            rcon_o
);

  // T belongs to the first or to the third of the four words, counted upwards, or to none (Nk
  // = 6).
  logic at_first, at_third, rotate;

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
    // With Nk = 8, steps 1, 3, .. rotate.
    rotate = size_i != AesKey256 || odd_i == back_i;
    rcon_o = rotate && (at_first || at_third);
    word_o = back_i ? {at_first, 1'b0, at_third, 1'b0} : {1'b0, at_third, 1'b0, at_first};
  end

  // w[i - 1], which the same steps may make.
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

endmodule

`default_nettype wire
