// SPDX-License-Identifier: Apache-2.0
//
// Moves a byte string from one place to another, one word a cycle, and shifts it.
//
//   from_*[..] --> in_q -+
//                        +--> {previous, source} >> right --> XOR, mask --> out_q --> to_*[..]
//   memory: read_data_i -+                                     ^      |
//      ^                                                       |      +--> compare: differs_o
//      +-- read_o, read_address_o      operand (read_data_i) --+
//
// A move (scheme_pkg::move_t) begins in a cycle with start_i; start_i needs ready_o. It reads words
// w[0], w[1], .. of its source and sends
//
//   o[i] = the low W bits of {w[i-1], w[i]} >> right,   w[-1] = 0.
//
// With skip it does not send o[0]. With flush it sends one more word, made with a zero word after
// the last one. It ends when it has sent octets bytes. The last word may have fewer bytes than
// W / 8; zeros follow them. So it reads ceil(octets / 8) + skip - flush words. This converts
// strings to numbers and back: strings are aligned left in their words, numbers are aligned right.
// An empty string is one word of 0 bytes.
//
// whole: words pass unchanged up to the source's word with last, at most octets bytes if octets is
// not 0. The channel keeps the number of bytes that such a move brought from the host to memory, or
// that AES put there (kept_i, kept_length_i). A move from memory with whole has this number of
// bytes. behind: a string in memory begins that many bytes further on, and is shifted accordingly;
// skip and flush have no effect.
//
// Words of a host's string must be full but the last, which may be empty if whole is set. The
// string must have the length of the move, and end with last. If not, malformed_o is high until
// clear_i, and the channel stops. The shift of a host's string is a multiple of 8 bits.
//
//   ModeXor       XORs the words with those of memory from address on
//   ModeCompare   raises differs_o at the first word that differs from memory's, until forget_i
//
// With last in the move the string ends for the sink; without it, the next move continues the
// string. Bytes of a word that are not valid (bytes_o) are zero.
//
// Memory: read_o requests the word at read_address_o. It is on read_data_i one cycle later and
// stays until the next read_o.
//
// No path goes through: a word of a stream waits in in_q, and one that a sink does not take at once
// in spare_q, behind out_q. So from_ready_o depends on registers only. Words of a whole string of
// the host move in every second cycle, others in every one.
//
// Latency: the first word goes out two cycles after start_i from memory, three from a stream that
// does not wait. ready_o is high when the last word moves to memory or to nothing, and after it has
// moved to another sink. Cycles depend on lengths only. clear_i ends the move and zeroes every
// register.

`default_nettype none

module scheme_channel
  import scheme_pkg::*;
(
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 start_i,
  input  move_t                move_i,
  output logic                 ready_o,
  // Address of the key slot. An address within the slot is added by XOR.
  input  logic  [AddressW-1:0] key_i,
  // Sources, by from_e. The entry of memory is not used.
  input  logic  [ NumFrom-1:0] from_valid_i,
  output logic  [ NumFrom-1:0] from_ready_o,
  input  logic  [       W-1:0] from_data_i   [NumFrom],
  input  logic  [  BytesW-1:0] from_bytes_i  [NumFrom],
  input  logic  [ NumFrom-1:0] from_last_i,
  // Sinks, by to_e.
  output logic  [   NumTo-1:0] to_valid_o,
  input  logic  [   NumTo-1:0] to_ready_i,
  output logic  [       W-1:0] to_data_o,
  output logic  [  BytesW-1:0] to_bytes_o,
  output logic                 to_last_o,
  // target_o: where to_data_o goes, an address in memory or a register. origin_o: the register
  // that is read; it is move_i.address, or move_i.target if ModeXor or ModeCompare needs the
  // address.
  output logic  [AddressW-1:0] target_o,
  output logic  [AddressW-1:0] origin_o,
  // Bytes of the last whole string in memory.
  output logic  [ OctetsW-1:0] length_o,
  input  logic                 kept_i,
  input  logic  [ OctetsW-1:0] kept_length_i,
  output logic                 read_o,
  output logic  [AddressW-1:0] read_address_o,
  input  logic  [       W-1:0] read_data_i,
  input  logic                 forget_i,
  output logic                 differs_o,
  output logic                 malformed_o
);

  localparam int unsigned N = W / 8;
  localparam int unsigned ReadsW = OctetsW - 2;

  // A word on its way out. One that is not valid is zeros.
  typedef struct packed {
    logic valid;
    logic last;
    logic [BytesW-1:0] bytes;
    logic [W-1:0] data;
  } out_t;

  move_t move_d, move_q;  // octets: bytes that have not gone into out_q
  logic run_d, run_q;
  // Words still to read from memory, or to take from the stream.
  logic [ReadsW-1:0] reads_d, reads_q;
  logic open_d, open_q;  // the stream has words that are still to take
  logic [ReadsW-1:0] fetches_d, fetches_q;  // words still to fetch from memory
  logic fetched_d, fetched_q;
  logic [W-1:0] previous_d, previous_q;
  logic in_valid_d, in_valid_q, in_last_d, in_last_q;
  logic bad_d, bad_q;  // the host's word in in_q is malformed
  logic [W-1:0] in_d, in_q;
  logic [BytesW-1:0] in_bytes_d, in_bytes_q;
  out_t out_d, out_q, spare_d, spare_q;
  logic [AddressW-1:0] target_d, target_q;  // of out_q; move_q.address: of the next word to fetch
  logic differs_d, differs_q, malformed_d, malformed_q;
  logic limited_d, limited_q;  // a whole string with a maximum of octets
  logic [OctetsW-1:0] length_d, length_q;  // of the last whole string in memory

  function automatic logic [ReadsW-1:0] words(logic [OctetsW-1:0] octets);
    return ReadsW'((32'(octets) + N - 1) / N);
  endfunction

  // The move that begins.
  move_t first;
  logic [ReadsW-1:0] first_reads;
  always_comb begin
    first = move_i;
    if (move_i.key && (move_i.from == FromMemory || move_i.mode != ModeCopy)) begin
      first.address = key_i ^ move_i.address;
    end else if (move_i.key) begin
      first.target = key_i ^ move_i.target;
    end
    if (move_i.from == FromMemory && move_i.whole) begin
      first.octets = length_q;
      first.whole = 1'b0;
    end
    first_reads = words(first.octets) + ReadsW'(first.skip) -
        ReadsW'(first.flush && first.octets != '0);
    if (move_i.behind) begin
      first.address = move_i.address + AddressW'(length_q / OctetsW'(N));
      first.right = -{length_q[2:0], 3'b000};
      first.skip = length_q[2:0] != '0;
      first_reads = words(first.octets + OctetsW'(length_q[2:0]));
    end
  end

  // ------------------------------------------------------------------ a step
  logic
      memory,
      keeps,
      operand,
      has_operand,
      wants,
      take,
      accepts,
      free,
      step,
      emit,
      source_valid,
      source_last,
      final_word;
  logic [W-1:0] source, shifted, result, mask;
  logic [BytesW-1:0] source_bytes, count;

  assign memory = move_q.from == FromMemory;
  assign keeps = move_q.whole && move_q.from == FromHost && move_q.to == ToMemory;
  assign operand = move_q.mode != ModeCopy;
  // This step needs a word of the source.
  assign wants = in_valid_q || move_q.whole || reads_q != '0;
  assign emit = !move_q.skip;
  always_comb begin
    source_valid = memory ? fetched_q : in_valid_q;
    source_last = memory ? 1'b0 : in_last_q;
    source_bytes = memory ? BytesW'(N) : in_bytes_q;
    source = '0;
    if (wants) source = memory ? read_data_i : in_q;
  end

  // Memory and nothing accept every word.
  assign accepts = move_q.to == ToMemory || move_q.to == ToNothing;
  assign has_operand = !(operand && emit) || fetched_q;
  assign free = run_q && !spare_q.valid && !malformed_q && has_operand;
  assign step = free && (!wants || source_valid);

  assign shifted = W'({previous_q, source} >> move_q.right);
  always_comb begin
    count = (move_q.octets >= OctetsW'(N)) ? BytesW'(N) : BytesW'(move_q.octets);
    final_word = move_q.octets <= OctetsW'(N);
    if (move_q.whole) begin
      count = source_bytes;
      final_word = source_last;
    end
    mask = ~({W{1'b1}} >> {count, 3'b000});
    result = (shifted ^ ((move_q.mode == ModeXor) ? read_data_i : '0)) & mask;
  end

  // Checks the host's word: one of a string whose length is known when it is taken. The number of
  // octets left, modulo that of a word, is the same in all steps.
  logic wrong, ends, over, slow;
  logic [BytesW-1:0] host_bytes, wanted;
  assign host_bytes = from_bytes_i[FromHost];
  assign ends = reads_q == ReadsW'(1);
  assign wanted = BytesW'((move_q.octets - OctetsW'(1)) % OctetsW'(N)) + BytesW'(1) -
      BytesW'(move_q.right[5:3]);
  always_comb begin
    if (!from_last_i[FromHost]) bad_d = host_bytes != BytesW'(N);
    else bad_d = move_q.whole ? host_bytes > BytesW'(N) : host_bytes != wanted;
    if (!move_q.whole && from_last_i[FromHost] != ends) bad_d = 1'b1;
    bad_d &= move_q.from == FromHost;
    over  = move_q.whole && limited_q && OctetsW'(in_bytes_q) > move_q.octets;
    wrong = in_valid_q && (bad_q || (over && move_q.from == FromHost));
  end

  // No word follows a wrong one of the host: it may be of another string. So a word of a whole
  // string is taken when the one before it has been compared with the limit.
  always_comb begin
    from_ready_o = '0;
    slow = move_q.whole && move_q.from == FromHost;
    from_ready_o[move_q.from] = open_q && (!in_valid_q || (free && !slow));
    take = from_ready_o[move_q.from] && from_valid_i[move_q.from];
    to_valid_o = '0;
    to_valid_o[move_q.to] = out_q.valid;
  end
  assign to_data_o = out_q.data;
  assign to_bytes_o = out_q.bytes;
  assign to_last_o = out_q.last;
  assign origin_o = operand ? target_q : move_q.address;
  assign length_o = length_q;
  assign differs_o = differs_q;
  assign malformed_o = malformed_q;

  // ------------------------------------------------------------------ words of memory
  logic used, first_fetch;
  assign first_fetch = first.from == FromMemory ? first_reads != '0 : first.mode != ModeCopy;
  assign used = step && (memory ? wants : operand && emit);
  assign read_o = (start_i && first_fetch) || (run_q && fetches_q != '0 && (!fetched_q || used));
  assign read_address_o = start_i ? first.address : move_q.address;


  // ------------------------------------------------------------------ state
  assign target_o = target_q;

  out_t made;
  logic moves;
  assign made  = '{valid: 1'b1, last: final_word && move_q.last, bytes: count, data: result};
  assign moves = out_q.valid && (accepts || to_ready_i[move_q.to]);

  always_comb begin
    move_d = move_q;
    run_d = run_q;
    reads_d = reads_q;
    open_d = open_q;
    fetches_d = fetches_q;
    fetched_d = fetched_q && !used;
    previous_d = previous_q;
    in_valid_d = in_valid_q;
    in_d = in_q;
    in_bytes_d = in_bytes_q;
    in_last_d = in_last_q;
    out_d = moves ? spare_q : out_q;
    spare_d = moves ? '0 : spare_q;
    target_d = target_q;
    differs_d = differs_q && !forget_i;
    malformed_d = malformed_q;
    limited_d = limited_q;
    length_d = length_q;

    if (moves) target_d = target_q + AddressW'(move_q.to == ToMemory);
    if (step && wants && !memory) begin
      in_valid_d = 1'b0;
      in_d = '0;
      in_bytes_d = '0;
      in_last_d = 1'b0;
    end
    if (take) begin
      in_valid_d = 1'b1;
      in_d = from_data_i[move_q.from];
      in_bytes_d = from_bytes_i[move_q.from];
      in_last_d = from_last_i[move_q.from];
      if (!move_q.whole) begin
        reads_d = reads_q - ReadsW'(1);
        open_d  = reads_q != ReadsW'(1);
      end
      if (bad_d || (from_last_i[move_q.from] && move_q.whole)) open_d = 1'b0;
    end
    if (step) begin
      previous_d = source;
      move_d.skip = 1'b0;
      if (memory && wants) reads_d = reads_q - ReadsW'(1);
      if (wrong) begin
        malformed_d = 1'b1;
        run_d = 1'b0;
        open_d = 1'b0;
      end else if (emit) begin
        if (!out_q.valid || moves) out_d = made;
        else spare_d = made;
        move_d.octets = move_q.octets - OctetsW'(count);
        run_d = !final_word;
        if (keeps) length_d = length_q + OctetsW'(count);
        if (move_q.mode == ModeCompare && result != (read_data_i & mask)) differs_d = 1'b1;
      end
    end
    if (kept_i) length_d = kept_length_i;
    if (read_o) begin
      fetched_d = 1'b1;
      move_d.address = read_address_o + AddressW'(1);
      fetches_d = fetches_q - ReadsW'(1);
    end

    if (start_i) begin
      move_d = first;
      move_d.address = first.address + AddressW'(first_fetch);
      run_d = 1'b1;
      reads_d = first_reads;
      open_d = first.from != FromMemory && (first.whole || first_reads != '0);
      fetches_d = first.from == FromMemory ? first_reads : words(first.octets);
      if (first.from != FromMemory && first.mode == ModeCopy) fetches_d = '0;
      else if (first_fetch) fetches_d = fetches_d - ReadsW'(1);
      previous_d = '0;
      target_d = first.target;
      limited_d = first.octets != '0;
      if (first.whole && first.from == FromHost && first.to == ToMemory) length_d = '0;
    end
  end

  assign ready_o = !run_q && (!out_q.valid || accepts);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      open_q <= 1'b0;
      out_q <= '0;
      spare_q <= '0;
      in_valid_q <= 1'b0;
      fetched_q <= 1'b0;
      differs_q <= 1'b0;
      malformed_q <= 1'b0;
    end else if (clear_i) begin
      run_q <= 1'b0;
      open_q <= 1'b0;
      out_q <= '0;
      spare_q <= '0;
      in_valid_q <= 1'b0;
      fetched_q <= 1'b0;
      differs_q <= 1'b0;
      malformed_q <= 1'b0;
    end else begin
      run_q <= run_d;
      open_q <= open_d;
      out_q <= out_d;
      spare_q <= spare_d;
      in_valid_q <= in_valid_d;
      fetched_q <= fetched_d;
      differs_q <= differs_d;
      malformed_q <= malformed_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      move_q <= '0;
      reads_q <= '0;
      fetches_q <= '0;
      previous_q <= '0;
      in_q <= '0;
      in_bytes_q <= '0;
      in_last_q <= 1'b0;
      bad_q <= 1'b0;
      target_q <= '0;
      limited_q <= 1'b0;
      length_q <= '0;
    end else begin
      move_q <= move_d;
      reads_q <= reads_d;
      fetches_q <= fetches_d;
      previous_q <= previous_d;
      in_q <= in_d;
      in_bytes_q <= in_bytes_d;
      in_last_q <= in_last_d;
      if (take) bad_q <= bad_d;
      target_q <= target_d;
      limited_q <= limited_d;
      length_q <= length_d;
    end
  end

endmodule

`default_nettype wire
