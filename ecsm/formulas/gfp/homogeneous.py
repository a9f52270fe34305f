# SPDX-License-Identifier: Apache-2.0
"""Complete addition on y^2 = x^3 + ax + b with few products: for machines without parallel units.

Points are (X : Y : Z) with x = X/Z, y = Y/Z; infinity is (0 : 1 : 0). On a curve of odd order the
formulas are right for all points: equal, opposite, infinity. With
xy = X1Y2 + X2Y1, xz and yz alike, xx = X1X2, ..,

    m = a xz + 3b zz,  n = 3b xz + a (xx - a zz),  k = 3xx + a zz,  u = yy + m,  w = yy - m

a sum is (xy w - yz n : u w + k n : yz u + xy k). A multiple by a small a or 3b is no product.

A doubling is fewer products in Jacobian coordinates, with x = X/Z^2, y = Y/Z^3. Some in a row are
done there, between two changes of coordinates of two products and a square each. A sum is fewer
products there too, and its formula has exceptions.

Source: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic
curves", EUROCRYPT 2016, algorithms 1, 4 and 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol

from ecsm.formulas.gfp.algebra import V

SMALL = 64  # a constant below it, or above p less it, is a multiple and no product

Point = tuple[V, V, V]
"""(X, Y, Z)."""


def small(c: int, p: int) -> int | None:
    """Return a constant modulo p as a small integer, below zero or not; None if it is none."""
    c %= p
    return next((s for s in (c, c - p) if abs(s) < SMALL), None)


class Field(Protocol[V]):
    """What the formulas ask for: see :class:`ecsm.formulas.gfp.algebra.Algebra`."""

    def mul(self, name: str, a: V, b: V) -> V:
        """Return a*b."""
        ...

    def sum(self, name: str, v: V) -> V:
        """Return v, added up."""
        ...


@dataclass(frozen=True)
class Homogeneous(Generic[V]):
    """The formulas of a curve over ``f``; ``a`` and ``b3`` are a and 3b as values.

    Where they are small integers, ``small_a`` and ``small_b3``, the values are not used.
    """

    f: Field[V]
    small_a: int | None
    small_b3: int | None
    a: V
    b3: V

    def _with(self, v: V, name: str, c: int | None, value: V, x: V) -> V:
        """Return v + c x."""
        if c is None:
            return v + self.f.mul(name, value, x)
        return v if c == 0 else v + c * x if c > 0 else v - -c * x

    def plus_a(self, v: V, name: str, x: V) -> V:
        """Return v + a x."""
        return self._with(v, f"a·{name}", self.small_a, self.a, x)

    def times_b3(self, name: str, x: V) -> V:
        """Return 3b x."""
        c = self.small_b3
        return self.f.mul(f"3b·{name}", self.b3, x) if c is None or c <= 0 else c * x

    def _sum(self, xx: V, yy: V, zz: V, xz: V) -> tuple[V, V, V, V]:
        """Return n, k, u, w."""
        f = self.f
        m = f.sum("m", self.plus_a(self.times_b3("zz", zz), "xz", xz))
        n = self.times_b3("xz", xz)
        if self.small_a is not None:
            square = self.small_a**2
            n = self.plus_a(n, "xx", xx)
            n = n - square * zz if square else n
        else:
            n = n + f.mul("a(xx-azz)", self.a, f.sum("xx-azz", xx - f.mul("a·zz", self.a, zz)))
        k = f.sum("k", self.plus_a(3 * xx, "zz", zz))
        return f.sum("n", n), k, f.sum("u", yy + m), f.sum("w", yy - m)

    def add(self, p: Point[V], q: Point[V]) -> Point[V]:
        """Return P + Q: 12 products, and those with a and 3b."""
        f, (x1, y1, z1), (x2, y2, z2) = self.f, p, q
        xx, yy, zz = f.mul("X1X2", x1, x2), f.mul("Y1Y2", y1, y2), f.mul("Z1Z2", z1, z2)
        xy = f.sum("xy", f.mul("(X1+Y1)(X2+Y2)", x1 + y1, x2 + y2) - (xx + yy))
        yz = f.sum("yz", f.mul("(Y1+Z1)(Y2+Z2)", y1 + z1, y2 + z2) - (yy + zz))
        xz = f.sum("xz", f.mul("(X1+Z1)(X2+Z2)", x1 + z1, x2 + z2) - (xx + zz))
        n, k, u, w = self._sum(xx, yy, zz, xz)
        return (
            f.sum("X", f.mul("xy·w", xy, w) - f.mul("yz·n", yz, n)),
            f.sum("Y", f.mul("u·w", u, w) + f.mul("k·n", k, n)),
            f.sum("Z", f.mul("yz·u", yz, u) + f.mul("xy·k", xy, k)),
        )

    def to_jacobian(self, p: Point[V]) -> Point[V]:
        """Return (X Z : Y Z² : Z) with x = X/Z², y = Y/Z³; infinity becomes (0, 0, 0)."""
        f, (x, y, z) = self.f, p
        return f.mul("X·Z", x, z), f.mul("Y·Z²", y, f.mul("Z²", z, z)), z

    def from_jacobian(self, p: Point[V]) -> Point[V]:
        """Return the other way."""
        f, (x, y, z) = self.f, p
        return f.mul("X·Z", x, z), y, f.mul("Z³", f.mul("Z²", z, z), z)

    def double_jacobian(self, p: Point[V]) -> Point[V]:
        """Return 2P in Jacobian coordinates; (0, y, 0), y other than 0, is infinity and stays it.

        Source: D. Bernstein, T. Lange, Explicit-Formulas Database, dbl-2001-b and dbl-2007-bl.
        """
        f, (x, y, z) = self.f, p
        delta, gamma = f.mul("Z²", z, z), f.mul("Y²", y, y)
        twice = f.sum("2Y²", 2 * gamma)
        beta = f.mul("X·2Y²", x, twice)
        if self.small_a == -3:
            alpha = 3 * f.mul("(X-Z²)(X+Z²)", x - delta, x + delta)
        else:
            alpha = 3 * f.mul("X²", x, x)
            if self.small_a != 0:
                alpha = self.plus_a(alpha, "Z⁴", f.mul("Z⁴", delta, delta))
        alpha, four = f.sum("3X²+aZ⁴", alpha), f.sum("4XY²", 2 * beta)
        result = f.sum("X", f.mul("(3X²+aZ⁴)²", alpha, alpha) - 2 * four)
        left = f.mul("(3X²+aZ⁴)(4XY²-X)", alpha, four - result)
        yz = f.mul("(Y+Z)²", y + z, y + z)
        return (
            result,
            f.sum("Y", left - 2 * f.mul("4Y⁴", twice, twice)),
            f.sum("Z", yz - (gamma + delta)),
        )

    def common_jacobian(self, p: Point[V], q: Point[V]) -> tuple[V, V, V, V, V]:
        """Return X1 Z2², Y1 Z2³, Z1 Z2, X2 Z1², Y2 Z1³ of two points in Jacobian coordinates."""
        f, (x, y, z), (x2, y2, z2) = self.f, p, q
        second = self.affine_jacobian(z, x2, y2)
        return *self.affine_jacobian(z2, x, y), f.mul("Z1·Z2", z, z2), *second

    def affine_jacobian(self, z: V, x2: V, y2: V) -> tuple[V, V]:
        """Return X2 Z1², Y2 Z1³."""
        f, zz = self.f, self.f.mul("Z²", z, z)
        return f.mul("X·Z²", x2, zz), f.mul("Y·Z³", y2, f.mul("Z³", zz, z))

    def covered_jacobian(self, z: V, x2: V, y2: V) -> tuple[V, V]:
        """Return the same of X2 + 2 Z1 and Y2 + Z1; nothing between is of X2 or Y2 alone."""
        f, zz = self.f, self.f.mul("Z1²", z, z)
        cube = f.mul("Z1³", zz, z)
        return (
            f.sum("X2·Z1²", f.mul("(X2+2Z1)Z1²", x2, zz) - 2 * cube),
            f.sum("Y2·Z1³", f.mul("(Y2+Z1)Z1³", y2, cube) - f.mul("Z1⁴", zz, zz)),
        )

    def add_jacobian(self, p: Point[V], x2: V, y2: V) -> Point[V]:
        """Return P + Q in Jacobian coordinates: 6 products, 2 squares.

        ``p``: X1 Z2², Y1 Z2³, Z1 Z2; ``x2``, ``y2``: X2 Z1², Y2 Z1³. Z is 0 for equal and for
        opposite points, and if P or Q is infinity; a Z that is 0 stays it in later sums and
        doublings. So the result of many is right if its Z is not 0.

        Source: Explicit-Formulas Database, add-1998-cmo-2.
        """
        f, (x, y, z) = self.f, p
        h, r = f.sum("H", x2 - x), f.sum("R", y2 - y)
        new = f.mul("Z1Z2·H", z, h)
        hh = f.mul("H²", h, h)
        hhh, v = f.mul("H³", h, hh), f.mul("X1Z2²·H²", x, hh)
        cross = f.mul("Y1Z2³·H³", y, hhh)
        result = f.sum("X", f.mul("R²", r, r) - hhh - 2 * v)
        return result, f.sum("Y", f.mul("R(V-X)", r, v - result) - cross), new
