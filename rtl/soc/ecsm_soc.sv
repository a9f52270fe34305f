// SPDX-License-Identifier: Apache-2.0
//
// A RISC-V system on chip with two places for an accelerator on a narrow port
// (docs/soc.md, rtl/attach/ecsm_narrow_pkg.sv):
//
//   tc  tightly coupled: the port is the CPU's custom instruction
//   lc  loosely coupled: the port is behind registers on the CPU's data bus
//
// The CPU is VexRiscv (FullCfu: RV32IM, 4 KiB of instruction and of data cache), which is not of
// this project; what has address bit 31 set goes past its cache.
//
//   0000_0000  memory, NumWord words
//   8000_0000  UART: data (write sends, read takes), status {received, may send}
//   8000_0010  timer: see ecsm_soc_timer
//   8000_0020  exit: a write shows its data on exit_status_o and raises exit_valid_o for good
//   9000_0000  loosely coupled port: see ecsm_narrow_wishbone
//
// An access to a hole is answered, reads 0 and does nothing. Reset: the CPU starts at 0.
`default_nettype none

module ecsm_soc
  import ecsm_narrow_pkg::req_t;
#(
  parameter int unsigned NumWord = 16384,
  parameter int unsigned Divisor = 434,
  parameter string Image = ""
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
  input  logic [31:0] lc_rsp_i
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

  // Its reset is synchronous and active high.
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
    .externalInterruptArray(32'h0000_0000),
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
  logic i_access, d_access, to_ram, to_io, to_lc, unused_address;
  assign unused_address = ^{i_adr, d_adr};
  assign i_access = i_cyc & i_stb;
  assign d_access = d_cyc & d_stb;
  assign to_ram = d_access & ~d_adr[29];
  assign to_io = d_access & (d_adr[29:26] == 4'h8);
  assign to_lc = d_access & (d_adr[29:26] == 4'h9);

  logic ram_ack, lc_ack;
  logic [31:0] ram_rdata, lc_rdata, io_rdata;

  ecsm_soc_ram #(
    .NumWord(NumWord),
    .Image(Image)
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

  // ------------------------------------------------------------------ UART, timer, exit
  // Word addresses: 0, 1 UART; 4 .. 7 timer; 8 exit.
  logic [9:0] io_adr;
  logic tx_ready, rx_valid, io_write;
  logic [ 7:0] rx_data;
  logic [31:0] timer_rdata;
  assign io_adr = d_adr[9:0];
  assign io_write = to_io & d_we;

  ecsm_soc_uart #(
    .Divisor(Divisor)
  ) u_uart (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .rx_i(uart_rx_i),
    .tx_o(uart_tx_o),
    .tx_valid_i(io_write & (io_adr == 10'd0)),
    .tx_ready_o(tx_ready),
    .tx_data_i(d_wdata[7:0]),
    .rx_valid_o(rx_valid),
    .rx_take_i(to_io & ~d_we & (io_adr == 10'd0)),
    .rx_data_o(rx_data)
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
    if (io_adr == 10'd0) io_rdata = 32'(rx_data);
    if (io_adr == 10'd1) io_rdata = 32'({rx_valid, tx_ready});
    if (io_adr[9:2] == 8'd1) io_rdata = timer_rdata;
  end

  // What is neither memory nor the port is answered at once.
  always_comb begin
    d_ack   = d_access;
    d_rdata = to_io ? io_rdata : '0;
    if (to_ram) begin
      d_ack   = ram_ack;
      d_rdata = ram_rdata;
    end else if (to_lc) begin
      d_ack   = lc_ack;
      d_rdata = lc_rdata;
    end
  end

  if (NumWord < 256 || NumWord > 1 << 20) begin : gen_bad
    $error("ecsm_soc: NumWord must be 256 .. 2^20");
  end

endmodule

`default_nettype wire
