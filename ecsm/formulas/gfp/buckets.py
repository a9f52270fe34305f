# SPDX-License-Identifier: Apache-2.0
"""kP over GF(p) from the lowest digit up, by Yao's method, for a = -3 and for a = 0.

Digits are those of :mod:`~ecsm.formulas.gfp.weierstrass`: signed, odd, of w bits. The iteration of
digit d_i adds R = 2^(wi) P with the digit's sign to the bucket |d_i|, and doubles R w times. The
addition does not wait for the doublings. The two are independent and fill the multiplier together.
At the end kP is the sum of the buckets, each times its number:

    1 B_1 + 3 B_3 + ... + (2m - 1) B_(2m-1) = S_0 + 2 (S_1 + ... + S_(m-1)),
    S_j = B_(2j+1) + ... + B_(2m-1)

The table contains the buckets as (X : Y - 1 : Z). So a table of zeros, as at the start, means that
all buckets are infinity. After the scalar's digits come digits that name the buckets, the last
bucket first.

With the endomorphism (a = 0) an iteration has a digit of each half: it adds R to the bucket of the
first one and phi(R) to that of the second one.

The formulas are the complete ones of :mod:`~ecsm.formulas.gfp.complete` (a = -3) and
:mod:`~ecsm.formulas.gfp.endomorphism` (a = 0), so a bucket may be infinity, R, or the opposite of
R.
Source: A. C. Yao, "On the evaluation of powers", SIAM Journal on Computing 5 (1976).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.complete import CompleteWeierstrass, Projective
from ecsm.formulas.gfp.endomorphism import WeierstrassEndomorphism
from ecsm.formulas.gfp.weierstrass import State


def bucket(f: Algebra[V]) -> State[V]:
    """Return the bucket of the digit."""
    x, y, z = (f.lookup(c) for c in "XYZ")
    return State(x, y + f.const(1), f.const(0), z)


def keep(f: Algebra[V], s: State[V]) -> None:
    """Write a point into the bucket of the digit."""
    f.keep("X", s.x)
    f.keep("Y", f.sum("Y-1", s.ya - s.yb - f.const(1)))
    f.keep("Z", s.z)


@dataclass(frozen=True)
class CompleteBuckets(CompleteWeierstrass):
    """The program on the curve with a = -3; ``top`` is 0, the head looks at no digit."""

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation."""
        self.check(f, x, y)

    def start(self, f: Algebra[V], x: V, y: V) -> Projective[V]:
        """Return the point."""
        zero, one, b = (f.const(c) for c in (0, 1, self.b))
        return Projective(
            f.sum("x", x), f.sum("y", y), f.sum("0", zero), f.sum("1", one), f.sum("b", b)
        )

    def step(self, f: Algebra[V], s: State[V]) -> Projective[V]:
        """Add R to the bucket of the digit; then it is 2^w R."""
        assert isinstance(s, Projective)
        self._drop(f, s)
        for _ in range(self.window):
            s = self.double(f, s)
        return s

    def _drop(self, f: Algebra[V], s: Projective[V]) -> None:
        """Add a point to the bucket of the digit, with the digit's sign."""
        q = self._addend(f, s)
        keep(f, self.plus(f, bucket(f), replace(q, y=f.negate("negative", q.y))))

    def finish(self, f: Algebra[V], s: State[V]) -> None:
        """Add R to its last bucket, add up the buckets, and answer the affine point."""
        assert isinstance(s, Projective)
        self._drop(f, s)
        f.next_digit()
        b = bucket(f)  # the digit's only while it is the digit
        last = State(f.sum("X", b.x), f.sum("Y", b.ya), b.yb, f.sum("Z", b.z))
        total = multiples = self.with_bz(f, last)  # S_j and S_j + ... + S_(m-1)
        for j in range(self.entries - 2, -1, -1):
            f.next_digit()
            total = self.join(f, total, self._addend(f, self.with_bz(f, bucket(f))))
            if j:
                multiples = self.join(f, multiples, self._addend(f, total))
        twice = self.double(f, multiples, last=True)
        super().finish(f, self.plus(f, twice, self._addend(f, total)))


@dataclass(frozen=True, kw_only=True)
class EndomorphismBuckets(WeierstrassEndomorphism):
    """The program on y^2 = x^3 + b: an iteration has a digit of k1 and one of k2."""

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation."""
        self.check(f, x, y)

    def start(self, f: Algebra[V], x: V, y: V) -> State[V]:
        """Return the point, on the isomorphic curve."""
        u = self.u
        scaled = (
            f.mul("u²x", f.const(u**2), x), f.mul("u³y", f.const(u**3), y),
            f.sum("0", f.const(0)), f.sum("1", f.const(1)),
        )  # fmt: skip
        return State(*scaled)

    def step(self, f: Algebra[V], s: State[V]) -> State[V]:
        """Add R to the bucket of k1's digit and phi(R) to that of k2's; then it is 2^w R."""
        self._drop_both(f, s)
        for _ in range(self.window):
            s = self.double(f, s)
        return s

    def _drop_both(self, f: Algebra[V], s: State[V]) -> None:
        """Add R to the bucket of k1's digit and phi(R) to that of k2's."""
        y = f.sum("Y", s.ya - s.yb)
        self._drop(f, s.x, y, s.z)
        f.next_digit()
        self._drop(f, f.mul("βX", f.const(self.beta), s.x), y, s.z)

    def _drop(self, f: Algebra[V], x: V, y: V, z: V) -> None:
        """Add a point to the bucket of the digit, with the digit's sign."""
        keep(f, self._plus(f, self._bucket(f), x, f.negate("negative", y), z))

    def _bucket(self, f: Algebra[V]) -> State[V]:
        """Return the bucket of the digit, its Y of one term."""
        q = bucket(f)
        return replace(q, ya=f.sum("Y2", q.ya))

    def _plus(self, f: Algebra[V], q: State[V], x: V, y: V, z: V) -> State[V]:
        """Return P + Q for any P = (x : y : z) and Q, its Y of one term; 2 levels, 14 products."""
        a, c, d = f.mul("A = X1X2", x, q.x), f.mul("C = Y1Y2", y, q.ya), f.mul("D = Z1Z2", z, q.z)
        e = f.sum("E", f.mul("X1Y2", x, q.ya) + f.mul("X2Y1", y, q.x))
        both = f.mul("(Y1+Z1)(Y2+Z2)", y + z, q.ya + q.z)
        g = f.sum("G", both - f.sum("C+D", c + d))
        h = f.mul("X1Z2", x, q.z) + f.mul("X2Z1", z, q.x)
        return self.joined(f, a, c, d, e, g, h)

    def finish(self, f: Algebra[V], s: State[V]) -> None:
        """Add R and phi(R) to their last buckets, add up the buckets, and answer."""
        self._drop_both(f, s)
        f.next_digit()
        b = self._bucket(f)
        total = multiples = State(f.sum("X", b.x), b.ya, b.yb, f.sum("Z", b.z))
        for j in range(self.entries - 2, -1, -1):
            f.next_digit()
            total = self._single(f, self._total(f, self._bucket(f), total))
            if j:
                multiples = self._total(f, total, multiples)
        self.affine(f, self._total(f, total, self.double(f, multiples)))

    def _total(self, f: Algebra[V], q: State[V], s: State[V]) -> State[V]:
        """Return P + Q of two points, Q with Y of one term."""
        s = self._single(f, s)
        return self._plus(f, q, s.x, s.ya, s.z)

    def _single(self, f: Algebra[V], s: State[V]) -> State[V]:
        """Return the same point with Y of one term."""
        return State(s.x, f.sum("Y", s.ya - s.yb), f.const(0), s.z)
