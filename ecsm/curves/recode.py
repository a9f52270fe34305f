# SPDX-License-Identifier: Apache-2.0
"""Signed odd digits of a scalar: the model and the cycles of rtl/scalar/ecsm_scalar_window.sv.

k is replaced by an odd k' = +-k modulo n: 1 <= k' <= n in the low range, n <= k' < 2n in the high
range. For P of odd order n, k'P is computed from the digits d_i, the highest first, as VP with
V := 2^w V + d_i. The additions are incomplete: an addition is exceptional if the new V (opposite
points) or V - 2d_i (equal points) is a multiple of n. With the chosen range and 3n > 2^(w+2), no
V - 2d_i is a multiple. V is one only at the end for k = 0, where infinity is the right result:

- V is always k' shifted right with the lowest bit set; V and V - 2d_i are odd and above 0.
- In every window but the last both are at most 2n / 2^w + 2^(w+1) - 1. That is below n: there are
  three digits or more, so n > 2^(2w-1), which is enough for w > 2. For w = 2 it needs n > 14; the
  remaining n = 13 has been tried. Doubling a V between 0 and n is safe, too.
- In the last window V = k' is n or not a multiple. V - 2d_0 = n means d_0 = 2^w - (n mod 2^(w+1)),
  because k' = d_0 + 2^w modulo 2^(w+1). Then k' = n + 2d_0. That is below n if d_0 < 0, which is if
  bit w of n is 1. The range is high if that bit is 1 and low if it is 0, so k' is out of range.
- If V - 2d_0 is another multiple, then n < 2^(w+1). So bit w of n is 1, the range is high, and the
  multiple is 3n. That happens only for n / 2^w between 6/5 and 4/3: d_0 = 3 (2^w - n),
  k' = 3n + 2d_0.
- The table's odd multiples are sums of 2 and 1, 3, .., 2^w - 3: exceptional only for n < 2^w.

Not constant time and not for secrets; the hardware is.
Source: Joye, Tunstall, "Exponent recoding and regular exponentiation algorithms", AFRICACRYPT 2009.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class WindowRecoding:
    """A scalar as signed odd digits: k = sum of digits[i] * 2^(w*i) modulo n, negated or not.

    Args:
        digits: the lowest first; all odd, below 2^w in absolute value, the last one positive.
        zero: whether k = 0 modulo n; the digits then sum to n, in either range.
        negate: whether the sum is -k modulo n; else it is k.
    """

    digits: tuple[int, ...]
    zero: bool
    negate: bool

    def entry(self, digit: int) -> int:
        """Return the number of the table's entry that a digit names."""
        return (abs(digit) - 1) // 2

    def condition(self, digit: int) -> bool:
        """Whether the condition that is the digit's holds: that it is negative."""
        return digit < 0


@dataclass(frozen=True)
class PlainRecoding(WindowRecoding):
    """A scalar's own digits, none negative; 0 is a scalar like the others."""

    zero: bool = False
    negate: bool = False

    def entry(self, digit: int) -> int:
        """Return the digit."""
        return digit

    def condition(self, digit: int) -> bool:
        """Whether the digit, of a ladder, is 1."""
        return digit == 1


def plain_digits(k: int, count: int, w: int) -> PlainRecoding:
    """Return ``count`` digits of w bits."""
    return PlainRecoding(tuple(k >> w * i & ((1 << w) - 1) for i in range(count)))


def swaps(k: int, bits: int) -> PlainRecoding:
    """Return where a bit of k differs from the one above it: rtl/common/ecsm_scalar_shift.sv."""
    return plain_digits(k ^ k >> 1, bits, 1)


def offset_of_fixed_length(points: int, bits: int) -> int:
    """Return a multiple c of the number of points of a curve that fixes a scalar's length.

    2^(bits+1) <= k + c < 2^(bits+2) for each k < 2^bits, so bit bits + 1 of k + c is always 1, and
    (k + c) P = k P for each point of the curve.
    """
    c = points * -(-(2 << bits) // points)
    assert 2 << bits <= c <= 3 << bits
    return c


def high_range(n: int, w: int) -> bool:
    """Return whether the digits sum to n .. 2n - 1, not to 1 .. n."""
    return bool(n >> w & 1)


def check_window(n: int, w: int) -> None:
    """Raise ValueError unless windows of w bits meet no exceptional addition for any scalar.

    Every n above 4/3 of 2^w will do. Below, those from 2^w to 6/5 of it would, and are refused too.
    """
    if n % 2 == 0 or w < 2 or 3 * n <= 1 << (w + 2):
        raise ValueError(
            f"windows of w = {w} bits are not safe for an order n = {n}: they need w of at least 2,"
            " an odd n, and 3n > 2^(w+2)"
        )


def window_bits(n: int, w: int) -> int:
    """Return the bits that the digits' sum may have."""
    return n.bit_length() + high_range(n, w)


def window_digits(n: int, w: int) -> int:
    """Return the number of w-bit digits of a scalar modulo n."""
    return -(-window_bits(n, w) // w)


def top_values(n: int, w: int) -> int:
    """Return how many values the top digit may have: 1, 3, .., 2 top_values - 1."""
    return 1 << max(window_bits(n, w) - w * (window_digits(n, w) - 1) - 1, 0)


def odd_digits(odd: int, count: int, w: int) -> tuple[int, ...]:
    """Return the ``count`` signed odd digits of an odd number of up to count * w bits."""
    low = (1 << (w + 1)) - 1
    digits = [((odd >> w * i & low) | 1) - (1 << w) for i in range(count - 1)]
    return (*digits, odd >> w * (count - 1) | 1)


def recode_window(k: int, n: int, w: int) -> WindowRecoding:
    """Return the digits of k modulo an odd n, for windows of w bits.

    They sum to the odd one of k and n - k modulo n; in the high range of n + k and 2n - k.
    Raises ValueError if n is even or below 3, if w is below 2, or k negative or longer than n.
    """
    if n < 3 or n % 2 == 0 or w < 2:
        raise ValueError(f"n = {n} must be odd and above 1, w = {w} at least 2")
    if k < 0 or k.bit_length() > n.bit_length():
        raise ValueError(f"k = {k:#x} has not the {n.bit_length()} bits of n")
    reduced = k % n
    base = n if high_range(n, w) else 0
    negate = (base + reduced) % 2 == 0
    odd = base + n - reduced if negate else base + reduced
    return WindowRecoding(odd_digits(odd, window_digits(n, w), w), reduced == 0, negate)


def upward(recoding: WindowRecoding, w: int) -> WindowRecoding:
    """Return, in reverse, the digits in the order of a program that starts with the lowest."""
    return named(replace(recoding, digits=recoding.digits[::-1]), w)


def named(recoding: WindowRecoding, w: int) -> WindowRecoding:
    """Return, in reverse, the digits and behind them those that name the entries of the table.

    The last entry is named first.
    """
    return replace(recoding, digits=(*range(1, 1 << w, 2), *recoding.digits))


def corrected(k: int, count: int, w: int) -> WindowRecoding:
    """Return, in reverse, the digits of k by rtl/scalar/ecsm_scalar_digits.sv, k not reduced.

    The first is 1 if k is odd; it is -1 if k is even, and then it counts. Behind it are the
    ``count`` digits of k | 1, the lowest first, and behind them those that name the entries.
    """
    digits = named(WindowRecoding(odd_digits(k | 1, count, w)[::-1], False, False), w).digits
    return WindowRecoding((*digits, 1 if k & 1 else -1), False, False)


def window_latency(n: int, chunk: int) -> int:
    """Return the cycles from ecsm_scalar_window's load_i to the first one with its top digit.

    ``chunk`` is the number of bits prepared in a cycle.
    """
    return 2 * -(-n.bit_length() // chunk) + 1
