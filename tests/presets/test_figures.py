# SPDX-License-Identifier: Apache-2.0
"""What a preset's schedule says is what its microcode does."""

from __future__ import annotations

import pytest

from ecsm.cores.store import design, figures
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.table import all_presets, is_toy

NAMES = [p.name for p in all_presets() if is_toy(p)]
NAMES += ["b163-fast", "b163-compact", "b163-halving", "p256-fast", "k256-throughput"]


@pytest.mark.parametrize("p", [p for p in all_presets() if p.name in NAMES], ids=lambda p: p.name)
def test_the_figures_are_those_of_the_design(p: AnyPreset) -> None:
    d = design(p.name)
    found = figures(p)
    assert (found.cycles, found.bound) == (d.microcode.cycles, d.cycles_bound)
    assert found.registers == d.microcode.registers
