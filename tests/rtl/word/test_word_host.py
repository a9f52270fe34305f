# SPDX-License-Identifier: Apache-2.0
"""word_host, messages and their lengths: see host_cocotb.py for what is asserted.

Strings of the host, and those that go to it, are tested with the schemes (tests/schemes).
"""

from __future__ import annotations

from ecsm.hdl.files import needed, rtl_files
from tests.rtl.cocotb_run import run

IN = {"clear": 1, "again": 1, "empty": 1, "port": 3, "long": 1, "from_ready": 1,
      "from_last": 1, "to_valid": 1, "to_last": 1, "to_data": 8, "in_valid": 1,
      "in_data": 64, "in_bytes": 4, "in_last": 1,
      "out_ready": 1}  # fmt: skip
OUT = {"malformed": 1, "ended": 1, "over": 1, "counted": 1, "busy": 1, "from_valid": 1,
       "from_data": 8, "to_ready": 1, "in_ready": 1, "out_valid": 1,
       "out_data": 64, "out_bytes": 4, "out_last": 1}  # fmt: skip


def top() -> str:
    """Return a top whose ports are numbers."""
    ports = ["input logic clk_i", "input logic rst_ni_i"]
    ports += [f"input logic [{w - 1}:0] {name}_i" for name, w in IN.items()]
    ports += [f"output logic [{w - 1}:0] {name}_o" for name, w in OUT.items()]
    pins = [".clk_i(clk_i)", ".rst_ni(rst_ni_i)", ".port_i(word_pkg::port_e'(port_i))"]
    pins += [f".{name}_i({name}_i)" for name in IN if name != "port"]
    pins += [f".{name}_o({name}_o)" for name in OUT]
    lines = ",\n  "
    return (
        f"module word_host_top (\n  {lines.join(ports)}\n);\n"
        f"word_host u_host (\n  {lines.join(pins)}\n);\nendmodule\n"
    )


def test_messages_and_their_lengths() -> None:
    text = top()
    run("word_host_top", needed(text, rtl_files()), "tests.rtl.word.host_cocotb", text=text)
