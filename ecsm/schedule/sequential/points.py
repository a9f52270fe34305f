# SPDX-License-Identifier: Apache-2.0
"""Points of y^2 = x^3 + ax + b over GF(p), of odd order: routines for programs of the word engine.

A scalar is cut into signed digits of four bits: k + 888..8 has the digits d + 8, d from -8 to 7.
Each turn of a product doubles four times and adds d P from a table of 0, P, .. 8 P, which is read
whole. Complete formulas need no case apart. So the same words run for every k and every P.

Coordinates are in Montgomery's form, but where a routine says that they are plain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.formulas.gfp.homogeneous import Homogeneous, small
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.recorder import Linear, Recorder
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask, Order

ENTRIES = (1 << DIGIT_BITS - 1) + 1
BOUND = 9  # of a point's coordinates, in p
EQUATION = 200  # of the curve equation's two sides, their difference
FREE = 11  # numbers for what is between
Triple = Sequence[int]
"""Numbers of X, Y, Z."""


@dataclass
class Points:
    """Numbers and routines of a curve.

    ``s``: the point that a routine works on; ``q``: that which it adds; ``free[0]``: the operand
    and result of :attr:`canonical` and :attr:`inverse`.
    """

    a: Assembler
    curve: PrimeCurve

    def __post_init__(self) -> None:
        a, m = self.a, self.a.modulus
        words = m.words - 1  # of what comes and goes
        if m.p.bit_length() > m.W * words:
            raise ValueError(f"{self.curve.name} does not fit {words} words of {m.W} bits")
        self.octets = -(-m.p.bit_length() // 8)
        self.turns = m.W * words // DIGIT_BITS
        self.zero, self.unit = a.number(0), a.number(1)
        self.one, self.square = a.number(m.enter(1)), a.number(m.enter(m.radix))
        self.constants = {"b": a.number(m.enter(self.curve.b))}
        multiple, b3 = small(self.curve.a, m.p), small(3 * self.curve.b, m.p)
        if multiple is None:
            self.constants["a"] = a.number(m.enter(self.curve.a))
        if b3 is None or b3 <= 0:
            self.constants["3b"] = a.number(m.enter(3 * self.curve.b))
        self.p = a.number(m.p)
        self.eights = a.number(sum(8 << DIGIT_BITS * i for i in range(self.turns + 1)))

    def take(self) -> None:
        """Take the numbers that change; behind all constants and what outlives a program."""
        a = self.a
        self.k = a.number()
        self.s, self.q = a.numbers(3), a.numbers(3)
        infinity = [self.zero, self.one, self.zero]
        self.table = [infinity, *(a.numbers(3) for _ in range(1, ENTRIES))]
        self.free = a.numbers(FREE)

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        a = self.a
        with a.routine() as self.add:
            self._formula(("x", "y", "z"), ("x2", "y2", "z2"))
        with a.routine() as self.double:
            self._formula(("x", "y", "z"), None)
        with a.routine() as self.lookup:
            self.pick(self.table)
        with a.routine() as self.canonical:
            self.reduce()
        with a.routine() as self.inverse:
            copy = [self.s[2], "Z"]
            self.power(a.modulus.p - 2, *copy)  # type: ignore[arg-type]

    def pick(self, table: Sequence[Triple]) -> None:
        """Let q be the entry of the digit's magnitude, with its sign: all entries are read."""
        a = self.a
        for column, d in enumerate(self.q):
            for e, entry in enumerate(table):
                a.move("sum", d, d if e else self.zero, entry[column], mask=Mask.PICK,
                       immediate=e, note=f"pick {e}")  # fmt: skip
        a.move("sum", self.q[1], self.zero, self.q[1], mask=Mask.SIGN, note="+-Y")

    def _formulas(self, r: Recorder) -> Homogeneous[Linear]:
        """Return the formulas; a constant that is small is not in the memory."""
        c = self.curve
        a, b3 = (r.input(name if name in self.constants else "b", 1) for name in ("a", "3b"))
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

    def reduce(self, mod: str = "", modulus: int | None = None) -> None:
        """Let free[0] be its own value / R, from 0 to p - 1; the flag is set if it is 0.

        A product with 1 is from 0 to p, or to 2 p if its last step is another one (see modulus).
        ``mod``: another modulus, of which ``modulus`` is the number.
        """
        a, t, less = self.a, self.free[0], self.free[1]
        p = self.p if modulus is None else modulus
        walk = f"product mod {mod}" if mod else "product"
        a.move(walk, t, t, self.unit, note="from Montgomery's form")
        for _ in range(1 if a.moduli[mod].factor == 1 else 2):
            a.move("difference", less, t, p, capture=Capture.SIGN, note="less the modulus")
            a.move("sum", t, less, t, mask=Mask.CHOOSE, capture=Capture.ZERO, drained=True,
                   note="below it")  # fmt: skip

    def power(self, exponent: int, base: int, name: str, mod: str = "") -> None:
        """Let free[0] be a power of the number ``base``, by windows of odd powers."""
        a = self.a
        powers, square, result = self.free[1:9], self.free[9], self.free[0]
        of = f" mod {mod}" if mod else ""
        a.copy(powers[0], base, self.zero, name)
        a.move("square" + of, square, powers[0], note=f"{name}²")
        for i in range(1, 8):
            note = f"{name}^{2 * i + 1}"
            a.move("product" + of, powers[i], powers[i - 1], square, note=note)
        begun = False
        for squares, window in windows(exponent):
            if begun:
                self._squares(result, squares, of)
                if window:
                    note = f"times {name}^{window}"
                    a.move("product" + of, result, result, powers[window // 2], note=note)
            else:
                a.copy(result, powers[window // 2], self.zero)
            begun = True

    def _squares(self, number: int, count: int, of: str) -> None:
        """Square a number so many times."""
        while count:
            times = min(count, 1 << DIGIT_BITS)
            self.a.move("square" + of, number, number, immediate=times - 1, note=f"{times} times")
            count -= times

    # ---------------------------------------------------------------- parts of programs
    def in_range(self, number: int, limit: int, bad: int) -> None:
        """Go to ``bad`` unless a public number is below the number ``limit``."""
        self.a.move("difference", self.free[0], number, limit, capture=Capture.SIGN)
        self.a.order(Order.BRANCH, label=bad, counter=1, note="not below")

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

    def enter(self, number: int) -> None:
        """Take a number below 2^(W words) into Montgomery's form."""
        self.a.move("product", number, number, self.square, note="Montgomery's form")

    def fill(self) -> None:
        """Fill the table with P, 2 P, .. of the affine point s."""
        a = self.a
        a.copy(self.s[2], self.one, self.zero)
        for e in range(1, ENTRIES):
            if e > 1:
                a.call(self.add)
            for i in range(3):
                a.copy(self.table[e][i], self.s[i], self.zero, f"entry {e}")
                if e == 1:
                    a.copy(self.q[i], self.s[i], self.zero)

    def begin_digits(self, k: int) -> None:
        """Cut the scalar in number k: its first digit is there after the next walk."""
        a = self.a
        a.move("sum", k, k, self.eights, capture=Capture.DIGIT, note="digits and 8")
        a.move("sum", self.free[0], self.zero, self.zero, drained=True, note="wait for the digit")

    def multiply(self) -> None:
        """Let s be k times the point of the table; k is gone."""
        a = self.a
        self.begin_digits(self.k)
        a.call(self.lookup)
        for d, s in zip(self.s, self.q, strict=True):
            a.copy(d, s, self.zero)
        with a.repeat(self.turns, counter=0):
            a.move("digit", self.k, self.k, capture=Capture.DIGIT, note="next digit")
            with a.repeat(DIGIT_BITS, counter=1):
                a.call(self.double)
            a.call(self.lookup)
            a.call(self.add)

    def affine(self) -> None:
        """Let s's x and y be the plain ones, from 0 to p - 1, and k 1 if s is infinity, else 0."""
        a, free = self.a, self.free
        x, y, z = self.s
        a.copy(free[0], z, self.zero)
        a.call(self.canonical)
        a.move("sum", self.k, self.zero, self.unit, mask=Mask.CHOOSE, drained=True, note="infinity")
        a.call(self.inverse)
        a.move("product", x, x, free[0])
        a.move("product", y, y, free[0])
        for number in (x, y):
            a.copy(free[0], number, self.zero)
            a.call(self.canonical)
            a.copy(number, free[0], self.zero)


def windows(exponent: int) -> list[tuple[int, int]]:
    """Return squares and the odd window to multiply by, for each window, the highest first.

    A window has four bits at most. The last one may be 0: squares alone.
    """
    found, pending, at = list[tuple[int, int]](), 0, exponent.bit_length()
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
        found.append((pending + width, window))
        pending = 0
    return [*found, (pending, 0)] if pending else found
