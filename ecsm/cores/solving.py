# SPDX-License-Identifier: Apache-2.0
"""Schedules of presets, solved anew: a minute or two each."""

from __future__ import annotations

from ecsm.cores import store
from ecsm.cores.store import AnySchedule
from ecsm.presets.halving import HalvingPreset
from ecsm.presets.preset import Preset
from ecsm.presets.prime import PrimePreset
from ecsm.presets.prime_table import AnyPreset
from ecsm.schedule import halving, halving_microcode, residue_microcode, residue_types
from ecsm.schedule.types import Schedule, Unschedulable

SOLVE_LIMITS = (30, 10)  # seconds for timing and for what follows, if no others are asked for


def solve_preset(p: AnyPreset, timing_s: float, network_s: float) -> AnySchedule:
    """Solve a preset as :func:`solved` and keep the result."""
    schedule = solved(p, timing_s, network_s)
    store.save(p, schedule)
    return schedule


def solved(p: AnyPreset, timing_s: float, network_s: float) -> AnySchedule:
    """Solve a preset and keep nothing.

    ``timing_s``: seconds for each length of the loop that is tried, over a prime field for each
    segment. ``network_s``: then for the network, over a prime field for what each segment's results
    wait. Raises :class:`ecsm.schedule.types.Unschedulable`.
    """
    if isinstance(p, PrimePreset):
        return _solved_prime(p, timing_s, network_s)
    if isinstance(p, HalvingPreset):
        return _solved_halving(p, timing_s, network_s)
    return _solved_binary(p, timing_s, network_s)


def _solved_binary(p: Preset, timing_s: float, network_s: float) -> Schedule:
    from ecsm.schedule.solve import Limits, solve

    limits = Limits(timing_s, network_s, p.registers)
    return solve(p.graph(), p.units, p.map_cost, p.curve.field, limits)


def _solved_prime(p: PrimePreset, timing_s: float, network_s: float) -> residue_types.Schedule:
    from ecsm.schedule.residue_solve import Limits, solve

    try:
        graph, units = p.graph(), p.units
    except ValueError as error:
        raise Unschedulable(str(error)) from None
    schedule = solve(graph, units, Limits(timing_s, network_s))
    try:
        residue_microcode.assemble(graph, schedule, units, p.residues, p.batch, p.threads)
    except (AssertionError, ValueError) as error:
        raise Unschedulable(f"the schedule found cannot be made words of: {error}") from None
    return schedule


def _solved_halving(p: HalvingPreset, timing_s: float, network_s: float) -> Schedule:
    """Solve what follows a preset's halvings; what precedes it is fixed."""
    from ecsm.schedule.halving_solve import solve

    room = halving.room(p.tail.inputs)
    fixed = halving.fixed_terms(p.curve, p.halves)
    slots, length, bound = solve(p.tail, room, fixed, timing_s, network_s)
    before = halving.end_of_windows(p.halves) + halving_microcode.READ
    return Schedule(
        ii=halving.WINDOW,
        body={},
        tail=slots,
        variables=list(room.inputs.values()),
        cycles=before + length,
        ii_bound=halving.WINDOW,
        cycles_bound=before + bound,
        floor=2 * p.halves.last,
    )
