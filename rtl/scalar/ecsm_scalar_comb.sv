// SPDX-License-Identifier: Apache-2.0
//
// The scalar register of a multiple of a fixed point: recodes k into the digits of Groups combs,
// and returns them from the highest column to the lowest, one column for each next_i.
//
//   k' = the odd one of k and k + n, below 2^L, L = Columns Groups Teeth
//   k' = sum of s_i 2^i, i = 0 .. L-1, s_i = 1 if bit i + 1 of k' is set, else -1; s_(L-1) = 1
//   With Signed: k' = the odd one of k and k - n, above -2^L and below 2^L; s_(L-1) = 1 if k' > 0,
//   else -1.
//   column j, group g: the digit is the sum of s_i 2^i for i = j + Columns (g Teeth + t),
//   t = 0 .. Teeth-1
//   kG = V after V := 2V + the digits' points / 2^j, for j = Columns-1 .. 0, for G of order n
//
//   scalar_i -> [bits_q: k, then k'] - low chunk -> [+- n, if k is even] -> high chunk of bits_q
//                   |      ^                             ^ carry_q
//                   |      +-- shift left: next column
//                   +-- places Columns, 2 Columns, ... --> index_o, negative_o
//
// The highest tooth t = Teeth-1 of each group is the sign of the digit: negative_o. Bit t of
// index_o is 1 if the lower tooth t has the same sign as the highest. So a comb has 2^(Teeth-1)
// points.
//
// Preparation computes k or k +- n, Chunk bits a cycle, in one register that rotates once.
//
// Latency ceil((W + 1) / Chunk) + 1 for every k: with load_i in cycle t, all outputs are valid from
// cycle t + ceil((W + 1) / Chunk) + 1, and have no meaning before. next_i takes effect at the end
// of its cycle, so a column may be used every cycle. It is ignored during the preparation. After
// the lowest column the outputs have no meaning. load_i in any cycle starts again; next_i in the
// same cycle is ignored.
//
// clear_i sets every register to zero, and all outputs with them, and wins over everything. There
// is no reset: the engine clears after its own reset.
//
// scalar_i: k, any value of W bits, read only in the cycle of load_i. N: n, odd, of at most W bits.
// Teeth: 2 and more; Columns Groups Teeth: W + 1 and more, with Signed W and more. Everything but
// the timing is secret.
//
// Source: Lim, Lee, "More flexible exponentiation with precomputation", CRYPTO 1994; signs for all
// teeth: Hedabou, Pinel, Beneteau, IACR ePrint 2004/342. Model: ecsm/curves/comb.py.

`default_nettype none

module ecsm_scalar_comb #(
  parameter int unsigned W = 8,
  parameter bit [W-1:0] N = '1,
  parameter int unsigned Columns = 3,
  parameter int unsigned Groups = 1,
  parameter int unsigned Teeth = 3,  // of a group
  parameter int unsigned Chunk = 16,
  parameter bit Signed = 1'b0  // the highest term has a sign
) (
  input  logic                         clk_i,
  input  logic                         clear_i,
  input  logic                         load_i,
  input  logic                         next_i,
  input  logic [     W-1:0]            scalar_i,
  output logic [Groups-1:0][Teeth-2:0] index_o,
  output logic [Groups-1:0]            negative_o
);

  localparam int unsigned NumChunk = (W + Chunk) / Chunk;  // of W + 1 bits
  localparam int unsigned TurnW = NumChunk * Chunk;
  localparam int unsigned SignW = Columns * Groups * Teeth;
  localparam int unsigned BitsW = (TurnW > SignW) ? TurnW : SignW;
  localparam int unsigned CountW = (NumChunk > 1) ? $clog2(NumChunk) : 1;

  localparam bit [NumChunk-1:0][Chunk-1:0] Order = Signed ? -TurnW'(N) : TurnW'(N);
  localparam bit [BitsW-1:0] Above = ~BitsW'({TurnW{1'b1}});  // places that only a sign fills

  logic run_d, run_q;  // k' is being computed
  logic loaded_d, loaded_q;
  logic [CountW-1:0] count_d, count_q;
  logic even_d, even_q;  // k is even
  logic carry_d, carry_q;
  // k'. If column j is returned, k' is shifted so that its bit j + 1 is in place 0, and the signs
  // of the column are in the places Columns, 2 Columns, ..., SignW. The last one is minus_q,
  // complemented.
  logic [BitsW-1:0] bits_d, bits_q;
  logic minus_d, minus_q;

  logic [Chunk-1:0] result;
  logic carry, last;
  assign {carry, result} = {1'b0, bits_q[Chunk-1:0]}
      + {1'b0, even_q ? Order[count_q] : Chunk'(0)} + (Chunk + 1)'(carry_q);
  assign last = count_q == CountW'(NumChunk - 1);

  always_comb begin
    run_d = run_q;
    loaded_d = loaded_q;
    count_d = count_q;
    even_d = even_q;
    carry_d = carry_q;
    bits_d = bits_q;
    minus_d = minus_q;
    if (run_q) begin
      run_d = ~last;
      count_d = last ? '0 : count_q + CountW'(1);
      carry_d = carry;
      bits_d = BitsW'(TurnW'({result, bits_q[TurnW-1:0]} >> Chunk));
      if (Signed && last && result[Chunk-1]) begin  // k' is negative
        bits_d |= Above;
        minus_d = 1'b1;
      end
    end else if (next_i) begin
      bits_d = bits_q << 1;
      minus_d = ~bits_q[SignW-1];
    end
    if (load_i) begin
      run_d = 1'b1;
      loaded_d = 1'b1;
      count_d = '0;
      even_d = ~scalar_i[0];
      carry_d = 1'b0;
      bits_d = BitsW'(scalar_i);
      minus_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      run_q <= 1'b0;
      loaded_q <= 1'b0;
      count_q <= '0;
      even_q <= 1'b0;
      carry_q <= 1'b0;
      bits_q <= '0;
      minus_q <= 1'b0;
    end else begin
      run_q <= run_d;
      loaded_q <= loaded_d;
      count_q <= count_d;
      even_q <= even_d;
      carry_q <= carry_d;
      bits_q <= bits_d;
      minus_q <= minus_d;
    end
  end

  for (genvar g = 0; g < Groups; g++) begin : gen_group
    logic minus;
    if (g == Groups - 1) begin : gen_highest
      assign minus = minus_q;
    end else begin : gen_lower
      assign minus = loaded_q & ~bits_q[Columns*Teeth*(g+1)];
    end
    for (genvar t = 0; t < Teeth - 1; t++) begin : gen_tooth
      assign index_o[g][t] = bits_q[Columns*(Teeth*g+t+1)] ^ minus;
    end
    assign negative_o[g] = minus;
  end

  if (W < 2 || Columns < 1 || Groups < 1 || Teeth < 2 || Chunk < 1 || !N[0] ||
      SignW + 32'(Signed) < W + 1) begin : gen_bad
    $error("ecsm_scalar_comb: N odd, Teeth at least 2, and the combs W + 1 bits");
  end

endmodule

`default_nettype wire
