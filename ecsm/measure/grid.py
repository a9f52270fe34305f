# SPDX-License-Identifier: Apache-2.0
"""The points of an exploration: the presets of a grid of choices, and the work for one point.

A point is a preset like any other, named for its choices. Its schedule is kept in the folder of
the exploration, not beside the presets.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ecsm.backend.pnr import NothingRouted, Sweep, place
from ecsm.backend.synth import core_key, synthesise
from ecsm.backend.tool import FlowError
from ecsm.cores import store
from ecsm.cores.design import BinaryDesign
from ecsm.cores.table import family
from ecsm.device.base import DeviceError
from ecsm.formulas.gf2m.trace import Maps
from ecsm.measure.selftest import run
from ecsm.presets import PRESETS
from ecsm.presets.gf2m import Multiplier, Preset
from ecsm.presets.table import curve_name
from ecsm.progress import Progress
from ecsm.results.record import agree, load, write_json
from ecsm.results.sources import sources
from ecsm.schedule.types import Schedule, Unschedulable

KINDS = ("karatsuba", "segmented", "serial")
POINT = "x-"  # begins the name of every point, and of no preset


@dataclass(frozen=True)
class Grid:
    """Choices to combine; ranges are inclusive lists. Those a kind does not have are left out."""

    curve: str
    kind: str
    multipliers: Sequence[int]
    stages: Sequence[int]
    depth: Sequence[int]
    height: Sequence[int]
    digit: Sequence[int]
    ahead: Sequence[int]

    def presets(self) -> Iterator[Preset]:
        """Yield the presets, each once; combinations that no multiplier has are left out."""
        seen = set()
        choices = (self.multipliers, self.stages, self.depth, self.height, self.digit, self.ahead)
        for n, stages, depth, height, digit, ahead in itertools.product(*choices):
            if self.kind == "serial":
                mul, text = Multiplier("serial", digit), f"serial{digit}"
            elif self.kind == "segmented":
                mul = Multiplier("segmented", digit, stages=stages)
                text = f"segmented{digit}-s{stages}"
            else:
                if height > (depth if stages in (2, 3) else 0):
                    continue
                mul = Multiplier("karatsuba", depth=depth, stages=stages, height=height)
                text = f"karatsuba{depth}-s{stages}-h{height}"
            name = f"{POINT}{self.curve}-{n}-{text}" + "-ahead" * ahead
            if name not in seen:
                seen.add(name)
                yield Preset(
                    name, self.curve, n, mul, Maps((1, 2, 3), (), False), ahead=bool(ahead),
                    about="a point of an exploration",
                )  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What is known of a point. ``failure`` says why the rest is missing, if it is.

    ``lut``, ``ff``, ``levels``: the bare core on ECP5. ``mhz``, ``us``: placed and routed, None
    where that was not asked for or nothing routed, and ``seeds`` then 0. ``jobs``: random ones
    simulated. ``netlist``: what tells the netlist from one of other RTL, commands or tools.
    """

    preset: str
    multiplier: str
    multipliers: int
    cycles: int
    bound: int
    lut: int
    ff: int
    levels: int
    mhz: float | None = None
    us: float | None = None
    failure: str = ""
    jobs: int = 0
    seeds: int = 0
    netlist: str = ""


@dataclass(frozen=True)
class Work:
    """The effort for a point: solver seconds, random jobs to simulate, place and route."""

    timing_s: float
    network_s: float
    jobs: int
    place: bool
    seeds: int
    timeout_s: float


def kept(folder: Path, name: str, work: Work) -> Found | None:
    """Return a finished point of the folder, None for one that has less than is wanted now.

    A point has less if it has no area, fewer simulated jobs, or no clock of so many seeds. So a
    failure is tried again: its cause may have been time, memory or the machine. Place and route
    decides itself which runs to repeat. Raises :class:`ecsm.results.record.DamagedResult`.
    """
    path = folder / "points" / f"{name}.json"
    found = load(Found, path)
    if found is not None:
        agree(path, found.preset == name, f"it is of {found.preset}")
        counts = (found.cycles, found.bound, found.lut, found.ff, found.levels, found.jobs,
                  found.seeds)  # fmt: skip
        clock = (found.mhz is None) == (found.us is None) and (found.us is None or found.us > 0)
        agree(path, min(counts) >= 0 and clock, "no core has these figures")
    if found is None or not found.lut or found.jobs < work.jobs:
        return None
    if work.place and (found.mhz is None or found.seeds < work.seeds):
        return None
    return found


def current(p: Preset, found: Found, folder: Path) -> bool:
    """Return whether a kept point is of the design, the commands and the tools as they are now."""
    store.register(p, folder / "schedules")
    try:
        return found.netlist == netlist_key(store.binary_design(p.name))
    except store.StaleSchedule:
        return False


def netlist_key(d: BinaryDesign) -> str:
    """Return what the netlist of a design's bare core on ECP5 is known by."""
    return core_key(sources(d), "ecp5")


def explore_point(p: Preset, work: Work, folder: Path, start: float | None = None) -> Found:
    """Schedule, simulate, synthesise and, if asked, place a point; keep and return the result.

    ``start``: as in :class:`ecsm.progress.Progress`.

    If a tool refuses the point, that is its ``failure``. Raises :class:`DeviceError` if the
    simulated core gives a wrong result: then the tool is wrong, not the point.
    """
    with Progress(start) as progress:
        found = _measure(p, work, folder, progress)
    write_json(folder / "points" / f"{p.name}.json", asdict(found))
    return found


def alike(p: Preset) -> list[Preset]:
    """Return the presets that have a point's curve and multipliers, whatever their maps and loop.

    The height of a multiplier does not count: it moves the clock, not the cycles.
    """

    def shape(q: Preset) -> tuple[object, ...]:
        return curve_name(q), q.multipliers, replace(q.multiplier, height=0), q.ahead

    every = (q for q in PRESETS.values() if not q.name.startswith(POINT))
    return [q for q in every if shape(q) == shape(p)]


def solve_point(p: Preset, work: Work) -> None:
    """Solve a point and keep its schedule, or that of a preset with the same program if better."""
    program = family(p).fingerprint(p)
    known = [store.load(q) for q in alike(p) if family(q).fingerprint(q) == program]
    try:
        known.append(family(p).solve(p, work.timing_s, work.network_s))
    except Unschedulable:
        if not (known or _right(p)):
            raise
    store.save(p, min(known + _right(p), key=family(p).rank))


def _right(p: Preset) -> list[Schedule]:
    """Return the kept schedule of a point, if it is right: another run may have solved it, too."""
    store.design.cache_clear()  # of a wrong one
    with suppress(store.StaleSchedule):
        store.check(store.binary_design(p.name))
        return [store.load(p)]
    return []


def scheduled(p: Preset, work: Work, log: Progress) -> BinaryDesign:
    """Return a point's design, of the schedule that is kept; if that is wrong, it is solved anew.

    Raises RuntimeError if there is none.
    """
    try:
        design = store.binary_design(p.name)
        store.check(design)
    except store.StaleSchedule:
        log(f"{p.name}: scheduling")
        solve_point(p, work)
        store.design.cache_clear()  # of the wrong one
        design = store.binary_design(p.name)
    return design


def _measure(p: Preset, work: Work, folder: Path, log: Progress) -> Found:
    store.register(p, folder / "schedules")
    known = (p.name, p.multiplier.describe(), p.multipliers)
    try:
        design = scheduled(p, work, log)
    except RuntimeError as error:
        return Found(*known, 0, 0, 0, 0, 0, failure=f"no schedule: {error}")
    found = Found(
        *known, design.microcode.cycles, design.schedule.cycles_bound, 0, 0, 0, jobs=work.jobs,
        netlist=netlist_key(design),
    )  # fmt: skip
    summary = run(p.name, work.jobs, log)
    if not summary.passed:
        raise DeviceError(f"{p.name}: {len(summary.failed)} of {summary.cases} answers are wrong")
    try:
        synth = synthesise(p.name, "ecp5", log, folder)
    except FlowError as error:
        return replace(found, failure=f"no netlist: {error}")
    found = replace(found, lut=synth.area["lut"], ff=synth.area["ff"], levels=synth.levels)
    if not work.place:
        return found
    sweep = Sweep(work.seeds, rounds=1, limit_s=work.timeout_s)
    try:
        pnr = place(p.name, sweep, log, folder)
    except (NothingRouted, FlowError) as error:
        return replace(found, failure=str(error))
    return replace(found, mhz=pnr.mhz, us=pnr.us, seeds=work.seeds)
