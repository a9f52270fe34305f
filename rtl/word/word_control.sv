// SPDX-License-Identifier: Apache-2.0
//
// Runs the program of the word engine. It fetches ahead: while a walk goes on, the words after it
// are executed up to the next walk, which then waits for its turn.
//
//   pc --> [program] --> [word_q] --> walk_q, offered to word_walk
//                                --> pc: set, loop, jump, call, return, branch
//                                --> input and output, answer
//
// A word takes three cycles. Branches, input, output and the answer wait until nothing is under
// way. Operation n begins at word n. After the answer's word the memory is cleared, a word a cycle.
//
// Order and number of words depend on the operation, and on flags only at OpBranch.

`default_nettype none

module word_control
  import word_pkg::*;
#(
  parameter int unsigned Depth = 2,  // words of the program
  parameter bit [Depth-1:0][WordW-1:0] Words = '0,
  parameter int unsigned AddressW = 10,  // of the memory
  parameter int unsigned FirstWork = 1,  // the first word that is cleared
  parameter int unsigned CycleW = 24
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 abort_i,       // clears the memory from any state
  input  logic                 req_valid_i,
  output logic                 req_ready_o,
  input  logic  [         3:0] req_op_i,
  output logic                 rsp_valid_o,
  input  logic                 rsp_ready_i,
  output logic  [         3:0] rsp_status_o,
  output logic  [  CycleW-1:0] rsp_cycles_o,
  // Walks.
  input  logic                 busy_i,        // of a walk or of the datapath
  output logic                 walk_valid_o,
  output walk_t                walk_o,
  input  logic                 walk_ready_i,
  input  logic                 flag_i,
  // Strings, and the memory that they come from and go to.
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic                 write_o,       // a word of the input, or 0
  output logic                 clear_o,       // .. 0, and registers of the datapath too
  output logic                 read_o,        // address_o is read
  output logic  [AddressW-1:0] address_o
);

  localparam int unsigned FetchW = $clog2(Depth);
  localparam int unsigned LastWord = 2 ** AddressW - 1;

  typedef enum logic [3:0] {
    Idle,
    Fetch,
    Read,
    Execute,
    In,
    Out,
    OutWait,
    OutMore,
    Clear,
    Answer
  } state_e;

  logic [WordW-1:0] words[2**FetchW];
  initial begin
    for (int unsigned i = 0; i < 2 ** FetchW; i++) words[i] = (i < Depth) ? Words[i] : '0;
  end

  state_e state_q, state_d;
  logic [FetchW-1:0] pc_q, pc_d, next;
  word_t read_q, word_q;
  order_t order;
  logic [1:0][PcW-1:0] counter_q, counter_d;
  logic [1:0][FetchW-1:0] stack_q, stack_d;
  logic walk_valid_q, walk_valid_d;
  walk_t walk_q;
  logic [AddressW-1:0] address_q, address_d;
  logic [PcW-1:0] left_q, left_d;
  logic [3:0] status_q, status_d;
  logic [CycleW-1:0] cycles_q;
  logic held, quiet;
  logic answers_q, answers_d;  // an answer follows the clearing

  assign order = order_t'(word_q.walk);
  assign held  = walk_valid_q & ~walk_ready_i;  // the walk before has not begun
  assign quiet = ~walk_valid_q & ~busy_i;
  assign next  = pc_q + FetchW'(1);

  always_comb begin
    state_d = state_q;
    pc_d = pc_q;
    counter_d = counter_q;
    stack_d = stack_q;
    walk_valid_d = held;
    address_d = address_q;
    left_d = left_q;
    status_d = status_q;
    answers_d = answers_q;
    unique case (state_q)
      Idle: begin
        if (req_valid_i) begin
          pc_d = FetchW'(req_op_i);
          state_d = Fetch;
        end
      end
      Fetch: state_d = Read;
      Read: state_d = Execute;
      Execute: begin
        if (word_q.is_walk) begin
          if (!held) begin
            walk_valid_d = 1'b1;
            pc_d = next;
            state_d = Fetch;
          end
        end else begin
          pc_d = next;
          state_d = Fetch;
          unique case (order.op)
            OpSet:  counter_d[order.counter] = order.argument;
            OpLoop: begin
              if (counter_q[order.counter] != '0) begin
                counter_d[order.counter] = counter_q[order.counter] - PcW'(1);
                pc_d = FetchW'(order.target);
              end
            end
            OpJump: pc_d = FetchW'(order.target);
            OpCall: begin
              stack_d = {stack_q[0], next};
              pc_d = FetchW'(order.target);
            end
            OpReturn: begin
              stack_d = {FetchW'(0), stack_q[1]};
              pc_d = stack_q[0];
            end
            default: begin
              if (!quiet) begin
                pc_d = pc_q;
                state_d = Execute;
              end else if (order.op == OpBranch) begin
                if (flag_i) pc_d = FetchW'(order.target);
              end else if (order.op == OpDone) begin
                status_d = order.argument[3:0];
                answers_d = 1'b1;
                address_d = AddressW'(FirstWork);
                state_d = Clear;
              end else begin
                address_d = AddressW'({order.number, StrideW'(0)});
                left_d = order.argument;
                state_d = (order.op == OpIn) ? In : Out;
              end
            end
          endcase
        end
      end
      In: begin
        if (in_valid_i) begin
          address_d = address_q + AddressW'(1);
          left_d = left_q - PcW'(1);
          if (left_q == PcW'(1)) state_d = Fetch;
        end
      end
      Out: state_d = OutWait;
      OutWait: state_d = OutMore;
      OutMore: begin
        if (out_ready_i) begin
          address_d = address_q + AddressW'(1);
          left_d = left_q - PcW'(1);
          state_d = (left_q == PcW'(1)) ? Fetch : Out;
        end
      end
      Clear: begin
        address_d = address_q + AddressW'(1);
        if (address_q == AddressW'(LastWord)) state_d = answers_q ? Answer : Idle;
      end
      Answer: begin
        if (rsp_ready_i) begin
          state_d = Idle;
          answers_d = 1'b0;
        end
      end
      default: state_d = Idle;
    endcase
    if (abort_i) begin
      state_d = Clear;
      address_d = AddressW'(FirstWork);
      walk_valid_d = 1'b0;
      status_d = '0;
      answers_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Clear;
      walk_valid_q <= 1'b0;
      answers_q <= 1'b0;
      address_q <= AddressW'(FirstWork);
    end else begin
      state_q <= state_d;
      walk_valid_q <= walk_valid_d;
      answers_q <= answers_d;
      address_q <= address_d;
    end
  end

  always_ff @(posedge clk_i) begin
    read_q <= word_t'(words[pc_q]);
    word_q <= read_q;
    pc_q <= pc_d;
    counter_q <= counter_d;
    stack_q <= stack_d;
    left_q <= left_d;
    status_q <= status_d;
    if (state_q == Execute && !held) walk_q <= word_q.walk;
    if (state_q == Idle) cycles_q <= '0;
    else if (state_q != Answer) cycles_q <= cycles_q + CycleW'(1);
  end

  assign req_ready_o = state_q == Idle;
  assign rsp_valid_o = state_q == Answer;
  assign rsp_status_o = rsp_valid_o ? status_q : '0;
  assign rsp_cycles_o = rsp_valid_o ? cycles_q : '0;
  assign walk_valid_o = walk_valid_q & ~(walk_q.drained & busy_i);
  assign walk_o = walk_q;
  assign in_ready_o = state_q == In;
  assign out_valid_o = state_q == OutMore;
  assign write_o = (in_ready_o & in_valid_i) | clear_o;
  assign clear_o = state_q == Clear;
  assign read_o = state_q inside {Out, OutWait, OutMore};
  assign address_o = address_q;

  logic unused;
  assign unused = ^{order.unused, walk_ready_i & ~walk_valid_q};

endmodule

`default_nettype wire
