// SPDX-License-Identifier: Apache-2.0
//
// The canonical residue of a redundant one: value = V mod p, and whether it is zero.
//
//   V = sum of v_i[i] 2^(LimbW i), i = 0 .. NumLimb-1, V < 2^(MaxShift + 1) p
//
//   v_i --> [limb_q, NumLimb limbs, rotates] -- limb 0 --> [+, carry_q] --> top limb of limb_q
//                        |                                    ^
//                        +--> value_o              Multiple[pass][limb], or its complement
//
// The unit processes one limb a cycle. The register of NumLimb limbs makes one full rotation a
// pass:
//   pass 0                    the carries above LimbW bits go to the next limb
//   passes 1 .. MaxShift + 1  for j = MaxShift .. 0: x <- x - 2^j p if x >= 0, else x + 2^j p;
//                             then -2^j p <= x < 2^j p
//   pass MaxShift + 2         x <- x + p if x < 0
//
// Latency (MaxShift + 3) NumLimb + 1 for every V: start_i in cycle t, valid_o, value_o and zero_o
// from cycle t + (MaxShift + 3) NumLimb + 1 until the next start_i or clear_i. Before valid_o,
// value_o is an intermediate result and zero_o is low. start_i may come in any cycle and abandons
// the current run. clear_i sets every register to zero and wins over start_i. There is no reset:
// the engine clears after its own reset.
//
// v_i: NumLimb limbs of InW bits, LimbW <= InW, read only in the cycle of start_i. value_o: PW
// bits, below p. P: odd, above 1, of exactly PW bits. The top limb has all remaining bits of
// 2^(MaxShift + 1) p and may be the widest. No carry chain is longer than the larger of its width
// and InW, which is LimbW + 4 at most.
//
// Source: non-restoring division, Hennessy, Patterson, Computer Architecture, appendix J.2, limb by
// limb and without the quotient.

`default_nettype none

module gfp_canon #(
  parameter int unsigned NumLimb = 4,
  parameter int unsigned LimbW = 64,
  parameter int unsigned InW = 66,
  parameter int unsigned PW = 255,
  parameter bit [PW-1:0] P = {{(PW - 5) {1'b1}}, 5'd13},
  parameter int unsigned MaxShift = 3
) (
  input  logic           clk_i,
  input  logic           clear_i,
  input  logic           start_i,
  input  logic [InW-1:0] v_i    [NumLimb],
  output logic [ PW-1:0] value_o,
  output logic           zero_o,
  output logic           valid_o
);

  // Bits of 2^(MaxShift + 1) p; bits below the top limb; bits of a limb in the register.
  localparam int unsigned BoundW = PW + MaxShift + 1;
  localparam int unsigned LowW = (NumLimb - 1) * LimbW;
  localparam int unsigned StoreW = (BoundW > LowW + InW) ? BoundW - LowW : InW;
  // Bits of a carry: in pass 0 it is at most 2^(InW - LimbW), which has that many bits.
  localparam int unsigned CarryW = StoreW - LimbW + 1;
  localparam int unsigned NumPass = MaxShift + 3;
  localparam int unsigned PassW = $clog2(NumPass);
  localparam int unsigned CountW = (NumLimb > 1) ? $clog2(NumLimb) : 1;

  localparam bit [StoreW-1:0] LowMask = StoreW'({LimbW{1'b1}});

  typedef bit [NumPass-1:0][NumLimb-1:0][StoreW-1:0] rom_t;

  // The multiple that each pass adds or subtracts, in limbs. The top limb has all remaining bits.
  function automatic rom_t multiples();
    bit [LowW+StoreW-1:0] rest;
    multiples = '0;
    for (int unsigned pass = 1; pass < NumPass; pass++) begin
      rest = (LowW + StoreW)'(P);
      if (pass < NumPass - 1) rest = rest << (NumPass - 2 - pass);
      for (int unsigned i = 0; i < NumLimb; i++) begin
        multiples[pass][i] = rest[StoreW-1:0];
        if (i != NumLimb - 1) multiples[pass][i] &= LowMask;
        rest = rest >> LimbW;
      end
    end
  endfunction

  localparam rom_t Multiple = multiples();

  // Limb 0 is the one that is processed. If x < 0 the limbs are its two's complement, with
  // negative_q above the top limb.
  logic [StoreW-1:0] limb_d [NumLimb];
  logic [StoreW-1:0] limb_q [NumLimb];
  logic run_d, run_q;
  logic [PassW-1:0] pass_d, pass_q;
  logic [CountW-1:0] count_d, count_q;
  logic [CarryW-1:0] carry_d, carry_q;
  logic negative_d, negative_q;
  logic zero_d, zero_q;
  logic valid_d, valid_q;

  logic [StoreW-1:0] multiple_q;  // Multiple[pass_q][count_q]
  // Limb 0 is the lowest limb (begin), the top limb (last); the pass is the first, the final one.
  logic begin_q, last_q, first_q, final_q;
  logic [StoreW-1:0] addend, minus_p, result;
  logic [StoreW:0] sum;
  logic carry_in, same, unused_carry;

  always_comb begin
    addend = multiple_q;
    carry_in = carry_q[0];
    if (first_q) begin
      addend = StoreW'(carry_q);
      carry_in = 1'b0;
    end else begin
      if (begin_q) carry_in = !negative_q && !final_q;  // of a subtraction
      if (!negative_q) addend = final_q ? '0 : last_q ? ~multiple_q : ~multiple_q & LowMask;
    end
    {sum, unused_carry} = {1'b0, limb_q[0], 1'b1} + {1'b0, addend, carry_in};
    result = last_q ? sum[StoreW-1:0] : sum[StoreW-1:0] & LowMask;

    // In the last pass x is 0 mod p if it is 0 or -p. As p is odd, -p is the complement of p with
    // the lowest bit set.
    minus_p = (last_q ? ~multiple_q : ~multiple_q & LowMask) | StoreW'(begin_q);
    same = limb_q[0] == (negative_q ? minus_p : '0);
  end

  always_comb begin
    limb_d = limb_q;
    run_d = run_q;
    pass_d = pass_q;
    count_d = count_q;
    carry_d = carry_q;
    negative_d = negative_q;
    zero_d = zero_q;
    valid_d = valid_q;

    if (run_q) begin
      for (int unsigned i = 1; i < NumLimb; i++) limb_d[i-1] = limb_q[i];
      limb_d[NumLimb-1] = result;
      count_d = count_q + CountW'(1);
      carry_d = sum[StoreW:LimbW];
      if (final_q) zero_d = zero_q & same;
      if (last_q) begin
        count_d = '0;
        pass_d = pass_q + PassW'(1);
        // The carry out of the top limb gives the sign.
        negative_d = ~first_q & ~sum[StoreW];
        if (final_q) begin
          run_d = 1'b0;
          pass_d = '0;
          carry_d = '0;
          negative_d = 1'b0;
          valid_d = 1'b1;
        end
      end
    end

    if (start_i) begin
      for (int unsigned i = 0; i < NumLimb; i++) limb_d[i] = StoreW'(v_i[i]);
      run_d = 1'b1;
      pass_d = '0;
      count_d = '0;
      carry_d = '0;
      negative_d = 1'b0;
      zero_d = 1'b1;
      valid_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      limb_q <= '{default: '0};
      run_q <= 1'b0;
      pass_q <= '0;
      count_q <= '0;
      carry_q <= '0;
      negative_q <= 1'b0;
      zero_q <= 1'b0;
      valid_q <= 1'b0;
      multiple_q <= '0;
      begin_q <= 1'b0;
      last_q <= 1'b0;
      first_q <= 1'b0;
      final_q <= 1'b0;
    end else begin
      multiple_q <= Multiple[pass_d][count_d];
      begin_q <= count_d == '0;
      last_q <= count_d == CountW'(NumLimb - 1);
      first_q <= pass_d == '0;
      final_q <= pass_d == PassW'(NumPass - 1);
      limb_q <= limb_d;
      run_q <= run_d;
      pass_q <= pass_d;
      count_q <= count_d;
      carry_q <= carry_d;
      negative_q <= negative_d;
      zero_q <= zero_d;
      valid_q <= valid_d;
    end
  end

  // The limbs in order. All bits above those of p, single bits or whole limbs, are zero and left
  // out.
  for (genvar i = 0; i < PW; i++) begin : gen_value
    localparam int unsigned Limb = (i < LowW) ? i / LimbW : NumLimb - 1;
    assign value_o[i] = limb_q[Limb][i-Limb*LimbW];
  end
  assign zero_o = valid_q & zero_q;
  assign valid_o = valid_q;

  if (NumLimb < 1 || LimbW < 1 || InW < LimbW || StoreW > LimbW + 4 || PW < 2 || !P[PW-1] || !P[0])
  begin : gen_bad
    $error("gfp_canon: P must be odd with PW bits, InW and the top limb LimbW..LimbW+4 bits");
  end

endmodule

`default_nettype wire
