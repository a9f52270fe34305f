# SPDX-License-Identifier: Apache-2.0
"""Points of y^2 + xy = x^3 + ax^2 + b over GF(2^m): routines for programs of the word engine.

A product k P is a ladder of x alone (:mod:`~ecsm.formulas.gf2m.serial`) that y is computed from at
the end. It is right for each k from 0 on and each affine P, low orders included, and takes as many
steps as it is told, whatever k is. Step i doubles one of two points, which bit i of k XOR 2k tells.
So that number is moved to the left once, and then doubled for each step: the bit is its sign.

Coordinates are elements as products have them (:class:`~ecsm.schedule.sequential.binary.Polynomial`
has two forms), but where a routine says that they are plain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m import serial, total
from ecsm.formulas.gf2m.ladder import State
from ecsm.schedule.sequential.binary import Polynomial
from ecsm.schedule.sequential.field import FREE, CurvePoints, Triple
from ecsm.schedule.sequential.field_recorder import CHOOSE, FieldRecorder, Sum
from ecsm.schedule.sequential.power import power
from ecsm.schedule.sequential.program import WIDER, Assembler
from ecsm.schedule.sequential.recorder import placed
from ecsm.schedule.sequential.words import DIGIT_BITS, Capture, Mask, Order

Formula = Callable[[FieldRecorder], Sequence[Sum]]
PAIR = ("xs", "zs", "xd", "zd")  # of a ladder: the sum and the double
INFINITE = "whether a product is infinite is told"


class BinaryPoints(CurvePoints):
    """Numbers and routines of a curve.

    ``point``: that of a product, which stays there; ``s``: its result, affine, and then ``k`` is 1
    if it is infinity, else 0. ``wide``: whether scalars are.
    """

    curve: BinaryCurve

    def __init__(self, a: Assembler, curve: BinaryCurve, wide: bool = False) -> None:
        super().__init__(a, curve)
        c, self.wide = curve, wide
        self.field = field = self._field()
        self.root = c.field.sqrt(c.b)
        self.square = a.number(field.square)
        named = {v: name for name, v in (("a", c.a), ("b", c.b), ("√b", self.root)) if v > 1}
        self.names = {1: "1"} | named
        self.constants = {name: a.number(field.enter(v)) for v, name in named.items()}
        self.constants["1"] = self.one
        self.p, self.n = a.number(1 << field.bits), a.number(c.n)

    def _field(self) -> Polynomial:
        assert isinstance(self.a.modulus, Polynomial)
        return self.a.modulus

    def base_constants(self) -> None:
        """Take the constants of the base point."""
        self.base = [self.a.number(self.field.enter(v)) for v in self.curve.generator]

    def take(self) -> None:
        """Take the numbers that change; behind all constants and what outlives a program."""
        a = self.a
        self.k, self.s, self.q = a.wide_number(), a.numbers(3), a.numbers(3)
        self.pair = dict(zip(PAIR, a.numbers(len(PAIR)), strict=True))
        self.point = a.numbers(2)
        self.texts = (a.numbers(2)[0], a.numbers(1)[0])
        self.free = a.numbers(FREE)

    # ---------------------------------------------------------------- formulas
    def segment(self, formula: Formula, outputs: Triple, places: Mapping[str, int],
                free: Sequence[int]) -> None:  # fmt: skip
        """Append a formula; see :meth:`Assembler.segment`."""
        r = FieldRecorder(self.field, self.names)
        results = [r.whole("result", v) for v in formula(r)]
        where = self.constants | dict(places)
        inputs = {atom: where[name] for name, atom in r.names.items()}
        wanted = dict(zip(results, outputs, strict=True))
        for step, to, operands in placed(r.steps, inputs, wanted, list(free), apart=True):
            mask = Mask.CHOOSE if step.walk == CHOOSE else Mask.NONE
            walk = "sum" if step.walk == CHOOSE else step.walk
            self.a.move(walk, to, operands[0], operands[-1], mask=mask, note=step.name)

    def _xy(self, numbers: Triple) -> dict[str, int]:
        return dict(zip("xy", numbers, strict=False))

    def _state(self, r: FieldRecorder) -> State[Sum]:
        return State(*(r.input(name) for name in PAIR))

    def _step(self, r: FieldRecorder) -> Sequence[Sum]:
        return serial.step(r, self.root, self._state(r), 0, r.input("x")).values()

    def _gathered(self, r: FieldRecorder) -> Sequence[Sum]:
        return serial.gathered(r, self._state(r), 0, r.input("x"), r.input("y"))

    def _affine(self, r: FieldRecorder) -> Sequence[Sum]:
        return serial.affine(r, *(r.input(v) for v in ("u", "n", "y", "v")))

    def _equation(self, r: FieldRecorder) -> Sequence[Sum]:
        total.check(r, "curve", self.curve.a, self.curve.b, (r.input("x"), r.input("y")))
        return list(r.tests.values())

    # ---------------------------------------------------------------- routines
    def routines(self) -> None:
        """Append what is called."""
        a = self.a
        with a.routine("canonical") as self.canonical:
            walk = "reduced" if self.field.folds else "product"
            a.move(walk, self.free[0], self.free[0], self.unit, capture=Capture.ZERO, note="plain")
        with a.routine("inverse") as self.inverse:
            power(a, self.curve.q - 2, self.s[2], self.free[:-1], "1/g")
        with a.routine("ladder") as self.ladder:
            self._ladder()

    def _ladder(self) -> None:
        """Let s be the multiple of the point, from the pair on; counter 0: steps, less one."""
        a, (u, n, g), free, (x, y) = self.a, self.s, self.free, self.point
        places, pair = self.pair | self._xy(self.point), list(self.pair.values())
        again = a.here()
        self._next_bit()
        self.segment(self._step, pair, places, free)
        a.order(Order.LOOP, counter=0, label=again)
        self._next_bit()
        a.move("sum", free[0], self.zero, self.zero, drained=True, note="wait for the bit")
        self.segment(self._gathered, [u, n, g, *self.q[:2]], places, free)
        a.call(self.inverse)
        self.segment(self._affine, [u, n], {"u": u, "n": n, "y": y, "v": free[0]}, free[1:])
        a.copy(free[0], self.q[1], self.zero, "Z2")
        a.move("xor", free[1], x, y, note="y of -P")
        a.call(self.canonical)
        for d, v in ((u, x), (n, free[1])):
            a.move("sum", d, d, v, mask=Mask.CHOOSE, drained=True, note="-P if Z2 is 0")
        a.copy(free[0], self.q[0], self.zero, "Z1")
        a.call(self.canonical)
        a.move("sum", self.k, self.zero, self.unit, mask=Mask.CHOOSE, drained=True, note="infinity")

    def _next_bit(self) -> None:
        walk = "wide-sum" if self.wide else "sum"
        self.a.move(walk, self.k, self.k, capture=Capture.SIGN, note="next bit")

    # ---------------------------------------------------------------- parts of programs
    def bits(self, blinded: bool) -> int:
        """Return the bits of a scalar: of h times one below the order, or of a blinded one."""
        c = self.curve
        return (c.h * c.n).bit_length() + (WIDER + 1 if blinded else 0)

    def cut(self, blinded: bool) -> None:
        """Cut the scalar k, not negative, for so many steps; let counter 0 be those."""
        a, m, bits = self.a, self.field, self.bits(blinded)
        of, words = ("wide-", a.wide) if self.wide else ("", m.words)
        twice = self.texts[0]
        a.move(f"{of}sum", twice, self.k, note="2 k")
        a.move(f"{of}xor", self.k, self.k, twice, note="bits that differ from those above")
        left = m.W * words - 2 - bits
        if left < 0:
            raise ValueError(f"{self.curve.name}: a scalar does not fit its words")
        fours, ones = divmod(left, DIGIT_BITS)
        while fours:
            times = min(fours, 1 << DIGIT_BITS)
            a.move(f"{of}digit", self.k, self.k, immediate=times - 1, note="to the left")
            fours -= times
        if ones:
            a.move(f"{of}sum", self.k, self.k, immediate=ones - 1, note="to the left")
        a.order(Order.SET, counter=0, argument=bits - 1)

    def begin(self, random: int | None) -> None:
        """Let the pair be the point and infinity; their Z are a random number, or 1."""
        a, (x, _), pair = self.a, self.point, self.pair
        if random is None:
            a.copy(pair["xs"], x, self.zero, "P")
            a.copy(pair["zs"], self.one, self.zero)
        else:
            self.enter(random)
            a.move("product", pair["xs"], x, random, note="random multiple")
            a.copy(pair["zs"], random, self.zero)
        a.copy(pair["xd"], pair["zs"], self.zero, "infinity")
        a.copy(pair["zd"], self.zero, self.zero)

    def plain(self, number: int) -> None:
        """Let a coordinate be plain."""
        a, t = self.a, self.free[0]
        a.copy(t, number, self.zero)
        a.call(self.canonical)
        a.copy(number, t, self.zero)

    def to_plain(self) -> None:
        """Let s's x and y be plain."""
        for number in self.s[:2]:
            self.plain(number)

    def on_curve(self, off: int, public: str = "") -> None:
        """Go to ``off`` unless s, affine and plain, is on the curve; ``public``: see Do."""
        form = self.free[2:4]
        for number, plain in zip(form, self.s, strict=False):
            self.a.move("product", number, plain, self.square, note="the form of products")
        self._on_curve(form, off, public)

    def _on_curve(self, point: Triple, off: int, public: str = "") -> None:
        """Go to ``off`` unless a point, as products have it, is on the curve."""
        a, free = self.a, self.free
        self.segment(self._equation, [free[0]], self._xy(point), [free[1], *free[4:]])
        a.call(self.canonical)
        a.order(Order.BRANCH, label=off, counter=1, public=public, note="not on the curve")

    def check(self, outside: int, off: int) -> None:
        """Let s's x and y be as products have them; go to ``outside`` or ``off`` if none."""
        for number in self.s[:2]:
            self.in_range(number, self.p, outside)
        for number in self.s[:2]:
            self.enter(number)
        self._on_curve(self.s, off)

    def infinite(self, label: int) -> None:
        """Go to a label if the last product is infinity."""
        a = self.a
        a.move("difference", self.free[0], self.zero, self.k, capture=Capture.SIGN)
        a.order(Order.BRANCH, label=label, public=INFINITE)
