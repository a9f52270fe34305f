# SPDX-License-Identifier: Apache-2.0
"""Complete addition on y^2 = x^3 + ax + b with few products: for machines without parallel units.

Points are (X : Y : Z) with x = X/Z, y = Y/Z; infinity is (0 : 1 : 0). On a curve of odd order the
formulas are right for all points: equal, opposite, infinity. Curves are those with a = -3.

Source: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic
curves", EUROCRYPT 2016, algorithms 4 and 6.
"""

from __future__ import annotations

from ecsm.formulas.gfp.algebra import Algebra, V

Point = tuple[V, V, V]
"""(X, Y, Z)."""


def add(f: Algebra[V], b: V, p: Point[V], q: Point[V]) -> Point[V]:
    """Return P + Q: 12 products and two with b."""
    (x1, y1, z1), (x2, y2, z2) = p, q
    xx, yy, zz = f.mul("X1X2", x1, x2), f.mul("Y1Y2", y1, y2), f.mul("Z1Z2", z1, z2)
    xy = f.sum("xy", f.mul("(X1+Y1)(X2+Y2)", x1 + y1, x2 + y2) - (xx + yy))
    yz = f.sum("yz", f.mul("(Y1+Z1)(Y2+Z2)", y1 + z1, y2 + z2) - (yy + zz))
    xz = f.sum("xz", f.mul("(X1+Z1)(X2+Z2)", x1 + z1, x2 + z2) - (xx + zz))
    m = f.sum("m", 3 * f.sum("xz-bzz", xz - f.mul("b·zz", b, zz)))
    z3 = f.sum("3zz", 3 * zz)
    n = f.sum("n", 3 * f.sum("n/3", f.mul("b·xz", b, xz) - z3 - xx))
    k = f.sum("k", 3 * xx - z3)
    u, w = f.sum("u", yy + m), f.sum("w", yy - m)
    return (
        f.sum("X", f.mul("xy·u", xy, u) - f.mul("yz·n", yz, n)),
        f.sum("Y", f.mul("u·w", u, w) + f.mul("k·n", k, n)),
        f.sum("Z", f.mul("yz·w", yz, w) + f.mul("xy·k", xy, k)),
    )


def double(f: Algebra[V], b: V, p: Point[V]) -> Point[V]:
    """Return 2P: 8 products, 3 squares and two products with b."""
    x, y, z = p
    xx, yy, zz = f.mul("X²", x, x), f.mul("Y²", y, y), f.mul("Z²", z, z)
    xy, xz = f.sum("2XY", 2 * f.mul("XY", x, y)), f.sum("2XZ", 2 * f.mul("XZ", x, z))
    yz = f.sum("2YZ", 2 * f.mul("YZ", y, z))
    m = f.sum("m", 3 * f.sum("m/3", f.mul("b·Z²", b, zz) - xz))
    z3 = f.sum("3Z²", 3 * zz)
    n = f.sum("n", 3 * f.sum("n/3", f.mul("b·2XZ", b, xz) - z3 - xx))
    k = f.sum("k", 3 * xx - z3)
    u, w = f.sum("u", yy + m), f.sum("w", yy - m)
    return (
        f.sum("X", f.mul("w·xy", w, xy) - f.mul("yz·n", yz, n)),
        f.sum("Y", f.mul("u·w", u, w) + f.mul("k·n", k, n)),
        f.sum("Z", 4 * f.mul("yz·Y²", yz, yy)),
    )
