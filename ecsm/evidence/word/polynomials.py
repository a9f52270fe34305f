# SPDX-License-Identifier: Apache-2.0
"""Polynomials in words of a walk: over the integers, or over GF(2)[x] for carry-less slots.

A word is a symbol with bounds. A coefficient is an integer; over GF(2)[x] its bits are those of a
polynomial, and a bound of a word is one on its bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ecsm.curves.gf2m.field import poly_mul

Monomial = tuple[int, ...]
Terms = dict[Monomial, int]


@dataclass
class Words:
    """The symbols of a walk: a name, and bounds that are included."""

    carryless: bool
    names: list[str] = field(default_factory=list)
    bounds: list[tuple[int, int]] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)

    def symbol(self, name: str, lo: int, hi: int) -> int:
        """Return the symbol of a name, the same one for the same name."""
        if name not in self.known:
            self.known[name] = len(self.names)
            self.names.append(name)
            self.bounds.append((lo, hi))
        return self.known[name]

    def times(self, c: int, d: int) -> int:
        """Return a product of coefficients."""
        return poly_mul(c, d) if self.carryless else c * d

    def plus(self, c: int, d: int) -> int:
        """Return a sum of coefficients."""
        return c ^ d if self.carryless else c + d

    def sum(self, *parts: Mapping[Monomial, int]) -> Terms:
        """Return a sum."""
        found: Terms = {}
        for part in parts:
            for m, c in part.items():
                found[m] = self.plus(found.get(m, 0), c)
        return {m: c for m, c in found.items() if c}

    def scaled(self, k: int, p: Mapping[Monomial, int]) -> Terms:
        """Return a multiple."""
        return {m: v for m, c in p.items() if (v := self.times(k, c))}

    def less(self, p: Mapping[Monomial, int], *others: Mapping[Monomial, int]) -> Terms:
        """Return a difference."""
        return self.sum(p, *[o if self.carryless else self.scaled(-1, o) for o in others])

    def product(self, p: Mapping[Monomial, int], q: Mapping[Monomial, int]) -> Terms:
        """Return a product."""
        found: Terms = {}
        for m, c in p.items():
            for n, d in q.items():
                key = tuple(sorted((*m, *n)))
                found[key] = self.plus(found.get(key, 0), self.times(c, d))
        return {m: c for m, c in found.items() if c}

    def range(self, p: Mapping[Monomial, int]) -> tuple[int, int]:
        """Return bounds of a polynomial, term by term; over GF(2)[x]: 0, and all bits set."""
        lo = hi = 0
        for m, c in p.items():
            ends = (c, c)
            for s in m:
                corners = [self.times(x, y) for x in ends for y in self.bounds[s]]
                ends = min(corners), max(corners)
            if self.carryless:
                bits = c.bit_length() + sum(self.bounds[s][1].bit_length() - 1 for s in m)
                hi = max(hi, (1 << bits) - 1)
            else:
                lo, hi = lo + ends[0], hi + ends[1]
        return lo, hi

    def told(self, p: Mapping[Monomial, int], most: int = 3) -> str:
        """Return some terms in words."""
        parts = [
            " ".join([f"{c:#x}", *(self.names[s] for s in m)]) for m, c in list(p.items())[:most]
        ]
        return " + ".join(parts) + " + .." * (len(p) > most)
