# SPDX-License-Identifier: Apache-2.0
"""ecsm_regfile against a list of numbers: see regfile_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from ecsm.hdl.files import rtl_file
from tests.rtl.cocotb_run import run
from tests.rtl.common.tops import regfile_top


@pytest.mark.parametrize(("w", "count"), [(1, 1), (7, 9), (163, 3)])
def test_regfile(w: int, count: int) -> None:
    run(
        "regfile_top",
        [rtl_file("ecsm_regfile")],
        "tests.rtl.common.regfile_cocotb",
        text=regfile_top(w, count),
        env={"REGFILE_W": str(w), "REGFILE_COUNT": str(count)},
    )
