# SPDX-License-Identifier: Apache-2.0
"""X25519's function on the x-line of a Montgomery curve, in programs of the word engine.

For each bit of the scalar, the highest first, the two points of the ladder are added, one of them
is doubled, and both results are exchanged or not: by the mask *choose*, which reads both. The first
points are (1 : 0) and (u : 1), times random numbers.

A wide scalar is k plus a random multiple of the order of the group that the point is in, of 128
bits. For a number u of the field that is a point of the curve if u^3 + A u^2 + u is a square, else
of its twist. u is public, and so is which one it is. The order is near a power of two, 2^255 plus
a number of 128 bits, or less it. A random factor of fewer bits than those would leave bits of the
scalar as they are, above the factor times that number.

Source: W. Schindler, A. Wiemers, "Power attacks in the presence of exponent blinding", J. Cryptogr.
Eng. 4 (2014): what a short factor is worth where the order is near a power of two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ecsm.curves.gfp.xline import XLine
from ecsm.formulas.gfp import xz
from ecsm.schedule.sequential.field import Field
from ecsm.schedule.sequential.power import power
from ecsm.schedule.sequential.program import WIDER, Assembler
from ecsm.schedule.sequential.recorder import Linear, Recorder
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask

BOUND = 8  # of coordinates, in p
HALF = 12  # of their sums and differences
FREE = 11
Formula = Callable[[Recorder], Sequence[Linear]]


class Line(Field):
    """Routines of a product.

    ``u``: the point's; ``k``: the scalar; ``s``: X and Z of the two points of the ladder, and at
    the end those of the product; ``halves``: their sums and differences.
    """

    curve: XLine

    def __init__(self, a: Assembler, curve: XLine, wide: bool = False) -> None:
        super().__init__(a, curve)
        c, m = curve, a.modulus
        self.wide, self.m = wide, m
        self.p, self.n = a.number(c.p), a.number(c.n)
        self.base = a.number(c.generator[0])
        twist = 2 * (c.p + 1) - c.n * c.h
        self.orders = [a.number(v) for v in (c.n * c.h, twist)] if wide else []

    def take(self) -> None:
        """Take the numbers that change."""
        a = self.a
        self.k, self.s, self.halves = a.wide_number(), a.numbers(4), a.numbers(4)
        self.u, self.order = a.numbers(2)
        self.chosen = a.numbers(2)
        self.free = a.numbers(FREE)

    @property
    def bits(self) -> int:
        """Bits of a scalar of the ladder."""
        return self.curve.bits + (WIDER + 1 if self.wide else 0)

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called.

        ``canonical``: see Field.reduce; ``inverse``: free[0] is 1/Z; ``side``: order is that of
        the group that the point u is in, times its cofactor; ``product``: s is the product.
        """
        a = self.a
        with a.routine("canonical") as self.canonical:
            self.reduce()
        with a.routine("inverse") as self.inverse:
            power(a, self.curve.p - 2, self.s[1], self.free[:-1], "1/Z")
        if self.wide:
            with a.routine("side") as self.side:
                self._side()
        with a.routine("product") as self.product:
            self._product()

    def _side(self) -> None:
        a, t = self.a, self.free[0]

        def formula(r: Recorder) -> Sequence[Linear]:
            return [xz.square(r, self.curve.a, r.input("1", 1), r.input("u", 3))]

        places = {"1": self.one, "u": self.u}
        a.segment(formula, [self.s[1]], places, self.free, BOUND)
        power(a, (self.curve.p - 1) // 2, self.s[1], self.free[:-1], "is it a square")
        a.move("sum", t, t, self.one, note="0 if it is none")
        a.call(self.canonical)
        a.move("sum", self.order, self.orders[0], self.orders[1], mask=Mask.CHOOSE, drained=True,
               note="the curve's, or the twist's")  # fmt: skip

    def _product(self) -> None:
        """Append the ladder; the scalar is at the left: see :meth:`cut`."""
        a, (x0, z0, x1, z1), (s0, d0, s1, d1) = self.a, self.s, self.halves
        s, d = self.chosen
        with a.repeat(self.bits, counter=0):
            a.move("wide-sum" if self.wide else "sum", self.k, self.k, capture=Capture.SIGN,
                   note="next bit")  # fmt: skip
            for x, z, half in ((x0, z0, (s0, d0)), (x1, z1, (s1, d1))):
                self._segment(self._halves, half, {"x": x, "z": z}, HALF)
            # In the places of the second point, which is read no more.
            places = {"u": self.u, "s0": s0, "d0": d0, "s1": s1, "d1": d1}
            self._segment(self._added, [x1, z1], places)
            for to, one, other in ((s, s0, s1), (d, d0, d1)):
                a.move("sum", to, one, other, mask=Mask.CHOOSE, note="what is doubled")
            self._segment(self._doubled, [s0, d0], {"s": s, "d": d})
            for first, double, added in ((x0, s0, x1), (z0, d0, z1)):
                a.move("sum", first, double, added, mask=Mask.CHOOSE, note="the double, or the sum")
                a.move("sum", added, added, double, mask=Mask.CHOOSE, note="the other one")

    def _segment(
        self, formula: Formula, to: Sequence[int], places: dict[str, int], most: int = BOUND
    ) -> None:
        self.a.segment(formula, to, places, self.free, most)

    def _halves(self, r: Recorder) -> Sequence[Linear]:
        return xz.halves(r, r.input("x", BOUND // 2), r.input("z", BOUND // 2))

    def _added(self, r: Recorder) -> Sequence[Linear]:
        s0, d0, s1, d1 = (r.input(v, HALF) for v in ("s0", "d0", "s1", "d1"))
        return xz.added(r, r.input("u", 3), s0, d0, s1, d1)

    def _doubled(self, r: Recorder) -> Sequence[Linear]:
        c = (self.curve.a - 2) // 4
        return xz.doubled(r, c, r.input("s", HALF), r.input("d", HALF))

    # ---------------------------------------------------------------- parts of programs
    def cut(self, scalar: int) -> None:
        """Let k be a scalar moved to the left: its highest bit leaves it first.

        It is another number if it is not wide, else k itself.
        """
        a = self.a
        words = a.wide if self.wide else a.modulus.words
        left = a.modulus.W * words - self.bits - 1
        if not self.wide:
            a.move(f"shift {-left} of {self.curve.bits}", self.k, scalar, note="to the left")
            return
        fours, ones = divmod(left, DIGIT_BITS)
        for walk, count in (("wide-digit", fours), ("wide-sum", ones)):
            if count:
                a.move(walk, self.k, self.k, immediate=count - 1, note="to the left")

    def begin(self, random: Sequence[int]) -> None:
        """Let the points be (1 : 0) and (u : 1), times two numbers."""
        a, (x0, z0, x1, z1) = self.a, self.s
        self._copy([x0, z0, z1], [random[0], self.zero, random[1]], "the first points")
        a.move("product", x1, self.u, random[1], note="u Z")

    def finish(self) -> None:
        """Let free[0] be X / Z of s, from 0 to p - 1, 0 if Z is 0; then the flag is set."""
        a = self.a
        a.call(self.inverse)
        a.move("product", self.free[0], self.free[0], self.s[0], note="X / Z")
        a.call(self.canonical)
