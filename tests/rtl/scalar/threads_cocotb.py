# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_scalar_threads; run by test_scalar_threads.py."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked
from tests.rtl.scalar.threads import Shared

SHARED = Shared.from_json(os.environ["SHARED"])
UNIT, THREADS = SHARED.unit, SHARED.threads
READY = THREADS * SHARED.each + 1  # cycles from the last load to all digits
INPUTS = ("clear", "clear_number", "load", "slot", "scalar", "next", "thread")
OUTPUTS = ("index", "negative", "zero", "busy")
Seen = dict[str, int]


class Bench(Clocked):
    """The module, and the digits of every thread as they were seen."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, INPUTS, OUTPUTS)
        self.rng = random.Random(1)

    async def idle(self, cycles: int) -> Seen:
        """Run so many cycles, at least one, with garbage at the ports; return the last outputs."""
        for _ in range(cycles):
            seen = await self.cycle(
                load=0, next=0, clear=0, thread=self.rng.randrange(THREADS),
                scalar=self.rng.getrandbits(UNIT.bits), slot=self.rng.randrange(THREADS),
            )  # fmt: skip
        return seen

    async def cleared(self) -> None:
        """Clear everything, whatever else is asked for meanwhile."""
        for number in reversed(range(SHARED.depth)):
            await self.cycle(
                clear=1, clear_number=number, load=self.rng.getrandbits(1), slot=0,
                scalar=self.rng.getrandbits(UNIT.bits), next=self.rng.getrandbits(1), thread=0,
            )  # fmt: skip
        seen = await self.cycle(clear=0, load=0, next=0)
        assert seen == dict.fromkeys(OUTPUTS, 0)

    async def load(self, slot: int, k: int) -> None:
        """Load a scalar."""
        await self.cycle(load=1, slot=slot, scalar=k, next=0)

    async def turn(self, wanted: bool) -> list[int]:
        """Run a turn; return every thread's digit in its cycle, and ask for the next ones."""
        digits = []
        for t in range(THREADS):
            seen = await self.cycle(load=0, next=int(wanted), thread=t)
            digits.append(digit(seen, t))
        return digits


def digit(seen: Seen, thread: int) -> int:
    """Return a thread's digit."""
    bits = UNIT.w - 1
    magnitude = 2 * (seen["index"] >> bits * thread & ((1 << bits) - 1)) + 1
    return -magnitude if seen["negative"] >> thread & 1 else magnitude


async def handed_out(bench: Bench, scalars: Sequence[int], slow: bool = False) -> None:
    """Take all digits in turns, each at once or late, and compare them with the model."""
    want = [UNIT.recode(k) for k in scalars]
    zero = sum(w.zero << t for t, w in enumerate(want))
    for number in reversed(range(UNIT.count)):
        waits = bench.rng.randrange(3) if slow else 0
        for wanted in (*(False,) * waits, True):
            seen = bench.look()
            assert seen["zero"] == zero, scalars
            got = await bench.turn(wanted)
            assert got[: len(scalars)] == [w.digits[number] for w in want], (scalars, number)


async def ready(dut: Any) -> Bench:
    bench = Bench(dut)
    bench.drive(**dict.fromkeys(INPUTS, 0))
    await bench.cleared()
    return bench


def scalars() -> list[int]:
    """Return every scalar of a short port; of a long one the ends, and random ones."""
    if UNIT.bits <= 10:
        return list(range(1 << UNIT.bits))
    rng = random.Random(2)
    n, lam, top = UNIT.n, UNIT.lam, (1 << UNIT.bits) - 1
    some = [0, 1, 2, n - 1, n, n + 1, top, lam, n - lam, n // 2]
    return [*some, *(rng.getrandbits(UNIT.bits) for _ in range(2 * THREADS))]


@cocotb.test()
async def every_scalar_in_full_batches(dut: Any) -> None:
    """Scalars that come one a cycle; digits from the first allowed cycle on, one a turn."""
    bench = await ready(dut)
    every = scalars()
    for first in range(0, len(every), THREADS):
        some = every[first : first + THREADS]
        for slot, k in enumerate(some):
            await bench.load(slot, k)
        await bench.idle(READY - 1)
        await handed_out(bench, some)
        await bench.cleared()


@cocotb.test()
async def scalars_at_any_time(dut: Any) -> None:
    """Batches of every size, loads in any cycle, while others are cut too; digits asked late."""
    bench = await ready(dut)
    every = scalars()
    for i in range(12 * THREADS):
        some = bench.rng.sample(every, 1 + i % THREADS)
        most = bench.rng.choice([2, SHARED.each, 2 * SHARED.each])
        for slot, k in enumerate(some):
            await bench.load(slot, k)
            if gap := bench.rng.randrange(most):
                await bench.idle(gap)
        await bench.idle(READY)
        await handed_out(bench, some, slow=True)
        await bench.cleared()


@cocotb.test()
async def the_second_scalar_in_every_cycle_of_the_first(dut: Any) -> None:
    """The unit is handed over rightly, wherever it is when the next scalar comes."""
    bench = await ready(dut)
    times = range(SHARED.each + 3)
    for gap in times if UNIT.bits <= 10 else bench.rng.sample(times, 12):
        some = [bench.rng.getrandbits(UNIT.bits) for _ in range(2)]
        await bench.load(0, some[0])
        if gap:
            await bench.idle(gap)
        await bench.load(1, some[1])
        await bench.idle(READY)
        await handed_out(bench, some)
        await bench.cleared()


@cocotb.test()
async def clear_at_any_time_leaves_nothing(dut: Any) -> None:
    """A cleared module is empty, every register and memory of it, and takes a batch as before."""
    bench = await ready(dut)
    times = range(READY + 2 * THREADS)
    for t in times if UNIT.bits <= 10 else bench.rng.sample(times, 20):
        some = [bench.rng.getrandbits(UNIT.bits) for _ in range(THREADS)]
        for slot, k in enumerate(some):
            await bench.load(slot, k)
        seen = await bench.idle(max(1, t))
        if t > UNIT.latency:
            assert seen["busy"]
        for _ in range(max(0, t - READY) // THREADS):
            await bench.turn(True)
        await bench.cleared()
        if t % 7 == 0:
            for slot, k in enumerate(some):
                await bench.load(slot, k)
            await bench.idle(READY - 1)
            await handed_out(bench, some)
            await bench.cleared()
