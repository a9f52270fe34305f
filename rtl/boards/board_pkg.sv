// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a board's design have in common.
`default_nettype none

package board_pkg;

  // What a check of a core has shown.
  typedef enum logic [1:0] {
    Running,
    Ok,
    Failed,
    NoEntropy
  } verdict_e;

endpackage

`default_nettype wire
