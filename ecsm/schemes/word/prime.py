# SPDX-License-Identifier: Apache-2.0
"""Schemes of curves over GF(p), of prime order."""

from __future__ import annotations

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.schedule.sequential.jacobian import Jacobian
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.words import Capture
from ecsm.schemes.word.products import OPEN, Products
from ecsm.schemes.word.weierstrass import FAULTS, Weierstrass
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
        with self.a.routine("base_point", returns=False) as self.base_point_routine:
            with self.counted():
                self.a.call(self.base)
            self.go(self.finish)

    def product_of_base(self) -> None:
        """Let s be the base point's affine plain product by the scalar, k 1 if it is infinite."""
        self.a.call(self.base_point_routine)

    def require_group(self, status: Status = Status.LOW_ORDER_POINT) -> None:
        """Every point is in the group."""

    def infinite(self, status: Status, public: str = "") -> None:
        """Answer ``status`` if the last product is infinity: the sum of two keys may be.

        Other points are multiples of points of prime order by 1 .. n - 1. Where a fault makes one
        infinite, x and y are 0, and :meth:`finish` does not find that on the curve.
        """
        if self.preset.full:
            super().infinite(status, public)

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

    def again_base(self, bad: int) -> None:
        """Go to ``bad`` unless r is x of the nonce times the base point, modulo n; e is lost.

        A product of two other parts of -k: its x is the same, but not with a constant of the comb
        that is another one after a fault. Its Z is not 0, but for an exception.
        """
        self.scalar_of([self.nonce])  # from the copy of the memory that s is made of, too
        self.a.move("difference", self.part[0], self.zero, self.part[0], note="-k")
        self.a.call(self.base)
        self.no_z(bad, FAULTS)
        self.a.call(self.x_is)
        self.jump(bad, negate=True, public=FAULTS)

    def verified(self, u: int, v: int, invalid: int) -> None:
        """Go to ``invalid`` unless X of the sum is r Z², or (r + n) Z²."""
        self.sum_of_products(u, v)
        a = self.a
        good, compare, ladders = a.label(), a.label(), a.label()
        self.no_z(ladders, OPEN)
        a.place(compare)
        a.call(self.x_is)
        self.jump(good, public=OPEN)
        self.go(invalid)
        a.place(ladders)
        self.sum_by_ladders(u, v)
        self.no_z(invalid, OPEN)
        self.go(compare)
        a.place(good)
