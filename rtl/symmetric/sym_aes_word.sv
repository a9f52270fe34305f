// SPDX-License-Identifier: Apache-2.0
//
// A step of AES's key schedule by one word, either way; combinational.
//
// The window is w[b] .. w[b + Nk - 1], Nk = 4, 6, 8 words of a key, w[b] first. Forward the step makes
// w[b + Nk] and b + 1 of b, back it makes w[b - 1] and b - 1, both by
//
//   w[i] = w[i - Nk] ^ T(w[i - 1]);
//
// with use_i T(w[i - 1]) is t_i, else w[i - 1] as it is. word_o is the word that is made. Words of
// the window beyond Nk are of no value.
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

  // The last word, and the one before it.
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
