# SPDX-License-Identifier: Apache-2.0
"""Arithmetic modulo constants in rtl/scalar/ecsm_order: results, cycles and bounds.

The unit reduces an accumulator from its highest bits (:meth:`Modulus.quotient`: Barrett's method on
the highest bits only). It inverts by division steps. Both work over the integers and over GF(2)[z].
:meth:`Modulus.bounds` computes how large each intermediate value can become.

Sources of the numbers of division steps: :func:`ecsm.curves.gfp.divsteps.steps_needed` for an
integer; Bernstein, Yang, Fast constant-time gcd computation and modular inversion (TCHES 2019),
theorem 6.2 for a polynomial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ecsm.curves.curve import Curve
from ecsm.curves.gf2m.field import poly_mul
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.gfp.divsteps import steps_needed

FINE = 3
"""Bits below the leading one of a modulus that its quotient looks at (FineW)."""


class Interval(NamedTuple):
    """All numbers from ``low`` to ``high``."""

    low: int
    high: int


class Bounds(NamedTuple):
    """What the values modulo an integer can become.

    Attributes:
        accumulator: before a fold.
        result: after one, divided by 2^D.
        quotient: of a fold.
    """

    accumulator: Interval
    result: Interval
    quotient: Interval


@dataclass(frozen=True)
class Modulus:
    """An odd integer, or with ``binary`` a polynomial over GF(2), bit i the coefficient of z^i."""

    value: int
    binary: bool = False

    @property
    def length(self) -> int:
        """Bits of the integer; degree of the polynomial."""
        return self.value.bit_length() - self.binary

    @property
    def steps(self) -> int:
        """Division steps of an inversion."""
        if self.binary:
            return 2 * self.length - 1
        return steps_needed(self.value, self.value)

    def reduce(self, v: int) -> int:
        """Return v modulo this, for any v >= 0."""
        if not self.binary:
            return v % self.value
        while (shift := v.bit_length() - self.value.bit_length()) >= 0:
            v ^= self.value << shift
        return v

    def below(self, v: int) -> bool:
        """Whether v is a residue as it is."""
        return v >> self.length == 0 if self.binary else v < self.value

    def add(self, a: int, b: int) -> int:
        """Return a + b."""
        return self.reduce(a ^ b if self.binary else a + b)

    def sub(self, a: int, b: int) -> int:
        """Return a - b."""
        return self.reduce(a ^ b) if self.binary else (a - b) % self.value

    def mul(self, a: int, b: int) -> int:
        """Return a b."""
        return self.reduce(poly_mul(a, b) if self.binary else a * b)

    def inverse(self, a: int) -> int:
        """Return 1/a, 0 for 0, by division steps; the modulus must be prime (irreducible)."""
        f, g, d, e = self.value, self.reduce(a), 0, 1
        zeta = -1
        for _ in range(self.steps):
            if g & 1 and zeta < 0:
                zeta = ~zeta if self.binary else ~zeta - 1
                f, g, d, e = g, self._half(g, f, -1), e, self._half_mod(e, d, -1)
            else:
                odd = g & 1
                zeta -= 1
                g, e = self._half(g, odd * f, 1), self._half_mod(e, odd * d, 1)
        return -d % self.value if f < 0 else self.reduce(d) if self.binary else d % self.value

    def _half(self, x: int, y: int, sign: int) -> int:
        return (x ^ y if self.binary else x + sign * y) >> 1

    def _half_mod(self, e: int, d: int, sign: int) -> int:
        """Return (e + sign d) / 2 modulo this, at most the modulus either way."""
        if self.binary:
            x = e ^ d
            return (x ^ self.value if x & 1 else x) >> 1
        x = e + sign * d
        if x & 1:
            x += self.value if e < 0 else -self.value
        return x >> 1

    # -------------------------------------------------------------- the accumulator of an integer
    def reciprocal(self, digit: int) -> int:
        """Return R, 2^(D+5) 2^L / m rounded, from the 24 highest bits of m."""
        lead = (self.value << 24) >> self.length
        return ((1 << (digit + 30)) // lead + 1) >> 1

    def quotient(self, acc: int, digit: int) -> int:
        """Return about acc / m, as ecsm_order_quotient does; D is ``digit``."""
        if self.binary:
            return acc >> self.length & ((1 << digit) - 1)
        top = acc >> (self.length - FINE)
        return (2 * top + 1) * self.reciprocal(digit) >> (digit + FINE + 6)

    def _fold(self, acc: Interval, digit: int) -> tuple[Interval, Interval]:
        """Return quotients, and acc - q m, of all ``acc``."""
        shift = self.length - FINE
        lows, highs, quotients = [], [], []
        for top in range(acc.low >> shift, (acc.high >> shift) + 1):
            q = self.quotient(top << shift, digit)
            lows.append(max(acc.low, top << shift) - q * self.value)
            highs.append(min(acc.high, ((top + 1) << shift) - 1) - q * self.value)
            quotients.append(q)
        return Interval(min(quotients), max(quotients)), Interval(min(lows), max(highs))

    def bounds(self, width: int, digit: int) -> Bounds:
        """Return what the accumulator can hold, for any operands of ``width`` bits.

        It follows whole intervals until they grow no more. For an integer only.
        """
        acc = Interval(0, (1 << width) - 1)
        while True:
            q, r = self._fold(acc, digit)
            scale, factor = 1 << digit, (1 << digit) - 1
            low = min(acc.low, scale * r.low + factor * r.low)
            high = max(acc.high, scale * r.high + factor * r.high)
            if (low, high) == acc:
                return Bounds(acc, r, q)
            acc = Interval(low, high)


@dataclass(frozen=True)
class OrderUnit:
    """Parameters of an ecsm_order, and what its operations take.

    Args:
        moduli: what it computes modulo.
        width: bits of a register (W).
        digit: bits of a factor a cycle (D), a power of 2.
        word: bits of a word of its port and strings (Word), a power of 2, a multiple of ``digit``.
        segment: bits of a carry chain, 0 for whole ones (Segment).
        registers: how many (NumReg).
    """

    moduli: tuple[Modulus, ...]
    width: int
    digit: int = 4
    word: int = 64
    segment: int = 0
    registers: int = 8

    @classmethod
    def of(cls, curve: Curve, digit: int, word: int, segment: int = 0) -> OrderUnit:
        """Return the unit for a curve: modulo the order, and the field's prime or polynomial.

        Its registers are as wide as the longer of both.
        """
        binary = isinstance(curve, BinaryCurve)
        field = curve.field.poly if isinstance(curve, BinaryCurve) else curve.q
        moduli = Modulus(curve.n), Modulus(field, binary)
        return cls(moduli, max(m.length for m in moduli), digit, word, segment)

    @cached_property
    def words(self) -> int:
        """Words of a register, N."""
        return -(-self.width // self.word)

    @property
    def parameters(self) -> dict[str, int | str]:
        """The module's parameters; what is wider than an integer is a SystemVerilog literal."""
        count, size = len(self.moduli), self.width + 1
        moduli = sum(m.value << i * size for i, m in enumerate(self.moduli))
        binary = sum(m.binary << i for i, m in enumerate(self.moduli))
        return {
            "W": self.width,
            "D": self.digit,
            "Word": self.word,
            "NumReg": self.registers,
            "NumModulus": count,
            "Modulus": f"{count * size}'h{moduli:x}",
            "Binary": f"{count}'h{binary:x}",
            "Segment": self.segment,
        }

    # -------------------------------------------------------------- cycles, from request to done
    @property
    def add_cycles(self) -> int:
        """Of an addition or a subtraction."""
        return 3 * self.words + 12

    @property
    def xor_cycles(self) -> int:
        """Of an XOR."""
        return 3 * self.words + 3

    @property
    def mul_cycles(self) -> int:
        """Of a multiplication."""
        return 2 * self.words + -(-self.width // self.digit) + 9

    def inv_cycles(self, modulus: int) -> int:
        """Of an inversion modulo the one of that number."""
        return 2 * self.words + self.moduli[modulus].steps + 14

    @property
    def mod_cycles(self) -> int:
        """Of a reduction of a register."""
        return 2 * self.words + 7

    def reduce_cycles(self, bits: int, given: int | None = None) -> int:
        """Of the reduction of ``bits`` bits of a string that never waits.

        ``given``: words that the string has, as many as those bits need if None.
        """
        digits = -(-bits // self.digit)
        direct = min(self.width // self.word, digits * self.digit // self.word)
        wanted = -(-bits // self.word)
        drained = max(0, (wanted if given is None else given) - wanted)
        return self.words + direct + digits - direct * self.word // self.digit + 8 + drained

    def string(self, words: Sequence[int], bits: int) -> int:
        """Return the number that the first ``bits`` bits of a string of words are.

        Zeros follow a shorter string. Modulo a modulus it is what a reduction gives.
        """
        v = 0
        for word in words:
            v = v << self.word | word
        extra = self.word * len(words) - bits
        return v >> extra if extra >= 0 else v << -extra

    @property
    def check_cycles(self) -> int:
        """Of a check."""
        return self.words + 2

    @property
    def clear_cycles(self) -> int:
        """Cycles after that of zeroize_i, and after reset, in which no request is accepted."""
        return self.registers << max(1, (self.words - 1).bit_length())
