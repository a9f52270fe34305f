# SPDX-License-Identifier: Apache-2.0
"""Registers and memories of the engine for halving, and what its tail's solver is given.

A register has a number: those of :data:`PLAIN` come first, then the slots of the memories, bank by
bank. A memory has one write and one read a cycle, so the operand network has one sink and one
source for all of its slots.
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.curves.gf2m.halving import ODD
from ecsm.formulas.gf2m.graph import Kind, Map, Op

LATENCY = 2  # of a product, in cycles
UNITS = 2
PLAIN = (
    "OA0", "OB0", "OA1", "OB1", "CX", "CL", "L", "SX", "MX", "LH", "RS", "RM", "PL",
)  # fmt: skip
# QX and QL have the accumulators' X and Λ, QZl the Z of Q1 and Q3, QZh that of Q5 and Q7: sums are
# of one of each. An accumulator's slot is the same in all of them.
BANKS = ("QX", "QL", "QZl", "QZh")
SLOTS = 8
NAMES = (*PLAIN, *(f"{bank}[{i}]" for bank in BANKS for i in range(SLOTS)))
# The name of a memory stands for the slot of a digit's accumulator in it.
R = {name: i for i, name in enumerate((*NAMES, *BANKS))}
DIGIT = -1  # that slot
HIGH = 2  # the first accumulator whose Z is in QZh
Terms = set[tuple[int, Map, str, int]]  # sink, map, source


def accumulator(coordinate: str, index: int) -> str:
    """Return the name of the slot of a coordinate of the index-th accumulator."""
    half = "" if coordinate != "Z" else "h" if index >= HIGH else "l"
    return f"Q{coordinate}{half}[{index}]"


ACCUMULATORS = [R[accumulator(v, i)] for i in range(len(ODD)) for v in "XLZ"]


def place(register: int) -> int:
    """Return a register's number in the network: that of its memory, if it is in one."""
    if register >= len(NAMES):
        return len(PLAIN) + register - len(NAMES)
    return min(register, len(PLAIN) + (register - len(PLAIN)) // SLOTS)


def slot_of(register: int) -> int:
    """Return the slot of a register in a memory."""
    return DIGIT if register >= len(NAMES) else (register - len(PLAIN)) % SLOTS


@dataclass(frozen=True)
class Room:
    """Registers of the tail: ``inputs`` of its atoms, and from which cycle each other is free."""

    inputs: dict[int, int]
    free: dict[int, int]
    ready: dict[int, int]  # cycle from which an input can be read


def ready(op: Op, time: int) -> int:
    """Return the first cycle in which what an operation makes can be read."""
    return time + (LATENCY if op.kind is Kind.PRODUCT else op.passes)
