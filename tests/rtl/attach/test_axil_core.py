# SPDX-License-Identifier: Apache-2.0
"""A core behind AXI4-Lite: toy cores in every respect, real ones against libcrypto."""

from __future__ import annotations

import pytest

from ecsm.cores.store import design
from ecsm.hdl.axil_emit import emit_axil_core
from ecsm.hdl.files import needed, rtl_files
from ecsm.oracle import libcrypto
from tests.rtl.cocotb_run import run


def run_core(preset: str, module: str) -> None:
    """Run the cocotb tests of ``module`` on a preset's core."""
    modules = emit_axil_core(design(preset))
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
def test_core_behind_the_bus(preset: str) -> None:
    run_core(preset, "axil_core_cocotb")


def test_a_master_that_misbehaves() -> None:
    run_core("toy5-serial", "axil_master_cocotb")


@pytest.mark.skipif(not libcrypto.available(), reason=libcrypto.HINT)
@pytest.mark.parametrize("preset", ["b163-small", "p256-small"])
def test_real_cores_are_right(preset: str) -> None:
    run_core(preset, "axil_real_cocotb")
