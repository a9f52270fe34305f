# SPDX-License-Identifier: Apache-2.0
"""Test tops of rtl/attach, on flat ports whose names cocotb_run makes visible."""

from __future__ import annotations

from ecsm.narrow.units import Unit

REQ = 20  # bits of a request in tests of the farm alone
RSP = 24


def farm_top(engines: int) -> str:
    """Return the module ``farm_top``: ecsm_farm, its engines' ports outside.

    ``inside_o``: some register that holds data is not zero.
    """
    n = engines
    data = [
        f"u_dut.gen_engine[{i}].{slot}.data_q"
        for i in range(n)
        for slot in ("u_request", "u_answer")
    ]
    inside = " || ".join(f"(|{name})" for name in ["u_dut.rsp_q", *data])
    return f"""\
module farm_top (
  input logic clk_i, input logic rst_ni_i, input logic zeroize_i,
  input logic req_valid_i, output logic req_ready_o, input logic [{REQ - 1}:0] req_i,
  output logic rsp_valid_o, input logic rsp_ready_i, output logic [{RSP - 1}:0] rsp_o,
  output logic [{n - 1}:0] engine_req_valid_o, input logic [{n - 1}:0] engine_req_ready_i,
  output logic [{n * REQ - 1}:0] engine_req_o,
  input logic [{n - 1}:0] engine_rsp_valid_i, output logic [{n - 1}:0] engine_rsp_ready_o,
  input logic [{n * RSP - 1}:0] engine_rsp_i, output logic inside_o
);
  ecsm_farm #(.N({n}), .ReqW({REQ}), .RspW({RSP})) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni_i), .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i), .req_ready_o(req_ready_o), .req_i(req_i),
    .rsp_valid_o(rsp_valid_o), .rsp_ready_i(rsp_ready_i), .rsp_o(rsp_o),
    .engine_req_valid_o(engine_req_valid_o), .engine_req_ready_i(engine_req_ready_i),
    .engine_req_o(engine_req_o), .engine_rsp_valid_i(engine_rsp_valid_i),
    .engine_rsp_ready_o(engine_rsp_ready_o), .engine_rsp_i(engine_rsp_i)
  );
  assign inside_o = {inside};
endmodule
"""


def narrow_top(unit: Unit) -> str:
    """Return the module ``narrow_top``: a unit on the narrow port.

    ``inside_o``: some register that holds data is not zero.
    """
    if unit.firmware:
        depth, pairs = unit.firmware.depth, range(-(-unit.curve.field.m // 64))
        banks = [
            f"u_dut.u_unit.gen_lane[{i}].u_bank.gen_port[{p}].gen_distributed.memory[{r}]"
            for i in pairs for p in range(2) for r in range(depth)
        ]  # fmt: skip
        mul = [f"u_dut.u_unit.u_mul.{name}" for name in ("a_q", "b_q", "acc_q")]
        data = [*banks, *mul, "u_dut.u_unit.u_seq.flag_q", "u_dut.u_unit.u_seq.above_q"]
    else:
        data = [f"u_dut.u_narrow.gen_register[{r}].value_q" for r in range(len(unit.registers))]
    inside = "\n      || ".join(f"(|{name})" for name in data)
    return f"""\
module narrow_top (
  input logic clk_i, input logic rst_ni_i, input logic zeroize_i,
  input logic req_valid_i, output logic req_ready_o,
  input logic [9:0] func_i, input logic [31:0] a_i, input logic [31:0] b_i,
  output logic rsp_valid_o, input logic rsp_ready_i, output logic [31:0] rsp_o,
  output logic inside_o
);
  {unit.module} u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni_i), .zeroize_i(zeroize_i),
    .req_valid_i(req_valid_i), .req_ready_o(req_ready_o),
    .req_i({{func_i, a_i, b_i}}),
    .rsp_valid_o(rsp_valid_o), .rsp_ready_i(rsp_ready_i), .rsp_o(rsp_o)
  );
  assign inside_o = {inside};
endmodule
"""
