# SPDX-License-Identifier: Apache-2.0
"""Sums of points of -x^2 + y^2 = 1 + d x^2 y^2 over GF(p), for machines that do one after another.

A point is (X : Y : Z : T), x = X/Z, y = Y/Z, T = XY/Z. The formulas have no exceptions: -1 is a
square and d is none. In place of T an entry of a table has 2 d T.

:mod:`~ecsm.formulas.gfp.edwards` is the same in two levels, for machines with some multipliers.

Source: H. Hisil, K. Wong, G. Carter, E. Dawson, "Twisted Edwards curves revisited", ASIACRYPT 2008,
3.1 and 3.3, a = -1. The double's coordinates have another sign, all of them.
"""

from __future__ import annotations

from ecsm.formulas.gfp.xz import Algebra, V


def double(f: Algebra[V], x: V, y: V, z: V) -> tuple[V, V, V, V]:
    """Return 2P: 4 products, 4 squares."""
    a, b, c = f.mul("A = X²", x, x), f.mul("B = Y²", y, y), f.mul("Z²", z, z)
    e, g, h = f.mul("(X+Y)²", x + y, x + y) - a - b, b - a, a + b
    less = 2 * c - g
    return (
        f.mul("X = EF", e, less), f.mul("Y = GH", g, h), f.mul("Z = FG", less, g),
        f.mul("T = EH", e, h),
    )  # fmt: skip


def add(f: Algebra[V], p: tuple[V, V, V, V], x: V, y: V, product: V, k: V) -> tuple[V, V, V, V]:
    """Return P + Q; of Q x and y, ``product`` of both Z, and 2 d T: 7 products."""
    x1, y1, _, t1 = p
    a = f.mul("A = (Y1-X1)(Y2-X2)", y1 - x1, y - x)
    b = f.mul("B = (Y1+X1)(Y2+X2)", y1 + x1, y + x)
    return _sum(f, a, b, f.mul("C = T1·2dT2", t1, k), product)


def add_covered(f: Algebra[V], p: tuple[V, V, V, V], x: V, y: V, d2: V) -> tuple[V, V, V, V]:
    """Return P + Q; of Q X1 + x and Y1 + y; ``d2``: 2 d. 11 products, 2 squares.

    Nothing between is of x or y alone.
    """
    x1, y1, z1, t1 = p
    less, more = f.sum("Y1-X1", y1 - x1), f.sum("Y1+X1", y1 + x1)
    a = f.mul("(Y1-X1)(y-x+Y1-X1)", less, y - x) - f.mul("(Y1-X1)²", less, less)
    b = f.mul("(Y1+X1)(y+x+Y1+X1)", more, y + x) - f.mul("(Y1+X1)²", more, more)
    k = f.mul("2dT1", t1, d2)
    k = f.sum("2dT1x", f.mul("2dT1(x+X1)", k, x) - f.mul("2dT1X1", k, x1))
    c = f.sum("C = 2dT1xy", f.mul("2dT1x(y+Y1)", k, y) - f.mul("2dT1xY1", k, y1))
    return _sum(f, f.sum("A = (Y1-X1)(y-x)", a), f.sum("B = (Y1+X1)(y+x)", b), c, z1)


def _sum(f: Algebra[V], a: V, b: V, c: V, product: V) -> tuple[V, V, V, V]:
    """Return the sum, of A, B, C and the product of both Z."""
    d = 2 * product
    e, less, more, h = b - a, d - c, d + c, b + a
    return (
        f.mul("X = EF", e, less), f.mul("Y = GH", more, h), f.mul("Z = FG", less, more),
        f.mul("T = EH", e, h),
    )  # fmt: skip


def equation(f: Algebra[V], d: V, x: V, y: V, z: V) -> V:
    """Return (Y^2 - X^2) Z^2 - Z^4 - d X^2 Y^2, which is 0 for points of the curve."""
    xx, yy, zz = f.mul("X²", x, x), f.mul("Y²", y, y), f.mul("Z²", z, z)
    left = f.mul("(Y²-X²-Z²)Z²", yy - xx - zz, zz)
    return f.sum("equation", left - f.mul("dX²Y²", d, f.mul("X²Y²", xx, yy)))


def fraction(f: Algebra[V], d: V, one: V, y: V) -> tuple[V, V, V, V]:
    """Return u, v, u v^3 and u v^7 with x^2 = u/v, for a square root. Source: RFC 8032, 5.1.3."""
    yy = f.mul("y²", y, y)
    u, v = f.sum("u = y²-1", yy - one), f.sum("v = dy²+1", f.mul("dy²", d, yy) + one)
    cube = f.mul("v³", f.mul("v²", v, v), v)
    few = f.mul("uv³", u, cube)
    return u, v, few, f.mul("uv⁷", few, f.mul("v⁴", cube, v))
