# SPDX-License-Identifier: Apache-2.0
"""Integers that are known as polynomials and between bounds, and what cutting them into bits makes.

A symbol is an integer: a limb of an input, or floor(E / 2^l) of a polynomial E. A cut of a number
into bits has no other symbols: bits l to h - 1 of E are floor(E / 2^l) - 2^(h - l) floor(E / 2^h),
for a negative E too, whose bits are those by complement. The same cut of the same polynomial is the
same symbol. So the parts of a number add up to it whatever its symbols are, and an equation of
polynomials, coefficient by coefficient, is one of the numbers.

A number is held twice. ``exact`` is the polynomial. ``loose`` is a sum of multiples of numbers with
bounds of their own, for bounds alone: a part of a number has better ones than its two symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

Range = tuple[int, int]
Monomial = tuple[int, ...]
MOST_TERMS = 64  # of a polynomial whose bounds are computed term by term

MOST_BITS = 3  # of which a function is written out


class Impossible(ArithmeticError):
    """A number has no value between its bounds: they contradict each other."""


class Polynomial:
    """A sum of integers times products of symbols."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for m, c in other.terms.items():
            terms[m] = terms.get(m, 0) + c
        return Polynomial(terms)

    def __rmul__(self, k: int) -> Polynomial:
        return Polynomial({m: k * c for m, c in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -1 * other

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                key = tuple(sorted((*m, *n)))
                terms[key] = terms.get(key, 0) + c * d
        return Polynomial(terms)

    @property
    def constant(self) -> int | None:
        """The value, if there is no symbol in it."""
        return self.terms.get((), 0) if not set(self.terms) - {()} else None

    def divided(self, bits: int) -> tuple[Polynomial, Polynomial]:
        """Return X and R with self = 2^bits X + R: R has what no power 2^bits is in."""
        mask = (1 << bits) - 1
        high = {m: c >> bits for m, c in self.terms.items() if not c & mask or not m}
        rest = {m: c if m else c & mask for m, c in self.terms.items() if c & mask}
        return Polynomial(high), Polynomial(rest)

    def zero_modulo(self, p: int) -> bool:
        """Whether every coefficient is a multiple of p."""
        return not any(c % p for c in self.terms.values())


def constant(v: int) -> Polynomial:
    """Return a polynomial without a symbol."""
    return Polynomial({(): v})


@dataclass(frozen=True)
class Number:
    """An integer from ``lo`` to ``hi``: see above."""

    exact: Polynomial
    loose: Polynomial
    lo: int
    hi: int


class Integers:
    """The symbols of a proof, with their bounds, and what is computed with numbers."""

    def __init__(self) -> None:
        self.ranges: list[Range] = []
        self._cuts: dict[tuple[Polynomial, int], int] = {}
        self._cut_of: dict[int, tuple[Polynomial, int]] = {}
        self._atoms: dict[Polynomial, int] = {}
        self._facts: dict[Polynomial, Range] = {}

    def copy(self) -> Integers:
        """Return the same symbols, for facts of a case."""
        found = Integers()
        found.ranges = list(self.ranges)
        for name in ("_cuts", "_cut_of", "_atoms", "_facts"):
            setattr(found, name, dict(getattr(self, name)))
        return found

    def symbol(self, hi: int, lo: int = 0) -> Number:
        """Return a new symbol."""
        self.ranges.append((lo, hi))
        found = Polynomial({(len(self.ranges) - 1,): 1})
        return self.number(found, found)

    def fixed(self, v: int) -> Number:
        """Return a constant."""
        return Number(constant(v), constant(v), v, v)

    def fact(self, exact: Polynomial, lo: int, hi: int) -> None:
        """Take note of bounds that were proven of a polynomial."""
        self._facts[exact] = _both(self._facts.get(exact, (lo, hi)), (lo, hi))

    def number(self, exact: Polynomial, loose: Polynomial, own: Range | None = None) -> Number:
        """Return a number with the best bounds that are known; ``own``: those of its origin."""
        found = first = self.bounds(loose)
        if own:
            found = _both(found, own)
        if exact in self._facts:
            found = _both(found, self._facts[exact])
        if len(exact.terms) <= MOST_TERMS and exact is not loose:
            found = _both(found, self.bounds(exact))
        if found[0] == found[1]:
            return self.fixed(found[0])
        if found != first:
            loose = self._atom(exact, found)
        return Number(exact, loose, *found)

    def bounds(self, p: Polynomial) -> Range:
        """Return bounds of a polynomial, term by term."""
        lo = hi = 0
        for m, c in p.terms.items():
            ends = (c, c)
            for s in m:
                a, b = self.ranges[s]
                corners = [x * y for x in ends for y in (a, b)]
                ends = min(corners), max(corners)
            lo, hi = lo + min(ends), hi + max(ends)
        return lo, hi

    def _atom(self, exact: Polynomial, own: Range) -> Polynomial:
        """Return a number as a symbol of its own, for bounds."""
        only = next(iter(exact.terms.items())) if len(exact.terms) == 1 else ((), 0)
        if len(only[0]) == 1 and only[1] == 1:
            at = only[0][0]
        elif (at := self._atoms.get(exact, -1)) < 0:
            at = self._atoms[exact] = len(self.ranges)
            self.ranges.append(own)
        self.ranges[at] = _both(self.ranges[at], own)
        return Polynomial({(at,): 1})

    def tight(self, a: Number) -> Number:
        """Return a number with bounds that parts which were added up again do not widen.

        2^l floor(R / 2^l) is R less its lowest l bits. It is written so where this brings the
        bounds nearer to each other.
        """
        loose, (lo, hi) = a.exact, self.bounds(a.exact)
        for at in sorted(self._cut_of, reverse=True):
            rest, bits = self._cut_of[at]
            times = loose.terms.get((at,), 0) + (1 << bits - 1) >> bits
            if not times:
                continue
            cut = Polynomial({(at,): 1 << bits})
            low = self._atom(rest - cut, (0, (1 << bits) - 1))
            new = loose - times * cut + times * (rest - low)
            ends = self.bounds(new)
            if ends[1] - ends[0] < hi - lo:
                loose, (lo, hi) = new, ends
        lo, hi = _both((lo, hi), (a.lo, a.hi))
        return replace(a, lo=lo, hi=hi)

    def sum(self, a: Number, b: Number, sign: int = 1) -> Number:
        """Return a + b, or a - b."""
        return self.number(a.exact + sign * b.exact, a.loose + sign * b.loose)

    def times(self, k: int, a: Number) -> Number:
        """Return a multiple."""
        if k == 1:
            return a
        lo, hi = sorted((k * a.lo, k * a.hi))
        return Number(k * a.exact, k * a.loose, lo, hi)

    def product(self, a: Number, b: Number) -> Number:
        """Return a b."""
        for x, y in ((a, b), (b, a)):
            if (k := x.exact.constant) is not None:
                return self.times(k, y) if k else self.fixed(0)
        corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        exact, own = self._once(a.exact * b.exact), (min(corners), max(corners))
        return self.number(exact, self._atom(exact, own), own)

    def _bit(self, at: int) -> bool:
        """Whether a symbol is 0 or 1: then its square is itself."""
        return self.ranges[at][0] >= 0 and self.ranges[at][1] <= 1

    def _once(self, p: Polynomial) -> Polynomial:
        """Return a polynomial in which no bit is squared."""
        terms: dict[Monomial, int] = {}
        for m, c in p.terms.items():
            one = tuple(s for i, s in enumerate(m) if s not in m[:i] or not self._bit(s))
            terms[one] = terms.get(one, 0) + c
        return Polynomial(terms)

    def _of_bits(self, p: Polynomial, bits: int) -> Polynomial | None:
        """Return the floor of what a few bits make, as a polynomial in these bits."""
        symbols = sorted({s for m in p.terms for s in m})
        if len(symbols) > MOST_BITS or not all(map(self._bit, symbols)):
            return None
        subsets = [m for n in range(len(symbols) + 1) for m in combinations(symbols, n)]
        found: dict[Monomial, int] = {}
        for chosen in subsets:
            value = sum(c for m, c in p.terms.items() if set(m) <= set(chosen)) >> bits
            found[chosen] = value - sum(c for m, c in found.items() if set(m) < set(chosen))
        return Polynomial(found)

    def floor(self, a: Number, bits: int) -> Number:
        """Return a number without its lowest bits: the floor of a / 2^bits."""
        if not bits:
            return a
        own = a.lo >> bits, a.hi >> bits
        if own[0] == own[1]:
            return self.fixed(own[0])
        # Of what is a sign alone, the highest bits are all the same.
        while bits > 1 and a.lo >> bits - 1 >= -1 and a.hi >> bits - 1 <= 0:
            bits -= 1
        exact = self._floor(a.exact, bits, (a.lo, a.hi))
        high, rest = a.loose.divided(bits)
        loose = high if rest.constant is not None else self._atom(exact, own)
        return self.number(exact, loose, own)

    def _floor(self, p: Polynomial, bits: int, own: Range) -> Polynomial:
        high, rest = p.divided(bits)
        if not rest.terms:
            return high
        ((m, c), *more) = rest.terms.items()
        if not more and c == 1 and len(m) == 1 and m[0] in self._cut_of:
            inside, below = self._cut_of[m[0]]  # a cut of a cut is one cut
            a, b = self.ranges[m[0]]
            limit, rest, bits = None, inside, bits + below
            found = (a >> bits - below, b >> bits - below)
        else:
            a, b = self.bounds(high)
            limit = own[0] - (b << bits), own[1] - (a << bits)
            lo, hi = _both(self.bounds(rest), limit)
            found = lo >> bits, hi >> bits
        if found[0] == found[1]:
            return high + constant(found[0])
        if (few := self._of_bits(rest, bits)) is not None:
            return high + few
        if limit and hi == lo + 1:  # of two values, the floor tells which
            return high + rest + constant(found[0] - lo)
        key = rest, bits
        if key not in self._cuts:
            self._cuts[key] = len(self.ranges)
            self._cut_of[len(self.ranges)] = key
            self.ranges.append(found)
        at = self._cuts[key]
        self.ranges[at] = _both(self.ranges[at], found)
        return high + Polynomial({(at,): 1})

    def part(self, a: Number, low: int, high: int, signed: bool = False) -> Number:
        """Return bits ``low`` to ``high`` - 1 of a number, ``signed``: by complement."""
        width, found = high - low, self.floor(a, low)
        half = (1 << width - 1) if signed else 0
        above = found.lo + half >> width
        if above == found.hi + half >> width:
            return self.sum(found, self.fixed(-above << width))
        over = self.floor(a, high).exact
        if signed:
            over = self.floor(a, high - 1).exact - over
        exact = found.exact - (1 << width) * over
        own = (-half, half - 1) if signed else (0, (1 << width) - 1)
        return self.number(exact, self._atom(exact, own), own)


def _both(a: Range, b: Range) -> Range:
    """Return the numbers in both ranges."""
    found = max(a[0], b[0]), min(a[1], b[1])
    if found[0] > found[1]:
        raise Impossible("bounds contradict each other")
    return found


def weighted(limbs: Sequence[Number], bits: int) -> Polynomial:
    """Return the value of limbs, each worth 2^bits times the one before."""
    found = Polynomial({})
    for k, limb in enumerate(limbs):
        found = found + (1 << bits * k) * limb.exact
    return found
