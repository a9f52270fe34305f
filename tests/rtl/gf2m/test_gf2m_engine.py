# SPDX-License-Identifier: Apache-2.0
"""gf2m_engine and gf2m_halving in presets of each kind: see engine_cocotb.py for what is asserted.

Every kind of multiplier timing: in one cycle, in several cycles without a pipeline, in a pipeline.
"""

from __future__ import annotations

import pytest

from ecsm.hdl.files import rtl_files
from tests.rtl.cocotb_run import run
from tests.rtl.common.tops import engine_top


@pytest.mark.parametrize(
    "preset",
    ["toy7-fast", "toy7-small", "toy8-one", "toy9-four", "toy8-ahead", "toy107-halving",
     "toy7-small-check", "toy8-ahead-check"],
)  # fmt: skip
def test_core_port(preset: str) -> None:
    run(
        "engine_top",
        rtl_files(),
        "tests.rtl.common.engine_cocotb",
        text=engine_top(preset),
        env={"ENGINE_PRESET": preset},
        args=("--unroll-count", "1024"),
    )
