# SPDX-License-Identifier: Apache-2.0
"""Solved schedules, kept beside the presets as JSON so that nobody waits for a solver."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from ecsm import files, presets
from ecsm.formulas import residue_graph
from ecsm.formulas.graph import Graph, Op
from ecsm.presets.halving import HALVING_PRESETS, HalvingPreset
from ecsm.presets.preset import Preset
from ecsm.presets.prime import PrimePreset
from ecsm.presets.prime_table import PRIME_PRESETS, AnyPreset
from ecsm.presets.table import PRESETS, binary_preset
from ecsm.schedule import (
    halving_microcode,
    halving_types,
    residue_machine,
    residue_microcode,
    residue_types,
)
from ecsm.schedule.ahead import NotAhead
from ecsm.schedule.microcode import Microcode, assemble
from ecsm.schedule.residue_types import BANKS, DEPTH
from ecsm.schedule.types import Schedule
from ecsm.schedule.verify import ScheduleError, verify

AnySchedule = Schedule | residue_types.Schedule
S = TypeVar("S")
SCHEDULES = Path(presets.__file__).parent / "schedules"


class StaleSchedule(RuntimeError):
    """The kept schedule is missing or was solved for another graph."""


@dataclass(frozen=True)
class Design:
    """A preset with its program, schedule and microcode."""

    preset: Preset
    graph: Graph
    schedule: Schedule
    microcode: Microcode

    @property
    def cycles_bound(self) -> int:
        """The least cycles that the program could take."""
        return self.schedule.cycles_bound

    @property
    def cycles_alone(self) -> int:
        """Cycles of a job that no other one joins."""
        return self.microcode.cycles


@dataclass(frozen=True)
class PrimeDesign:
    """A preset over a prime field with its program, schedule and microcode."""

    preset: PrimePreset
    graph: residue_graph.Graph
    schedule: residue_types.Schedule
    microcode: residue_microcode.Microcode

    @property
    def cycles_bound(self) -> int:
        """The least cycles that the program could take."""
        return self.microcode.bound

    @property
    def cycles_alone(self) -> int:
        """Cycles of a job that no other one joins: of several threads, patience is in them."""
        p = self.preset
        return self.microcode.cycles + (p.patience + 1 if p.threads > 1 else 0)


@dataclass(frozen=True)
class HalvingDesign:
    """A preset that halves points, with its schedule and microcode."""

    preset: HalvingPreset
    schedule: Schedule
    microcode: halving_microcode.Microcode

    @property
    def cycles_bound(self) -> int:
        """The least cycles that the program could take."""
        return self.schedule.cycles_bound

    @property
    def cycles_alone(self) -> int:
        """Cycles of a job that no other one joins."""
        return self.microcode.cycles


AnyDesign = Design | PrimeDesign | HalvingDesign


@dataclass(frozen=True)
class Figures:
    """What a kept schedule says of its core: cycles, the proven bound of them, registers."""

    cycles: int
    bound: int
    registers: int


def _operations(ops: Iterable[Op]) -> list[tuple[object, ...]]:
    """Return what a schedule depends on of each operation."""
    return [(o.atom, o.kind.value, [list(form) for form in o.forms], o.passes, o.step) for o in ops]


def fingerprint(p: AnyPreset) -> str:
    """Return a hash of what a schedule depends on: the program and the units."""
    if isinstance(p, PrimePreset):
        program = p.graph()
        text = repr((program, p.units, BANKS, DEPTH))
        text += "".join(repr(s.kept) for s in program.segments.values() if s.kept)
    elif isinstance(p, HalvingPreset):
        text = repr((_operations(p.tail.ops), p.tail.outputs, p.halves, halving_types.NAMES))
    else:
        graph = p.graph()
        ops = _operations(graph.all_ops())
        loads = [list(form) for form in graph.load]
        text = repr((ops, loads, graph.trips, graph.body.outputs, graph.tail.outputs, p.units))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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


def save(p: AnyPreset, schedule: AnySchedule) -> None:
    """Keep a schedule."""
    _write(p.name, replace(schedule, graph=fingerprint(p)).to_json())


def _read(name: str, from_json: Callable[[dict[str, Any]], S], fingerprint: str) -> S:
    """Return a kept schedule; raises :class:`StaleSchedule` if it is not for this graph."""
    try:
        data = json.loads(path(name).read_text(encoding="utf-8"))
        schedule = from_json(data)
        graph = data.get("graph")
    except FileNotFoundError:
        raise StaleSchedule(f"no schedule is kept for {name}: run ecsm solve {name}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StaleSchedule(
            f"the schedule of {name} is damaged ({error}): run ecsm solve {name}"
        ) from None
    if graph != fingerprint:
        raise StaleSchedule(
            f"the schedule of {name} was solved for another program: run ecsm solve {name}"
        )
    return schedule


def load(p: Preset) -> Schedule:
    """Return the kept schedule; raises :class:`StaleSchedule` if it is not this preset's."""
    return _read(p.name, Schedule.from_json, fingerprint(p))


def _load_prime(p: PrimePreset) -> residue_types.Schedule:
    try:
        program = fingerprint(p)
    except ValueError as error:
        raise StaleSchedule(f"there can be no schedule of {p.name}: {error}") from None
    return _read(p.name, residue_types.Schedule.from_json, program)


def _load_halving(p: HalvingPreset) -> Schedule:
    return _read(p.name, Schedule.from_json, fingerprint(p))


def rank(schedule: AnySchedule) -> tuple[int, int]:
    """Return what makes a schedule better if it is less: cycles, then its network or registers."""
    if isinstance(schedule, Schedule):
        return schedule.cycles, schedule.cost
    return schedule.cycles, schedule.registers


def figures(p: AnyPreset) -> Figures:
    """Return what the kept schedule says, microcode not being made; raises StaleSchedule."""
    if isinstance(p, PrimePreset):
        s = _load_prime(p)
        cycles, bound = (residue_types.clocks(c, p.threads) for c in (s.cycles, s.cycles_bound))
        return Figures(cycles, bound, s.registers)
    if isinstance(p, HalvingPreset):
        h = _load_halving(p)
        return Figures(h.cycles, h.cycles_bound, len(halving_types.PLAIN))
    b = load(p)
    return Figures(b.cycles, b.cycles_bound, b.registers)


@lru_cache(maxsize=64)
def binary_design(name: str) -> Design:
    """Return the design of a preset over GF(2^m) from its kept schedule; raises StaleSchedule.

    The schedule belongs to the program, but only :func:`check` walks it cycle by cycle.
    """
    p = binary_preset(name)
    schedule = load(p)
    graph = p.graph()
    try:
        return Design(p, graph, schedule, assemble(graph, schedule, p.units, p.curve.field))
    except (AssertionError, LookupError, NotAhead) as error:
        raise StaleSchedule(
            f"the schedule of {name} is damaged ({error!r}): run ecsm solve {name}"
        ) from None


def design(name: str) -> AnyDesign:
    """Return the design of a preset over either kind of field; raises StaleSchedule."""
    if name in HALVING_PRESETS:
        return halving_design(name)
    return prime_design(name) if name in PRIME_PRESETS else binary_design(name)


@lru_cache(maxsize=64)
def halving_design(name: str) -> HalvingDesign:
    """Return the design of a preset that halves from its kept schedule; raises StaleSchedule."""
    p = HALVING_PRESETS[name]
    schedule = _load_halving(p)
    try:
        code = halving_microcode.assemble(p.curve, p.halves, p.tail, schedule)
    except (AssertionError, LookupError, ValueError) as error:
        raise StaleSchedule(
            f"the schedule of {name} is damaged ({error!r}): run ecsm solve {name}"
        ) from None
    return HalvingDesign(p, schedule, code)


@lru_cache(maxsize=64)
def prime_design(name: str) -> PrimeDesign:
    """Return the design of a prime-field preset from its kept schedule; raises StaleSchedule."""
    p = PRIME_PRESETS[name]
    schedule = _load_prime(p)
    graph = p.graph()
    try:
        code = residue_microcode.assemble(graph, schedule, p.units, p.residues, p.batch, p.threads)
    except (AssertionError, LookupError, ValueError) as error:
        raise StaleSchedule(
            f"the schedule of {name} is damaged ({error!r}): run ecsm solve {name}"
        ) from None
    return PrimeDesign(p, graph, schedule, code)


def check(d: AnyDesign) -> None:
    """Verify a design's schedule before hardware is made of it; raises StaleSchedule."""
    if isinstance(d, PrimeDesign):
        _check_prime(d)
        return
    if isinstance(d, HalvingDesign):
        _check_halving(d)
        return
    try:
        verify(d.graph, d.schedule, d.preset.units)
    except ScheduleError as error:
        name = d.preset.name
        raise StaleSchedule(
            f"the schedule of {name} is wrong ({error}): run ecsm solve {name}"
        ) from None


def _check_prime(d: PrimeDesign) -> None:
    """Run the microcode of a prime-field design on numbers: a wrong one breaks a rule, or errs."""
    p, name = d.preset, d.preset.name
    machine = residue_machine.Machine(
        d.microcode, p.units, p.residues, p.divsteps, p.recode, p.fixed
    )
    n = p.curve.n << (p.scalar_bits - p.curve.n.bit_length())
    scalars = (1, n - 1, n // 3, n * 2 // 3, n // 5, n * 3 // 7, n // 11, n * 5 // 13)
    for first in range(0, max(4, p.threads), p.threads):  # all threads busy
        jobs = [(k, p.curve.generator) for k in scalars[first : first + p.threads]]
        try:
            answers = [result.point for result in machine.run_all(jobs)]
            right = answers == [p.multiple(*job) for job in jobs]
        except (ValueError, LookupError) as error:
            raise StaleSchedule(
                f"the schedule of {name} is wrong ({error}): run ecsm solve {name}"
            ) from None
        if not right:
            raise StaleSchedule(f"the schedule of {name} is wrong: run ecsm solve {name}")


def _check_halving(d: HalvingDesign) -> None:
    """Run the microcode on numbers, for scalars that have every digit."""
    p = d.preset
    n, name = p.curve.n, p.name
    for k in (0, 1, n - 1, n // 3, n // 5, n * 3 // 7):
        try:
            found = halving_microcode.run(d.microcode, p.curve, p.halves, k, p.curve.generator)
            right = found.point == p.multiple(k, p.curve.generator)
        except (ValueError, LookupError) as error:
            raise StaleSchedule(
                f"the schedule of {name} is wrong ({error}): run ecsm solve {name}"
            ) from None
        if not right:
            raise StaleSchedule(f"the schedule of {name} is wrong: run ecsm solve {name}")
