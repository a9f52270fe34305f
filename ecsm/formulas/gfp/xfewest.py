# SPDX-License-Identifier: Apache-2.0
"""X25519's Montgomery ladder with the fewest products: 10 a bit, for threads.

It is the ladder of :mod:`~ecsm.formulas.gfp.xladder` without stored multiples. Several jobs run on
one machine in turns, so that its multiplier is busy though a job's products wait for each other. A
bit takes as many turns as it has products. With E = 4XZ and c = (A + 2)/4::

    a double of (X : Z):   (X + Z)^2 (X - Z)^2  :  E ((X - Z)^2 + cE)
    the sum of two points: (a + b)^2            :  u (a - b)^2
                           a = (X3 - Z3)(X2 + Z2),  b = (X3 + Z3)(X2 - Z2)

The loop begins in the middle of a bit: it takes both squares, a and b, makes the two points,
chooses the one to double next, and makes its squares, a and b. So no product waits for a register.
It begins with infinity and P, whose sum is (4u^2 : 4u).

Threads share one inversion. A Z that is 0 would spoil those of all, so each is tested, and replaced
by 1 where it is 0; the answer XZ·Z^-2 is then 0, as it must be.

Source: RFC 7748, 5; P. Montgomery, "Speeding the Pollard and elliptic curve methods of
factorization", Math. Comp. 48 (1987), 10.3.1. The place where the loop begins is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.program import Variables
from ecsm.formulas.gfp.xladder import LadderOfLine


@dataclass(frozen=True)
class Halfway(Variables[V]):
    """(X + Z)^2 and (X - Z)^2 of the point to double, a and b of the points to add, and u."""

    plus: V
    minus: V
    a: V
    b: V
    u: V


@dataclass(frozen=True)
class XLadderFewest(LadderOfLine):
    """The program for several jobs in turn."""

    def start(self, f: Algebra[V], x: V, y: V) -> Halfway[V]:
        """Begin to double P = (u : 1) and to add (1 : 0)."""
        del y
        one = f.const(1)
        plus, minus = f.mul("(u+1)²", x + one, x + one), f.mul("(u-1)²", x - one, x - one)
        return Halfway(plus, minus, f.sum("a", x - one), f.sum("b", x + one), f.sum("u", x))

    def double(self, f: Algebra[V], s: Halfway[V]) -> tuple[V, V]:
        """Return X and Z of the double."""
        e = s.plus - s.minus
        ce = f.mul("cE", e, f.const(self.c))
        return f.mul("X2 = (X+Z)²(X-Z)²", s.plus, s.minus), f.mul("Z2", e, s.minus + ce)

    def step(self, f: Algebra[V], s: Halfway[V]) -> Halfway[V]:
        """End a bit, let the next one choose, and begin it."""
        x2, z2 = self.double(f, s)
        plus, minus = s.a + s.b, s.a - s.b
        x3 = f.mul("X3 = (a+b)²", plus, plus)
        z3 = f.mul("Z3 = u(a-b)²", s.u, f.mul("(a-b)²", minus, minus))
        x, z = f.sum("X", f.select("swap", x2, x3)), f.sum("Z", f.select("swap", z2, z3))
        return Halfway(
            f.mul("(X+Z)²", x + z, x + z),
            f.mul("(X-Z)²", x - z, x - z),
            f.mul("a = (X3-Z3)(X2+Z2)", x3 - z3, x2 + z2),
            f.mul("b = (X3+Z3)(X2-Z2)", x3 + z3, x2 - z2),
            f.sum("u", s.u),
        )

    def finish(self, f: Algebra[V], s: Halfway[V]) -> None:
        """Return x2/z2 as x2 z2 (1/z2)^2, which is 0 if z2 is 0; v stays 0, as it was cleared."""
        x, z = self.double(f, s)
        if self.threads > 1:
            self.test(f, "Z", z, "zero")
        product = f.mul("XZ", x, z)
        inverse = self.inverse(f, z)
        self.answer(f, "x", f.mul("XZ·Z⁻²", product, f.mul("Z⁻²", inverse, inverse)))
