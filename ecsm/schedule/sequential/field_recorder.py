# SPDX-License-Identifier: Apache-2.0
"""Formulas over GF(2^m) on symbols, for a machine that executes one walk after another.

A value is a sum of numbers. It becomes a number where a product needs it, or where the formula
holds it. The result is a list of :class:`~ecsm.schedule.sequential.recorder.Step`. The recorder
keeps a bound of each number's bits, and refuses one that has more than its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ecsm.schedule.sequential.binary import Polynomial
from ecsm.schedule.sequential.recorder import OutOfRange, Step

CHOOSE = "choose"
"""The walk of a step that is a sum with the mask of that name."""


@dataclass(frozen=True)
class Sum:
    """A value: the numbers whose sum it is, by atom."""

    atoms: frozenset[int]

    def __add__(self, other: Sum) -> Sum:
        """Sum."""
        return Sum(self.atoms ^ other.atoms)


@dataclass
class FieldRecorder:
    """Record one segment of straight-line code: an ``Algebra[Sum]`` of formulas.

    ``constants``: the name of a number that a constant is in. ``bits``: the most of each atom;
    ``tests``: values that are to be tested, by name. All selects are by the flag.
    """

    modulus: Polynomial
    constants: Mapping[int, str]
    steps: list[Step] = field(default_factory=list)
    bits: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    tests: dict[str, Sum] = field(default_factory=dict)
    _known: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)

    @property
    def m(self) -> int:
        """Degree of the field."""
        return self.modulus.bits

    @property
    def most(self) -> int:
        """Bits that a number between segments may have."""
        return self.modulus.most(0, 0)

    def input(self, name: str) -> Sum:
        """Return a number that is there when the segment begins."""
        if name not in self.names:
            self.names[name] = self._new(self.most)
        return Sum(frozenset({self.names[name]}))

    def _new(self, bits: int) -> int:
        if bits > self.modulus.W * self.modulus.used:
            raise OutOfRange("a polynomial may have more bits than its words")
        self.bits.append(bits)
        return len(self.bits) - 1

    def _step(self, walk: str, name: str, operands: tuple[int, ...], bits: int) -> int:
        key = (walk, operands)
        if key not in self._known:
            self._known[key] = self._new(bits)
            self.steps.append(Step(walk, name, self._known[key], operands))
        return self._known[key]

    def whole(self, name: str, v: Sum) -> int:
        """Return the atom of a value. Raises ValueError if it is 0."""
        if not v.atoms:
            raise ValueError(f"{name} is 0")
        total, *others = sorted(v.atoms)
        for atom in others:
            total = self._step("xor", name, (total, atom), max(self.bits[total], self.bits[atom]))
        return total

    def const(self, c: int) -> Sum:
        """Return a constant: 0, or one that has a name."""
        return self.input(self.constants[c]) if c else Sum(frozenset())

    def mul(self, name: str, a: Sum, b: Sum) -> Sum:
        """Return a product."""
        left, right = self.whole(f"for {name}", a), self.whole(f"for {name}", b)
        walk = "square" if left == right else "product"
        bits = self.modulus.most(self.bits[left], self.bits[right])
        return Sum(frozenset({self._step(walk, name, (left, right), bits)}))

    def frob(self, v: Sum, k: int) -> Sum:
        """Return v^(2^k), by squares."""
        for _ in range(k):
            v = self.mul("a square", v, v)
        return v

    def power(self, name: str, v: Sum, k: int) -> Sum:
        """Return v^(2^k)."""
        del name
        return self.frob(v, k)

    def scale(self, name: str, c: int, v: Sum) -> Sum:
        """Return c v; by 0 and 1 there is no product."""
        if c in (0, 1):
            return v if c else Sum(frozenset())
        return self.mul(name, self.const(c), v)

    def select(self, condition: tuple[str, int], a: Sum, b: Sum) -> Sum:
        """Return ``a`` where the flag is set, else ``b``."""
        del condition
        left, right = self.whole("else", b), self.whole("then", a)
        bits = max(self.bits[left], self.bits[right])
        return Sum(frozenset({self._step(CHOOSE, "choose", (left, right), bits)}))

    def hold(self, name: str, v: Sum) -> Sum:
        """Return v as a number of its own."""
        return Sum(frozenset({self.whole(name, v)}))

    def test(self, name: str, v: Sum) -> None:
        """Keep a value that is to be tested for 0."""
        self.tests[name] = v
