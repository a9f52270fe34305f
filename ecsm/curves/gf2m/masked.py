# SPDX-License-Identifier: Apache-2.0
"""The scalar of a ladder, recoded; of a masked one, with a fixed highest bit.

A ladder over a scalar whose high bits are zero doubles infinity, which is seen. So the scalar k of
m bits becomes k' = k + c with a constant multiple c of the number of points of the curve::

    2^(m+1) <= k' < 2^(m+2)    for each k < 2^m, so bit m + 1 of k' is 1
    k' P = k P                 for each P of the curve: the number of points times P is infinity

Source: J.-S. Coron, "Resistance against differential power analysis for elliptic curve
cryptosystems", CHES 1999, 5.1, with a constant in the place of the random factor.
"""

from __future__ import annotations

from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.recode import offset_of_fixed_length

MORE_BITS = 3
"""Bits of k' beyond m, with the zero before its highest bit."""


def offset(curve: BinaryCurve) -> int:
    """Return c."""
    return offset_of_fixed_length(curve.n * curve.h, curve.field.m)


def recode(k: int, m: int) -> list[bool]:
    """Return the m + 1 recoded bits, highest first: k_i xor k_(i+1), then k_0."""
    gray = (k << 1) ^ k
    return [bool(gray >> i & 1) for i in range(m, -1, -1)]


def recode_masked(k: int, curve: BinaryCurve) -> list[bool]:
    """Return the m + 4 recoded bits of k': the first is 0 and the second 1, for every k."""
    return recode(k + offset(curve), curve.field.m + MORE_BITS)
