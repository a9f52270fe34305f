# SPDX-License-Identifier: Apache-2.0
"""Arithmetic in GF(2^m) on plain integers, polynomial basis.

An element is an int ``a``, 0 <= a < 2^m: bit i is the coefficient of z^i. Addition is ``a ^ b``.
Arguments are not range-checked (this is the inner loop of every reference computation): pass
elements only, and use :meth:`BinaryField.contains` where a value comes from outside.

Source: Hankerson, Menezes, Vanstone, *Guide to Elliptic Curve Cryptography* (2004), 2.3 and 3.6.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property


def _spread(nibble: int) -> int:
    """Return the 4 bits of ``nibble`` at the even positions of a byte."""
    return sum((nibble >> i & 1) << 2 * i for i in range(4))


# Squaring interleaves zeros: each byte becomes two, one from its low and one from its high nibble.
_SPREAD_LOW = bytes(_spread(byte & 15) for byte in range(256))
_SPREAD_HIGH = bytes(_spread(byte >> 4) for byte in range(256))


def poly_mul(a: int, b: int) -> int:
    """Return the product of two polynomials over GF(2), unreduced; a, b >= 0 of any size."""
    if a < b:
        a, b = b, a
    table = [0, a]
    for i in range(1, 8):
        table += [table[i] << 1, table[i] << 1 ^ a]
    product = 0
    for shift in range((b.bit_length() + 3) // 4 * 4 - 4, -1, -4):
        product = product << 4 ^ table[b >> shift & 15]
    return product


def poly_gcd(a: int, b: int) -> int:
    """Return the greatest common divisor of two polynomials over GF(2)."""
    while b:
        while (shift := a.bit_length() - b.bit_length()) >= 0 and a:
            a ^= b << shift
        a, b = b, a
    return a


def _prime_factors(n: int) -> list[int]:
    """Return the distinct primes dividing n >= 1 (trial division: n is a field degree)."""
    found = []
    p = 2
    while n > 1:
        if n % p == 0:
            found.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return found


@dataclass(frozen=True)
class BinaryField:
    """GF(2^m) = GF(2)[z] / f(z).

    Args:
        m: degree, at least 2.
        exponents: the exponents of f in descending order, m first and 0 last:
            ``BinaryField(163, (7, 6, 3, 0))`` is f = z^163 + z^7 + z^6 + z^3 + 1; m itself may
            be written or left out and is never kept, so equal fields compare equal.

    Raises:
        ValueError: the exponents are not of that form. Irreducibility is not checked here but by
            :meth:`is_irreducible`.
    """

    m: int
    exponents: tuple[int, ...]

    def __post_init__(self) -> None:
        exps = tuple(self.exponents)
        if exps[:1] == (self.m,):
            exps = exps[1:]
            object.__setattr__(self, "exponents", exps)
        descending = all(i > j for i, j in zip((self.m, *exps), exps, strict=False))
        if self.m < 2 or not exps or exps[-1] != 0 or not descending:
            raise ValueError(f"exponents must descend from below m = {self.m} to 0: {exps}")

    def __str__(self) -> str:
        return f"GF(2^{self.m})"

    @cached_property
    def poly(self) -> int:
        """The polynomial f as an integer, bit m included."""
        return 1 << self.m | sum(1 << e for e in self.exponents)

    @cached_property
    def _mask(self) -> int:
        return (1 << self.m) - 1

    def contains(self, a: int) -> bool:
        """Whether 0 <= a < 2^m."""
        return 0 <= a <= self._mask

    def is_irreducible(self) -> bool:
        """Whether f is irreducible, so that this is a field (Rabin's test)."""
        powers = [2]  # z^(2^i)
        for _ in range(self.m):
            powers.append(self.sqr(powers[-1]))
        return powers[self.m] == 2 and all(
            poly_gcd(self.poly, powers[self.m // q] ^ 2) == 1 for q in _prime_factors(self.m)
        )

    def reduce(self, value: int) -> int:
        """Return the polynomial ``value`` >= 0, of any degree, modulo f."""
        while high := value >> self.m:
            value &= self._mask
            for e in self.exponents:
                value ^= high << e
        return value

    def mul(self, a: int, b: int) -> int:
        """Return a*b."""
        return self.reduce(poly_mul(a, b))

    def sqr(self, a: int) -> int:
        """Return a^2."""
        raw = a.to_bytes((self.m + 7) // 8, "little")
        out = bytearray(2 * len(raw))
        out[0::2] = raw.translate(_SPREAD_LOW)
        out[1::2] = raw.translate(_SPREAD_HIGH)
        return self.reduce(int.from_bytes(out, "little"))

    def frob(self, a: int, k: int) -> int:
        """Return a^(2^k); k may be any integer, since a^(2^m) = a."""
        for _ in range(k % self.m):
            a = self.sqr(a)
        return a

    def sqrt(self, a: int) -> int:
        """Return the one square root of a."""
        return self.frob(a, -1)

    def inv(self, a: int) -> int:
        """Return 1/a (extended Euclid).

        Raises:
            ZeroDivisionError: a = 0.
        """
        if a == 0:
            raise ZeroDivisionError(f"0 has no inverse in {self}")
        u, v, s, t = a, self.poly, 1, 0  # s*a = u and t*a = v modulo f
        while u != 1:
            shift = u.bit_length() - v.bit_length()
            if shift < 0:
                u, v, s, t, shift = v, u, t, s, -shift
            u ^= v << shift
            s ^= t << shift
        return self.reduce(s)

    @cached_property
    def _trace_mask(self) -> int:
        """Bit i is Tr(z^i): the power sums of the roots of f, by Newton's identities."""
        f = self.poly
        sums = [self.m & 1]
        for k in range(1, self.m):
            total = k & f >> (self.m - k) & 1
            for e in self.exponents:
                if 1 <= self.m - e < k:
                    total ^= sums[k - (self.m - e)]
            sums.append(total)
        return sum(bit << i for i, bit in enumerate(sums))

    def trace(self, a: int) -> int:
        """Return Tr(a) = a + a^2 + a^4 + ... + a^(2^(m-1)), 0 or 1."""
        return (a & self._trace_mask).bit_count() & 1

    def half_trace(self, a: int) -> int:
        """Return H(a) = a + a^4 + a^16 + ... + a^(2^(m-1)): H(a)^2 + H(a) = a + Tr(a).

        Raises:
            ValueError: m is even, where no half-trace exists.
        """
        if self.m % 2 == 0:
            raise ValueError(f"{self} has no half-trace: m is even")
        total = a
        for _ in range((self.m - 1) // 2):
            a = self.sqr(self.sqr(a))
            total ^= a
        return total

    def solve_quadratic(self, c: int) -> int | None:
        """Return a z with z^2 + z = c, or None where there is none (Tr(c) = 1).

        The other solution is z + 1; which of the two is returned is not specified.
        For even m: IEEE 1363-2000, A.4.7.
        """
        if self.trace(c):
            return None
        if self.m % 2:
            return self.half_trace(c)
        tau = self._trace_mask & -self._trace_mask  # z^i with the smallest i of trace 1
        z, w = 0, c
        for _ in range(self.m - 1):
            square = self.sqr(w)
            z = self.sqr(z) ^ self.mul(square, tau)
            w = square ^ c
        return z

    def matrix(self, linear: Callable[[int], int]) -> list[int]:
        """Return the m columns of a GF(2)-linear map: column i is its value at z^i.

        ``linear(a)`` is then the XOR of the columns at the set bits of a.
        """
        return [linear(1 << i) for i in range(self.m)]
