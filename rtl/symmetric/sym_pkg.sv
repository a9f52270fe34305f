// SPDX-License-Identifier: Apache-2.0
//
// Types of the symmetric units (hash algorithms, operations of the DRBG), and two conventions.
//
// Byte stream: words of W bits, W a multiple of 8, with valid and ready. A word moves in a cycle in
// which both are high. Once valid is high, the word does not change until it moves. A word has
// three fields. data has W bits. bytes, 0 .. W/8, is the number of valid bytes, of which the first
// is in the highest bits. last marks the last word of a string. The empty string is one word with
// last and bytes 0. A unit outputs full words, except for the last word of a string, and zeros in
// bytes that are not valid. A last word of 0 bytes may follow full words. If a unit accepts words
// that are not full in the middle of a string (it packs them), its header says so.
//
// Units: a request, with req_valid and req_ready, begins an operation. req_ready is high again when
// all of the operation's output has moved. clear_i, in any cycle, drops the operation, zeroes every
// register (a header names exceptions) and makes the unit ready. In a cycle with clear_i nothing
// moves. rst_ni resets the control asynchronously; the first clock edge zeroes the other registers
// (sym_zeroize). Data outputs are zero while their valid is low. The number of cycles of an
// operation depends only on lengths, algorithm and parameters. "Octets" in a name means bytes of 8
// bits.
//
// Source: FIPS 180-4.
`default_nettype none

package sym_pkg;

  typedef enum logic [2:0] {
    AlgSha1   = 3'd0,
    AlgSha224 = 3'd1,
    AlgSha256 = 3'd2,
    AlgSha384 = 3'd3,
    AlgSha512 = 3'd4
  } alg_e;

  typedef enum logic [1:0] {
    DrbgInstantiate = 2'd0,
    DrbgReseed      = 2'd1,
    DrbgGenerate    = 2'd2
  } drbg_op_e;

  // Words in a digest: words of 32 bits up to SHA-256, of 64 bits above.
  function automatic logic [3:0] digest_words(alg_e alg);
    unique case (alg)
      AlgSha1:   return 4'd5;
      AlgSha224: return 4'd7;
      AlgSha384: return 4'd6;
      default:   return 4'd8;
    endcase
  endfunction

  // Bytes in a digest.
  function automatic logic [6:0] digest_octets(alg_e alg);
    unique case (alg)
      AlgSha1:   return 7'd20;
      AlgSha224: return 7'd28;
      AlgSha256: return 7'd32;
      AlgSha384: return 7'd48;
      default:   return 7'd64;
    endcase
  endfunction

endpackage

`default_nettype wire
