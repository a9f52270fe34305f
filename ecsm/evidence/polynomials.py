# SPDX-License-Identifier: Apache-2.0
"""Polynomials over GF(2) in the bits of two operands a and b, at most linear in each.

Every net of a multiplier over GF(2^m) has such a value. A value has one form, so two nets that
have equal values are equal for all operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


class NotBilinear(ValueError):
    """A product is of higher degree than one in the bits of a or in those of b."""


@dataclass(frozen=True)
class Polynomial:
    """c + sum a_i + sum b_j + sum a_i b_j.

    ``a``, ``b``: bit i says whether a_i, b_i is a term. ``ab``: bit ``width * i + j`` says it of
    a_i b_j, where ``width`` is the number of bits of b.
    """

    width: int
    c: int = 0
    a: int = 0
    b: int = 0
    ab: int = 0

    @property
    def constant(self) -> bool:
        """Whether the value is 0 or 1 for all operands."""
        return not (self.a or self.b or self.ab)

    def __add__(self, other: Polynomial) -> Polynomial:
        return Polynomial(
            self.width, self.c ^ other.c, self.a ^ other.a, self.b ^ other.b, self.ab ^ other.ab
        )

    def __mul__(self, other: Polynomial) -> Polynomial:
        """Return the product; raises :class:`NotBilinear` where it is of higher degree."""
        x, y = (self, other) if self.constant else (other, self)
        if x.constant:
            return y if x.c else Polynomial(self.width)
        if self == other:
            return self
        parts = (self, other)
        if any(p.ab for p in parts) or (self.a and other.a) or (self.b and other.b):
            raise NotBilinear("a product is not linear in the bits of each operand")
        outer = _outer(self.a, other.b, self.width) | _outer(other.a, self.b, self.width)
        a = (self.a if other.c else 0) ^ (other.a if self.c else 0)
        b = (self.b if other.c else 0) ^ (other.b if self.c else 0)
        return Polynomial(self.width, self.c & other.c, a, b, outer)


def _outer(a: int, b: int, width: int) -> int:
    """Return the products of the bits of two sums."""
    found, i = 0, 0
    while a and b:
        zeros = (a & -a).bit_length() - 1
        i += zeros
        found |= b << width * i
        a >>= zeros + 1
        i += 1
    return found


def bits_of(name: str, width: int) -> list[Polynomial]:
    """Return the bits of an operand, ``a`` or ``b``, of ``width`` bits."""
    return [Polynomial(width, **{name: 1 << i}) for i in range(width)]


def field_product(poly: int, m: int) -> list[Polynomial]:
    """Return the bits of a b mod f, the lowest first; ``poly``: f, with its term z^m.

    Bit k is the sum of a_i b_j over the i, j for which z^(i + j) mod f has the term z^k.
    """
    terms = [0] * m
    power = 1  # z^s mod f
    diagonals = [
        sum(1 << m * i + s - i for i in range(max(0, s - m + 1), min(m, s + 1)))
        for s in range(2 * m - 1)
    ]
    for diagonal in diagonals:
        for k in range(m):
            if power >> k & 1:
                terms[k] ^= diagonal
        power <<= 1
        if power >> m:
            power ^= poly
    return [Polynomial(m, ab=t) for t in terms]


@lru_cache(maxsize=4096)
def normal_form(table: tuple[int, ...]) -> tuple[int, ...]:
    """Return the algebraic normal form of a truth table: the subsets of inputs that are terms."""
    form = list(table)
    step = 1
    while step < len(form):
        for i in range(len(form)):
            if i & step:
                form[i] ^= form[i ^ step]
        step *= 2
    return tuple(i for i, bit in enumerate(form) if bit)
