// SPDX-License-Identifier: Apache-2.0
//
// What the symmetric units share: the hash algorithms, the DRBG's operations, and
// two conventions.
//
// Stream of octets: words of W bits, W a multiple of 8, under valid and ready. A word moves in a
// cycle in which both are high; once valid is high, the word stays as it is until it moves. Beside
// the W bits of data a word has bytes, 0 .. W/8, how many of its octets count, the first of them in
// the highest bits, and last, with the last word of a string. The empty string is one word with
// last and bytes 0. From a unit every word but the last is full and what does not count is zero; a
// last word of 0 octets may follow full ones. Where a unit takes words that are not full in the
// middle of a string (it packs them), its header says so.
//
// Units: a request under req_valid and req_ready begins an operation, and req_ready is high again
// when everything of it has left the unit. clear_i, in whichever cycle, abandons the operation and
// leaves every register zero and the unit ready. rst_ni resets the control asynchronously; the other
// registers are zeroed by the first clock edge (sym_zeroize). Data outputs are zero while their valid
// is low. In a cycle with clear_i nothing moves.
// How many cycles an operation takes depends on lengths, algorithm and parameters only.
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

  // Words in a digest: of 32 bits up to SHA-256, of 64 bits above.
  function automatic logic [3:0] digest_words(alg_e alg);
    unique case (alg)
      AlgSha1:   return 4'd5;
      AlgSha224: return 4'd7;
      AlgSha384: return 4'd6;
      default:   return 4'd8;
    endcase
  endfunction

  // Octets in a digest.
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
