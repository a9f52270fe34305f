# SPDX-License-Identifier: Apache-2.0
"""Products of the base point by a comb, in programs of the word engine.

The scalar is made odd, and so is a sum of 10 e signs times powers of two, which are the bits of
(k + 2^(10 e) - 1) / 2. They are cut into five pieces of 2 e bits. Digit c is five signs, bit c of
each piece. A table has the sums of G, 2^(2e) G, .. 2^(8e) G with signs, for digits of the lower
halves of the pieces, another one those times 2^e for digits of the upper ones. So e doublings and
2 e sums are a product.

It begins with m G, where m is any number, and ends with the sum of -2^e m G. So no sum of a few
entries is an exception: of two scalars, for instance, whose first digits are the same.

Entries are constants that everybody knows, and a random Z does not hide an operand that is one. So
an entry may get a *cover* as it is read, a number that each sum changes, and the formula of the sum
takes it away again, in a product. A cover that is below p would show in the highest word what is
added to it. So a random multiple of p is added to it, of some bits more than p. It is one number in
all digits of a product, so that the highest words of what is written change by a carry at most.

All entries of a digit have the same cover, so what one of them is written over must not be another:
both differ by as much as two constants do. So each entry that is not the digit's goes to a *decoy*,
a number for each turn of the reading, which has an entry with another cover from before, as the
digit's place has. (On edwards25519 they go to the scratch number: a message is in the decoys'
place.) The covers of x and of y are different ones, as both have the same decoys, and no factor of
what is covered is the cover itself: the lowest words of the product would tell. The sign is chosen
from y and -y, which go to q and to the scratch number: both have the same number before.

Source: C. Lim, P. Lee, "More flexible exponentiation with precomputation", CRYPTO 1994; M. Joye,
M. Tunstall, "Exponent recoding and regular exponentiation algorithms", AFRICACRYPT 2009.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Sequence

from ecsm.curves.gfp.weierstrass import PrimeFieldCurve
from ecsm.schedule.sequential.field import Field
from ecsm.schedule.sequential.walk import PIECES
from ecsm.schedule.sequential.words import DECOYS, Capture, Mask, Table

MORE = 4  # bits of a scalar of the comb, above those of the order
HALVES = 2  # of a piece, with a table each
OTHERS = 4  # constants of walks that are no products, and one for covers
ENTRIES = 1 << PIECES - 1  # of a table


class Comb(Field):
    """Routines of products of the base point.

    ``w``: a number that changes from digit to digit; ``comb``: a table of each half;
    ``look_comb``: routines that look its digits up, and add their entries; ``start``, ``end``: the
    points that a product begins and ends with; ``cut``, ``second``: numbers of a scalar's pieces,
    and of another one's. ``double``, ``add_affine``: routines: s doubled, s + q with an affine q;
    ``add_entry``: the latter, where q's sign is still to come. ``covers``: numbers that are added
    to the coordinates of q, if ``covered``, by the routine ``cover``, which makes them;
    ``multiple``: that of p, below 2^``more`` times p.
    """

    curve: PrimeFieldCurve
    w: int
    cut: Sequence[int]
    second: Sequence[int]
    double: int
    add_affine: int
    add_entry: int
    look_comb: Sequence[int]
    covered: bool = False
    covers: Sequence[int] = ()
    cover: int
    multiple: int
    more: int

    def base_constants(self) -> None:
        """Take the constants of the base point."""
        a, c, m = self.a, self.curve, self.a.modulus
        self.columns = self._columns()
        self.base = [a.number(m.enter(v)) for v in c.generator]
        multiples = self.first_multiple, -(self.first_multiple << self.columns)
        starts = [c.mul(v % c.n, c.generator) for v in multiples]
        self.start, self.end = ([a.number(m.enter(v)) for v in p] for p in starts if p)
        self.comb_offset = a.number((1 << HALVES * PIECES * self.columns) - 1)
        self.comb = [self._comb_table(half) for half in range(HALVES)]

    @property
    def first_multiple(self) -> int:
        """m, for m G that a product of the base point begins with: any number."""
        digest = hashlib.sha256(f"ecsm: {self.curve.name}: where a comb begins".encode()).digest()
        return 1 + int.from_bytes(digest, "big") % (self.curve.n - 1)

    def _columns(self) -> int:
        """Return e: the least one for which there is room for the constants of its shifts."""
        least = -(-(self.curve.n.bit_length() + MORE) // (HALVES * PIECES))
        room = self.a.constants_left() - OTHERS - self.covered
        m = self.a.modulus
        most = (m.W * m.words - 1) // (HALVES * PIECES)  # the offset is a number
        for e in range(least, min(most, least + m.W - 1) + 1):
            if len(self._shifts(e)) <= room:
                return e
        raise ValueError("walks have no room for the constants of a comb")

    def _shifts(self, e: int) -> set[int]:
        """Return the bits that pieces are moved by, to the left of a word."""
        return {-(1 + e * i) % self.a.modulus.W for i in range(1, HALVES * PIECES + 1)}

    def _comb_table(self, half: int) -> Sequence[int]:
        """Take the table of a half, x and y; entry i is that of the digit 2 i + 1."""
        a, c, m = self.a, self.curve, self.a.modulus
        bits = [self.columns * (half + HALVES * piece) for piece in range(PIECES)]
        points = []
        for entry in range(ENTRIES):
            signs = [1, *(2 * (entry >> PIECES - 1 - i & 1) - 1 for i in range(1, PIECES))]
            k = sum(sign << bit for sign, bit in zip(signs, bits, strict=True))
            points.append(c.mul(k % c.n, c.generator))
        assert None not in points
        return [a.constants_table([m.enter(p[i]) for p in points if p]) for i in range(2)]

    # ---------------------------------------------------------------- routines
    def looks(self, table: Table, name: str) -> list[int]:
        """Append the routines that add a digit's entry of a half; one entry alone: if public."""
        return [self.look(table, comb, name, self.add_entry, self.covers) for comb in self.comb]

    def cover_routine(self) -> None:
        """Append what makes covers of s, and twice that of the sign in free[0]."""
        a = self.a
        with a.routine("cover") as self.cover:
            self.make_covers()
            a.move("aside", self.free[0], self.q[self.signed], self.zero,
                   note="what the sign's place has")  # fmt: skip

    @abstractmethod
    def make_covers(self) -> None:
        """Append what makes covers of s, and free[0] twice the one of what gets the sign."""

    def sign_of_entry(self) -> None:
        """Append: q gets the digit's sign."""
        negated = None
        if self.covers:
            negated = self.free[0]
            self.a.move("sum", negated, negated, self.p, note="for two that look alike")
        self.sign(self.q[self.signed], negated)

    def take_multiple(self, random: int, bits: int) -> None:
        """Let ``multiple`` be one of p, by a random number of so many bits."""
        a, to = self.a, self.multiple
        a.move(f"shift {bits - self.a.modulus.bits - self.more} of {bits}", to, random,
               note="a random number above p")  # fmt: skip
        a.move("product", self.free[0], to, self.one, note="modulo p")
        a.move("difference", to, to, self.free[0], note="a random multiple of p")
        self._copy(self.picked[:2], [to, to], "before the first digit")
        if a.decoys:
            self.pick(Table.SIXTEEN, self.comb[0][:1], [to])

    def take_decoys(self, first: int) -> None:
        """Let as many numbers as a table has entries, from a first one on, be decoys.

        What is read for nothing is written there, each time to another one.
        """
        self.a.decoys = first
        self.comb = [[table | DECOYS for table in half] for half in self.comb]

    @property
    def gather(self) -> str:
        """The walk that makes a digit of the comb."""
        return f"gather {self.columns}"

    # ---------------------------------------------------------------- parts of programs
    def cut_comb(self, k: int, pieces: Sequence[int]) -> None:
        """Cut a scalar for the comb, from -2^(10 e) + n to 2^(10 e) - n, into two numbers."""
        a, t, e = self.a, self.free[1], self.columns
        a.move("parity", self.free[0], k, capture=Capture.SIGN, note="is k odd")
        a.move("sum", t, k, self.n, note="k + n")
        a.move("sum", t, t, k, mask=Mask.CHOOSE, drained=True, note="the odd one")
        a.move("sum", t, t, self.comb_offset, note="its signs, twice")
        for half, to in enumerate(pieces):
            a.move(f"spread {1 + half * e} {HALVES * e} {e}", to, t, note="pieces")

    def columns_of(
        self, scalars: Sequence[Sequence[int]], lookups: Sequence[int], covered: bool
    ) -> None:
        """Append: s doubled, and the entries of the next digits of scalars, which are cut."""
        a = self.a
        a.call(self.double)
        for half in reversed(range(HALVES)):
            for pieces in scalars:
                a.move(self.gather, pieces[half], pieces[half], self.w, capture=Capture.DIGIT,
                       note="next digit")  # fmt: skip
                if covered:
                    a.call(self.cover)
                a.call(lookups[half])

    @abstractmethod
    def begin(self, random: int | None) -> None:
        """Let s be the point ``start``; ``random``: a number that Z becomes, else Z is 1."""

    def comb_product(
        self,
        scalars: Sequence[Sequence[int]],
        random: int | None,
        lookups: Sequence[int] | None = None,
    ) -> None:
        """Let s be the product of the base point and the sum of scalars, which are cut.

        ``random``: a number that Z becomes; without it, Z is 1. ``lookups``: routines, if they are
        not those that read all entries.
        """
        a, covered = self.a, bool(self.covers) and lookups is None
        self.begin(random)
        with a.repeat(self.columns, counter=0):
            self.columns_of(scalars, lookups or self.look_comb, covered)
        if covered:
            a.call(self.cover)
        covers = self.covers or [self.zero] * len(self.end)
        for d, v, cover in zip(self.q, self.end, covers, strict=False):
            a.copy(d, v, cover, "-2^e m G")
        a.call(self.add_affine)
