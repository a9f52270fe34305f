# SPDX-License-Identifier: Apache-2.0
"""X25519's Montgomery ladder: the u of kP from the u of P, in two levels of products a bit.

On v^2 = u^3 + A u^2 + u points are (X : Z) with u = X/Z. An iteration has two points whose
difference is P; it doubles one of them and adds the two::

    D = (xd + zd)^2 - (xd - zd)^2 = 4 xd zd,   W = (xd - zd)^2 + cD,   c = (A + 2)/4
    2 (xd : zd) = ((xd + zd)^2 (xd - zd)^2 : DW)
    U = 2(x3 z2 - z3 x2),  V = 2(x2 x3 - z2 z3),   sum = (V^2 : u U^2)

The factors c and u would be between two products: three levels. So every point also has w = cz, and
the sum, whose formula is symmetric in the two points, also has uX and uZ. That is 17 products a bit
instead of 10, in two levels. "swap" says whether the next point to double is the sum instead of the
double: that is so if a bit differs from the bit above it.

The result is right for every u of the field, including those of the twist and of points of small
order, if A^2 - 4 is not a square (Bernstein, theorem 2.1). The result for infinity is 0.

Source: P. Montgomery, "Speeding the Pollard and elliptic curve methods of factorization", Math.
Comp. 48 (1987), 10.3.1; D. Bernstein, "Curve25519: new Diffie-Hellman speed records", PKC 2006,
appendix B; RFC 7748, 5. The stored multiples are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.program import Program, Variables


@dataclass(frozen=True)
class Rungs(Variables[V]):
    """(x2 : z2), which was doubled, and the sum (x3 : z3), with w = cz, ux3 and uz3."""

    x2: V
    z2: V
    w2: V
    x3: V
    z3: V
    w3: V
    ux3: V
    uz3: V


@dataclass(frozen=True)
class LadderOfLine(Program):
    """A ladder on the curve with (A + 2)/4 = ``c``; the scalar has ``digits`` bits.

    Its highest bit is 1, its lowest 0 (RFC 7748's scalars).
    """

    p: int
    c: int
    digits: int
    top: int = 1
    threads: int = 1

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Test that v is 0; every u belongs to a point of the curve or of its twist."""
        del x
        self.test(f, "v", y)


@dataclass(frozen=True)
class XLadder(LadderOfLine):
    """The program for one job at a time."""

    def __post_init__(self) -> None:
        if self.threads > 1:
            raise ValueError("points at infinity would spoil an inversion that threads share")

    def double(self, f: Algebra[V], x: V, z: V, w: V) -> tuple[V, V, V]:
        """Return x, z and cz of the double of (x : z) with w = cz; 2 levels."""
        plus, minus = f.mul("(X+Z)²", x + z, x + z), f.mul("(X-Z)²", x - z, x - z)
        c4 = 4 * f.mul("cXZ", x, w)
        more = minus + c4
        return (
            f.mul("X = (X+Z)²(X-Z)²", plus, minus),
            f.mul("Z = DW", plus - minus, more),
            f.mul("cZ = cD·W", c4, more),
        )

    def add(self, f: Algebra[V], s: Rungs[V]) -> tuple[V, V, V, V, V]:
        """Return x, z, cz, ux and uz of the sum; 2 levels."""
        plus, minus = s.x2 + s.z2, s.x2 - s.z2
        one = f.mul("a = (X3-Z3)(X2+Z2)", s.x3 - s.z3, plus)
        other = f.mul("b = (X3+Z3)(X2-Z2)", s.x3 + s.z3, minus)
        u_one = f.mul("ua", s.ux3 - s.uz3, plus)
        u_other = f.mul("ub", s.ux3 + s.uz3, minus)
        cu = 2 * (f.mul("X3·cZ2", s.x3, s.w2) - f.mul("X2·cZ3", s.x2, s.w3))
        v, u = one + other, one - other
        uv, uu = u_one + u_other, u_one - u_other
        return (
            f.mul("X = V²", v, v),
            f.mul("Z = uU²", uu, u),
            f.mul("cZ", uu, cu),
            f.mul("uX", uv, v),
            f.mul("uZ", uu, uu),
        )

    def start(self, f: Algebra[V], x: V, y: V) -> Rungs[V]:
        """Return 2P and P."""
        del y
        one, c = f.const(1), f.const(self.c)
        x2, z2, w2 = self.double(f, x, one, c)
        u, square = f.sum("u", x), f.mul("u²", x, x)
        return Rungs(x2, z2, w2, u, f.sum("1", one), f.sum("c", c), square, u)

    def step(self, f: Algebra[V], s: Rungs[V]) -> Rungs[V]:
        """Double the point that the bit chooses, and add both."""
        x = f.sum("X of the chosen", f.select("swap", s.x2, s.x3))
        z = f.sum("Z of the chosen", f.select("swap", s.z2, s.z3))
        w = f.select("swap", s.w2, s.w3)
        return Rungs(*self.double(f, x, z, w), *self.add(f, s))

    def finish(self, f: Algebra[V], s: Rungs[V]) -> None:
        """Return x2/z2 as x2 z2 (1/z2)^2, which is 0 if z2 is 0, and v = 0."""
        product = f.mul("XZ", s.x2, s.z2)
        inverse = self.inverse(f, s.z2)
        self.answer(f, "x", f.mul("XZ·Z⁻²", product, f.mul("Z⁻²", inverse, inverse)))
        self.answer(f, "y", f.const(0))
