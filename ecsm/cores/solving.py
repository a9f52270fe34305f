# SPDX-License-Identifier: Apache-2.0
"""Schedules of presets, solved anew: a minute or two each."""

from __future__ import annotations

from ecsm.cores import store
from ecsm.cores.table import family
from ecsm.presets.prime_table import AnyPreset
from ecsm.schedule.types import Schedule

SOLVE_LIMITS = (30, 10)  # seconds for timing and for what follows, if no others are asked for


def solve_preset(p: AnyPreset, timing_s: float, network_s: float) -> Schedule:
    """Solve a preset as :func:`solved` and keep the result."""
    schedule = solved(p, timing_s, network_s)
    store.save(p, schedule)
    return schedule


def solved(p: AnyPreset, timing_s: float, network_s: float) -> Schedule:
    """Solve a preset and keep nothing: :meth:`ecsm.cores.family.Family.solve`."""
    return family(p).solve(p, timing_s, network_s)
