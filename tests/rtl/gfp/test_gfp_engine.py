# SPDX-License-Identifier: Apache-2.0
"""gfp_engine in every toy preset: see engine_cocotb.py for what is asserted.

Masked cores, which take random words by a port of their own, are in test_masked.py.
"""

from __future__ import annotations

import pytest

from ecsm.hdl.files import rtl_files
from ecsm.presets.gfp_table import PRIME_PRESETS
from tests.rtl.cocotb_run import run
from tests.rtl.common.tops import engine_top

TOYS = [n for n, p in PRIME_PRESETS.items() if n.startswith("toy") and not p.random_bits]
QUICK = ("toyp8-k", "toyp5-u", "toyp7-t", "toyp7-x", "toyp5-v", "toyp8-b")


@pytest.mark.parametrize(
    "preset",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in TOYS],
)
def test_core_port(preset: str) -> None:
    run(
        "engine_top",
        rtl_files(),
        "tests.rtl.common.engine_cocotb",
        text=engine_top(preset),
        env={"ENGINE_PRESET": preset},
        args=("--unroll-count", "1024"),
    )
