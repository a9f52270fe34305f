# SPDX-License-Identifier: Apache-2.0
"""gfp_masked in toy presets, behind the port of its core: see masked_cocotb.py."""

from __future__ import annotations

import pytest

from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.files import needed, rtl_files
from ecsm.presets.table import preset
from tests.rtl.cocotb_run import run


@pytest.mark.parametrize(
    "name", ["toyp7-c-full", pytest.param("toyp5-s-full", marks=pytest.mark.full)]
)
def test_core_port(name: str) -> None:
    module = preset(name).module
    text = Build(design(name)).modules()[module]
    files = needed(text, rtl_files())
    run(
        module, files, "tests.rtl.gfp.masked_cocotb", text=text, env={"PRESET": name},
        args=("--unroll-count", "1024"),
    )  # fmt: skip
