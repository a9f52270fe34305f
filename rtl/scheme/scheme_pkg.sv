// SPDX-License-Identifier: Apache-2.0
//
// Words of the scheme machine's programs. ecsm/schemes/words.py has the same; a test holds them
// equal.
//
// A word moves a string, begins an operation of a unit, or decides what comes next. What its fields
// mean is said in scheme_channel (moves), scheme_control (the others).

`default_nettype none

package scheme_pkg;

  localparam int unsigned W = 64;  // bits of a word of every string
  localparam int unsigned BytesW = 4;
  localparam int unsigned AddressW = 10;  // of memory and constants
  localparam int unsigned OctetsW = 12;
  localparam int unsigned ProgramW = 11;  // bits of a word's number
  localparam int unsigned FlagsW = 8;  // of a request
  localparam int unsigned NumFrom = 11;  // of from_e
  localparam int unsigned NumTo = 16;  // of to_e
  localparam int unsigned NumUnit = 16;  // of unit_e, and some to spare
  localparam int unsigned NumIf = 16;  // of if_e, likewise

  typedef enum logic [3:0] {
    KindMove,
    KindCommand,
    KindAbort,  // with a status, if a condition holds
    KindJump,  // if a condition holds
    KindEnd
  } kind_e;

  // Where the words of a string come from.
  typedef enum logic [3:0] {
    FromMemory,  // the constants included
    FromHost,
    FromHash,    // digest
    FromHmac,    // tag
    FromKdf,     // key
    FromNonce,   // RFC 6979's candidates
    FromRandom,
    FromAes,
    FromOrder,   // a register of the order unit
    FromX,       // of the oldest kP's answer
    FromY
  } from_e;

  // Where they go.
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
    ModeCompare  // with a string in memory; the words also go where they go
  } mode_e;

  typedef enum logic [3:0] {
    UnitKp,      // begin a kP
    UnitKpNext,  // done with the oldest answer
    UnitHash,
    UnitHmac,
    UnitKdf,
    UnitNonce,
    UnitRandom,
    UnitAes,
    UnitOrder,
    UnitKey,     // argument 1: the request's slot has a key now; 0: no longer
    UnitForget   // differences
  } unit_e;

  typedef enum logic [3:0] {
    IfAlways,
    IfPointBad,  // the oldest kP's status is not ok
    IfInfinity,  // its answer is
    IfZero,      // the order unit's last result
    IfRange,     // its last check
    IfDiffers,   // a comparison
    IfNonce,     // the nonce generator's or the random generator's status is not ok
    IfAes,
    IfFlags,     // the request's flags that mask has are those that flags has
    IfKey,       // the key slot is empty
    IfTest,      // the random generator is in test mode
    IfPair       // the slot beside it, with the last bit inverted, is empty
  } if_e;

  typedef struct packed {
    from_e from;
    to_e to;
    mode_e mode;
    logic key;  // address is within the request's key slot; if it is none, target
    logic [AddressW-1:0] address;  // in memory, of what is read
    logic [AddressW-1:0] target;  // in memory; or the order unit's register
    logic [OctetsW-1:0] octets;  // that go out
    logic whole;  // to the end of the string instead, as it comes
    logic behind;  // what is read begins behind the last whole string
    logic [5:0] right;  // bits that the string is shifted
    logic skip;  // its first word does not go out
    logic flush;  // what is left of the last one does
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
    logic [3:0]          status;     // of an abort; of IfPointBad, IfNonce, IfAes the unit's own
    logic [ProgramW-1:0] next;       // of a jump
  } decide_t;

  localparam int unsigned BodyW = $bits(move_t);
  localparam int unsigned WordW = $bits(kind_e) + BodyW;

endpackage

`default_nettype wire
