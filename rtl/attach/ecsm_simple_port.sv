// SPDX-License-Identifier: Apache-2.0
//
// The bus side of a register block, for a bus of 32 bits that makes one access at a time and holds
// it until it is answered: Wishbone classic, APB. An access to the registers takes one cycle.
//
// Parameters: AddressW is the number of bits in an address.
//
//   request_i        an access waits for its answer: Wishbone's cyc and stb, APB's psel, penable
//   write_i, strobe_i, address_i, data_i   it; strobe_i has the bytes that are written
//   ok_o, error_o    its answer, for one cycle: Wishbone's ack and err; APB's pready is either,
//                    pslverr is error_o
//   data_o           what was read, in that cycle; zero in every other, and with an error. A reset
//                    clears it with the next clock edge
//   req_o, write_o   an access in this cycle, to the word at address_o; wdata_o is for a write, and
//                    zero but in one
//   rdata_i, error_i the access's result in the same cycle; data has no meaning with an error
//   width_o          this module refuses an access: not all four bytes are written, or the address
//                    is no multiple of four. The registers do not see the access
//   clear_i          a read in this cycle gives zero and an error. Write data that comes from the
//                    bus in this cycle is dropped; its write is refused like one of wrong width
//
//   request_i  __/-----------------\____
//   req_o      ________/-----\__________
//   ok_o       ______________/-----\____
//
// Latency: the access is made in the cycle after it came, its answer is valid one cycle later. A
// request that ends before its answer gets none. Throughput: one access in three cycles. No
// combinational path connects a bus input to a bus output.
// Sources: WISHBONE B4, 3.2, standard cycles; AMBA APB Protocol Specification, IHI 0024, chapter 3.

`default_nettype none

module ecsm_simple_port #(
  parameter int unsigned AddressW = 10
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                request_i,
  input  logic                write_i,
  input  logic [         3:0] strobe_i,
  input  logic [AddressW-1:0] address_i,
  input  logic [        31:0] data_i,
  output logic                ok_o,
  output logic                error_o,
  output logic [        31:0] data_o,
  output logic                req_o,
  output logic                write_o,
  output logic [AddressW-1:0] address_o,
  output logic [        31:0] wdata_o,
  input  logic [        31:0] rdata_i,
  input  logic                error_i,
  output logic                width_o
);

  logic access_q, write_q, ok_q, error_q;
  logic whole_q;  // a read, or all four bytes are written
  logic [AddressW-1:0] address_q;
  logic [31:0] wdata_q, rdata_q;
  logic take, fits, refused;

  assign take = request_i & ~access_q & ~ok_q & ~error_q;
  assign fits = whole_q && address_q[1:0] == 2'b00;
  assign refused = ~fits | error_i | (clear_i & ~write_q);

  assign req_o = access_q & fits;
  assign write_o = write_q;
  assign address_o = address_q;
  assign wdata_o = wdata_q;
  assign width_o = access_q & ~fits;

  assign ok_o = ok_q;
  assign error_o = error_q;
  assign data_o = rdata_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      access_q <= 1'b0;
      write_q <= 1'b0;
      whole_q <= 1'b0;
      ok_q <= 1'b0;
      error_q <= 1'b0;
      address_q <= '0;
    end else begin
      access_q <= take;
      ok_q <= access_q & request_i & ~refused;
      error_q <= access_q & request_i & refused;
      if (take) begin
        write_q <= write_i;
        whole_q <= ~write_i | (&strobe_i & ~clear_i);
        address_q <= address_i;
      end
    end
  end

  // Data is zero where none waits, and so it is after an edge in reset. Without a reset of its own,
  // a flip-flop is cleared by its reset pin: there is no logic before it.
  always_ff @(posedge clk_i) begin
    if (clear_i || !take || !write_i) wdata_q <= '0;
    else wdata_q <= data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!access_q || write_q || !request_i || refused) rdata_q <= '0;
    else rdata_q <= rdata_i;
  end

endmodule

`default_nettype wire
