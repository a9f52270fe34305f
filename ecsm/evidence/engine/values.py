# SPDX-License-Identifier: Apache-2.0
"""What a net of an engine can be in a cycle, for all data, scalars and conditions at once.

A value is one of four:

- an ``int``: a linear form over GF(2). Bit 0 is the constant 1, every other bit is a symbol. The
  lowest symbols are conditions: bits of the scalar, the results of zero tests, bits of a request.
- :class:`Cases`: two values, by a condition.
- :class:`AllZero`: whether several forms are all zero.
- ``None``: not known.

Conditions are decided in the order of their bits, and a value that is linear in a condition stays
an ``int``. So two values without a ``None`` that are the same function are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ecsm.evidence.polynomials import normal_form

Table = tuple[int, ...]
SUM: Table = (0, 1, 1, 0)
BOTH: Table = (0, 0, 0, 1)
CHOICE: Table = (0, 1, 0, 1, 0, 0, 1, 1)  # input 0, or input 1 if input 2 is 1


@dataclass(frozen=True)
class AllZero:
    """Whether all ``forms`` are zero; ``zero`` is the value if they are."""

    forms: frozenset[int]
    zero: int


class Cases:
    """``high`` where the condition ``bit`` holds, else ``low``."""

    __slots__ = ("_hash", "bit", "high", "low")

    def __init__(self, bit: int, low: Value, high: Value) -> None:
        self.bit, self.low, self.high = bit, low, high
        self._hash = hash((bit, low, high))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Cases)
            and self._hash == other._hash
            and (self.bit, self.low, self.high) == (other.bit, other.low, other.high)
        )


Value = int | Cases | AllZero | None


def choice(bit: int, low: Value, high: Value) -> Value:
    """Return the value that is ``high`` where the condition holds, else ``low``."""
    if low == high:
        return low
    if isinstance(low, int) and isinstance(high, int) and low ^ high == 1:
        return low ^ bit  # linear in the condition
    return Cases(bit, low, high)


def where(value: Value, bit: int, holds: int) -> Value:
    """Return the value if a condition holds, or does not; no lower condition is in it."""
    if isinstance(value, int):
        return value ^ bit ^ holds if value & bit else value
    if isinstance(value, Cases) and value.bit == bit:
        return value.high if holds else value.low
    return value


def symbols(value: Value) -> int:
    """Return the symbols that a value depends on, as the bits of a number."""
    if isinstance(value, int):
        return value & ~1
    if isinstance(value, Cases):
        return value.bit | symbols(value.low) | symbols(value.high)
    found = 0
    for form in value.forms if value else ():
        found |= form
    return found & ~1


@dataclass(frozen=True)
class Space:
    """Values of which the symbols in ``conditions`` are decided by cases."""

    conditions: int

    def first(self, values: Sequence[Value]) -> int:
        """Return the lowest condition that the values depend on, as a bit; 0 if there is none."""
        found = 0
        for value in values:
            if isinstance(value, int):
                mine = value & self.conditions
                mine &= -mine
            else:
                mine = value.bit if isinstance(value, Cases) else 0
            if mine and (not found or mine < found):
                found = mine
        return found

    def sum(self, a: Value, b: Value) -> Value:
        """Return a + b."""
        if isinstance(a, int):
            if isinstance(b, int):
                return a ^ b
            if a == 0:
                return b
            a, b = b, a
        elif b == 0:
            return a
        if isinstance(a, Cases):  # in two cases that happen often
            if isinstance(b, Cases) and a.bit == b.bit:
                return choice(a.bit, self.sum(a.low, b.low), self.sum(a.high, b.high))
            if isinstance(b, int) and not b & self.conditions:
                return choice(a.bit, self.sum(a.low, b), self.sum(a.high, b))
        bit = self.first((a, b))
        if a is None or b is None or not bit:
            return self._any(SUM, (a, b))
        low, high = (self.sum(where(a, bit, k), where(b, bit, k)) for k in (0, 1))
        return choice(bit, low, high)

    def both(self, a: Value, b: Value) -> Value:
        """Return a b."""
        if isinstance(a, int) and a < 2:
            return b if a else 0
        if isinstance(b, int) and b < 2:
            return a if b else 0
        bit = self.first((a, b))
        if not bit:
            return self._any(BOTH, (a, b))
        low, high = (self.both(where(a, bit, k), where(b, bit, k)) for k in (0, 1))
        return choice(bit, low, high)

    def apply(self, table: Table, values: Sequence[Value]) -> Value:
        """Return the value of a function; input 0 is the lowest bit of the table's index."""
        if len(values) == 2:
            a, b = values
            if table[0] == table[3] != table[1] == table[2]:
                return self.sum(self.sum(a, b), table[0])
            if sum(table) in (1, 3):
                odd = int(sum(table) == 1)
                place = table.index(odd)
                product = self.both(self.sum(a, ~place & 1), self.sum(b, ~place >> 1 & 1))
                return self.sum(product, 1 - odd)
        return self._any(table, values)

    def _any(self, table: Table, values: Sequence[Value]) -> Value:
        table, left = _simple(table, values)
        if not left:
            return table[0]
        linear = _linear(table)
        if linear is not None:
            if all(isinstance(v, int) for v in left):
                found = linear
                for v in left:
                    assert isinstance(v, int)
                    found ^= v
                return found
            if linear == 0 and len(left) == 1:
                return left[0]
        bit = self.first(left)
        if bit:
            low, high = (self._any(table, [where(v, bit, k) for v in left]) for k in (0, 1))
            return choice(bit, low, high)
        return _tested(table, left)


def _simple(table: Table, values: Sequence[Value]) -> tuple[Table, list[Value]]:
    """Return a function of fewer inputs: none constant, equal or opposite, all of effect."""
    left: list[Value] = []
    for value in values:
        k = len(left)
        if isinstance(value, int) and value in (0, 1):
            table = _fixed(table, k, value)
            continue
        twin = next((j for j, v in enumerate(left) if _same(v, value) is not None), None)
        if twin is not None:
            opposite = _same(left[twin], value) or 0
            half = range(len(table) // 2)
            table = tuple(table[_with(i, k, (i >> twin & 1) ^ opposite)] for i in half)
            continue
        left.append(value)
    for k in reversed(range(len(left))):
        low = _fixed(table, k, 0)
        if low == _fixed(table, k, 1):
            table = low
            del left[k]
    return table, left


def _same(one: Value, other: Value) -> int | None:
    """Return 0 for equal known values, 1 for opposite ones, else None."""
    if one is None or other is None:
        return None
    if one == other:
        return 0
    if isinstance(one, int) and isinstance(other, int) and one ^ other == 1:
        return 1
    return None


def _with(i: int, k: int, bit: int) -> int:
    """Return an index with ``bit`` put in at place k."""
    low = i & ((1 << k) - 1)
    return i >> k << k + 1 | bit << k | low


@lru_cache(maxsize=4096)
def _fixed(table: Table, k: int, bit: int) -> Table:
    """Return the table with input k fixed."""
    return tuple(table[_with(i, k, bit)] for i in range(len(table) // 2))


@lru_cache(maxsize=4096)
def _linear(table: Table) -> int | None:
    """Return the constant of a sum of all inputs; None for another function."""
    form = set(normal_form(table))
    singles = {1 << k for k in range(len(table).bit_length() - 1)}
    return int(0 in form) if form - {0} == singles else None


def _tested(table: Table, values: Sequence[Value]) -> Value:
    """Return an OR of forms, with inverted inputs or output: what a zero test is made of."""
    if len(values) == 1 and isinstance(values[0], AllZero):  # inverted
        return AllZero(values[0].forms, values[0].zero ^ 1)
    if len(values) != 2 or sum(table) not in (1, 3):
        return None
    odd = int(sum(table) == 1)  # the value of the one entry that differs
    place = table.index(odd)
    forms: set[int] = set()
    for k, value in enumerate(values):
        wanted = place >> k & 1
        if isinstance(value, AllZero) and value.zero == wanted:
            forms |= value.forms
        elif isinstance(value, int):
            forms.add(value ^ wanted)
        else:
            return None
    return AllZero(frozenset(forms), odd)
