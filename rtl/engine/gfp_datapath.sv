// SPDX-License-Identifier: Apache-2.0
//
// The datapath of a GF(p) engine: registers, operand network, multiplier, adder and the table of the
// point's multiples. Decoded words drive it (gfp_engine).
//
//   load_i             x_i and y_i into registers 0 and 1
//   enable_i           terms that are open, by number
//   write_mul_i, ...   registers that take the result now on the multiplier's or the adder's output
//   store_mul_i, ...   columns of the table that do, and the entry
//   clear_i            registers to zero, and with clear_entry_i one entry of the table
//
// Latency: of a product 1 + its ranks, of a sum 2 cycles, from the cycle of their terms; an entry
// of the table is there one cycle after its index.

`default_nettype none

module gfp_datapath
  import gfp_engine_pkg::*;
  import gfp_pkg::*;
#(
  parameter shape_t S = '0,
  parameter bit [S[NumProduct]-1:0][S[NumLimb]-1:0] Pick = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Plus = '0,
  parameter bit [2*S[NumLimb]-2:0][S[NumProduct]-1:0] Minus = '0,
  parameter bit signed [S[NumCut]-1:0][S[NumWord]-1:0][63:0] Rows = '0,
  parameter bit [S[NumWord]-1:0][S[OutW]-1:0] WordOffset = '0,
  parameter bit signed [S[NumLimb]-1:0][63:0] Fold = '0,
  parameter bit [S[NumRound]-1:0][S[NumLimb]-1:0][S[JoinedW]-1:0] Offset = '0,
  parameter bit [S[NumAddRound]-1:0][S[NumLimb]-1:0][S[OpW]-1:0] AddOffset = '0,
  parameter int unsigned CoordW = 256,
  parameter int unsigned EntryW = 4,
  parameter int unsigned MatrixW = 64,
  parameter int unsigned NumReg = 8,
  parameter int unsigned NumConst = 1,
  parameter int unsigned NumSlot = 3,
  parameter int unsigned NumTerm = 1,
  parameter bit [NumConst-1:0][S[NumLimb]-1:0][S[OpW]-1:0] Consts = '0,
  parameter term_t [NumTerm-1:0] Terms = '0
) (
  input  logic                                 clk_i,
  input  logic                                 load_i,
  input  logic        [   CoordW-1:0]          x_i,
  input  logic        [   CoordW-1:0]          y_i,
  input  logic        [  NumTerm-1:0]          enable_i,
  input  logic        [   NumReg-1:0]          write_mul_i,
  input  logic        [   NumReg-1:0]          write_add_i,
  input  logic        [NumColumn-1:0]          store_mul_i,
  input  logic        [NumColumn-1:0]          store_add_i,
  input  logic        [   EntryW-1:0]          entry_mul_i,
  input  logic        [   EntryW-1:0]          entry_add_i,
  input  logic                                 clear_i,
  input  logic        [   EntryW-1:0]          clear_entry_i,
  input  logic        [   EntryW-1:0]          index_i,
  input  logic signed [  MatrixW-1:0]          matrix_i      [NumMatrix],
  output logic        [  S[NumLimb]-1:0][S[RegW]-1:0] sum_o,
  output logic        [  S[NumLimb]-1:0][S[RegW]-1:0] point_o   [2]  // registers 0 and 1
);

  localparam int unsigned LimbW = limb_w(S);
  localparam int unsigned ResidueW = S[NumLimb] * S[RegW];
  localparam int unsigned Entries = 2 ** EntryW;
  localparam int unsigned SignLimb = (MatrixW - 2) / LimbW;  // the highest that a matrix needs

  typedef logic [S[NumLimb]-1:0][S[RegW]-1:0] residue_t;
  typedef logic [S[NumLimb]-1:0][S[OpW]-1:0] operand_t;

  residue_t register[NumReg];
  residue_t product, sum;
  residue_t [NumColumn-1:0] entry;

  // ------------------------------------------------------------------ sources
  localparam int unsigned FirstEntry = NumReg + 2;
  localparam int unsigned FirstMatrix = FirstEntry + NumColumn;
  localparam int unsigned FirstConst = FirstMatrix + NumMatrix;
  localparam int unsigned NumSource = FirstConst + NumConst;
  operand_t [NumSource-1:0] source;

  function automatic operand_t widen(residue_t v);
    for (int unsigned k = 0; k < S[NumLimb]; k++) widen[k] = (S[OpW])'(v[k]);
  endfunction

  // A signed number in limbs: the low ones are full, the highest that it needs has its sign.
  function automatic operand_t spread(logic signed [MatrixW-1:0] v);
    for (int unsigned k = 0; k < S[NumLimb]; k++) begin
      if (k < SignLimb) spread[k] = (S[OpW])'(unsigned'(LimbW'(v >> (LimbW * k))));
      else if (k == SignLimb) spread[k] = (S[OpW])'(v >>> (LimbW * k));
      else spread[k] = '0;
    end
  endfunction

  for (genvar i = 0; i < NumReg; i++) begin : gen_source_register
    assign source[i] = widen(register[i]);
  end
  assign source[NumReg] = widen(product);
  assign source[NumReg+1] = widen(sum);
  for (genvar c = 0; c < NumColumn; c++) begin : gen_source_entry
    assign source[FirstEntry+c] = widen(entry[c]);
  end
  for (genvar i = 0; i < NumMatrix; i++) begin : gen_source_matrix
    assign source[FirstMatrix+i] = spread(matrix_i[i]);
  end
  for (genvar i = 0; i < NumConst; i++) begin : gen_source_const
    assign source[FirstConst+i] = Consts[i];
  end

  // ------------------------------------------------------------------ operands and units
  operand_t form[NumSink];
  for (genvar s = 0; s < NumSink; s++) begin : gen_form
    gfp_form #(
      .NumLimb(S[NumLimb]),
      .OpW(S[OpW]),
      .Sink(s),
      .NumSlot(NumSlot),
      .NumSource(NumSource),
      .NumTerm(NumTerm),
      .Terms(Terms)
    ) u_form (
      .enable_i(enable_i),
      .source_i(source),
      .form_o(form[s])
    );
  end

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

  gfp_add #(
    .S(S),
    .Fold(Fold),
    .Offset(AddOffset)
  ) u_add (
    .clk_i(clk_i),
    .v_i(form[2]),
    .q_o(sum)
  );

  assign sum_o = sum;

  // ------------------------------------------------------------------ registers and table
  function automatic residue_t split(logic [CoordW-1:0] v);
    for (int unsigned k = 0; k < S[NumLimb]; k++) begin
      if (k == S[NumLimb] - 1) split[k] = (S[RegW])'(v >> (LimbW * k));
      else split[k] = (S[RegW])'(LimbW'(v >> (LimbW * k)));
    end
  endfunction

  logic [ResidueW-1:0] write_data[NumReg];
  logic [ResidueW-1:0] read_data[NumReg];
  logic [NumReg-1:0] write_enable;
  for (genvar r = 0; r < NumReg; r++) begin : gen_register
    residue_t result;
    assign result = write_add_i[r] ? sum : product;
    if (r < 2) begin : gen_request
      assign write_data[r] = load_i ? split((r == 0) ? x_i : y_i) : result;
      assign write_enable[r] = load_i | write_mul_i[r] | write_add_i[r];
      assign point_o[r] = register[r];
    end else begin : gen_result
      assign write_data[r] = result;
      assign write_enable[r] = write_mul_i[r] | write_add_i[r];
    end
    assign register[r] = read_data[r];
  end

  ecsm_regfile #(
    .W(ResidueW),
    .NumReg(NumReg)
  ) u_regfile (
    .clk_i(clk_i),
    .clear_i(clear_i),
    .we_i(write_enable),
    .data_i(write_data),
    .data_o(read_data)
  );

  logic [NumColumn-1:0][EntryW-1:0] address;
  logic [NumColumn-1:0][ResidueW-1:0] stored;
  for (genvar c = 0; c < NumColumn; c++) begin : gen_store
    always_comb begin
      address[c] = entry_mul_i;
      stored[c] = product;
      if (store_add_i[c]) begin
        address[c] = entry_add_i;
        stored[c] = sum;
      end
      if (clear_i) begin
        address[c] = clear_entry_i;
        stored[c] = '0;
      end
    end
  end

  gfp_table #(
    .NumColumn(NumColumn),
    .Depth(Entries),
    .W(ResidueW)
  ) u_table (
    .clk_i(clk_i),
    .we_i(store_mul_i | store_add_i | {NumColumn{clear_i}}),
    .address_i(address),
    .data_i(stored),
    .index_i(index_i),
    .entry_o(entry)
  );

endmodule

`default_nettype wire
