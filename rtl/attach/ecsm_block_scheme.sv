// SPDX-License-Identifier: Apache-2.0
//
// The job of the scheme machine and its strings, behind the registers of a bus.
//
//   bus -> port -> ecsm_regs ------------+                       (these two: generated module)
//                                        | data_i, *_write_i, *_read_i
//         +------------------------------v---------------------------+
//         |  COMMAND, JOB -> ecsm_block_job ---------------- req_* ---|-->
//         |  IN, IN_LAST --> fifo (Depth x 32) -> widen --- in_*  ---|-->  ecsm_scheme,
//         |  OUT <---------- fifo (Depth x 32) <- narrow -- out_* <--|---  word_scheme
//         +----------------------------------------------------------+
//
// Parameters: CycleW is the number of bits in the cycle count, SlotW in the number of a key slot.
// Depth is the number of words of 32 bits in each queue, a power of 2. Zeros is 0 for a machine
// that looks at valid bytes alone, as word_scheme does: others are not zeroed on their way in,
// which sym_pkg asks for. Packs is 1 if it takes words that are not full, too, as word_scheme does
// whose tables are not loaded: each word of the queue goes in as it is.
//
// The generated module around this one has the bus, the registers (ecsm_regs.rdl) and the machine.
// An access is a cycle in which one of these is high:
//
//   command_write_i, job_write_i   writes data_i to the register COMMAND or JOB
//   in_write_i        data_i is the next word of a string, not the last one
//   in_last_write_i   bit n: data_i is the last word of a string; n of its bytes are valid
//   out_read_i        reads and removes the word on out_data_o
//   locked_o, command_o, overrun_o, underrun_o   the access is refused, for this reason; at most
//                     one is high
//   room_o            words that can be written; half_o: busy, and at least half of Depth are free
//   out_count_o       words that can be read; out_data_o is the first one, and has no meaning if
//                     there is none; out_octets_o and out_last_o are zero then
//   done_o            a response has come, high for one cycle
//
// Words can be written while the machine is busy. When the response comes, unused words are
// dropped. So is a word that is written between response and acknowledge: a job may end before it
// has read all, and the writer cannot know. If the status is not ok, output words are dropped too;
// if it is ok they stay until acknowledge. Latency: one cycle in each queue.
// Sources: docs/integrate/registers.md; the streams: sym_pkg.

`default_nettype none

module ecsm_block_scheme #(
  parameter  int unsigned CycleW = 24,
  parameter  int unsigned SlotW  = 2,
  parameter  int unsigned Depth  = 8,                 // 32-bit words in each queue, a power of 2
  parameter  bit          Zeros  = 1,
  parameter  bit          Packs  = 0,
  localparam int unsigned CountW = $clog2(Depth) + 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           zeroize_i,
  input  logic                           command_write_i,
  input  logic                           job_write_i,
  input  logic                           in_write_i,
  input  logic              [       4:0] in_last_write_i,
  input  logic                           out_read_i,
  input  logic              [      31:0] data_i,
  output logic                           locked_o,
  output logic                           command_o,
  output logic                           overrun_o,
  output logic                           underrun_o,
  output logic                           zeroize_o,
  output logic              [      31:0] job_o,
  output logic                           busy_o,
  output logic                           answer_o,
  output logic                           done_o,
  output ecsm_pkg::status_e              status_o,
  output logic              [      31:0] cycles_o,
  output logic              [CountW-1:0] room_o,
  output logic                           half_o,
  output logic              [CountW-1:0] out_count_o,
  output logic              [      31:0] out_data_o,
  output logic              [       2:0] out_octets_o,
  output logic                           out_last_o,
  // The machine.
  output logic                           req_valid_o,
  input  logic                           req_ready_i,
  output logic              [       5:0] req_op_o,
  output logic              [ SlotW-1:0] req_slot_o,
  output logic              [       7:0] req_flags_o,
  input  logic                           rsp_valid_i,
  output logic                           rsp_ready_o,
  input  ecsm_pkg::status_e              rsp_status_i,
  input  logic              [CycleW-1:0] rsp_cycles_i,
  output logic                           in_valid_o,
  input  logic                           in_ready_i,
  output logic              [      63:0] in_data_o,
  output logic              [       3:0] in_bytes_o,
  output logic                           in_last_o,
  input  logic                           out_valid_i,
  output logic                           out_ready_o,
  input  logic              [      63:0] out_data_i,
  input  logic              [       3:0] out_bytes_i,
  input  logic                           out_last_i
);

  // ------------------------------------------------------------------ job
  logic wipe;  // clears everything
  logic [5:0] op_q;
  logic [SlotW-1:0] slot_q;
  logic [7:0] flags_q;

  ecsm_block_job u_job (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .zeroize_i(zeroize_i),
    .command_i(command_write_i),
    .data_i(data_i),
    .refuse_o(command_o),
    .zeroize_o(wipe),
    .busy_o(busy_o),
    .answer_o(answer_o),
    .done_o(done_o),
    .req_valid_o(req_valid_o),
    .req_ready_i(req_ready_i),
    .rsp_valid_i(rsp_valid_i),
    .rsp_ready_o(rsp_ready_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      op_q <= '0;
      slot_q <= '0;
      flags_q <= '0;
    end else if (wipe) begin
      op_q <= '0;
      slot_q <= '0;
      flags_q <= '0;
    end else if (job_write_i && !busy_o) begin
      op_q <= data_i[5:0];
      slot_q <= data_i[8+:SlotW];
      flags_q <= data_i[23:16];
    end
  end

  assign zeroize_o = wipe;
  assign job_o = {8'd0, flags_q, 8'(slot_q), 2'd0, op_q};
  assign req_op_o = op_q;
  assign req_slot_o = slot_q;
  assign req_flags_o = flags_q;
  assign status_o = answer_o ? rsp_status_i : ecsm_pkg::StatusOk;
  assign cycles_o = answer_o ? 32'(rsp_cycles_i) : '0;

  // ------------------------------------------------------------------ strings in
  logic write, put, in_full, in_pop, in_any, drop;
  logic [2:0] octets;
  logic [35:0] in_word;
  logic [CountW-1:0] in_count, in_room;

  assign write = in_write_i | (|in_last_write_i);
  assign put = write & busy_o & ~in_full;
  assign drop = wipe | ~busy_o;
  assign in_any = in_count != '0;
  assign in_full = in_room == '0;

  always_comb begin
    octets = in_write_i ? 3'd4 : 3'd0;
    for (int unsigned n = 1; n <= 4; n++) if (in_last_write_i[n]) octets |= 3'(n);
  end

  ecsm_block_fifo #(
    .W(36),
    .Depth(Depth)
  ) u_in (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(drop),
    .put_i(put),
    .data_i({~in_write_i, octets, data_i}),
    .pop_i(in_any & in_pop),
    .data_o(in_word),
    .count_o(in_count),
    .room_o(in_room)
  );

  if (Packs) begin : gen_octets
    assign in_pop = in_ready_i;
    assign in_valid_o = in_any;
    assign in_data_o = {in_word[31:0], 32'd0};
    assign in_bytes_o = {1'b0, in_word[34:32]};
    assign in_last_o = in_word[35];
  end else begin : gen_words
    ecsm_block_widen #(
      .Zeros(Zeros)
    ) u_widen (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .clear_i(drop),
      .in_valid_i(in_any),
      .in_ready_o(in_pop),
      .in_data_i(in_word[31:0]),
      .in_bytes_i(in_word[34:32]),
      .in_last_i(in_word[35]),
      .out_valid_o(in_valid_o),
      .out_ready_i(in_ready_i),
      .out_data_o(in_data_o),
      .out_bytes_o(in_bytes_o),
      .out_last_o(in_last_o)
    );
  end

  assign room_o = busy_o ? in_room : '0;
  assign half_o = busy_o && in_room >= CountW'(Depth / 2);

  // ------------------------------------------------------------------ strings out
  logic refuse_all, out_full, narrow_valid, narrow_last;
  logic [31:0] narrow_data;
  logic [ 2:0] narrow_octets;
  logic [35:0] out_word;
  logic [CountW-1:0] out_room;

  assign out_full = out_room == '0;
  assign refuse_all = wipe | rsp_ready_o | (answer_o && rsp_status_i != ecsm_pkg::StatusOk);

  ecsm_block_narrow u_narrow (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(refuse_all),
    .in_valid_i(out_valid_i),
    .in_ready_o(out_ready_o),
    .in_data_i(out_data_i),
    .in_bytes_i(out_bytes_i),
    .in_last_i(out_last_i),
    .out_valid_o(narrow_valid),
    .out_ready_i(~out_full),
    .out_data_o(narrow_data),
    .out_bytes_o(narrow_octets),
    .out_last_o(narrow_last)
  );

  ecsm_block_fifo #(
    .W(36),
    .Depth(Depth)
  ) u_out (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(refuse_all),
    .put_i(narrow_valid & ~out_full),
    .data_i({narrow_last, narrow_octets, narrow_data}),
    .pop_i(out_read_i & ~underrun_o),
    .data_o(out_word),
    .count_o(out_count_o),
    .room_o(out_room)
  );

  assign out_data_o = out_word[31:0];
  assign {out_last_o, out_octets_o} = out_count_o == '0 ? '0 : out_word[35:32];

  // ------------------------------------------------------------------ refusals
  assign locked_o = (job_write_i & busy_o) | (write & ~busy_o & ~answer_o);
  assign overrun_o = write & busy_o & in_full;
  assign underrun_o = out_read_i && (out_count_o == '0 || refuse_all);

endmodule

`default_nettype wire
