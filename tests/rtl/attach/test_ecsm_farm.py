# SPDX-License-Identifier: Apache-2.0
"""ecsm_farm between models of engines: see farm_cocotb.py for what is asserted."""

from __future__ import annotations

import pytest

from ecsm.hdl.files import RTL
from tests.rtl.attach.tops import farm_top
from tests.rtl.cocotb_run import run

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
