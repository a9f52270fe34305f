// SPDX-License-Identifier: Apache-2.0
//
// Operations and statuses of the core port, shared by all cores. Python has the same numbers
// (ecsm.status); a test compares them.

`default_nettype none

package ecsm_pkg;

  typedef enum logic [3:0] {OpKp = 4'd0} op_e;

  typedef enum logic [3:0] {
    StatusOk                   = 4'd0,
    StatusCoordinateOutOfRange = 4'd1,
    StatusPointNotOnCurve      = 4'd2,
    StatusScalarOutOfRange     = 4'd3,
    StatusLowOrderPoint        = 4'd4,
    StatusSignatureInvalid     = 4'd5,
    StatusAuthenticationFailed = 4'd6,
    StatusFaultDetected        = 4'd7,
    StatusBusy                 = 4'd8,
    StatusUnsupported          = 4'd9,
    StatusNoEntropy            = 4'd10,
    StatusNoKey                = 4'd11
  } status_e;

endpackage

`default_nettype wire
