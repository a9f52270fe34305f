# SPDX-License-Identifier: Apache-2.0
"""Scalars for point halving: kP as a sum of halves of P, with the same steps for every scalar.

In the subgroup of odd order n every point has one half, so the multiples 2^-i P are points too. The
equation

    k = C + sum over windows w of d_w 2^-(last - 4 (windows - 1 - w)),   -8 <= d_w <= 7,

modulo n has a solution for every k: the signed digits to the base 16 of 2^t (k - C) mod n, with
t = ``last``. A digit is d = +-2^v o with o in 1, 3, 5, 7. The point +-2^v 2^-i P, a repeated half
of P, is added to accumulator A_o. So

    kP = A_1 + 3 A_3 + 5 A_5 + 7 A_7.

The accumulators start as P, P/2, P/4, P/8. Their part of kP is C P with C = 37/8. So none is ever
zero, and every later term is smaller than all terms before. Therefore no sum is an exceptional case
(:func:`exceptions` computes that, docs/theory/halving.md has the argument).

Source: E. Knudsen, "Elliptic scalar multiplication using point halving", ASIACRYPT 1999; for
right-to-left windows K. Fong, D. Hankerson, J. Lopez, A. Menezes, "Field inversion and point
halving revisited", IEEE Transactions on Computers 53 (2004). The digits of one length, the start
and the argument are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ecsm.curves.gf2m.weierstrass import BinaryCurve

BITS = 4  # of a digit
STEP = 8  # bits that the conversion takes a cycle
ODD = (1, 3, 5, 7)  # what the accumulators stand for
START = (0, 1, 2, 3)  # accumulator o starts as 2^-START P
OFFSET = sum(o << (3 - i) for o, i in zip(ODD, START, strict=True))  # eight times their sum


class NoHalving(ValueError):
    """A curve that the engine for halving is not for; the message says why."""


@dataclass(frozen=True)
class Digit:
    """A digit +-2^``shift`` ``odd``; ``odd`` is 0 for the digit 0."""

    odd: int
    shift: int
    negative: bool

    @staticmethod
    def of(value: int) -> Digit:
        """Return the parts of a number from -8 to 7."""
        size = abs(value)
        shift = (size & -size).bit_length() - 1 if size else 0
        return Digit(size >> shift, shift, value < 0)

    @property
    def value(self) -> int:
        """The number."""
        size = self.odd << self.shift
        return -size if self.negative else size


@dataclass(frozen=True)
class Halves:
    """The numbers of a curve's conversion; n = 2^``top`` + ``delta``."""

    n: int
    bits: int  # of the scalar's port

    @property
    def top(self) -> int:
        """The power of two that is nearest to n."""
        length = self.n.bit_length()
        return length if self.n >> (length - 2) == 3 else length - 1

    @property
    def delta(self) -> int:
        """What n has more than that power."""
        return self.n - (1 << self.top)

    @property
    def width(self) -> int:
        """Bits of the conversion's numbers, two's complement."""
        return max(self.top + 4, BITS * self.windows + 1) + STEP

    @property
    def windows(self) -> int:
        """Digits of a scalar: enough for every number below n in size."""
        count = 1
        while 7 * ((1 << BITS * count) - 1) // 15 < self.n:
            count += 1
        return count

    @property
    def last(self) -> int:
        """Halvings: three for the start, then four a window."""
        return START[-1] + BITS * self.windows

    @property
    def steps(self) -> int:
        """Steps of the conversion, of 8 bits each: 2^(8 steps - 1) k at least 2^last k."""
        return -(-(self.last + 1) // STEP)

    @property
    def spare(self) -> int:
        """Halvings that the conversion has more than the digits use."""
        return STEP * self.steps - 1 - self.last

    @property
    def bias(self) -> int:
        """8 in every digit: makes signed digits plain ones."""
        return 8 * ((1 << BITS * self.windows) - 1) // 15

    @property
    def start(self) -> int:
        """What is added to k: what becomes the bias, less 2^``last`` C, modulo n."""
        return (self.bias * pow(2, -self.last, self.n) - OFFSET * pow(8, -1, self.n)) % self.n

    def convert(self, k: int) -> int:
        """Return 2^``last`` (k - C) modulo n plus the bias, as the hardware does; 0 <= k < 2^bits.

        A step multiplies by 2^8 and drops q 2^``top``, where q is the part above ``top``; the next
        step subtracts q delta. It starts from half of k: ``spare`` is 0 if last + 1 is a multiple
        of 8. Numbers are sums and carries, and q ignores what the lower carries add.
        """
        mask = (1 << self.width) - 1
        first = self.top - STEP + 1
        kept = (1 << first) - 1
        above = self.width - STEP - first  # bits of q
        total, carry, out = k, self.start, (0, 0)  # 2 r, and what is to be added
        for step in range(self.steps):
            q = ((total >> first) + (carry >> first)) & ((1 << above) - 1)
            total, carry = self._step(total & kept, carry & kept, out)
            q -= (q >> (above - 1)) << above
            parts = [-2 * self.delta * part for part in (q & 15, q & 0xF0, q >> STEP << STEP)]
            if step == self.steps - 1:  # n more than what is left, lest it be negative
                parts[2] += 2 * self.n
            out = _carry_save(mask, *(part & mask for part in parts))
        total, carry = self._step(total, carry, out)
        return ((total + carry) & mask) >> (STEP + 1)

    def _step(self, total: int, carry: int, out: tuple[int, int]) -> tuple[int, int]:
        mask = (1 << self.width) - 1
        total, carry = total << STEP & mask, carry << STEP & mask
        for part in out:
            total, carry = _carry_save(mask, total, carry, part << STEP & mask)
        return total, carry

    def digits(self, k: int) -> list[Digit]:
        """Return the digits, the first one the largest."""
        plain = self.convert(k)
        if not 0 <= plain < 16**self.windows:
            raise AssertionError("a scalar's digits do not fit their windows")
        return [Digit.of((plain >> BITS * w & 15) - 8) for w in range(self.windows - 1, -1, -1)]


def _carry_save(mask: int, a: int, b: int, c: int) -> tuple[int, int]:
    """Return a sum of three numbers as two."""
    return (a ^ b ^ c) & mask, ((a & b | a & c | b & c) << 1) & mask


def halves(curve: BinaryCurve) -> Halves:
    """Return a curve's numbers; raises :class:`NoHalving` with the reason if there are none."""
    gf = curve.field
    if gf.m % 2 == 0 or curve.a != 1 or curve.h != 2:
        raise NoHalving(f"{curve.name}: halving is for a = 1, cofactor 2 and odd m")
    found = Halves(curve.n, gf.m)
    # What a step takes out, 2^9 times 2 delta, shifted, must be less than what q is worth.
    if abs(found.delta) << 25 >> found.top:
        raise NoHalving(f"{curve.name}: n is too far from a power of two")
    if found.spare:
        raise NoHalving(f"{curve.name}: {found.last + 1} bits are no whole number of steps")
    if met := exceptions(found):
        raise NoHalving(f"{curve.name}: {met[0]} may vanish modulo n")
    return found


# Coefficients of A_1, A_3, A_5, A_7 in what must not be zero modulo n: sums and differences of the
# two sides of every addition in one coset (see ecsm/formulas/gf2m/halving.py), and what must not be
# infinity or the point of order two.
FORMS: dict[str, tuple[int, int, int, int]] = {
    "A1": (1, 0, 0, 0), "A3": (0, 1, 0, 0), "A5": (0, 0, 1, 0), "A7": (0, 0, 0, 1),
    "A1 - A7": (1, 0, 0, -1), "A5 + A3": (0, 1, 1, 0), "A5 - A3": (0, -1, 1, 0),
    "A1 - A3 + A5 - A7": (1, -1, 1, -1),
    "A3 + A5 + 2 A7": (0, 1, 1, 2), "A3 + A5 - 2 A7": (0, 1, 1, -2),
}  # fmt: skip


def exceptions(h: Halves) -> list[str]:
    """Return the forms that are zero modulo n for some digits; none, for a curve that is safe.

    Exact: for every multiple of n that a form could be, whether digits reach it is found from the
    lowest digit on, with all the carries that are possible. Also after each window, since every
    addition of a window's term to its accumulator must be one of different points.
    """
    met = [name for name, c in FORMS.items() if _vanishes(h, c, h.windows, 0)]
    for odd in ODD:
        for window in range(h.windows):
            one = tuple(int(o == odd) for o in ODD)
            if any(_vanishes(h, one, window, last) for last in _terms(one)):
                met.append(f"A{odd} and the term of window {window}")
                break
    return met


def _terms(coefficients: Iterable[int]) -> set[int]:
    """Return what a window may add to a form, in units of its lowest position."""
    found = {0}
    for odd, c in zip(ODD, coefficients, strict=True):
        for shift in range(BITS):
            if odd << shift <= 1 << (BITS - 1):
                found |= {c << shift, -(c << shift)}
    return found


def _vanishes(h: Halves, coefficients: Iterable[int], windows: int, last: int) -> bool:
    """Whether start + windows' terms (+ ``last`` in the window after them) may be 0 modulo n."""
    coefficients = tuple(coefficients)
    used = windows + bool(last)
    # In units of the last used position; the start is in the positions before the windows.
    start = sum(c << (START[-1] - i) for c, i in zip(coefficients, START, strict=True))
    total = start << BITS * used
    terms = _terms(coefficients)
    most = abs(total) + max(terms) * (16**used - 1) // 15 + 16 * max(terms)
    first, others = ({last}, windows) if last else (terms, used - 1)
    return any(
        _reaches(c * h.n - total, first, terms, others)
        for c in range(-(most // h.n) - 1, most // h.n + 2)
    )


def _reaches(target: int, first: set[int], terms: set[int], others: int) -> bool:
    """Whether a term of ``first`` and ``others`` times 16^i of ``terms`` may sum to ``target``."""
    left = {target}
    for i in range(others + 1):
        left = {
            (v - t) // 16 for v in left for t in (first if i == 0 else terms) if (v - t) % 16 == 0
        }
        if not left:
            return False
    return 0 in left
