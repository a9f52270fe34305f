// SPDX-License-Identifier: Apache-2.0
//
// Types that the AES units share: the key's size and the mode.
`default_nettype none

package sym_aes_pkg;

  typedef enum logic [1:0] {
    AesKey128 = 2'd0,
    AesKey192 = 2'd1,
    AesKey256 = 2'd2
  } aes_key_e;

  typedef enum logic {
    AesCbc = 1'b0,
    AesCtr = 1'b1
  } aes_mode_e;

endpackage

`default_nettype wire
