# SPDX-License-Identifier: Apache-2.0
"""Numbers modulo any odd p as words, and what a product needs to know of p.

A number is ``words`` words of ``W`` bits, the lowest first. All are unsigned but the highest one,
which is signed. So it is from -R/2 to R/2 - 1 with R = 2^(W words), and right modulo p. There are
bits to spare above p: sums and differences need no correction, and a product brings the number back
to about p.

A product is Montgomery's, a b / R. Let m be the multiple of p that is -1 modulo 2^W. Then the
quotient of a step is the lowest word of the sum as it is, and q (m + 1) needs no product with the
lowest word of m. The last step is with p itself, so that the result is near p and not near m. If p
is -1 modulo 2^W, m is p, and few words of p + 1 may differ from 0.

Source: P. L. Montgomery, "Modular multiplication without trial division", 1985; A. Menezes, P. van
Oorschot, S. Vanstone, Handbook of Applied Cryptography, algorithm 14.36.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

SPARE = 10  # bits above p, one of them the sign


class OutOfRange(ValueError):
    """A number may be larger than its words, or than what a product takes."""


def digits(value: int, width: int) -> list[int]:
    """Return a number as signed words: each is from -2^(width - 1) to 2^(width - 1) - 1."""
    found = []
    while value:
        low = value & (1 << width) - 1
        low -= (low >> width - 1) << width
        found.append(low)
        value = value - low >> width
    return found


def plain(value: int, width: int) -> list[int]:
    """Return a number as unsigned words."""
    return [value >> i & (1 << width) - 1 for i in range(0, value.bit_length(), width)]


@dataclass(frozen=True)
class Term:
    """A word of a multiple of p: ``value`` 2^(W ``place``); a negative value is a signed word."""

    place: int
    value: int


def terms(value: int, width: int) -> tuple[Term, ...]:
    """Return the words of a number that are not 0, signed or not, as there are fewer."""
    best = min((plain(value, width), digits(value, width)), key=lambda w: len(w) - w.count(0))
    return tuple(Term(i, w) for i, w in enumerate(best) if w)


class Ring(ABC):
    """What products are modulo: a number p, or a polynomial; in words of ``W`` bits."""

    W: int

    @property
    @abstractmethod
    def bits(self) -> int:
        """Bits of what is below the modulus."""

    @property
    @abstractmethod
    def words(self) -> int:
        """Words of a number."""

    @abstractmethod
    def enter(self, value: int) -> int:
        """Return a number as products have it."""

    @abstractmethod
    def of(self, value: int) -> list[int]:
        """Return the words of a number, unsigned. Raises ValueError if it is too large."""


@dataclass(frozen=True)
class Modulus(Ring):
    """An odd modulus in words of ``W`` bits. Raises ValueError for an even one."""

    p: int
    W: int = 32
    least: int = 2  # words of a number, at least

    def __post_init__(self) -> None:
        if self.p < 3 or self.p % 2 == 0:
            raise ValueError("the modulus must be odd and more than 2")

    @property
    def bits(self) -> int:
        """Bits of the modulus."""
        return self.p.bit_length()

    @cached_property
    def words(self) -> int:
        """Words of a number."""
        return max(self.least, -(-(self.p.bit_length() + SPARE) // self.W))

    @cached_property
    def radix(self) -> int:
        """Montgomery's R."""
        return 1 << self.W * self.words

    @cached_property
    def factor(self) -> int:
        """The multiple that m is of p: 1 if p is -1 modulo 2^W."""
        return -pow(self.p, -1, 1 << self.W) % (1 << self.W)

    @cached_property
    def steps(self) -> tuple[Term, ...]:
        """Words of m + 1, for all steps but the last one; for it too if m is p."""
        return terms(self.factor * self.p + 1, self.W)

    @cached_property
    def final(self) -> tuple[Term, ...]:
        """Words of p, for the last step; none if m is p."""
        if self.factor == 1:
            return ()
        return terms(self.p, self.W)

    @property
    def rests(self) -> int:
        """The most multiples of p that a product with 1 has above a number below p."""
        return 1 if self.factor == 1 else 2

    @property
    def below(self) -> bool:
        """Whether a product with 1 may be below zero: by less than p."""
        return False

    def bound(self, a: int, b: int) -> int:
        """Return the most that a product of numbers of at most a and b is."""
        # Of the last step and of those before.
        top = a * b + self.rests * self.radix * self.p
        return -(-top // self.radix)

    def enter(self, value: int) -> int:
        """Return a number's Montgomery form."""
        return value * self.radix % self.p

    def of(self, value: int) -> list[int]:
        """Return the words of a number, unsigned. Raises ValueError if it is too large."""
        half = self.radix >> 1
        if not -half <= value < half:
            raise ValueError("the number has more bits than its words")
        return [value >> self.W * i & (1 << self.W) - 1 for i in range(self.words)]

    def value(self, words: list[int]) -> int:
        """Return the number of words."""
        total = sum(w << self.W * i for i, w in enumerate(words))
        return total - (total >> self.W * self.words - 1) * self.radix
