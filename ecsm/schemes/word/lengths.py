# SPDX-License-Identifier: Apache-2.0
"""How many octets the strings have that an engine with all schemes sends to a hash."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ecsm.schemes.psec import H_LEN
from ecsm.schemes.word.hashing import Hash

if TYPE_CHECKING:
    from ecsm.schemes.word.weierstrass import Weierstrass

COUNTER = 4  # octets, of a key derivation
UNCOMPRESSED = 4  # the octet before a point
PIECE = 16  # octets of a string that is reduced, at most
MORE_WORDS = (UNCOMPRESSED,)
PSEC_HASH = "sha256"


def alpha_octets(order_octets: int) -> int:
    """Return the octets of PSEC-KEM's t."""
    return order_octets + 16


def alpha_pieces(order_octets: int) -> list[int]:
    """Return the octets that t is read in, whole digests first: PIECE and another number."""
    rest = alpha_octets(order_octets) % H_LEN
    return sorted({PIECE, rest if rest <= PIECE else rest - PIECE} - {0}, reverse=True)


def more_lengths(m: Weierstrass, h: Hash) -> Iterable[int]:
    """Return of how many octets hashes are whose length a program knows."""
    if h.name != PSEC_HASH:
        return []
    return [2 * COUNTER + H_LEN, 2 * COUNTER + 1 + 3 * m.points.octets]
