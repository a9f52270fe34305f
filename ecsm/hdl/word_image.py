# SPDX-License-Identifier: Apache-2.0
"""Tables of a curve for a word engine that takes them from the host (``rtl/word/word_load``)."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from enum import IntEnum

from ecsm.schedule.sequential.program import Built

LOAD_OPERATION = 63
"""The operation that takes them: one string."""


class Load(IntEnum):
    """What a word of the string is for."""

    NONE = 0
    PROGRAM = 1
    SLOT = 2
    START = 3
    MEMORY = 4
    END = 5


def image(built: Built) -> bytes:
    """Return the string: words of eight octets, the last one with the CRC-32 of those before."""
    tables: dict[Load, Sequence[int]] = {
        Load.PROGRAM: [w.word() for w in built.program],
        Load.SLOT: built.slots,
        Load.START: built.starts,
        Load.MEMORY: built.values,
    }
    words = [
        kind << 60 | address << 48 | value
        for kind, values in tables.items()
        for address, value in enumerate(values)
    ]
    octets = b"".join(w.to_bytes(8, "big") for w in words)
    return octets + (Load.END << 60 | zlib.crc32(octets)).to_bytes(8, "big")
