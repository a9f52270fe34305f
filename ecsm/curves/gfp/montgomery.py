# SPDX-License-Identifier: Apache-2.0
"""Montgomery residues in limbs that carry late, for any odd modulus.

A number v is represented by R v modulo p, R = 2^(step steps), and a product of residues is a b / R.
The product is computed a digit at a time (:mod:`ecsm.curves.gfp.serial`). Let p' = -1/p modulo
2^step. Each step but the last adds a multiple of p p'. This is -1 modulo 2^step, so the multiple is
the digit that is to be dropped (Orup)::

    q = S mod 2^step,   S <- (S + q p p') / 2^step + a b[t] = floor(S / 2^step) + q M + a b[t]

with M = (p p' + 1) / 2^step. At the end S is below about 2^step times the range of a register. A
last step with p itself makes it small: q = S p' mod 2^step, and (S + q p) / 2^step is little more
than 2p + a b / R.

The prime has no sparse form for the overflow h of a sum: a table has h 2^(word words) modulo p for
every h.

Sources: P. Montgomery, "Modular multiplication without trial division" (1985); H. Orup,
"Simplifying quotient determination in high-radix modular multiplication" (ARITH 12, 1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ecsm.curves.gfp.residues import MOST_ROUNDS, low
from ecsm.curves.gfp.serial import Serial, shift, shift_limit


class NoBounds(ValueError):
    """Results do not fit registers; the message says which."""


@dataclass(frozen=True)
class Montgomery(Serial):
    """Residues modulo an odd p, held as R v: gfp_mul_montgomery.sv and gfp_add_table.sv."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p % 2 == 0:
            raise ValueError("Montgomery's reduction needs an odd modulus")

    @property
    def radix(self) -> int:
        """R modulo p."""
        return pow(2, self.step * self.steps, self.p)

    @property
    def minus_inverse(self) -> int:
        """The p' with p p' = -1 modulo 2^step."""
        return -pow(self.p, -1, 1 << self.step) % (1 << self.step)

    @property
    def multiple(self) -> int:
        """M = (p p' + 1) / 2^step, below p."""
        return (self.p * self.minus_inverse + 1) >> self.step

    @cached_property
    def steps(self) -> int:
        """Digits of an operand: as many as make every result fit a register."""
        most = self.value(self.most)
        count = -(-most.bit_length() // self.step)
        while self._largest(most, count) >> self.word * self.words + 2:  # a register's bits
            count += 1
        return count

    def _largest(self, most: int, steps: int) -> int:
        """Return the largest result of operands of at most ``most``."""
        mask = (1 << self.step) - 1
        s = 0
        for t in range(steps):
            s = (s >> self.step) + mask * self.multiple + most * min(mask, most >> self.step * t)
        return (s + mask * self.p) >> self.step

    def product(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """Return the product of operands over R, in limbs as the multiplier answers them."""
        mask = (1 << self.step) - 1
        m = self.split(self.multiple)
        acc = [0] * self.limbs
        for digit in self.digits(b):
            q = acc[0] & mask
            acc = shift(acc, self.limb, self.step)
            acc = [v + digit * x + q * c for v, x, c in zip(acc, a, m, strict=True)]
        q = acc[0] * self.minus_inverse & mask
        acc = [v + q * c for v, c in zip(acc, self.split(self.p), strict=True)]
        limbs = shift(acc, self.limb, self.step)
        for _ in range(self.rounds):
            limbs = self._carry(limbs)
        return limbs

    def _carry(self, limbs: Sequence[int], most: bool = False) -> list[int]:
        """Return limbs of which each but the highest has handed its overflow to the next.

        With ``most`` the largest ones of limbs up to these.
        """
        kept = [*(low(v, self.limb, most) for v in limbs[:-1]), limbs[-1]]
        return [v + (u >> self.limb) for v, u in zip(kept, [0, *limbs[:-1]], strict=True)]

    @cached_property
    def _bounded(self) -> tuple[int, tuple[int, ...]]:
        """Return the rounds of carries behind a product, and the largest limbs they leave."""
        mask = (1 << self.step) - 1
        acc = [0] * self.limbs
        for digit in self.digit_limits():
            acc = shift_limit(acc, self.limb, self.step)
            m = self.split(self.multiple)
            acc = [v + digit * x + mask * c for v, x, c in zip(acc, self.most, m, strict=True)]
            assert max(acc).bit_length() <= self.accumulator
        acc = [v + mask * c for v, c in zip(acc, self.split(self.p), strict=True)]
        assert max(acc).bit_length() <= self.accumulator
        limbs = shift_limit(acc, self.limb, self.step)
        whole = self._largest(self.value(self.most), self.steps)
        for count in range(1, MOST_ROUNDS + 1):
            # No limb is worth more than the whole.
            limbs = [min(v, whole >> self.limb * k) for k, v in enumerate(self._carry(limbs, True))]
            if self._fits(limbs):
                return count, tuple(limbs)
        raise NoBounds(f"products modulo {self.p:#x} do not fit registers")

    def _fits(self, limbs: Sequence[int]) -> bool:
        return not any(v >> self.weight(k) + 2 for k, v in enumerate(limbs))

    @property
    def rounds(self) -> int:
        """Rounds of carries behind a product."""
        return self._bounded[0]

    @property
    def product_limit(self) -> tuple[int, ...]:
        """The largest limbs of a product."""
        return self._bounded[1]

    @cached_property
    def _summed(self) -> tuple[int, tuple[int, ...]]:
        """Return the rounds of carries before the adder's table, and the largest limbs of a sum."""
        limbs = list(self.most)
        top = self.limbs - 1
        for count in range(MOST_ROUNDS):
            over = [0, *(v >> self.limb for v in limbs[:-1])]
            kept = [min(v, (1 << self.weight(k)) - 1) for k, v in enumerate(limbs)]
            entry = [(1 << self.weight(k)) - 1 for k in range(self.limbs)]
            found = [a + b + c for a, b, c in zip(kept, over, entry, strict=True)]
            index = limbs[top] >> self.weight(top)
            if self._fits(found) and index < 1 << self.headroom + (count > 0):
                return count, tuple(found)
            limbs = self._carry(limbs, most=True)
        raise NoBounds(f"sums modulo {self.p:#x} do not fit registers")

    @property
    def sum_rounds(self) -> int:
        """Rounds of carries behind an operand of the adder, the table's included."""
        return self._summed[0] + 1

    @property
    def sum_limit(self) -> tuple[int, ...]:
        """The largest limbs of a sum."""
        return self._summed[1]

    def carried(self, limbs: Sequence[int]) -> list[int]:
        """Return an operand as the adder carries it."""
        for _ in range(self._summed[0]):
            limbs = self._carry(limbs)
        top = self.limbs - 1
        h = limbs[top] >> self.weight(top)
        entry = self.split((h << self.word * self.words) % self.p)
        over = [0, *(v >> self.limb for v in limbs[:-1])]
        kept = [v & (1 << self.weight(k)) - 1 for k, v in enumerate(limbs)]
        return [a + b + c for a, b, c in zip(kept, over, entry, strict=True)]
