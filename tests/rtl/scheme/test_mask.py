# SPDX-License-Identifier: Apache-2.0
"""scheme_mask: see mask_cocotb.py for what is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.hdl.files import needed, rtl_files
from tests.rtl.cocotb_run import run

REGISTERS = Path(__file__).parent / "registers.vlt"
TOP = "mask_system"
PORTS = {
    "input": [
        "clk_i", "rst_ni", "clear_i", "command_i", "core_i", "in_valid_i", "out_ready_i",
        "random_ready_i",
    ],
    "output": ["in_ready_o", "out_valid_o", "random_valid_o"],
}  # fmt: skip
LIST = ",\n".join(f"  {way} logic {', '.join(names)}" for way, names in PORTS.items())


@pytest.mark.parametrize("masked", [0, 1])
def test_mask(masked: int) -> None:
    text = f"""\
module {TOP}
  import scheme_pkg::*;
(
{LIST},
  input logic [W-1:0] in_data_i,
  input logic [BytesW-1:0] in_bytes_i,
  output logic [31:0] random_o
);
  scheme_mask #(.Masked(1'b{masked})) u_mask (.*);
endmodule
"""
    files = [REGISTERS, *needed(text, rtl_files())]
    run(TOP, files, "tests.rtl.scheme.mask_cocotb", text=text, env={"MASKED": str(masked)})
