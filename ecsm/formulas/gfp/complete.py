# SPDX-License-Identifier: Apache-2.0
"""kP on y^2 = x^3 - 3x + b over GF(p) by complete formulas of two levels of products.

The program is that of :class:`~ecsm.formulas.gfp.weierstrass.Weierstrass` with points in projective
coordinates, x = X/Z and y = Y/Z. On a curve of odd order the formulas are right for all points,
including infinity, equal and opposite points. The factor b would be between two products. So the
accumulator also has bZ, and table entries have D = X - bZ and F = 3Z - bX. With

    U = 3(X1·Z2 + Z1·D),  N = 3(X1·D + Z1·F),  V = 3(X1X2 - Z1Z2),  C = Y1Y2,
    E = X1Y2 + X2Y1,  G = Y1Z2 + Y2Z1

a sum is (E(C+U) + GN : (C-U)(C+U) - VN : G(C-U) + EV). Y is stored as that difference.

Source: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic
curves", EUROCRYPT 2016, equations (1) and (5), a = -3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.weierstrass import COLUMNS, State, Weierstrass


@dataclass(frozen=True)
class Projective(State[V]):
    """The point (X : Ya - Yb : Z), and bZ."""

    bz: V


@dataclass(frozen=True)
class Addend(Generic[V]):
    """A point as an addition takes it: columns X, Y, Z, ZZ and ZZZ of the table."""

    x: V
    y: V
    z: V
    d: V
    f: V


@dataclass(frozen=True)
class CompleteWeierstrass(Weierstrass):
    """The program on the curve with a = -3; ``fewest`` means nothing."""

    def __post_init__(self) -> None:
        if self.a != self.p - 3:
            raise ValueError("these complete formulas are for a = -3")

    def double(self, f: Algebra[V], s: State[V], last: bool = False) -> Projective[V]:
        """Return 2P for any P; 2 levels. If it is the ``last`` before an addition, without bZ."""
        assert isinstance(s, Projective)
        y = s.ya - s.yb
        g = f.mul("C = Y²", y, y)
        z = f.mul("YZ", y, s.z)
        bz = f.mul("Y·bZ", y, f.const(0) if last else s.bz)
        n = f.mul("9Z²", 9 * s.z, s.z) + f.mul("3X(X-2bZ)", 3 * s.x, s.x - 2 * s.bz)
        u = f.mul("U = 3Z(2X-bZ)", 3 * s.z, 2 * s.x - s.bz)
        v = 3 * f.mul("(X-Z)(X+Z)", s.x - s.z, s.x + s.z)
        xa = f.mul("2XY(C+U)", 2 * f.mul("XY", s.x, y), g + u)
        xb = f.mul("2YZ·N", 2 * z, n)
        ya, yb = f.mul("(C-U)(C+U)", g - u, g + u), f.mul("V·N", v, n)
        new_z, new_bz = f.mul("Z = 8Y³Z", 8 * g, z), f.mul("bZ", 8 * g, bz)
        return Projective(f.sum("X", xa + xb), ya, yb, new_z, new_bz)

    def join(self, f: Algebra[V], s: State[V], q: Addend[V]) -> Projective[V]:
        """Return P + Q for any P and Q; 2 levels, and one for bZ."""
        return self.with_bz(f, self.plus(f, s, q))

    def with_bz(self, f: Algebra[V], s: State[V]) -> Projective[V]:
        """Return the same point with bZ."""
        return Projective(s.x, s.ya, s.yb, s.z, f.mul("bZ", f.const(self.b), s.z))

    def plus(self, f: Algebra[V], s: State[V], q: Addend[V]) -> State[V]:
        """Return P + Q for any P and Q; 2 levels."""
        y = s.ya - s.yb
        c = f.mul("C = Y1Y2", y, q.y)
        u = f.sum("U", f.mul("3X1Z2", s.x, 3 * q.z) + f.mul("3Z1·D", 3 * s.z, q.d))
        n = f.mul("3X1·D", s.x, 3 * q.d) + f.mul("3Z1·F", 3 * s.z, q.f)
        v = f.mul("3X1X2", s.x, 3 * q.x) - f.mul("3Z1Z2", 3 * s.z, q.z)
        e = f.mul("X1Y2", s.x, q.y) + f.mul("X2Y1", y, q.x)
        g = f.mul("Y1Z2", y, q.z) + f.mul("Y2Z1", s.z, q.y)
        x = f.sum("X", f.mul("E(C+U)", e, c + u) + f.mul("G·N", g, n))
        ya, yb = f.mul("(C-U)(C+U)", c - u, c + u), f.mul("V·N", v, n)
        z = f.sum("Z", f.mul("G(C-U)", g, c - u) + f.mul("E·V", e, v))
        return State(x, ya, yb, z)

    def _addend(self, f: Algebra[V], s: Projective[V]) -> Addend[V]:
        """Return a point as an addition takes it, every coordinate a product or a sum."""
        less = f.mul("-bX", f.const(-self.b), s.x)
        return Addend(
            s.x, f.sum("Y", s.ya - s.yb), s.z, f.sum("D", s.x - s.bz), f.sum("F", 3 * s.z + less)
        )

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation and fill the table with the odd multiples of (x, y)."""
        self.check(f, x, y)
        one = Projective(f.sum("x", x), y, f.const(0), f.sum("1", f.const(1)), f.const(self.b))
        self._fill(f, one)

    def _fill(self, f: Algebra[V], one: Projective[V]) -> None:
        """Fill the table with the odd multiples of a point."""
        self._store(f, 0, self._addend(f, one))
        two = self._addend(f, self.double(f, one))
        p: Projective[V] = one
        for i in range(1, self.entries):
            p = self.join(f, p, two)
            self._store(f, i, self._addend(f, p))

    def start(self, f: Algebra[V], x: V, y: V) -> Projective[V]:
        """Return the entry of the highest digit, which is positive: (x, y) if it is always 1."""
        zero = f.sum("0", f.const(0))
        if self.top == 1:
            one, b = f.sum("1", f.const(1)), f.sum("b", f.const(self.b))
            return Projective(f.sum("x", x), f.sum("y", y), zero, one, b)
        top_x, top_y, z, d, _ = (f.lookup(c) for c in COLUMNS)
        return Projective(
            f.sum("X", top_x), f.sum("Y", top_y), zero, f.sum("Z", z), f.sum("bZ", top_x - d)
        )

    def step(self, f: Algebra[V], s: State[V]) -> Projective[V]:
        """One window: 2^w S + T[digit]."""
        for _ in range(self.window):
            s = self.double(f, s)
        x, y, z, d, last = (f.lookup(c) for c in COLUMNS)
        return self.join(f, s, Addend(x, f.negate("negative", y), z, d, last))

    def finish(self, f: Algebra[V], s: State[V]) -> None:
        """Answer the affine point; the inverse's sign is known, but not the square's."""
        inverse = self.inverse(f, s.z)
        square = f.mul("Z⁻²", inverse, inverse)
        self.answer(f, "x", f.mul("XZ·Z⁻²", f.mul("XZ", s.x, s.z), square))
        y = f.mul("Y·Z⁻¹", s.ya - s.yb, inverse)
        self.answer(f, "y", f.negate("flip", y))
