// SPDX-License-Identifier: Apache-2.0
//
// The random generator (sym_drbg) of the scheme machine, with a pool. When nothing else runs, it
// makes the bytes of the next draw ahead of time.
//
//   noise_*, test_* --> sym_drbg --> pool_q --> out_*
//                         ^  |
//                         hash_* (a sym_hash outside)
//
// Parameters: Octets is the number of bytes in the pool, at least 1. SampleW, SeedSamples,
// ReseedSamples, Startup: see sym_drbg (StartupSamples).
//
// A draw returns the first octets_i bytes, 1 .. Octets, of one Generate call of Octets bytes. The
// rest is dropped. The pool has the output of such a call. It is used for one draw and is zero
// afterwards.
//
//   command_i   with ready_o: Instantiate or Reseed as in sym_drbg, which empty the pool, or
//               Generate, a draw. A draw of more than Octets bytes gives StatusUnsupported
//   done_o      an operation has ended, with status_o. For a draw, its bytes go out after done_o; a
//               full pool returns them from the next cycle on
//   clear_i     a program has ended: a draw that still moves out is dropped. An empty pool is
//               filled if the generator has a seed and needs no new one. clear_i needs settled_o,
//               which is low while the generator works
//   zeroize_i   zeroes the pool, K and V. A failure of the noise source also zeroes the pool
//
// Latency: a draw takes one cycle if the pool is full, otherwise one cycle and those of Generate.
// Source: NIST SP 800-90A Rev. 1, section 9.3, for Generate. The caller decides how to use its
// output.

`default_nettype none

module scheme_random
  import scheme_pkg::*;
  import sym_pkg::*;
  import ecsm_pkg::*;
#(
  parameter int unsigned Octets = 32,
  parameter int unsigned SampleW = 8,
  parameter int unsigned SeedSamples = 96,
  parameter int unsigned ReseedSamples = 64,
  parameter int unsigned Startup = 1024
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic                   zeroize_i,
  output logic                   settled_o,
  input  logic                   secret_i,
  input  logic                   command_i,
  output logic                   ready_o,
  input  drbg_op_e               op_i,
  input  logic                   test_i,
  input  logic     [       15:0] octets_i,
  output logic                   done_o,
  output status_e                status_o,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic     [      W-1:0] out_data_o,
  output logic     [ BytesW-1:0] out_bytes_o,
  output logic                   out_last_o,
  // Noise.
  output logic                   no_entropy_o,
  output logic                   test_mode_o,
  input  logic                   noise_valid_i,
  output logic                   noise_ready_o,
  input  logic     [SampleW-1:0] noise_data_i,
  input  logic                   test_valid_i,
  output logic                   test_ready_o,
  input  logic     [SampleW-1:0] test_data_i,
  // The hash.
  output logic                   hash_req_valid_o,
  input  logic                   hash_req_ready_i,
  output alg_e                   hash_req_alg_o,
  output logic                   hash_msg_valid_o,
  input  logic                   hash_msg_ready_i,
  output logic     [      W-1:0] hash_msg_data_o,
  output logic     [ BytesW-1:0] hash_msg_bytes_o,
  output logic                   hash_msg_last_o,
  input  logic                   hash_digest_valid_i,
  output logic                   hash_digest_ready_o,
  input  logic     [      W-1:0] hash_digest_data_i,
  input  logic     [ BytesW-1:0] hash_digest_bytes_i,
  input  logic                   hash_digest_last_i
);

  localparam int unsigned N = W / 8;
  localparam int unsigned Words = (Octets + N - 1) / N;
  localparam int unsigned LeftW = $clog2(Octets + 1);

  typedef enum logic [1:0] {
    StIdle,
    StSeed,  // Instantiate, Reseed
    StFill,  // Generate
    StOut
  } state_e;

  state_e state_d, state_q;
  drbg_op_e op_d, op_q;
  logic test_d, test_q;
  logic asked_d, asked_q;  // the generator has accepted the request
  logic draw_d, draw_q;  // the output goes to a draw
  logic full_d, full_q;
  logic [LeftW-1:0] left_d, left_q;  // bytes of the draw
  logic [Words-1:0][W-1:0] pool_d, pool_q;  // the first word is the highest

  logic start, refused, usable, due, instantiated, fill_ahead, drop;
  logic req_valid, req_ready, made_valid, made_last, drbg_done;
  logic [W-1:0] made;
  logic [BytesW-1:0] made_bytes;
  status_e drbg_status;
  logic unused_extra;

  assign start = command_i && ready_o;
  assign refused = op_i == DrbgGenerate && octets_i > 16'(Octets);
  assign usable = !no_entropy_o || test_mode_o;
  assign fill_ahead = clear_i && instantiated && !due && usable;
  assign ready_o = state_q == StIdle;
  assign settled_o = state_q == StIdle || state_q == StOut;
  assign req_valid = (state_q == StSeed || state_q == StFill) && !asked_q;

  sym_drbg #(
    .PerCycle(2),
    .SampleW(SampleW),
    .SeedSamples(SeedSamples),
    .ReseedSamples(ReseedSamples),
    .StartupSamples(Startup)
  ) u_drbg (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(zeroize_i),
    .secret_loaded_i(secret_i),
    .no_entropy_o(no_entropy_o),
    .test_mode_o(test_mode_o),
    .instantiated_o(instantiated),
    .reseed_due_o(due),
    .req_valid_i(req_valid),
    .req_ready_o(req_ready),
    .req_op_i(state_q == StFill ? DrbgGenerate : op_q),
    .req_test_i(test_q),
    .req_extra_i(1'b0),
    .req_octets_i(16'(Octets)),
    .done_o(drbg_done),
    .status_o(drbg_status),
    .noise_valid_i(noise_valid_i),
    .noise_ready_o(noise_ready_o),
    .noise_data_i(noise_data_i),
    .test_valid_i(test_valid_i),
    .test_ready_o(test_ready_o),
    .test_data_i(test_data_i),
    .extra_valid_i(1'b0),
    .extra_ready_o(unused_extra),
    .extra_data_i('0),
    .extra_bytes_i('0),
    .extra_last_i(1'b0),
    .out_valid_o(made_valid),
    .out_ready_i(1'b1),
    .out_data_o(made),
    .out_bytes_o(made_bytes),
    .out_last_o(made_last),
    .hash_req_valid_o(hash_req_valid_o),
    .hash_req_ready_i(hash_req_ready_i),
    .hash_req_alg_o(hash_req_alg_o),
    .hash_msg_valid_o(hash_msg_valid_o),
    .hash_msg_ready_i(hash_msg_ready_i),
    .hash_msg_data_o(hash_msg_data_o),
    .hash_msg_bytes_o(hash_msg_bytes_o),
    .hash_msg_last_o(hash_msg_last_o),
    .hash_digest_valid_i(hash_digest_valid_i),
    .hash_digest_ready_o(hash_digest_ready_o),
    .hash_digest_data_i(hash_digest_data_i),
    .hash_digest_bytes_i(hash_digest_bytes_i),
    .hash_digest_last_i(hash_digest_last_i)
  );

  // ------------------------------------------------------------------ output
  logic [W-1:0] mask;
  assign out_valid_o = state_q == StOut;
  assign out_last_o = out_valid_o && left_q <= LeftW'(N);
  assign out_bytes_o = !out_valid_o ? '0 : out_last_o ? BytesW'(left_q) : BytesW'(N);
  assign mask = ~({W{1'b1}} >> {out_bytes_o, 3'b000});
  assign out_data_o = pool_q[Words-1] & mask;

  always_comb begin
    state_d = state_q;
    op_d = op_q;
    test_d = test_q;
    asked_d = asked_q || (req_valid && req_ready);
    draw_d = draw_q;
    full_d = full_q;
    left_d = left_q;
    pool_d = pool_q;
    done_o = 1'b0;
    status_o = StatusOk;
    drop = 1'b0;
    unique case (state_q)
      StIdle: begin
        asked_d = 1'b0;
        draw_d = 1'b0;
        drop = full_q && !usable;
        if (start && refused) begin
          done_o   = 1'b1;
          status_o = StatusUnsupported;
        end else if (start && op_i == DrbgGenerate) begin
          left_d  = LeftW'(octets_i);
          draw_d  = 1'b1;
          state_d = StFill;
          if (full_q && usable) begin
            done_o  = 1'b1;
            state_d = StOut;
          end
        end else if (start) begin
          op_d = op_i;
          test_d = test_i;
          drop = 1'b1;
          state_d = StSeed;
        end else if (fill_ahead && !full_q) begin
          state_d = StFill;
        end
      end
      StSeed: begin
        done_o   = drbg_done;
        status_o = drbg_status;
        if (drbg_done) state_d = StIdle;
      end
      StFill: begin
        if (made_valid) pool_d = (W * Words)'({pool_q, made});
        if (drbg_done) begin
          done_o = draw_q;
          status_o = drbg_status;
          full_d = drbg_status == StatusOk;
          drop = drbg_status != StatusOk;
          state_d = (draw_q && drbg_status == StatusOk) ? StOut : StIdle;
        end
      end
      default: begin
        if (out_ready_i) begin
          pool_d = pool_q << W;
          left_d = left_q - LeftW'(out_bytes_o);
        end
        if (clear_i || (out_ready_i && out_last_o)) begin
          drop = 1'b1;
          state_d = fill_ahead ? StFill : StIdle;
          asked_d = 1'b0;
          draw_d = 1'b0;
        end
      end
    endcase
    if (drop) begin
      full_d = 1'b0;
      pool_d = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      op_q <= DrbgInstantiate;
      test_q <= 1'b0;
      asked_q <= 1'b0;
      draw_q <= 1'b0;
      full_q <= 1'b0;
      left_q <= '0;
    end else if (zeroize_i) begin
      state_q <= StIdle;
      op_q <= DrbgInstantiate;
      test_q <= 1'b0;
      asked_q <= 1'b0;
      draw_q <= 1'b0;
      full_q <= 1'b0;
      left_q <= '0;
    end else begin
      state_q <= state_d;
      op_q <= op_d;
      test_q <= test_d;
      asked_q <= asked_d;
      draw_q <= draw_d;
      full_q <= full_d;
      left_q <= left_d;
    end
  end

  logic zeroize;
  sym_zeroize u_zeroize (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(zeroize_i),
    .zeroize_o(zeroize)
  );

  always_ff @(posedge clk_i) begin
    if (zeroize) pool_q <= '0;
    else pool_q <= pool_d;
  end

  logic unused_made;
  assign unused_made = ^{made_bytes, made_last};

  if (Octets < 1) begin : gen_bad_octets
    $error("scheme_random: a draw has at least one octet");
  end

endmodule

`default_nettype wire
