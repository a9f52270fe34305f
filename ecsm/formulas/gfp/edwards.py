# SPDX-License-Identifier: Apache-2.0
"""kP on -x^2 + y^2 = 1 + d x^2 y^2 over GF(p), any point and any scalar, affine result.

Fixed windows of w bits from the top; the table holds 0P, P, ..., (2^w - 1)P. Digits are the
scalar's own bits, not recoded: a point's order may be any divisor of the curve's order, and a
scalar any integer of the port. The law of addition is complete (-1 is a square, d is not), so no
step has an exceptional case. Points are (X : Y : Z), with T = XY/Z before an addition; table
entries have K = 2dT in the fourth column. Every coordinate is one product, two levels after the
last point's::

    2P:     G = (Y-X)(Y+X), F = 2Z^2 - G, H = G + 2X^2, E = 2XY:  (EF : GH : GF), T = EH
    P + Q:  A = (Y1-X1)(Y2-X2), B = (Y1+X1)(Y2+X2), C = T1 K2, D = 2 Z1 Z2,
            E = B - A, F = D - C, G = D + C, H = B + A:  (EF : GH : FG), T = EH

Source: H. Hisil, K. Wong, G. Carter, E. Dawson, "Twisted Edwards curves revisited", ASIACRYPT 2008,
3.1 and 3.3, a = -1; the doubling's squares are written so that no operand has three terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.program import Program, Variables
from ecsm.formulas.gfp.weierstrass import COLUMNS


@dataclass(frozen=True)
class Projective(Variables[V]):
    """The point (X : Y : Z)."""

    x: V
    y: V
    z: V


@dataclass(frozen=True)
class Entry(Generic[V]):
    """A point with K = 2dT: columns X, Y, Z and ZZ of the table."""

    x: V
    y: V
    z: V
    k: V


@dataclass(frozen=True)
class Edwards(Program):
    """The program on the curve with ``d``; windows of ``window`` bits, ``digits`` of them."""

    p: int
    d: int
    window: int
    digits: int
    threads: int = 1

    @property
    def top(self) -> int:  # type: ignore[override]
        """Entries of the table, of which the highest digit may name any."""
        return 1 << self.window

    def double(self, f: Algebra[V], s: Projective[V]) -> tuple[Projective[V], Callable[[], V]]:
        """Return 2P, and what multiplies its T if that is wanted; 2 levels."""
        g = f.mul("G = (Y-X)(Y+X)", s.y - s.x, s.y + s.x)
        e = 2 * f.mul("XY", s.x, s.y)
        less = 2 * f.mul("Z²", s.z, s.z) - g
        more = g + 2 * f.mul("X²", s.x, s.x)
        double = Projective(
            f.mul("X = EF", e, less), f.mul("Y = GH", g, more), f.mul("Z = GF", g, less)
        )
        return double, lambda: f.mul("T = EH", e, more)

    def add(
        self, f: Algebra[V], s: Projective[V], t: V, q: Entry[V]
    ) -> tuple[Projective[V], Callable[[], V]]:
        """Return P + Q, of P with T, and what multiplies the sum's T; 2 levels."""
        a = f.mul("A = (Y1-X1)(Y2-X2)", s.y - s.x, q.y - q.x)
        b = f.mul("B = (Y1+X1)(Y2+X2)", s.y + s.x, q.y + q.x)
        c = f.mul("C = T1·K2", t, q.k)
        d = 2 * f.mul("Z1·Z2", s.z, q.z)
        total = Projective(
            f.mul("X = EF", b - a, d - c),
            f.mul("Y = GH", d + c, b + a),
            f.mul("Z = FG", d - c, d + c),
        )
        return total, lambda: f.mul("T = EH", b - a, b + a)

    def _keep(self, f: Algebra[V], i: int, s: Projective[V], t: V) -> Entry[V]:
        """Write a point into the table; return the entry."""
        q = Entry(s.x, s.y, s.z, f.mul("K = 2dT", f.const(2 * self.d), t))
        for column, v in zip(COLUMNS, (q.x, q.y, q.z, q.k), strict=False):
            f.store(i, column, v)
        return q

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation and fill the table with the multiples of (x, y)."""
        xy = f.mul("XY", x, y)
        square = f.mul("d·x²y²", xy, f.mul("d·xy", f.const(self.d), xy))
        self.test(f, "y²-x²-1-dx²y²", f.mul("G = (Y-X)(Y+X)", y - x, y + x) - square - f.const(1))
        zero, one = f.sum("0", f.const(0)), f.sum("1", f.const(1))
        for column, v in zip(COLUMNS, (zero, one, one, zero), strict=False):
            f.store(0, column, v)
        first = self._keep(f, 1, Projective(f.sum("x", x), f.sum("y", y), one), xy)
        multiples = [(Projective(x, y, f.const(1)), xy)] * 2
        for i in range(2, self.top):
            p, t = multiples[i // 2 if i % 2 == 0 else i - 1]
            p, product = self.add(f, p, t, first) if i % 2 else self.double(f, p)
            multiples.append((p, product()))
            self._keep(f, i, *multiples[i])

    def start(self, f: Algebra[V], x: V, y: V) -> Projective[V]:
        """Return the entry of the highest digit."""
        del x, y
        return Projective(*(f.sum(c, f.lookup(c)) for c in COLUMNS[:3]))

    def step(self, f: Algebra[V], s: Projective[V]) -> Projective[V]:
        """One window: 2^w S + T[digit]."""
        for _ in range(self.window):
            s, t = self.double(f, s)
        entry = Entry(*(f.lookup(c) for c in COLUMNS[:4]))
        return self.add(f, s, t(), entry)[0]

    def finish(self, f: Algebra[V], s: Projective[V]) -> None:
        """Answer the affine point; no point of the curve has Z = 0."""
        inverse = self.inverse(f, s.z)
        for name, v in (("x", s.x), ("y", s.y)):
            affine = f.mul(f"{name.upper()}·Z⁻¹", v, inverse)
            self.answer(f, name, f.negate("flip", affine))
