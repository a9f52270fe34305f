# SPDX-License-Identifier: Apache-2.0
"""ecsm_regfile against a list of numbers: see regfile_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from tests.rtl.cocotb_run import run
from tests.rtl.engine.tops import engine_file, regfile_top


@pytest.mark.parametrize(("w", "count"), [(1, 1), (7, 9), (163, 3)])
def test_regfile(w: int, count: int) -> None:
    run(
        "regfile_top",
        [engine_file("ecsm_regfile")],
        "tests.rtl.engine.regfile_cocotb",
        text=regfile_top(w, count),
        env={"REGFILE_W": str(w), "REGFILE_COUNT": str(count)},
    )
