# SPDX-License-Identifier: Apache-2.0
"""Points of y^2 = x^3 + ax + b over GF(p), of odd order: routines for programs of the word engine.

A scalar is made odd, by the order if it is even, and then cut into t odd digits from -15 to 15:
k = sum of (2 b[i] - 15) 16^i, where the b[i] are the digits of (k + 16^t - 1) / 2. A table of P,
3 P, .. 15 P is read whole for each digit. :mod:`~ecsm.schedule.sequential.complete` has products
by formulas without exceptions, :mod:`~ecsm.schedule.sequential.jacobian` faster ones.

Coordinates are in Montgomery's form, but where a routine says that they are plain. A *wide* number
has 128 bits more: that of a scalar to which a random multiple of the order was added.

Source: M. Joye, M. Tunstall, "Exponent recoding and regular exponentiation algorithms", AFRICACRYPT
2009, for the digits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.formulas.gfp.homogeneous import Homogeneous, small
from ecsm.schedule.sequential.field import FREE, CurvePoints, Triple
from ecsm.schedule.sequential.power import power
from ecsm.schedule.sequential.program import WIDER, Assembler
from ecsm.schedule.sequential.recorder import Linear, Recorder
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask, Order, Table

ENTRIES = 1 << DIGIT_BITS - 1  # of a table
BOUND = 24  # of a point's coordinates, in p
EQUATION = 200  # of the curve equation's two sides, their difference
Formulas = Homogeneous[Linear]
Map = Callable[[tuple[Linear, Linear, Linear]], Sequence[Linear]]


class Points(CurvePoints):
    """Numbers and routines of a curve.

    ``s``: the point that a routine works on; ``q``: that which it adds; ``free[0]``: the operand
    and result of :attr:`canonical` and :attr:`inverse`.
    """

    curve: PrimeCurve
    signed = 1  # Y

    def __init__(self, a: Assembler, curve: PrimeCurve) -> None:
        super().__init__(a, curve)
        m = a.integers()
        self.square = a.number(m.enter(m.radix))
        self.constants = {"b": a.number(m.enter(self.curve.b))}
        multiple, b3 = small(self.curve.a, m.p), small(3 * self.curve.b, m.p)
        if multiple is None:
            self.constants["a"] = a.number(m.enter(self.curve.a))
        if b3 is None or b3 <= 0:
            self.constants["3b"] = a.number(m.enter(3 * self.curve.b))
        self.p, self.n = a.number(m.p), a.number(self.curve.n)
        self.offset = a.number(self._offset())

    def _left(self, wide: bool) -> int:
        """Return the bits that a scalar is moved to the left, less one, before it is cut."""
        m = self.a.modulus
        words = self.a.wide if wide else m.words
        left = m.W * words - DIGIT_BITS * self.turns(wide) - 1
        if not 0 <= left < m.W - 1:
            raise ValueError(f"{self.curve.name}: the order does not fit the words of p")
        return left

    def _offset(self, wide: bool = False) -> int:
        """Return what makes digits of a scalar that is at the left: (16^t - 1) / 2 there."""
        return ((1 << DIGIT_BITS * self.turns(wide)) - 1) << self._left(wide)

    def turns(self, wide: bool = False) -> int:
        """Return the digits of a scalar, or of a wide one.

        It is below twice the order, or has no more bits than all words but one.
        """
        m = self.a.modulus
        bits = max(self.curve.n.bit_length() + 1, m.W * (m.words - 1) + 1)
        return -(-(bits + (WIDER if wide else 0)) // DIGIT_BITS)

    def wide_constants(self) -> None:
        """Take the constant that wide scalars need."""
        self.wide_offset = self.a.wide_number(self._offset(wide=True))

    def take(self) -> None:
        """Take the numbers that change; behind all constants and what outlives a program."""
        a = self.a
        columns = [a.numbers(ENTRIES, align=ENTRIES) for _ in range(3)]
        self.table: list[Triple] = list(zip(*columns, strict=True))
        self.two = a.numbers(2, align=2)
        self.k, self.s, self.q = a.wide_number(), a.numbers(3), a.numbers(3)
        self.free = a.numbers(FREE)
        self.texts = self.table[0][0], self.table[2][0]

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        a = self.a
        with a.routine("add") as self.add:
            self._sum()
        with a.routine("canonical") as self.canonical:
            self.reduce()
        with a.routine("double") as self.double:
            self._step(lambda f: f.double_jacobian)
        self.other_routine()
        with a.routine("lookup") as self.lookup:
            self.put_others()
            self.pick(Table.EIGHT, self.table[0])
            self.signs = a.here()
            self.sign(self.q[1])
        with a.routine("inverse") as self.inverse:
            power(a, self.curve.p - 2, self.s[2], self.free[:-1], "1/Z")

    def entry(self, e: int) -> None:
        """Let an entry of the table be s, its coordinates about 0 to p: they all look alike."""
        for d, v in zip(self.table[e], self.s, strict=True):
            self.a.move("product", d, v, self.one, note=f"entry {e}")

    def _formulas(self, r: Recorder) -> Homogeneous[Linear]:
        """Return the formulas; a constant that is small is not in the memory."""
        c = self.curve
        a, b3 = (r.input(name if name in self.constants else "b", 1) for name in ("a", "3b"))
        return Homogeneous(r, small(c.a, c.p), small(3 * c.b, c.p), a, b3)

    def _sum(self) -> None:
        """Append s + q, in the place of s."""
        places = self.constants | self._named("xyz", self.s) | self._named("XYZ", self.q)

        def formula(r: Recorder) -> Sequence[Linear]:
            x, y, z, x2, y2, z2 = (r.input(c, BOUND) for c in "xyzXYZ")
            return self._formulas(r).add((x, y, z), (x2, y2, z2))

        self.a.segment(formula, self.s, places, self.free, BOUND)

    @staticmethod
    def _named(names: str, numbers: Triple) -> dict[str, int]:
        return dict(zip(names, numbers, strict=True))

    def _step(self, of: Callable[[Formulas], Map], point: Triple = ()) -> None:
        """Append a formula of s, or of another point, in its place."""

        def formula(r: Recorder) -> Sequence[Linear]:
            x, y, z = (r.input(c, BOUND) for c in "xyz")
            return of(self._formulas(r))((x, y, z))

        places = self.constants | self._named("xyz", point or self.s)
        self.a.segment(formula, point or self.s, places, self.free, BOUND)

    @abstractmethod
    def divide(self) -> None:
        """Append the affine x and y of s, whose 1/Z is free[0]: as its coordinates have it."""

    def to_affine(self) -> None:
        """Let s's x and y be the plain ones, from 0 to p - 1, and k 1 if s is infinity, else 0."""
        a, free = self.a, self.free
        x, y, z = self.s
        a.copy(free[0], z, self.zero)
        a.call(self.canonical)
        a.move("sum", self.k, self.zero, self.unit, mask=Mask.CHOOSE, drained=True, note="infinity")
        a.call(self.inverse)
        self.divide()
        for number in (x, y):
            a.copy(free[0], number, self.zero)
            a.call(self.canonical)
            a.copy(number, free[0], self.zero)

    # ---------------------------------------------------------------- parts of programs
    def check(self, outside: int, off: int) -> None:
        """Take s's plain x and y into the form; go to ``outside`` or ``off`` if they are no point.

        Z is not touched.
        """
        a, (x, y, _) = self.a, self.s
        for number in (x, y):
            self.in_range(number, self.p, outside)
        self.enter(x)
        self.enter(y)
        a.segment(self._equation, [self.free[0]], self.constants | {"x": x, "y": y},
                  self.free[1:], EQUATION)  # fmt: skip
        a.call(self.canonical)
        a.order(Order.BRANCH, label=off, counter=1, note="not on the curve")

    def _equation(self, r: Recorder) -> list[Linear]:
        x, y, b = r.input("x", 2), r.input("y", 2), r.input("b", 1)
        right = self._formulas(r).plus_a(r.mul("x³", r.mul("x²", x, x), x) + b, "x", x)
        return [r.sum("y² less the right side", r.mul("y²", y, y) - right)]

    def digits(self, k: int, spare: int, wide: bool = False) -> None:
        """Cut the scalar k, which is not negative; ``spare``: as long a number for what is between.

        Where k is secret and wide, its parity is random.
        """
        a = self.a
        of, more = ("wide-", "widen") if wide else ("", "sum")
        offset = self.wide_offset if wide else self.offset
        a.move("parity", self.free[0], k, capture=Capture.SIGN, note="is k odd")
        a.move(more, spare, k, self.n, note="k + n")
        a.move(f"{of}sum", k, spare, k, mask=Mask.CHOOSE, drained=True, note="the odd one")
        note = f"{self.turns(wide)} digits, to the left"
        fours, ones = divmod(self._left(wide), DIGIT_BITS)
        if fours:
            a.move(f"{of}digit", k, k, immediate=fours - 1, note=note)
        if ones:
            a.move(f"{of}sum", k, k, immediate=ones - 1, note=note)
        a.move(f"{of}sum", k, k, offset, note="(k + 16^t - 1) / 2")
