# SPDX-License-Identifier: Apache-2.0
"""A core behind each bus: toy cores in every respect, real ones against libcrypto."""

from __future__ import annotations

import pytest

from ecsm.cores.store import design
from ecsm.hdl.block_emit import emit_block
from ecsm.hdl.buses import BUSES
from ecsm.hdl.files import needed, rtl_files
from ecsm.oracle import libcrypto
from tests.rtl.cocotb_run import run


def run_core(preset: str, module: str, bus: str = "axil") -> None:
    """Run the cocotb tests of ``module`` on a preset's core behind a bus."""
    modules = emit_block(design(preset), BUSES[bus])
    text = "\n".join(modules.values())
    run(
        list(modules)[-1],
        needed(text, rtl_files()),
        f"tests.rtl.attach.{module}",
        text=text,
        env={"ECSM_PRESET": preset},
        args=("--unroll-count", "1024"),
    )


@pytest.mark.parametrize("preset", ["toy5-serial", "toyp5-v"])
@pytest.mark.parametrize("bus", BUSES)
def test_core_behind_a_bus(bus: str, preset: str) -> None:
    run_core(preset, "block_core_cocotb", bus)


def test_a_master_that_misbehaves() -> None:
    run_core("toy5-serial", "axil_master_cocotb")


@pytest.mark.always
@pytest.mark.parametrize("bus", ["wishbone", "apb"])
def test_a_simple_master_that_misbehaves(bus: str) -> None:
    run_core("toy5-serial", "simple_master_cocotb", bus)


@pytest.mark.skipif(not libcrypto.available(), reason=libcrypto.HINT)
@pytest.mark.parametrize("preset", ["b163-small", "p256-small"])
def test_real_cores_are_right(preset: str) -> None:
    run_core(preset, "block_real_cocotb")
