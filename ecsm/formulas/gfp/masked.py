# SPDX-License-Identifier: Apache-2.0
"""kP on y^2 = x^3 + ax + b over GF(p) by a ladder whose points have random coordinates and places.

The ladder holds R and R + P, doubles one of the two and adds them: D and S. A random bit of each
step, "role", says which of two places A and B takes D, and "swap", the key xor that bit, in which
of the two the next point to double is, C::

    A, B := D, S or S, D by role        C := A or B by swap

So no place follows a bit of the scalar. The scalar has a fixed highest bit
(:mod:`ecsm.curves.gfp.masked`), so the ladder begins with 2P and P, both times a random number that
is not 0. The last key chooses kP.

Formulas of projective coordinates, x = X/Z and y = Y/Z, in three levels of products. They are right
for all points of a curve of odd order, so no scalar and no point is exceptional::

    m = a xz + 3b zz,  n = 3b xz + a (xx - a zz),  k = 3xx + a zz,  u = yy + m,  w = yy - m
    sum = (xy w - yz n : u w + k n : yz u + xy k),    double: Z = 8 Y^3 Z

Both coordinates of the result are computed twice, and are put into the curve's equation. Infinity
is (0 : Y : 0) with a Y other than 0: a fault that makes all coordinates 0 is none.

Source: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic
curves", EUROCRYPT 2016, equation (1); K. Itoh, T. Izu, M. Takenaka, "A practical countermeasure
against address-bit differential power analysis", CHES 2003 (random places). The two places and C
are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.program import Program, Variables
from ecsm.formulas.gfp.weierstrass import cubic


@dataclass(frozen=True)
class Triple(Generic[V]):
    """The point (X : Y : Z)."""

    x: V
    y: V
    z: V


@dataclass(frozen=True)
class Places(Variables[V]):
    """The points in A and B, and C, the next one to double."""

    ax: V
    ay: V
    az: V
    bx: V
    by: V
    bz: V
    cx: V
    cy: V
    cz: V


@dataclass(frozen=True)
class Products(Generic[V]):
    """3xx, yy, 3zz and 3xz of a sum or a double."""

    xx3: V
    yy: V
    zz3: V
    xz3: V


@dataclass(frozen=True)
class MaskedLadder(Program):
    """The program on the curve with a = 0 or -3; of ``digits`` keys the head has the first."""

    p: int
    a: int
    b: int
    digits: int
    top: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        if self.a not in (0, self.p - 3):
            raise ValueError("the masked ladder is for a = 0 and a = -3")
        if self.threads > 1:
            raise ValueError("the masked ladder is for one thread")

    def _parts(self, f: Algebra[V], q: Products[V]) -> tuple[V, V, V, V]:
        """Return n, k, u and w."""
        b = f.const(self.b)
        m, n, k = f.mul("3b·zz", b, q.zz3), f.mul("3b·xz", b, q.xz3), q.xx3
        if self.a:
            m = f.sum("m", m - f.sum("3xz", q.xz3))
            n = f.sum("n", n - f.sum("3xx+9zz", q.xx3 + 3 * q.zz3))
            k = k - q.zz3
        return n, k, q.yy + m, q.yy - m

    def double_of(self, f: Algebra[V], c: Triple[V]) -> Triple[V]:
        """Return 2C for any C: 13 products, 3 levels."""
        xx3, yy, zz3 = f.mul("3X²", c.x, 3 * c.x), f.mul("Y²", c.y, c.y), f.mul("3Z²", c.z, 3 * c.z)
        xy, yz, xz6 = f.mul("XY", c.x, c.y), f.mul("YZ", c.y, c.z), f.mul("6XZ", c.x, 6 * c.z)
        n, k, u, w = self._parts(f, Products(xx3, yy, zz3, xz6))
        return Triple(
            f.sum("D.X", f.mul("2XY·w", 2 * xy, w) - f.mul("2YZ·n", 2 * yz, n)),
            f.sum("D.Y", f.mul("u·w", u, w) + f.mul("k·n", k, n)),
            f.sum("D.Z", f.mul("8Y³Z", 8 * yy, yz)),
        )

    def sum_of(self, f: Algebra[V], a: Triple[V], b: Triple[V]) -> Triple[V]:
        """Return A + B for any A and B: 17 products, 3 levels."""
        xx3, zz3 = f.mul("3X1X2", a.x, 3 * b.x), f.mul("3Z1Z2", a.z, 3 * b.z)
        xz3 = f.mul("3X1Z2", a.x, 3 * b.z) + f.mul("3X2Z1", b.x, 3 * a.z)
        xy = f.mul("X1Y2", a.x, b.y) + f.mul("X2Y1", b.x, a.y)
        yz = f.mul("Y1Z2", a.y, b.z) + f.mul("Y2Z1", b.y, a.z)
        n, k, u, w = self._parts(f, Products(xx3, f.mul("Y1Y2", a.y, b.y), zz3, xz3))
        return Triple(
            f.sum("S.X", f.mul("xy·w", xy, w) - f.mul("yz·n", yz, n)),
            f.sum("S.Y", f.mul("u·w", u, w) + f.mul("k·n", k, n)),
            f.sum("S.Z", f.mul("yz·u", yz, u) + f.mul("xy·k", xy, k)),
        )

    def _placed(self, f: Algebra[V], d: Triple[V], s: Triple[V]) -> Places[V]:
        """Return both points in their places."""
        a = [f.sum(f"A.{c.upper()}", f.select("role", getattr(d, c), getattr(s, c))) for c in "xyz"]
        b = [f.sum(f"B.{c.upper()}", f.select("role", getattr(s, c), getattr(d, c))) for c in "xyz"]
        chosen = [
            f.sum(f"C.{c}", f.select("swap", p, q)) for c, p, q in zip("XYZ", a, b, strict=True)
        ]
        return Places(*a, *b, *chosen)

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation."""
        self.test(f, "y²-x³-ax-b", cubic(f, self.a, self.b, x, y))

    def start(self, f: Algebra[V], x: V, y: V) -> Places[V]:
        """Return 2P and P in their places, with a random factor."""
        u, v, q, r = f.masks()
        factor = f.mul("λ", f.mul("uv", u, v), f.mul("qr", q, r))
        one = Triple(
            f.sum("λx", f.mul("λ·x", factor, x)), f.sum("λy", f.mul("λ·y", factor, y)),
            f.sum("λ", factor),
        )  # fmt: skip
        return self._placed(f, self.double_of(f, one), one)

    def step(self, f: Algebra[V], s: Places[V]) -> Places[V]:
        """Double C, add both, and put them in their places."""
        d = self.double_of(f, Triple(s.cx, s.cy, s.cz))
        return self._placed(
            f, d, self.sum_of(f, Triple(s.ax, s.ay, s.az), Triple(s.bx, s.by, s.bz))
        )

    def finish(self, f: Algebra[V], s: Places[V]) -> None:
        """Answer (XZ·Z⁻², YZ·Z⁻²) twice, and test it; infinity is (0, 0) with X = 0 and Y not."""
        x, y, z = s.cx, s.cy, s.cz
        self.test(f, "X", x, "X")
        self.test(f, "Y", y, "Y")
        inverse = self.inverse(f, z)
        square = f.mul("Z⁻²", inverse, inverse)
        right = f.sum("x", f.mul("XZ·Z⁻²", f.mul("XZ", x, z), square))
        up = f.sum("y", f.mul("YZ·Z⁻²", f.mul("YZ", y, z), square))
        again = f.mul("Z·Z⁻²", z, square)
        self.answer(f, "x", right)
        self.answer(f, "x", f.mul("X·ZZ⁻²", x, again))
        self.answer(f, "y", up)
        self.test(f, "y²-x³-ax-b", cubic(f, self.a, self.b, right, up), "result")
        self.answer(f, "y", f.mul("Y·ZZ⁻²", y, again))
