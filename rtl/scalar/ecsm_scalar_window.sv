// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of a fixed-window kP: recodes k into L signed odd digits and returns them,
// one for each next_i, from the highest to the lowest. With Upward it returns them from the lowest
// to the highest, and then digits with the indices 2^(Window-1) - 1 .. 0, none negative.
//
//   k1 = k mod n
//   k' = the odd one of k1 and n - k1, 1 <= k' <= n, L = ceil(W / Window), if n[Window] = 0
//   k' = the odd one of n + k1 and 2n - k1, n <= k' < 2n, L = ceil((W + 1) / Window), if it is 1
//   k' = sum of d_i 2^(Window i), i = 0 .. L-1, d_i odd, |d_i| < 2^Window
//   kP = k'P, negated if negate_o, for P of order n
//
//   scalar_i --> [bits_q: k, then k'] -- low chunk --> [+] -- Combine --> high chunk of bits_q
//                   |                n, 2n, 3n, 0 ------^ +- carry of Compare: above_q, negate_q
//                   +-- top window (Upward: lowest) --> index_o, negative_o
//
// Digit i < L-1 comes from bits Window*i + Window .. Window*i of k', without carries between
// digits. Take all these bits but the highest, with the lowest one set. If the highest is set, that
// is the digit; else 2^Window is subtracted. So |d_i| = 2 index + 1, where index is the bits
// between, complemented if the digit is negative. The top digit is the top window with its lowest
// bit set, and is always positive. k' = n needs W bits and k' = 2n - 1 needs W + 1, so fewer digits
// are not enough.
//
// Why two ranges: with them no addition is exceptional, for 3n > 2^(Window + 2). Let V be the sum
// of the digits so far and d the last of them. An addition is exceptional where V (opposite points)
// or V - 2d (equal points) is a multiple of n. V is k' shifted right, with the lowest bit set. V
// and V - 2d are odd, above 0, and below n before the last digit. At the last digit V = k' = n is
// infinity, as it must be. V - 2d = n needs d = d0 = 2^Window - (n mod 2^(Window + 1)) and k' = n +
// 2 d0. That is below n if n[Window] = 1, and above n if it is 0: out of range. The rest of the
// proof, and check_window, which refuses an n that is too small, are in ecsm/curves/recode.py.
//
// Preparation works on Chunk bits a cycle, in one register that rotates twice. Compare finds
// whether k >= n (k < 2n) and leaves k as it is. Combine replaces k by k', which is k or -k plus a
// multiple of n.
//
// Latency 2 ceil(W / Chunk) + 1 for every k: with load_i in cycle t, all outputs are valid from
// cycle t + 2 ceil(W / Chunk) + 1, and have no meaning before. next_i takes effect at the end of
// its cycle, so a digit may be used every cycle. It is ignored during the preparation. After the
// lowest digit the digit outputs have no meaning; zero_o and negate_o stay. load_i in any cycle
// starts again; next_i in the same cycle is ignored. clear_i sets every register to zero, and all
// outputs with them, and wins over everything. There is no reset: the engine clears after its own
// reset.
//
// scalar_i: k, any value of W bits, read only in the cycle of load_i. N: n, an odd prime, 2^(W-1) <
// n < 2^W. W, Window: 2 and more; Chunk: 1 and more; Upward requires L of 2 and more. index_o,
// negative_o: the digit, as above. zero_o: k = 0 mod n; kP is then infinity, whatever is computed.
// Everything but the timing is secret.
//
// Source: Joye, Tunstall, "Exponent recoding and regular exponentiation algorithms", AFRICACRYPT
// 2009 (signed odd digits; also Okeya, Takagi, CT-RSA 2003), with their carries computed
// beforehand.

`default_nettype none

module ecsm_scalar_window #(
  parameter int unsigned W = 8,
  parameter int unsigned Window = 4,
  parameter bit [W-1:0] N = '1,
  parameter int unsigned Chunk = 16,
  parameter bit Upward = 1'b0
) (
  input  logic              clk_i,
  input  logic              clear_i,
  input  logic              load_i,
  input  logic              next_i,
  input  logic [     W-1:0] scalar_i,
  output logic [Window-2:0] index_o,
  output logic              negative_o,
  output logic              zero_o,
  output logic              negate_o
);

  localparam int unsigned NumChunk = (W + Chunk - 1) / Chunk;
  localparam bit High = 1'(N >> Window);  // k' >= n
  localparam int unsigned NumDigit = (W + 32'(High) + Window - 1) / Window;
  // Two movements use the low bits of the register. It rotates right by Chunk. It shifts by Window:
  // left, with the digit at the top, or right (Upward), with the digit at the bottom.
  localparam int unsigned TurnW = NumChunk * Chunk;
  localparam int unsigned DigitsW = NumDigit * Window;
  localparam int unsigned BitsW = (TurnW > DigitsW) ? TurnW : DigitsW;
  // The current chunk: 0 .. NumChunk - 1.
  localparam int unsigned CountW = (NumChunk > 1) ? $clog2(NumChunk) : 1;

  // n, 2n and 3n in chunks. Bits that are lost at the top do not matter, except bit TurnW of 3n.
  localparam bit [W+1:0] Triple = (W + 2)'(N) + (W + 2)'({N, 1'b0});
  localparam bit [NumChunk-1:0][Chunk-1:0] Order = TurnW'(N);
  localparam bit [NumChunk-1:0][Chunk-1:0] Twice = TurnW'({N, 1'b0});
  localparam bit [NumChunk-1:0][Chunk-1:0] Thrice = TurnW'(Triple);

  typedef enum logic [1:0] {
    StIdle    = 2'd0,
    StCompare = 2'd1,
    StCombine = 2'd2
  } state_e;

  state_e state_d, state_q;
  logic [BitsW-1:0] bits_d, bits_q;
  logic [CountW-1:0] count_d, count_q;
  logic odd_d, odd_q;  // k is odd
  logic above_d, above_q;  // k >= n
  logic negate_d, negate_q;  // k' = -k mod n
  logic carry_d, carry_q;
  logic zero_d, zero_q;
  logic negative_d, negative_q;
  logic [Window-2:0] behind_d, behind_q;  // Upward: the index that comes in at the top

  logic [Chunk-1:0] operand, addend, result;
  logic carry, last, same, top;

  // One adder for all sums. Compare computes k - n: it adds the complement of n and a carry into
  // the lowest chunk. Combine adds complements without that carry. The exact result would be odd,
  // so only its lowest bit differs, and no digit uses that bit.
  always_comb begin
    operand = bits_q[Chunk-1:0];
    if (!High) begin
      if (!above_q) addend = negate_q ? Order[count_q] : '0;
      else addend = negate_q ? Twice[count_q] : ~Order[count_q];
    end else if (state_q == StCompare) addend = ~Order[count_q];
    else if (!above_q) addend = negate_q ? Twice[count_q] : Order[count_q];
    else addend = negate_q ? Thrice[count_q] : '0;
    {carry, result} = {1'b0, operand ^ {Chunk{negate_q}}} + {1'b0, addend} + (Chunk + 1)'(carry_q);
    last = count_q == CountW'(NumChunk - 1);
    same = operand == (above_q ? Order[count_q] : '0);
    // Bit TurnW of the sum if High, where k' may have one bit more than k. It can be 1 only if
    // TurnW = W.
    top = (TurnW == W) && High && (carry || (above_q && negate_q && Triple[W+1]));
  end

  always_comb begin
    state_d = state_q;
    bits_d = bits_q;
    count_d = count_q;
    odd_d = odd_q;
    above_d = above_q;
    negate_d = negate_q;
    carry_d = carry_q;
    zero_d = zero_q;
    negative_d = negative_q;
    behind_d = behind_q;

    unique case (state_q)
      StCompare: begin
        bits_d = BitsW'(TurnW'({operand, bits_q[TurnW-1:0]} >> Chunk));
        count_d = last ? '0 : count_q + CountW'(1);
        carry_d = carry;
        if (last) begin
          state_d = StCombine;
          above_d = carry;
          negate_d = odd_q ^ carry ^ !High;
          carry_d = 1'b0;
        end
      end
      StCombine: begin
        bits_d = BitsW'({top & last, TurnW'({result, bits_q[TurnW-1:0]} >> Chunk)});
        count_d = last ? '0 : count_q + CountW'(1);
        carry_d = carry;
        zero_d = zero_q & same;
        if (last) begin
          state_d = StIdle;
          negative_d = Upward & ~1'(bits_d >> Window);
        end
      end
      default: begin
        if (next_i && Upward) begin  // the sign of a digit is the lowest bit of the next one
          bits_d = BitsW'({behind_q, 1'b1, bits_q[DigitsW-1:0]} >> Window);
          negative_d = ~1'(bits_d >> Window);
          behind_d = behind_q - (Window - 1)'(1);
        end else if (next_i) begin
          bits_d = BitsW'(DigitsW'({bits_q[DigitsW-1:0], {Window{1'b0}}}));
          negative_d = ~bits_q[DigitsW-Window];
        end
      end
    endcase

    if (load_i) begin
      state_d = StCompare;
      bits_d = BitsW'(scalar_i);
      count_d = '0;
      odd_d = scalar_i[0];
      above_d = 1'b1;
      negate_d = 1'b0;
      carry_d = 1'b1;
      zero_d = 1'b1;
      negative_d = 1'b0;
      behind_d = '1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      state_q <= StIdle;
      bits_q <= '0;
      count_q <= '0;
      odd_q <= 1'b0;
      above_q <= 1'b0;
      negate_q <= 1'b0;
      carry_q <= 1'b0;
      zero_q <= 1'b0;
      negative_q <= 1'b0;
      behind_q <= '0;
    end else begin
      state_q <= state_d;
      bits_q <= bits_d;
      count_q <= count_d;
      odd_q <= odd_d;
      above_q <= above_d;
      negate_q <= negate_d;
      carry_q <= carry_d;
      zero_q <= zero_d;
      negative_q <= negative_d;
      behind_q <= behind_d;
    end
  end

  // The bits of a digit but the lowest.
  localparam int unsigned Top = Upward ? Window - 1 : DigitsW - 1;
  assign index_o = bits_q[Top-:Window-1] ^ {(Window - 1) {negative_q}};
  assign negative_o = negative_q;
  assign zero_o = zero_q;
  assign negate_o = negate_q;

  if (W < 2 || Window < 2 || Chunk < 1 || !N[W-1] || !N[0]) begin : gen_bad
    $error("ecsm_scalar_window: W and Window must be at least 2, Chunk 1, and N odd with W bits");
  end
  if (Upward && NumDigit < 2) begin : gen_short
    $error("ecsm_scalar_window: Upward takes two digits or more");
  end

endmodule

`default_nettype wire
