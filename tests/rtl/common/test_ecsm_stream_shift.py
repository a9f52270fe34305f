# SPDX-License-Identifier: Apache-2.0
"""ecsm_stream_shift: see stream_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from ecsm.hdl.files import rtl_file
from tests.rtl.cocotb_run import run


def top(w: int) -> str:
    """Return the module ``stream_top``: ecsm_stream_shift."""
    return f"""\
module stream_top (
  input logic clk_i, input logic clear_i, input logic load_i, input logic shift_i,
  input logic [{w - 1}:0] data_i,
  output logic bit_o, output logic next_o, output logic odd_o, output logic marked_o
);
  ecsm_stream_shift #(.W({w})) u_dut (.*);
endmodule
"""


@pytest.mark.parametrize("w", [2, 3, 17])
def test_stream_shift(w: int) -> None:
    run(
        "stream_top", [rtl_file("ecsm_stream_shift")], "tests.rtl.common.stream_cocotb",
        text=top(w), env={"STREAM_W": str(w)},
    )  # fmt: skip
