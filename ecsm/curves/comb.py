# SPDX-License-Identifier: Apache-2.0
"""A scalar as digits of a comb, for multiples of a fixed point: model of ecsm_scalar_comb.sv.

k' is the odd one of k and k + n. It is written as a sum of L terms +-2^i: bit i + 1 of k' gives the
sign, and the highest term is positive. If the highest term has a sign too, k' is the odd one of k
and k - n, and one bit shorter. The terms are arranged in rows of ``columns`` terms, and
``teeth`` rows form a group. A group's digit in a column is the sum of its terms there: one of
2^(teeth - 1) points, or its negative. V starts at infinity. Each iteration computes V := 2V + the
digits of all groups in one column, from the highest column. At the end V = kG.

The formulas are complete, so any points may be added, and k' needs no other condition.

Not constant time and not for secrets; the hardware is.
Source: C. H. Lim, P. J. Lee, "More flexible exponentiation with precomputation", CRYPTO 1994;
signed digits for all: M. Hedabou, P. Pinel, L. Beneteau, IACR ePrint 2004/342.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ecsm.curves.curve import Point
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.recode import WindowRecoding


@dataclass(frozen=True)
class Comb:
    """Combs for scalars of ``length`` bits, or as long as ``n``, odd, if it is 0.

    ``groups`` digits in each of ``columns``. ``signed``: the highest term has a sign too.
    """

    n: int
    columns: int
    groups: int = 1
    signed: bool = False
    length: int = 0

    @property
    def scalar_bits(self) -> int:
        """Bits of a scalar."""
        return self.length or self.n.bit_length()

    @property
    def teeth(self) -> int:
        """Terms of a digit: k' has a bit more than n, but for its sign."""
        bits = self.scalar_bits + (not self.signed)
        return -(-bits // (self.columns * self.groups))

    @property
    def entries(self) -> int:
        """Points of a group, up to the sign."""
        return 1 << (self.teeth - 1)

    @property
    def bits(self) -> int:
        """Terms in all, L."""
        return self.columns * self.groups * self.teeth

    def points(self, curve: PrimeCurve | EdwardsCurve) -> list[Point]:
        """Return the groups' points, the lowest group first: bit t of an entry's number is + of t.

        The highest tooth is + always.
        """
        found: list[Point] = []
        tooth: Point = curve.generator  # times 2^columns from one tooth to the next
        for _ in range(self.groups):
            teeth: list[Point] = []
            for _ in range(self.teeth):
                teeth.append(tooth)
                for _ in range(self.columns):
                    tooth = curve.double(tooth)
            lowest = teeth.pop()
            for point in teeth:
                lowest = curve.add(lowest, curve.neg(point))
            entries = [lowest]
            for point in teeth:  # the entries with + of this tooth, whose number has its bit
                twice = curve.double(point)
                entries += [curve.add(entry, twice) for entry in entries]
            found += entries
        return found

    def recode(self, k: int) -> list[tuple[int, ...]]:
        """Return the columns from the top, the digits of their groups from the highest.

        A digit is the entry's number in :meth:`points`, doubled and one more, with the sign.
        Raises ValueError if k is negative or longer.
        """
        if k < 0 or k.bit_length() > self.scalar_bits:
            raise ValueError(f"k = {k:#x} has not the {self.scalar_bits} bits of a scalar")
        odd = k if k % 2 else k - self.n if self.signed else k + self.n
        plus = (odd >> 1) + (1 << (self.bits - 1))
        return [
            tuple(self._digit(plus, column, group) for group in reversed(range(self.groups)))
            for column in reversed(range(self.columns))
        ]

    def _digit(self, plus: int, column: int, group: int) -> int:
        first = group * self.teeth
        teeth = [plus >> column + self.columns * (first + t) & 1 for t in range(self.teeth)]
        positive = teeth.pop()
        index = sum((bit ^ 1 ^ positive) << t for t, bit in enumerate(teeth))
        magnitude = 2 * (group * self.entries + index) + 1
        return magnitude if positive else -magnitude

    def latency(self, chunk: int) -> int:
        """Return the cycles from ecsm_scalar_comb's load_i to the first one with its top digit.

        ``chunk`` is the number of bits prepared in a cycle.
        """
        return -(-(self.scalar_bits + 1) // chunk) + 1


def interleave(
    columns: Sequence[tuple[int, ...]], b: WindowRecoding, entries: int
) -> WindowRecoding:
    """Return the digits of aG + bP in the order in which they are used, the last one first.

    For each column of a's comb, from the top: the digits of the column, then the digits of b that
    belong to it. The entries of the comb follow those of b, of which there are ``entries``. b's
    signs are those of b, not of -b.
    """
    each = len(b.digits) // len(columns)
    rest = [-d if b.negate else d for d in reversed(b.digits)]
    used = []
    for i, column in enumerate(columns):
        used += [d + 2 * entries * (1 if d > 0 else -1) for d in column]
        used += rest[each * i : each * (i + 1)]
    return WindowRecoding(tuple(reversed(used)), False, False)
