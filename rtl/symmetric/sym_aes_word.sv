// SPDX-License-Identifier: Apache-2.0
//
// One step of the AES key schedule: one word, forwards or backwards. Combinational.
//
// window_i is w[b] .. w[b + Nk - 1], Nk = 4, 6 or 8 words of a key, w[b] first. Forwards, the step
// makes w[b + Nk] and the window moves to b + 1. With back_i it makes w[b - 1] and the window moves
// to b - 1. Both follow from
//
//   w[i] = w[i - Nk] ^ T(w[i - 1]).
//
// With use_i T(w[i - 1]) is t_i, otherwise it is w[i - 1]. word_o is the new word, window_o the new
// window. Words of the window beyond Nk have no meaning.
// Source: FIPS 197, section 5.2.
`default_nettype none

module sym_aes_word
  import sym_aes_pkg::*;
(
  input  aes_key_e        size_i,
  input  logic            back_i,
  input  logic            use_i,
  input  logic     [31:0] t_i,
  input  logic     [31:0] window_i[8],
  output logic     [31:0] window_o[8],
  output logic     [31:0] word_o
);

  // The last word of the window, and the one before it.
  logic [31:0] last, second, other;

  always_comb begin
    unique case (size_i)
      AesKey128: begin
        last   = window_i[3];
        second = window_i[2];
      end
      AesKey192: begin
        last   = window_i[5];
        second = window_i[4];
      end
      default: begin
        last   = window_i[7];
        second = window_i[6];
      end
    endcase
  end

  assign other  = use_i ? t_i : back_i ? second : last;
  assign word_o = (back_i ? last : window_i[0]) ^ other;

  always_comb begin
    for (int unsigned i = 0; i < 8; i++)
    window_o[i] = back_i ? window_i[(i+7)%8] : window_i[(i+1)%8];
    if (back_i) window_o[0] = word_o;
    else if (size_i == AesKey128) window_o[3] = word_o;
    else if (size_i == AesKey192) window_o[5] = word_o;
    else window_o[7] = word_o;
  end

endmodule

`default_nettype wire
