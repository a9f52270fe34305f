# SPDX-License-Identifier: Apache-2.0
"""What the scheduler of a prime-field program is given and what it returns.

Time: an operation placed in cycle t takes its operands in cycle t. Its result is on its unit's
output in cycle t + latency, where an operand may take it at once, and in its register, if it has
one, from the cycle after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ecsm.formulas.residue_graph import Kind, Op

CAPTURE = 1  # cycles before the first word: the request is captured
LOOKUP = 2  # cycles from the word that asks for the next digit until its entry can be used


@dataclass(frozen=True)
class Units:
    """The units of an engine: one multiplier, one adder, one reducer, one divider.

    ``latency`` and ``interval`` of the multiplier, ``sum_latency`` of the adder, ``reduce`` cycles
    for which the reducer is busy, ``divide`` cycles from the start of a division to its first
    matrix and ``period`` from one to the next, ``prepare`` cycles from the request until the first
    digit is known.
    """

    latency: int
    interval: int
    sum_latency: int
    reduce: int
    divide: int
    period: int
    prepare: int

    def delay(self, op: Op) -> int:
        """Cycles from an operation to its result; 0 for those without one."""
        return {Kind.PRODUCT: self.latency, Kind.SUM: self.sum_latency}.get(op.kind, 0)


@dataclass(frozen=True)
class Slot:
    """Where an operation is placed: its cycle in its segment, its result's register if any."""

    time: int
    register: int | None = None


@dataclass
class Schedule:
    """A solved program; ``cycles`` counts from the accepted request to the valid response.

    ``starts`` are the cycles of the first head, body and tail cycle; ``slots`` by segment and atom.
    ``ii_bound`` is proven: no loop of this program is shorter.
    """

    ii: int
    ii_bound: int
    starts: dict[str, int]
    slots: dict[str, dict[int, Slot]]
    variables: list[int]
    cycles: int
    stats: dict[str, Any] = field(default_factory=dict)

    @property
    def registers(self) -> int:
        """Registers in use."""
        used = [s.register for part in self.slots.values() for s in part.values()]
        return 1 + max([r for r in used if r is not None] + self.variables + [1])
