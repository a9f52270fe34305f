# SPDX-License-Identifier: Apache-2.0
"""Addition and doubling of points over GF(2^m), curve y^2 + xy = x^3 + a x^2 + b.

Affine (x, y), and Lopez-Dahab projective (X : Y : Z) with x = X/Z, y = Y/Z^2. These are the
incomplete textbook formulas: the caller handles infinity and the cases that each docstring names.
"""

from __future__ import annotations

from ecsm.formulas.gf2m.algebra import Algebra, V, sqr
from ecsm.formulas.gf2m.inversion import itoh_tsujii

Affine = tuple[V, V]
Projective = tuple[V, V, V]


def invert(f: Algebra[V], v: V) -> V:
    """Return 1/v, and 0 for v = 0."""
    return sqr(f, itoh_tsujii(f, v))


def add_affine(f: Algebra[V], a: int, p: Affine[V], q: Affine[V]) -> Affine[V]:
    """Return P + Q for P != Q, P != -Q. 1 inversion, 2 products, 1 square."""
    (x1, y1), (x2, y2) = p, q
    slope = f.mul("λ = (y1+y2)/(x1+x2)", y1 + y2, invert(f, x1 + x2))
    x3 = sqr(f, slope) + slope + x1 + x2 + f.const(a)
    return x3, f.mul("λ(x1+x3)", slope, x1 + x3) + x3 + y1


def double_affine(f: Algebra[V], a: int, p: Affine[V]) -> Affine[V]:
    """Return 2P for x != 0. 1 inversion, 2 products, 2 squares."""
    x, y = p
    slope = x + f.mul("y/x", y, invert(f, x))
    x3 = sqr(f, slope) + slope + f.const(a)
    return x3, sqr(f, x) + f.mul("(λ+1)x3", slope + f.const(1), x3)


def double_projective(f: Algebra[V], a: int, b: int, p: Projective[V]) -> Projective[V]:
    """Return 2P in Lopez-Dahab coordinates; 3 products if a and b are linear maps.

    Source: J. Lopez, R. Dahab, "Improved algorithms for elliptic curve arithmetic in GF(2^n)",
    SAC 1998.
    """
    x, y, z = p
    z3 = f.mul("Z3 = X²Z²", sqr(f, x), sqr(f, z))
    bz4 = f.hold("bZ⁴", f.scale("b·Z⁴", b, f.frob(z, 2)))
    x3 = f.hold("X3 = X⁴+bZ⁴", f.frob(x, 2) + bz4)
    inner = f.scale("a·Z3", a, z3) + sqr(f, y) + bz4
    return x3, f.mul("bZ⁴·Z3", bz4, z3) + f.mul("X3·(aZ3+Y²+bZ⁴)", x3, inner), z3


def add_mixed(f: Algebra[V], a: int, p: Projective[V], q: Affine[V]) -> Projective[V]:
    """Return P + Q, P in Lopez-Dahab coordinates, Q affine, for P != Q, P != -Q. 8 products.

    Source: E. Al-Daoud, R. Mahmod, M. Rushdan, A. Kilicman, "A new addition formula for elliptic
    curves over GF(2^n)", IEEE Trans. Computers 51 (2002).
    """
    (x1, y1, z1), (x2, y2) = p, q
    big_a = f.hold("A = y2Z1²+Y1", f.mul("y2·Z1²", y2, sqr(f, z1)) + y1)
    big_b = f.hold("B = x2Z1+X1", f.mul("x2·Z1", x2, z1) + x1)
    c = f.mul("C = Z1·B", z1, big_b)
    d = f.mul("D = B²(C+aZ1²)", sqr(f, big_b), c + f.scale("a·Z1²", a, sqr(f, z1)))
    e = f.mul("E = A·C", big_a, c)
    z3 = f.hold("Z3 = C²", sqr(f, c))
    x3 = f.hold("X3 = A²+D+E", sqr(f, big_a) + d + e)
    g = f.mul("(x2+y2)Z3²", x2 + y2, sqr(f, z3))
    return x3, f.mul("(E+Z3)(X3+x2Z3)", e + z3, x3 + f.mul("x2·Z3", x2, z3)) + g, z3
