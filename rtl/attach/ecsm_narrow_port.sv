// SPDX-License-Identifier: Apache-2.0
//
// The front of a unit on the narrow port (ecsm_narrow_pkg). It decodes functions, keeps the status,
// and passes words and programs to the unit.
//
//   req_* --> decode: kind, index --+--> write_o, reg_o, pair_o, data_o -> registers -> word_i
//                                   +--> start_o, run_o --> programs --> busy_i, done_i, ..
//                                   +--> status: error_q, full_q, infinity_q
//   rsp_* <-- rsp_q <-- word_i, status or information
//
// Parameters: the unit has NumReg registers (at most 16) of NumBit bits, in words of 32 bits, the
// lowest first (at most 8 pairs), and NumRun programs (at most 128). Needs[p], Clears[p], Fills[p]
// have one bit for each register: those that program p reads, and those that it leaves empty and
// full.
//
// A register becomes full when its last pair of words is written. Writing its first pair makes it
// not full, if it has more than one. A program does not start if a register that it needs is not
// full, or while StatusRange is set.
//
//   write_o           in this cycle words {reg_o, pair_o} become data_o, as far as they have bits
//   word_i            the word {reg_o, pair_o, odd_o}, in the same cycle
//   start_o, run_o    program run_o starts; busy_i is high from the next cycle to its last one
//   done_i            the last cycle of a program, with range_i, curve_i, infinity_i: what it found
//   clear_o           clear everything; busy_i is high from the next cycle until this is done
//
// Latency: an answer comes in the cycle after its request. Throughput: one request and one answer a
// cycle. Requests wait while the unit is busy, except for FuncStatus, FuncInfo and FuncClear.
// zeroize_i acts like FuncClear. Only StatusRange, StatusCurve and StatusInfinity depend on data.
`default_nettype none

module ecsm_narrow_port
  import ecsm_narrow_pkg::*;
#(
  parameter int unsigned NumBit = 163,
  parameter int unsigned NumReg = 3,
  parameter int unsigned NumRun = 1,
  parameter bit [NumRun-1:0][NumReg-1:0] Needs = '0,
  parameter bit [NumRun-1:0][NumReg-1:0] Clears = '0,
  parameter bit [NumRun-1:0][NumReg-1:0] Fills = '0,
  localparam int unsigned RegW = 4,  // bits of a register's number, and below of a pair's
  localparam int unsigned PairW = 3,
  localparam int unsigned RunIndexW = (NumRun > 1) ? $clog2(NumRun) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 zeroize_i,
  input  logic                 req_valid_i,
  output logic                 req_ready_o,
  input  req_t                 req_i,
  output logic                 rsp_valid_o,
  input  logic                 rsp_ready_i,
  output logic [         31:0] rsp_o,
  output logic                 write_o,
  output logic [     RegW-1:0] reg_o,
  output logic [    PairW-1:0] pair_o,
  output logic                 odd_o,
  output logic [         63:0] data_o,
  input  logic [         31:0] word_i,
  output logic                 start_o,
  output logic [RunIndexW-1:0] run_o,
  output logic                 clear_o,
  input  logic                 busy_i,
  input  logic                 done_i,
  input  logic                 range_i,
  input  logic                 curve_i,
  input  logic                 infinity_i
);

  localparam logic [31:0] Id = 32'h4543_534D;  // "ECSM"
  localparam logic [31:0] Version = 32'd1;
  localparam int unsigned NumError = 4;  // StatusUnknown .. StatusCurve
  localparam int unsigned RegIndexW = (NumReg > 1) ? $clog2(NumReg) : 1;
  localparam int unsigned NumWord = (NumBit + 31) / 32;
  localparam int unsigned NumPair = (NumWord + 1) / 2;
  localparam int unsigned LastBits = NumBit - 64 * (NumPair - 1);  // bits of the last pair, 1 .. 64
  localparam logic [63:0] LastMask = {64{1'b1}} >> (64 - LastBits);

  // ------------------------------------------------------------------ request
  func_e kind;
  logic [6:0] index;
  logic accept, words, known, at_once;
  logic [RegW-1:0] name;
  logic [PairW-1:0] pair;
  logic [RegIndexW-1:0] which;  // name, if such a register exists

  assign kind = func_e'(req_i.func[2:0]);
  assign index = req_i.func[9:3];
  assign {name, pair} = index;
  assign which = RegIndexW'(name);
  assign words = kind inside {FuncWrite, FuncEven, FuncOdd};

  always_comb begin
    unique case (kind)
      FuncWrite, FuncEven: known = 32'(name) < NumReg && 32'(pair) < NumPair;
      FuncOdd: known = 32'(name) < NumReg && 2 * 32'(pair) + 1 < NumWord;
      FuncRun: known = 32'(index) < NumRun;
      FuncInfo: known = 32'(index) <= InfoRun;
      default: known = index == '0;
    endcase
    at_once = kind inside {FuncStatus, FuncInfo, FuncClear} || !known;
  end

  logic valid_q;
  logic [31:0] rsp_d, rsp_q;
  assign req_ready_o = (~valid_q | rsp_ready_i) & (at_once | ~busy_i) & ~zeroize_i;
  assign accept = req_valid_i & req_ready_o & known;
  assign rsp_valid_o = valid_q;
  assign rsp_o = rsp_q;

  // ------------------------------------------------------------------ registers and programs
  logic [NumError:1] error_d, error_q;
  logic [NumReg-1:0] full_d, full_q;
  logic infinity_d, infinity_q;
  logic allowed, outside;
  logic [NumReg-1:0] needs;

  assign needs = Needs[run_o];
  assign allowed = (needs & ~full_q) == '0;
  assign outside = 32'(pair) == NumPair - 1 && |({req_i.b, req_i.a} & ~LastMask);
  assign write_o = accept & (kind == FuncWrite);
  assign start_o = accept & (kind == FuncRun) & allowed & ~error_q[StatusRange];
  assign clear_o = zeroize_i | (accept & (kind == FuncClear));
  assign reg_o = name;
  assign pair_o = pair;
  assign odd_o = kind == FuncOdd;
  assign data_o = {req_i.b, req_i.a};
  assign run_o = RunIndexW'(index);

  logic [RunIndexW-1:0] run_q;  // the running program

  always_comb begin
    error_d = error_q;
    full_d = full_q;
    infinity_d = infinity_q;
    if (req_valid_i && req_ready_o && !known) error_d[StatusUnknown] = 1'b1;
    if (accept) begin
      unique case (kind)
        FuncWrite: begin
          if (outside) error_d[StatusRange] = 1'b1;
          if (pair == '0) full_d[which] = 1'b0;
          if (32'(pair) == NumPair - 1) full_d[which] = 1'b1;
        end
        FuncEven, FuncOdd: if (!full_q[which]) error_d[StatusOrder] = 1'b1;
        FuncRun: if (!allowed) error_d[StatusOrder] = 1'b1;
        FuncStatus: begin
          error_d = (error_q & ~req_i.a[NumError:1]) | req_i.b[NumError:1];
          infinity_d = (infinity_q & ~req_i.a[StatusInfinity]) | req_i.b[StatusInfinity];
          full_d = (full_q & ~req_i.a[StatusFull+:NumReg]) | req_i.b[StatusFull+:NumReg];
        end
        default: ;
      endcase
    end
    if (done_i) begin
      full_d = (full_d & ~Clears[run_q]) | Fills[run_q];
      infinity_d = infinity_i;
      if (range_i) error_d[StatusRange] = 1'b1;
      if (curve_i) error_d[StatusCurve] = 1'b1;
    end
    if (clear_o) begin
      error_d = '0;
      full_d = '0;
      infinity_d = 1'b0;
    end
  end

  // ------------------------------------------------------------------ answer
  logic [31:0] info, status;

  always_comb begin
    unique case (32'(index))
      InfoId: info = Id;
      InfoVersion: info = Version;
      InfoBits: info = NumBit;
      InfoReg: info = NumReg;
      default: info = NumRun;
    endcase
    status = '0;
    status[StatusBusy] = busy_i;
    status[NumError:1] = error_q;
    status[StatusInfinity] = infinity_q;
    status[StatusFull+:NumReg] = full_q;
    rsp_d = '0;
    if (kind == FuncInfo) rsp_d = info;
    if (kind == FuncStatus || kind == FuncWait) rsp_d = status;
    if (kind == FuncRun) rsp_d = 32'({error_d, 1'b0});
    if (words && kind != FuncWrite) rsp_d = word_i;
    if (!known) rsp_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rsp_q <= '0;
      error_q <= '0;
      full_q <= '0;
      infinity_q <= 1'b0;
      run_q <= '0;
    end else begin
      if (!valid_q || rsp_ready_i) begin
        valid_q <= req_valid_i & req_ready_o;
        rsp_q   <= rsp_d & {32{req_valid_i & req_ready_o}};
      end
      if (zeroize_i) rsp_q <= '0;
      error_q <= error_d;
      full_q <= full_d;
      infinity_q <= infinity_d;
      if (start_o) run_q <= run_o;
    end
  end

  if (NumPair > 1 << PairW || NumReg > 1 << RegW || NumRun > 128) begin : gen_bad
    $error("ecsm_narrow_port: too many words, registers or programs for a function");
  end

endmodule

`default_nettype wire
