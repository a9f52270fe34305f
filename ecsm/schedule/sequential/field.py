# SPDX-License-Identifier: Apache-2.0
"""A curve's field in programs of the word engine: its constants, and numbers brought below p.

:class:`Field` is that of any curve, :class:`CurvePoints` one of schemes whose points have x and y.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.weierstrass import PrimeFieldCurve
from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import Capture, Mask, Order, Table

FREE = 11  # numbers for what is between
Triple = Sequence[int]
"""Numbers of X, Y, Z."""
WAIT = "wait for the digit"


class Field(ABC):
    """Numbers and routines of the field of a curve.

    ``p``, ``n``: the numbers of what coordinates are below, and of the order; ``one``: 1 as
    products have it, while ``unit`` is the plain one; ``free``: numbers for what is between,
    ``free[0]`` the operand and result of :meth:`reduce`. ``s``: the point that a routine works on;
    ``q``: that which it adds, an entry of a table; ``signs``: the routine that gives them the
    digit's sign.
    ``two``: of a coordinate that gets the sign, that is q[signed], it and its negative; ``other``:
    any number that changes from digit to digit, if digits are protected.
    """

    p: int
    n: int
    free: list[int]
    s: list[int]
    q: list[int]
    two: list[int]
    signs: int
    signed: int = 0
    other: int | None = None
    others: int

    def __init__(self, a: Assembler, curve: PrimeFieldCurve | BinaryCurve) -> None:
        self.a, self.curve = a, curve
        self.octets = -(-a.modulus.bits // 8)
        self.zero, self.unit = a.number(0), a.number(1)
        self.one = a.number(a.modulus.enter(1))

    @abstractmethod
    def routines(self) -> None:
        """Append what is called."""

    def reduce(self, mod: str = "", modulus: int | None = None) -> None:
        """Let free[0] be its own value / R, from 0 to p - 1; the flag is set if it is 0.

        A product with 1 may be a few p above that, or below 0: the modulus says so (``rests``).
        ``mod``: another modulus, of which ``modulus`` is the number.
        """
        a, t, less = self.a, self.free[0], self.free[1]
        p = self.p if modulus is None else modulus
        walk, integers = f"product mod {mod}" if mod else "product", a.integers(mod)
        a.move(walk, t, t, self.unit, note="from the form of products")
        if integers.below:
            a.move("sum", t, t, p, note="not below 0")
        for _ in range(integers.rests):
            a.move("difference", less, t, p, capture=Capture.SIGN, note="less the modulus")
            a.move("sum", t, less, t, mask=Mask.CHOOSE, capture=Capture.ZERO, drained=True,
                   note="below it")  # fmt: skip

    def in_range(self, number: int, limit: int, bad: int, public: str = "") -> None:
        """Go to ``bad`` unless a number is below the number ``limit``; ``public``: see Do."""
        self.a.move("difference", self.free[0], number, limit, capture=Capture.SIGN)
        self.a.order(Order.BRANCH, label=bad, counter=1, public=public, note="not below")

    def other_routine(self) -> None:
        """Append what is called before a table is read whole, where digits are protected.

        The places of an entry get :attr:`other`, and so does that of the other entries. A number
        that is written over itself would tell of a digit that is the one before again.
        """
        a, other = self.a, self.other
        if other is not None:
            with a.routine("others") as self.others:
                for d in (*self.q, self.two[0]):
                    a.copy(d, other, self.zero, "another number")
                a.move("aside", self.free[0], other, self.zero, note="another number")

    def put_others(self) -> None:
        """Call that."""
        if self.other is not None:
            self.a.call(self.others)

    def pick(self, table: Table, entry: Sequence[int], covers: Sequence[int] = ()) -> None:
        """Let q be the entry of the digit, but for the sign; ``entry``: the first one.

        ``covers``: numbers that are added to its coordinates, made since the digit was taken. Where
        a whole table is read without, :meth:`put_others` comes before.
        """
        a, to = self.a, self.picked
        if not covers and (not table.whole or self.other is None):
            a.move("sum", self.free[0], self.zero, self.zero, drained=True, note=WAIT)
        covers = covers or [self.zero] * len(entry)
        for d, cover, first in zip(to[: len(entry)], covers, entry, strict=True):
            a.move("sum", d, cover, first, mask=Mask.PICK, immediate=table, note="pick")

    @property
    def picked(self) -> list[int]:
        """Where the coordinates of an entry go: that which gets the sign not yet to q."""
        return [self.two[0] if i == self.signed else d for i, d in enumerate(self.q)]

    def sign(self, d: int, negated: int | None = None) -> None:
        """Let a coordinate be the first number of ``two``, with the digit's sign.

        ``negated``: what its negative and it add up to, if not p: twice its cover.
        """
        a, (plain, negative) = self.a, self.two
        a.move("difference", negative, self.p if negated is None else negated, plain,
               note="negative")  # fmt: skip
        a.move("sum", d, self.zero, plain, mask=Mask.SIGN, immediate=1, note="+-")

    def look(
        self, table: Table, entry: Sequence[int], name: str, then: int, covers: Sequence[int] = ()
    ) -> int:
        """Append a routine that picks the digit's entry and goes to ``then``."""
        with self.a.routine(name, returns=False) as found:
            self.pick(table, entry, covers)
            self.a.order(Order.JUMP, label=then)
        return found

    def _copy(self, to: Sequence[int], of: Sequence[int], note: str) -> None:
        """Copy some numbers."""
        for d, v in zip(to, of, strict=True):
            self.a.copy(d, v, self.zero, note)


class CurvePoints(Field):
    """Points with x and y, and their products: what schemes know of them.

    ``k``: the scalar; ``q``: numbers that no routine but a product's changes; ``square``: what
    brings a number into the form of products; ``texts``: the first numbers of two strings, of 28
    words and of four, which a product changes; ``base``: the base point, in the form of products.
    ``s`` is the point that a product is of, and its result; ``free[0]`` the operand and result of
    the routine ``canonical``.
    """

    square: int
    k: int
    texts: tuple[int, int]
    base: list[int]
    canonical: int

    @abstractmethod
    def take(self) -> None:
        """Take the numbers that change; behind all constants and what outlives a program."""

    @abstractmethod
    def check(self, outside: int, off: int) -> None:
        """Let s's plain x and y be as products have them; go to a label if they are no point.

        ``outside``: a coordinate is none; ``off``: the curve has no such point.
        """

    def enter(self, number: int) -> None:
        """Take a number below 2^(W words) into the form of products."""
        self.a.move("product", number, number, self.square, note="the form of products")
