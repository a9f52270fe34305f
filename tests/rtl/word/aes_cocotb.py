# SPDX-License-Identifier: Apache-2.0
"""Behaviour of word_aes at its port; run by test_word_aes.py.

Blocks are compared with libcrypto and CAVP. In every cycle it is asserted that octets move, or not,
as the header's cycles say.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked
from tests.rtl.symmetric import libcrypto
from tests.rtl.symmetric.streams import registers
from tests.rtl.symmetric.vectors import aes_cases

LOAD, ENCRYPT, DECRYPT, KEY, EXPAND = range(5)  # aes_e of word_pkg
FIRST, ROUND, SHORT, LONG = map(int, os.environ["CYCLES"].split())
SHARE = int(os.environ["SHARE"])
CLEARING = 256  # cycles
CAVP = ("CBC/CBC%s%d.rsp", ("GFSbox", "KeySbox", "VarKey", "VarTxt"), (128, 256))


class Bench(Clocked):
    """The unit beside a model of when octets move. ``stall``: how often a cycle is waited."""

    def __init__(self, dut: Any, seed: int) -> None:
        super().__init__(
            dut, ("clear", "command_valid", "command", "in_valid", "in_key", "in_data",
                  "out_ready"), ("in_ready", "out_valid", "out_data"),
        )  # fmt: skip
        self.rng = random.Random(seed)
        self.stall, self.busy, self.rounds = 0.0, 0, 10

    async def step(self, **values: int) -> dict[str, int]:
        """Run one cycle and look at what is ready. Inputs that do not count have any value."""
        noise = self.rng.getrandbits(12)
        idle = {"clear": 0, "command_valid": 0, "command": noise & 3, "in_valid": 0,
                "in_key": noise >> 3 & 1, "in_data": noise >> 4, "out_ready": 0}  # fmt: skip
        seen = await self.cycle(**(idle | values))
        moves = not self.busy
        assert (seen["in_ready"], seen["out_valid"]) == (moves, moves), self.busy
        assert moves or not seen["out_data"]
        self.busy = max(0, self.busy - 1)
        return seen

    async def tell(self, command: int) -> None:
        """Give a command; what was told before has been done."""
        while self.busy:
            await self.step()
        await self.step(command_valid=1, command=command)
        if command in (ENCRYPT, DECRYPT):
            self.busy = FIRST + ROUND * self.rounds
        elif command == EXPAND:
            self.busy = LONG if self.rounds == 14 else SHORT

    async def give(self, octets: bytes, key: int = 0) -> None:
        """Hand octets over; each is there until it is taken."""
        for octet in octets:
            while self.rng.random() < self.stall:
                await self.step()
            while not (await self.step(in_valid=1, in_key=key, in_data=octet))["in_ready"]:
                pass

    async def take(self) -> bytes:
        """Return the state."""
        found = bytearray()
        while len(found) < 16:
            ready = self.rng.random() >= self.stall
            seen = await self.step(out_ready=int(ready))
            if ready and seen["out_valid"]:
                found.append(seen["out_data"])
        return bytes(found)

    async def key(self, key: bytes) -> None:
        await self.tell(KEY)
        await self.give(key, key=1)
        self.rounds = {16: 10, 32: 14}[len(key)]
        await self.tell(EXPAND)

    async def block(self, data: bytes, decrypt: bool = False) -> bytes:
        await self.tell(LOAD)
        await self.give(data)
        await self.tell(DECRYPT if decrypt else ENCRYPT)
        return await self.take()


def added(a: bytes, b: bytes) -> bytes:
    """Return the sum of two blocks."""
    return bytes(x ^ y for x, y in zip(a, b, strict=False))


async def started(dut: Any, seed: int = 1) -> Bench:
    bench = Bench(dut, seed)
    await bench.begin()
    for _ in range(CLEARING):
        await bench.cycle(clear=1)
    bench.drive(clear=0)
    return bench


@cocotb.test()
async def cavp(dut: Any) -> None:
    """The first block of each case of CBC, of which the IV is added here."""
    bench, count = await started(dut), 0
    file, kinds, sizes = CAVP
    cases = [c for kind in kinds for size in sizes for c in aes_cases(file % (kind, size))]
    for case in cases[::SHARE]:
        await bench.key(case.key)
        before, after = (bytes(16), case.iv)[:: -1 if not case.decrypt else 1]
        found = await bench.block(added(case.data, before), case.decrypt)
        assert found == added(case.want, after), case.name
        count += 1
    assert count > 600 // SHARE


@cocotb.test()
async def keys_and_directions_in_any_order(dut: Any) -> None:
    """With waits on both sides; several blocks of a key, and keys that are used for none."""
    bench = await started(dut, 2)
    for _ in range(400 // SHARE):
        bench.stall = bench.rng.choice((0, 0.2, 0.6))
        key = bench.rng.randbytes(bench.rng.choice((16, 32)))
        await bench.key(key)
        for _ in range(bench.rng.randrange(4)):
            data, decrypt = bench.rng.randbytes(16), bench.rng.random() < 0.5
            want = libcrypto.aes("ecb", key, bytes(16), data, decrypt)
            assert await bench.block(data, decrypt) == want


@cocotb.test()
async def the_state_stays_and_octets_are_added(dut: Any) -> None:
    """CBC as a program has it, and the state read twice."""
    bench = await started(dut, 3)
    key, message = bench.rng.randbytes(32), bench.rng.randbytes(96)
    await bench.key(key)
    await bench.tell(LOAD)
    await bench.give(bytes(16))
    made = b""
    for i in range(0, len(message), 16):
        await bench.give(message[i : i + 16])
        await bench.tell(ENCRYPT)
        made += await bench.take()
        assert await bench.take() == made[-16:]
    assert made == libcrypto.aes("cbc", key, bytes(16), message)


@cocotb.test()
async def clear_leaves_nothing(dut: Any) -> None:
    """In any phase: no register has a bit, and after the next key no octet of the last one."""
    bench = await started(dut, 4)
    for at in range(0, 700, 40 + SHARE):
        await bench.key(b"\xff" * 32)
        await bench.tell(LOAD)
        await bench.give(b"\xff" * 16)
        await bench.tell(ENCRYPT)
        for _ in range(at):
            await bench.step()
        for _ in range(CLEARING + 2):
            await bench.cycle(clear=1, command_valid=0, in_valid=0, out_ready=0)
        bench.busy = 0
        await bench.cycle(clear=0)
        await bench.settle()
        named = {name.rsplit(".", 1)[-1]: value for name, value in registers(dut)}
        assert {"line_q", "round_key_q"} < set(named)
        kept = {"key_q", "rcon_q", "table_q"}  # a counter, a constant, the S-box of 0
        assert not {n for n, v in named.items() if v and n not in kept}, at
        assert await bench.take() == bytes(16)
