# SPDX-License-Identifier: Apache-2.0
"""word_random at its port, run by test_word_random.py, and Trivium as its authors write it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked

STATE = 288
BLANK = 4 * STATE  # rounds from a key to the first bit


def moved(s: list[int]) -> tuple[list[int], int]:
    """Return the state a round later and the bit of the key stream; s[1] .. s[288], s[0] unused.

    Source: C. De Canniere, B. Preneel, "Trivium specifications", eSTREAM, 2005, section 2.1.
    """
    t1, t2, t3 = s[66] ^ s[93], s[162] ^ s[177], s[243] ^ s[288]
    z = t1 ^ t2 ^ t3
    t1 ^= s[91] & s[92] ^ s[171]
    t2 ^= s[175] & s[176] ^ s[264]
    t3 ^= s[286] & s[287] ^ s[69]
    return [0, t3, *s[1:93], t1, *s[94:177], t2, *s[178:288]], z


def stream(key: bytes, iv: bytes) -> Iterator[int]:
    """Yield the octets of a key stream, as eSTREAM's test vectors have them."""

    def bits(octets: bytes) -> list[int]:
        return [octet >> 7 - i & 1 for octet in reversed(octets) for i in range(8)]

    s = [0, *bits(key), *[0] * 13, *bits(iv), *[0] * 4, *[0] * 108, 1, 1, 1]
    for _ in range(BLANK):
        s, _ = moved(s)
    while True:
        octet = 0
        for i in range(8):
            s, z = moved(s)
            octet |= z << i
        yield octet


@cocotb.test()
async def bits_are_those_of_trivium(dut: Any) -> None:
    """From any seed; without one and from clear on they are 0."""
    port = Clocked(dut, ("clear", "seed_valid", "seed"), ("bits",))
    await port.reset()
    await port.cycle(clear=1)
    port.drive(clear=0)
    rng = random.Random(1)
    for octets in (0, 1, 4, 32, 80):
        s = [0] * (STATE + 1)
        left = octets
        for _ in range(BLANK + 500):
            seed = rng.randrange(256) if left and rng.random() < 0.5 else None
            assert (await port.cycle(seed_valid=seed is not None, seed=seed or 0))["bits"] == sum(
                s[94 + i] << i for i in range(5)
            )
            s, _ = moved(s)
            if seed is not None:
                left -= 1
                s[1:9] = [bit ^ (seed >> i & 1) for i, bit in enumerate(s[1:9])]
        assert left == 0
        assert any(s) == (octets > 0)
        await port.cycle(clear=1)
        port.drive(clear=0)
