# SPDX-License-Identifier: Apache-2.0
"""Schemes of curves over GF(2^m), of the cofactors 2 and 4.

A product is a ladder of as many steps as h n has bits. Where it is protected, a random multiple of
the order is added to the scalar, so that it has 129 steps more, the Z coordinates are random, and
what is off the curve is not handed out. That multiple is one of 4 n, so that a product of a point
outside the group of prime order is right, too.
"""

from __future__ import annotations

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m import serial
from ecsm.schedule.sequential.binary import Polynomial
from ecsm.schedule.sequential.binary_points import INFINITE, BinaryPoints
from ecsm.schedule.sequential.walk import DISTANCE
from ecsm.schedule.sequential.words import Capture
from ecsm.schemes.word.products import OPEN
from ecsm.schemes.word.weierstrass import FAULTS, Weierstrass
from ecsm.status import Status

OFF = "a product that is off the curve is a fault"


class BinaryMachine(Weierstrass):
    """A machine whose points are those of a ladder."""

    curve: BinaryCurve
    points: BinaryPoints

    def field(self, words: int) -> Polynomial:
        """Return f; numbers are so long that walks follow each other at once."""
        return Polynomial(self.curve.field, self.preset.W, max(words, DISTANCE))

    def take_points(self) -> BinaryPoints:
        """Take the constants of points. Raises ValueError for another cofactor."""
        if self.curve.h not in (2, 4) or self.curve.n % 2 == 0:
            raise ValueError(f"{self.curve.name}: the word engine is for the cofactors 2 and 4")
        pts = BinaryPoints(self.a, self.curve, self.preset.protected)
        pts.base_constants()
        return pts

    # ---------------------------------------------------------------- routines
    def products(self) -> None:
        """Append the routines of products of points."""
        a, pts = self.a, self.points
        product = a.label()
        with a.routine("multiply", returns=False) as self.multiply:
            self.copies(pts.point, pts.s[:2], "the point")
            self.go(product)
        with a.routine("base") as self.base:
            self.copies(pts.point, pts.base, "base point")
            a.place(product)
            self._secret_scalar()
            a.call(pts.ladder)
        with a.routine("finish") as self.finish:
            self._finish(checked=self.preset.protected)
        with a.routine("open_product") as self.open_product:
            self._open_scalar()
            a.call(pts.ladder)
            self._finish(checked=False)

    def _secret_scalar(self) -> None:
        """Cut the sum of the parts, or that plus a random multiple of 4 n, and begin a ladder."""
        a, pts = self.a, self.points
        if not self.preset.protected:
            self._open_scalar()
            return
        a.call(self.mask)
        a.move("sum", self.T, self.T, pts.unit, note="not 0")
        a.move("sum", self.T, self.T, immediate=1, note="four times")
        a.move("expand", pts.k, self.T, pts.n, note="a random multiple of 4 n")
        for part in self.part:
            a.move("widen", pts.k, pts.k, part)
        pts.cut(blinded=True)
        a.call(self.mask)
        pts.begin(self.T)

    def _open_scalar(self) -> None:
        """Cut the first part as it is, and begin a ladder."""
        a, pts = self.a, self.points
        if self.preset.protected:
            a.move("expand", pts.k, pts.zero, pts.n, note="0, wide")
            a.move("widen", pts.k, pts.k, self.part[0])
        else:
            self.copy(pts.k, self.part[0])
        pts.cut(blinded=False)
        pts.begin(None)

    def _finish(self, checked: bool) -> None:
        """Let s be plain; ``checked``: answer FAULT_DETECTED if it is off the curve."""
        a, pts = self.a, self.points
        infinite = a.label()
        pts.infinite(infinite)
        pts.to_plain()
        if checked:
            pts.on_curve(self.fail(Status.FAULT_DETECTED), OFF)
        a.place(infinite)

    # ---------------------------------------------------------------- cofactors
    def _open(self, scalar: int) -> None:
        """Let s be the product of the point by a scalar that is public."""
        self.copy(self.part[0], scalar)
        self.a.call(self.open_product)

    def require_group(self, status: Status = Status.LOW_ORDER_POINT) -> None:
        """Answer ``status`` unless n s is infinity."""
        pts = self.points
        self.copies(pts.point, pts.s[:2], "the point")
        self._open(pts.n)
        self.a.move("difference", pts.free[0], self.zero, pts.k, capture=Capture.SIGN)
        self.abort(status, negate=True, public=INFINITE)
        self.copies(pts.s[:2], pts.point, "the point")

    def cofactor_kp(self, parts: list[int]) -> None:
        """Let s be the affine plain product of the point s by h times the sum of the parts."""
        self.scalar_of(parts)
        for part in self.part[: 2 if self.preset.protected else 1]:
            for _ in range(self.curve.h.bit_length() - 1):
                self.a.move("sum", part, part, note="h times")
        self.product_of_point()

    def again_base(self, bad: int) -> None:
        """Go to ``bad`` unless r is x of the nonce times the base point, modulo n; e is lost."""
        self.base_point([self.nonce])
        self.modulo(self.e, self.points.s[0], "r")
        self.differ(self.e, self.r, bad, FAULTS)

    # ---------------------------------------------------------------- verification
    def verified(self, u: int, v: int, invalid: int) -> None:
        """Go to ``invalid`` unless x of the sum, which is affine, is r."""
        a, pts, (x, y) = self.a, self.points, self.points.s[:2]
        x1, y1 = self.e, self.d
        only, compare = a.label(), a.label()
        self.copies(pts.point, pts.s[:2], "the key")
        self._open(v)
        pts.infinite(invalid)
        self.copies([x1, y1], [x, y], "its product")
        self.copies(pts.point, pts.base, "base point")
        self._open(u)
        pts.infinite(only)
        self.sum_x(x1, y1, invalid)
        self.go(compare)
        a.place(only)
        self.copy(x, x1)
        a.place(compare)
        self.modulo(self.e, x, "x")
        self.differ(self.e, self.r, invalid, OPEN)

    @property
    def buffer(self) -> int:
        """That of r, which has everything behind it."""
        return self.r

    def sum_x(self, x1: int, y1: int, infinite: int) -> None:
        """Let s's x be that of the sum of s and another point, all affine and plain."""
        a, pts, (x, y, run) = self.a, self.points, self.points.s
        free, sums, curve_a = pts.free, pts.q, self.curve.a
        same, done = a.label(), a.label()
        for number in (x1, y1, x, y):
            pts.enter(number)
        for d, one, other in ((sums[0], x, x1), (sums[1], y, y1)):
            a.move("xor", d, one, other, note="sum of coordinates")
        self._zero(sums[0], same)
        self.copy(run, sums[0])
        a.call(pts.inverse)
        places = {"rise": sums[1], "inverse": free[0], "xs": sums[0]}
        pts.segment(
            lambda r: [serial.sum_x(r, curve_a, r.input("rise"), r.input("inverse"),
                                    r.input("xs"))], [x], places, free[1:])  # fmt: skip
        self.go(done)
        a.place(same)
        double = a.label()
        self._zero(sums[1], double)
        self.go(infinite)
        a.place(double)
        self._zero(x, infinite)
        self.copy(run, x)
        a.call(pts.inverse)
        pts.segment(
            lambda r: [serial.double_x(r, curve_a, r.input("x"), r.input("y"),
                                       r.input("inverse"))],
            [sums[0]], {"x": x, "y": y, "inverse": free[0]}, free[1:])  # fmt: skip
        self.copy(x, sums[0])
        a.place(done)
        pts.plain(x)

    def _zero(self, number: int, label: int) -> None:
        """Go to a label if an element is 0."""
        self.copy(self.points.free[0], number)
        self.a.call(self.points.canonical)
        self.jump(label, public=OPEN)
