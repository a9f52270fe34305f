// SPDX-License-Identifier: Apache-2.0
//
// How an engine protects its key and its result. An engine supports the values that its header
// names.

`default_nettype none

package ecsm_protect_pkg;

  typedef enum logic [1:0] {
    ProtectNone  = 2'd0,  // nothing: the least cycles and area
    ProtectCheck = 2'd1,  // a fault that is found ends the job with StatusFaultDetected
    ProtectFull  = 2'd2   // that, and a job starts only with fresh random bits
  } protect_e;

endpackage

`default_nettype wire
