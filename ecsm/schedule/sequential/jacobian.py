# SPDX-License-Identifier: Apache-2.0
"""Products of points in Jacobian coordinates, by the formula of a sum that has exceptions.

An exception, two points that are equal or opposite, or infinity, makes a Z of 0, which stays 0. So
a product whose Z is not 0 is right. One whose Z is 0 is infinity, or is computed again, bit by bit,
by the complete formula (:meth:`Jacobian.ladder`). For a scalar that is random, or that a random
number has changed, that happens once in more than 2^200 times.

A product of the base point is a comb: see :mod:`~ecsm.schedule.sequential.comb`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.schedule.sequential.comb import HALVES, Comb
from ecsm.schedule.sequential.points import BOUND, ENTRIES, EQUATION, Points
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.recorder import Linear, Recorder
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask, Order, Table

RANDOM, LOW = 256, 7  # bits of a random number, and of those that become the lowest of a multiple
MORE = 16  # bits of a cover, above those of p, at most


class Jacobian(Points, Comb):
    """Routines of products k P, P affine, and of the base point.

    ``point``: that of a product, which stays there; ``wide``: whether secret scalars are.
    """

    curve: PrimeCurve

    def __init__(self, a: Assembler, curve: PrimeCurve, wide: bool = False) -> None:
        super().__init__(a, curve)
        self.wide = self.covered = wide

    def take(self) -> None:
        """Take the numbers that change.

        ``w``: Z, which each sum changes; ``cut``: pieces of a scalar of the comb, halves;
        ``second``: of another scalar, in the table's place; ``multiple``: for what is
        between, too.
        """
        super().take()
        a = self.a
        self.point, self.cut = a.numbers(2), a.numbers(HALVES)
        (self.multiple,) = a.numbers(1)
        above = a.modulus.W * a.modulus.words - a.modulus.bits
        self.more = min(MORE, 2 * above // 3 - 3)
        self.w = self.s[2]
        # A product: its highest word is that of an entry. Doublings leave it.
        self.other = self.free[-3] if self.wide else None
        self.second = [entry[0] for entry in self.table[:HALVES]]
        if self.covered:
            self.covers = [*a.scattered(1), self.w]
            self.take_decoys(self.table[0][1])

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        super().routines()
        a = self.a
        core, (*free, u, v) = a.label(), self.free[:-1]
        assert self.other in (None, u)
        places = self.constants | self._named("xyz", self.s) | self._named("XYZ", self.q)
        with a.routine("add_point", returns=False) as self.add_point:
            a.segment(self._common, [*self.s, u, v], places, free, BOUND)
            a.order(Order.JUMP, label=core)
        if self.covers:
            self.cover_routine()
        with a.routine("add_entry") as self.add_entry:
            self.sign_of_entry()
            self.add_affine = a.here()
            affine = self._covered if self.covers else self._affine
            a.segment(affine, [u, v], places, free, BOUND)
            a.place(core)
            places |= {"U": u, "V": v}
            a.segment(self._added, self.s, places, free, BOUND)
        self.look_comb = self.looks(Table.SIXTEEN, "look_comb")
        # Of public digits.
        self.look_entry = self.look(Table.ENTRY, self.table[0], "look_entry", self.signs)
        self.look_comb_entry = self.looks(Table.CONSTANT_ENTRY, "look_comb_entry")
        with a.routine("fill") as self.fill:
            self._fill()
        with a.routine("ladder") as self.ladder:
            self._ladder()
        with a.routine("affine") as self.affine:
            self.to_affine()

    def _common(self, r: Recorder) -> Sequence[Linear]:
        x, y, z, x2, y2, z2 = (r.input(c, BOUND) for c in "xyzXYZ")
        return self._formulas(r).common_jacobian((x, y, z), (x2, y2, z2))

    def _affine(self, r: Recorder) -> Sequence[Linear]:
        z, x2, y2 = (r.input(c, BOUND) for c in "zXY")
        return self._formulas(r).affine_jacobian(z, x2, y2)

    def _covered(self, r: Recorder) -> Sequence[Linear]:
        z, x2, y2 = (r.input(c, self._most + 2 * (c in "XY")) for c in "zXY")
        return self._formulas(r).covered_jacobian(z, x2, y2)

    def make_covers(self) -> None:
        """Append 2 Z and Z, with the multiple; see Comb."""
        a, twice, (of_x, of_y) = self.a, self.free[0], self.covers
        a.move("sum", of_y, of_y, self.multiple, note="more bits")
        a.move("sum", twice, of_y, note="twice the cover")
        a.move("difference", of_x, twice, self.multiple, note="2 Z, more bits")

    @property
    def _most(self) -> int:
        """The most that Z is, in p, where entries are added: it may be a cover."""
        return (2 << self.more) + BOUND if self.covers else BOUND

    def _added(self, r: Recorder) -> Sequence[Linear]:
        x, y, x2, y2 = (r.input(c, BOUND) for c in "xyUV")
        return self._formulas(r).add_jacobian((x, y, r.input("z", self._most)), x2, y2)

    def _fill(self) -> None:
        """Fill the table with P, 3 P, .. 15 P of the triple s."""
        a = self.a
        self.entry(0)
        a.call(self.double)
        self._copy(self.q, self.s, "2 P")
        self._copy(self.s, self.table[0], "P")
        for e in range(1, ENTRIES):
            a.call(self.add_point)
            self.entry(e)

    def _ladder(self) -> None:
        """Let s be the product of k, which is cut and more than 0, and of the point, without Z = 0.

        Its coordinates are homogeneous. The digit's signs are taken one by one, from the second on:
        the first one is plus.
        """
        a, (x, y) = self.a, self.point
        signs = DIGIT_BITS * self.turns(self.wide)
        self._copy(self.s, [x, y, self.one], "P")
        a.move("difference", self.multiple, self.zero, y, note="-y")
        with a.repeat(signs - 1, counter=0):
            a.move("wide-sum" if self.wide else "sum", self.k, self.k, capture=Capture.SIGN,
                   note="next sign")  # fmt: skip
            self._copy(self.q, self.s, "twice")
            a.call(self.add)
            self._copy(self.q, [x, y, self.one], "P")
            a.move("sum", self.q[1], self.multiple, y, mask=Mask.CHOOSE, note="+-y")
            a.call(self.add)

    def to_jacobian(self) -> None:
        """Append a change of the coordinates of s, which are homogeneous."""
        self._step(lambda f: f.to_jacobian)

    def divide(self) -> None:
        """Append x = X/Z² and y = Y/Z³ of s; free[0] is 1/Z."""
        a, free = self.a, self.free
        x, y, _ = self.s
        a.move("square", free[1], free[0], note="1/Z²")
        a.move("product", x, x, free[1])
        a.move("product", free[1], free[1], free[0], note="1/Z³")
        a.move("product", y, y, free[1])

    # ---------------------------------------------------------------- parts of programs
    def blind(self, random: int, x: int, y: int) -> None:
        """Let s be the affine point x, y, by a random number."""
        a, t = self.a, self.free[0]
        self.enter(random)
        a.move("square", t, random)
        a.move("product", self.s[0], x, t, note="random multiple")
        a.move("product", t, t, random)
        a.move("product", self.s[1], y, t, note="random multiple")
        a.copy(self.s[2], random, self.zero)

    def random_multiple(self, random: int) -> None:
        """Let k be a random multiple of n, to which a scalar is added; see :meth:`product`.

        ``random``: 256 bits, of which the upper ones become the lowest: those of k are random, too.
        """
        a, low = self.a, self.free[0]
        a.move(f"shift {RANDOM - LOW} of {RANDOM}", low, random, note="0 to 127")
        a.move("sum", random, random, immediate=LOW, note="256 times")
        a.move("sum", random, random, low)
        a.move("sum", random, random, self.unit, note="1 to 128 modulo 256")
        a.move("expand", self.k, random, self.n, note="a random multiple of n")

    def digit(self, lookup: int, wide: bool = False) -> None:
        """Append: q is the entry of the scalar's next digit."""
        walk = "wide-digit" if wide else "digit"
        self.a.move(walk, self.k, self.k, self.w, capture=Capture.DIGIT, note="next digit")
        self.a.call(lookup)

    def product(self) -> None:
        """Let s be the product of the scalar k, which is cut, and of what the table is of.

        The last digits of K = k + r n are near k itself if k is small, modulo the order. Then all
        but they may be a multiple of n, or twice the last one. It is not, by these rules: the last
        sum is complete; K is a small number plus r n where r is 0, or no multiple of 256. With them
        16^i divides r n for no i above 1. A random multiple has r of 1 to 128 modulo 256; two
        parts of k are up to 3 n more than k, an odd K is n more, and -k up to n.
        """
        a, wide = self.a, self.wide
        self.digit(self.lookup, wide)
        self._copy(self.s, self.q, "the first")
        a.order(Order.SET, counter=0, argument=self.turns(wide) - 2)
        again, more, done = a.here(), a.label(), a.label()
        with a.repeat(DIGIT_BITS, counter=1):
            a.call(self.double)
        self.digit(self.lookup, wide)
        a.order(Order.LOOP, counter=0, label=more)
        self._last()
        a.order(Order.JUMP, label=done)
        a.place(more)
        a.call(self.add_point)
        a.order(Order.JUMP, label=again)
        a.place(done)

    def _last(self) -> None:
        """Append the last sum, by the complete formula."""
        a = self.a
        for point in (self.s, self.q):
            self._step(lambda f: f.from_jacobian, point)
        a.call(self.add)
        self.to_jacobian()

    def begin(self, random: int | None) -> None:
        """Let s be the point that a product of the base point begins with; see Comb."""
        if random is None:
            self._copy(self.s, [*self.start, self.one], "m G")
        else:
            self.blind(random, *self.start)

    def sum_of_products(self) -> None:
        """Let s be k times the point that the table is of, and the base point times another scalar.

        Both are cut and public: entries are read by their addresses.
        """
        a, e, inside = self.a, self.columns, self.a.label()
        turns = self.turns()
        together = e // DIGIT_BITS  # whole turns with columns of the comb
        rest = e % DIGIT_BITS

        def turn() -> None:
            self.digit(self.look_entry)
            a.call(self.add_point)

        self.digit(self.look_entry)
        self._copy(self.s, self.q, "the first")
        with a.repeat(turns - 1 - together - (rest > 0), counter=0):
            with a.repeat(DIGIT_BITS, counter=1):
                a.call(self.double)
            turn()
        for _ in range(DIGIT_BITS - rest if rest else 0):
            a.call(self.double)
        a.order(Order.SET, counter=0, argument=together - (rest == 0))
        a.order(Order.SET, counter=1, argument=(rest or DIGIT_BITS) - 1)
        a.order(Order.JUMP, label=inside)
        again = a.here()
        a.order(Order.SET, counter=1, argument=DIGIT_BITS - 1)
        a.place(inside)
        self.columns_of([self.cut], self.look_comb_entry, bool(self.covers))
        a.order(Order.LOOP, counter=1, label=inside)
        turn()
        a.order(Order.LOOP, counter=0, label=again)

    def on_curve(self, off: int, infinite: bool) -> None:
        """Go to ``off`` unless s's plain x and y are on the curve, or, ``infinite``, Z is 0.

        Where Z is 0, x and y are, which is no point if the order is odd.
        """
        a, free, (x, y, z) = self.a, self.free, self.s
        form = dict(zip("xy", free[2:4], strict=True))
        for name, number in zip("xy", (x, y), strict=True):
            a.move("product", form[name], number, self.square, note="Montgomery's form")
        a.segment(self._equation, [free[0]], self.constants | form, [free[1], *free[4:]], EQUATION)
        if infinite:
            a.move("product", free[0], free[0], z, note="0 if Z is")
        a.call(self.canonical)
        a.order(Order.BRANCH, label=off, counter=1, public="a result off the curve is a fault")
