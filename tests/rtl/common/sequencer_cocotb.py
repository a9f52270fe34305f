# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_sequencer, all programs of a group at once; run by test_ecsm_sequencer.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked
from tests.rtl.common.sequencers import CYCLES, WORD, programs_from_json
from tests.rtl.common.tops import unpack

PROGRAMS = programs_from_json(os.environ["PROGRAMS"])
N = len(PROGRAMS)
RUNS = [p.executed() for p in PROGRAMS]
LONGEST = max(map(len, RUNS))
ALL = (1 << N) - 1
SEEN = ("idle", "active", "last", "word", "cycles", "twin")


class Bench(Clocked):
    """The sequencers beside their model: ``at[i]`` is the cycle within the run, None when idle."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, ("abort", "start"), SEEN)
        self.at: list[int | None] = [None] * N

    def compare(self, seen: dict[str, int], start: int) -> None:
        """Assert every output of every sequencer in this cycle."""
        assert seen["twin"] == ALL, "an inverted sequencer differs, or is not inverted"
        words = unpack(seen["word"], WORD, N)
        cycles = unpack(seen["cycles"], CYCLES, N)
        for i, (run, at) in enumerate(zip(RUNS, self.at, strict=True)):
            active = at is not None or bool(start >> i & 1)
            now = at or 0
            got = (
                bool(seen["idle"] >> i & 1), bool(seen["active"] >> i & 1),
                bool(seen["last"] >> i & 1), words[i], cycles[i],
            )  # fmt: skip
            want = (at is None, active, active and now == len(run) - 1, run[now], now)
            assert got == want, f"{PROGRAMS[i]}: cycle {at}: {got}, not {want}"

    async def step(self, start: int = 0, abort: bool = False) -> None:
        """Run one cycle, compare, and move the model on."""
        self.compare(await self.cycle(start=start, abort=int(abort)), start)
        for i, run in enumerate(RUNS):
            now = self.at[i]
            if now is None and start >> i & 1:
                now = 0
            if now is not None:
                self.at[i] = None if abort or now == len(run) - 1 else now + 1

    async def reset_now(self) -> None:
        """Reset between two edges: idle at once."""
        self.drive(start=0, abort=0)
        seen = await self.reset()
        self.at = [None] * N
        self.compare(seen, 0)


async def ready(dut: Any) -> Bench:
    bench = Bench(dut)
    await bench.begin()
    return bench


@cocotb.test()
async def words_in_order_without_overhead(dut: Any) -> None:
    """Each cycle has its word, repeats and loops included; then idle, and the same again."""
    bench = await ready(dut)
    for _ in range(2):
        await bench.step(start=ALL)
        for _ in range(LONGEST + 1):
            await bench.step()
        assert bench.at == [None] * N


@cocotb.test()
async def runs_back_to_back(dut: Any) -> None:
    """With start held, the next run begins in the cycle after the last word."""
    bench = await ready(dut)
    for _ in range(3 * LONGEST):
        await bench.step(start=ALL)


@cocotb.test()
async def start_is_ignored_while_running(dut: Any) -> None:
    """Random starts: only those that find the sequencer idle count."""
    bench = await ready(dut)
    rng = random.Random(1)
    for _ in range(4 * LONGEST):
        await bench.step(start=rng.getrandbits(N) & rng.getrandbits(N))


@cocotb.test()
async def abort_in_every_cycle_leads_to_idle(dut: Any) -> None:
    """Abort in cycle t of a run, that of start included; the next run is whole."""
    bench = await ready(dut)
    for t in range(LONGEST):
        for c in range(t + 1):
            await bench.step(start=ALL if c == 0 else 0, abort=c == t)
        await bench.step()
        assert bench.at == [None] * N
        await bench.step(start=ALL)
        for _ in range(LONGEST):
            await bench.step()


@cocotb.test()
async def abort_while_idle_does_nothing(dut: Any) -> None:
    """Abort without a run, then a whole run."""
    bench = await ready(dut)
    for _ in range(3):
        await bench.step(abort=True)
    await bench.step(start=ALL)
    for _ in range(LONGEST):
        await bench.step()


@cocotb.test()
async def reset_in_every_cycle_leads_to_idle(dut: Any) -> None:
    """Reset t cycles into a run acts at once; the next run is whole."""
    bench = await ready(dut)
    for t in range(LONGEST):
        await bench.step(start=ALL)
        for _ in range(t):
            await bench.step()
        await bench.reset_now()
        await bench.step(start=ALL)
        for _ in range(LONGEST):
            await bench.step()


@cocotb.test()
async def anything_in_any_order(dut: Any) -> None:
    """Random start, abort and reset."""
    bench = await ready(dut)
    rng = random.Random(2)
    for _ in range(2000):
        if rng.random() < 0.01:
            await bench.reset_now()
        await bench.step(start=rng.getrandbits(N), abort=rng.random() < 0.03)
