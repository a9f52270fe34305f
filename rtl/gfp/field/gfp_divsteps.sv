// SPDX-License-Identifier: Apache-2.0
//
// Division steps for the inverse of g modulo the odd number Modulus, in constant time. The unit
// runs f and g and returns the matrix of every batch of steps. The user computes (d, e) and the
// inverse from the matrices.
//
//   (delta, f, g) <- (1 - delta, g, (g - f) / 2)                if delta > 0 and g is odd,
//                    (1 + delta, f, (g + (g mod 2) f) / 2)      else
//
// from (1/2, Modulus, g_i), Batch * NumBatch times. The matrix of a batch is
//
//   2^Batch (f', g')^T = [u, v; q, r] (f, g)^T.
//
//   g_i, Modulus --> [f_q, g_q] --+--> [carries, one cycle a batch] ---+--> f_q, g_q
//                                 +--> [gfp_divsteps_step] x PerCycle -+
//   [work_q: matrix] -------------------^  ^     +--> work_q; batch end: [matrix_q] --> u_o ..
//   low bits of f, g; zeta --> [odd_q, swap_q]
//
// ecsm/curves/gfp/divsteps.py has the mathematics, the required number of steps, and the timing.
//
// Timing: let Period = Batch / PerCycle + 1 + Rest, and start_i in cycle t. The matrix of batch b
// (0 .. NumBatch - 1) is on u_o, v_o, q_o, r_o from cycle t + 2 + (b + 1) Period, for Period
// cycles; the last one stays until the first one of the next run. busy_o is high from cycle t + 1
// and low again when the last matrix appears. negative_o is new in that cycle and stays until the
// next run has ended. The times do not depend on g_i. A start during a run abandons it, but a
// matrix that is due in the next cycle still appears. clear_i zeroes every register in any cycle
// and wins. At the end of a run all but the outputs is zeroed. rst_ni resets the control only:
// clear after it.
//
// g_i: g = sum g_i[i] 2^(LimbW i), every limb below 2^InW. Any value of the limbs is allowed, if
// the number of steps is enough for it. u_o, v_o, q_o, r_o: |u| + |v| and |q| + |r| are at most
// 2^Batch. negative_o: f = 3 mod 4 after the last step. If g is coprime to Modulus, f is then 1 or
// -1, and this is its sign. If not, f = +-Modulus, and the sign has no meaning.
//
// Structure: f and g are NumLimb signed limbs of Width bits each, with weight 2^LimbW. A step is a
// sum in each limb, which needs only one bit of the limb above (gfp_divsteps_step.sv). One cycle
// before each batch passes carries: limb i keeps LimbW bits and the bits above them are added to
// limb i + 1; the top limb keeps all its bits. The steps of a cycle are decided in the cycle
// before, from the lowest bits of f and g, which are always exact in limb 0, and from zeta =
// -(delta + 1/2).
//
// Bounds, in units of 2^LimbW: after the carries a limb is in [0, 1) plus a carry of at most
// 2^SlackW / 2^LimbW <= 1 either way, so |limb| < 2. After n steps |f limb| < 2 + n/3 and |g limb|
// < 2 + (n + 1)/3: a step makes |g'| <= (|f| + |g| + 1) / 2 <= 2 + (n + 2)/3, where 1 is for the
// bit from above, and f' is f or g. So with 2^SlackW >= 2 + (Batch + 1)/3, LimbW + SlackW + 1 bits
// hold every limb. The top limb gets no bit from above, and between carries it only shrinks. But it
// has the size of the whole value: |f|, |g| <= max(Modulus, g_i) never grow, are below (2^InW +
// 2^(InW - LimbW + 1)) 2^(LimbW (NumLimb - 1)), and the lower limbs add or subtract at most 3 of
// its unit. InW + 2 bits hold that.
//
// NumLimb, LimbW: of f and g; LimbW at least 4. InW: LimbW .. 2 LimbW. PerCycle: 1 or 2. Batch: a
// multiple of PerCycle, with SlackW <= LimbW.
// Source: Bernstein, Yang, Fast constant-time gcd computation and modular inversion (TCHES 2019),
// with the start at 1/2 of Pieter Wuille (libsecp256k1, doc/safegcd_implementation.md).
`default_nettype none

module gfp_divsteps #(
  parameter int unsigned            NumLimb  = 4,
  parameter int unsigned            LimbW    = 64,
  parameter int unsigned            InW      = 66,
  parameter bit [NumLimb*LimbW-1:0] Modulus  = {32'hFFFFFFFF, 32'h1, 96'h0, {96{1'b1}}},
  parameter int unsigned            Batch    = 60,
  parameter int unsigned            PerCycle = 2,
  parameter int unsigned            NumBatch = 10,
  parameter int unsigned            Rest     = 0    // idle cycles a batch
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,
  input  logic                    start_i,
  input  logic        [  InW-1:0] g_i       [NumLimb],
  output logic signed [Batch+1:0] u_o,
  output logic signed [Batch+1:0] v_o,
  output logic signed [Batch+1:0] q_o,
  output logic signed [Batch+1:0] r_o,
  output logic                    negative_o,
  output logic                    busy_o
);

  localparam int unsigned SlackW = $clog2((Batch + 1) / 3 + 3);
  localparam int unsigned Width = (LimbW + SlackW + 1 > InW + 2) ? LimbW + SlackW + 1 : InW + 2;
  localparam int unsigned MatrixW = Batch + 2;
  // Cycles of a batch that make steps, after the one that passes carries.
  localparam int unsigned StepCycles = Batch / PerCycle;
  localparam int unsigned LastCycle = StepCycles + Rest;
  localparam int unsigned CycleW = $clog2(LastCycle + 1);
  localparam int unsigned BatchW = $clog2(NumBatch + 1);
  // |zeta + 1| = |delta - 1/2| grows by at most one a step.
  localparam int unsigned ZetaW = $clog2(Batch * NumBatch + 2) + 1;

  typedef logic signed [Width-1:0] limb_t;
  typedef logic signed [MatrixW-1:0] entry_t;

  limb_t f_d[NumLimb], f_q[NumLimb], f_carried[NumLimb], f_stepped[NumLimb];
  limb_t g_d[NumLimb], g_q[NumLimb], g_carried[NumLimb], g_stepped[NumLimb];
  limb_t f_run[NumLimb], g_run[NumLimb];  // as f_d and g_d, without the effect of a start
  // u, v, q, r of the current batch, and of the one before.
  entry_t work_d[4], work_q[4], work_stepped[4];
  entry_t matrix_d[4], matrix_q[4];
  logic negative_d, negative_q;
  logic signed [ZetaW-1:0] zeta_d, zeta_q;
  // What each step of this cycle does, if the cycle makes steps.
  logic [PerCycle-1:0] odd_d, odd_q, swap_d, swap_q;
  logic busy_d, busy_q;
  // 0 passes carries, 1 .. StepCycles make steps, the others are idle.
  logic [CycleW-1:0] cycle_d, cycle_q;
  // Batches that are done, NumBatch at most.
  logic [BatchW-1:0] batch_d, batch_q;
  // What this cycle does: it passes carries, it is the last of the run to do so, or it makes steps.
  // Registers, because every bit of the datapath waits for them.
  logic carry_d, carry_q, last_d, last_q, step_d, step_q;

  assign carry_d = busy_d && cycle_d == '0;
  assign last_d = carry_d && batch_d == BatchW'(NumBatch);
  assign step_d = busy_d && cycle_d != '0 && (Rest == 0 || cycle_d <= CycleW'(StepCycles));

  // Carries.
  for (genvar i = 0; i < NumLimb; i++) begin : gen_carry
    localparam int unsigned KeepW = (i == NumLimb - 1) ? Width : LimbW;
    limb_t f_kept, f_from, g_kept, g_from;

    if (KeepW == Width) begin : gen_top
      assign f_kept = f_q[i];
      assign g_kept = g_q[i];
    end else begin : gen_inner
      // Explicit zeros: yosys-slang sign-extends a part of an element of a signed array.
      assign f_kept = {{(Width - KeepW) {1'b0}}, f_q[i][KeepW-1:0]};
      assign g_kept = {{(Width - KeepW) {1'b0}}, g_q[i][KeepW-1:0]};
    end
    if (i == 0) begin : gen_lowest
      assign f_from = '0;
      assign g_from = '0;
    end else begin : gen_upper
      assign f_from = f_q[i-1] >>> LimbW;
      assign g_from = g_q[i-1] >>> LimbW;
    end
    assign f_carried[i] = f_kept + f_from;
    assign g_carried[i] = g_kept + g_from;
  end

  // Steps.
  for (genvar s = 0; s < PerCycle; s++) begin : gen_step
    limb_t f_in[NumLimb], g_in[NumLimb], f_out[NumLimb], g_out[NumLimb];
    entry_t m_in[4], m_out[4];

    if (s == 0) begin : gen_first
      assign f_in = f_q;
      assign g_in = g_q;
      assign m_in = work_q;
    end else begin : gen_next
      assign f_in = gen_step[s-1].f_out;
      assign g_in = gen_step[s-1].g_out;
      assign m_in = gen_step[s-1].m_out;
    end

    gfp_divsteps_step #(
      .NumLimb(NumLimb),
      .LimbW(LimbW),
      .Width(Width),
      .MatrixW(MatrixW)
    ) u_step (
      .odd_i(odd_q[s]),
      .swap_i(swap_q[s]),
      .f_i(f_in),
      .g_i(g_in),
      .f_o(f_out),
      .g_o(g_out),
      .m_i(m_in),
      .m_o(m_out)
    );
  end

  assign f_stepped = gen_step[PerCycle-1].f_out;
  assign g_stepped = gen_step[PerCycle-1].g_out;
  assign work_stepped = gen_step[PerCycle-1].m_out;

  always_comb begin
    f_run = f_q;
    g_run = g_q;
    work_d = work_q;
    matrix_d = matrix_q;
    negative_d = negative_q;
    busy_d = busy_q;
    cycle_d = cycle_q;
    batch_d = batch_q;
    if (step_q) begin
      f_run = f_stepped;
      g_run = g_stepped;
      work_d = work_stepped;
    end
    if (busy_q && !carry_q) begin
      cycle_d = cycle_q + CycleW'(1);
      if (cycle_q == CycleW'(LastCycle)) begin
        cycle_d = '0;
        batch_d = batch_q + BatchW'(1);
      end
    end
    if (carry_q) begin
      f_run = f_carried;
      g_run = g_carried;
      work_d = '{MatrixW'(1), '0, '0, MatrixW'(1)};
      cycle_d = CycleW'(1);
      if (batch_q != '0) matrix_d = work_q;
      if (last_q) begin
        f_run = '{default: '0};
        g_run = '{default: '0};
        work_d = '{default: '0};
        negative_d = f_q[0][1];
        busy_d = 1'b0;
        cycle_d = '0;
        batch_d = '0;
      end
    end
    f_d = f_run;
    g_d = g_run;
    if (start_i) begin
      for (int unsigned i = 0; i < NumLimb; i++) begin
        f_d[i] = Width'(Modulus[LimbW*i+:LimbW]);
        g_d[i] = Width'(g_i[i]);
      end
      busy_d = 1'b1;
      cycle_d = '0;
      batch_d = '0;
    end
  end

  // zeta <- zeta - 1, or -zeta - 2 = ~zeta - 1 after a swap. Two such steps are one sum.
  always_comb begin
    zeta_d = zeta_q;
    if (step_q) begin
      zeta_d = zeta_q ^ {ZetaW{^swap_q}};
      if (PerCycle == 1) zeta_d = zeta_d - ZetaW'(1);
      else if (!swap_q[PerCycle-1]) zeta_d = zeta_d - ZetaW'(2);
    end
    if (last_q) zeta_d = '0;
    if (start_i) zeta_d = '1;
  end

  // Is zeta_d negative, is it 0 or -1 (not valid in the cycle of a start)? Both come from zeta_q
  // and the steps of this cycle; a swap requires a negative zeta. So the carry chain of zeta_d is
  // not in series with all that follows.
  logic negative_zeta, near_zero;

  always_comb begin
    negative_zeta = zeta_q[ZetaW-1];
    near_zero = zeta_q == 0 || zeta_q == -1;
    if (step_q && PerCycle == 1) begin
      negative_zeta = swap_q[0] ? zeta_q == -1 : zeta_q[ZetaW-1] || zeta_q == 0;
    end else if (step_q) begin
      unique case ({
        swap_q[PerCycle-1], swap_q[0]
      })
        2'b00: begin
          negative_zeta = zeta_q[ZetaW-1] || zeta_q == 0 || zeta_q == 1;
          near_zero = zeta_q == 1 || zeta_q == 2;
        end
        2'b01: begin
          negative_zeta = zeta_q == -1 || zeta_q == -2;
          near_zero = zeta_q == -2 || zeta_q == -3;
        end
        2'b10:   negative_zeta = !zeta_q[ZetaW-1];  // near_zero stays
        default: ;  // -1 before and after
      endcase
    end
  end

  // The steps of the next cycle, if it makes steps. The cycle after a start does not.
  assign odd_d[0] = g_run[0][0];
  assign swap_d[0] = odd_d[0] && negative_zeta;

  if (PerCycle == 2) begin : gen_second
    // The sign of zeta after the first step.
    logic negative_second;

    assign negative_second = near_zero || (negative_zeta && !swap_d[0]);
    // Bit 1 of g, g + f or g - f, with f odd.
    assign odd_d[1] = g_run[0][1] ^ (g_run[0][0] & (f_run[0][1] ^ ~negative_zeta));
    assign swap_d[1] = odd_d[1] && negative_second;
  end else begin : gen_only
    logic unused_near;
    assign unused_near = near_zero;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      carry_q <= 1'b0;
      last_q <= 1'b0;
      step_q <= 1'b0;
      cycle_q <= '0;
      batch_q <= '0;
    end else if (clear_i) begin
      busy_q <= 1'b0;
      carry_q <= 1'b0;
      last_q <= 1'b0;
      step_q <= 1'b0;
      cycle_q <= '0;
      batch_q <= '0;
    end else begin
      busy_q <= busy_d;
      carry_q <= carry_d;
      last_q <= last_d;
      step_q <= step_d;
      cycle_q <= cycle_d;
      batch_q <= batch_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      f_q <= '{default: '0};
      g_q <= '{default: '0};
      work_q <= '{default: '0};
      matrix_q <= '{default: '0};
      negative_q <= 1'b0;
      zeta_q <= '0;
      odd_q <= '0;
      swap_q <= '0;
    end else begin
      f_q <= f_d;
      g_q <= g_d;
      work_q <= work_d;
      matrix_q <= matrix_d;
      negative_q <= negative_d;
      zeta_q <= zeta_d;
      odd_q <= odd_d;
      swap_q <= swap_d;
    end
  end

  assign u_o = matrix_q[0];
  assign v_o = matrix_q[1];
  assign q_o = matrix_q[2];
  assign r_o = matrix_q[3];
  assign negative_o = negative_q;
  assign busy_o = busy_q;

  if (PerCycle < 1 || PerCycle > 2 || Batch < 1 || Batch % PerCycle != 0) begin : gen_bad_batch
    $error("gfp_divsteps: PerCycle must be 1 or 2, Batch a multiple of it");
  end
  if (NumLimb < 1 || NumBatch < 1 || !Modulus[0]) begin : gen_bad_modulus
    $error("gfp_divsteps: there must be a limb and a batch, and Modulus must be odd");
  end
  if (LimbW < 4 || InW < LimbW || InW > 2 * LimbW || SlackW > LimbW) begin : gen_bad_width
    $error("gfp_divsteps: LimbW must be at least 4, InW LimbW..2 LimbW, Batch fit in LimbW");
  end

endmodule

`default_nettype wire
