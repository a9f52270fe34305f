# SPDX-License-Identifier: Apache-2.0
"""Cores and farms behind AXI4-Stream: axis_cocotb.py says what is asserted."""

from __future__ import annotations

import pytest

from ecsm.cores.store import design
from ecsm.hdl.axis_emit import emit_axis
from ecsm.hdl.files import needed, rtl_files
from tests.rtl.cocotb_run import run


@pytest.mark.parametrize(
    ("preset", "engines"), [("toy7-fast", 3), ("toyp5-v", 2), ("toy7-fast", 1)]
)
def test_streams(preset: str, engines: int) -> None:
    modules = emit_axis(design(preset), engines)
    text = "\n".join(modules.values())
    run(
        list(modules)[-1],
        needed(text, rtl_files()),
        "tests.rtl.attach.axis_cocotb",
        text=text,
        env={"ECSM_PRESET": preset, "ECSM_ENGINES": str(engines)},
        args=("--unroll-count", "1024"),
    )
