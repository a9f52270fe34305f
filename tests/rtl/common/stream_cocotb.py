# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_stream_shift; run by test_ecsm_stream_shift.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked

W = int(os.environ["STREAM_W"])
MASK = (1 << W) - 1


class Bench(Clocked):
    """The module beside its model: the bits that come, and which of them bit_o is."""

    def __init__(self, dut: Any) -> None:
        inputs = ("clear", "load", "shift", "data")
        super().__init__(dut, inputs, ("bit", "next", "odd", "marked"))
        self.bits: list[int] = []  # none: cleared
        self.at = 0

    def coming(self, at: int) -> int:
        """Return bit number ``at``; zeros follow the last one."""
        return self.bits[at] if at < len(self.bits) else 0

    async def step(self, data: int = 0, load: int = 0, shift: int = 0, clear: int = 0) -> None:
        """Run one cycle, compare every output, and move the model on."""
        seen = await self.cycle(data=data, load=load, shift=shift, clear=clear)
        want = {
            "bit": self.coming(self.at), "next": self.coming(self.at + shift),
            "odd": sum(self.bits[: self.at + 1]) & 1,
            "marked": int(bool(self.bits) and self.at == W - 1),
        }  # fmt: skip
        assert seen == want, f"bit {self.at} of {self.bits}: {seen}, not {want}"
        if clear:
            self.bits, self.at = [], 0
        elif load:
            self.bits, self.at = [*(data >> i & 1 for i in range(W - 1, -1, -1)), 1], 0
        else:
            self.at += shift


async def ready(dut: Any) -> Bench:
    bench = Bench(dut)
    await bench.begin()
    return bench


@cocotb.test()
async def bits_come_from_the_highest_on(dut: Any) -> None:
    """Every number, or many: all bits, the marker, zeros; a shift each cycle."""
    bench = await ready(dut)
    rng = random.Random(1)
    some = range(1 << W) if W < 8 else [0, MASK, *(rng.getrandbits(W) for _ in range(200))]
    for data in some:
        await bench.step(data, load=1)
        for _ in range(W + 4):
            await bench.step(~data & MASK, shift=1)


@cocotb.test()
async def clear_wins_and_leaves_zeros(dut: Any) -> None:
    """Alone or with load and shift, after any number of shifts."""
    bench = await ready(dut)
    for at in range(W + 3):
        for load, shift in ((0, 0), (0, 1), (1, 0), (1, 1)):
            await bench.step(MASK, load=1)
            for _ in range(at):
                await bench.step(shift=1)
            await bench.step(MASK, load=load, shift=shift, clear=1)
            for _ in range(W + 2):
                await bench.step(shift=1)


@cocotb.test()
async def a_changed_bit_or_a_wrong_number_of_shifts_shows(dut: Any) -> None:
    """At the end of W - 1 shifts, and of no other number, the last bit is marked."""
    bench = await ready(dut)
    rng = random.Random(2)
    for _ in range(50):
        data = rng.getrandbits(W)
        for shifts in range(2 * W):
            seen = await bench.cycle(data=data, load=1, shift=0, clear=0)
            for _ in range(shifts):
                await bench.cycle(load=0, shift=1)
            seen = await bench.cycle(load=0, shift=0)
            assert seen["marked"] == (shifts == W - 1), f"{data:#x} after {shifts}"
            if shifts == W - 1:
                assert seen["odd"] == data.bit_count() & 1


@cocotb.test()
async def anything_in_any_order(dut: Any) -> None:
    """Random loads, shifts and clears."""
    bench = await ready(dut)
    rng = random.Random(3)
    for _ in range(4000):
        await bench.step(
            rng.getrandbits(W), load=int(rng.random() < 0.1), shift=rng.getrandbits(1),
            clear=int(rng.random() < 0.02),
        )  # fmt: skip
