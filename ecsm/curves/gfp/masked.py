# SPDX-License-Identifier: Apache-2.0
"""The scalar of a masked ladder over a prime field: the model of rtl/gfp/masked/gfp_masks.sv.

A ladder over a scalar whose high bits are zero doubles infinity, which is seen. So the scalar k of
w bits becomes k' = k + c with a constant multiple c of the order n of w bits::

    2^(w+1) <= k' < 2^(w+2)    for each k < 2^w, so bit w + 1 of k' is 1
    k' P = k P                 for each P of a curve with n points

The key of a step tells whether its bit of k' is another than the one above; the last key is the
lowest bit itself. The bits that the hardware holds are keys xor random roles, and the roles.
"""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.curves.recode import PlainRecoding, offset_of_fixed_length


@dataclass(frozen=True)
class MaskedRecoding(PlainRecoding):
    """Keys and roles: a digit is twice a role, plus the key xor that role."""

    def entry(self, digit: int) -> int:
        """Return 0: there is no table."""
        del digit
        return 0

    def condition(self, digit: int) -> bool:
        """Whether the point to double is in place B."""
        return bool(digit & 1)

    def role(self, digit: int) -> bool:
        """Whether place A takes the sum, and not the double."""
        return bool(digit >> 1)


def offset(n: int) -> int:
    """Return c."""
    return offset_of_fixed_length(n, n.bit_length())


def keys(k: int, n: int) -> int:
    """Return the keys of k' below its highest bit: w + 2 bits, the first one highest."""
    masked = k + offset(n)
    return (masked << 1 ^ masked) & (4 << n.bit_length()) - 1


def recode_masked(k: int, n: int, roles: int) -> MaskedRecoding:
    """Return the digits of k for w + 2 bits of roles, the first step's highest."""
    count, hidden = n.bit_length() + 2, keys(k, n) ^ roles
    return MaskedRecoding(tuple((roles >> i & 1) << 1 | (hidden >> i & 1) for i in range(count)))
