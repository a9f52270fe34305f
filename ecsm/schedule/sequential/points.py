# SPDX-License-Identifier: Apache-2.0
"""Points of y^2 = x^3 + ax + b over GF(p), of odd order: routines for programs of the word engine.

A scalar is made odd, by the order if it is even, and then cut into t odd digits from -15 to 15:
k = sum of (2 b[i] - 15) 16^i, where the b[i] are the digits of (k + 16^t - 1) / 2. Each turn of a
product doubles four times, in Jacobian coordinates, and adds an entry of a table of P, 3 P, ..
15 P, with its sign. The table is read whole. The formula of the sum is complete and needs no case
apart. So the same words run for every k and every P.

Coordinates are in Montgomery's form, but where a routine says that they are plain. A *wide* number
has 128 bits more: that of a scalar to which a random multiple of the order was added.

Source: M. Joye, M. Tunstall, "Exponent recoding and regular exponentiation algorithms", AFRICACRYPT
2009, for the digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.formulas.gfp.homogeneous import Homogeneous, small
from ecsm.schedule.sequential.program import WIDER, Assembler
from ecsm.schedule.sequential.recorder import Linear, Recorder
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask, Order

ENTRIES = 1 << DIGIT_BITS - 1  # of a table
BOUND = 24  # of a point's coordinates, in p
EQUATION = 200  # of the curve equation's two sides, their difference
FREE = 11  # numbers for what is between
Triple = Sequence[int]
"""Numbers of X, Y, Z."""
Formulas = Homogeneous[Linear]
Map = Callable[[tuple[Linear, Linear, Linear]], Sequence[Linear]]


@dataclass
class Points:
    """Numbers and routines of a curve.

    ``s``: the point that a routine works on; ``q``: that which it adds; ``free[0]``: the operand
    and result of :attr:`canonical` and :attr:`inverse`.
    """

    a: Assembler
    curve: PrimeCurve
    with_base: bool = False  # whether the base point has a constant table

    def __post_init__(self) -> None:
        a, m = self.a, self.a.modulus
        self.octets = -(-m.p.bit_length() // 8)
        self.zero, self.unit, self.one = (a.number(v) for v in (0, 1, m.enter(1)))
        if self.with_base:
            self._base_table()
        self.square = a.number(m.enter(m.radix))
        self.constants = {"b": a.number(m.enter(self.curve.b))}
        multiple, b3 = small(self.curve.a, m.p), small(3 * self.curve.b, m.p)
        if multiple is None:
            self.constants["a"] = a.number(m.enter(self.curve.a))
        if b3 is None or b3 <= 0:
            self.constants["3b"] = a.number(m.enter(3 * self.curve.b))
        self.p, self.n = a.number(m.p), a.number(self.curve.n)
        self.offset = a.number(self._offset())

    def _base_table(self) -> None:
        """Take a table of the base point, affine."""
        m, c = self.a.modulus, self.curve
        points = [c.mul(2 * e + 1, c.generator) for e in range(ENTRIES)]
        xs, ys = zip(*(point for point in points if point is not None), strict=True)
        columns = [self.a.numbers(ENTRIES, [m.enter(v) for v in column], align=ENTRIES)
                   for column in (xs, ys)]  # fmt: skip
        self.base_table: list[Triple] = [(x, y, self.one) for x, y in zip(*columns, strict=True)]

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
        self.k, self.s, self.q = a.wide_number(), a.numbers(3), a.numbers(3)
        self.free = a.numbers(FREE)

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        a = self.a
        with a.routine("add") as self.add:
            self._sum()
        with a.routine("canonical") as self.canonical:
            self.reduce()
        with a.routine("sixteen") as self.sixteen:
            self._sixteen()
        with a.routine("lookup") as self.lookup:
            self.pick(self.table)
        with a.routine("inverse") as self.inverse:
            self.power(a.modulus.p - 2, self.s[2], "Z")

    def pick(self, table: Sequence[Triple]) -> None:
        """Let q be the entry of the digit, with its sign. All entries are read.

        q keeps the coordinate of before until the right one comes. A Z that all entries share
        is copied.
        """
        a = self.a
        for column, d in enumerate(self.q):
            entries = [entry[column] for entry in table]
            if len(set(entries)) == 1:
                a.copy(d, entries[0], self.zero, "Z")
                continue
            for e, entry in enumerate(entries):
                a.move("sum", d, d, entry, mask=Mask.PICK, immediate=e, note=f"pick {2 * e + 1}")
        for random in range(2):
            a.move("sum", self.q[1], self.zero, self.q[1], mask=Mask.SIGN, immediate=random,
                   note="+-Y")  # fmt: skip

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

    def _sixteen(self) -> None:
        """Append 16 s: four doublings in Jacobian coordinates, which are fewer products.

        Infinity is known by its Z, and gets a Y that is not 0.
        """
        a, (_, y, z), free = self.a, self.s, self.free
        a.copy(free[0], z, self.zero)
        a.call(self.canonical)
        self._step(lambda f: f.to_jacobian)
        a.move("sum", y, y, self.one, mask=Mask.CHOOSE, drained=True, note="1 if Z is 0")
        with a.repeat(DIGIT_BITS, counter=1):
            self._step(lambda f: f.double_jacobian)
        self._step(lambda f: f.from_jacobian)

    def _step(self, of: Callable[[Formulas], Map]) -> None:
        """Append a formula of s, in its place."""

        def formula(r: Recorder) -> Sequence[Linear]:
            x, y, z = (r.input(c, BOUND) for c in "xyz")
            return of(self._formulas(r))((x, y, z))

        places = self.constants | self._named("xyz", self.s)
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
        squared = f"product{of}" if mod else "square"  # of another modulus there is no walk for it
        a.copy(powers[0], base, self.zero, name)
        a.move(squared, square, powers[0], note=f"{name}²")
        for i in range(1, 8):
            note = f"{name}^{2 * i + 1}"
            a.move("product" + of, powers[i], powers[i - 1], square, note=note)
        begun = False
        for squares, window in windows(exponent):
            if begun:
                self._squares(result, squares, squared)
                if window:
                    note = f"times {name}^{window}"
                    a.move("product" + of, result, result, powers[window // 2], note=note)
            else:
                a.copy(result, powers[window // 2], self.zero)
            begun = True

    def _squares(self, number: int, count: int, walk: str) -> None:
        """Square a number so many times."""
        while count:
            times = min(count, 1 << DIGIT_BITS)
            self.a.move(walk, number, number, immediate=times - 1, note=f"{times} times")
            count -= times

    # ---------------------------------------------------------------- parts of programs
    def in_range(self, number: int, limit: int, bad: int, public: str = "") -> None:
        """Go to ``bad`` unless a number is below the number ``limit``; ``public``: see Do."""
        self.a.move("difference", self.free[0], number, limit, capture=Capture.SIGN)
        self.a.order(Order.BRANCH, label=bad, counter=1, public=public, note="not below")

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

    def blind(self, random: int) -> None:
        """Let the affine point s be a triple, by a random number."""
        x, y, z = self.s
        self.enter(random)
        for v in (x, y):
            self.a.move("product", v, v, random, note="random multiple")
        self.a.copy(z, random, self.zero)

    def fill(self) -> None:
        """Fill the table with P, 3 P, .. 15 P of the triple s."""
        self._copy(self.table[0], self.s, "entry 0")
        self._copy(self.q, self.s, "P")
        self.a.call(self.add)
        self._copy(self.q, self.s, "2 P")
        self._copy(self.s, self.table[0], "P")
        for e in range(1, ENTRIES):
            self.a.call(self.add)
            self._copy(self.table[e], self.s, f"entry {e}")

    def _copy(self, to: Triple, of: Triple, note: str) -> None:
        """Copy a triple."""
        for d, v in zip(to, of, strict=True):
            self.a.copy(d, v, self.zero, note)

    def digits(self, k: int, spare: int, wide: bool = False) -> None:
        """Cut the scalar k, which is not negative; ``spare``: as long a number for what is between.

        Where k is secret and wide, its parity is random.
        """
        a = self.a
        of, more = ("wide-", "widen") if wide else ("", "sum")
        offset, by = self.wide_offset if wide else self.offset, 1 << self._left(wide)
        a.move("parity", self.free[0], k, capture=Capture.SIGN, note="is k odd")
        a.move(more, spare, k, self.n, note="k + n")
        a.move(f"{of}sum", k, spare, k, mask=Mask.CHOOSE, drained=True, note="the odd one")
        a.move(f"{of}times {by}", k, k, note=f"{self.turns(wide)} digits, to the left")
        a.move(f"{of}sum", k, k, offset, note="(k + 16^t - 1) / 2")

    def products(self, scalars: Sequence[tuple[int, int]], wide: bool = False) -> None:
        """Let s be the sum of products: each a scalar that is cut, and the lookup of its point."""
        a = self.a
        walk = "wide-digit" if wide else "digit"

        def add(scalar: int, lookup: int, first: bool) -> None:
            a.move(walk, scalar, scalar, capture=Capture.DIGIT, note="next digit")
            a.move("sum", self.free[0], self.zero, self.zero, drained=True, note="wait for it")
            a.call(lookup)
            if first:
                self._copy(self.s, self.q, "the first")
            else:
                a.call(self.add)

        for i, (scalar, lookup) in enumerate(scalars):
            add(scalar, lookup, i == 0)
        with a.repeat(self.turns(wide) - 1, counter=0):
            a.call(self.sixteen)
            for scalar, lookup in scalars:
                add(scalar, lookup, False)

    def on_curve(self, off: int) -> None:
        """Go to ``off`` unless the triple s is on the curve: else something went wrong."""
        a, (x, y, z) = self.a, self.s
        places = self.constants | {"x": x, "y": y, "z": z}
        a.segment(self._homogeneous, [self.free[0]], places, self.free[1:], EQUATION)
        a.call(self.canonical)
        a.order(Order.BRANCH, label=off, counter=1, public="a triple off the curve is a fault")

    def _homogeneous(self, r: Recorder) -> list[Linear]:
        x, y, z = (r.input(v, BOUND) for v in "xyz")
        b = r.input("b", 1)
        zz = r.mul("z²", z, z)
        cubes = r.mul("x³", r.mul("x²", x, x), x) + r.mul("bz³", b, r.mul("z³", zz, z))
        right = self._formulas(r).plus_a(cubes, "xz²", r.mul("xz²", x, zz))
        return [r.sum("y²z less the right side", r.mul("y²z", r.mul("y²", y, y), z) - right)]

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
