# SPDX-License-Identifier: Apache-2.0
"""Instructions of the units, as in rtl/attach/ecsm_narrow_seq_pkg.sv, and a model of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from ecsm.curves.gf2m.field import BinaryField

REGISTERS = 16
FLAGS = 13
"""Flags that a program may use freely, 0 .. 12."""
FLAG_CURVE, FLAG_INFINITY, FLAG_TRUE = 13, 14, 15
ADDRESS_BITS = 9
INSTR_BITS = 36


class Op(IntEnum):
    """Operations; the package says what each does."""

    SUM = 0
    POWER = 1
    MUL = 2
    CONST = 3
    TEST = 4
    LOGIC = 5
    KEY = 6
    LOOP = 7
    STOP = 8


WRITES = (Op.SUM, Op.POWER, Op.CONST)


@dataclass(frozen=True)
class Guard:
    """A flag, or its opposite."""

    flag: int = FLAG_TRUE
    inverted: bool = False

    @property
    def code(self) -> int:
        """Its bits."""
        return int(self.inverted) << 4 | self.flag

    def __str__(self) -> str:
        """As a comment has it."""
        return "" if self == ALWAYS else f"[{'not ' * self.inverted}f{self.flag}] "


ALWAYS = Guard()
NEVER = Guard(inverted=True)


@dataclass(frozen=True)
class Instr:
    """One instruction; ``note`` says what it is in the formula."""

    op: Op
    dst: int = 0
    a: int = 0
    b: int = 0
    guard_a: Guard = ALWAYS
    guard_b: Guard = NEVER
    arg: int = 0
    wait: bool = False
    note: str = ""

    @property
    def code(self) -> int:
        """Its word, :data:`INSTR_BITS` bits."""
        assert max(self.dst, self.a, self.b) < REGISTERS
        assert 0 <= self.arg < 1 << ADDRESS_BITS
        word = int(self.wait)
        for value, bits in (
            (self.op, 4), (self.dst, 4), (self.a, 4), (self.guard_a.code, 5),
            (self.b, 4), (self.guard_b.code, 5), (self.arg, ADDRESS_BITS),
        ):  # fmt: skip
            word = word << bits | value
        return word


@dataclass
class Model:
    """What the instructions do, and how long they take: registers and flags of a unit.

    ``digits``: cycles of a product, after the one it begins in.
    """

    gf: BinaryField
    consts: Sequence[int]
    digits: int
    registers: list[int] = field(default_factory=lambda: [0] * REGISTERS)

    def run(self, program: Sequence[Instr], entry: int) -> tuple[int, bool, bool]:
        """Run from ``entry``; return the cycles in which the unit is busy, and what it found.

        That is: a point off the curve, an infinite result.
        """
        r, gf = self.registers, self.gf
        flags = [False] * FLAG_TRUE + [True]
        address, cycle, index, above = entry, 1, 0, 0
        pending: tuple[int, int, int] | None = None  # the cycle of its writing, register, value
        while True:
            i = program[address]
            taken = i.arg if i.op is Op.POWER else 1
            # Cycles pass one by one: a product is written at the end of its own.
            while taken:
                done = pending is not None and pending[0] == cycle
                stall = pending is not None and (
                    i.wait or (i.op is Op.MUL and not done) or (i.op in WRITES and done)
                )
                landed = pending if done else None
                if not stall:
                    taken -= 1
                    if not taken:
                        ga, gb = (flags[g.flag] != g.inverted for g in (i.guard_a, i.guard_b))
                        total = r[i.a] * ga ^ r[i.b] * gb
                        if i.op is Op.SUM:
                            r[i.dst] = total
                        elif i.op is Op.POWER:
                            r[i.dst] = gf.frob(r[i.a], i.arg)
                        elif i.op is Op.CONST:
                            r[i.dst] = self.consts[i.arg]
                        elif i.op is Op.TEST:
                            flags[i.dst] = total == 0
                        elif i.op is Op.LOGIC:
                            flags[i.dst] = (ga and gb) != bool(i.arg & 1)
                        elif i.op is Op.KEY:
                            bit = r[i.a] >> index & 1 if index >= 0 else 0
                            flags[i.dst] = bool(bit ^ above)
                            index, above = (gf.m - 1, 0) if i.arg & 1 else (index - 1, bit)
                        elif i.op is Op.MUL:
                            new = (cycle + self.digits, i.dst, gf.mul(r[i.a], r[i.b]))
                            pending = None if done else pending
                if landed:
                    r[landed[1]] = landed[2]
                    pending = None
                if not stall and i.op is Op.MUL:
                    pending = new
                cycle += 1
            if i.op is Op.STOP:
                return cycle - 1, flags[FLAG_CURVE], flags[FLAG_INFINITY]
            address = i.arg if i.op is Op.LOOP and index >= 0 else address + 1
