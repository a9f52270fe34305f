# SPDX-License-Identifier: Apache-2.0
"""Products of points in schemes on the word engine, protected or not.

A product whose Z is 0 is computed again by the ladder, whose formula is complete: that is one of
more than 2^200 scalars, or a fault.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.comb import Comb
from ecsm.schedule.sequential.jacobian import Jacobian
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import Capture, Order, Port
from ecsm.status import Status

SEED = 32  # octets, of random bits that change orders and signs
OPEN = "random numbers leave a product as it is"
EXCEPTION = "one scalar of more than 2^200 has an exception"


class CombProducts(ABC):
    """What a :class:`~ecsm.schemes.word.machine.Machine` multiplies the base point with.

    ``part``: numbers whose sum is the scalar of a product; where nothing is protected, the first.
    """

    a: Assembler
    points: Comb
    preset: WordPreset
    mask: int
    order_bits: int
    T: int
    part: list[int]

    @abstractmethod
    def again(self, number: int) -> None:
        """Bring a number near the order: it stays the same modulo it."""

    @abstractmethod
    def between(self) -> None:
        """Let nothing of a part of a secret be where the other part comes next."""

    def seed_orders(self) -> None:
        """Let the random bits that change orders and signs be others."""
        if self.preset.protected:
            self.a.call(self.mask)
            self.a.transfer(Order.OUT, self.T, SEED, Port.MASK)

    def comb_product(self) -> None:
        """Let s be the product of the base point, not affine; parts of the scalar are new ones."""
        a, pts = self.a, self.points
        self.seed_orders()
        scalars: list[Sequence[int]] = [pts.cut]
        if self.preset.protected:
            a.call(self.mask)
            for walk, part in zip(("sum", "difference"), self.part, strict=True):
                a.move(walk, part, part, self.T, note="new parts")
                self.again(part)
                self.between()
            scalars.append(pts.second)
            a.call(self.mask)
        for part, pieces in zip(self.part, scalars, strict=False):
            pts.cut_comb(part, pieces)
            self.between()
        if self.preset.protected:
            pts.take_multiple(self.T, max(self.order_bits, 8 * SEED))
        pts.comb_product(scalars, self.T if self.preset.protected else None)


class Products(CombProducts):
    """What :class:`~ecsm.schemes.word.prime.PrimeMachine` multiplies points with."""

    points: Jacobian
    e: int
    r: int

    @abstractmethod
    def fail(self, status: Status) -> int:
        """Return the label of an answer with this status."""

    @abstractmethod
    def copy(self, d: int, a: int, note: str = "") -> None:
        """Let ``d`` be ``a``."""

    @abstractmethod
    def copies(self, to: Sequence[int], of: Sequence[int], note: str = "") -> None:
        """Copy coordinates."""

    def product_routines(self) -> None:
        """Append what is called: products of the point s, and of the base point; s affine."""
        a = self.a
        with a.routine("scalar") as self.scalar:
            self._scalar()
        with a.routine("multiply") as self.multiply:
            self._multiply()
        with a.routine("base") as self.base:
            self._of_base()
            self.comb_product()
        with a.routine("finish") as self.finish:
            self._finish()
        with a.routine("x_is") as self.x_is:
            self._x_is()

    def _scalar(self) -> None:
        """Let k be the scalar, or that plus a random multiple of the order, and cut it."""
        a, pts = self.a, self.points
        if self.preset.protected:
            a.call(self.mask)
            pts.random_multiple(self.T)
            for i, part in enumerate(self.part):
                if i:
                    self.between()
                a.move("widen", pts.k, pts.k, part)
        else:
            self.copy(pts.k, self.part[0])
        pts.digits(pts.k, pts.free[1], self.preset.protected)

    def _multiply(self) -> None:
        """Let s be k times the affine point s."""
        a, pts = self.a, self.points
        for d, v in zip(pts.point, pts.s, strict=False):
            self.copy(d, v, "the point")
        a.call(self.scalar)
        self.seed_orders()
        if self.preset.protected:
            a.call(self.mask)
            pts.blind(self.T, *pts.point)
        else:
            self.copy(pts.s[2], pts.one)
        a.call(pts.fill)
        pts.product()

    def _of_base(self) -> None:
        """Let the base point be that of the next product."""
        for d, v in zip(self.points.point, self.points.base, strict=True):
            self.copy(d, v, "base point")

    def _finish(self) -> None:
        """Let s be affine and plain; compute it again if it is infinity."""
        a, pts = self.a, self.points
        finite = a.label()
        a.call(pts.affine)
        a.move("difference", pts.free[0], pts.zero, pts.k, capture=Capture.SIGN)
        a.order(Order.BRANCH, label=finite, counter=1, public=EXCEPTION)
        a.call(self.scalar)
        a.call(pts.ladder)
        pts.to_jacobian()
        a.call(pts.affine)
        a.place(finite)
        if self.preset.protected:
            pts.on_curve(self.fail(Status.FAULT_DETECTED), infinite=self.preset.full)

    def no_z(self, then: int, public: str) -> None:
        """Go to a label if Z of s is 0."""
        pts = self.points
        self.copy(pts.free[0], pts.s[2])
        self.a.call(pts.canonical)
        self.a.order(Order.BRANCH, label=then, public=public)

    def _x_is(self) -> None:
        """Set the flag if r is X/Z² of s modulo n, clear it if it is not; e is lost.

        A Z of 0 must have been looked for.
        """
        a, pts = self.a, self.points
        (x, _, z), t, square = pts.s, pts.free[0], pts.multiple
        again, done, other = a.label(), a.label(), a.label()
        self.copy(self.e, self.r)
        a.move("square", square, z, note="Z²")
        a.place(again)
        a.move("product", t, self.e, pts.square, note="r in Montgomery's form")
        a.move("product", t, t, square, note="r Z²")
        a.move("difference", t, t, x)
        a.call(pts.canonical)
        a.order(Order.BRANCH, label=done, public=OPEN)
        a.move("sum", self.e, self.e, pts.n, note="r + n")
        pts.in_range(self.e, pts.p, other, OPEN)
        a.order(Order.JUMP, label=again)
        a.place(other)
        a.move("sum", t, pts.unit, pts.zero, capture=Capture.ZERO, note="no")
        a.place(done)

    def sum_of_products(self, u: int, v: int) -> None:
        """Let s be u times the base point and v times the affine point s; nothing is secret."""
        a, pts = self.a, self.points
        for d, number in zip(pts.point, pts.s, strict=False):
            self.copy(d, number, "the point")
        self.copy(pts.s[2], pts.one)
        a.call(pts.fill)
        self.copy(pts.multiple, pts.zero, "nothing is hidden")
        pts.cut_comb(u, pts.cut)
        self.copy(pts.k, v)
        pts.digits(pts.k, pts.free[1])
        pts.sum_of_products()

    def sum_by_ladders(self, u: int, v: int) -> None:
        """Let s be the same, without an exception: u and v are lost."""
        a, pts = self.a, self.points
        kept = pts.table[0]
        for number in (v, u):
            self.copy(self.part[0], number)
            if self.preset.protected:
                self.copy(self.part[1], pts.zero)
            a.call(self.scalar)
            a.call(pts.ladder)
            if number == v:
                self.copies(kept, pts.s)
                self._of_base()
        self.copies(pts.q, kept)
        a.call(pts.add)
        pts.to_jacobian()
