# SPDX-License-Identifier: Apache-2.0
"""Assign a slot to each term of an operand, so that the operand network is small.

A slot selects a source, shifts it, and complements it or not (rtl/gfp/engine/gfp_form.sv). Its cost
is the number of sources, shifts and complements that any operation needs. So an operation that uses
what others already use costs nothing. The operands of a product may also change sides.

The search is greedy. It then repeats every operation as long as the cost falls, from a few orders.
The orders come from a fixed seed: the same operations give the same slots.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ecsm.formulas.gfp.graph import Guard
from ecsm.schedule.gfp.types import DEPTH

SLOTS = 3
Sink = tuple[str, int]  # ("mul", side) or ("add", 0)
# ("reg", bank) of a slot, ("reg", register) of an operand's row; ("mul", 0), ("add", 0),
# ("table", column), ("matrix", i), ("const", index)
Source = tuple[str, int]
Slots = tuple[int, ...]  # of the rows of a form

ORDERS = 4
PASSES = 20
# What a source of a slot costs in tenths of a LUT a bit: half a LUT for its gate, of a matrix's
# entry one limb in four has bits, of a constant half of them are one. Behind the sources a shift is
# a multiplexer, in which a complement has room.
COST = {"reg": 5, "mul": 5, "add": 5, "table": 5, "matrix": 2, "const": 2}
COST |= {"shift": 10, "complement": 4}


class NoSlots(ValueError):
    """An operand has more terms than slots, or larger limbs than the multiplier takes."""


class Feature(NamedTuple):
    """What a slot has: a "source" (its port), a "shift" by so many bits, or the "complement"."""

    sink: Sink
    slot: int
    kind: str
    value: Source | int

    @property
    def cost(self) -> int:
        """Tenths of a LUT a bit."""
        return COST[self.value[0] if isinstance(self.value, tuple) else self.kind]


@dataclass(frozen=True)
class Gate:
    """One term of a slot: source * 2^shift, complemented or not, where the guard holds."""

    sink: Sink
    slot: int
    source: Source
    shift: int = 0
    complement: bool = False
    guard: Guard | None = None

    @property
    def features(self) -> Iterator[Feature]:
        """What the slot must have."""
        yield Feature(self.sink, self.slot, "source", self.source)
        if self.shift:
            yield Feature(self.sink, self.slot, "shift", self.shift)
        if self.complement:
            yield Feature(self.sink, self.slot, "complement", 0)


def opened(gates: Iterable[Gate]) -> set[tuple[Feature, Guard | None]]:
    """Return the gates that a word opens, and the guard of each.

    A gate that is open for both values of a condition is always open.
    """
    found = {(feature, gate.guard) for gate in gates for feature in gate.features}
    for feature, guard in list(found):
        if guard and (feature, (guard[0], not guard[1])) in found:
            found -= {(feature, (guard[0], value)) for value in (False, True)}
            found.add((feature, None))
    return {(f, g) for f, g in found if g is None or (f, None) not in found}


@dataclass(frozen=True)
class Row:
    """One term of an operand: source * 2^shift, complemented or not, where the guard holds."""

    source: Source
    shift: int = 0
    complement: bool = False
    guard: Guard | None = None

    @property
    def port(self) -> Source:
        """What a slot sees of the source: a register is the one that its sink reads of its bank."""
        return ("reg", self.source[1] // DEPTH) if self.source[0] == "reg" else self.source

    def gate(self, sink: Sink, slot: int) -> Gate:
        """Return the gate that opens the term in a slot."""
        return Gate(sink, slot, self.port, self.shift, self.complement, self.guard)


@dataclass(frozen=True)
class Operands:
    """What an operation of ``unit``, "mul" or "add", takes: rows by side."""

    unit: str
    forms: tuple[tuple[Row, ...], ...]


@dataclass(frozen=True)
class Placed:
    """Where an operation's forms go: ``sides[i]`` is that of form i, ``slots[i]`` of its rows."""

    sides: tuple[int, ...]
    slots: tuple[Slots, ...]


def exclude(a: Guard | None, b: Guard | None) -> bool:
    """Whether two guards never hold together."""
    return a is not None and b is not None and a[0] == b[0] and a[1] != b[1]


@lru_cache(maxsize=4096)
def _choices(form: tuple[Row, ...]) -> tuple[Slots, ...]:
    """Return the slots that a form's rows can take: one each, but for those that exclude others."""

    def fits(slots: Slots) -> bool:
        return all(
            slots[i] != slots[j] or exclude(form[i].guard, form[j].guard)
            for i in range(len(form))
            for j in range(i)
        )

    read = {row.source for row in form if row.source[0] == "reg"}
    if len({r // DEPTH for _, r in read}) < len(read):
        return ()  # a sink reads one register of each bank
    return tuple(c for c in itertools.product(range(SLOTS), repeat=len(form)) if fits(c))


@lru_cache(maxsize=65536)
def _features(sink: Sink, form: tuple[Row, ...], slots: Slots) -> frozenset[Feature]:
    """Return what the slots of a sink must have for a form."""
    gates = (row.gate(sink, slot) for row, slot in zip(form, slots, strict=True))
    return frozenset(feature for gate in gates for feature in gate.features)


def _all_features(op: Operands, placed: Placed) -> set[Feature]:
    found: set[Feature] = set()
    for form, side, slots in zip(op.forms, placed.sides, placed.slots, strict=True):
        found |= _features((op.unit, side), form, slots)
    return found


def _best(op: Operands, there: Counter[Feature]) -> Placed:
    """Return the slots in which an operation adds the least cost."""
    count = len(op.forms)
    best: tuple[int, Placed] | None = None
    for sides in itertools.permutations(range(count)):
        total, slots = 0, []
        for form, side in zip(op.forms, sides, strict=True):
            sink = (op.unit, side)
            added = [
                (sum(f.cost for f in _features(sink, form, c) if not there[f]), c)
                for c in _choices(form)
            ]
            least = min(added)
            total += least[0]
            slots.append(least[1])
        if best is None or total < best[0]:
            best = (total, Placed(sides, tuple(slots)))
    assert best is not None
    return best[1]


def _once(ops: Sequence[Operands]) -> tuple[int, dict[Operands, Placed]]:
    there: Counter[Feature] = Counter()
    placed: dict[Operands, Placed] = {}
    last = 0
    for i in range(PASSES):
        for op in ops:
            if op in placed:
                there.subtract(_all_features(op, placed[op]))
            placed[op] = _best(op, there)
            there.update(_all_features(op, placed[op]))
        now = sum(f.cost for f, n in there.items() if n)
        if i and now >= last:
            break
        last = now
    return last, placed


def place(operations: Iterable[tuple[str, Operands]]) -> dict[Operands, Placed]:
    """Return the slots of operations, given with their names; raises :class:`NoSlots`."""
    ops: dict[Operands, None] = {}
    for name, op in operations:
        if not all(_choices(form) for form in op.forms):
            raise NoSlots(f"{name} has more than {SLOTS} terms, or two registers of a bank")
        ops[op] = None
    order = random.Random(0)
    found = []
    rows = list(ops)
    for _ in range(ORDERS):
        found.append(_once(rows))
        order.shuffle(rows)
    return min(found, key=lambda one: one[0])[1]
