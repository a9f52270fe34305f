# SPDX-License-Identifier: Apache-2.0
"""Products of points of a twisted Edwards curve, in programs of the word engine.

Points are (X : Y : Z : T), x = X/Z, y = Y/Z, T = XY/Z, and the formulas have no exceptions. A
product of the base point is a comb (:mod:`~ecsm.schedule.sequential.comb`): an entry is x and y,
and the digit's sign that of x. A product of another point is for scalars that are public: its
digits are odd, and entries are read by their addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.formulas.gfp import extended
from ecsm.schedule.sequential.comb import HALVES, Comb
from ecsm.schedule.sequential.power import power
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.recorder import Linear, Recorder
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Order, Table

ENTRIES = 1 << DIGIT_BITS - 1  # of a table in the memory
BOUND = 4  # of coordinates, in p
EQUATION = 16  # of the curve equation's two sides, their difference
FREE = 8
MORE = 6  # bits of a cover, above those of p
TURNS = 64  # digits of a public scalar
Formula = Callable[[Recorder], Sequence[Linear]]


class Edwards(Comb):
    """Numbers and routines of products of points.

    ``s``: the point that a routine works on, X, Y, Z and T; ``q``: that which it adds, x, y, z and
    2 d T. ``table``: columns of multiples of a point. ``cut``, ``second``: pieces of scalars of the
    comb. ``k``: a public scalar. ``hidden``: whether digits of the comb are protected.
    """

    curve: EdwardsCurve

    def __init__(self, a: Assembler, curve: EdwardsCurve, hidden: bool = False) -> None:
        super().__init__(a, curve)
        c, self.hidden, self.covered = curve, hidden, hidden
        self.p, self.n = a.number(c.p), a.number(c.n)
        self.d, self.d2 = a.number(c.d), a.number(2 * c.d % c.p)
        self.root = a.number(pow(2, (c.p - 1) // 4, c.p))
        """Of -1."""
        left = a.modulus.W * a.modulus.words - DIGIT_BITS * TURNS - 1
        self.left, self.offset = left, a.number(((1 << DIGIT_BITS * TURNS) - 1) << left)
        self.base_constants()

    def take(self, k: int, second: Sequence[int]) -> None:
        """Take the numbers that change, but those that are given."""
        a = self.a
        self.columns_of_table = [a.numbers(ENTRIES, align=ENTRIES) for _ in range(4)]
        self.table = list(zip(*self.columns_of_table, strict=True))
        self.two = a.numbers(2, align=2)
        self.s, self.q, self.free = a.numbers(4), a.numbers(4), a.numbers(FREE)
        self.w = self.s[2]
        self.covers = self.s[:2] if self.covered else ()
        (self.multiple,), self.more = a.numbers(1), MORE
        self.k = k
        self.cut, self.second = a.numbers(HALVES), second

    @property
    def gather(self) -> str:
        """See Comb; there are shifts to the right that begin with word 1."""
        return f"gather {self.columns} 1"

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called.

        ``canonical``: see Field.reduce; ``inverse``: free[0] is 1/Z; ``double``, ``add_affine``,
        ``add_point``: sums; ``fill``: the table, of the multiples of s.
        """
        a, q = self.a, self.q
        with a.routine("canonical") as self.canonical:
            self.reduce()
        with a.routine("inverse") as self.inverse:
            power(a, self.curve.p - 2, self.s[2], self.free, "1/Z")
        with a.routine("double") as self.double:
            self._segment(lambda r: extended.double(r, *self._inputs(r)[:3]), self.s)
        with a.routine("add_entry") as self.add_entry:
            self.sign_of_entry()
            self.add_affine = a.here()
            self._segment(self._add_covered if self.covers else self._add_affine, self.s)
        self.add_open_entry = self.add_entry
        if self.covers:
            self.cover_routine()
            with a.routine("add_open_entry") as self.add_open_entry:
                self.sign(q[0])
                self._segment(self._add_affine, self.s)
        with a.routine("add_point") as self.add_point:
            self._segment(self._add_point, self.s)
        with a.routine("look_entry") as self.look_entry:
            self.pick(Table.ENTRY, self.table[0])
            self.sign(q[0])
            a.copy(self.two[0], q[3], self.zero)
            self.sign(q[3])
        self.look_comb = self.looks(Table.SIXTEEN, "look_comb")
        self.look_comb_entry = [
            self.look(Table.CONSTANT_ENTRY, comb, "look_comb_entry", self.add_open_entry)
            for comb in self.comb
        ]
        with a.routine("fill") as self.fill:
            self._fill()

    def _places(self) -> dict[str, int]:
        places = {"one": self.one, "d": self.d, "2d": self.d2}
        places |= dict(zip("xyzt", self.s, strict=True))
        return places | dict(zip("XYZK", self.q, strict=True))

    def _segment(self, formula: Formula, to: Sequence[int], most: int = BOUND) -> None:
        self.a.segment(formula, to, self._places(), self.free, most)

    @staticmethod
    def _inputs(r: Recorder, names: str = "xyzt") -> tuple[Linear, Linear, Linear, Linear]:
        x, y, z, t = (r.input(name, BOUND) for name in names)
        return x, y, z, t

    def _add_affine(self, r: Recorder) -> Sequence[Linear]:
        p, x, y = self._inputs(r), r.input("X", BOUND), r.input("Y", BOUND)
        k = r.mul("2dT2", r.input("2d", 1), r.mul("x·y", x, y))
        return extended.add(r, p, x, y, p[2], k)

    def _add_covered(self, r: Recorder) -> Sequence[Linear]:
        most = (2 << MORE) + BOUND  # of a cover
        x1, y1, x, y = (r.input(c, most + 2 * (c in "XY")) for c in "xyXY")
        z, t = r.input("z", BOUND), r.input("t", BOUND)
        return extended.add_covered(r, (x1, y1, z, t), x, y, r.input("2d", 1))

    def _add_point(self, r: Recorder) -> Sequence[Linear]:
        p, (x, y, z, k) = self._inputs(r), self._inputs(r, "XYZK")
        return extended.add(r, p, x, y, r.mul("Z1·Z2", p[2], z), k)

    def _fill(self) -> None:
        """Fill the table with P, 3 P, .. 15 P of the point s."""
        a, s, q = self.a, self.s, self.q
        self._keep(self.table[0])
        a.copy(self.cut[0], s[3], self.zero, "T of P")
        a.call(self.double)
        self.entry_of_s(q, "2 P")
        self._copy(s[:3], self.table[0][:3], "P")
        a.copy(s[3], self.cut[0], self.zero, "P")
        for entry in self.table[1:]:
            a.call(self.add_point)
            self._keep(entry)

    def _keep(self, entry: Sequence[int]) -> None:
        self.entry_of_s(entry, "an entry")

    def entry_of_s(self, entry: Sequence[int], note: str) -> None:
        """Let an entry be the point s."""
        self._copy(entry[:3], self.s[:3], note)
        self.a.move("product", entry[3], self.s[3], self.d2, note="2dT")

    def make_covers(self) -> None:
        """Append X and Y, with the multiple; see Comb."""
        for cover in self.covers:
            self.a.move("sum", cover, cover, self.multiple, note="more bits")
        self.a.move("sum", self.free[0], self.covers[self.signed], note="twice the cover")

    # ---------------------------------------------------------------- parts of programs
    def begin(self, random: int | None) -> None:
        """Let s be the point that a product of the base point begins with; see Comb."""
        a, (x, y, z, t), (start_x, start_y) = self.a, self.s, self.start
        if random is None:
            self._copy([x, y, z], [start_x, start_y, self.one], "m G")
        else:
            for d, v in ((x, start_x), (y, start_y)):
                a.move("product", d, v, random, note="random multiple")
            a.copy(z, random, self.zero)
        a.move("product", t, x, start_y, note="XY/Z")

    def public_product(self) -> None:
        """Let s be its product by k, from 0 to 2^256 - 1; nothing is secret."""
        a, even, s, q = self.a, self.a.label(), self.s, self.q
        done = a.label()
        a.call(self.fill)
        product = a.label()
        self._parity(even)
        a.order(Order.JUMP, label=product)
        a.place(even)
        a.move("sum", self.k, self.k, self.unit, note="an odd one")
        a.copy(self.cut[1], self.unit, self.zero, "one too many")
        a.place(product)
        a.move(f"shift {-self.left} of {DIGIT_BITS * TURNS}", self.second[0], self.k,
               note="digits, to the left")  # fmt: skip
        a.move("sum", self.k, self.second[0], self.offset, note="(k + 16^t - 1) / 2")
        self._digit()
        self._copy(s[:3], q[:3], "the first")
        with a.repeat(TURNS - 1, counter=0):
            with a.repeat(DIGIT_BITS, counter=1):
                a.call(self.double)
            self._digit()
            a.call(self.add_point)
        a.move("sum", self.free[0], self.cut[1], self.zero, capture=Capture.ZERO)
        a.order(Order.BRANCH, label=done, note="k was odd")
        _, y, z, k = self.table[0]
        a.move("difference", q[0], self.zero, self.table[0][0], note="-P")
        self._copy(q[1:3], [y, z], "-P")
        a.move("difference", q[3], self.zero, k, note="-P")
        a.call(self.add_point)
        a.place(done)

    def _parity(self, even: int) -> None:
        """Go to a label if k is even."""
        a = self.a
        a.copy(self.cut[1], self.zero, self.zero)
        a.move("parity", self.free[0], self.k, capture=Capture.SIGN, note="is k odd")
        a.order(Order.BRANCH, label=even, counter=1)

    def _digit(self) -> None:
        """Let q be the entry of the next digit."""
        self.a.move("digit", self.k, self.k, self.w, capture=Capture.DIGIT, note="next digit")
        self.a.call(self.look_entry)

    def affine(self) -> None:
        """Let X and Y of s be x and y, from 0 to p - 1."""
        a, free = self.a, self.free
        a.call(self.inverse)
        for number in self.s[:2]:
            a.move("product", number, number, free[0])
        for number in self.s[:2]:
            a.copy(free[0], number, self.zero)
            a.call(self.canonical)
            a.copy(number, free[0], self.zero)

    def on_curve(self, off: int) -> None:
        """Go to ``off`` unless X, Y and Z of s are a point of the curve: else it was a fault."""

        def formula(r: Recorder) -> Sequence[Linear]:
            x, y, z, _ = self._inputs(r)
            return [extended.equation(r, r.input("d", 1), x, y, z)]

        self.a.segment(formula, [self.free[0]], self._places(), self.free[1:], EQUATION)
        self.a.call(self.canonical)
        self.a.order(Order.BRANCH, label=off, counter=1, public="off the curve is a fault")

    def root_of(self, none: int) -> None:
        """Let X of s be a root of (y^2 - 1)/(d y^2 + 1) of its Y; go to ``none`` if there is none.

        y is from 0 to p - 1, and public. X is from 0 to p - 1. Source: RFC 8032, 5.1.3.
        """
        a, (x, y, *_), (u, v, few, many) = self.a, self.s, self.q
        t, found = self.free[0], a.label()

        def formula(r: Recorder) -> Sequence[Linear]:
            return extended.fraction(r, r.input("d", 1), r.input("one", 1), r.input("y", BOUND))

        places = {"d": self.d, "one": self.one, "y": y}
        a.segment(formula, [u, v, few, many], places, self.free, BOUND)
        power(a, (self.curve.p - 5) // 8, many, self.free, "root")
        a.move("product", x, t, few, note="uv³ (uv⁷)^((p-5)/8)")
        a.move("square", many, x, note="x²")
        a.move("product", many, many, v, note="vx²")
        for walk in ("difference", "sum"):
            a.move(walk, t, many, u, note="is it u, or -u")
            a.call(self.canonical)
            if walk == "sum":
                a.order(Order.BRANCH, label=none, counter=1, note="there is none")
                a.move("product", x, x, self.root, note="times the root of -1")
            else:
                a.order(Order.BRANCH, label=found)
        a.place(found)
        a.copy(t, x, self.zero)
        a.call(self.canonical)
        a.copy(x, t, self.zero)
