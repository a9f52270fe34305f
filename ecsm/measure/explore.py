# SPDX-License-Identifier: Apache-2.0
"""``ecsm explore``: a grid of presets through schedule, simulation, synthesis, place and route.

Each point runs in a process on this machine, or on a Dask cluster at a given address, whose workers
need this package and the folder. Each point is kept when it is finished. So the same command
continues an interrupted exploration where it stopped.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path

from ecsm.cores import store
from ecsm.device.extras import need
from ecsm.markdown import markdown_table, number
from ecsm.measure.grid import Found, Grid, Work, alike, current, explore_point, kept
from ecsm.measure.workers import on_cluster, side_by_side
from ecsm.plot import Axis, Point, Series, scatter
from ecsm.presets.gf2m import Preset
from ecsm.progress import Progress
from ecsm.results.record import load_synth, write_text


@dataclass(frozen=True)
class Better:
    """A preset of a point's shape that is better: its cycles, and its kept LUT4, None without."""

    preset: str
    cycles: int
    lut: int | None

    @property
    def text(self) -> str:
        """As the table has it."""
        area = "" if self.lut is None else f", {number(self.lut)} LUT4"
        return f"`{self.preset}`: {number(self.cycles)}{area}"


def better(p: Preset, found: Found) -> Better | None:
    """Return the best preset of a point's shape, None if none is better than the point.

    Better is one of fewer cycles, or of as many and a smaller area.
    """

    def rank(cycles: int, lut: int | None) -> tuple[float, float]:
        return cycles or inf, lut or inf

    known = []
    for q in alike(p):
        with suppress(store.StaleSchedule):
            area = load_synth(q.name, "ecp5")
            cycles = store.figures(q).cycles
            known.append(Better(q.name, cycles, area.area["lut"] if area else None))
    best = min(known, key=lambda b: rank(b.cycles, b.lut), default=None)
    if best is None or rank(best.cycles, best.lut) >= rank(found.cycles, found.lut):
        return None
    return best


def closing(found: Sequence[Found], beside: Mapping[str, Better], work: Work) -> str:
    """Return what time the solver had, and how many points may be better with more of it."""
    above = sum(f.cycles > f.bound for f in found)
    lines = [
        f"Solver: {work.timing_s:g} s for each length of the loop (--timing-seconds), then"
        f" {work.network_s:g} s for the network, which decides the area (--network-seconds).",
        f"Points with more cycles than the proven bound, that more time may lower: {above} of"
        f" {len(found)}.",
        f"Points for which a preset of the same shape is better: {len(beside)} of {len(found)}.",
    ]
    if beside:
        lines.append(
            "A preset may have b and powers beyond v^8 as linear maps, which points have not, and"
            " its solver had more time."
        )
    return "\n".join(lines)


def table(found: Sequence[Found], beside: Mapping[str, Better] | None = None) -> str:
    """Return the points as a table, fastest first: by time where it is known, then by cycles.

    Those without a clock are behind those with one, those without an area behind both.
    ``beside``: better presets by the point's name.
    """
    beside = beside or {}

    def order(f: Found) -> tuple[bool, bool, float, bool, int, int]:
        return (f.us is None, not f.lut, f.us or 0.0, not f.cycles, f.cycles, f.lut)

    rows = [
        [f"`{f.preset}`", *("" if not n else number(n) for n in (f.cycles, f.bound)),
         *(number(n) if f.lut else "" for n in (f.lut, f.ff, f.levels)),
         "" if f.mhz is None else f"{f.mhz:.1f}", "" if f.us is None else f"{f.us:.2f}", f.failure,
         b.text if (b := beside.get(f.preset)) else ""]
        for f in sorted(found, key=order)
    ]  # fmt: skip
    head = ["point", "cycles", "bound", "LUT4", "FF", "levels", "MHz", "us", "not done, and why",
            "better preset of this shape"]  # fmt: skip
    return markdown_table(head, rows, set(range(1, 8)))


def picture(found: Sequence[Found], title: str) -> str:
    """Return the Pareto plot: LUT4 against microseconds, or against cycles if nothing is placed."""
    placed = any(f.us is not None for f in found)
    points = [
        Point(f.lut, f.us or 0.0 if placed else f.cycles, f.preset.split("-", 2)[2], f.preset)
        for f in found
        if f.lut and (f.us is not None or not placed)
    ]
    return scatter(
        title,
        "LUT4 of the bare core on ECP5. Stairs: the Pareto front.",
        Axis("LUT4"),
        Axis("microseconds" if placed else "cycles"),
        [Series("points", points)],
        pareto=points,
    )


@dataclass(frozen=True)
class _Told:
    """What is told of the points while they are found: ``found`` grows, by name."""

    presets: Mapping[str, Preset]
    work: Work
    folder: Path
    title: str
    found: dict[str, Found]

    def beside(self) -> dict[str, Better]:
        """Better presets, by the point's name."""
        named = {name: better(self.presets[name], f) for name, f in self.found.items()}
        return {name: b for name, b in named.items() if b is not None}

    def text(self) -> str:
        """The table and what is to be known of the solver's time."""
        found, beside = list(self.found.values()), self.beside()
        return f"{table(found, beside)}\n\n{closing(found, beside, self.work)}"

    def json(self) -> str:
        """The same as JSON."""
        beside = self.beside()
        rows = [
            asdict(f) | {"better": asdict(b) if (b := beside.get(name)) else None}
            for name, f in self.found.items()
        ]
        seconds = {"timing_s": self.work.timing_s, "network_s": self.work.network_s}
        return json.dumps({"points": rows, "budget": seconds}, indent=1)

    def write(self) -> None:
        """Write what is known as a picture, if a point has an area, and then as a table."""
        if any(f.lut for f in self.found.values()):
            write_text(self.folder / "pareto.svg", picture(list(self.found.values()), self.title))
        if self.found:
            write_text(self.folder / "table.md", self.text() + "\n")


def explore(
    grid: Grid,
    work: Work,
    folder: Path,
    scheduler: str | None,
    workers: int,
    as_json: bool = False,
) -> int:
    """Run what is not kept in ``folder``; write ``table.md`` and ``pareto.svg`` there.

    Both are written anew with each finished point. Returns 0, or 1 if a point was not done; the
    others are then all the same. Raises :class:`ecsm.measure.workers.NoCluster` and
    :class:`ecsm.device.extras.NotInstalled`.
    """
    for module in ("ortools", "pyosys", *(["distributed"] if scheduler else [])):
        need(module)  # here, not in each point's process
    presets = list(grid.presets())
    found = {
        p.name: f
        for p in presets
        if (f := kept(folder, p.name, work)) is not None and current(p, f, folder)
    }
    todo = [p for p in presets if p.name not in found]
    broken: list[str] = []
    told = _Told({p.name: p for p in presets}, work, folder, f"Exploration of {grid.curve}", found)
    with Progress() as progress:
        progress(f"{len(presets)} points, {len(found)} of them finished before")
        told.write()
        if todo:
            _run(todo, told, scheduler, workers, broken, progress)
    if as_json:
        print(told.json())
    elif found:
        print(told.text())
    for line in broken:
        print(f"ecsm: {line}", file=sys.stderr)
    missing = sum(bool(f.failure) for f in found.values())
    if missing:
        print(f"ecsm: {missing} of {len(presets)} points not done, see the table", file=sys.stderr)
    return 1 if broken or missing else 0


def _run(
    todo: Sequence[Preset],
    told: _Told,
    scheduler: str | None,
    workers: int,
    broken: list[str],
    progress: Progress,
) -> None:
    told.folder.mkdir(parents=True, exist_ok=True)
    where, work = told.folder.resolve(), told.work
    if scheduler is None:
        with_clock = {p.name: (p, work, where, progress.start) for p in todo}
        ended = side_by_side(explore_point, with_clock, workers)
    else:  # its machines have another clock
        calls = {p.name: (p, work, where) for p in todo}
        ended = on_cluster(explore_point, calls, scheduler)
    with contextlib.closing(ended):
        for done, (name, found, failure) in enumerate(ended, start=1):
            if found is not None:
                told.found[name] = found
                outcome = found.failure or f"{found.cycles} cycles"
                told.write()
            else:
                outcome = failure
                broken.append(f"{name}: {outcome}")
            progress(f"{done} of {len(todo)}: {name}: {outcome}")
