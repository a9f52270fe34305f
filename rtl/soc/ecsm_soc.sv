// SPDX-License-Identifier: Apache-2.0
//
// A RISC-V system on chip. It has two places for an accelerator on a narrow port, and one for a
// block of registers (docs/integrate/soc.md, rtl/attach/ecsm_narrow_pkg.sv).
//
//   VexRiscv --- custom instruction ---------------------------------------> tc_*
//    |    |
//    |    +-- data bus (d_*) --+--> ecsm_soc_ram port d
//    |                         +--> ecsm_soc_uart, ecsm_soc_timer, exit
//    |                         +--> ecsm_narrow_wishbone ------------------> lc_*
//    |                         +--> ecsm_soc_axil -------------------------> axil_*
//    +-- instruction bus (i_*) --> ecsm_soc_ram port i
//
//   tc    tightly coupled: the port is the CPU's custom instruction
//   lc    loosely coupled: the port is behind registers on the CPU's data bus
//   axil  AXI4-Lite on the CPU's data bus, with an interrupt
//
// Parameters: NumWord is the size of the memory in words, 256 .. 2^20. Divisor is the number of
// clock cycles in a bit of the UART after reset. Image: see ecsm_soc_ram. NumRom, less than
// NumWord: the words from address 0 on that cannot be written, for a boot program
// (docs/integrate/boot.md).
//
// The CPU is VexRiscv (FullCfu: RV32IM, 4 KiB of instruction cache and of data cache), which is not
// part of this project. Addresses with bit 31 set are not cached.
//
//   0000_0000  memory, NumWord words
//   8000_0000  UART: data (write sends, read removes a received byte), status {received, may send},
//              clock cycles in a bit (Divisor after reset, 4 .. 65535). It stores 32 received bytes
//   8000_0010  timer: see ecsm_soc_timer
//   8000_0020  exit: a write puts its data on exit_status_o and raises exit_valid_o until reset
//   9000_0000  loosely coupled port: see ecsm_narrow_wishbone
//   a000_0000  AXI4-Lite: see ecsm_soc_axil
//
// An access to an unused address is acknowledged, reads 0 and has no effect. axil_irq_i is external
// interrupt 0 of the CPU, level-sensitive. After reset the CPU starts at address 0. Latency:
// registers of UART, timer and exit are acknowledged in the same cycle, the others as their modules
// say.
`default_nettype none

module ecsm_soc
  import ecsm_narrow_pkg::req_t;
#(
  parameter int unsigned NumWord = 16384,
  parameter int unsigned Divisor = 434,
  parameter string Image = "",
  parameter int unsigned NumRom = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        uart_rx_i,
  output logic        uart_tx_o,
  output logic        exit_valid_o,
  output logic [31:0] exit_status_o,
  output logic        tc_req_valid_o,
  input  logic        tc_req_ready_i,
  output req_t        tc_req_o,
  input  logic        tc_rsp_valid_i,
  output logic        tc_rsp_ready_o,
  input  logic [31:0] tc_rsp_i,
  output logic        lc_req_valid_o,
  input  logic        lc_req_ready_i,
  output req_t        lc_req_o,
  input  logic        lc_rsp_valid_i,
  output logic        lc_rsp_ready_o,
  input  logic [31:0] lc_rsp_i,
  output logic        axil_awvalid_o,
  input  logic        axil_awready_i,
  output logic [ 9:0] axil_awaddr_o,
  output logic        axil_wvalid_o,
  input  logic        axil_wready_i,
  output logic [31:0] axil_wdata_o,
  output logic [ 3:0] axil_wstrb_o,
  input  logic        axil_bvalid_i,
  output logic        axil_bready_o,
  output logic        axil_arvalid_o,
  input  logic        axil_arready_i,
  output logic [ 9:0] axil_araddr_o,
  input  logic        axil_rvalid_i,
  output logic        axil_rready_o,
  input  logic [31:0] axil_rdata_i,
  input  logic        axil_irq_i
);

  localparam int unsigned RamW = $clog2(NumWord);

  // ------------------------------------------------------------------ CPU
  logic i_cyc, i_stb, i_ack;
  logic d_cyc, d_stb, d_we, d_ack;
  logic [29:0] i_adr, d_adr;
  logic [31:0] i_rdata, d_rdata, d_wdata;
  logic [3:0] d_sel;
  logic timer_irq;
  logic unused_i_we;
  logic [31:0] unused_i_wdata;
  logic [3:0] unused_i_sel;
  logic [2:0] unused_i_cti, unused_d_cti;
  logic [1:0] unused_i_bte, unused_d_bte;

  // The CPU's reset is synchronous and active high.
  logic [1:0] reset_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_q <= '1;
    else reset_q <= reset_q << 1;
  end

  VexRiscv u_cpu (
    .clk(clk_i),
    .reset(reset_q[1]),
    .externalResetVector(32'h0000_0000),
    .timerInterrupt(timer_irq),
    .softwareInterrupt(1'b0),
    .externalInterruptArray({31'h0, axil_irq_i}),
    .CfuPlugin_bus_cmd_valid(tc_req_valid_o),
    .CfuPlugin_bus_cmd_ready(tc_req_ready_i),
    .CfuPlugin_bus_cmd_payload_function_id(tc_req_o.func),
    .CfuPlugin_bus_cmd_payload_inputs_0(tc_req_o.a),
    .CfuPlugin_bus_cmd_payload_inputs_1(tc_req_o.b),
    .CfuPlugin_bus_rsp_valid(tc_rsp_valid_i),
    .CfuPlugin_bus_rsp_ready(tc_rsp_ready_o),
    .CfuPlugin_bus_rsp_payload_outputs_0(tc_rsp_i),
    .iBusWishbone_CYC(i_cyc),
    .iBusWishbone_STB(i_stb),
    .iBusWishbone_ACK(i_ack),
    .iBusWishbone_WE(unused_i_we),
    .iBusWishbone_ADR(i_adr),
    .iBusWishbone_DAT_MISO(i_rdata),
    .iBusWishbone_DAT_MOSI(unused_i_wdata),
    .iBusWishbone_SEL(unused_i_sel),
    .iBusWishbone_ERR(1'b0),
    .iBusWishbone_CTI(unused_i_cti),
    .iBusWishbone_BTE(unused_i_bte),
    .dBusWishbone_CYC(d_cyc),
    .dBusWishbone_STB(d_stb),
    .dBusWishbone_ACK(d_ack),
    .dBusWishbone_WE(d_we),
    .dBusWishbone_ADR(d_adr),
    .dBusWishbone_DAT_MISO(d_rdata),
    .dBusWishbone_DAT_MOSI(d_wdata),
    .dBusWishbone_SEL(d_sel),
    .dBusWishbone_ERR(1'b0),
    .dBusWishbone_CTI(unused_d_cti),
    .dBusWishbone_BTE(unused_d_bte)
  );

  // ------------------------------------------------------------------ data bus
  // Memory and registers repeat within their 256 MiB.
  logic i_access, d_access, to_ram, to_io, to_lc, to_axil, unused_address;
  assign unused_address = ^{i_adr, d_adr};
  assign i_access = i_cyc & i_stb;
  assign d_access = d_cyc & d_stb;
  assign to_ram = d_access & ~d_adr[29];
  assign to_io = d_access & (d_adr[29:26] == 4'h8);
  assign to_lc = d_access & (d_adr[29:26] == 4'h9);
  assign to_axil = d_access & (d_adr[29:26] == 4'ha);

  logic ram_ack, lc_ack, axil_ack;
  logic [31:0] ram_rdata, lc_rdata, axil_rdata, io_rdata;

  ecsm_soc_ram #(
    .NumWord(NumWord),
    .Image(Image),
    .NumRom(NumRom)
  ) u_ram (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .i_req_i(i_access),
    .i_address_i(i_adr[RamW-1:0]),
    .i_ack_o(i_ack),
    .i_data_o(i_rdata),
    .d_req_i(to_ram),
    .d_we_i(d_sel & {4{d_we}}),
    .d_address_i(d_adr[RamW-1:0]),
    .d_data_i(d_wdata),
    .d_ack_o(ram_ack),
    .d_data_o(ram_rdata)
  );

  ecsm_narrow_wishbone u_lc (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .cyc_i(to_lc),
    .we_i(d_we),
    .address_i(d_adr[10:0]),
    .data_i(d_wdata),
    .ack_o(lc_ack),
    .data_o(lc_rdata),
    .req_valid_o(lc_req_valid_o),
    .req_ready_i(lc_req_ready_i),
    .req_o(lc_req_o),
    .rsp_valid_i(lc_rsp_valid_i),
    .rsp_ready_o(lc_rsp_ready_o),
    .rsp_i(lc_rsp_i)
  );

  ecsm_soc_axil #(
    .AddressW(10)
  ) u_axil (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .cyc_i(to_axil),
    .we_i(d_we),
    .sel_i(d_sel),
    .address_i(d_adr[7:0]),
    .data_i(d_wdata),
    .ack_o(axil_ack),
    .data_o(axil_rdata),
    .axil_awvalid_o(axil_awvalid_o),
    .axil_awready_i(axil_awready_i),
    .axil_awaddr_o(axil_awaddr_o),
    .axil_wvalid_o(axil_wvalid_o),
    .axil_wready_i(axil_wready_i),
    .axil_wdata_o(axil_wdata_o),
    .axil_wstrb_o(axil_wstrb_o),
    .axil_bvalid_i(axil_bvalid_i),
    .axil_bready_o(axil_bready_o),
    .axil_arvalid_o(axil_arvalid_o),
    .axil_arready_i(axil_arready_i),
    .axil_araddr_o(axil_araddr_o),
    .axil_rvalid_i(axil_rvalid_i),
    .axil_rready_o(axil_rready_o),
    .axil_rdata_i(axil_rdata_i)
  );

  // ------------------------------------------------------------------ UART, timer, exit
  // Word addresses: UART 0 .. 2, timer 4 .. 7, exit 8.
  logic [9:0] io_adr;
  logic [15:0] divisor_q;
  logic tx_ready, rx_valid, rx_full, io_write, take;
  logic [5:0] rx_count, rx_room;
  logic [7:0] rx_octet, rx_data;
  logic [31:0] timer_rdata;
  assign io_adr = d_adr[9:0];
  assign io_write = to_io & d_we;

  ecsm_soc_uart u_uart (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .divisor_i(divisor_q),
    .rx_i(uart_rx_i),
    .tx_o(uart_tx_o),
    .tx_valid_i(io_write & (io_adr == 10'd0)),
    .tx_ready_o(tx_ready),
    .tx_data_i(d_wdata[7:0]),
    .rx_valid_o(rx_valid),
    .rx_take_i(~rx_full),
    .rx_data_o(rx_octet)
  );

  // Received bytes that were not read. If the queue is full, the UART loses further bytes.
  assign rx_full = rx_room == '0;
  assign take = to_io & ~d_we & (io_adr == 10'd0) & (rx_count != '0);

  ecsm_block_fifo #(
    .W(8),
    .Depth(32)
  ) u_received (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .clear_i(1'b0),
    .put_i(rx_valid & ~rx_full),
    .data_i(rx_octet),
    .pop_i(take),
    .data_o(rx_data),
    .count_o(rx_count),
    .room_o(rx_room)
  );

  ecsm_soc_timer u_timer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .we_i(io_write & (io_adr[9:2] == 8'd1)),
    .address_i(io_adr[1:0]),
    .data_i(d_wdata),
    .data_o(timer_rdata),
    .irq_o(timer_irq)
  );

  logic exit_valid_q;
  logic [31:0] exit_status_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) divisor_q <= 16'(Divisor);
    else if (io_write && io_adr == 10'd2) divisor_q <= d_wdata[15:0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      exit_valid_q  <= 1'b0;
      exit_status_q <= '0;
    end else if (io_write && io_adr == 10'd8) begin
      exit_valid_q  <= 1'b1;
      exit_status_q <= d_wdata;
    end
  end
  assign exit_valid_o  = exit_valid_q;
  assign exit_status_o = exit_status_q;

  always_comb begin
    io_rdata = '0;
    if (io_adr == 10'd0) io_rdata = rx_count == '0 ? '0 : 32'(rx_data);
    if (io_adr == 10'd1) io_rdata = 32'({rx_count != '0, tx_ready});
    if (io_adr == 10'd2) io_rdata = 32'(divisor_q);
    if (io_adr[9:2] == 8'd1) io_rdata = timer_rdata;
  end

  // An address that is neither memory nor a port is acknowledged at once.
  always_comb begin
    d_ack   = d_access;
    d_rdata = to_io ? io_rdata : '0;
    if (to_ram) begin
      d_ack   = ram_ack;
      d_rdata = ram_rdata;
    end else if (to_lc) begin
      d_ack   = lc_ack;
      d_rdata = lc_rdata;
    end else if (to_axil) begin
      d_ack   = axil_ack;
      d_rdata = axil_rdata;
    end
  end

  if (NumWord < 256 || NumWord > 1 << 20) begin : gen_bad
    $error("ecsm_soc: NumWord must be 256 .. 2^20");
  end
  if (NumRom >= NumWord) begin : gen_bad_rom
    $error("ecsm_soc: NumRom must be less than NumWord");
  end

endmodule

`default_nettype wire
