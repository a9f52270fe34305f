// SPDX-License-Identifier: Apache-2.0
//
// Jobs as packets of AXI4-Stream: connects the port of a core or a farm to two streams of 64 bits.
//
//   s_axis_* --> header: tag_q, op_q, infinity_q --+--> req_* ---+
//            --> numbers_q: scalar(s), x, y -------+             v
//                   | malformed                              core or farm
//                   v                                            |
//   m_axis_* <-- answer_q: header, x, y <------------- rsp_* ----+
//
// Parameters: ScalarW is the number of bits in each scalar, Scalars is 1 or 2. CoordW is the number
// of bits in a coordinate, TagW in a tag (at most 8), CycleW in the cycle count (at most 32).
//
// A beat is eight bytes of a packet; as on the bus, the first byte is in bits 7:0 (lane 0 of
// TDATA). A number is a byte string, the highest byte first. Zeros before it fill it to a multiple
// of eight bytes.
//
//   job      tag, operation, flags (bit 0: the point is infinity), five zero bytes;
//            the scalar (aG + bP: a, then b); x; y
//   answer   tag, status, flags (bit 0: the result is infinity; bit 7: the job was malformed), a
//            zero byte, four bytes of cycles, the highest first; x; y
//
// A job is malformed if it is too short or too long, if TKEEP is not all ones in a beat, or if a
// byte or bit that must be zero is not. No core gets it. Its answer has StatusUnsupported, flag bit
// 7, its tag and zeros; the rest of the job up to TLAST is dropped. The tag is zero if the first
// beat is no header: after a packet that ended too early that beat may be a scalar. Answers come in
// the order in which they are ready. Those of malformed jobs and those of cores alternate.
//
// zeroize_i drops everything. A job that has come in part is dropped up to its TLAST, without an
// answer. An answer that has gone out in part ends with a beat of zeros with TLAST and TUSER, which
// replaces the waiting beat; TUSER marks the answer as void.
//
// Latency: a job is requested in the cycle after its last beat; an answer's first beat is valid in
// the cycle after the core's response. Throughput: a job takes its beats and one cycle more if a
// core is free, an answer its beats and one cycle more. No combinational path connects a stream's
// inputs to the outputs of the other stream.
// Source: AMBA AXI-Stream Protocol Specification, IHI 0051; for the order of bytes SEC 1, section
// 2.3.

`default_nettype none

module ecsm_axis #(
  parameter  int unsigned ScalarW = 163,  // of each scalar
  parameter  int unsigned Scalars = 1,
  parameter  int unsigned CoordW  = 168,
  parameter  int unsigned TagW    = 8,  // at most 8
  parameter  int unsigned CycleW  = 20  // at most 32
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    zeroize_i,
  // Jobs.
  input  logic                                    s_axis_tvalid_i,
  output logic                                    s_axis_tready_o,
  input  logic              [               63:0] s_axis_tdata_i,
  input  logic              [                7:0] s_axis_tkeep_i,
  input  logic                                    s_axis_tlast_i,
  // Answers.
  output logic                                    m_axis_tvalid_o,
  input  logic                                    m_axis_tready_i,
  output logic              [               63:0] m_axis_tdata_o,
  output logic              [                7:0] m_axis_tkeep_o,
  output logic                                    m_axis_tlast_o,
  output logic                                    m_axis_tuser_o,
  // The core or the farm.
  output logic                                    req_valid_o,
  input  logic                                    req_ready_i,
  output ecsm_pkg::op_e                           req_op_o,
  output logic              [Scalars*ScalarW-1:0] req_scalar_o,
  output logic              [         CoordW-1:0] req_x_o,
  output logic              [         CoordW-1:0] req_y_o,
  output logic                                    req_infinity_o,
  output logic              [           TagW-1:0] req_tag_o,
  input  logic                                    rsp_valid_i,
  output logic                                    rsp_ready_o,
  input  ecsm_pkg::status_e                       rsp_status_i,
  input  logic              [         CoordW-1:0] rsp_x_i,
  input  logic              [         CoordW-1:0] rsp_y_i,
  input  logic                                    rsp_infinity_i,
  input  logic              [           TagW-1:0] rsp_tag_i,
  input  logic              [         CycleW-1:0] rsp_cycles_i
);

  localparam int unsigned ScalarBeats = (ScalarW + 63) / 64;
  localparam int unsigned CoordBeats = (CoordW + 63) / 64;
  localparam int unsigned JobBeats = Scalars * ScalarBeats + 2 * CoordBeats;  // without the header
  localparam int unsigned AnswerBeats = 2 * CoordBeats;  // without the header
  localparam int unsigned InW = $clog2(JobBeats + 1);
  localparam int unsigned OutW = $clog2(AnswerBeats + 1);

  // Reverses the order of the bytes: the first byte moves to the highest bits, and back.
  function automatic logic [63:0] swapped(logic [63:0] data);
    logic [63:0] other;
    for (int unsigned i = 0; i < 8; i++) other[8*i+:8] = data[8*(7-i)+:8];
    return other;
  endfunction

  // ------------------------------------------------------------------ jobs
  typedef enum logic [2:0] {
    StHeader,
    StNumbers,
    StSkip,      // to the end of a malformed job
    StDrop,      // to the end of a job that zeroize_i has dropped
    StRequest,
    StMalformed
  } state_e;

  state_e state_d, state_q;
  logic [InW-1:0] count_q;  // beats of numbers that have come
  logic [7:0] tag_q;
  logic [3:0] op_q;
  logic infinity_q;
  logic [JobBeats-1:0][63:0] numbers_q;  // the last beat is the lowest
  logic [63:0] beat;
  logic take, is_header, header_ok, end_ok, whole, numbers_ok;
  logic bad_taken;  // the answer to a malformed job begins
  logic wipe;

  assign beat = swapped(s_axis_tdata_i);
  assign s_axis_tready_o = ~zeroize_i && (state_q == StHeader || state_q == StNumbers ||
      state_q == StSkip || state_q == StDrop);
  assign take = s_axis_tvalid_i & s_axis_tready_o;
  assign whole = &s_axis_tkeep_i;
  // Bytes: tag, operation, flags, five zeros.
  assign is_header = whole && beat[55:52] == '0 && beat[47:41] == '0 && beat[39:0] == '0;
  assign header_ok = is_header && !s_axis_tlast_i;
  assign end_ok = s_axis_tlast_i == (count_q == InW'(JobBeats - 1));

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StHeader: if (take) state_d = header_ok ? StNumbers : s_axis_tlast_i ? StMalformed : StSkip;
      StNumbers: begin
        if (take && !(whole && end_ok)) state_d = s_axis_tlast_i ? StMalformed : StSkip;
        else if (take && s_axis_tlast_i) state_d = StRequest;
      end
      StSkip:   if (take && s_axis_tlast_i) state_d = StMalformed;
      StDrop:   if (take && s_axis_tlast_i) state_d = StHeader;
      StRequest: begin
        if (!numbers_ok) state_d = StMalformed;
        else if (req_ready_i) state_d = StHeader;
      end
      default:  if (bad_taken) state_d = StHeader;
    endcase
    if (zeroize_i) begin
      state_d = StHeader;
      if (state_q == StNumbers || state_q == StSkip || state_q == StDrop) state_d = StDrop;
    end
  end

  // The numbers are cleared when the request has moved or will never be made.
  assign wipe = zeroize_i || (state_q == StRequest && state_d != StRequest) || state_q == StSkip ||
      state_q == StMalformed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StHeader;
      count_q <= '0;
      tag_q <= '0;
      op_q <= '0;
      infinity_q <= 1'b0;
      numbers_q <= '0;
    end else begin
      state_q <= state_d;
      if (take && state_q == StHeader) begin
        count_q <= '0;
        tag_q <= is_header ? beat[63:56] : '0;
        op_q <= beat[51:48];
        infinity_q <= beat[40];
      end else if (take) begin
        count_q <= count_q + InW'(1);
      end
      if (wipe) numbers_q <= '0;
      else if (take && state_q == StNumbers) numbers_q <= (JobBeats * 64)'({numbers_q, beat});
    end
  end

  // ------------------------------------------------------------------ numbers
  logic [Scalars-1:0] scalar_excess;
  logic [64*CoordBeats-1:0] x, y;

  assign y = numbers_q[CoordBeats-1:0];
  assign x = numbers_q[2*CoordBeats-1:CoordBeats];
  for (genvar i = 0; i < Scalars; i++) begin : gen_scalar
    logic [64*ScalarBeats-1:0] scalar;
    assign scalar = numbers_q[2*CoordBeats+i*ScalarBeats+:ScalarBeats];
    assign req_scalar_o[i*ScalarW+:ScalarW] = scalar[ScalarW-1:0];
    assign scalar_excess[i] = |(scalar >> ScalarW);
  end

  assign numbers_ok = ~((|scalar_excess) | (|(x >> CoordW)) | (|(y >> CoordW)));
  assign req_valid_o = state_q == StRequest && numbers_ok && !zeroize_i;
  assign req_op_o = ecsm_pkg::op_e'(op_q);
  assign req_x_o = x[CoordW-1:0];
  assign req_y_o = y[CoordW-1:0];
  assign req_infinity_o = infinity_q;
  assign req_tag_o = TagW'(tag_q);

  // ------------------------------------------------------------------ answers
  logic valid_q, last_q, void_q;
  logic bad_last_q;  // the last answer was to a malformed job
  logic [OutW-1:0] left_q;  // beats after the present one
  logic [AnswerBeats:0][63:0] answer_q;  // the present beat is the highest
  logic bad, good, send;
  logic [63:0] header;

  assign bad = state_q == StMalformed && !(rsp_valid_i && bad_last_q);
  assign good = rsp_valid_i & ~bad;
  assign bad_taken = ~valid_q & bad & ~zeroize_i;
  assign rsp_ready_o = ~valid_q & ~bad;
  assign send = valid_q & m_axis_tready_i;

  always_comb begin
    header = '0;
    if (bad) begin
      header[63:56] = tag_q;
      header[51:48] = ecsm_pkg::StatusUnsupported;
      header[47] = 1'b1;
    end else begin
      header[63:56] = 8'(rsp_tag_i);
      header[51:48] = rsp_status_i;
      header[40] = rsp_infinity_i;
      header[31:0] = 32'(rsp_cycles_i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      last_q <= 1'b0;
      void_q <= 1'b0;
      bad_last_q <= 1'b0;
      left_q <= '0;
      answer_q <= '0;
    end else if (zeroize_i) begin
      valid_q <= valid_q & ~(send & last_q);
      last_q <= 1'b1;
      void_q <= 1'b1;
      answer_q <= '0;
    end else if (!valid_q) begin
      valid_q <= bad | good;
      last_q <= 1'b0;
      void_q <= 1'b0;
      left_q <= OutW'(AnswerBeats);
      if (bad | good) bad_last_q <= bad;
      if (bad) answer_q <= {header, {AnswerBeats{64'd0}}};
      else if (good) answer_q <= {header, (64 * CoordBeats)'(rsp_x_i), (64 * CoordBeats)'(rsp_y_i)};
    end else if (send) begin
      valid_q <= ~last_q;
      last_q <= left_q == OutW'(1);
      left_q <= left_q - OutW'(1);
      answer_q <= {answer_q[AnswerBeats-1:0], 64'd0};
    end
  end

  assign m_axis_tvalid_o = valid_q;
  assign m_axis_tdata_o = swapped(answer_q[AnswerBeats]);
  assign m_axis_tkeep_o = '1;
  assign m_axis_tlast_o = valid_q & last_q;
  assign m_axis_tuser_o = valid_q & void_q;

endmodule

`default_nettype wire
