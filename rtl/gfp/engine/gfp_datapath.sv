// SPDX-License-Identifier: Apache-2.0
//
// The datapath of a GF(p) engine: banks of registers, operand network, multiplier, adder, and the
// table of the point's multiples. Decoded words control it. Block diagram: gfp_engine.
//
//   load_i, slot_i     writes x_i and y_i to register 0 of bank 0 and bank 1 of thread slot_i
//   read_i             the registers that the sinks read, of thread fetch_i; the adder's sink reads
//                      those of the thread ahead_i places after it
//   index_i            the table entry that is read, of thread fetch_i; with fixed_i the constant
//                      entry number_i is read instead, and with base_i constant_i
//   enable_i           enables of the terms, by number
//   moves_i            the registers and table columns of thread thread_i that store the result on
//                      the output of the multiplier or the adder in this cycle
//   entry_i            the table entry that they write: [0] for the multiplier's result, [1] for
//                      the adder's
//   clear_i            writes zero to register and entry clear_number_i of every bank and column;
//                      the number runs through all threads
//   matrix_i           the matrix of the division steps; sum_o: the output of the adder
//
// Latency: a product takes the latency of the multiplier (gfp_mul, gfp_mul_column, gfp_mul_folded,
// gfp_mul_montgomery). A sum takes 2 cycles, or the latency of gfp_add or gfp_add_table if the
// adder is in DSP blocks. Both count from the cycle of their terms. A table entry is readable one
// cycle after its index, a register at once. With several threads the operands have a rank of
// registers too, and a sum takes one turn: Threads cycles. Registers and entries are readable Fetch
// cycles after their request. Several threads require gfp_mul, and more than Fetch of them.

`default_nettype none

module gfp_datapath
  import gfp_engine_pkg::*;
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter mul_e Mul = MulWhole,
  parameter int unsigned Step = 1,  // bits of a digit, for multipliers other than MulWhole
  parameter int unsigned NumStep = 1,  // digits
  parameter int unsigned PW = 256,
  parameter bit [PW-1:0] P = '1,
  parameter bit [S.num_product-1:0][S.num_limb-1:0] Pick = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Plus = '0,
  parameter bit [2*S.num_limb-2:0][S.num_product-1:0] Minus = '0,
  parameter bit signed [S.num_cut-1:0][S.num_word-1:0][63:0] Rows = '0,
  parameter bit [S.num_word-1:0][S.out_w-1:0] WordOffset = '0,
  parameter bit signed [S.num_limb-1:0][63:0] Fold = '0,
  parameter bit [S.num_round-1:0][S.num_limb-1:0][S.joined_w-1:0] Offset = '0,
  parameter bit [S.num_add_round-1:0][S.num_limb-1:0][S.op_w-1:0] AddOffset = '0,
  parameter int unsigned CoordW = 256,
  parameter int unsigned Threads = 1,
  parameter int unsigned EntryW = 4,
  parameter bit HasFixed = 1'b0,  // see gfp_table
  parameter int unsigned NumFixed = 1,
  parameter bit [NumFixed-1:0][NumColumn-1:0][S.num_limb-1:0][S.reg_w-1:0] Fixed = '0,
  parameter bit HasBase = 1'b0,
  parameter int unsigned MatrixW = 64,
  parameter int unsigned NumConst = 1,
  parameter int unsigned NumTerm = 1,
  parameter bit [NumConst-1:0][S.num_limb-1:0][S.op_w-1:0] Consts = '0,
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter int unsigned ClearW = 5,  // bits of clear_number_i
  localparam int unsigned FixedW = (NumFixed > 1) ? $clog2(NumFixed) : 1,
  localparam int unsigned ThreadW = (Threads > 1) ? $clog2(Threads) : 1
) (
  input  logic                                                      clk_i,
  input  logic                                                      load_i,
  input  logic        [   ThreadW-1:0]                              slot_i,
  input  logic        [    CoordW-1:0]                              x_i,
  input  logic        [    CoordW-1:0]                              y_i,
  input  reads_t                                                    read_i,
  input  logic        [   ThreadW-1:0]                              fetch_i,
  input  logic        [   ThreadW-1:0]                              ahead_i,
  input  logic        [    EntryW-1:0]                              index_i,
  input  logic                                                      fixed_i,
  input  logic        [    FixedW-1:0]                              number_i,
  input  logic                                                      base_i,
  input  logic        [   NumBase-1:0][S.num_limb-1:0][S.reg_w-1:0] constant_i,
  input  logic        [   NumTerm-1:0]                              enable_i,
  input  moves_t                                                    moves_i,
  input  logic        [   ThreadW-1:0]                              thread_i,
  input  logic        [           1:0][    EntryW-1:0]              entry_i,
  input  logic                                                      clear_i,
  input  logic        [    ClearW-1:0]                              clear_number_i,
  input  logic signed [   MatrixW-1:0]                              matrix_i      [NumMatrix],
  output logic        [S.num_limb-1:0][   S.reg_w-1:0]              sum_o
);

  localparam int unsigned LimbW = limb_w(S);
  localparam int unsigned ResidueW = S.num_limb * S.reg_w;
  localparam bit Many = Threads > 1;
  // With several threads an address is {thread, number}.
  localparam int unsigned AddressW = Many ? BankW + ThreadW : BankW;
  localparam int unsigned PlaceW = Many ? EntryW + ThreadW : EntryW;
  localparam int unsigned SignLimb = (MatrixW - 2) / LimbW;  // highest limb of a matrix entry

  typedef logic [S.num_limb-1:0][S.reg_w-1:0] residue_t;
  typedef logic [S.num_limb-1:0][S.op_w-1:0] operand_t;

  residue_t product, sum;
  residue_t [NumColumn-1:0] entry;

  // ------------------------------------------------------------------ sources
  localparam int unsigned NumSource = FirstConst + NumConst;
  // The sources that all sinks share. The first sources, the registers, differ from sink to sink.
  operand_t [NumSource-1:SourceProduct] shared;

  function automatic operand_t widen(residue_t v);
    for (int unsigned k = 0; k < S.num_limb; k++) widen[k] = (S.op_w)'(v[k]);
  endfunction

  // A signed number in limbs: the low limbs are unsigned, and the highest one that it needs has its
  // sign.
  function automatic operand_t spread(logic signed [MatrixW-1:0] v);
    spread = '0;
    for (int unsigned k = 0; k < S.num_limb; k++) begin
      if (k == SignLimb) spread[k] = (S.op_w)'(v >>> (LimbW * k));
      else if (k + 1 <= SignLimb) spread[k] = (S.op_w)'(unsigned'(LimbW'(v >> (LimbW * k))));
    end
  endfunction

  assign shared[SourceProduct] = widen(product);
  assign shared[SourceSum] = widen(sum);
  for (genvar c = 0; c < NumColumn; c++) begin : gen_source_entry
    assign shared[FirstEntry+c] = widen(entry[c]);
  end
  for (genvar i = 0; i < NumMatrix; i++) begin : gen_source_matrix
    assign shared[FirstMatrix+i] = spread(matrix_i[i]);
  end
  for (genvar i = 0; i < NumConst; i++) begin : gen_source_const
    assign shared[FirstConst+i] = Consts[i];
  end

  // ------------------------------------------------------------------ operands and units
  operand_t form[NumSink];
  residue_t [NumBank-1:0][NumSink-1:0] register;
  for (genvar s = 0; s < NumSink; s++) begin : gen_form
    operand_t [NumBank-1:0] own;
    for (genvar b = 0; b < NumBank; b++) begin : gen_own
      assign own[b] = widen(register[b][s]);
    end

    gfp_form #(
      .NumLimb(S.num_limb),
      .OpW(S.op_w),
      .Sink(s),
      .NumSlot(NumSlot),
      .NumOwn(NumBank),
      .NumSource(NumSource),
      .NumTerm(NumTerm),
      .Terms(Terms),
      .Rank(Many)
    ) u_form (
      .clk_i(clk_i),
      .enable_i(enable_i),
      .own_i(own),
      .shared_i(shared),
      .form_o(form[s])
    );
  end

  if (Mul == MulWhole) begin : gen_whole
    gfp_mul #(
      .S(S),
      .Pick(Pick),
      .Plus(Plus),
      .Minus(Minus),
      .Rows(Rows),
      .WordOffset(WordOffset),
      .Fold(Fold),
      .Offset(Offset)
    ) u_mul (
      .clk_i(clk_i),
      .a_i(form[0]),
      .b_i(form[1]),
      .p_o(product)
    );
  end else begin : gen_serial
    // A word that enables a term of the multiplier's operand 0 starts a product.
    function automatic bit [NumTerm-1:0] mul_terms();
      for (int unsigned t = 0; t < NumTerm; t++) mul_terms[t] = Terms[t].sink == 8'd0;
    endfunction
    logic start;
    assign start = |(enable_i & mul_terms());

    if (Mul == MulColumn) begin : gen_column
      gfp_mul_column #(
        .S(S),
        .Step(Step),
        .NumStep(NumStep),
        .Rows(Rows),
        .WordOffset(WordOffset),
        .Fold(Fold),
        .Offset(Offset)
      ) u_mul (
        .clk_i(clk_i),
        .clear_i(clear_i),
        .start_i(start),
        .a_i(form[0]),
        .b_i(form[1]),
        .p_o(product)
      );
    end else if (Mul == MulFolded) begin : gen_folded
      gfp_mul_folded #(
        .S(S),
        .Pick(Pick),
        .Plus(Plus),
        .Minus(Minus),
        .Rows(Rows),
        .WordOffset(WordOffset),
        .Fold(Fold),
        .Offset(Offset)
      ) u_mul (
        .clk_i(clk_i),
        .clear_i(clear_i),
        .start_i(start),
        .a_i(form[0]),
        .b_i(form[1]),
        .p_o(product)
      );
    end else begin : gen_montgomery
      gfp_mul_montgomery #(
        .S(S),
        .PW(PW),
        .P(P),
        .Step(Step),
        .NumStep(NumStep)
      ) u_mul (
        .clk_i(clk_i),
        .clear_i(clear_i),
        .start_i(start),
        .a_i(form[0]),
        .b_i(form[1]),
        .p_o(product)
      );
    end
  end

  if (Mul == MulMontgomery) begin : gen_add_table
    gfp_add_table #(
      .S(S),
      .PW(PW),
      .P(P)
    ) u_add (
      .clk_i(clk_i),
      .v_i(form[2]),
      .q_o(sum)
    );
  end else begin : gen_add
    gfp_add #(
      .S(S),
      .Fold(Fold),
      .Offset(AddOffset),
      .Delay(Many ? Threads - 1 - add_latency(S) : 0)
    ) u_add (
      .clk_i(clk_i),
      .v_i(form[2]),
      .q_o(sum)
    );
  end

  assign sum_o = sum;

  // ------------------------------------------------------------------ registers and table
  function automatic residue_t split(logic [CoordW-1:0] v);
    for (int unsigned k = 0; k < S.num_limb; k++) begin
      if (k == S.num_limb - 1) split[k] = (S.reg_w)'(v >> (LimbW * k));
      else split[k] = (S.reg_w)'(LimbW'(v >> (LimbW * k)));
    end
  endfunction

  // The thread whose registers the adder's sink reads. Sums may use another thread; products may
  // not.
  logic [ThreadW-1:0] beside;
  if (Many) begin : gen_beside
    logic [ThreadW:0] sum_of;
    assign sum_of = (ThreadW + 1)'(fetch_i) + (ThreadW + 1)'(ahead_i);
    assign beside = ThreadW'((sum_of >= (ThreadW + 1)'(Threads))
        ? sum_of - (ThreadW + 1)'(Threads) : sum_of);
  end else begin : gen_alone
    assign beside = fetch_i;
    logic unused_ahead;
    assign unused_ahead = ^ahead_i;
  end

  residue_t [NumBank-1:0][NumSink-1:0] in_bank;
  for (genvar b = 0; b < NumBank; b++) begin : gen_bank
    residue_t data;
    logic [AddressW-1:0] address;
    logic we;
    always_comb begin
      data = moves_i.write[b].add ? sum : product;
      address = AddressW'({thread_i, moves_i.address[b]});
      we = moves_i.write[b].add | moves_i.write[b].mul;
      if (load_i) begin
        data = split((b == 0) ? x_i : y_i);
        address = AddressW'({slot_i, BankW'(0)});
        we = 1'b1;
      end
      if (clear_i) begin
        data = '0;
        address = AddressW'(clear_number_i);
        we = 1'b1;
      end
    end

    logic [NumSink-1:0][AddressW-1:0] read;
    for (genvar s = 0; s < NumSink; s++) begin : gen_sink
      assign read[s] = AddressW'({(s == AdderSink) ? beside : fetch_i, read_i[s][b]});
    end

    ecsm_bank #(
      .Depth(2 ** AddressW),
      .W(ResidueW),
      .NumRead(NumSink),
      .Sync(Many)
    ) u_bank (
      .clk_i(clk_i),
      .we_i(we),
      .address_i(address),
      .data_i(data),
      .read_i(read),
      .data_o(in_bank[b])
    );
  end

  ecsm_rank #(
    .Width(NumSink * NumBank * ResidueW),
    .Enable(Many)
  ) u_registers (
    .clk_i(clk_i),
    .d_i(in_bank),
    .q_o(register)
  );

  logic [NumColumn-1:0] store;
  logic [NumColumn-1:0][PlaceW-1:0] address;
  logic [NumColumn-1:0][ResidueW-1:0] stored;
  for (genvar c = 0; c < NumColumn; c++) begin : gen_store
    always_comb begin
      stored[c] = moves_i.store[c].add ? sum : product;
      address[c] = PlaceW'({thread_i, moves_i.store[c].add ? entry_i[1] : entry_i[0]});
      store[c] = moves_i.store[c].add | moves_i.store[c].mul;
      if (clear_i) begin
        stored[c] = '0;
        address[c] = PlaceW'(clear_number_i);
        store[c] = 1'b1;
      end
    end
  end

  gfp_table #(
    .NumColumn(NumColumn),
    .Depth(2 ** PlaceW),
    .W(ResidueW),
    .Rank(Many),
    .HasFixed(HasFixed),
    .NumFixed(NumFixed),
    .Fixed(Fixed),
    .HasBase(HasBase)
  ) u_table (
    .clk_i(clk_i),
    .we_i(store),
    .address_i(address),
    .data_i(stored),
    .index_i(PlaceW'({fetch_i, index_i})),
    .fixed_i(fixed_i),
    .number_i(number_i),
    .base_i(base_i),
    .constant_i(constant_i),
    .entry_o(entry)
  );

  if (Many && Threads <= Fetch) begin : gen_bad
    $error("gfp_datapath: one thread, or more than Fetch");
  end

endmodule

`default_nettype wire
