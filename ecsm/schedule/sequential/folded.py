# SPDX-License-Identifier: Apache-2.0
"""Numbers modulo 2^(W (n - 1)) - c or half of that, c small: what is above is folded, not divided.

2^255 - 19 is of this kind: 2^256 is 38 modulo it. A number has n words; the highest one is small.
A product is a b modulo p as it is, without Montgomery's factor. Let U = 2^(W (n - 1)):

1. The columns from U on are summed up first, without the carry from those below: H.
2. The columns below U, each with c times a word of H, and with c times the highest word of H as
   what is left: t, of two words, signed.
3. c t is added to what was below U.

The result is between -c^2 2^(e + 1) and U + c 2^(W + 5) for |a b| of at most U^2 2^e, and so is
nearly below U.

Source: D. J. Bernstein, "Curve25519: new Diffie-Hellman speed records", PKC 2006, section 4;
A. Menezes, P. van Oorschot, S. Vanstone, Handbook of Applied Cryptography, algorithm 14.47.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ecsm.schedule.sequential.modulus import Modulus, OutOfRange
from ecsm.schedule.sequential.walk import NOTHING, Constants, Slot, Walk, pairs, product, squares
from ecsm.schedule.sequential.walk import walk as made

MOST_RESTS = 3  # k + 1
MORE = 22  # e: bits of a product above U^2


@dataclass(frozen=True)
class Folded(Modulus):
    """A modulus p with k p = U - c, k 1 or 2, and c of at most W / 2 bits.

    Raises ValueError for another one.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rests > MOST_RESTS or not 0 < self.fold < 1 << self.W // 2:
            raise ValueError("the modulus is no power of two less a small number")

    @property
    def above(self) -> int:
        """U."""
        return 1 << self.W * (self.words - 1)

    @cached_property
    def fold(self) -> int:
        """C."""
        return self.above % self.p

    @property
    def rests(self) -> int:
        """See Modulus; p is added before, because the product may be below zero."""
        return self.above // self.p + 1

    @property
    def below(self) -> bool:
        """See Modulus."""
        return True

    def bound(self, a: int, b: int) -> int:
        """Return the most that a product is. Raises OutOfRange for factors that are too large."""
        if a * b > self.above**2 << MORE:
            raise OutOfRange("the factors of a product are too large")
        return self.above + (self.fold << self.W + 5)

    def enter(self, value: int) -> int:
        """Return a number as it is, from 0 to p - 1."""
        return value % self.p


@product.register
def _(m: Folded, constants: Constants, square: bool = False) -> Walk:
    """Return the walk of a b, or of a^2, modulo p."""
    n, top = m.words, m.words - 1
    fold, once = constants.operand(m.fold), constants.operand(1)
    column = squares if square else pairs

    def scratch(word: int, by: Slot, signed: bool = False) -> Slot:
        return replace(by, scratch_a=True, offset_a=word, signed_a=signed)

    def written(to: int) -> dict[str, bool | int]:
        return {"write": True, "to_scratch": True, "to": to, "shift": True}

    # The highest words are read last: whatever walk was before has written them by then.
    middle = sorted(column(n, top), key=lambda s: max(2, abs(s.offset_a - s.offset_b)))
    slots: list[Slot] = [NOTHING] * 3
    for k in range(top, 2 * n - 1):
        part = middle if k == top else column(n, k)
        slots += [*part[:-1], replace(part[-1], **written(k - top))]  # type: ignore[arg-type]
    first = len(slots)
    for k in range(top):
        part = [*column(n, k), scratch(k, fold)]
        slots += [*part[:-1], replace(part[-1], **written(k))]  # type: ignore[arg-type]
    slots[first] = replace(slots[first], first=True)
    slots.append(replace(scratch(top, fold, signed=True), **written(n)))  # type: ignore[arg-type]
    slots.append(replace(NOTHING, **written(n + 1)))  # type: ignore[arg-type]
    first = len(slots)
    slots += [scratch(n, fold), scratch(0, once), scratch(n + 1, fold, signed=True)]
    slots += [scratch(k, once) for k in range(1, top)] + [NOTHING]
    words = [first + 1, *range(first + 3, first + 3 + top)]
    for to, at in enumerate(words):
        slots[at] = replace(slots[at], write=True, shift=True, to=to)
    slots[first] = replace(slots[first], first=True)
    return made("square" if square else "product", slots)
