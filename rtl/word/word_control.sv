// SPDX-License-Identifier: Apache-2.0
//
// Runs the program of the word engine. It fetches ahead: while a walk goes on, the words after it
// are executed up to the next walk, which then waits for its turn.
//
//   pc --> [program] --> [word_q] --> walk_q, offered to word_walk
//                                --> pc: set, loop, jump, call, return, branch
//                                --> input and output, answer
//
//   word                             cycles
//   walk                             3, and 1 more for each repetition
//   OpSet, OpLoop, OpJump, OpCall,
//   OpReturn                         3
//   OpBranch, OpCommand              4, once nothing is under way
//   OpIn of n octets in w words      4 + n + w, once nothing is under way
//   OpOut from w words               4 + (W / 8 + 3) w, once nothing is under way
//   OpDone                           4, once nothing is under way, and 1 a word that it clears
//
// In the fourth cycle a condition is asked for and an address computed. Operation n begins at word
// n, one above 31 at word 31. After OpDone the memory is cleared from FirstWork on.
//
//   octets in --> [shift_q] --> word of the memory --> [shift_q] --> octets out
//
// A number comes and goes as a string of octets, the highest first. If they are not whole words,
// the first word has fewer. An octet moves in a cycle in which valid and ready are high; *_last_o
// says that it is the string's last one.
//
// A branch with IfSteps counts the words since the last one: a fault in the program's flow is seen.
// So is one that word_guard notices, or that ends the program without an answer: once nothing is
// under way, the answer is StatusFaultDetected. No program runs on for ever.
//
// Order and number of words depend on the operation, and on flags only at OpBranch.

`default_nettype none

module word_control
  import word_pkg::*;
#(
  parameter int unsigned Depth = 2,  // words of the program
  parameter bit [Depth-1:0][WordW-1:0] Words = '0,
  parameter bit Loaded = 0,  // .. come from load_*
  parameter bit OnePort = 0,  // .. into word_table
  parameter bit Full = 0,  // far jumps, an index, parts of strings, all conditions
  parameter int unsigned W = 32,
  parameter int unsigned AddressW = 10,  // of the memory
  parameter int unsigned Stride = 16,  // words from a number to the next
  // The first words that are cleared after a program, without entropy, by abort_i and reset.
  parameter int unsigned FirstWork = 1,
  parameter int unsigned FirstRandom = 1,
  parameter int unsigned FirstKept = 1,
  parameter int unsigned CycleW = 24
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          abort_i,          // clears the memory from any state
  input  load_e                         load_i,           // LoadProgram: while nothing runs
  // A smaller program has a narrower address.
  // verilator lint_off UNUSEDSIGNAL
  input  logic       [LoadAddressW-1:0] load_address_i,
  // verilator lint_on UNUSEDSIGNAL
  input  logic       [       LoadW-1:0] load_data_i,
  input  logic                          no_entropy_i,
  input  logic                          req_valid_i,
  output logic                          req_ready_o,
  input  logic       [             5:0] req_op_i,
  output logic                          rsp_valid_o,
  input  logic                          rsp_ready_i,
  output logic       [             3:0] rsp_status_o,
  output logic       [      CycleW-1:0] rsp_cycles_o,
  // Walks.
  input  logic                          busy_i,           // of a walk or of the datapath
  output logic                          walk_valid_o,
  output walk_t                         walk_o,
  output logic       [       WalkW-1:0] walk_next_o,      // walk_o's walk, in the next cycle
  output logic       [      DigitW-1:0] walk_times_o,     // how often it was offered before
  input  logic                          walk_ready_i,
  input  logic                          flag_i,
  // Conditions and commands. That of condition_i is named by condition_o, with an argument.
  input  logic                          condition_i,
  output condition_e                    condition_o,
  output logic                          command_valid_o,
  output command_e                      command_o,
  output logic       [         PcW-1:0] argument_o,
  // Octets.
  output port_e                         port_o,           // what they come from or go to
  output logic                          windowed_o,       // of a window: word_window
  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  output logic                          in_last_o,
  input  logic       [             7:0] in_data_i,
  output logic                          out_valid_o,
  input  logic                          out_ready_i,
  output logic                          out_last_o,
  output logic       [             7:0] out_data_o,
  // The memory that they come from and go to.
  output logic                          write_o,
  output logic                          clear_o,          // a word is cleared; registers too
  output logic                          read_o,           // address_o is read
  output logic       [    AddressW-1:0] address_o,
  output logic       [           W-1:0] word_o,
  input  logic       [           W-1:0] word_i            // two cycles after read_o
);

  localparam int unsigned FetchW = $clog2(Depth);
  localparam int unsigned LastWord = 2 ** AddressW - 1;
  localparam int unsigned PlaceW = $clog2(W / 8);  // an octet in its word

  function automatic logic [AddressW-1:0] first(logic [NumberW-1:0] number);
    return AddressW'(first_word(number, 8'(Stride)));
  endfunction

  typedef enum logic [3:0] {
    Idle,
    Fetch,
    Read,
    Execute,
    In,
    InWrite,
    Out,
    OutWait,
    OutLoad,
    OutOctet,
    Clear,
    Answer
  } state_e;

  // The word at pc_q, a cycle later.
  localparam int unsigned Room = Full ? Depth : 2 ** FetchW;
  logic [FetchW-1:0] pc_q, next;
  word_t read_q, word_q;
  if (OnePort) begin : gen_table
    word_table #(
      .Width(WordW),
      .Depth(2 ** FetchW)
    ) u_words (
      .clk_i(clk_i),
      .load_i(load_i == LoadProgram),
      .load_address_i(load_address_i[FetchW-1:0]),
      .load_data_i(load_data_i[WordW-1:0]),
      .address_i(pc_q),
      .data_o(read_q)
    );
    logic unused_address;
    assign unused_address = ^load_address_i;
  end else begin : gen_memory
    (* no_rw_check *) logic [WordW-1:0] words[Room];
    initial begin
      for (int unsigned i = 0; i < Room; i++) words[i] = (i < Depth) ? Words[i] : '0;
    end

    if (Loaded) begin : gen_load
      always_ff @(posedge clk_i) begin
        if (load_i == LoadProgram) words[load_address_i[FetchW-1:0]] <= load_data_i[WordW-1:0];
      end
    end else begin : gen_constant
      logic unused_load;
      assign unused_load = ^{load_i, load_address_i, load_data_i};
    end
    always_ff @(posedge clk_i) read_q <= word_t'(words[pc_q]);
  end

  state_e state_q, state_d;
  order_t order;
  logic command_q;
  logic [1:0][PcW-1:0] counter_q, counter_d;
  logic [2:0][FetchW-1:0] stack_q, stack_d;  // three routines may be open
  logic walk_valid_q, walk_valid_d;
  walk_t walk_q;
  logic [AddressW-1:0] address_q, address_d;
  logic [PcW-1:0] left_q, left_d;  // octets after the one that is next
  logic [3:0] status_q, status_d;
  logic [CycleW-1:0] cycles_q;
  logic [PcW-1:0] steps_q;  // words that were executed since they were asked for
  logic [1:0] none_q;  // a counter was 0 a cycle ago, which is since its last word
  logic held, waits, quiet, begins, follows, jumps;
  // One cycle ago: the word's condition; that it was here; where its string ends.
  logic condition_q, asked_q;
  logic [AddressW-1:0] first_q;
  // The word whose octets move, the one that is next in it, and whether the string is over.
  logic [W-1:0] shift_q;
  logic [PlaceW-1:0] place_q;
  logic moves, over, shifts;
  logic [DigitW-1:0] times_q, times_d, walk_times_q;  // that the walk has been offered
  logic repeats;  // the word is a walk that is offered more than once
  logic answers_q, answers_d;  // an answer follows the clearing
  logic open_q, open_d;  // a request has no answer yet
  logic executes, trap;

  assign order = order_t'(word_q.walk);

  // Far jumps; parts of strings; the index: words that are added to a string's address.
  logic sets_index, part;
  logic [AddressW-1:0] index;
  logic [FetchW-1:0] target;
  if (Full) begin : gen_full
    logic [AddressW-1:0] index_q;
    always_ff @(posedge clk_i) begin
      if (state_q == Idle) index_q <= '0;
      else if (state_q == Execute && !word_q.is_walk && order.op == OpSet && sets_index) begin
        index_q <= AddressW'(order.argument) + (order.counter ? index_q : '0);
      end
    end
    assign sets_index = order.number[0];
    assign part = order.target[PartBit];
    assign index = order.target[IndexBit] ? index_q : '0;
    assign target = FetchW'({order.beyond, order.target});
  end else begin : gen_small
    assign sets_index = 1'b0;
    assign part = 1'b0;
    assign index = '0;
    assign target = FetchW'(order.target);
    logic unused;
    assign unused = ^order;
  end

  assign waits = walk_q.drained & busy_i;
  assign held  = walk_valid_q & (waits | ~walk_ready_i);  // the walk before has not begun
  assign quiet = ~walk_valid_q & ~busy_i & asked_q;
  assign next  = pc_q + FetchW'(1);
  assign repeats = word_q.walk.mask inside {MaskNone, MaskSign} ||
      (word_q.walk.mask == MaskPick && word_q.walk.immediate[0]);
  assign follows = !trap && (word_q.is_walk
      ? !held && (!repeats || times_q == word_q.walk.immediate)
      : order.op <= OpReturn || quiet);
  assign executes = state_q == Execute && follows;
  assign jumps = order.op inside {OpJump, OpCall} ||
      (order.op == OpLoop && !none_q[order.counter]) ||
      (order.op == OpBranch && condition_q != order.counter);
  assign begins = state_q == Execute && !word_q.is_walk && quiet && !trap;
  assign over = left_q == '0;
  assign moves = place_q == PlaceW'(left_q);  // else the word's octet is none of the string
  assign shifts = (state_q == In && in_valid_i) || (state_q == OutOctet && (out_ready_i || !moves));

  always_comb begin
    state_d = state_q;
    counter_d = counter_q;
    stack_d = stack_q;
    walk_valid_d = held;
    address_d = address_q;
    left_d = left_q;
    times_d = times_q;
    status_d = status_q;
    answers_d = answers_q;
    open_d = open_q;
    unique case (state_q)
      Idle: begin
        if (open_q) begin
          state_d = Execute;  // by a trap
        end else if (req_valid_i) begin
          state_d = Fetch;
          open_d  = 1'b1;
        end
      end
      Fetch: state_d = Read;
      Read: state_d = Execute;
      Execute: begin
        if (follows) state_d = Fetch;
        // What an order may need, whether it waits or not.
        address_d = first_q + AddressW'((order.argument - PcW'(1)) >> PlaceW);
        if (order.op == OpDone || trap) begin
          address_d = no_entropy_i ? AddressW'(FirstRandom) : AddressW'(FirstWork);
        end
        left_d   = order.argument - PcW'(1);
        status_d = trap ? ecsm_pkg::StatusFaultDetected : order.argument[3:0];
        if (trap) begin
          if (quiet) begin
            answers_d = 1'b1;
            state_d   = Clear;
          end
        end else if (word_q.is_walk) begin
          if (!held) begin
            walk_valid_d = 1'b1;
            times_d = follows ? '0 : times_q + DigitW'(1);
          end
        end else begin
          unique case (order.op)
            OpSet: if (!sets_index) counter_d[order.counter] = order.argument;
            OpLoop: begin
              if (!none_q[order.counter]) begin
                counter_d[order.counter] = counter_q[order.counter] - PcW'(1);
              end
            end
            OpCall: stack_d = {stack_q[1:0], next};
            OpReturn: stack_d = {FetchW'(0), stack_q[2:1]};
            OpJump, OpBranch: ;
            default: begin
              if (!quiet) begin
                state_d = Execute;
              end else if (order.op == OpDone) begin
                answers_d = 1'b1;
                state_d   = Clear;
              end else if (order.op != OpCommand) begin
                state_d = (order.op == OpIn) ? In : Out;
              end
            end
          endcase
        end
      end
      In: begin
        if (trap) state_d = Execute;
        else if (in_valid_i) begin
          left_d = left_q - PcW'(1);
          if (PlaceW'(left_q) == '0) state_d = InWrite;
        end
      end
      InWrite: begin
        address_d = address_q - AddressW'(1);
        state_d = In;
        if (&left_q) state_d = Fetch;
      end
      Out: state_d = OutWait;
      OutWait: state_d = OutLoad;
      OutLoad: begin
        address_d = address_q - AddressW'(1);
        state_d = OutOctet;
      end
      OutOctet: begin
        if (shifts && moves) left_d = left_q - PcW'(1);
        if (shifts && place_q == '0) state_d = over ? Fetch : Out;
      end
      Clear: begin
        address_d = address_q + AddressW'(1);
        if (address_q == AddressW'(LastWord)) state_d = answers_q ? Answer : Idle;
      end
      Answer: begin
        if (rsp_ready_i) begin
          state_d = Idle;
          answers_d = 1'b0;
          open_d = 1'b0;
        end
      end
      default: state_d = Idle;
    endcase
    if (abort_i) begin
      times_d = '0;
      state_d = Clear;
      address_d = AddressW'(FirstKept);
      walk_valid_d = 1'b0;
      status_d = '0;
      answers_d = 1'b0;
      open_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Clear;
      walk_valid_q <= 1'b0;
      times_q <= '0;
      answers_q <= 1'b0;
      open_q <= 1'b0;
      address_q <= AddressW'(FirstKept);
      counter_q <= '0;
      stack_q <= '0;
    end else begin
      state_q <= state_d;
      walk_valid_q <= walk_valid_d;
      times_q <= times_d;
      answers_q <= answers_d;
      open_q <= open_d;
      address_q <= address_d;
      counter_q <= counter_d;
      stack_q <= stack_d;
    end
  end

  always_ff @(posedge clk_i) begin
    // In flip-flops near what decodes it. It stays until the next word comes.
    if (state_q == Read) word_q <= read_q;
    command_q <= begins && order.op == OpCommand && !abort_i;
    unique case (condition_o)
      IfFlag:  condition_q <= flag_i;
      IfSteps: condition_q <= steps_q == order.argument;
      default: condition_q <= condition_i;
    endcase
    if (executes) begin
      steps_q <= steps_q + PcW'(1);
      if (!word_q.is_walk && order.op == OpBranch && condition_o == IfSteps) steps_q <= '0;
    end
    none_q <= {counter_q[1] == '0, counter_q[0] == '0};
    asked_q <= state_q == Execute;
    first_q <= first(order.number) + AddressW'(order.target[PortW+:PlaceBits]) + index;
    if (state_q == Idle) pc_q <= FetchW'(req_op_i[4:0] | {5{req_op_i[5]}});
    else if (executes) begin
      if (word_q.is_walk) pc_q <= next;
      else if (order.op == OpReturn) pc_q <= stack_q[0];
      else pc_q <= jumps ? target : next;
    end
    left_q <= left_d;
    status_q <= status_d;
    if (state_q == Execute && !held) begin
      walk_q <= word_q.walk;
      walk_times_q <= times_q;
    end
    if (state_q == Idle) cycles_q <= CycleW'(1);
    else if (state_q != Answer && !(&cycles_q)) cycles_q <= cycles_q + CycleW'(1);
    if (state_q inside {Execute, InWrite, Clear}) shift_q <= '0;
    else if (state_q == OutLoad) shift_q <= word_i;
    else if (shifts) shift_q <= {shift_q[W-9:0], in_data_i};  // on the way out nobody reads it
    if (state_q == OutLoad) place_q <= '1;
    else if (shifts) place_q <= place_q - PlaceW'(1);
  end

  word_guard #(
    .Width($bits({pc_q, word_q, counter_q, stack_q})),
    .StepsW(FlowW)
  ) u_guard (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .state_i({pc_q, word_q, counter_q, stack_q}),
    .kept_i(!(state_q inside {Fetch, Read}) && !executes),
    .idle_i(state_q == Idle),
    .lost_i(open_q),
    .step_i(executes),
    .fresh_i(shifts && (windowed_o || port_o inside {PortHost, PortMessage})),
    .trap_o(trap)
  );

  assign req_ready_o = state_q == Idle && !open_q;
  assign rsp_valid_o = state_q == Answer;
  assign rsp_status_o = rsp_valid_o ? status_q : '0;
  assign rsp_cycles_o = rsp_valid_o ? cycles_q : '0;
  assign walk_valid_o = walk_valid_q & ~waits;
  assign walk_o = walk_q;
  assign walk_next_o = (state_q == Execute && !held) ? word_q.walk.walk : walk_q.walk;
  assign walk_times_o = walk_times_q;
  assign condition_o = condition_e'(order.number[ConditionW-1:0]);
  assign command_valid_o = command_q;  // the word stays for two cycles more
  assign command_o = command_e'({Full && order.number[2], order.number[1:0]});
  assign argument_o = order.argument;
  assign port_o = port_e'(order.target[PortW-1:0]);
  assign windowed_o = Full && (order.target[IndexBit] || order.target[PartBit]);
  assign in_ready_o = state_q == In;
  assign in_last_o = over && !part;
  assign out_valid_o = state_q == OutOctet && moves;
  assign out_last_o = over && !part;
  assign out_data_o = out_valid_o ? shift_q[W-1-:8] : '0;
  assign clear_o = state_q == Clear;
  assign write_o = state_q == InWrite || clear_o;
  assign read_o = state_q inside {Out, OutWait, OutLoad};
  assign address_o = address_q;
  assign word_o = shift_q;

endmodule

`default_nettype wire
