# SPDX-License-Identifier: Apache-2.0
"""ecsm_random_pool: see pool_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from ecsm.hdl.files import rtl_file
from tests.rtl.cocotb_run import run


def top(w: int, word: int) -> str:
    """Return the module ``pool_top``: ecsm_random_pool. ``held_o``: what it holds is not zero."""
    return f"""\
module pool_top (
  input logic clk_i, input logic rst_ni_i, input logic clear_i, input logic random_valid_i,
  input logic [{word - 1}:0] random_i, input logic take_i,
  output logic random_ready_o, output logic full_o, output logic [{w - 1}:0] data_o,
  output logic held_o
);
  ecsm_random_pool #(.W({w}), .WordW({word})) u_dut (.*, .rst_ni(rst_ni_i));
  assign held_o = |u_dut.pool_q;
endmodule
"""


@pytest.mark.parametrize(("w", "word"), [(7, 8), (8, 8), (20, 8), (3, 1)])
def test_random_pool(w: int, word: int) -> None:
    run(
        "pool_top", [rtl_file("ecsm_random_pool")], "tests.rtl.common.pool_cocotb",
        text=top(w, word), env={"POOL_W": str(w), "POOL_WORD": str(word)},
    )  # fmt: skip
