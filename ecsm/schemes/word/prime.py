# SPDX-License-Identifier: Apache-2.0
"""Schemes of curves over GF(p), of prime order."""

from __future__ import annotations

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.schedule.sequential.jacobian import Jacobian
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.words import Capture
from ecsm.schemes.word.products import Products
from ecsm.schemes.word.weierstrass import OPEN, Weierstrass
from ecsm.status import Status

INFINITE = "whether a sum is infinite is told"


class PrimeMachine(Weierstrass, Products):
    """A machine whose points are in Jacobian coordinates."""

    curve: PrimeCurve
    points: Jacobian

    def field(self, words: int) -> Modulus:
        """Return p."""
        return Modulus(self.curve.p, self.preset.W, words)

    def take_points(self) -> Jacobian:
        """Take the constants of points. Raises ValueError for a curve that has a cofactor."""
        if self.curve.h != 1 or self.curve.n % 2 == 0:
            raise ValueError(f"{self.curve.name}: the word engine's schemes are for prime orders")
        pts = Jacobian(self.a, self.curve, self.preset.protected)
        pts.base_constants()
        if self.preset.protected:
            pts.wide_constants()
        return pts

    def products(self) -> None:
        """Append the routines of products of points."""
        self.product_routines()

    def require_group(self, status: Status = Status.LOW_ORDER_POINT) -> None:
        """Every point is in the group."""

    @property
    def buffer(self) -> int:
        """That of the table."""
        return self.points.table[0][0]

    def sum_x(self, x1: int, y1: int, infinite: int) -> None:
        """Let s's x be that of the sum of s and another point, all affine and plain."""
        a, pts, (x, y, z) = self.a, self.points, self.points.s
        for number in (x, y, x1, y1):
            pts.enter(number)
        self.copies(pts.q, [x1, y1, pts.one])
        self.copy(z, pts.one)
        a.call(pts.add)
        pts.to_jacobian()
        a.call(pts.affine)
        a.move("difference", pts.free[0], self.zero, pts.k, capture=Capture.SIGN)
        self.jump(infinite, public=INFINITE)

    def cofactor_kp(self, parts: list[int]) -> None:
        """Let s be its product: the cofactor is 1."""
        self.kp(parts)

    def verified(self, u: int, v: int, invalid: int) -> None:
        """Go to ``invalid`` unless X of the sum is r Z², or (r + n) Z²."""
        self.sum_of_products(u, v)
        a, pts = self.a, self.points
        (x, _, z), t, square = pts.s, pts.free[0], pts.w
        good, again, compare = a.label(), a.label(), a.label()

        def infinite(then: int) -> None:
            self.copy(t, z)
            a.call(pts.canonical)
            self.jump(then, public=OPEN)

        ladders = a.label()
        infinite(ladders)
        a.place(compare)
        a.move("square", square, z, note="Z²")
        a.place(again)
        a.move("product", t, self.r, pts.square, note="r in Montgomery's form")
        a.move("product", t, t, square, note="r Z²")
        a.move("difference", t, t, x)
        a.call(pts.canonical)
        self.jump(good, public=OPEN)
        a.move("sum", self.r, self.r, self.n, note="r + n")
        pts.in_range(self.r, pts.p, invalid, OPEN)
        self.go(again)
        a.place(ladders)
        self.sum_by_ladders(u, v)
        infinite(invalid)
        self.go(compare)
        a.place(good)
