# SPDX-License-Identifier: Apache-2.0
"""Products of residues a digit of one operand at a time: the model of rtl/gfp/field/gfp_mul_column.

In every cycle an accumulator in limbs drops its lowest ``step`` bits, which are final, and adds the
product of a and the next digit of b. No carry moves up: the bits that a limb drops go to the limb
below, and the bits above a limb's weight stay in it.

Source: T. Gueneysu, C. Paar, "Ultra High Performance ECC over NIST Primes on Commercial FPGAs"
(CHES 2008): a column of DSP blocks and n cycles for a product of n digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ecsm.curves.gfp.residues import Reduction, Residues, cut, cut_limit


def shift(limbs: Sequence[int], limb: int, step: int) -> list[int]:
    """Return limbs of the value without its lowest ``step`` bits, step <= limb; nothing carries."""
    mask = (1 << step) - 1
    above = [*limbs[1:], 0]
    return [(v >> step) + ((u & mask) << limb - step) for v, u in zip(limbs, above, strict=True)]


def shift_limit(most: Sequence[int], limb: int, step: int) -> list[int]:
    """Return the largest limbs that :func:`shift` makes of limbs of at most ``most``."""
    mask = (1 << step) - 1
    above = [*most[1:], 0]
    return [(v >> step) + (min(u, mask) << limb - step) for v, u in zip(most, above, strict=True)]


def joined(columns: Sequence[Sequence[int]]) -> list[int]:
    """Return the sums of equal words, word c of column k being worth word 2 k + c."""
    sums = [0] * (2 * (len(columns) - 1) + len(columns[0]))
    for k, column in enumerate(columns):
        for c, v in enumerate(column):
            sums[2 * k + c] += v
    return sums


@dataclass(frozen=True)
class Serial(Residues):
    """Residues whose products process ``step`` bits of one operand a cycle; at most a limb."""

    step: int = 18

    def __post_init__(self) -> None:
        if not 1 <= self.step <= self.limb:
            raise ValueError(f"a step of {self.step} bits does not fit limbs of {self.limb}")

    @property
    def accumulator(self) -> int:
        """Bits of a limb of the accumulator."""
        return self.operand + self.step + 1

    @property
    def steps(self) -> int:
        """Digits of an operand."""
        return -(-self.value(self.most).bit_length() // self.step)

    def digits(self, limbs: Sequence[int]) -> Iterator[int]:
        """Yield the digits of an operand, the lowest first."""
        for _ in range(self.steps):
            yield limbs[0] & (1 << self.step) - 1
            limbs = shift(limbs, self.limb, self.step)

    def digit_limits(self) -> list[int]:
        """Return the largest digits that an operand has."""
        most, mask = self.value(self.most), (1 << self.step) - 1
        return [min(mask, most >> self.step * t) for t in range(self.steps)]


@dataclass(frozen=True)
class Column(Serial):
    """Residues modulo a sparse prime, multiplied in ``steps`` cycles.

    After the last digit, the dropped bits are the low bits of the product and the accumulator is
    the rest. Together they are columns, one limb apart, whose words are added.
    """

    def product(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """Return the product of operands, in limbs as the multiplier answers them."""
        low, acc = 0, [0] * self.limbs
        for t, digit in enumerate(self.digits(b)):
            if t:
                low |= (acc[0] & (1 << self.step) - 1) << self.step * (t - 1)
            acc = [v + digit * x for v, x in zip(shift(acc, self.limb, self.step), a, strict=True)]
        return self.reduction.run(joined(cut(self._columns(low, acc), self.word, self.chunks)))

    @cached_property
    def chunks(self) -> int:
        """Words of a column: of a limb of the accumulator, and the bits of a limb below it."""
        return -(-(self.accumulator + self.step * (self.steps - 1) % self.limb) // self.word)

    def _columns(self, low: int, acc: Sequence[int]) -> list[int]:
        """Return the columns of low + acc 2^(step (steps - 1))."""
        full, rest = divmod(self.step * (self.steps - 1), self.limb)
        mask = (1 << self.limb) - 1
        columns = [low >> self.limb * k & mask for k in range(full)]
        columns += [v << rest for v in acc]
        columns[full] += low >> self.limb * full
        return columns

    @cached_property
    def reduction(self) -> Reduction:
        """How the columns of a product are reduced; raises NotSparse."""
        acc = [0] * self.limbs
        for digit in self.digit_limits():
            acc = shift_limit(acc, self.limb, self.step)
            acc = [v + digit * x for v, x in zip(acc, self.most, strict=True)]
            assert max(acc).bit_length() <= self.accumulator
        low = (1 << self.step * (self.steps - 1)) - 1
        whole = self.value(self.most) ** 2  # no column is larger than the product
        columns = self._columns(low, acc)
        most = [min(v, whole >> self.limb * k) for k, v in enumerate(columns)]
        words = joined(cut_limit(most, self.word, self.chunks))
        return Reduction(self, [0] * len(words), words)
