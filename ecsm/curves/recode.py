# SPDX-License-Identifier: Apache-2.0
"""Signed odd digits of a scalar: the model and the times of rtl/scalar/ecsm_scalar_window.sv.

Not constant time and not for secrets; the hardware is.
Source: Joye, Tunstall, "Exponent recoding and regular exponentiation algorithms", AFRICACRYPT 2009.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WindowRecoding:
    """A scalar as signed odd digits: k = sum of digits[i] * 2^(w*i) modulo n, negated or not.

    Args:
        digits: the lowest first; all odd, below 2^w in absolute value, the last one positive.
        zero: whether k = 0 modulo n; the digits then sum to n.
        negate: whether the sum is -k modulo n; else it is k.
    """

    digits: tuple[int, ...]
    zero: bool
    negate: bool


def window_digits(n: int, w: int) -> int:
    """Return the number of w-bit digits of a scalar modulo n."""
    return -(-n.bit_length() // w)


def recode_window(k: int, n: int, w: int) -> WindowRecoding:
    """Return the digits of k modulo an odd n, for windows of w bits.

    They sum to k modulo n if that is odd, else to n minus that.
    Raises ValueError if n is even or below 3, if w is below 2, or k negative or longer than n.
    """
    if n < 3 or n % 2 == 0 or w < 2:
        raise ValueError(f"n = {n} must be odd and above 1, w = {w} at least 2")
    if k < 0 or k.bit_length() > n.bit_length():
        raise ValueError(f"k = {k:#x} has not the {n.bit_length()} bits of n")
    reduced = k % n
    negate = reduced % 2 == 0
    odd = n - reduced if negate else reduced
    top = window_digits(n, w) - 1
    low = (1 << (w + 1)) - 1
    digits = [((odd >> w * i & low) | 1) - (1 << w) for i in range(top)]
    return WindowRecoding((*digits, odd >> w * top | 1), reduced == 0, negate)


def window_latency(n: int, chunk: int) -> int:
    """Return the cycles from ecsm_scalar_window's load_i to the first one with its top digit.

    ``chunk`` is the number of bits prepared in a cycle.
    """
    return 2 * -(-n.bit_length() // chunk) + 1
