# SPDX-License-Identifier: Apache-2.0
"""Formulas over GF(p) on symbols, for a machine that executes one walk after another.

A value is a sum of small multiples of numbers. It becomes a number where a product needs it, or
where the formula says so (``sum``). The result is a list of :class:`Step` in the formula's order.
The recorder proves that no number leaves its range: it keeps a bound for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ecsm.schedule.sequential.modulus import Modulus, OutOfRange

__all__ = ["Linear", "OutOfRange", "Recorder", "Step", "placed"]

SHARED = 100  # multiples below it are made of triples: few walks


@dataclass(frozen=True)
class Linear:
    """A value: multiples of numbers, by atom."""

    terms: Mapping[int, int]

    def _plus(self, other: Linear, sign: int) -> Linear:
        total = dict(self.terms)
        for atom, k in other.terms.items():
            total[atom] = total.get(atom, 0) + sign * k
        return Linear({atom: k for atom, k in total.items() if k})

    def __add__(self, other: Linear) -> Linear:
        """Sum."""
        return self._plus(other, 1)

    def __sub__(self, other: Linear) -> Linear:
        """Difference."""
        return self._plus(other, -1)

    def __rmul__(self, k: int) -> Linear:
        """Multiple by a small positive integer."""
        return Linear({atom: k * n for atom, n in self.terms.items()})


@dataclass(frozen=True)
class Step:
    """A walk to be: it makes ``atom`` of ``operands``, by the walk of the name ``walk``."""

    walk: str
    name: str
    atom: int
    operands: tuple[int, ...]


@dataclass
class Recorder:
    """Record one segment of straight-line code; ``bounds``: the most that each atom is, in p."""

    modulus: Modulus
    steps: list[Step] = field(default_factory=list)
    bounds: dict[int, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    _known: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)

    def input(self, name: str, bound: int) -> Linear:
        """Return a number that is there when the segment begins; ``bound`` in multiples of p."""
        if name not in self.names:
            self.names[name] = self._new(bound * self.modulus.p)
        return Linear({self.names[name]: 1})

    def _new(self, bound: int) -> int:
        if bound >= self.modulus.radix >> 1:
            raise OutOfRange("a number may be larger than its words")
        atom = len(self.bounds)
        self.bounds[atom] = bound
        return atom

    def _step(self, walk: str, name: str, operands: tuple[int, ...], bound: int) -> int:
        key = (walk, operands)
        if key not in self._known:
            self._known[key] = self._new(bound)
            self.steps.append(Step(walk, name, self._known[key], operands))
        return self._known[key]

    def mul(self, name: str, a: Linear, b: Linear) -> Linear:
        """Return a product."""
        left, right = self.whole(f"for {name}", a), self.whole(f"for {name}", b)
        bound = self.modulus.bound(self.bounds[left], self.bounds[right])
        walk = "square" if left == right else "product"
        return Linear({self._step(walk, name, (left, right), bound): 1})

    def sum(self, name: str, v: Linear) -> Linear:
        """Return v as a number of its own."""
        return Linear({self.whole(name, v): 1})

    def whole(self, name: str, v: Linear) -> int:
        """Return the atom of a value: multiples first, then sums, then differences."""
        bounds = self.bounds
        if not v.terms:
            raise ValueError(f"{name} is 0")
        plus = [(atom, k) for atom, k in v.terms.items() if k > 0]
        minus = [(atom, -k) for atom, k in v.terms.items() if k < 0]
        if not plus:
            raise ValueError(f"{name} has no positive term")

        def multiple(atom: int, k: int) -> int:
            """Return k times an atom: by sums and triples where that is enough, few walks."""
            if k == 1:
                return atom
            if k % 2 == 0:
                half = multiple(atom, k // 2)
                return self._step("sum", name, (half, half), 2 * bounds[half])
            if k % 3 == 0 and k < SHARED:
                third = multiple(atom, k // 3)
                return self._step("times 3", name, (third,), 3 * bounds[third])
            return self._step(f"times {k}", name, (atom,), k * bounds[atom])

        total, *others = [multiple(*t) for t in plus]
        for atom in others:
            total = self._step("sum", name, (total, atom), bounds[total] + bounds[atom])
        for atom in [multiple(*t) for t in minus]:
            total = self._step("difference", name, (total, atom), bounds[total] + bounds[atom])
        return total


def placed(
    steps: list[Step], inputs: Mapping[int, int], outputs: Mapping[int, int], free: list[int],
    apart: bool = False,
) -> list[tuple[Step, int, tuple[int, ...]]]:  # fmt: skip
    """Return each step with the number of its result and of its operands.

    ``inputs``: atoms by what they are in, which stays as it is if it is no place of an output;
    ``outputs``: where atoms are to be at the end; ``free``: numbers for what is between. ``apart``:
    what is between is not in the place of an operand. Raises ValueError if the numbers are too few,
    or an output's place is still read.
    """
    last = {atom: i for i, s in enumerate(steps) for atom in s.operands}
    place = dict(inputs)
    pool = list(reversed(free))
    found = []
    for i, s in enumerate(steps):
        operands = tuple(place[atom] for atom in s.operands)
        reserved = pool.pop() if apart and pool and s.atom not in outputs else None
        for atom in [a for a in place if last.get(a, -1) <= i and a not in outputs]:
            if (number := place.pop(atom)) in free:
                pool.append(number)
        if s.atom in outputs:
            to = outputs[s.atom]
            if to in place.values():
                raise ValueError(f"{s.name} has no place: what is there is still read")
        elif reserved is not None:
            to = reserved
        elif not pool:
            raise ValueError(f"{s.name} has no place: all are taken")
        else:
            to = pool.pop()
        place[s.atom] = to
        found.append((s, to, operands))
    return found
