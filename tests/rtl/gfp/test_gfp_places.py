# SPDX-License-Identifier: Apache-2.0
"""gfp_digit_mul and gfp_sum in DSP blocks and in look-up tables: the same numbers, other cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecsm.backend.units import synthesise_unit
from ecsm.hdl.units import Unit
from ecsm.progress import Progress
from tests.rtl.cocotb_run import field_sources, run
from tests.rtl.gfp.places import top


def test_every_width_in_both_places() -> None:
    run("places", field_sources(), "tests.rtl.gfp.places_cocotb", text=top())


def blocks(module: str, target: str, in_dsp: int, root: Path, **parameters: int) -> int:
    """Return the DSP blocks of a unit."""
    with Progress() as log:
        unit = Unit(f"test-{module}", module, {"InDsp": in_dsp, **parameters})
        return synthesise_unit(unit, target, log, root).area["dsp"]


@pytest.mark.parametrize("target", ["ecp5", "xc7"])
def test_a_product_of_digits_is_a_block_or_none(target: str, tmp_path: Path) -> None:
    """Of 16 bits: blocks of xc7 have signs, 25 by 18 bits."""
    assert blocks("gfp_digit_mul", target, 1, tmp_path, W=16) == 1
    assert blocks("gfp_digit_mul", target, 0, tmp_path, W=16) == 0


def test_a_sum_is_six_blocks_of_xc7_or_none(tmp_path: Path) -> None:
    """Four limbs of 70 bits: three lanes each, two a block."""
    assert blocks("gfp_sum", "xc7", 1, tmp_path) == 6
    assert blocks("gfp_sum", "xc7", 0, tmp_path) == 0


def test_yosys_makes_no_sum_in_blocks_of_ecp5(tmp_path: Path) -> None:
    """Should it learn to, docs/theory/prime.md is to be mended."""
    assert blocks("gfp_sum", "ecp5", 1, tmp_path) == 0
