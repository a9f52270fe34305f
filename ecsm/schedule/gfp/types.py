# SPDX-License-Identifier: Apache-2.0
"""What the scheduler of a prime-field program is given.

Time: an operation that is placed in cycle t reads its operands in cycle t. Its result is on its
unit's output in cycle t + latency, where an operand may read it. If it has a register, it can be
read there from cycle t + latency + 1 on, and by another thread one cycle later.

If an engine has several threads, a cycle here is a turn: one clock cycle for each thread, in which
all threads execute the same operation.
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.formulas.gfp.graph import Kind, Op
from ecsm.schedule.types import CAPTURE

BANKS, DEPTH = 2, 16  # of registers: register r is number r % DEPTH of bank r // DEPTH
REQUEST = (0, DEPTH)  # registers of the request's x and y, the first of each bank
SUM_LATENCY = 2  # of rtl/gfp/field/gfp_add.sv
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


def lead(threads: int, masked: bool = False) -> int:
    """Return the cycles of the clock that a program takes beyond its words, to the answer.

    A word takes a cycle to come out of its memory; of several threads, between the last request
    and the program's first word there is one more. The last words of a masked program are for its
    flags, and the answer is there when they are.
    """
    if masked:
        return CAPTURE
    return CAPTURE + (1 if threads == 1 else 2)


def clocks(cycles: int, threads: int, masked: bool = False) -> int:
    """Return so many of a schedule's cycles, of its start to the answer, in cycles of the clock."""
    return lead(threads, masked) + threads * (cycles - CAPTURE)
