// SPDX-License-Identifier: Apache-2.0
//
// HMAC_DRBG with a hash outside. The user gives the seed material.
//
//   Update(x):   K = HMAC(K, V || 0x00 || x),  V = HMAC(K, V), and if there is an x
//                K = HMAC(K, V || 0x01 || x),  V = HMAC(K, V)
//   Instantiate: K = 0x00 .., V = 0x01 .., Update(seed)
//   Reseed:      Update(seed)
//   Generate:    Update(seed) if there is one; V = HMAC(K, V), output as often as needed;
//                Update(seed) or Update()
//
//   V (u_v) ------+
//   0x00, 0x01 ---+--> message --> sym_hmac (with K) --> tag --+--> V
//   seed_* -------+                    ^                       +--> K (inside sym_hmac)
//                                  hash_*                      +--> sym_trim --> out_*
//
// Parameters: WordW and PerCycle are those of the hash. ReseedLimit is the number of Generates
// between seeds, 1 .. 2^48. LengthW is the number of bits in req_octets_i, 8 .. 16. WholeWords says
// that digests are whole words of W bits.
//
// The seed is entropy || nonce || personalisation for Instantiate, entropy || additional input for
// Reseed, and the additional input for Generate. req_extra_i tells whether Generate has an
// additional input, which must not be empty. The unit reads the seed twice for each Update: after
// the word with last, the first word follows again. Its words may have any number of bytes. The
// user is responsible for the seed's source and its entropy (sym_drbg). If the seed of Instantiate
// is the private key and the hashed message, each Generate returns the next candidate of RFC 6979.
//
// req_alg_i is read with DrbgInstantiate and stays part of the state. req_octets_i is the length of
// Generate. done_o is high for one cycle at an operation's end, with status_o:
//   StatusOk         done; for Generate all bytes have moved out
//   StatusNoEntropy  for Reseed and Generate: not instantiated, or (Generate) ReseedLimit Generates
//                    since the last seed. The unit has read nothing and returned nothing.
// instantiated_o: there is a state. reseed_due_o: the next Generate needs a Reseed before it. K (in
// the sym_hmac) and V stay until the next Instantiate or clear_i.
//
// Timing: an operation is a series of HMACs, one after the other. An HMAC that makes V takes the
// cycles of sym_hmac from its request to the last word of its tag. An HMAC that makes K takes those
// until sym_hmac is ready. Instantiate first sets V, in as many cycles as V has words.
// docs/theory/symmetric.md has the sums.
// Source: NIST SP 800-90A Rev. 1, section 10.1.2; RFC 6979, section 3.2.
`default_nettype none

module sym_hmac_drbg
  import sym_pkg::*;
  import ecsm_pkg::*;
#(
  parameter int unsigned WordW = 32,
  parameter int unsigned PerCycle = 2,
  parameter int unsigned LengthW = 16,
  parameter bit [48:0] ReseedLimit = 49'd65536,
  parameter bit WholeWords = 1'b0,
  localparam int unsigned W = WordW * PerCycle,
  localparam int unsigned BytesW = $clog2(W / 8 + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  drbg_op_e               req_op_i,
  input  alg_e                   req_alg_i,
  input  logic                   req_extra_i,
  input  logic     [LengthW-1:0] req_octets_i,
  output logic                   done_o,
  output status_e                status_o,
  output logic                   instantiated_o,
  output logic                   reseed_due_o,
  input  logic                   seed_valid_i,
  output logic                   seed_ready_o,
  input  logic     [      W-1:0] seed_data_i,
  input  logic     [ BytesW-1:0] seed_bytes_i,
  input  logic                   seed_last_i,
  output logic                   out_valid_o,
  input  logic                   out_ready_i,
  output logic     [      W-1:0] out_data_o,
  output logic     [ BytesW-1:0] out_bytes_o,
  output logic                   out_last_o,
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
  localparam int unsigned DigestWords = 8 / PerCycle;
  localparam int unsigned CountW = $clog2(DigestWords + 1);
  localparam int unsigned LimitW = $clog2(ReseedLimit + 1);

  typedef enum logic [2:0] {
    StIdle,
    StInit,   // V = 0x01 ..
    StReq,
    StV,      // V to the HMAC
    StOctet,  // 0x00 or 0x01
    StSeed,
    StTag,    // V = tag
    StDone
  } state_e;

  // The HMAC that runs: one of an Update, or one for output.
  typedef enum logic [2:0] {
    StepK0,
    StepV0,
    StepK1,
    StepV1,
    StepOut
  } step_e;

  state_e state_d, state_q;
  step_e step_d, step_q, step_next;
  drbg_op_e op_d, op_q;
  alg_e alg_d, alg_q;
  status_e status_d, status_q;
  // seeded: there is a seed. before: the Update before Generate's output runs. rekey: K must
  // become zero first.
  logic seeded_d, seeded_q, before_d, before_q, rekey_d, rekey_q;
  logic instantiated_d, instantiated_q;
  logic [LimitW-1:0] generated_d, generated_q;
  // Words of V done.
  logic [CountW-1:0] count_d, count_q;

  logic start, instantiate, for_key, update_ends, refused;
  logic [3:0] digest_count;
  logic [CountW-1:0] words;
  logic words_last;
  logic [BytesW-1:0] words_bytes;
  logic v_shift;
  logic [W-1:0] v, v_in;

  logic hmac_ready, key_ready, msg_valid, msg_ready, msg_last, tag_valid, tag_ready, tag_last;
  logic [W-1:0] msg_data, tag_data;
  logic [BytesW-1:0] msg_bytes, tag_bytes;
  logic trim_ready, more, busy;

  assign start = req_valid_i && req_ready_o;
  assign instantiate = start && req_op_i == DrbgInstantiate;
  assign for_key = step_q == StepK0 || step_q == StepK1;
  assign digest_count = digest_words(alg_q);
  assign words = CountW'((32'(digest_count) + PerCycle - 1) / PerCycle);
  assign words_last = count_q + CountW'(1) == words;
  // With two words a cycle the last cycle may have one.
  assign words_bytes = (words_last && PerCycle == 2 && digest_count[0]) ? BytesW'(N / 2)
                                                                        : BytesW'(N);
  assign refused = req_op_i != DrbgInstantiate &&
      (!instantiated_q || (req_op_i == DrbgGenerate && reseed_due_o));

  assign req_ready_o = state_q == StIdle && hmac_ready;
  assign seed_ready_o = state_q == StSeed && msg_ready;
  assign done_o = state_q == StDone && !busy;
  assign status_o = done_o ? status_q : StatusOk;
  assign instantiated_o = instantiated_q;
  assign reseed_due_o = generated_q == LimitW'(ReseedLimit);

  always_comb begin
    msg_valid = 1'b0;
    msg_data = '0;
    msg_bytes = '0;
    msg_last = 1'b0;
    unique case (state_q)
      StV: begin
        msg_valid = 1'b1;
        msg_data  = v;
        msg_bytes = words_bytes;
        msg_last  = words_last && !for_key;
      end
      StOctet: begin
        msg_valid = 1'b1;
        msg_data[W-8] = step_q == StepK1;
        msg_bytes = BytesW'(1);
        msg_last = !seeded_q;
      end
      StSeed: begin
        msg_valid = seed_valid_i;
        msg_data = seed_data_i;
        msg_bytes = seed_bytes_i;
        msg_last = seed_last_i;
      end
      default: ;
    endcase
  end

  sym_hmac #(
    .WordW(WordW),
    .PerCycle(PerCycle)
  ) u_hmac (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .req_valid_i(state_q == StReq),
    .req_ready_o(hmac_ready),
    .req_alg_i(alg_q),
    .req_rekey_i(rekey_q),
    .req_keep_i(for_key),
    // The empty key is zeros.
    .key_valid_i(1'b1),
    .key_ready_o(key_ready),
    .key_data_i('0),
    .key_bytes_i('0),
    .key_last_i(1'b1),
    .msg_valid_i(msg_valid),
    .msg_ready_o(msg_ready),
    .msg_data_i(msg_data),
    .msg_bytes_i(msg_bytes),
    .msg_last_i(msg_last),
    .tag_valid_o(tag_valid),
    .tag_ready_i(tag_ready),
    .tag_data_o(tag_data),
    .tag_bytes_o(tag_bytes),
    .tag_last_o(tag_last),
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

  assign tag_ready = state_q == StTag && (step_q != StepOut || trim_ready);

  sym_trim #(
    .W(W),
    .LengthW(LengthW),
    .Whole(WholeWords)
  ) u_trim (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i),
    .start_i(start && req_op_i == DrbgGenerate && !refused),
    .octets_i(req_octets_i),
    .more_o(more),
    .busy_o(busy),
    .in_valid_i(tag_valid && state_q == StTag && step_q == StepOut),
    .in_ready_o(trim_ready),
    .in_data_i(tag_data),
    .in_bytes_i(tag_bytes),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i),
    .out_data_o(out_data_o),
    .out_bytes_o(out_bytes_o),
    .out_last_o(out_last_o)
  );

  assign v_shift = state_q == StInit || (state_q == StV && msg_ready) || (tag_valid && tag_ready);

  always_comb begin
    unique case (state_q)
      StInit: v_in = {N{8'h01}} & ~({W{1'b1}} >> {words_bytes, 3'b000});
      StV: v_in = v;
      default: v_in = tag_data;
    endcase
  end

  sym_words #(
    .Num(DigestWords),
    .W(W)
  ) u_v (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(clear_i || instantiate),
    .count_i(words),
    .shift_i(v_shift),
    .word_i(v_in),
    .word_o(v)
  );

  always_comb begin
    update_ends = 1'b0;
    unique case (step_q)
      StepK0:  step_next = StepV0;
      StepV0: begin
        step_next   = StepK1;
        update_ends = !seeded_q;
      end
      StepK1:  step_next = StepV1;
      StepV1: begin
        step_next   = StepK0;
        update_ends = 1'b1;
      end
      default: step_next = more ? StepOut : StepK0;
    endcase
    if (update_ends) step_next = (before_q && more) ? StepOut : StepK0;
  end

  always_comb begin
    state_d = state_q;
    step_d = step_q;
    op_d = op_q;
    alg_d = alg_q;
    status_d = status_q;
    seeded_d = seeded_q;
    before_d = before_q;
    rekey_d = rekey_q;
    instantiated_d = instantiated_q;
    generated_d = generated_q;
    if (key_ready) rekey_d = 1'b0;
    count_d = v_shift ? (words_last ? '0 : count_q + CountW'(1)) : count_q;
    unique case (state_q)
      StIdle: begin
        if (start) begin
          op_d = req_op_i;
          status_d = refused ? StatusNoEntropy : StatusOk;
          seeded_d = req_op_i != DrbgGenerate || req_extra_i;
          before_d = req_op_i == DrbgGenerate && req_extra_i;
          step_d = StepK0;
          if (refused) state_d = StDone;
          else if (instantiate) begin
            alg_d = req_alg_i;
            rekey_d = 1'b1;
            instantiated_d = 1'b0;
            state_d = StInit;
          end else begin
            state_d = StReq;
            if (req_op_i == DrbgGenerate && !req_extra_i && req_octets_i != '0) step_d = StepOut;
          end
        end
      end
      StInit: if (words_last) state_d = StReq;
      StReq: begin
        if (hmac_ready) state_d = StV;
      end
      StV: if (msg_ready && words_last) state_d = for_key ? StOctet : StTag;
      StOctet: begin
        if (msg_ready) begin
          state_d = seeded_q ? StSeed : StReq;
          if (!seeded_q) step_d = step_next;
        end
      end
      StSeed: begin
        if (msg_valid && msg_ready && seed_last_i) begin
          state_d = StReq;
          step_d  = step_next;
        end
      end
      StTag: begin
        if (tag_valid && tag_ready && tag_last) begin
          state_d = StReq;
          step_d  = step_next;
          if (update_ends) begin
            before_d = 1'b0;
            if (!before_q) begin
              state_d = StDone;
              instantiated_d = 1'b1;
              generated_d = (op_q == DrbgGenerate) ? generated_q + LimitW'(1) : '0;
            end
          end
        end
      end
      default: if (!busy) state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      step_q <= StepK0;
      op_q <= DrbgInstantiate;
      alg_q <= AlgSha1;
      status_q <= StatusOk;
      seeded_q <= 1'b0;
      before_q <= 1'b0;
      rekey_q <= 1'b0;
      instantiated_q <= 1'b0;
      generated_q <= '0;
      count_q <= '0;
    end else if (clear_i) begin
      state_q <= StIdle;
      step_q <= StepK0;
      op_q <= DrbgInstantiate;
      alg_q <= AlgSha1;
      status_q <= StatusOk;
      seeded_q <= 1'b0;
      before_q <= 1'b0;
      rekey_q <= 1'b0;
      instantiated_q <= 1'b0;
      generated_q <= '0;
      count_q <= '0;
    end else begin
      state_q <= state_d;
      step_q <= step_d;
      op_q <= op_d;
      alg_q <= alg_d;
      status_q <= status_d;
      seeded_q <= seeded_d;
      before_q <= before_d;
      rekey_q <= rekey_d;
      instantiated_q <= instantiated_d;
      generated_q <= generated_d;
      count_q <= count_d;
    end
  end

  if (ReseedLimit < 1 || ReseedLimit > 49'h1_0000_0000_0000) begin : gen_bad_limit
    $error("sym_hmac_drbg: ReseedLimit must be 1 .. 2^48");
  end
  if (LengthW < 8 || LengthW > 16) begin : gen_bad_length
    $error("sym_hmac_drbg: a request may ask for 2^16 octets at most: LengthW 8 .. 16");
  end

endmodule

`default_nettype wire
