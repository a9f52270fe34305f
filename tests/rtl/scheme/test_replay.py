# SPDX-License-Identifier: Apache-2.0
"""scheme_replay: see replay_cocotb.py for what is asserted."""

from __future__ import annotations

from pathlib import Path

from ecsm.hdl.files import needed, rtl_files
from tests.rtl.cocotb_run import run

REGISTERS = Path(__file__).parent / "registers.vlt"
TOP = "replay_system"
PORTS = {
    "input": [
        "clk_i", "rst_ni", "clear_i", "begin_i", "info_i", "again_i", "z_valid_i", "info_valid_i",
        "last_i", "z_ready_i", "info_ready_i",
    ],
    "output": ["ready_o", "z_ready_o", "info_ready_o", "z_valid_o", "info_valid_o", "last_o"],
}  # fmt: skip
LIST = ",\n".join(f"  {way} logic {', '.join(names)}" for way, names in PORTS.items())
TEXT = f"""\
module {TOP}
  import scheme_pkg::*;
(
{LIST},
  input logic [W-1:0] data_i,
  input logic [BytesW-1:0] bytes_i,
  output logic [W-1:0] data_o,
  output logic [BytesW-1:0] bytes_o
);
  scheme_replay u_replay (.*);
endmodule
"""


def test_replay() -> None:
    files = [REGISTERS, *needed(TEXT, rtl_files())]
    run(TOP, files, "tests.rtl.scheme.replay_cocotb", text=TEXT)
