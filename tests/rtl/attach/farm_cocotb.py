# SPDX-License-Identifier: Apache-2.0
"""The farm with models for engines; run by test_ecsm_farm.py with 1 to 5 of them."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import cocotb

from tests.rtl.attach.mock import NEVER, Engine, Farm, N, answer
from tests.rtl.attach.tops import REQ

IN, OUT, PERIOD = 1, 3, 3  # cycles, as ecsm_farm.sv says


async def ready(dut: Any, engines: list[Engine] | None = None, seed: int = 1) -> Farm:
    farm = Farm(dut, engines, seed)
    await farm.begin()
    farm.drive(engine_req_ready=0)
    await farm.cycle()
    return farm


def random_engines(rng: random.Random, longest: int = 30) -> list[Engine]:
    """Return engines, each with its own number of places, latencies and stalls."""
    return [
        Engine(
            places=rng.randint(1, 3),
            latency=lambda: rng.randint(0, longest),
            ready=rng.choice([1.0, 0.7, 0.3]),
            valid=rng.choice([1.0, 0.7, 0.3]),
        )
        for _ in range(N)
    ]


@cocotb.test()
async def every_job_is_answered_once(dut: Any) -> None:
    """Random stalls on both sides, random latencies; a few tags, so that many jobs share one."""
    for seed in range(8):
        rng = random.Random(seed)
        farm = await ready(dut, random_engines(rng), seed)
        offer, take = rng.choice([0.2, 0.6, 1.0]), rng.choice([0.1, 0.5, 1.0])
        request: int | None = None
        for _ in range(1000):
            if request is None and rng.random() < offer:
                request = rng.getrandbits(4) if rng.random() < 0.5 else rng.getrandbits(REQ)
            if await farm.step(request, take=int(rng.random() < take)):
                request = None
        await farm.drain()
        assert len(farm.out) == len(farm.accepted) > 20


@cocotb.test()
async def a_lone_job_takes_the_stated_latency(dut: Any) -> None:
    """One cycle to the engine, three from it, whatever engine it is."""
    farm = await ready(dut, [Engine(latency=lambda: 7) for _ in range(N)])
    for job in range(3 * N):
        for _ in range(12):
            await farm.step(take=1)
        assert await farm.step(job, take=1), "an engine is free"
        sent = farm.now - 1
        for _ in range(20):
            await farm.step(take=1)
        assert farm.history[-1] == (job % N, sent + IN)
        # The engine has it at sent + IN and answers 8 cycles later.
        assert farm.out[-1] == (answer(job), sent + IN + 8 + OUT)


@cocotb.test()
async def jobs_come_out_as_they_are_finished(dut: Any) -> None:
    """A long job does not hold up a short one that was accepted after it."""
    if N == 1:
        return
    latencies = [60, *[5] * (N - 1)]
    engines = [Engine(latency=lambda value=value: value) for value in latencies]  # type: ignore[misc]
    farm = await ready(dut, engines)
    job = 0
    while job < N:
        job += await farm.step(job, take=1)
    await farm.drain()
    assert [data for data, _ in farm.out] == [answer(j) for j in (*range(1, N), 0)]


@cocotb.test()
async def throughput_is_a_job_a_cycle(dut: Any) -> None:
    """Engines that never wait: a request and an answer a cycle, from three engines on."""
    farm = await ready(dut, [Engine(places=8, latency=lambda: 0) for _ in range(N)])
    job, cycles = 0, 300
    for _ in range(30):
        job += await farm.step(job, take=1)
    start, first, count = farm.now, len(farm.out), len(farm.accepted)
    for _ in range(cycles):
        job += await farm.step(job, take=1)
    want = cycles * min(N, PERIOD) // PERIOD
    assert farm.now == start + cycles
    assert abs(len(farm.accepted) - count - want) <= 1
    assert abs(len(farm.out) - first - want) <= 1


@cocotb.test()
async def an_engine_is_idle_two_cycles_between_jobs(dut: Any) -> None:
    """With a job always offered: ready, chosen, given; then the engine has it again."""
    farm = await ready(dut, [Engine(latency=lambda: 10) for _ in range(N)])
    for job in range(200):
        await farm.step(job, take=1)
    for i in range(N):
        given = [cycle for engine, cycle in farm.history if engine == i]
        gaps = {b - a for a, b in pairwise(given[1:])}
        assert gaps == {1 + 10 + 1 + 2}  # its answer is taken at once, then it is ready


@cocotb.test()
async def dispatch_is_fair(dut: Any) -> None:
    """A free engine gets a job after N - 1 others at most; equal engines get equally many."""
    for seed in range(4):
        rng = random.Random(seed)
        engines = random_engines(rng, 6)
        for engine in engines:
            engine.ready = 1.0
        farm = await ready(dut, engines, seed)
        passed = [0] * N
        for job in range(600):
            free = [len(e.jobs) < e.places and farm.slot[i] is None for i, e in enumerate(engines)]
            before = len(farm.history)
            await farm.step(job if rng.random() < 0.7 else None, take=1)
            for given, _ in farm.history[before:]:
                passed = [p + 1 for p in passed]
                passed[given] = 0
            # A job shows at the engine a cycle after it was accepted: the one more.
            passed = [p if f else 0 for p, f in zip(passed, free, strict=True)]
            assert max(passed) <= N
        await farm.drain()
    farm = await ready(dut, [Engine(latency=lambda: 10) for _ in range(N)])
    for job in range(50 * N):
        await farm.step(job, take=1)
    counts = [sum(engine == i for engine, _ in farm.history) for i in range(N)]
    assert max(counts) - min(counts) <= 1


@cocotb.test()
async def collection_is_fair(dut: Any) -> None:
    """With answers always waiting and a slow user, each engine's answers come out in turn."""
    farm = await ready(dut, [Engine(places=8, latency=lambda: 0) for _ in range(N)])
    came: list[int] = []
    whose: dict[int, int] = {}
    job = 0
    for cycle in range(1200):
        job += await farm.step(job, take=int(cycle % 4 == 0))
        for i, engine in enumerate(farm.engines):
            whose.update((answer(request), i) for request in engine.requests.values())
    came = [whose[data] for data, _ in farm.out]
    steady = came[2 * N :]
    assert len(steady) > 100
    assert all(len(set(steady[k : k + N])) == N for k in range(len(steady) - N))


@cocotb.test()
async def a_stuck_engine_holds_up_nobody_else(dut: Any) -> None:
    """One engine never answers: it has one job, and all others are answered."""
    if N == 1:
        return
    engines = [Engine(latency=lambda: 4) for _ in range(N)]
    engines[0].latency = lambda: NEVER
    farm = await ready(dut, engines)
    job = 0
    for _ in range(400):
        job += await farm.step(job, take=1)
    for _ in range(20):
        await farm.step(take=1)
    assert len(farm.accepted) > 20 * (N - 1)
    assert len(farm.out) == len(farm.accepted) - 1


@cocotb.test()
async def back_pressure_holds(dut: Any) -> None:
    """While no answer is taken: a job in each engine, one behind it, one at the port; then none."""
    farm = await ready(dut)
    job = 0
    for _ in range(100):
        job += await farm.step(job)
    assert len(farm.accepted) == 2 * N + 1
    assert not farm.out
    for _ in range(100):
        assert not await farm.step(job)
    await farm.drain()
    assert len(farm.out) == 2 * N + 1


async def some_jobs(farm: Farm, cycles: int) -> None:
    """Run with jobs in every place: answers are taken now and then."""
    for cycle in range(cycles):
        await farm.step(farm.rng.getrandbits(REQ), take=int(cycle % 5 == 4))


def short_engines() -> list[Engine]:
    return [Engine(latency=lambda: 3) for _ in range(N)]


@cocotb.test()
async def zeroize_in_every_cycle(dut: Any) -> None:
    """All is dropped and gone in the next cycle; then jobs are right; with and without taking."""
    for taking in (0, 1):
        farm = await ready(dut, short_engines())
        answered = 0
        for cycles in range(40):
            await some_jobs(farm, cycles)
            before = len(farm.out)
            await farm.step(farm.rng.getrandbits(REQ), take=taking, zeroize=1)
            answered += len(farm.out) - before  # checked like any other
            for _ in range(15):
                await farm.step(take=1)
            assert len(farm.out) <= before + taking, "an answer of a dropped job"
            await some_jobs(farm, 12)
            await farm.drain()
        assert bool(answered) == bool(taking)


@cocotb.test()
async def reset_in_every_cycle(dut: Any) -> None:
    """A reset drops all jobs likewise."""
    farm = await ready(dut, short_engines())
    for cycles in range(40):
        await some_jobs(farm, cycles)
        before = len(farm.out)
        await farm.reset_now()
        for _ in range(15):
            await farm.step(take=1)
        assert len(farm.out) == before, "an answer of a dropped job"
        await some_jobs(farm, 12)
        await farm.drain()


@cocotb.test()
async def anything_in_any_order(dut: Any) -> None:
    """Requests offered and withdrawn, stalls, zeroize and reset at random."""
    rng = random.Random(9)
    farm = await ready(dut, random_engines(rng), 9)
    for _ in range(4000):
        if rng.random() < 0.005:
            await farm.reset_now()
        request = rng.getrandbits(REQ) if rng.random() < 0.6 else None
        zeroize = int(rng.random() < 0.01)
        await farm.step(request, take=int(rng.random() < 0.5), zeroize=zeroize)
    await farm.drain()
    assert len(farm.out) > 100
