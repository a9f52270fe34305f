# SPDX-License-Identifier: Apache-2.0
"""The schemes behind a bus: streams, keys, refusals; signatures and agreement as the model."""

from __future__ import annotations

import pytest

from ecsm.hdl.block_scheme_emit import emit_block_schemes
from ecsm.hdl.buses import BUSES
from ecsm.hdl.files import needed, rtl_files
from ecsm.hdl.machines import machine
from tests.rtl.cocotb_run import run


def test_tables_are_loaded_over_the_bus() -> None:
    behind_the_bus("word-prime", "block_tables_cocotb")


@pytest.mark.parametrize(
    ("preset", "bus"),
    [("b163-small", "axil"), ("word-p256", "axil"), ("b163-small", "wishbone"),
     ("word-p256", "apb")],
)  # fmt: skip
def test_schemes_behind_the_bus(preset: str, bus: str) -> None:
    behind_the_bus(preset, "block_scheme_cocotb", bus)


def test_what_waits_at_the_bus_is_zeroized() -> None:
    behind_the_bus("b163-small", "axil_zeroized_cocotb")


def behind_the_bus(preset: str, tests: str, bus: str = "axil") -> None:
    """Run tests of a preset's schemes behind a bus."""
    # The self-test is work of a million cycles before the first request: tests/schemes has it.
    modules = emit_block_schemes(machine(preset), BUSES[bus], self_test=False)
    text = "\n".join(modules.values())
    run(
        list(modules)[-1],
        needed(text, rtl_files()),
        f"tests.rtl.attach.{tests}",
        text=text,
        env={"ECSM_PRESET": preset},
        args=("--unroll-count", "1024"),
    )
