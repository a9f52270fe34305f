# SPDX-License-Identifier: Apache-2.0
"""Messages through word_host, at its port; run by test_word_host.py."""

from __future__ import annotations

import random
from typing import Any

import cocotb

from ecsm.schedule.sequential.words import Port
from tests.rtl.common.clocked import Clocked

INPUTS = ("clear", "port", "long", "from_ready", "from_last", "to_valid", "to_last", "to_data",
          "in_valid", "in_data", "in_bytes", "in_last", "out_ready")  # fmt: skip
OUTPUTS = ("ended", "malformed", "from_valid", "from_data", "in_ready")


class Host(Clocked):
    """A message of the host in words, and the octets that are read. ``stall``: waits, 0 .. 1."""

    def __init__(self, dut: Any, seed: int) -> None:
        super().__init__(dut, INPUTS, OUTPUTS)
        self.rng = random.Random(seed)
        self.stall = 0.0
        self.words: list[bytes] = []

    async def message(self, text: bytes, long: int) -> None:
        """Begin a job with a message."""
        await self.cycle(clear=1, long=long, in_valid=0, from_ready=0)
        self.drive(clear=0)
        self.words = [text[i : i + 8] for i in range(0, len(text), 8)] or [b""]

    async def read(self, port: Port) -> tuple[int, bool]:
        """Return an octet of a port and whether the message had ended with it."""
        while True:
            word = self.words[0] if self.words and self.rng.random() >= self.stall else None
            seen = await self.cycle(
                port=port, from_ready=1, in_valid=word is not None,
                in_data=int.from_bytes((word or b"").ljust(8, b"\0"), "big"),
                in_bytes=len(word or b""), in_last=len(self.words) == 1,
            )  # fmt: skip
            if seen["in_ready"]:
                self.words.pop(0)
            if seen["from_valid"]:
                self.drive(from_ready=0, in_valid=0)
                return seen["from_data"], bool((await self.settle())["ended"])


async def started(dut: Any, seed: int) -> Host:
    host = Host(dut, seed)
    await host.begin()
    return host


@cocotb.test()
async def a_message_its_mark_and_zeros(dut: Any) -> None:
    """Then its length modulo a block of 64 or 128 octets; each length to two of the longer ones."""
    host = await started(dut, 1)
    for long in (0, 1):
        for n in range(260):
            text = host.rng.randbytes(n)
            host.stall = host.rng.choice((0, 0, 0.5))
            await host.message(text, long)
            wanted = text + b"\x80" + bytes(3)
            for i, octet in enumerate(wanted):
                assert await host.read(Port.MESSAGE) == (octet, i >= n), (long, n, i)
            assert not host.words
            # Asked twice, it is the same; the message's end stays.
            for _ in range(2):
                assert await host.read(Port.LENGTH) == (n % (128 if long else 64), True), (long, n)
            assert await host.read(Port.MESSAGE) == (0, True)


@cocotb.test()
async def a_length_is_of_the_octets_that_have_moved(dut: Any) -> None:
    """Also in the middle of a message, whose next octet waits; a clear forgets them."""
    host = await started(dut, 2)
    for n in (0, 1, 7, 8, 63, 64, 65, 127, 128, 129):
        text = host.rng.randbytes(n + 9)
        await host.message(text, 1)
        for i in range(n):
            assert await host.read(Port.MESSAGE) == (text[i], False)
        assert await host.read(Port.LENGTH) == (n % 128, False)
        assert await host.read(Port.MESSAGE) == (text[n], False)
        await host.message(text, 1)
        assert await host.read(Port.LENGTH) == (0, False)
