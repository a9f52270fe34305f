# SPDX-License-Identifier: Apache-2.0
"""Charts of the presets: area and time; cycles against the field and against their bounds."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from ecsm.cores.store import StaleSchedule, design
from ecsm.markdown import number
from ecsm.plot import Axis, Point, Series, scatter
from ecsm.presets.gfp_table import AnyPreset
from ecsm.report.measured import REAL, measured
from ecsm.report.overview import overview
from ecsm.results.kept import RESULTS, Where

REBUILT = frozenset(p.name for p in REAL if p.published)


# By whether the field is prime: the bits of the fields whose Pareto front is drawn. A point of a
# smaller field beats none of a larger one.
FRONT = {False: 163, True: 256}


def _prime(p: AnyPreset) -> bool:
    return p.field_kind == "prime"


def area_time(prime: bool, rebuilt: Collection[str] = REBUILT, root: Where = RESULTS) -> str:
    """Return the plot of area against time; ``rebuilt`` names the published designs' presets."""
    ours: list[Point] = []
    theirs: list[Point] = []
    comparable = []
    for m in measured(root):
        if m.pnr is None or m.ecp5 is None or _prime(m.preset) != prime:
            continue
        state = f" ({m.state()})" if m.state() else ""
        about = f"{m.preset.name}: {number(m.ecp5.area['lut'])} LUT4, {m.pnr.us:.2f} us{state}"
        point = Point(m.ecp5.area["lut"], m.pnr.us, m.preset.name, about)
        (theirs if m.preset.name in rebuilt else ours).append(point)
        if m.preset.field_bits == FRONT[prime]:
            comparable.append(point)
    return scatter(
        f"Area and time of one kP over {'prime' if prime else 'binary'} fields on an LFE5U-85F",
        "LUT4 of the bare core, microseconds at the best routed clock. "
        f"Stairs: the Pareto front of {FRONT[prime]} bits.",
        Axis("LUT4"),
        Axis("microseconds"),
        [Series("ours", ours), Series("published designs, rebuilt", theirs, "orange", "square")],
        pareto=comparable,
    )


@dataclass(frozen=True)
class Fact:
    """Cycles of a preset, and ``least``: what :data:`_LEAST` names, of its kind of field."""

    preset: AnyPreset
    cycles: int
    least: int


def facts(prime: bool) -> list[Fact]:
    """Return what the schedules say of every preset with a real curve over one kind of field."""
    found = []
    for p in REAL:
        if _prime(p) != prime:
            continue
        try:
            d = design(p.name)
        except StaleSchedule:
            continue
        least = d.cycles_bound if prime else d.schedule.floor
        found.append(Fact(p, d.microcode.cycles, least))
    return found


_COUNTED = {3: ("three multipliers", "blue", "dot"), 2: ("two multipliers", "green", "diamond")}


def _kind(p: AnyPreset) -> tuple[str, str, str]:
    """Return name, colour and mark of the series that a preset is in."""
    slow = p.units.interval  # cycles from a product to the next
    if _prime(p):
        if slow > 1:
            three = ("a product in three cycles", "orange", "square")
            return three if slow == 3 else ("a digit a cycle", "purple", "square")
        together = ("jobs together", "green", "diamond")
        return together if p.threads > 1 else ("a product a cycle", "blue", "dot")
    if slow > 1:
        return "digit-serial", "purple", "square"
    return _COUNTED.get(p.multipliers, ("one multiplier", "orange", "square"))


def _by_kind(points: list[tuple[AnyPreset, Point]]) -> list[Series]:
    kinds: dict[tuple[str, str, str], list[Point]] = {}
    for p, point in points:
        kinds.setdefault(_kind(p), []).append(point)
    return [Series(name, ps, colour, mark) for (name, colour, mark), ps in kinds.items()]


# By whether the field is prime: what no schedule is shorter than, and what that is.
_LEAST = {
    False: ("floor", "products over multipliers, or levels"),
    True: ("proven bound", "the solver's, for the program on its units, each segment by itself"),
}


def cycles_and_fields(prime: bool) -> str:
    """Return the chart of cycles against the size of the field, with the floors or bounds."""
    points, rings = [], []
    least, what = _LEAST[prime]
    for f in facts(prime):
        name, bits = f.preset.name, f.preset.field_bits
        about = f"{name}: {number(f.cycles)} cycles, {least} {number(f.least)}"
        points.append((f.preset, Point(bits, f.cycles, name, about)))
        rings.append(Point(bits, f.least, "", f"{name}: {least}"))
    return scatter(
        f"Cycles of one kP over {'prime' if prime else 'binary'} fields",
        f"Accepted request to affine result, on-curve check included. Rings: the {least}, {what}.",
        Axis("bits of the field", log=False),
        Axis("cycles"),
        [*_by_kind(points), Series(least, rings, "grey", "ring")],
    )


def above_least(prime: bool) -> str:
    """Return the chart of how far above its floor, or its proven bound, every preset is."""
    points = []
    least, what = _LEAST[prime]
    for f in facts(prime):
        name, more = f.preset.name, f.cycles - f.least
        points.append(
            (f.preset, Point(f.least, 100 * more / f.least, name, f"{name}: {more} more"))
        )
    return scatter(
        f"Cycles above the {least} over {'prime' if prime else 'binary'} fields",
        f"The {least} is {what}: no schedule is shorter.",
        Axis(f"{least}, cycles"),
        Axis(f"cycles above it, per cent of the {least}", log=False),
        _by_kind(points),
    )


CHARTS: dict[str, Callable[[], str]] = {
    "docs/img/overview.svg": overview,
    "docs/img/area-time.svg": partial(area_time, prime=False),
    "docs/img/area-time-prime.svg": partial(area_time, prime=True),
    "docs/img/cycles-field.svg": partial(cycles_and_fields, prime=False),
    "docs/img/cycles-floor.svg": partial(above_least, prime=False),
    "docs/img/cycles-field-prime.svg": partial(cycles_and_fields, prime=True),
    "docs/img/cycles-floor-prime.svg": partial(above_least, prime=True),
}
