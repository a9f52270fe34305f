# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_regfile; run by test_ecsm_regfile.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked
from tests.rtl.common.tops import pack, unpack

W, COUNT = int(os.environ["REGFILE_W"]), int(os.environ["REGFILE_COUNT"])
ALL = (1 << COUNT) - 1
ZERO = [0] * COUNT


class Bench(Clocked):
    """The register file beside a list of values."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, ("clear", "we", "data"), ("data",))
        self.model = list(ZERO)
        self.rng = random.Random(1)

    def data(self) -> list[int]:
        """Return a value, not zero, for each register."""
        return [self.rng.getrandbits(W) or 1 for _ in range(COUNT)]

    async def step(self, we: int = 0, clear: bool = False) -> None:
        """Offer new data to all registers, write those in ``we``; compare before the edge."""
        data = self.data()
        seen = await self.cycle(we=we, clear=int(clear), data=pack(data, W))
        assert unpack(seen["data"], W, COUNT) == self.model
        for i in range(COUNT):
            if clear:
                self.model[i] = 0
            elif we >> i & 1:
                self.model[i] = data[i]


async def ready(dut: Any) -> Bench:
    bench = Bench(dut)
    await bench.begin()
    return bench


@cocotb.test()
async def each_register_keeps_its_own(dut: Any) -> None:
    """One write at a time changes one register, in the next cycle, and nothing else ever."""
    bench = await ready(dut)
    for i in range(COUNT):
        await bench.step(we=1 << i)
        await bench.step()


@cocotb.test()
async def any_set_of_registers_is_written_at_once(dut: Any) -> None:
    """Random sets, the full and the empty one included."""
    bench = await ready(dut)
    for we in [ALL, 0, *(bench.rng.getrandbits(COUNT) for _ in range(300))]:
        await bench.step(we=we)


@cocotb.test()
async def clear_wins_over_writes(dut: Any) -> None:
    """Clear with every register written leaves zeros."""
    bench = await ready(dut)
    for _ in range(5):
        await bench.step(we=ALL)
        await bench.step(we=ALL, clear=True)
        await bench.step()
        assert bench.model == ZERO
