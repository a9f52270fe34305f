// SPDX-License-Identifier: Apache-2.0
//
// The datapath of the engine for halving: registers, memories, operand network, two multipliers of
// two stages and the maps of a halving. It holds all field elements. Block diagram: gf2m_halving.
//
//   enable_i      enables of the terms, write_i of the writes; read_slot_i and write_slot_i are the
//                 slots of the memories; gf2m_halving_gates decodes all of them for this cycle
//   take_i        writes x_i and y_i to registers InX and InY; no term may be enabled in this cycle
//   clear_i       clears the registers and slot clear_slot_i of every memory; no term may be
//                 enabled
//   trace_o       the trace of u = product 0 + register 0
//   zero_o        the sum at the tester was zero in the cycle before
//   register_o    the registers
//
// Multiplier u multiplies registers 2u and 2u + 1 in every cycle. Latency: a write is readable in
// the next cycle; a product is a source one cycle after its operands are in the registers.
`default_nettype none

module gf2m_halving_datapath
  import gf2m_engine_pkg::term_t;
#(
  parameter int unsigned M = 8,
  parameter bit [M:0] Poly = '0,
  parameter int unsigned KaratsubaDepth = 0,
  parameter int unsigned Height = 0,
  parameter bit [M*M-1:0] Root = '0,  // matrices, described in gf2m_halving
  parameter bit [M*M-1:0] Half = '0,
  parameter bit [M*M-1:0] Square = '0,
  parameter bit [M-1:0] Trace = '0,
  parameter int unsigned NumReg = 8,
  parameter int unsigned NumBank = 1,
  parameter int unsigned SlotW = 2,
  parameter int unsigned NumConst = 1,
  parameter int unsigned NumMap = 1,
  parameter int unsigned NumTerm = 1,
  parameter bit [NumConst-1:0][M-1:0] Consts = '0,
  parameter bit [NumMap-1:0][M*M-1:0] Maps = '0,
  parameter term_t [NumTerm-1:0] Terms = '0,
  parameter int unsigned InX = 0,
  parameter int unsigned InY = 1,
  localparam int unsigned NumPlace = NumReg + NumBank
) (
  input  logic                           clk_i,
  input  logic                           clear_i,
  input  logic [   SlotW-1:0]            clear_slot_i,
  input  logic                           take_i,
  input  logic [       M-1:0]            x_i,
  input  logic [       M-1:0]            y_i,
  input  logic [ NumTerm-1:0]            enable_i,
  input  logic [NumPlace-1:0]            write_i,
  input  logic [ NumBank-1:0][SlotW-1:0] read_slot_i,
  input  logic [ NumBank-1:0][SlotW-1:0] write_slot_i,
  output logic                           trace_o,
  output logic                           zero_o,
  output logic [       M-1:0]            register_o  [NumReg]
);

  localparam int unsigned NumMul = 2;
  localparam int unsigned NumRead = NumPlace + NumConst;
  localparam int unsigned NumSlot = 1 << SlotW;
  localparam int unsigned NumSource = NumRead + 2 * NumMul + 2;
  localparam int unsigned SourceHalf = NumRead + 2 * NumMul;
  localparam int unsigned SourceRoot = SourceHalf + 1;

  // ------------------------------------------------------------------ multipliers and halving
  logic [M-1:0] product[NumMul];
  logic [M-1:0] halved, root, half;

  for (genvar u = 0; u < NumMul; u++) begin : gen_mul
    gf2m_mul_karatsuba #(
      .M(M),
      .Poly(Poly),
      .Depth(KaratsubaDepth),
      .Stages(2),
      .Height(Height)
    ) u_mul (
      .clk_i(clk_i),
      .a_i(register_o[2*u]),
      .b_i(register_o[2*u+1]),
      .p_o(product[u])
    );
  end

  assign halved = product[0] ^ register_o[0];
  assign trace_o = ^(halved & Trace);

  gf2m_linear #(
    .M(M),
    .Matrix(Root)
  ) u_root (
    .x_i(halved),
    .y_o(root)
  );

  gf2m_halftrace #(
    .M(M),
    .Matrix(Half)
  ) u_half (
    .x_i(halved),
    .y_o(half)
  );

  // ------------------------------------------------------------------ network and registers
  logic [M-1:0] source[NumSource];
  for (genvar i = 0; i < NumReg; i++) begin : gen_source_register
    assign source[i] = register_o[i];
  end
  for (genvar i = 0; i < NumConst; i++) begin : gen_source_const
    assign source[NumPlace+i] = Consts[i];
  end
  for (genvar i = 0; i < NumMul; i++) begin : gen_source_product
    assign source[NumRead+i] = product[i];
    gf2m_linear #(
      .M(M),
      .Matrix(Square)
    ) u_square (
      .x_i(product[i]),
      .y_o(source[NumRead+NumMul+i])
    );
  end
  assign source[SourceHalf] = half;
  assign source[SourceRoot] = root;

  logic [NumReg-1:0] write_or_take;
  logic [M-1:0] write_data[NumReg];
  for (genvar r = 0; r < NumReg; r++) begin : gen_write
    logic [M-1:0] form;
    gf2m_form #(
      .M(M),
      .Sink(r),
      .NumSource(NumSource),
      .NumTerm(NumTerm),
      .NumMap(NumMap),
      .Terms(Terms),
      .Maps(Maps)
    ) u_form (
      .enable_i(enable_i),
      .source_i(source),
      .form_o(form)
    );
    // No word executes in a cycle that may accept a request, so the form is zero then.
    if (r == InX || r == InY) begin : gen_request
      logic [M-1:0] coordinate;
      assign coordinate = (r == InX) ? x_i : y_i;
      assign write_data[r] = form ^ (coordinate & {M{take_i}});
      assign write_or_take[r] = write_i[r] | take_i;
    end else begin : gen_form
      assign write_data[r] = form;
      assign write_or_take[r] = write_i[r];
    end
  end

  ecsm_regfile #(
    .W(M),
    .NumReg(NumReg)
  ) u_regfile (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .we_i(write_or_take),
    .data_i(write_data),
    .data_o(register_o)
  );

  // While the engine clears, no term is enabled, so the form that is written is zero.
  for (genvar b = 0; b < NumBank; b++) begin : gen_bank
    logic [M-1:0] form;
    gf2m_form #(
      .M(M),
      .Sink(NumReg + b),
      .NumSource(NumSource),
      .NumTerm(NumTerm),
      .NumMap(NumMap),
      .Terms(Terms),
      .Maps(Maps)
    ) u_form (
      .enable_i(enable_i),
      .source_i(source),
      .form_o(form)
    );
    ecsm_bank #(
      .Depth(NumSlot),
      .W(M)
    ) u_bank (
      .clk_i(clk_i),
      .we_i(write_i[NumReg+b] | clear_i),
      .address_i(clear_i ? clear_slot_i : write_slot_i[b]),
      .data_i(form),
      .read_i(read_slot_i[b]),
      .data_o(source[NumReg+b])
    );
  end

  logic [M-1:0] tested, tested_q;
  gf2m_form #(
    .M(M),
    .Sink(NumPlace),
    .NumSource(NumSource),
    .NumTerm(NumTerm),
    .NumMap(NumMap),
    .Terms(Terms),
    .Maps(Maps)
  ) u_tester (
    .enable_i(enable_i),
    .source_i(source),
    .form_o(tested)
  );
  always_ff @(posedge clk_i) tested_q <= tested;
  assign zero_o = tested_q == '0;

endmodule

`default_nettype wire
