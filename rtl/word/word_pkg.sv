// SPDX-License-Identifier: Apache-2.0
//
// Formats of the word engine: slots of walks, words of programs. Python writes both
// (ecsm/schedule/sequential); a test compares the fields.

`default_nettype none

package word_pkg;

  // An engine alone takes no tables, and a unit alone reads few of these.
  // verilator lint_off UNUSEDPARAM

  localparam int unsigned OffsetW = 5;  // a word of a number
  localparam int unsigned ConstantW = 7;  // .. or one of the constants
  localparam int unsigned NumberW = 7;  // a number
  localparam int unsigned KeySlotW = 2;
  localparam int unsigned WalkW = 5;  // a walk, in the directory
  localparam int unsigned SlotAddressW = 11;  // a slot, in the table of walks
  localparam int unsigned PcW = 11;  // a word of the program
  localparam int unsigned FlowW = 20;  // more words than 2^FlowW are executed after a fault alone
  localparam int unsigned DigitW = 4;  // b stands for 2 b - 15: an index from 0 to 7, and a sign
  localparam int unsigned IndexW = 4;  // five bits b stand for 2 b - 31: an index, and a sign

  // A cycle of the datapath: acc = base + (product or sum of two words); a word is written.
  typedef struct packed {
    logic first;       // base is 0
    logic last;        // the number's last word: flag or digit are captured
    logic write;       // the low word of acc is written
    logic to_scratch;  // .. to the scratch number, not to d
    logic shift;       // base of the next slot is acc without its low word
    logic sum;         // sum or difference, not product
    logic doubled;     // twice the product
    logic signed_a;    // the left word is signed
    logic signed_b;
    logic carryless;   // words are polynomials over GF(2): products and sums without carries
  } mac_t;

  // .. and where its words are.
  typedef struct packed {
    logic                 turn;       // two slots more, then the next walk
    logic [OffsetW-1:0]   to;         // the word of the result
    logic                 scratch_a;  // the left word is from the scratch number, not from a
    logic [OffsetW-1:0]   offset_a;
    logic                 const_b;    // the right word is from the constants, not from b
    logic [ConstantW-1:0] offset_b;
    logic                 subtract;   // of a sum
    mac_t                 mac;
  } slot_t;
  localparam int unsigned SlotW = $bits(slot_t);

  // What a sum does with its operands.
  typedef enum logic [1:0] {
    MaskNone = 2'd0,
    MaskPick = 2'd1,  // a and the entry of the digit's index, of a table from b on; see walk_t
    MaskChoose = 2'd2,  // b where the flag is set, else a
    MaskSign = 2'd3  // a and of two numbers from b on the second, if the digit is negative; walk_t
  } mask_e;

  typedef enum logic [1:0] {
    CaptureNone  = 2'd0,
    CaptureSign  = 2'd1,  // flag: the number is negative
    CaptureZero  = 2'd2,  // flag: the number is 0
    CaptureDigit = 2'd3   // digit: bits that leave its last word; one of each doubled one
  } capture_e;

  // A walk with its operands.
  //
  // MaskPick reads a table of 8 numbers from b on, a multiple of 8, or one of 16 constants that
  // are apart from the numbers: the immediate is 7 or 15. The walk is repeated for each entry. What
  // it makes of the digit's goes to d, of all others to the scratch number; or, with 64 more in b,
  // of entry i of the order to decoy i, 16 numbers. With 0 or 8 that entry alone is read, of the
  // same tables: only for what is public.
  //
  // MaskSign is a table of two, of the numbers b, which is even, and b + 1; the immediate is 1.
  typedef struct packed {
    logic               drained;    // begins when nothing else is under way
    mask_e              mask;
    capture_e           capture;
    logic [WalkW-1:0]   walk;
    logic [NumberW-1:0] d;
    logic [NumberW-1:0] a;
    logic [NumberW-1:0] b;
    logic [DigitW-1:0]  immediate;  // of MaskPick; without a mask: it is repeated so often
  } walk_t;

  typedef enum logic [3:0] {
    OpSet     = 4'd0,  // counter = argument
    OpLoop    = 4'd1,  // counter 0: go on; else count down and jump
    OpJump    = 4'd2,
    OpCall    = 4'd3,
    OpReturn  = 4'd4,
    OpBranch  = 4'd5,  // jump if a condition holds (counter: does not); only for what is public
    OpIn      = 4'd6,  // argument octets from a port to the number, the highest first
    OpOut     = 4'd7,  // argument octets of the number to a port, the highest first
    OpDone    = 4'd8,  // answer with the status in the argument
    OpCommand = 4'd9   // to a unit outside: which one, and what, in number and argument
  } op_e;

  // What OpBranch asks for, in number. All but the flag and the steps are told by word_scheme.
  // Those from 9 on are of an engine with all schemes.
  localparam int unsigned ConditionW = 4;
  typedef enum logic [ConditionW-1:0] {
    IfFlag      = 4'd0,
    IfMalformed = 4'd1,   // a string of the host had a wrong length
    IfEmpty     = 4'd2,   // the key slot is
    IfOptions   = 4'd3,   // flags of the request under the argument are not 0
    IfNoEntropy = 4'd4,
    IfSeeded    = 4'd5,
    IfEnded     = 4'd6,   // the message has
    IfSecrets   = 4'd7,   // a key has been loaded since reset
    IfSteps     = 4'd8,   // words executed since the last one of these: argument, modulo 2^PcW
    IfTest      = 4'd9,   // the random generator is in test mode
    IfOver      = 4'd10,  // the host's string has ended
    IfDone      = 4'd11,  // the window of word_window is closed
    IfPadding   = 4'd12,  // .. what was decrypted is not padded
    IfAligned   = 4'd13   // the hash's block has its 56 octets before a length
  } condition_e;

  // The argument of CommandAes.
  typedef enum logic [2:0] {
    AesLoad    = 3'd0,
    AesEncrypt = 3'd1,
    AesDecrypt = 3'd2,
    AesKey     = 3'd3,
    AesExpand  = 3'd4
  } aes_e;

  // .. of CommandText: what the window is, in kind.
  typedef enum logic [1:0] {
    WindowText  = 2'd0,  // the string's octets
    WindowTail  = 2'd1,  // as many as count, behind them
    WindowPad   = 2'd2,  // the string's, and its padding up to a block of AES
    WindowUnpad = 2'd3   // the string's, less the padding of what AES has decrypted
  } window_e;
  typedef struct packed {
    logic [5:0] count;
    window_e    kind;
    logic       open;    // else all octets pass
    logic       begins;  // a string of the host begins, whose length is counted; nothing else
    logic       second;  // of two lengths
  } text_t;

  // OpCommand: which one, in number.
  localparam int unsigned CommandW = 3;
  typedef enum logic [CommandW-1:0] {
    CommandKey  = 3'd0,  // the slot is full, or empty
    CommandSeed = 3'd1,  // the random generator has a seed, or none
    CommandTest = 3'd2,  // samples are those of a test, or of the noise source
    CommandHash = 3'd3,  // a digest begins
    // Of an engine with all schemes.
    CommandPair = 3'd4,  // the job's key slot is the one beside it: its number XOR 1
    CommandAes  = 3'd5,  // see word_aes
    CommandText = 3'd6   // see word_window
  } command_e;

  // Where octets of OpIn come from, and those of OpOut go to, in target; above it, which word of
  // the number has the string's last octets.
  localparam int unsigned PortW = 3;
  typedef enum logic [PortW-1:0] {
    PortHost    = 3'd0,
    PortMessage = 3'd1,  // in: the host's string, whatever its length; its end, then zeros.
                         // out: to AES, XOR the octets that are there
    PortLength  = 3'd2,  // in: how many of the last 64 octets were the message's. out: AES's key
    PortHash    = 3'd3,
    PortNoise   = 3'd4,  // in: samples
    PortInner   = 3'd5,  // out: to the hash, each octet XOR 36 (hexadecimal). in: of AES
    PortOuter   = 3'd6,  // out: .. XOR 5c. in: how many bits the hash has got
    PortMask    = 3'd7   // in: samples of the noise source, also in a test; out: the state of masks
  } port_e;

  // What is not a walk, in the same bits.
  typedef struct packed {
    op_e                op;
    logic               counter;
    logic [NumberW-1:0] number;
    logic [PcW-1:0]     target;
    logic [PcW-1:0]     argument;
    logic               beyond;    // of a jump: 2048 words more
  } order_t;

  // Of a string, in target above the port. The last two are of an engine with all schemes.
  localparam int unsigned PlaceBits = 6;  // which word of the number has its last octets
  // Both of these: a window is looked at (word_window).
  localparam int unsigned PartBit = PortW + PlaceBits;  // it goes on with the next order
  localparam int unsigned IndexBit = PartBit + 1;  // the index is added to its address

  // A word of the program.
  typedef struct packed {
    logic  is_walk;
    walk_t walk;
  } word_t;
  localparam int unsigned WordW = $bits(word_t);

  localparam logic [5:0] SelfTestOperation = 6'd30;
  localparam logic [5:0] LoadOperation = 6'd63;

  // Tables that come from the host: what a word of them is for.
  localparam int unsigned LoadAddressW = 12;
  localparam int unsigned LoadW = 36;
  typedef enum logic [3:0] {
    LoadNone    = 4'd0,
    LoadProgram = 4'd1,  // a word of the program
    LoadSlot    = 4'd2,  // a slot of the walks
    LoadStart   = 4'd3,  // where a walk begins
    LoadMemory  = 4'd4,  // a constant
    LoadEnd     = 4'd5,
    LoadTable   = 4'd6   // a word of the table of constants
  } load_e;

  // Where a number begins: k Stride, as a sum of shifts and not in a multiplier.
  function automatic logic [15:0] first_word(logic [NumberW-1:0] number, logic [7:0] stride);
    logic [15:0] sum;
    sum = '0;
    for (int unsigned i = 0; i < 8; i++) begin
      if (stride[i]) sum = sum + (16'(number) << i);
    end
    return sum;
  endfunction

  // verilator lint_on UNUSEDPARAM

endpackage

`default_nettype wire
