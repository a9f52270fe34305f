# SPDX-License-Identifier: Apache-2.0
"""One kP on a simulated core, cycle by cycle: the trace's values, the program's names.

Cycle 0 accepts the request. A value that is written in a cycle is in its register from the next
cycle on. If the trace differs from the program there is no record (:class:`LiveError`), because its
names would be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ecsm.curves import Point


class LiveError(RuntimeError):
    """The trace is not what the program says."""


@dataclass(frozen=True)
class Start:
    """A unit begins an operation, with these operands.

    ``end``: the last cycle in which the unit can begin no other; ``done``: the last one before the
    result can be used.
    """

    unit: int
    name: str
    end: int
    done: int
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Write:
    """A register gets a value; ``name`` says which operation's."""

    register: int
    name: str
    value: int


@dataclass
class Cycle:
    """What happens in one cycle. ``digit``: the number of a digit whose turn begins, and its value.

    ``tests``: zero tests and what they found.
    """

    starts: list[Start] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    tests: list[tuple[str, bool]] = field(default_factory=list)
    digit: tuple[int, str] | None = None

    def __bool__(self) -> bool:
        """Whether anything happens."""
        return bool(self.starts or self.writes or self.tests or self.digit)


@dataclass(frozen=True)
class Part:
    """Cycles ``first`` to ``last`` of the program have a name."""

    name: str
    first: int
    last: int


def parts(begins: Sequence[tuple[int, str]], cycles: int) -> list[Part]:
    """Return parts by their first cycles and names; each ends where the next one begins."""
    following = [*(first for first, _ in begins[1:]), cycles + 1]
    return [
        Part(name, first, after - 1) for (first, name), after in zip(begins, following, strict=True)
    ]


@dataclass(frozen=True)
class Digits:
    """The digits of k: how many there are, whether the lowest is used first, whether they are bits.

    ``letter``: what a digit is called.
    """

    count: int
    upward: bool = False
    bits: bool = True
    letter: str = "k"


@dataclass(frozen=True)
class Record:
    """One kP. ``happened``: by cycle, in order; a cycle in which nothing does is not there.

    ``about``: the core, in half a sentence; ``bits``: of a value; ``field_bits``: of k and of a
    coordinate; ``units`` and ``registers``:
    their names; ``inversion``: the cycles of it; ``opening``: the cycle that is shown first;
    ``span``: cycles of the strip.
    """

    preset: str
    curve: str
    about: str
    bits: int
    field_bits: int
    k: int
    point: tuple[int, int]
    result: Point
    cycles: int
    happened: Mapping[int, Cycle]
    parts: Sequence[Part]
    inversion: Part
    units: Sequence[str]
    registers: Sequence[str]
    digits: Digits
    opening: int
    span: int

    def part(self, cycle: int) -> str:
        """Return the name of the part that a cycle is in."""
        return next(p.name for p in self.parts if p.first <= cycle <= p.last)
