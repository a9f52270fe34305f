# SPDX-License-Identifier: Apache-2.0
"""A scalar in two halves on y^2 = x^3 + b: model and cycles of rtl/scalar/ecsm_scalar_glv.sv.

Such a curve over GF(p), p = 1 modulo 3, of prime order n has the endomorphism phi(x, y) =
(beta x, y), beta^3 = 1, and phi(P) = lam P with lam^2 + lam + 1 = 0 modulo n. The pairs (a, b) with
a + b lam = 0 modulo n are a lattice; (a1, b1), (a2, b2) is a short basis of determinant n, with
b1 < 0 < b2. Let c1, c2 be the integers next to k b2/n and -k b1/n that have the chosen parities.
Then

    k1 = k - c1 a1 - c2 a2,  k2 = -c1 b1 - c2 b2,  k1 + k2 lam = k modulo n,

are both odd: n is odd, so for each parity of k one pair of parities of c1, c2 gives odd k1, k2. A
neighbour is at most 1 away, and 1/8 more because the hardware divides by rounded reciprocals. So
|k1| <= 9/8 (a1 + a2) and |k2| <= 9/8 (b2 - b1). Both are recoded to signed odd digits of w bits.
kP is computed by V := 2^w V + d1 + d2 lam, from the highest digits; d1 and d2 are added one after
the other. The formulas are complete (:mod:`ecsm.formulas.gfp.endomorphism`), so any points may be
added.

Not constant time and not for secrets; the hardware is.
Source: R. Gallant, R. Lambert, S. Vanstone, CRYPTO 2001; D. Hankerson, A. Menezes, S. Vanstone,
"Guide to Elliptic Curve Cryptography" (2004), algorithm 3.74 and note 3.76 (reciprocals).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ecsm.curves.gfp.weierstrass import PrimeCurve, square_root
from ecsm.curves.recode import WindowRecoding, named

WORD = 18  # bits of a word of the decomposition: an operand of a DSP block


@dataclass(frozen=True)
class Decomposition:
    """Scalars modulo ``n`` in halves for ``lam``, digits of ``w`` bits, in words of ``word`` bits.

    Raises ValueError in its attributes where the words cannot hold what they must.
    """

    n: int
    lam: int
    w: int
    word: int = WORD

    @cached_property
    def basis(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """(a1, b1) and (a2, b2), by the extended algorithm of Euclid."""
        rows = [(self.n, 0), (self.lam, 1)]
        while rows[-1][0]:
            (r0, t0), (r1, t1) = rows[-2:]
            rows.append((r0 % r1, t0 - r0 // r1 * t1))
        i = max(i for i, (r, _) in enumerate(rows) if r * r >= self.n)
        first, *others = ((r, -t) for r, t in (rows[i + 1], rows[i], rows[i + 2]))
        second = min(others, key=lambda v: v[0] ** 2 + v[1] ** 2)
        return (first, second) if first[1] < 0 else (second, first)

    @property
    def largest(self) -> tuple[int, int]:
        """The largest |k1| and |k2|."""
        (a1, b1), (a2, b2) = self.basis
        return (a1 + a2) * 9 // 8, (b2 - b1) * 9 // 8

    @property
    def digits(self) -> int:
        """Digits of each half."""
        return -(-max(self.largest).bit_length() // self.w)

    @property
    def bits(self) -> int:
        """Bits of the scalar, which may be n and above."""
        return self.n.bit_length()

    @property
    def columns(self) -> int:
        """Words of a half and of a reciprocal, C; a scalar has up to twice as many."""
        return max(-(-(self.w * self.digits + 1) // self.word), -(-self.bits // (2 * self.word)))

    @cached_property
    def point(self) -> int:
        """Words behind the reciprocals' point, T."""
        (_, b1), (_, b2) = self.basis
        c = self.columns
        for t in range(2 * c - 1, c - 1, -1):
            most = max(self._reciprocal(b, t) for b in (b2, -b1))
            if most >> c * self.word == 0 and self.word * t + 1 >= self.bits + 3:
                return t
        raise ValueError(f"words of {self.word} bits do not suit the order {self.n}")

    def _reciprocal(self, b: int, t: int) -> int:
        return ((b << self.word * t + 1) // self.n + 1) // 2

    @property
    def reciprocals(self) -> tuple[int, int]:
        """b2 / n and -b1 / n, rounded, times 2^(word * point)."""
        (_, b1), (_, b2) = self.basis
        return self._reciprocal(b2, self.point), self._reciprocal(-b1, self.point)

    def parities(self, k: int) -> tuple[int, int]:
        """Return the parities of c1 and c2 with which k1 and k2 are odd."""
        (a1, b1), (a2, b2) = self.basis
        return ((k + 1) * b2 + a2) % 2, ((k + 1) * b1 + a1) % 2

    def split(self, k: int) -> tuple[int, int]:
        """Return k1 and k2, both odd, k1 + k2 lam = k modulo n; raises ValueError for a long k."""
        if k < 0 or k >> self.bits:
            raise ValueError(f"k = {k:#x} has not the {self.bits} bits of n")
        (a1, b1), (a2, b2) = self.basis
        c1, c2 = (
            ((k * g >> self.word * self.point) + 1 - e) // 2 * 2 + e
            for g, e in zip(self.reciprocals, self.parities(k), strict=True)
        )
        return k - c1 * a1 - c2 * a2, -c1 * b1 - c2 * b2

    def signed_digits(self, half: int) -> tuple[int, ...]:
        """Return the digits of k1 or k2, the lowest first: odd, below 2^w in absolute value."""
        w, count = self.w, self.digits
        bits = half + (1 << w * count) >> 1  # bit j stands for 2^j, or -2^j if it is 0
        return tuple(2 * (bits >> w * i & (1 << w) - 1) + 1 - (1 << w) for i in range(count))

    def recode(self, k: int, upward: bool = False) -> WindowRecoding:
        """Return the digits in the order in which they are used, backwards: those of k2 first.

        ``upward``: they are used from the lowest to the highest, then those that name the entries.
        """
        pairs = [*zip(*(self.signed_digits(half) for half in self.split(k)), strict=True)]
        digits = tuple(d for d1, d2 in (pairs[::-1] if upward else pairs) for d in (d2, d1))
        recoded = WindowRecoding(digits, k % self.n == 0, False)
        return named(recoded, self.w) if upward else recoded

    @property
    def rows(self) -> tuple[int, ...]:
        """The six factors of ecsm_scalar_glv, each of C words: reciprocals, then the basis."""
        mask = (1 << self.columns * self.word) - 1
        return (*self.reciprocals, *(-v & mask for pair in self.basis for v in pair))

    @property
    def latency(self) -> int:
        """Cycles from ecsm_scalar_glv's load_i to the first one with its top digit."""
        return 8 * self.columns + 2

    @property
    def cutting(self) -> int:
        """Cycles of the unit that a scalar takes in ecsm_scalar_threads: its digits one by one."""
        return self.latency + 2 * self.digits


def roots(n: int) -> list[int]:
    """Return the roots of x^2 + x + 1 modulo a prime n, none or two."""
    if n % 3 != 1:
        return []
    powers = (pow(g, (n - 1) // 3, n) for g in range(2, n))
    root = next(r for r in powers if r != 1)
    return sorted((root, root * root % n))


def decomposition(n: int, w: int, word: int = WORD) -> Decomposition:
    """Return the halves for the smaller root; raises ValueError if there is none."""
    if found := roots(n):
        return Decomposition(n, found[0], w, word)
    raise ValueError(f"there is no endomorphism for the order n = {n}")


def small_form(curve: PrimeCurve) -> tuple[int, int]:
    """Return u and c, plus or minus a small power of two, with 9 b u^6 = c modulo p.

    y^2 = x^3 + b u^6 is the curve of (u^2 x, u^3 y). Raises ValueError if there is none.
    """
    p = curve.p
    for shift in range(4):
        for c in (1 << shift, -1 << shift):
            sixth = c * pow(9 * curve.b, -1, p) % p
            if p % 9 in (4, 7) and pow(sixth, (p - 1) // 6, p) == 1:
                # The cube root of a cube: to the power of 1/3 modulo the order of the cubes.
                root = square_root(pow(sixth, pow(3, -1, (p - 1) // 3), p), p)
                assert root is not None
                return root, c
    raise ValueError(f"{curve.name} has no form with 9b a small power of two")


def beta(curve: PrimeCurve, lam: int) -> int:
    """Return the beta with which (beta x, y) is lam (x, y); raises ValueError if there is none."""
    if curve.a or curve.h != 1:
        raise ValueError(f"{curve.name} is not y^2 = x^3 + b of prime order")
    x, y = curve.generator
    image = curve.mul(lam, curve.generator)
    for root in roots(curve.p):
        if image == (root * x % curve.p, y):
            return root
    raise ValueError(f"{lam:#x} is no endomorphism of {curve.name}")
