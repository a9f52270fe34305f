# SPDX-License-Identifier: Apache-2.0
"""Behaviour of scheme_replay between a channel and a derivation; run by test_replay.py."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

from tests.rtl.symmetric.streams import registers

WORDS = 32
INPUTS = (
    "clear", "begin", "info", "again", "z_valid", "info_valid", "last", "z_ready", "info_ready",
    "data", "bytes",
)  # fmt: skip
Word = tuple[int, int, int]  # data, bytes, last


class Bench:
    """The unit's clock, its channel and its derivation."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.rng = random.Random(seed)

    async def begin(self) -> Bench:
        for name in INPUTS:
            getattr(self.dut, f"{name}_i").value = 0
        self.dut.clk_i.value = 0
        self.dut.rst_ni.value = 0
        await Timer(1, "step")
        self.dut.rst_ni.value = 1
        await self.settle()
        return self

    async def cycle(self, **inputs: int) -> None:
        for name, value in inputs.items():
            getattr(self.dut, f"{name}_i").value = value
        self.dut.clk_i.value = 0
        await Timer(1, "step")
        self.dut.clk_i.value = 1
        await Timer(1, "step")
        for name in inputs:
            getattr(self.dut, f"{name}_i").value = 0

    async def settle(self) -> None:
        for _ in range(WORDS + 2):
            await self.cycle()
            if int(self.dut.ready_o.value):
                return
        raise AssertionError("never ready")

    def string(self, count: int) -> list[Word]:
        return [
            (self.rng.getrandbits(64), self.rng.randrange(9), int(i == count - 1))
            for i in range(count)
        ]

    async def read(self, port: str, coming: list[Word], want: list[Word]) -> None:
        """Take a string as the derivation does, with waits on both sides; nothing may be left."""
        dut, got = self.dut, []
        for _ in range(400):
            offer = bool(coming) and self.rng.random() < 0.7
            take = self.rng.random() < 0.7
            word = coming[0] if offer else (0, 0, 0)
            getattr(dut, f"{port}_valid_i").value = offer
            dut.data_i.value, dut.bytes_i.value, dut.last_i.value = word
            getattr(dut, f"{port}_ready_i").value = take
            dut.clk_i.value = 0
            await Timer(1, "step")
            if int(getattr(dut, f"{port}_valid_o").value) and take:
                got.append((int(dut.data_o.value), int(dut.bytes_o.value), int(dut.last_o.value)))
            if offer and int(getattr(dut, f"{port}_ready_o").value):
                coming.pop(0)
            await self.cycle()
            getattr(dut, f"{port}_valid_i").value = 0
            getattr(dut, f"{port}_ready_i").value = 0
            if got and got[-1][2]:
                break
        assert got == want
        assert not coming
        # A digest is made of what came.
        for _ in range(self.rng.randrange(2, 6)):
            await self.cycle()

    async def derive(self, z: list[Word], info: list[Word], passes: int, again: bool) -> None:
        """Run a derivation of so many hashes; with ``again`` nothing comes."""
        await self.cycle(begin=1, info=bool(info), again=again)
        for i in range(passes):
            first = i == 0 and not again
            await self.read("z", [*z] if first else [], z)
            if info:
                await self.read("info", [*info] if first else [], info)


@cocotb.test()
async def every_hash_gets_the_strings_that_came_once(dut: Any) -> None:
    """Of every length that there is room for, with info and without, then again."""
    bench = await Bench(dut, 1).begin()
    for z_words, info_words in ((1, 0), (2, 0), (WORDS, 0), (1, 1), (9, 16), (WORDS - 1, 1)):
        z = bench.string(z_words)
        info = bench.string(info_words)
        await bench.derive(z, info, bench.rng.randrange(1, 5), again=False)
        await bench.derive(z, info, bench.rng.randrange(1, 4), again=True)


@cocotb.test()
async def a_clear_leaves_nothing(dut: Any) -> None:
    """In whichever cycle; then the next derivation gets its own."""
    bench = await Bench(dut, 2).begin()
    memory = dut.u_replay.memory
    for stop in range(40):
        z, info = bench.string(9), bench.string(3)
        await bench.derive(z, info, 1, again=False)
        assert any(int(memory[i].value) for i in range(WORDS))
        await bench.cycle(begin=1, info=1, again=stop % 2)
        for _ in range(stop):
            await bench.cycle(z_valid=1, z_ready=1, data=stop + 1, bytes=8)
        await bench.cycle(clear=1)
        assert not int(dut.ready_o.value)
        await bench.settle()
        assert not any(int(memory[i].value) for i in range(WORDS))
        assert not {n: v for n, v in registers(dut) if v}
        await bench.derive(info, z, 2, again=False)
