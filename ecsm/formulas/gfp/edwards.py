# SPDX-License-Identifier: Apache-2.0
"""kP on -x^2 + y^2 = 1 + d x^2 y^2 over GF(p), any point and any scalar, affine result.

The scalar is any integer of the port, and a point's order any divisor of the curve's order, so no
multiple of an order makes k odd. Digits are those of k | 1, from the lowest up: signed, odd, of w
bits. If k is even, -P is in the bucket of 1 at the start. The iteration of digit d_i adds
R = 2^(wi) P with the digit's sign to the bucket |d_i|, and doubles R w times; the two are
independent and fill the multiplier together. kP is the sum of the buckets, each times its number,
as in :mod:`~ecsm.formulas.gfp.buckets`. After the scalar's digits come digits that name the
buckets, the last bucket first. The table contains the buckets as (Y-X - 1, Y+X - 1, Z - 1, T). So
a table of zeros, as at the start, means that all buckets are the neutral element.

The law of addition is complete (-1 is a square, d is not), so no step has an exceptional case.
Points are (X : Y : Z) with T = XY/Z. Every coordinate is one product, two levels after the last
point's; sums of points take Y-X and Y+X alone::

    2P:     G = (Y-X)(Y+X), F = 2Z^2 - G, H = G + 2X^2, E = 2XY:  (EF : GH : GF), T = EH
    P + Q:  A = (Y1-X1)(Y2-X2), B = (Y1+X1)(Y2+X2), C = 2dT1 T2, D = 2 Z1 Z2,
            E = B - A, F = D - C, G = D + C, H = B + A:  (EF : GH : FG), T = EH

Sources: H. Hisil, K. Wong, G. Carter, E. Dawson, "Twisted Edwards curves revisited", ASIACRYPT
2008, 3.1 and 3.3, a = -1; the doubling's squares are written so that no operand has three terms.
A. C. Yao, "On the evaluation of powers", SIAM Journal on Computing 5 (1976).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.program import Program, Variables
from ecsm.formulas.gfp.weierstrass import COLUMNS


@dataclass(frozen=True)
class Extended(Variables[V]):
    """The point (X : Y : Z) with T = XY/Z."""

    x: V
    y: V
    z: V
    t: V

    def addend(self) -> Addend[V]:
        """Return the point as sums take it."""
        return Addend(self.y - self.x, self.y + self.x, self.z, self.t)


@dataclass(frozen=True)
class Addend(Generic[V]):
    """A point as Y-X, Y+X, Z and T."""

    less: V
    more: V
    z: V
    t: V


@dataclass(frozen=True)
class Edwards(Program):
    """The program on the curve with ``d``; windows of ``window`` bits, ``digits`` of them."""

    p: int
    d: int
    window: int
    digits: int
    threads: int = 1
    top: int = 0  # the head looks at no digit

    @property
    def entries(self) -> int:
        """Entries of the table: a bucket for each absolute value of a digit."""
        return 1 << (self.window - 1)

    def double(self, f: Algebra[V], s: Extended[V], product: bool = True) -> Extended[V]:
        """Return 2P; its T is 0 unless the ``product`` is wanted; 2 levels."""
        g = f.mul("G = (Y-X)(Y+X)", s.y - s.x, s.y + s.x)
        e = 2 * f.mul("XY", s.x, s.y)
        less = 2 * f.mul("Z²", s.z, s.z) - g
        more = g + 2 * f.mul("X²", s.x, s.x)
        return Extended(
            f.mul("X = EF", e, less), f.mul("Y = GH", g, more), f.mul("Z = GF", g, less),
            f.mul("T = EH", e, more) if product else f.const(0),
        )  # fmt: skip

    def add(self, f: Algebra[V], p: Addend[V], q: Addend[V], product: bool = True) -> Extended[V]:
        """Return P + Q; its T is 0 unless the ``product`` is wanted; 2 levels, 3 from P's T."""
        a = f.mul("A = (Y1-X1)(Y2-X2)", p.less, q.less)
        b = f.mul("B = (Y1+X1)(Y2+X2)", p.more, q.more)
        c = f.mul("C = 2dT1·T2", f.mul("2dT1", f.const(2 * self.d), p.t), q.t)
        return self.joined(f, a, b, c, 2 * f.mul("Z1·Z2", p.z, q.z), product)

    def joined(self, f: Algebra[V], a: V, b: V, c: V, d: V, product: bool = True) -> Extended[V]:
        """Return the point whose E is b - a, and so on; one level."""
        return Extended(
            f.mul("X = EF", b - a, d - c), f.mul("Y = GH", d + c, b + a),
            f.mul("Z = FG", d - c, d + c),
            f.mul("T = EH", b - a, b + a) if product else f.const(0),
        )  # fmt: skip

    def bucket(self, f: Algebra[V]) -> Addend[V]:
        """Return the bucket of the digit."""
        less, more, z, t = (f.lookup(c) for c in COLUMNS[:4])
        one = f.const(1)
        return Addend(less + one, more + one, z + one, t)

    def drop(self, f: Algebra[V], s: Extended[V]) -> None:
        """Add a point to the bucket of the digit, with the digit's sign."""
        x, t = f.negate("negative", s.x), f.negate("negative", s.t)
        q = self.add(f, Addend(s.y - x, s.y + x, s.z, t), self.bucket(f)).addend()
        one = f.const(1)
        f.keep(COLUMNS[0], f.sum("Y-X-1", q.less - one))
        f.keep(COLUMNS[1], f.sum("Y+X-1", q.more - one))
        f.keep(COLUMNS[2], f.sum("Z-1", q.z - one))
        f.keep(COLUMNS[3], q.t)

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation."""
        xy = f.mul("XY", x, y)
        square = f.mul("d·x²y²", xy, f.mul("d·xy", f.const(self.d), xy))
        self.test(f, "y²-x²-1-dx²y²", f.mul("G = (Y-X)(Y+X)", y - x, y + x) - square - f.const(1))

    def start(self, f: Algebra[V], x: V, y: V) -> Extended[V]:
        """Return the point; if the first digit is -1, because k is even, -P is in its bucket."""
        xy, one, none = f.mul("XY", x, y), f.const(1), f.const(0)
        for column, v in zip((0, 1, 3), (y + x - one, y - x - one, none - xy), strict=True):
            f.keep(COLUMNS[column], f.sum("0 or -P", f.select("negative", none, v)))
        return Extended(f.sum("x", x), f.sum("y", y), f.sum("1", one), xy)

    def step(self, f: Algebra[V], s: Extended[V]) -> Extended[V]:
        """Add R to the bucket of the digit; then it is 2^w R."""
        self.drop(f, s)
        for i in range(self.window):
            s = self.double(f, s, product=i == self.window - 1)
        return s

    def finish(self, f: Algebra[V], s: Extended[V]) -> None:
        """Add R to its last bucket, add up the buckets, and answer the affine point.

        No point of the curve has Z = 0.
        """
        self.drop(f, s)
        f.next_digit()
        b = self.bucket(f)  # the digit's only while it is the digit
        last = Addend(f.sum("Y-X", b.less), f.sum("Y+X", b.more), f.sum("Z", b.z), f.sum("T", b.t))
        total = multiples = last  # S_j and S_j + ... + S_(m-1)
        s = Extended(last.more - last.less, last.more + last.less, 2 * last.z, 2 * last.t)
        for j in range(self.entries - 2, -1, -1):
            f.next_digit()
            total = self.add(f, self.bucket(f), total).addend()
            if j:
                s = self.add(f, total, multiples, product=j > 1)
                multiples = s.addend()
        self.affine(f, self.add(f, total, self.double(f, s).addend(), product=False))

    def affine(self, f: Algebra[V], point: Extended[V]) -> None:
        """Answer the affine point."""
        inverse = self.inverse(f, point.z)
        for name, v in (("x", point.x), ("y", point.y)):
            affine = f.mul(f"{name.upper()}·Z⁻¹", v, inverse)
            self.answer(f, name, f.negate("flip", affine))
