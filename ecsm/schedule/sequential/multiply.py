# SPDX-License-Identifier: Apache-2.0
"""The program of kP on y^2 = x^3 + ax + b over GF(p), of odd order.

The scalar is cut into signed digits of four bits: k + 888..8 has the digits d + 8, d from -8 to 7.
Each turn doubles four times and adds d P from a table of 0, P, .. 8 P, which is read whole.
Complete formulas need no case apart. So the same words run for every k and every P.

    input: k, x, y, the lowest word first      output: 1 if kP is infinity, else 0; x; y
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.formulas.gfp.homogeneous import Homogeneous, small
from ecsm.schedule.sequential.modulus import Modulus
from ecsm.schedule.sequential.program import OPERATIONS, Assembler, Built
from ecsm.schedule.sequential.recorder import Linear, Recorder
from ecsm.schedule.sequential.secrets import check
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask, Order
from ecsm.status import Status

ENTRIES = (1 << DIGIT_BITS - 1) + 1
BOUND = 9  # of a point's coordinates, in p
EQUATION = 200  # of the curve equation's two sides, their difference
FREE = 16  # numbers for what is between


@dataclass
class _Kp:
    """The assembler and the numbers of the program."""

    a: Assembler
    curve: PrimeCurve

    def __post_init__(self) -> None:
        a, m = self.a, self.a.modulus
        self.octets = m.words - 1  # words of what comes and goes
        if m.p.bit_length() > m.W * self.octets:
            raise ValueError(f"{self.curve.name} does not fit {self.octets} words of {m.W} bits")
        self.turns = m.W * self.octets // DIGIT_BITS
        self.zero, self.unit = a.number(0), a.number(1)
        self.one, self.square = a.number(m.enter(1)), a.number(m.enter(m.radix))
        self.constants = {
            "a": a.number(m.enter(self.curve.a)),
            "b": a.number(m.enter(self.curve.b)),
            "3b": a.number(m.enter(3 * self.curve.b)),
        }
        self.p, self.most = a.number(m.p), a.number(m.p - 1)
        self.eights = a.number(sum(8 << DIGIT_BITS * i for i in range(self.turns + 1)))
        self.k = a.number()
        self.s, self.q = a.numbers(3), a.numbers(3)
        self.table = [a.numbers(3) for _ in range(ENTRIES)]
        self.free = a.numbers(min(a.room, FREE))

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        a = self.a
        with a.routine() as self.add:
            self._formula(("x", "y", "z"), ("x2", "y2", "z2"))
        with a.routine() as self.double:
            self._formula(("x", "y", "z"), None)
        with a.routine() as self.lookup:
            for column in range(3):
                d = self.q[column]
                for e, entry in enumerate(self.table):
                    a.move("sum", d, d if e else self.zero, entry[column], mask=Mask.PICK,
                           immediate=e, note=f"pick {e}")  # fmt: skip
            a.move("sum", self.q[1], self.zero, self.q[1], mask=Mask.SIGN, note="+-Y")
        with a.routine() as self.canonical:
            self.reduce()
        with a.routine() as self.inverse:
            self.invert()

    def _formulas(self, r: Recorder) -> Homogeneous[Linear]:
        c = self.curve
        a, b3 = r.input("a", 1), r.input("3b", 1)
        return Homogeneous(r, small(c.a, c.p), small(3 * c.b, c.p), a, b3)

    def _formula(self, p: tuple[str, str, str], q: tuple[str, str, str] | None) -> None:
        """Append s + q, or 2 s, in the place of s."""
        places = self.constants | dict(zip(p, self.s, strict=True))
        if q is not None:
            places |= dict(zip(q, self.q, strict=True))

        def formula(r: Recorder) -> tuple[Linear, Linear, Linear]:
            x, y, z = (r.input(c, BOUND) for c in p)
            if q is None:
                return self._formulas(r).double((x, y, z))
            x2, y2, z2 = (r.input(c, BOUND) for c in q)
            return self._formulas(r).add((x, y, z), (x2, y2, z2))

        self.a.segment(formula, self.s, places, self.free, BOUND)

    def reduce(self) -> None:
        """Let free[0] be its own value / R, from 0 to p - 1; the flag is set if it is 0.

        A product with 1 is from 0 to p, or to 2 p if its last step is another one (see modulus).
        """
        a, t, less = self.a, self.free[0], self.free[1]
        a.move("product", t, t, self.unit, note="from Montgomery's form")
        for _ in range(1 if a.modulus.factor == 1 else 2):
            a.move("difference", less, t, self.p, capture=Capture.SIGN, note="less p")
            a.move("sum", t, less, t, mask=Mask.CHOOSE, capture=Capture.ZERO, drained=True,
                   note="below p")  # fmt: skip

    def invert(self) -> None:
        """Let free[0] be Z^(p - 2), by windows of odd powers."""
        a, exponent = self.a, self.a.modulus.p - 2
        powers, square, result = self.free[1:9], self.free[9], self.free[0]
        a.copy(powers[0], self.s[2], self.zero, "Z")
        a.move("square", square, powers[0], note="Z²")
        for i in range(1, 8):
            a.move("product", powers[i], powers[i - 1], square, note=f"Z^{2 * i + 1}")
        bits, begun, pending = exponent.bit_length(), False, 0
        at = bits
        while at:
            if not exponent >> at - 1 & 1:
                pending += 1
                at -= 1
                continue
            width = min(4, at)
            window = exponent >> at - width & (1 << width) - 1
            while window % 2 == 0:
                window >>= 1
                width -= 1
            at -= width
            if begun:
                self._squares(result, pending + width)
                a.move("product", result, result, powers[window // 2], note=f"times Z^{window}")
            else:
                a.copy(result, powers[window // 2], self.zero)
            begun, pending = True, 0
        if pending:
            self._squares(result, pending)

    def _squares(self, number: int, count: int) -> None:
        if count == 1:
            self.a.move("square", number, number)
        else:
            with self.a.repeat(count, counter=1):
                self.a.move("square", number, number)

    # ---------------------------------------------------------------- the program
    def program(self) -> None:
        """Append the operation."""
        a, (x, y, _) = self.a, self.s
        for number in (self.k, x, y):
            a.order(Order.IN, number=number, argument=self.octets)
        bad, off, on = a.label(), a.label(), a.label()
        for number in (x, y):
            a.move("difference", self.free[0], self.most, number, capture=Capture.SIGN,
                   note="p - 1 less the coordinate")  # fmt: skip
            a.order(Order.BRANCH, label=bad)
        a.move("product", x, x, self.square, note="Montgomery's form")
        a.move("product", y, y, self.square)
        a.segment(self._equation, [self.free[0]], self.constants | {"x": x, "y": y},
                  self.free[1:], EQUATION)  # fmt: skip
        a.call(self.canonical)
        a.order(Order.BRANCH, label=on)
        a.place(off)
        a.order(Order.DONE, argument=Status.POINT_NOT_ON_CURVE)
        a.place(bad)
        a.order(Order.DONE, argument=Status.COORDINATE_OUT_OF_RANGE)
        a.place(on)
        self._fill()
        a.move("sum", self.k, self.k, self.eights, capture=Capture.DIGIT, note="digits and 8")
        a.move("sum", self.free[0], self.zero, self.zero, drained=True, note="wait for the digit")
        a.call(self.lookup)
        for d, s in zip(self.s, self.q, strict=True):
            a.copy(d, s, self.zero)
        with a.repeat(self.turns, counter=0):
            a.move("digit", self.k, self.k, capture=Capture.DIGIT, note="next digit")
            with a.repeat(DIGIT_BITS, counter=1):
                a.call(self.double)
            a.call(self.lookup)
            a.call(self.add)
        self._answer()

    def _equation(self, r: Recorder) -> list[Linear]:
        x, y, b = r.input("x", 2), r.input("y", 2), r.input("b", 1)
        right = self._formulas(r).plus_a(r.mul("x³", r.mul("x²", x, x), x) + b, "x", x)
        return [r.sum("y² less the right side", r.mul("y²", y, y) - right)]

    def _fill(self) -> None:
        """Fill the table with 0, P, 2 P, .. and leave the last one in s."""
        a, zero = self.a, self.zero
        a.copy(self.table[0][1], self.one, zero, "infinity")
        a.copy(self.s[2], self.one, zero)
        for e in range(1, ENTRIES):
            if e > 1:
                a.call(self.add)
            for i in range(3):
                a.copy(self.table[e][i], self.s[i], zero, f"entry {e}")
                if e == 1:
                    a.copy(self.q[i], self.s[i], zero)

    def _answer(self) -> None:
        a, free = self.a, self.free
        x, y, z = self.s
        a.move("sum", free[0], z, self.zero)
        a.call(self.canonical)
        a.move("sum", self.k, self.zero, self.unit, mask=Mask.CHOOSE, drained=True, note="infinity")
        a.call(self.inverse)
        a.move("product", x, x, free[0])
        a.move("product", y, y, free[0])
        for number in (x, y):
            a.copy(free[0], number, self.zero)
            a.call(self.canonical)
            a.copy(number, free[0], self.zero)
        a.order(Order.OUT, number=self.k, argument=1)
        for number in (x, y):
            a.order(Order.OUT, number=number, argument=self.octets)
        a.order(Order.DONE, argument=Status.OK)


def multiplication(curve: PrimeCurve, W: int = 32, depth: int = 1024) -> Built:
    """Return the program of kP as operation 0. Raises ValueError for a curve that is not for it."""
    if curve.n % 2 == 0 or curve.h != 1:
        raise ValueError(f"{curve.name} has points of small order: the formulas are not for it")
    a = Assembler(Modulus(curve.p, W), depth)
    kp = _Kp(a, curve)
    start = a.label()
    for _ in range(OPERATIONS):
        a.order(Order.JUMP, label=start)
    kp.routines()
    a.place(start)
    kp.program()
    built = a.built()
    check(built, 0, secrets={kp.k}, released={kp.k, *kp.s[:2]})  # kP and whether it is infinity
    return built
