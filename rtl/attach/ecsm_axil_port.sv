// SPDX-License-Identifier: Apache-2.0
//
// The bus side of a register block: an AXI4-Lite subordinate with 32 bits of data. It makes one
// access at a time; each takes one cycle.
//
// Parameters: AddressW is the number of bits in an address. Quiet is 1 if wdata_o is zero but in a
// write: registers that are cleared take less logic then, and others more.
//
//   axil_*           AXI4-Lite, without the protection signals
//   req_o, write_o   an access in this cycle, to the word at address_o; wdata_o is for a write
//   rdata_i, error_i the access's result in the same cycle; data has no meaning with an error
//   width_o          this module refuses an access: not all four bytes are written, or the address
//                    is no multiple of four. The registers do not see the access
//   clear_i          read data that waits for the bus becomes zero, with an error. Write data that
//                    waits for its address, or moves in this cycle, is dropped; its write is
//                    refused like one of wrong width
//
// An error gives SLVERR with data zero; everything else gives OKAY. A write waits until address and
// data have come, in any order. If reads and writes both wait, they alternate.
//
// Latency: the access is made in the cycle after its last channel has moved; the response is valid
// one cycle later. Throughput: one access every second cycle in each direction. No combinational
// path connects a bus input to a bus output.
// Source: AMBA AXI and ACE Protocol Specification, IHI 0022, chapters A3 and B1.

`default_nettype none

module ecsm_axil_port #(
  parameter int unsigned AddressW = 10,
  parameter bit          Quiet    = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                axil_awvalid_i,
  output logic                axil_awready_o,
  input  logic [AddressW-1:0] axil_awaddr_i,
  input  logic                axil_wvalid_i,
  output logic                axil_wready_o,
  input  logic [        31:0] axil_wdata_i,
  input  logic [         3:0] axil_wstrb_i,
  output logic                axil_bvalid_o,
  input  logic                axil_bready_i,
  output logic [         1:0] axil_bresp_o,
  input  logic                axil_arvalid_i,
  output logic                axil_arready_o,
  input  logic [AddressW-1:0] axil_araddr_i,
  output logic                axil_rvalid_o,
  input  logic                axil_rready_i,
  output logic [        31:0] axil_rdata_o,
  output logic [         1:0] axil_rresp_o,
  output logic                req_o,
  output logic                write_o,
  output logic [AddressW-1:0] address_o,
  output logic [        31:0] wdata_o,
  input  logic [        31:0] rdata_i,
  input  logic                error_i,
  output logic                width_o
);

  localparam logic [1:0] Okay = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  // One register for each channel: an address, data or response that waits.
  logic aw_q, w_q, ar_q, b_q, r_q;
  logic [AddressW-1:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q, rdata_q;
  logic whole_q;  // all four bytes are written
  logic berror_q, rerror_q;
  logic write_last_q;  // the last access was a write

  logic write_waits, read_waits, write, read, fits, error;

  assign write_waits = aw_q & w_q & (~b_q | axil_bready_i);
  assign read_waits = ar_q & (~r_q | axil_rready_i);
  assign write = write_waits & ~(read_waits & write_last_q);
  assign read = read_waits & ~write;

  assign address_o = write ? awaddr_q : araddr_q;
  assign fits = address_o[1:0] == 2'b00 && (whole_q | read);
  assign req_o = (write | read) & fits;
  assign write_o = write;
  if (Quiet) begin : gen_quiet
    assign wdata_o = wdata_q & {32{write}};
  end else begin : gen_any
    assign wdata_o = wdata_q;
  end
  assign width_o = (write | read) & ~fits;
  assign error = width_o | error_i;

  assign axil_awready_o = ~aw_q;
  assign axil_wready_o = ~w_q;
  assign axil_arready_o = ~ar_q;
  assign axil_bvalid_o = b_q;
  assign axil_bresp_o = berror_q ? SlvErr : Okay;
  assign axil_rvalid_o = r_q;
  assign axil_rdata_o = rdata_q;
  assign axil_rresp_o = rerror_q ? SlvErr : Okay;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q <= 1'b0;
      ar_q <= 1'b0;
      b_q <= 1'b0;
      r_q <= 1'b0;
      awaddr_q <= '0;
      araddr_q <= '0;
      whole_q <= 1'b0;
      berror_q <= 1'b0;
      rerror_q <= 1'b0;
      write_last_q <= 1'b0;
    end else begin
      aw_q <= aw_q ? ~write : axil_awvalid_i;
      if (!aw_q) awaddr_q <= axil_awaddr_i;
      w_q <= w_q ? ~write : axil_wvalid_i;
      if (!w_q && axil_wvalid_i) whole_q <= &axil_wstrb_i;
      ar_q <= ar_q ? ~read : axil_arvalid_i;
      if (!ar_q) araddr_q <= axil_araddr_i;

      b_q <= write | (b_q & ~axil_bready_i);
      if (write) berror_q <= error;
      r_q <= read | (r_q & ~axil_rready_i);
      if (read) rerror_q <= error;
      if (write | read) write_last_q <= write;

      if (clear_i) begin
        rerror_q <= 1'b1;
        whole_q <= 1'b0;
      end
    end
  end

  // Data is zero where none waits, and so it is in reset. Without a reset of its own, a flip-flop
  // is cleared by its reset pin: there is no logic before it.
  always_ff @(posedge clk_i) begin
    if (clear_i || (w_q ? write : !axil_wvalid_i)) wdata_q <= '0;
    else if (!w_q) wdata_q <= axil_wdata_i;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || (read ? error : !r_q || axil_rready_i)) rdata_q <= '0;
    else if (read) rdata_q <= rdata_i;
  end

endmodule

`default_nettype wire
