# SPDX-License-Identifier: Apache-2.0
"""Wrapped keys: how a private key leaves a device that it, or one with its key, can open again.

The private key is a number with zeros before it, whole blocks of eight octets. It is wrapped under
the device key, AES-256, with the integrity value of RFC 3394: see :mod:`ecsm.schemes.word.wrap`.
"""

from __future__ import annotations

DEVICE_KEY = 32  # octets
SEMIBLOCK = 8  # octets: half a block of AES
STEPS = 6  # that each part of a key is wrapped in
INTEGRITY = 0xA6  # each octet of what is before a key. Source: RFC 3394, 2.2.3.1


def semiblocks(octets: int) -> int:
    """Return into how many parts a private key of so many octets is cut."""
    return -(-octets // SEMIBLOCK)


def wrapped_octets(octets: int) -> int:
    """Return the octets of a wrapped private key of so many."""
    return SEMIBLOCK * (1 + semiblocks(octets))
