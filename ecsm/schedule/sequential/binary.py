# SPDX-License-Identifier: Apache-2.0
"""Polynomials over GF(2) modulo f as words, and the walks of their products and squares.

An element of GF(2^m) is ``used`` words of ``W`` bits, the lowest first. There are two ways to
reduce a product of two of them, n words each, and the one with fewer slots is taken:

- *Montgomery's*, where f is 1 modulo x^W, as many trinomials are. The quotient of a step is the
  column's low word as it is, and adding it times f is: drop that word, and add it times the other
  words of f to the columns above. The result is a b / x^(W n) and has fewer than m bits.
- *Folds*, where f has no term but x^m in its upper half. K = x^(W n) modulo f is short then. With
  the product's upper words H, lower words L, and O = (H K) / x^(W n) without its remainder, the
  result is L + ((H + O) K modulo x^(W n)). The result has any W n bits, and is right modulo f:
  O K has no bit from x^(W n) on, so that nothing is lost. :attr:`Polynomial.fold` checks that.

A folded product is written while its operands are still read. Where it has the place of one, its
*own* walk keeps the words in the scratch number until the end.

Carries do not run in these sums, so upper words need of the lower columns only the last one's high
half. So column n - 1 comes first, then the upper ones, then O, then the lower ones.

Source: C. Koc, T. Acar, "Montgomery multiplication in GF(2^k)", Designs, Codes and Cryptography 14
(1998); D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", 2.3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ecsm.curves.gf2m.field import BinaryField
from ecsm.schedule.sequential.modulus import Ring, Term, plain
from ecsm.schedule.sequential.walk import (
    NOTHING,
    Constants,
    Slot,
    Walk,
    product,
    walk,
)

ROUND = (6, 4)  # products and squares of a step of a ladder: what a way is chosen by


@dataclass(frozen=True)
class Polynomial(Ring):
    """A field polynomial in words. ``least``: words of a number, at least.

    Words of a number above the element's are 0. Raises ValueError if neither way is for the field.
    """

    field: BinaryField
    W: int = 32
    least: int = 1

    def __post_init__(self) -> None:
        if not (self.montgomery or self.fold):
            raise ValueError(f"{self.field} in words of {self.W} bits: f is not for it")

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return self.field.m

    @cached_property
    def used(self) -> int:
        """Words of an element."""
        return -(-self.field.m // self.W)

    @cached_property
    def words(self) -> int:
        """Words of a number."""
        return max(self.least, self.used)

    @cached_property
    def montgomery(self) -> tuple[Term, ...]:
        """Words of f + 1; none if f is not 1 modulo x^W."""
        rest = self.field.poly ^ 1
        return _terms(rest, self.W) if rest % (1 << self.W) == 0 else ()

    @cached_property
    def short(self) -> int:
        """K, that is x^(W n) modulo f; if f has no other terms in its upper half."""
        m = self.field.m
        return (self.field.poly ^ 1 << m) << self.W * self.used - m

    @cached_property
    def over(self) -> int:
        """Words of O: H has fewer than W n bits, less one."""
        return -(-max(0, self.short.bit_length() - 2) // self.W)

    @cached_property
    def fold(self) -> tuple[Term, ...]:
        """Words of K; none if more than one fold would be needed.

        O has fewer bits than K, less one, so O K has fewer than twice those of K, less two. K has
        no more words than n, so that a word of O is not made of words of H + O.
        """
        found = _terms(self.short, self.W)
        fits = 2 * self.short.bit_length() - 3 <= self.W * self.used
        return found if fits and found[-1].place < self.used else ()

    @cached_property
    def folds(self) -> bool:
        """Whether products are reduced by folds."""
        if not (self.montgomery and self.fold):
            return bool(self.fold)
        scratch = Constants(self.W, 1 << 16)
        slots = [
            sum(times * len(way(self, scratch, square, own=False).slots)
                for times, square in zip(ROUND, (False, True), strict=True))
            for way in (_montgomery, _folded)
        ]  # fmt: skip
        return slots[1] < slots[0]

    @property
    def radix(self) -> int:
        """What a product is divided by, as a polynomial: x^(W n), or 1."""
        return 1 if self.folds else 1 << self.W * self.used

    def enter(self, value: int) -> int:
        """Return an element as products have it."""
        return self.field.reduce(value << self.W * self.used) if not self.folds else value

    @property
    def square(self) -> int:
        """What a product with brings an element into the form: the radix squared."""
        return self.enter(self.enter(1))

    def most(self, left: int, right: int) -> int:
        """Return the most bits of a product of numbers of so many bits."""
        if self.folds:
            return self.W * self.used
        return max(self.bits, left + right - 1 - self.W * self.used)

    def of(self, value: int) -> list[int]:
        """Return the words of a number that is not negative. Raises ValueError: too large."""
        if value < 0 or value >> self.W * self.words:
            raise ValueError("the number has more bits than its words")
        return [value >> self.W * i & (1 << self.W) - 1 for i in range(self.words)]


def _terms(value: int, width: int) -> tuple[Term, ...]:
    return tuple(Term(i, w) for i, w in enumerate(plain(value, width)) if w)


# ------------------------------------------------------------------------------ walks
@product.register
def _(m: Polynomial, constants: Constants, square: bool = False) -> Walk:
    """Return the walk of a b / radix, or of a^2 / radix, modulo f."""
    return (_folded if m.folds else _montgomery)(m, constants, square, own=False)


def in_place(f: Polynomial, constants: Constants, square: bool = False) -> Walk:
    """Return the walk of the same, whose result may have the place of an operand."""
    return (_folded if f.folds else _montgomery)(f, constants, square, own=True)


def _columns(n: int, square: bool) -> list[list[Slot]]:
    """Return the products of each column; of a square, those of two words fall out."""
    return [
        [Slot(offset_a=i, offset_b=k - i) for i in range(max(0, k - n + 1), min(n, k + 1))
         if not square or 2 * i == k]
        for k in range(2 * n)
    ]  # fmt: skip


def _ended(column: Sequence[Slot], **last: bool | int) -> list[Slot]:
    """Return a column whose last slot shifts, and does what else is said."""
    column = column or [NOTHING]
    return [*column[:-1], replace(column[-1], shift=True, **last)]  # type: ignore[arg-type]


def _first(slots: list[Slot]) -> list[Slot]:
    """Return slots that begin with no carry."""
    return [replace(slots[0], first=True), *slots[1:]]


def _times(constants: Constants, word: int, value: int) -> Slot:
    """Return the product of a word of the scratch number and a constant."""
    return replace(constants.operand(value), scratch_a=True, offset_a=word)


def _oldest(slots: list[Slot]) -> list[Slot]:
    """Return slots with words of the scratch number last, in the order of their making."""
    return sorted(slots, key=lambda s: s.offset_a if s.scratch_a else -1)


def _zeros(f: Polynomial) -> list[Slot]:
    """Return slots that zero what is above the element."""
    return [replace(NOTHING, first=True, write=True, to=k) for k in range(f.used, f.words)]


def _named(f: Polynomial, name: str, slots: list[Slot]) -> Walk:
    return walk(name, [replace(s, carryless=True) for s in [*slots, *_zeros(f)]])


def _montgomery(f: Polynomial, constants: Constants, square: bool, own: bool) -> Walk:
    del own  # it always may
    n, slots = f.used, list[Slot]()
    for k, pairs in enumerate(_columns(n, square)):
        column = pairs + [_times(constants, k - t.place, t.value) for t in f.montgomery
                          if 0 <= k - t.place < n]  # fmt: skip
        below = k < n
        slots += _ended(_oldest(column), write=True, to_scratch=below, to=k if below else k - n)
    return _named(f, "square" if square else "product", slots)


def _folded(f: Polynomial, constants: Constants, square: bool, own: bool) -> Walk:
    n, columns, slots = f.used, _columns(f.used, square), list[Slot]()
    low, one = n, constants.operand(1)  # the scratch word of the column that comes first
    begins = n - 1 if columns[n - 1] else n

    def kept(k: int) -> int:
        """Return the scratch word of result k: of a word of H that is not read any more."""
        behind = k - f.fold[-1].place
        return behind if behind >= 0 else low + 1 + k

    def folds(at: int) -> list[Slot]:
        """Return the products of H and K in a column."""
        return _oldest([_times(constants, at - t.place, t.value) for t in f.fold
                        if 0 <= at - t.place < n])  # fmt: skip

    # The highest words, which a walk before may have written last, are read last.
    columns[n - 1].sort(key=lambda s: max(s.offset_a, s.offset_b))
    for k in range(begins, 2 * n):
        slots += _ended(columns[k], write=True, to_scratch=True, to=low if k == n - 1 else k - n)
    if f.over:
        slots += _first(_ended(folds(n - 1)))
        for i in range(f.over):
            column = [replace(one, scratch_a=True, offset_a=i), *folds(n + i)]
            slots += _ended(column, write=True, to_scratch=True, to=i)
    lower = list[Slot]()
    for k in range(n):
        first = [replace(one, scratch_a=True, offset_a=low)] if begins < n else []
        column = [*(columns[k] if k < n - 1 else first), *folds(k)]
        lower += _ended(column, write=True, to=kept(k) if own else k, to_scratch=own)
    slots += _first(lower)
    if own:
        copies = [replace(one, scratch_a=True, offset_a=kept(k)) for k in range(n)]
        slots += _first([s for k in range(n) for s in _ended([copies[k]], write=True, to=k)])
    return _named(f, "square" if square else "product", slots)


def reduced(f: Polynomial, constants: Constants) -> Walk:
    """Return the walk of a modulo f, a of W n bits, where products are folds.

    h = a / x^m has fewer bits than f has zeros under x^m, so one step is enough.
    """
    n, above = f.used, f.W * f.used - f.bits
    assert above + (f.field.poly ^ 1 << f.bits).bit_length() <= f.bits + 1
    slots = [replace(constants.operand(1 << above), offset_a=n - 1, shift=True)] if above else []
    slots += _ended([NOTHING], write=True, to_scratch=True) if above else []
    words, lower = dict(enumerate(plain(f.field.poly, f.W))), list[Slot]()
    for k in range(n):
        column = [replace(constants.operand(1), offset_a=k)]
        if above and words.get(k):
            column.append(_times(constants, 0, words[k]))
        lower += _ended(column, write=True, to=k)
    return _named(f, "reduced", [*slots, *_first(lower)])


def xor(n: int) -> Walk:
    """Return the walk of a + b, of n words."""
    return walk("xor", [Slot(offset_a=k, offset_b=k, sum=True, write=True, to=k, shift=True,
                             carryless=True) for k in range(n)])  # fmt: skip
