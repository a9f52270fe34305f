# SPDX-License-Identifier: Apache-2.0
"""kP on y^2 = x^3 + b over GF(p) by the endomorphism: k1 P + k2 phi(P), half as many doublings.

The digits of the two halves (:mod:`ecsm.curves.gfp.endomorphism`) alternate. One table, of
multiples of P, is used for both: phi(x, y) = (beta x, y). One iteration of the loop is P2 := S +
phi(T[d2]), w doublings, P1 := 2^w P2 + T[d1]. It starts from S = T[d1] of the top digit, and the
tail has the last phi.

Points are projective, x = X/Z and y = Y/Z, and the formulas are complete: on a curve of odd order
they are right for all points, including infinity, equal and opposite points. Addition and doubling
have two levels of products. For this the program runs on the isomorphic curve of (u^2 x, u^3 y),
where nine times the constant term is plus or minus a small power of two: 9 b Z^2 is then free at an
operand. Entries have 3bZ and 3bX. Coordinates that are sums or differences of two products are
stored as the two products.

Source: J. Renes, C. Costello, L. Batina, "Complete addition formulas for prime order elliptic
curves", EUROCRYPT 2016, section 3.3 (a = 0; the doubling is scaled by three, and its Y written as
4Y^2 (Y^2 + 9bZ^2) - (Y^2 - 9bZ^2)^2); D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic
Curve Cryptography" (2004), 3.5 (interleaving).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.weierstrass import COLUMNS, State, Weierstrass


@dataclass(frozen=True)
class Multiple(Generic[V]):
    """A point (x : y : z) with 3bz and 3bx: columns X, Y, Z, ZZ and ZZZ of the table."""

    x: V
    y: V
    z: V
    bz: V
    bx: V


@dataclass(frozen=True, kw_only=True)
class WeierstrassEndomorphism(Weierstrass):
    """The program on the curve with a = 0; ``digits`` of each half, ``beta`` as above.

    ``u`` leads to the curve y^2 = x^3 + b u^6, where ``nine_b`` is 9 b u^6.
    """

    beta: int
    u: int
    nine_b: int

    def _scaled(self, f: Algebra[V], x: V, y: V, z: V) -> Multiple[V]:
        """Return a point as an addition takes it."""
        three_b = f.const(self.nine_b * pow(3, -1, self.p))
        return Multiple(x, y, z, f.mul("3b·Z", three_b, z), f.mul("3b·X", three_b, x))

    def double(self, f: Algebra[V], s: State[V]) -> State[V]:
        """Return 2P for any P, with W = 9bZ^2; 2 levels."""
        y = s.ya - s.yb
        g = f.mul("G = Y²", y, y)
        xy = f.mul("XY", s.x, y)
        yz = f.mul("YZ", y, s.z)
        w = abs(self.nine_b) * f.mul("Z²", s.z, s.z)
        less, more = (g + w, g - w) if self.nine_b < 0 else (g - w, g + w)
        x = f.mul("X = 6XY(G-W)", 6 * xy, less)
        ya = f.mul("4G(G+W)", 4 * g, more)
        yb = f.mul("(G-W)²", less, less)
        return State(x, ya, yb, f.mul("Z = 24G·YZ", 6 * g, 4 * yz))

    def join(self, f: Algebra[V], s: State[V], q: Multiple[V]) -> State[V]:
        """Return P + Q for any P and Q; 2 levels, X and Z of two terms."""
        y1 = s.ya - s.yb
        a = 3 * f.mul("A = X1X2", s.x, q.x)
        c, d = f.mul("C = Y1Y2", y1, q.y), f.mul("D = 3b·Z1Z2", s.z, q.bz)
        e = f.mul("X1Y2", s.x, q.y) + f.mul("X2Y1", y1, q.x)
        g = f.mul("Y1Z2", y1, q.z) + f.mul("Y2Z1", s.z, q.y)
        h = f.mul("3b·X1Z2", s.x, q.bz) + f.mul("3b·X2Z1", s.z, q.bx)
        x = f.mul("E(C-D)", e, c - d) - f.mul("GH", g, h)
        ya, yb = f.mul("3A·H", a, h), f.mul("(D+C)(D-C)", d + c, d - c)
        return State(x, ya, yb, f.mul("G(C+D)", g, c + d) + f.mul("3A·E", a, e))

    def joined(self, f: Algebra[V], a: V, c: V, d: V, e: V, g: V, h: V) -> State[V]:
        """Return the sum of two points; the second level.

        a = X1X2, c = Y1Y2, d = Z1Z2, e = X1Y2 + X2Y1, g = Y1Z2 + Y2Z1, h = X1Z2 + X2Z1. The
        coordinates are nine times those of :meth:`join`: 9bd and 9bh are free.
        """
        c, d, h = f.sum("3C", 3 * c), self.nine_b * d, self.nine_b * h
        x = f.mul("3E(3C-D)", 3 * e, c - d) - f.mul("3G·H", 3 * g, h)
        ya, yb = f.mul("(3C+D)(3C-D)", c + d, c - d), f.mul("-9A·H", 9 * a, -1 * h)
        z = f.mul("3G(3C+D)", 3 * g, c + d) + f.mul("9A·3E", 9 * a, 3 * e)
        return State(f.sum("X", x), ya, yb, f.sum("Z", z))

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation and fill the table with the odd multiples of (x, y)."""
        self.check(f, x, y)
        p: State[V] = State(
            f.mul("u²x", f.const(self.u**2), x), f.mul("u³y", f.const(self.u**3), y),
            f.const(0), f.const(1),
        )  # fmt: skip
        self._fill(f, p)

    def _fill(self, f: Algebra[V], p: State[V]) -> None:
        """Fill the table with the odd multiples of a point of the isomorphic curve."""
        self._store(f, 0, self._scaled(f, p.x, p.ya, f.sum("1", p.z)))
        two = self.double(f, p)
        step = self._scaled(f, two.x, f.sum("2P's Y", two.ya - two.yb), two.z)
        for i in range(1, self.entries):
            p = self.join(f, p, step)
            q = self._scaled(f, p.x, p.ya - p.yb, p.z)
            self._store(
                f, i, Multiple(f.sum("X", q.x), f.sum("Y", q.y), f.sum("Z", q.z), q.bz, q.bx)
            )

    def _signed(self, f: Algebra[V], image: bool = False) -> Multiple[V]:
        """Return the entry of the digit, or its image; negated if the digit is negative."""
        x, y, z, bz, bx = (f.lookup(c) for c in COLUMNS)
        if image:
            x, bx = f.mul("βX", f.const(self.beta), x), f.mul("β·3bX", f.const(self.beta), bx)
        return Multiple(x, f.negate("negative", y), z, bz, bx)

    def start(self, f: Algebra[V], x: V, y: V) -> State[V]:
        """Return the entry of k1's highest digit."""
        del x, y
        top = self._signed(f)
        return State(
            f.sum("X", top.x), f.sum("Y", top.y), f.sum("0", f.const(0)), f.sum("Z", top.z)
        )

    def step(self, f: Algebra[V], s: State[V]) -> State[V]:
        """Add the image for k2's digit, double w times, add the entry of k1's next digit."""
        s = self.join(f, s, self._signed(f, image=True))
        f.next_digit()
        for _ in range(self.window):
            s = self.double(f, s)
        s = self.join(f, s, self._signed(f))
        return State(f.sum("X", s.x), s.ya, s.yb, f.sum("Z", s.z))

    def finish(self, f: Algebra[V], s: State[V]) -> None:
        """Add the image for k2's lowest digit and answer the affine point on the curve itself."""
        self.affine(f, self.join(f, s, self._signed(f, image=True)))

    def affine(self, f: Algebra[V], s: State[V]) -> None:
        """Answer the affine point on the curve itself."""
        inverse = self.inverse(f, s.z)
        for name, power, v in (("x", -2, s.x), ("y", -3, s.ya - s.yb)):
            back = f.mul(f"{name.upper()}·u^{power}", f.const(pow(self.u, power, self.p)), v)
            affine = f.mul(f"{name.upper()}/Z", back, inverse)
            self.answer(f, name, f.negate("flip", affine))
