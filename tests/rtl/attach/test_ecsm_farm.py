# SPDX-License-Identifier: Apache-2.0
"""ecsm_farm: between models of engines (farm_cocotb.py) and of toy cores (cores_cocotb.py)."""

from __future__ import annotations

import pytest

from ecsm.hdl.files import RTL, rtl_files
from tests.rtl.attach.tops import farm_top
from tests.rtl.cocotb_run import run
from tests.rtl.common.tops import engine_top

ATTACH = [RTL / "attach" / f"{name}.sv" for name in ("ecsm_slot", "ecsm_round_robin", "ecsm_farm")]


@pytest.mark.parametrize("engines", [1, 2, 3, 5])
def test_farm_of_models(engines: int) -> None:
    run(
        "farm_top",
        ATTACH,
        "tests.rtl.attach.farm_cocotb",
        text=farm_top(engines),
        env={"FARM_ENGINES": str(engines)},
    )


@pytest.mark.parametrize("preset", ["toy7-fast", "toyp8-k"])
def test_farm_of_cores(preset: str) -> None:
    engines = 3
    run(
        "engine_top",
        rtl_files(),
        "tests.rtl.attach.cores_cocotb",
        text=engine_top(preset, engines),
        env={"ENGINE_PRESET": preset, "FARM_ENGINES": str(engines)},
        args=("--unroll-count", "1024"),
    )
