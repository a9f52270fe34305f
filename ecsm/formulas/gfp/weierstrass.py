# SPDX-License-Identifier: Apache-2.0
"""kP on y^2 = x^3 + ax + b over GF(p), any point of prime order n, every scalar, affine result.

Fixed windows of w bits from the top, regular signed odd digits (:mod:`ecsm.curves.recode`): the
table holds P, 3P, ..., (2^w - 1)P, every window doubles w times and adds once. Points are Jacobian,
x = X/Z^2 and y = Y/Z^3; table entries have Z, Z^2 and Z^3 (Chudnovsky). Y is stored as a difference
Ya - Yb, because both are products and a difference is free at an operand.

No step has an exceptional case, and none depends on the scalar: the argument is in
docs/theory/prime.md.
Source: D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography" (2004), 3.2.2
(formulas); the order of operations is ours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.program import Program, Variables

COLUMNS = ("X", "Y", "Z", "ZZ", "ZZZ")


@dataclass(frozen=True)
class State(Variables[V]):
    """The point (X : Ya - Yb : Z)."""

    x: V
    ya: V
    yb: V
    z: V


@dataclass(frozen=True)
class Entry(Generic[V]):
    """A point with the powers of its Z."""

    x: V
    y: V
    z: V
    zz: V
    zzz: V


def cubic(f: Algebra[V], a: int, b: int, x: V, y: V) -> V:
    """Return y^2 - x^3 - ax - b."""
    square = f.mul("x²", x, x)
    right = f.mul("x³+ax", square + f.const(a) if a else square, x)
    return f.mul("y²", y, y) - right - f.const(b)


@dataclass(frozen=True)
class Weierstrass(Program):
    """The program on the curve with a and b modulo p.

    ``window``: bits of a digit. ``digits``: their number; the highest names one of ``top`` entries.
    ``fewest``: formulas with the fewest products, but longer chains of sums and products.
    ``threads`` run together and share one inversion.
    """

    p: int
    a: int
    b: int
    window: int
    digits: int
    top: int
    fewest: bool = False
    threads: int = 1

    @property
    def entries(self) -> int:
        """Entries of the table."""
        return 1 << (self.window - 1)

    def _slope(self, f: Algebra[V], x: V, z: V) -> V:
        """Return (3x^2 + a·z^4) as a form of few terms."""
        if self.a == 0:
            return 3 * f.mul("M = X²", x, x)
        zz = f.mul("ZZ", z, z)
        if self.a == self.p - 3:
            m = f.mul("M = (X-ZZ)(X+ZZ)", x - zz, x + zz)
            return 3 * m
        slope = 3 * f.mul("M = X²", x, x)
        fourth = f.mul("Z⁴", zz, zz)
        return f.sum("S", slope + f.mul("aZ⁴", f.const(self.a), fourth))

    def double(self, f: Algebra[V], s: State[V]) -> State[V]:
        """Return 2P: X' = S^2 - 8B, Y' = S(12B - S^2) - 8G^2 with G = Y^2, B = X·G; 3 levels."""
        y = s.ya - s.yb
        g = f.mul("G = Y²", y, y)
        slope = self._slope(f, s.x, s.z)
        z = f.mul("Z' = 2YZ", 2 * y, s.z)
        if self.fewest:
            b4 = f.mul("4B = 4X·G", 4 * s.x, g)
            g8 = f.mul("8G²", 8 * g, g)
            x = f.sum("X' = S²-8B", f.mul("S²", slope, slope) - 2 * b4)
            return State(x, f.mul("S(4B-X')", slope, b4 - x), g8, z)
        b8 = f.mul("8B = 8X·G", 8 * s.x, g)
        b12 = f.mul("12B = 12X·G", 12 * s.x, g)
        g8 = f.mul("8G²", 8 * g, g)
        square = f.mul("S²", slope, slope)
        ya = f.mul("S(12B-S²)", slope, b12 - square)
        return State(f.sum("X' = S²-8B", square - b8), ya, g8, z)

    def add(self, f: Algebra[V], s: State[V], q: Entry[V], condition: str = "") -> State[V]:
        """Return P + Q, or P - Q where the condition holds, for P != +-Q, neither infinity."""
        zz = f.mul("Z1²", s.z, s.z)
        zzz = f.mul("Z1³", zz, s.z)
        u1 = f.mul("U1 = X1·Z2²", s.x, q.zz)
        u2 = f.mul("U2 = X2·Z1²", q.x, zz)
        s1 = f.mul("S1 = Y1·Z2³", s.ya - s.yb, q.zzz)
        s2 = f.mul("S2 = Y2·Z1³", q.y, zzz)
        r = (f.negate(condition, s2) if condition else s2) - s1
        h = u2 - u1
        hh = f.mul("HH = H²", h, h)
        hhh = f.mul("HHH", h, hh)
        if self.fewest:
            v = f.mul("V = U1·HH", u1, hh)
            rest = f.sum("R²-HHH", f.mul("R²", r, r) - hhh)
            x = f.sum("X = R²-HHH-2V", rest - 2 * v)
            ya = f.mul("R(V-X)", r, v - x)
            yb = f.mul("S1·HHH", s1, hhh)
            return State(x, ya, yb, f.mul("Z = Z1Z2·H", f.mul("Z1Z2", s.z, q.z), h))
        w = f.mul("W = HH(U2+U1)", hh, u2 + u1)
        v = f.mul("V+W = HH(U2+2U1)", hh, u2 + 2 * u1)
        rr = f.mul("R²", r, r)
        ya = f.mul("R(V-X)", r, v - rr)
        yb = f.mul("S1·HHH", s1, hhh)
        z = f.mul("Z = Z1Z2·H", f.mul("Z1Z2", s.z, q.z), h)
        return State(f.sum("X = R²-W", rr - w), ya, yb, z)

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation and fill the table with the odd multiples of (x, y)."""
        self.check(f, x, y)
        one = f.const(1)
        first = Entry(f.sum("x", x), f.sum("y", y), f.sum("1", one), one, one)
        self._store(f, 0, Entry(first.x, first.y, first.z, first.z, first.z))
        double = self.double(f, State(x, y, f.const(0), one))
        two = self._entry(f, replace(double, z=f.sum("2y", double.z)))
        p: Entry[V] = first
        for i in range(1, self.entries):
            s = self.add(f, State(p.x, p.y, f.const(0), p.z), two)
            p = self._entry(f, s)
            self._store(f, i, p)

    def check(self, f: Algebra[V], x: V, y: V) -> None:
        """Test the curve equation, thread by thread."""
        self.test(f, "y²-x³-ax-b", cubic(f, self.a, self.b, x, y))

    def _entry(self, f: Algebra[V], s: State[V]) -> Entry[V]:
        zz = f.mul("Z²", s.z, s.z)
        return Entry(s.x, f.sum("Y", s.ya - s.yb), s.z, zz, f.mul("Z³", zz, s.z))

    def _store(self, f: Algebra[V], i: int, q: object) -> None:
        """Write the fields of an entry, as many as there are columns."""
        for column, v in zip(COLUMNS, vars(q).values(), strict=True):
            f.store(i, column, v)

    def start(self, f: Algebra[V], x: V, y: V) -> State[V]:
        """Return the entry of the highest digit, which is positive: (x, y) if it is always 1."""
        if self.top == 1:
            x, y, z = f.sum("x", x), f.sum("y", y), f.sum("1", f.const(1))
        else:
            x, y, z = (f.sum(c, f.lookup(c)) for c in COLUMNS[:3])
        return State(x, y, f.sum("0", f.const(0)), z)

    def step(self, f: Algebra[V], s: State[V]) -> State[V]:
        """One window: 2^w S + T[digit]."""
        for _ in range(self.window):
            s = self.double(f, s)
        x, y, z, zz, zzz = (f.lookup(c) for c in COLUMNS)
        return self.add(f, s, Entry(x, y, z, zz, zzz), "negative")

    def finish(self, f: Algebra[V], s: State[V]) -> None:
        """Answer the affine point: one inversion by division steps, of all threads together."""
        inverse = self.inverse(f, s.z)
        square = f.mul("Z⁻²", inverse, inverse)
        self.answer(f, "x", f.mul("X·Z⁻²", s.x, square))
        cube = f.mul("Z⁻³", square, inverse)
        self.answer(f, "y", f.negate("flip", f.mul("Y·Z⁻³", s.ya - s.yb, cube)))
