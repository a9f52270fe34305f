# SPDX-License-Identifier: Apache-2.0
"""Solved schedules, kept as JSON beside the presets, so that a user does not wait for a solver."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ecsm import files, presets
from ecsm.cores.design import AnyDesign, BinaryDesign, Design, Figures, PrimeDesign
from ecsm.cores.table import family
from ecsm.presets.gf2m import Preset
from ecsm.presets.gfp_table import PRIME_PRESETS, AnyPreset
from ecsm.presets.table import PRESETS, binary_preset, preset
from ecsm.schedule.types import Schedule, ScheduleError

SCHEDULES = Path(presets.__file__).parent / "schedules"


class StaleSchedule(RuntimeError):
    """The kept schedule is missing or was solved for another graph."""


_elsewhere: dict[str, Path] = {}


def register(p: Preset, schedules: Path) -> None:
    """Make a preset known to this process, with its schedule in the folder ``schedules``.

    Raises ValueError if the name is another preset's.
    """
    if PRESETS.setdefault(p.name, p) != p:
        raise ValueError(f"there is another preset {p.name}")
    _elsewhere[p.name] = schedules


def path(name: str) -> Path:
    """Return where the schedule of preset ``name`` is kept."""
    return _elsewhere.get(name, SCHEDULES) / f"{name}.json"


def _write(name: str, data: dict[str, Any]) -> None:
    """Keep a schedule's data, an operation a line."""
    path(name).parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for key, value in data.items():
        if isinstance(value, dict) and key in ("body", "tail", "slots"):
            rows = ",\n".join(f"  {json.dumps(a)}: {json.dumps(row)}" for a, row in value.items())
            lines.append(f" {json.dumps(key)}: {{\n{rows}\n }}")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    files.replace(path(name), ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def save(p: AnyPreset, schedule: Schedule) -> None:
    """Keep a schedule."""
    _write(p.name, replace(schedule, graph=family(p).fingerprint(p)).to_json())


def load(p: AnyPreset) -> Schedule:
    """Return the kept schedule; raises :class:`StaleSchedule` if it is not this preset's."""
    try:
        program = family(p).fingerprint(p)
    except ValueError as error:
        raise StaleSchedule(f"there can be no schedule of {p.name}: {error}") from None
    try:
        schedule = Schedule.from_json(json.loads(path(p.name).read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise StaleSchedule(f"no schedule is kept for {p.name}: run ecsm solve {p.name}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(p, str(error)) from None
    if schedule.graph != program:
        raise StaleSchedule(
            f"the schedule of {p.name} was solved for another program: run ecsm solve {p.name}"
        )
    return schedule


def _damaged(p: AnyPreset, why: str) -> StaleSchedule:
    return StaleSchedule(f"the schedule of {p.name} is damaged ({why}): run ecsm solve {p.name}")


def figures(p: AnyPreset) -> Figures:
    """Return the figures of the kept schedule, without making microcode; raises StaleSchedule."""
    return family(p).figures(p, load(p))


@lru_cache(maxsize=128)
def design(name: str) -> AnyDesign:
    """Return the design of a preset from its kept schedule; raises StaleSchedule.

    The schedule belongs to the program, but only :func:`check` verifies it.
    """
    p = preset(name)
    f = family(p)
    kept = [(q, load(q)) for q in f.programs(p)]
    parts = [(q, f.trace(q), schedule) for q, schedule in kept]
    try:
        codes = f.assemble_all(parts)
    except (AssertionError, LookupError, ValueError) as error:
        raise _damaged(p, repr(error)) from None
    made: AnyDesign | None = None
    for (q, graph, schedule), code in reversed(list(zip(parts, codes, strict=True))):
        found = f.figures(q, schedule)
        if code.cycles != found.cycles:
            raise _damaged(q, f"it says {found.cycles} cycles, and has {code.cycles}")
        made = Design(q, graph, schedule, code, found, made)
    assert made is not None
    return made


def binary_design(name: str) -> BinaryDesign:
    """Return the design of a ladder over GF(2^m), as :func:`design`."""
    return cast(BinaryDesign, design(binary_preset(name).name))


def prime_design(name: str) -> PrimeDesign:
    """Return the design of a preset over a prime field, as :func:`design`."""
    return cast(PrimeDesign, design(PRIME_PRESETS[name].name))


def check(d: AnyDesign) -> None:
    """Verify a design's schedule before hardware is made of it; raises StaleSchedule."""
    try:
        family(d.preset).verify(d)
    except ScheduleError as error:
        name = d.preset.name
        raise StaleSchedule(
            f"the schedule of {name} is wrong ({error}): run ecsm solve {name}"
        ) from None
