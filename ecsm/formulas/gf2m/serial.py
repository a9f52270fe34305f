# SPDX-License-Identifier: Apache-2.0
"""The ladder for a machine that executes one product or square after another: squares are not free.

S and D, and the bits that a step is told, are those of :mod:`~ecsm.formulas.gf2m.ladder`, and so is
the argument that every scalar and point is right; the Z coordinates are kept themselves. A double
is X = (X² + √b Z²)², Z = X² Z², so that a step is 6 products and 4 squares, and 5 products for
b = 1.

Source: J. Lopez, R. Dahab, "Fast multiplication on elliptic curves over GF(2^m) without
precomputation", CHES 1999, Algorithm 2P; M. Stam, "On Montgomery-like representations for elliptic
curves over GF(2^k)", PKC 2003, for the double by √b.
"""

from __future__ import annotations

from ecsm.formulas.gf2m.algebra import Algebra, V, sqr
from ecsm.formulas.gf2m.ladder import State
from ecsm.formulas.gf2m.points import Affine


def step(f: Algebra[V], root: int, s: State[V], i: int, x: V) -> State[V]:
    """One scalar bit: S' = S + D, D' = 2S if key_i else 2D. ``root``: √b."""
    key = ("key", i)
    a = f.mul("A = Xs·Zd", s.xs, s.cd)
    b = f.mul("B = Xd·Zs", s.xd, s.ts)
    xk, zk = f.select(key, s.xs, s.xd), f.select(key, s.ts, s.cd)
    zs = f.hold("Zs = (A+B)²", sqr(f, a + b))
    xs = f.mul("A·B", a, b) + f.mul("x·Zs", x, zs)
    xx, zz = sqr(f, xk), sqr(f, zk)
    inner = xx + f.scale("√b·Zk²", root, zz)
    return State(
        xs=f.hold("Xs = AB+xZs", xs),
        ts=zs,
        xd=f.hold("Xd = (Xk²+√bZk²)²", sqr(f, inner)),
        cd=f.mul("Zd = Xk²·Zk²", xx, zz),
    )


def gathered(f: Algebra[V], s: State[V], i: int, x: V, y: V) -> tuple[V, V, V, V, V]:
    """Return U, N, g, Z1, Z2 of the last state: kP is (U/g, y + N/g²) unless Z1 or Z2 is 0.

    With (X1 : Z1) = kP and (X2 : Z2) = (k+1)P, g is x Z1 Z2. For Z1 = 0, kP is infinity; for Z2 = 0
    it is -P.
    """
    key = ("key", i)
    x1, z1 = f.select(key, s.xs, s.xd), f.select(key, s.ts, s.cd)
    x2, z2 = f.select(key, s.xd, s.xs), f.select(key, s.cd, s.ts)
    left, right = f.mul("x·Z1", x, z1), f.hold("xZ2", f.mul("x·Z2", x, z2))
    diff = f.hold("X1+xZ1", x1 + left)
    w = f.mul("W = Z1·Z2", z1, z2)
    u = f.mul("U = X1·xZ2", x1, right)
    other = f.mul("G = (X1+xZ1)(X2+xZ2)", diff, x2 + right)
    other = other + f.mul("H = (x²+y)·W", sqr(f, x) + y, w)
    n = f.mul("N = F·(G+H)", f.mul("F = (X1+xZ1)·xZ2", diff, right), other)
    return u, n, f.mul("g = x·W", x, w), z1, z2


def affine(f: Algebra[V], u: V, n: V, y: V, v: V) -> Affine[V]:
    """Return kP of what :func:`gathered` returns and v = 1/g."""
    return f.mul("x1 = U·V", u, v), f.hold("y1", f.mul("N·V²", n, sqr(f, v)) + y)


def sum_x(f: Algebra[V], a: int, rise: V, inverse: V, xs: V) -> V:
    """Return the x of a sum with the slope ``rise`` times ``inverse``; ``xs``: x1 + x2."""
    slope = f.mul("λ", rise, inverse)
    return f.hold("x3", sqr(f, slope) + slope + xs + f.const(a))


def double_x(f: Algebra[V], a: int, x: V, y: V, inverse: V) -> V:
    """Return the x of 2 (x, y), x not 0; ``inverse``: 1/x."""
    slope = f.hold("λ", x + f.mul("y/x", y, inverse))
    return f.hold("x3", sqr(f, slope) + slope + f.const(a))
