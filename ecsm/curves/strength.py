# SPDX-License-Identifier: Apache-2.0
"""How strong a curve is: the usual levels of security, as SEC 2 and SP 800-57 name them."""

from __future__ import annotations

from ecsm.curves.curve import Curve

LEVELS = (56, 64, 80, 96, 112, 128, 192, 256)
"""Bits: SEC 2, version 1 (56 to 256), and SP 800-57 part 1, table 2 (80 to 256)."""
NEAR = 2  # curve25519's order has 253 bits, and its level is 128: RFC 7748, section 7
ENOUGH = 112
"""Bits below which a curve is for compatibility alone: SP 800-131A."""


def security_bits(c: Curve) -> int:
    """Return the level of security of a curve: 2 to this power steps find a key, about.

    Pollard's rho takes about the square root of the order; the level is the highest of
    :data:`LEVELS` that is not more. For a curve of less than all levels, as toys are, it is half of
    the bits of the order.
    """
    half = c.n.bit_length() / 2
    return max((level for level in LEVELS if level <= half + NEAR), default=int(half))


def only_compatible(c: Curve) -> str:
    """Return what to say to who chooses a curve, "" for one that is strong enough."""
    bits = security_bits(c)
    if bits >= ENOUGH:
        return ""
    return f"{c.name} has about {bits} bits of security: for compatibility, not for new designs"
