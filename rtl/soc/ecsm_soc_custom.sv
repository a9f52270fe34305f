// SPDX-License-Identifier: Apache-2.0
//
// A block of registers as a custom instruction: a narrow port (ecsm_narrow_pkg::req_t) in front of
// the bus that ecsm_soc_axil accepts. It has its own functions, not those of a unit:
//
//   func 0   returns the register at offset a[AddressW-1:0]
//   func 1   writes b to that register; returns 0
//   others   no effect; returns 0
//
// Parameters: AddressW is the number of bits in an offset.
//
// cyc_o and its access are stable until ack_i. Latency: that of the access, and two cycles.
`default_nettype none

module ecsm_soc_custom
  import ecsm_narrow_pkg::req_t;
#(
  parameter int unsigned AddressW = 10
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                req_valid_i,
  output logic                req_ready_o,
  input  req_t                req_i,
  output logic                rsp_valid_o,
  input  logic                rsp_ready_i,
  output logic [        31:0] rsp_o,
  output logic                cyc_o,
  output logic                we_o,
  output logic [AddressW-3:0] address_o,
  output logic [        31:0] data_o,
  input  logic                ack_i,
  input  logic [        31:0] data_i
);

  logic busy_q, we_q, valid_q, unused_address;
  logic [AddressW-3:0] address_q;
  logic [31:0] data_q, rsp_q;

  assign req_ready_o = ~busy_q & (~valid_q | rsp_ready_i);
  assign rsp_valid_o = valid_q;
  assign rsp_o = rsp_q;
  assign cyc_o = busy_q;
  assign we_o = we_q;
  assign address_o = address_q;
  assign data_o = data_q;
  assign unused_address = ^{req_i.a[31:AddressW], req_i.a[1:0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      we_q <= 1'b0;
      valid_q <= 1'b0;
      address_q <= '0;
      data_q <= '0;
      rsp_q <= '0;
    end else begin
      if (rsp_ready_i) valid_q <= 1'b0;
      if (req_valid_i && req_ready_o) begin
        busy_q <= req_i.func[9:1] == '0;
        valid_q <= req_i.func[9:1] != '0;
        we_q <= req_i.func[0];
        address_q <= req_i.a[AddressW-1:2];
        data_q <= req_i.b;
        rsp_q <= '0;
      end
      if (busy_q && ack_i) begin
        busy_q  <= 1'b0;
        valid_q <= 1'b1;
        data_q  <= '0;
        if (!we_q) rsp_q <= data_i;
      end
    end
  end

endmodule

`default_nettype wire
