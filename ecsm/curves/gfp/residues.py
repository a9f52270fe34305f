# SPDX-License-Identifier: Apache-2.0
"""Residues modulo a sparse prime as the prime-field cores store them: limbs that carry late.

A residue is a vector of ``limbs`` numbers. Its value is the sum of limb i times 2^(64 i) (toys:
less). Limbs are not carried: a limb of a register has a few bits more than its weight needs, a limb
of an operand a few more again. So sums and differences of residues are sums of limbs, with no carry
between limbs and no reduction. Only the multiplier carries and reduces, and not completely: its
result is one of several residues of the same number.

No limb is negative: a difference has a multiple of p added to it that is spread over the limbs
(:meth:`Residues.balance`).

Reduction uses the prime's sparse form: with t = 2^word, every t^j is modulo p a sum of row[i] t^i,
i < words, with small row[i].

Source: J. Solinas, "Generalized Mersenne numbers", CORR 99-39, University of Waterloo (1999);
docs/theory/prime.md has the bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ecsm.curves.gfp.karatsuba import scheme
from ecsm.curves.gfp.limbs import limbs_value

WORD = 32  # bits; two words make a limb
DIGIT = 18  # bits of a DSP block's operand
ADDENDS = 3  # numbers that a product of limbs is the sum of, cut into words before that


class NotSparse(ValueError):
    """The prime has no form by which it could be reduced; the message says why."""


def signed_digits(v: int) -> list[tuple[int, int]]:
    """Return (sign, k) with v = sum of sign * 2^k, no two k neighbours: the fewest there are."""
    out = []
    k = 0
    while v:
        if v & 1:
            sign = 2 - (v & 3)
            out.append((sign, k))
            v -= sign
        v >>= 1
        k += 1
    return out


def signed_ones(v: int) -> int:
    """Return how many powers of two v is a signed sum of."""
    return len(signed_digits(v))


@dataclass(frozen=True)
class Residues:
    """The limbs of a prime: ``word`` bits a word, two words a limb.

    ``headroom``: how many bits more than it is worth a limb of an operand may have. A limb of a
    register has two bits more.

    A number is represented by itself, and a product is computed at once (rtl/gfp/field/gfp_mul.sv).
    :class:`~ecsm.curves.gfp.serial.Column` and :class:`~ecsm.curves.gfp.montgomery.Montgomery`
    differ in this.
    """

    p: int
    word: int = WORD
    headroom: int = 6

    @property
    def bits(self) -> int:
        """Bits of p."""
        return self.p.bit_length()

    @property
    def words(self) -> int:
        """Words that hold a reduced number."""
        return -(-self.bits // self.word)

    @property
    def limbs(self) -> int:
        """Limbs of a residue; the highest has one word if the words are odd."""
        return -(-self.words // 2)

    @property
    def limb(self) -> int:
        """Bits that a limb is worth."""
        return 2 * self.word

    @property
    def register(self) -> int:
        """Bits of a limb in a register."""
        return self.limb + 2

    @property
    def operand(self) -> int:
        """Bits of a limb of an operand."""
        return self.limb + self.headroom

    @property
    def most(self) -> list[int]:
        """Return the largest limbs that an operand may have."""
        return [(1 << self.weight(i) + self.headroom) - 1 for i in range(self.limbs)]

    @property
    def radix(self) -> int:
        """The factor by which a number is held: a residue of v is one of radix * v modulo p."""
        return 1

    @cached_property
    def reduction(self) -> Reduction:
        """How the words of a product are reduced; raises :class:`NotSparse`."""
        products = [x * y for x, y in self._factors(self.most, self.most)]
        pieces = cut_limit(products, self.word, self.chunks, ADDENDS)
        return Reduction(self, *self._combined(pieces))

    @cached_property
    def carries(self) -> tuple[list[Round], tuple[int, ...]]:
        """The adder's rounds of carries, and the largest limbs they leave."""
        return rounds(self, self.most)

    @property
    def product_limit(self) -> tuple[int, ...]:
        """The largest limbs of a product."""
        return self.reduction.limit

    @property
    def sum_limit(self) -> tuple[int, ...]:
        """The largest limbs of a sum."""
        return self.carries[1]

    @property
    def limit(self) -> tuple[int, ...]:
        """The largest limbs that a register can hold: a product's or a sum's."""
        return tuple(max(pair) for pair in zip(self.product_limit, self.sum_limit, strict=True))

    def product(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        """Return a residue of the product of operands, within the multiplier's bounds.

        It is the residue that gfp_mul.sv returns with digits of ``DIGIT`` bits.
        """
        return self.reduction.run(self.product_words(a, b))

    def product_words(self, a: Sequence[int], b: Sequence[int], digit: int = DIGIT) -> list[int]:
        """Return the words of a product of operands as the multiplier has them.

        Word w is worth 2^(word w); their sum is the product. ``digit``: bits of a DSP block's
        operand, which the words depend on (rtl/gfp/field/gfp_limb_mul.sv).
        """
        pieces = []
        for x, y in self._factors(a, b):
            numbers = cut(addends(x, y, digit, self.sum_width), self.word, self.chunks)
            pieces.append([sum(words) for words in zip(*numbers, strict=True)])
        return [low + high for low, high in zip(*self._combined(pieces), strict=True)]

    @cached_property
    def sum_width(self) -> int:
        """Bits of a sum of limbs of operands."""
        return (scheme(self.limbs).most_limbs * ((1 << self.operand) - 1)).bit_length()

    @cached_property
    def chunks(self) -> int:
        """Words of a product of sums of limbs; no sum of limbs is more than that of all."""
        return -(-(sum(self.most) ** 2).bit_length() // self.word)

    @cached_property
    def _picks(self) -> list[list[int]]:
        """The limbs of each sum that is multiplied (Karatsuba)."""
        picks = scheme(self.limbs).picks
        return [[i for i in range(self.limbs) if pick >> i & 1] for pick in picks]

    def _factors(self, a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
        """Return the sums of limbs that are multiplied."""
        return [(sum(a[i] for i in some), sum(b[i] for i in some)) for some in self._picks]

    def _combined(self, pieces: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
        """Return what is subtracted in the words of a product, and what is added.

        ``pieces``: the words of the products of sums of limbs.
        """
        columns = scheme(self.limbs).columns
        found = [[0] * (2 * (len(columns) - 1) + self.chunks) for _ in range(2)]
        for k, column in enumerate(columns):
            for j, sign in column:
                words = found[sign > 0]
                for c, v in enumerate(pieces[j], 2 * k):
                    words[c] += sign * v
        return found[0], found[1]

    def carried(self, limbs: Sequence[int]) -> list[int]:
        """Return an operand as the adder carries it."""
        limbs = list(limbs)
        for one in self.carries[0]:
            limbs = one.run(limbs)
        return limbs

    def weight(self, i: int) -> int:
        """Bits that limb i holds when carried: those of its words."""
        return self.word * min(2, self.words - 2 * i)

    def split(self, v: int) -> list[int]:
        """Return a number below 2^(word * words) as carried limbs."""
        mask = (1 << self.limb) - 1
        return [v >> self.limb * i & mask for i in range(self.limbs)]

    def value(self, limbs: Sequence[int]) -> int:
        """Return the number that limbs are, not reduced."""
        return limbs_value(limbs, self.limb)

    def row(self, j: int) -> tuple[int, ...]:
        """Return row[i] with t^j = sum of row[i] t^i modulo p: the smallest of a few."""
        if j < self.words:
            return tuple(int(i == j) for i in range(self.words))
        least = pow(2, self.word * j, self.p)
        forms = [self._digits(least + m * self.p) for m in range(-2, 2)]
        return tuple(min(forms, key=lambda form: sum(map(abs, form))))

    def _digits(self, v: int) -> list[int]:
        """Return v as balanced words, the highest taking what is left."""
        out = []
        half = 1 << (self.word - 1)
        for _ in range(self.words - 1):
            d = (v + half) % (1 << self.word) - half
            out.append(d)
            v = (v - d) >> self.word
        return [*out, v]

    def spread(self, v: int, bits: int) -> list[int]:
        """Return v, -2^bits <= v <= 2^bits, as limbs, of which the highest used may be negative."""
        top = bits // self.limb
        mask = (1 << self.limb) - 1
        low = [v >> self.limb * i & mask for i in range(top)]
        return [*low, v >> self.limb * top, *([0] * (self.limbs - top - 1))]

    def balance(self, least: Sequence[int]) -> list[int]:
        """Return limbs of a multiple of p, each of at least ``least[i]`` and little more."""
        rest = self.split(-self.value(least) % self.p)
        return [a + b for a, b in zip(least, rest, strict=True)]


def low(v: int, bits: int, most: bool = False) -> int:
    """Return the lowest bits of v; with ``most`` the largest that a number up to v has there."""
    mask = (1 << bits) - 1
    return min(v, mask) if most else v & mask


@dataclass(frozen=True)
class Round:
    """One round of carries.

    Limb k becomes its own low bits, the overflow of limb k - 1, what the overflow h of the highest
    limb is worth (``fold[k]`` h), and ``offset[k]``.
    """

    residues: Residues
    fold: tuple[int, ...]
    offset: tuple[int, ...]

    def run(self, limbs: Sequence[int], most: bool = False) -> list[int]:
        """Return the carried limbs; with ``most`` the largest ones of limbs up to these."""
        r = self.residues
        over = [v >> r.weight(k) for k, v in enumerate(limbs)]
        fold = [max(0, f) for f in self.fold] if most else self.fold
        return [
            low(v, r.weight(k), most)
            + (over[k - 1] if k else 0)
            + fold[k] * over[-1]
            + self.offset[k]
            for k, v in enumerate(limbs)
        ]


MOST_ROUNDS = 4
MOST_TERMS = 32  # that a reduced word is the sum of; the standard primes have up to 16


def rounds(r: Residues, limbs: Sequence[int]) -> tuple[list[Round], tuple[int, ...]]:
    """Return the rounds after which limbs of at most ``limbs`` fit registers, and the limbs then.

    Raises :class:`NotSparse` if no few rounds do.
    """
    found: list[Round] = []
    row = [*r.row(r.words), 0]
    fold = tuple(row[2 * k] + (row[2 * k + 1] << r.word) for k in range(r.limbs))
    limbs = list(limbs)
    while max(v >> r.weight(k) + 2 for k, v in enumerate(limbs)):
        if len(found) == MOST_ROUNDS:
            raise NotSparse(f"{r.p:#x} has no sparse form in words of {r.word} bits")
        over = limbs[-1] >> r.weight(r.limbs - 1)
        least = [max(0, -f) * over for f in fold]
        offset = r.balance(least) if any(least) else [0] * r.limbs
        found.append(Round(r, fold, tuple(offset)))
        limbs = found[-1].run(limbs, most=True)
    return found, tuple(limbs)


class Reduction:
    """From the words of a product to the limbs of a register, with the bounds of every step.

    Word j is worth 2^(word j) and is between ``least[j]`` and ``most[j]``. It goes to the words of
    its row; ``offset`` (a multiple of p) keeps these above zero. Rounds of carries follow until
    every limb fits a register: at most ``limit[k]``.

    Raises :class:`NotSparse` if they never do.
    """

    def __init__(self, r: Residues, least: Sequence[int], most: Sequence[int]) -> None:
        self.residues = r
        sums = list(zip(least, most, strict=True))
        while not any(sums[-1]):
            sums.pop()
        self.least, self.most = ([ends[i] for ends in sums] for i in (0, 1))
        self.words = len(sums)
        self.rows = [r.row(j) for j in range(self.words)]
        if max(sum(signed_ones(row[i]) for row in self.rows) for i in range(r.words)) > MOST_TERMS:
            raise NotSparse(f"{r.p:#x} has no sparse form in words of {r.word} bits")
        high, low = ([0] * r.words for _ in range(2))
        for row, ends in zip(self.rows, sums, strict=True):
            for i, c in enumerate(row):
                high[i] += max(c * v for v in ends)
                low[i] -= min(c * v for v in ends)
        self.offset = self._above(low)
        high = [a + b for a, b in zip(high, self.offset, strict=True)]
        self.sum_bits = signed_bits(self.least + self.most)
        self.word_bits = max(high).bit_length()
        limbs = self._join(high)
        self.limb_bits = max(limbs).bit_length()
        self.rounds, self.limit = rounds(r, limbs)

    def _above(self, least: list[int]) -> list[int]:
        """Return words of a multiple of p, each at least ``least[i]``."""
        r = self.residues
        if not any(least):
            return least
        rest = -sum(v << r.word * i for i, v in enumerate(least)) % r.p
        mask = (1 << r.word) - 1
        return [v + (rest >> r.word * i & mask) for i, v in enumerate(least)]

    def _join(self, words: Sequence[int]) -> list[int]:
        """Return words as limbs."""
        r = self.residues
        words = [*words, *([0] * (2 * r.limbs - r.words))]
        return [a + (b << r.word) for a, b in zip(words[::2], words[1::2], strict=True)]

    def run(self, sums: Sequence[int]) -> list[int]:
        """Return the limbs that the words of a product are reduced to."""
        words = list(self.offset)
        for row, s in zip(self.rows, sums, strict=False):
            words = [w + c * s for w, c in zip(words, row, strict=True)]
        limbs = self._join(words)
        for one in self.rounds:
            limbs = one.run(limbs)
        return limbs


def signed_bits(values: Sequence[int]) -> int:
    """Return the bits of a number by complement that holds any of the values."""
    return 1 + max(max(v, -v - 1).bit_length() for v in values)


def addends(a: int, b: int, digit: int, bits: int) -> list[int]:
    """Return the numbers whose sum gfp_limb_mul.sv makes of a b, numbers of ``bits``."""
    x, y = cut((a, b), digit, -(-bits // digit))
    stride = -(-(2 * digit + (len(x) - 1).bit_length()) // digit)  # columns that do not overlap
    found = [0] * ADDENDS
    for i, u in enumerate(x):
        for j, v in enumerate(y, i):
            found[j % stride] += u * v << digit * j
    return found


def cut(columns: Sequence[int], word: int, chunks: int) -> list[list[int]]:
    """Return columns, none below zero, in ``chunks`` words each."""
    mask = (1 << word) - 1
    return [[v >> word * c & mask for c in range(chunks)] for v in columns]


def cut_limit(columns: Sequence[int], word: int, chunks: int, numbers: int = 1) -> list[list[int]]:
    """Return the largest sums of words of ``numbers`` numbers that are no more than columns."""
    most = numbers * ((1 << word) - 1)
    return [[min(v >> word * c, most) for c in range(chunks)] for v in columns]
