# SPDX-License-Identifier: Apache-2.0
"""The tail after the halvings: kP from four sums of halves, in lambda coordinates, then affine.

A point is (X : Λ : Z) with x = X/Z and λ = Λ/Z, λ = x + y/x; -P is (X : Λ + Z : Z), and P + T, T
the point of order two, is (√b/x, λ + 1). A point of odd order is never T. The sum of a point of odd
order and a point of even order is never a double or infinity. So the first accumulator starts as
P + T, and its sums have no exceptional case. Those of the other three have none by the argument in
:mod:`ecsm.curves.gf2m.halving`. At the end the sum is kP + T, and X = 0 if it is T.

Source: T. Oliveira, J. Lopez, D. Aranha, F. Rodriguez-Henriquez, "Two is the fastest prime: lambda
coordinates for binary elliptic curves", Journal of Cryptographic Engineering 4 (2014). The addition
is theirs, except that (Λ_P + Z_P) Z_Q comes from other products, which makes it three levels deep.
A sum and a difference of two points share five products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from ecsm.formulas.gf2m.algebra import Algebra, V, sqr
from ecsm.formulas.gf2m.inversion import itoh_tsujii


@dataclass(frozen=True)
class Lambda(Generic[V]):
    """(X : Λ : Z)."""

    x: V
    lam: V
    z: V


@dataclass(frozen=True)
class Pair(Generic[V]):
    """What P + Q and P - Q have in common: five products and their sums."""

    pq: V  # Λ_P Z_Q
    qp: V  # Λ_Q Z_P
    u: V  # X_P Z_Q
    v: V  # X_Q Z_P
    zz: V
    b: V


def pair(f: Algebra[V], p: Lambda[V], q: Lambda[V], n: str) -> Pair[V]:
    """Return the products that a sum and a difference share."""
    u, v = f.mul(f"Xp·Zq {n}", p.x, q.z), f.mul(f"Xq·Zp {n}", q.x, p.z)
    return Pair(
        f.mul(f"Λp·Zq {n}", p.lam, q.z), f.mul(f"Λq·Zp {n}", q.lam, p.z), u, v,
        f.mul(f"Zp·Zq {n}", p.z, q.z), f.hold(f"B {n}", sqr(f, u + v)),
    )  # fmt: skip


def add(f: Algebra[V], s: Pair[V], n: str, minus: bool = False) -> Lambda[V]:
    """Return P + Q (P - Q with ``minus``) for P other than +-Q."""
    a = s.pq + s.qp + s.zz if minus else s.pq + s.qp
    a = f.hold(f"A {n}", a)
    au, av = f.mul(f"A·u {n}", a, s.u), f.mul(f"A·v {n}", a, s.v)
    w = f.mul(f"A·B {n}", a, s.b)
    last = f.mul(f"W·(Λp+Zp)Zq {n}", w, s.pq + s.zz)
    return Lambda(
        f.mul(f"X {n}", au, av),
        f.hold(f"Λ {n}", sqr(f, av + s.b) + last),
        f.mul(f"Z {n}", w, s.zz),
    )


def double(f: Algebra[V], p: Lambda[V], n: str, a: int) -> Lambda[V]:
    """Return 2P for P other than T and infinity."""
    lz, xz = f.mul(f"Λ·Z {n}", p.lam, p.z), f.mul(f"X·Z {n}", p.x, p.z)
    z2 = sqr(f, p.z)
    t = f.hold(f"T {n}", sqr(f, p.lam) + lz + f.scale("a·Z²", a, z2))
    z3 = f.mul(f"T·Z² {n}", t, z2)
    x3 = sqr(f, t)
    rest = f.mul(f"T·ΛZ {n}", t, lz)
    return Lambda(f.hold(f"X {n}", x3), f.hold(f"Λ {n}", sqr(f, xz) + x3 + rest + z3), z3)


def combine(f: Algebra[V], q: Sequence[Lambda[V]], a: int) -> Lambda[V]:
    """Return Q1 + 3 Q3 + 5 Q5 + 7 Q7 = (Q1 - Q7 + Q5 - Q3) + 4 (Q3 + Q5 + 2 Q7)."""
    q1, q3, q5, q7 = q
    both = pair(f, q5, q3, "5,3")
    d = add(f, both, "5+3")
    e = add(f, both, "5-3", minus=True)
    g = add(f, pair(f, d, double(f, q7, "2·7", a), "g"), "g")
    g = double(f, double(f, g, "2g", a), "4g", a)
    c = add(f, pair(f, q1, q7, "1,7"), "1-7", minus=True)
    c = add(f, pair(f, c, e, "c"), "c")
    return add(f, pair(f, c, g, "R"), "R")


def finish(f: Algebra[V], r: Lambda[V], root: int) -> tuple[V, V]:
    """Return affine kP for r = kP + T, root = sqrt(b). If X = 0, kP is infinity and both are 0.

    With V = 1/X: x = √b Z V and y = x² + x + √b Λ V.
    """
    f.test("z1", r.x)
    z, lam = f.scale("√b·Z", root, r.z), f.scale("√b·Λ", root, r.lam)
    inverse = sqr(f, itoh_tsujii(f, r.x))
    zero = f.const(0)
    affine = ("affine", 0)
    x = f.hold("kP.x", f.mul("√b·Z/X", z, inverse))
    y = f.mul("√b·Λ/X", lam, inverse)
    return (
        f.hold("out.x", f.select(affine, x, zero)),
        f.hold("out.y", f.select(affine, sqr(f, x) + x + y, zero)),
    )
