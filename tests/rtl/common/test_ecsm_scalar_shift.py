# SPDX-License-Identifier: Apache-2.0
"""ecsm_scalar_shift: see scalar_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from ecsm.curves.gf2m.masked import recode
from ecsm.hdl.files import rtl_file
from tests.rtl.cocotb_run import run
from tests.rtl.common.tops import scalar_top


@pytest.mark.parametrize("w", [2, 8, 163])
def test_scalar_shift(w: int) -> None:
    run(
        "scalar_top",
        [rtl_file("ecsm_scalar_shift")],
        "tests.rtl.common.scalar_cocotb",
        text=scalar_top(w),
        env={"SCALAR_W": str(w)},
    )


def test_the_model_recodes_as_the_header_says() -> None:
    for k in range(256):
        bits = [k >> i & 1 for i in range(8)] + [0]
        want = [bits[i] != bits[i + 1] for i in range(7, -1, -1)] + [bool(bits[0])]
        assert recode(k, 8) == want
