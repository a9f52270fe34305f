// SPDX-License-Identifier: Apache-2.0
//
// Format of the words in the scheme machine's programs. ecsm/schemes/words.py has the same format;
// a test compares both.
//
// A word moves a string, starts an operation of a unit, or decides which word comes next.
// scheme_channel describes the fields of moves, scheme_control those of the other words.

`default_nettype none

package scheme_pkg;

  localparam int unsigned W = 64;  // bits in a word of every string
  localparam int unsigned BytesW = 4;
  localparam int unsigned AddressW = 10;  // addresses of memory and constants
  localparam int unsigned OctetsW = 12;
  localparam int unsigned ProgramW = 11;  // index of a program's word
  localparam int unsigned FlagsW = 8;  // flags of a request
  localparam int unsigned NumFrom = 11;  // members of from_e
  localparam int unsigned NumTo = 16;  // members of to_e
  localparam int unsigned NumUnit = 16;  // members of unit_e, and some spare
  localparam int unsigned NumIf = 16;  // members of if_e, and some spare

  typedef enum logic [3:0] {
    KindMove,
    KindCommand,
    KindAbort,  // end with a status, if a condition holds
    KindJump,  // go on elsewhere, if a condition holds
    KindEnd
  } kind_e;

  // Sources of strings.
  typedef enum logic [3:0] {
    FromMemory,  // also the constants
    FromHost,
    FromHash,    // digest
    FromHmac,    // tag
    FromKdf,     // key
    FromNonce,   // candidates of RFC 6979
    FromRandom,
    FromAes,
    FromOrder,   // a register of the order unit
    FromX,       // of the oldest kP's result
    FromY
  } from_e;

  // Sinks of strings.
  typedef enum logic [3:0] {
    ToMemory,
    ToHost,
    ToHash,     // message
    ToHmacKey,
    ToHmac,     // message
    ToKdf,      // Z
    ToKdfInfo,
    ToNonce,    // seed
    ToAesKey,
    ToAesIv,
    ToAes,      // data
    ToOrder,    // a register, or a string to be reduced
    ToScalar,
    ToX,
    ToY,
    ToNothing
  } to_e;

  typedef enum logic [1:0] {
    ModeCopy,
    ModeXor,     // with a string in memory
    ModeCompare  // with a string in memory; the words also go to the sink
  } mode_e;

  typedef enum logic [3:0] {
    UnitKp,      // start a kP
    UnitKpNext,  // drop the oldest result
    UnitHash,
    UnitHmac,
    UnitKdf,
    UnitNonce,
    UnitRandom,
    UnitAes,
    UnitOrder,
    UnitKey,     // argument 1: the request's slot has a key now; 0: it has none
    UnitForget   // clear the result of comparisons
  } unit_e;

  typedef enum logic [3:0] {
    IfAlways,
    IfPointBad,  // the status of the oldest kP is not ok
    IfInfinity,  // the result of the oldest kP is infinity
    IfZero,      // the order unit's last result is zero
    IfRange,     // the order unit's last value is in 1 .. m - 1
    IfDiffers,   // a comparison has found a difference
    IfNonce,     // the status of the nonce or random generator is not ok
    IfAes,
    IfFlags,     // the request's flags under mask are equal to flags
    IfKey,       // the key slot is empty
    IfTest,      // the random generator is in test mode
    IfPair       // the other slot of the pair (last bit inverted) is empty
  } if_e;

  typedef struct packed {
    from_e from;
    to_e to;
    mode_e mode;
    logic key;  // address is within the request's key slot; if it is unused, target is
    logic [AddressW-1:0] address;  // address in memory of what is read
    logic [AddressW-1:0] target;  // address in memory, or a register of the order unit
    logic [OctetsW-1:0] octets;  // bytes to send
    logic whole;  // up to the end of the string, unchanged
    logic behind;  // the source begins behind the last whole string
    logic [5:0] right;  // bits by which the string is shifted
    logic skip;  // do not send the first word
    logic flush;  // send the rest of the last word
    logic last;  // the string ends here
  } move_t;

  typedef struct packed {
    unit_e       unit;
    logic [23:0] argument;
  } command_t;

  typedef struct packed {
    if_e                 condition;
    logic                negate;
    logic [FlagsW-1:0]   mask;       // of IfFlags, as flags
    logic [FlagsW-1:0]   flags;
    logic [3:0]          status;     // of an abort; 0: that of IfPointBad, IfNonce or IfAes
    logic [ProgramW-1:0] next;       // of a jump
  } decide_t;

  localparam int unsigned BodyW = $bits(move_t);
  localparam int unsigned WordW = $bits(kind_e) + BodyW;

endpackage

`default_nettype wire
