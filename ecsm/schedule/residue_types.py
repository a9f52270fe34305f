# SPDX-License-Identifier: Apache-2.0
"""What the scheduler of a prime-field program is given and what it returns.

Time: an operation placed in cycle t takes its operands in cycle t. Its result is on its unit's
output in cycle t + latency, where an operand may take it at once, and in its register, if it has
one, from the cycle after; there another thread finds it a cycle later still.

Where an engine has several threads, what is called a cycle here is a turn: as many cycles of the
clock as there are threads, in which each does the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ecsm.formulas.residue_graph import Kind, Op
from ecsm.schedule.types import CAPTURE, MOST_CYCLES, MOST_REGISTERS, whole

BANKS, DEPTH = 2, 16  # of registers: register r is number r % DEPTH of bank r // DEPTH
REQUEST = (0, DEPTH)  # registers of the request's x and y, the first of each bank
SUM_LATENCY = 2  # of rtl/field/gfp_add.sv
FETCH = 2  # cycles by which several threads read registers and table ahead of their use


@dataclass(frozen=True)
class Units:
    """The units of an engine: one multiplier, one adder, one reducer, one divider.

    ``latency`` and ``interval`` of the multiplier, ``sum_latency`` of the adder, ``reduce`` cycles
    for which the reducer is busy, ``divide`` cycles from the start of a division to its first
    matrix, ``period`` from one to the next and ``hold`` for which it can be used, ``prepare``
    cycles from the request until the first digit is known, ``lookup`` from the word that asks for
    the next digit until its entry can be used.
    """

    latency: int
    interval: int
    sum_latency: int
    reduce: int
    divide: int
    period: int
    hold: int
    prepare: int
    lookup: int

    def delay(self, op: Op) -> int:
        """Cycles from an operation to its result; 0 for those without one."""
        if op.kind is Kind.PRODUCT:
            return self.latency
        return self.sum_latency if op.kind is Kind.SUM else 0

    def wait(self, before: Op, after: Op) -> int:
        """Cycles from an operation to one that reads its result."""
        return self.delay(before) + (2 if after.ahead else 0)


@dataclass(frozen=True)
class Slot:
    """Where an operation is placed: its cycle in its segment, its result's register if any."""

    time: int
    register: int | None = None


@dataclass
class Schedule:
    """A solved program; ``cycles`` counts from the accepted request to the valid response.

    ``starts`` are the cycles of the first head, body and tail cycle; ``slots`` by segment and atom.
    ``ii_bound`` and ``cycles_bound`` are proven for this program and these units, each segment by
    itself.
    """

    ii: int
    ii_bound: int
    starts: dict[str, int]
    slots: dict[str, dict[int, Slot]]
    variables: list[int]
    cycles: int
    cycles_bound: int
    graph: str = ""

    @property
    def registers(self) -> int:
        """Registers in use."""
        used = [s.register for part in self.slots.values() for s in part.values()]
        return 1 + max([r for r in used if r is not None] + self.variables + [1])

    def to_json(self) -> dict[str, Any]:
        """Return plain data, one list per operation."""
        data = asdict(self)
        data["slots"] = {
            name: {str(a): [s.time, s.register] for a, s in part.items()}
            for name, part in self.slots.items()
        }
        return data

    @staticmethod
    def from_json(data: dict[str, Any]) -> Schedule:
        """Inverse of :meth:`to_json`; raises ValueError, KeyError or TypeError for other data."""
        fields = dict(data)
        for key in ("ii", "ii_bound", "cycles", "cycles_bound"):
            whole(data[key], 1, MOST_CYCLES)
        for at in data["starts"].values():
            whole(at, 0, MOST_CYCLES)
        for v in data["variables"]:
            whole(v, 0, MOST_REGISTERS)
        fields["slots"] = {
            name: {int(a): _slot(*row) for a, row in part.items()}
            for name, part in data["slots"].items()
        }
        return Schedule(**fields)


def _slot(time: object, register: object) -> Slot:
    return Slot(
        whole(time, -MOST_CYCLES, MOST_CYCLES),
        None if register is None else whole(register, 0, MOST_REGISTERS),
    )


def clocks(cycles: int, threads: int) -> int:
    """Return so many of a schedule's cycles, of its start to the answer, in cycles of the clock.

    A word takes a cycle to come out of its memory; of several threads, between the last request
    and the program's first word there is one more.
    """
    return 1 + (cycles if threads == 1 else threads * (cycles - CAPTURE) + CAPTURE + 1)
