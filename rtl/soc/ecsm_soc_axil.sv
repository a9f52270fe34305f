// SPDX-License-Identifier: Apache-2.0
//
// Bridge from the CPU's bus (Wishbone classic, 32 bits) to AXI4-Lite, one access at a time.
//
// Parameters: AddressW is the number of bits in an address.
//
//   cyc_i ...   an access, stable until ack_o, which lasts one cycle
//   axil_*      the manager's side. An access with an error is acknowledged like the others. Its
//               data is zero; the block records the error in a register of its own
//
// Latency: that of the subordinate; this module adds none.
// Source: AMBA AXI and ACE Protocol Specification, IHI 0022, chapter B1.
`default_nettype none

module ecsm_soc_axil #(
  parameter int unsigned AddressW = 10
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                cyc_i,
  input  logic                we_i,
  input  logic [         3:0] sel_i,
  input  logic [AddressW-3:0] address_i,
  input  logic [        31:0] data_i,
  output logic                ack_o,
  output logic [        31:0] data_o,
  output logic                axil_awvalid_o,
  input  logic                axil_awready_i,
  output logic [AddressW-1:0] axil_awaddr_o,
  output logic                axil_wvalid_o,
  input  logic                axil_wready_i,
  output logic [        31:0] axil_wdata_o,
  output logic [         3:0] axil_wstrb_o,
  input  logic                axil_bvalid_i,
  output logic                axil_bready_o,
  output logic                axil_arvalid_o,
  input  logic                axil_arready_i,
  output logic [AddressW-1:0] axil_araddr_o,
  input  logic                axil_rvalid_i,
  output logic                axil_rready_o,
  input  logic [        31:0] axil_rdata_i
);

  // The subordinate has accepted the address, the data of this access.
  logic address_q, data_q;

  assign axil_awvalid_o = cyc_i & we_i & ~address_q;
  assign axil_awaddr_o  = {address_i, 2'b00};
  assign axil_wvalid_o  = cyc_i & we_i & ~data_q;
  assign axil_wdata_o   = data_i;
  assign axil_wstrb_o   = sel_i;
  assign axil_bready_o  = 1'b1;
  assign axil_arvalid_o = cyc_i & ~we_i & ~address_q;
  assign axil_araddr_o  = {address_i, 2'b00};
  assign axil_rready_o  = 1'b1;
  assign ack_o          = axil_bvalid_i | axil_rvalid_i;
  assign data_o         = axil_rdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      address_q <= 1'b0;
      data_q    <= 1'b0;
    end else if (ack_o) begin
      address_q <= 1'b0;
      data_q    <= 1'b0;
    end else begin
      if (axil_awvalid_o && axil_awready_i) address_q <= 1'b1;
      if (axil_arvalid_o && axil_arready_i) address_q <= 1'b1;
      if (axil_wvalid_o && axil_wready_i) data_q <= 1'b1;
    end
  end

endmodule

`default_nettype wire
