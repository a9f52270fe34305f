# SPDX-License-Identifier: Apache-2.0
"""Words of the engine for halving, and a timeline that fills them cycle by cycle."""

from __future__ import annotations

from dataclasses import dataclass, field

from ecsm.curves.gf2m.halving import BITS
from ecsm.formulas.gf2m.graph import IDENTITY, Map
from ecsm.schedule.halving.types import PLAIN, R, place, slot_of

SQUARE = Map(1)
# Conditions of a term or a write. rl, rh, wl, wh: the digit that is read or written for has its Z
# in QZl or QZh; w: it has any; c: the halving in which the next digit's half comes by; t0: the
# trace of u is 0.
CONDITIONS = (
    "", "rl", "rh", "neg", "w", "wl", "wh", *(f"c{p}" for p in range(BITS)), "t0", "affine",
)  # fmt: skip

# ("reg", place), ("const", c), ("mul", unit), ("root", 0), ("half", 0)
Source = tuple[str, int]


@dataclass(frozen=True, order=True)
class Gate:
    """``condition ? map(source) : 0`` into a place, or into the tester (-1)."""

    sink: int
    map: Map
    source: Source
    condition: str = ""

    def sort_key(self) -> tuple[object, ...]:
        """Order gates the same way in every run; the latest to arrive come last."""
        late = ("const", "reg", "mul", "half", "root").index(self.source[0])
        return (self.sink, late, self.source, self.map.k, self.map.c, self.condition)


@dataclass
class Word:
    """What happens in a cycle. ``scalar``: as the ports of gf2m_halving_digits.sv.

    ``write``: places and conditions; ``read_slot``, ``write_slot``: of a memory's place, or DIGIT.
    """

    gates: set[Gate] = field(default_factory=set)
    write: set[tuple[int, str]] = field(default_factory=set)
    read_slot: dict[int, int] = field(default_factory=dict)
    write_slot: dict[int, int] = field(default_factory=dict)
    test: set[str] = field(default_factory=set)
    scalar: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list, compare=False)


def reg(name: str) -> Source:
    """Return a register as a source."""
    return ("reg", R[name])


ROOT: Source = ("root", 0)
HALF: Source = ("half", 0)
MUL1: Source = ("mul", 1)


def const(c: int) -> Source:
    """Return a constant as a source."""
    return ("const", c)


def digit(name: str, condition: str = "") -> tuple[Source, Map, str]:
    """Return the term that reads the digit's slot of a memory."""
    return reg(name), IDENTITY, condition


DIGITS_Z = (digit("QZl", "rl"), digit("QZh", "rh"))


class Timeline:
    """Words by cycle; cycle 1 is the first after the request."""

    def __init__(self) -> None:
        self.words: list[Word] = []

    def at(self, cycle: int) -> Word:
        """Return the word of a cycle."""
        while len(self.words) < cycle:
            self.words.append(Word())
        return self.words[cycle - 1]

    def put(
        self,
        cycle: int,
        register: str | int,
        *terms: Source | tuple[Source, Map, str],
        condition: str = "",
    ) -> None:
        """Write a sum of sources into a register, where the condition holds; -1 only tests it.

        Raises ValueError if a memory would be read or written in two slots.
        """
        word = self.at(cycle)
        number = R[register] if isinstance(register, str) else register
        sink = _use(word.write_slot, number)
        for term in terms:
            (kind, value), map_, guard = term if len(term) == 3 else (term, IDENTITY, "")
            if (kind, value) == ("const", 0):
                continue
            if kind == "reg":
                value = _use(word.read_slot, value)
            word.gates.add(Gate(sink, map_, (kind, value), guard))
        if sink >= 0:
            word.write.add((sink, condition))


def _use(slots: dict[int, int], register: int) -> int:
    """Return the place of a register; note the slot if it is in a memory."""
    found, slot = place(register), slot_of(register)
    if found >= len(PLAIN) and slots.setdefault(found, slot) != slot:
        raise ValueError("a memory cannot be read or written in two slots at once")
    return found
