# SPDX-License-Identifier: Apache-2.0
"""The schemes behind AXI4-Lite: streams, keys, refusals; signatures and agreement as the model."""

from __future__ import annotations

import pytest

from ecsm.hdl.axil_scheme_emit import emit_axil_schemes
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.machines import machine
from tests.rtl.cocotb_run import run


def test_tables_are_loaded_over_the_bus() -> None:
    behind_the_bus("word-prime", "tests.rtl.attach.axil_tables_cocotb")


@pytest.mark.parametrize("preset", ["b163-small", "word-p256"])
def test_schemes_behind_the_bus(preset: str) -> None:
    behind_the_bus(preset, "tests.rtl.attach.axil_scheme_cocotb")


def behind_the_bus(preset: str, tests: str) -> None:
    """Run tests of a preset's schemes behind AXI4-Lite."""
    # The self-test is work of a million cycles before the first request: tests/schemes has it.
    modules = emit_axil_schemes(machine(preset), self_test=False)
    text = "\n".join(modules.values())
    run(
        list(modules)[-1],
        needed(text, rtl_files()),
        tests,
        text=text,
        env={"ECSM_PRESET": preset},
        args=("--unroll-count", "1024"),
    )
