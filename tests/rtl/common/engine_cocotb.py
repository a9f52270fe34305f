# SPDX-License-Identifier: Apache-2.0
"""Behaviour of an engine at its port, as a preset; run by test_gf2m_engine.py, test_gfp_engine.py.

Every cycle of every test is compared with the model of the port (:class:`Bench`).
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import cocotb

from tests.rtl.common.bench import (
    CLEARING,
    CYCLES,
    DESIGN,
    PATIENCE,
    THREADS,
    Bench,
    random_job,
    ready,
    special_jobs,
    stops,
)


@cocotb.test()
async def special_cases_and_statuses(dut: Any) -> None:
    """Each exceptional case and each error has its true answer, in the same number of cycles."""
    bench = await ready(dut)
    for i, job in enumerate(special_jobs()):
        await bench.whole(replace(job, tag=i & 0xFF))
    assert bench.worked


@cocotb.test()
async def random_stalls_on_both_sides(dut: Any) -> None:
    """Requests come and answers are taken at random; each answer is its own request's."""
    bench = await ready(dut)
    rng = random.Random(2)
    while bench.answered < 60:
        late = rng.random() < 0.9
        offered = random_job(rng) if rng.random() < 0.3 else None
        await bench.step(offered, take=int(not late))
    assert bench.accepted - bench.answered == len(bench.jobs)


@cocotb.test()
async def jobs_back_to_back(dut: Any) -> None:
    """With requests and answers never held up, jobs take their cycles, one, and the clearing."""
    bench = await ready(dut)
    rng = random.Random(3)
    batches = 20 if THREADS == 1 else 5
    for _ in range(batches * (CYCLES + 1 + CLEARING + 2 * (THREADS - 1))):
        await bench.step(random_job(rng), take=1)
    more = bench.answered - batches * THREADS  # of kG, which takes fewer cycles
    assert more >= 0 if DESIGN.base else more == 0


@cocotb.test()
async def answer_stands_until_taken(dut: Any) -> None:
    """A late answer does not change while other requests are offered, and is gone once taken."""
    bench = await ready(dut)
    rng = random.Random(4)
    for _ in range(5):
        while not bench.valid:
            await bench.step(random_job(rng))
        while bench.jobs:
            for _ in range(30):
                await bench.step(random_job(rng))
            await bench.step(random_job(rng), take=1)
        for _ in range(3):
            await bench.step()


@cocotb.test()
async def request_while_busy_is_not_accepted(dut: Any) -> None:
    """Other requests, offered and withdrawn all along, do not disturb the jobs."""
    bench = await ready(dut)
    rng = random.Random(5)
    for _ in range(10):
        await bench.step(random_job(rng))
        while not bench.valid:
            await bench.step(random_job(rng) if rng.random() < 0.5 else None)
        await bench.answers()
        await bench.cleared()
    assert bench.accepted == bench.answered


@cocotb.test()
async def taking_early_takes_nothing(dut: Any) -> None:
    """The answer's ready before it is valid has no effect, but takes it when it comes."""
    bench = await ready(dut)
    rng = random.Random(6)
    for _ in range(5):
        await bench.step(random_job(rng), take=1)
        for _ in range(bench.due + 1):
            await bench.step(take=1)
        assert not bench.jobs
        await bench.cleared()


@cocotb.test()
async def reset_in_every_cycle(dut: Any) -> None:
    """Reset t cycles into a job, the untaken answer included, then a right job."""
    bench = await ready(dut)
    rng = random.Random(7)
    for t in stops(CYCLES + 2):
        for _ in range(THREADS):
            await bench.step(random_job(rng))
        for _ in range(t):
            await bench.step()
        await bench.reset_now()
        await bench.whole(random_job(rng))


@cocotb.test()
async def zeroize_in_every_cycle(dut: Any) -> None:
    """Zeroize t cycles into a job, the request's own cycle included, then a right job."""
    bench = await ready(dut)
    rng = random.Random(8)
    for t in stops(CYCLES + 1 + THREADS):
        for c in range(t + 1):
            await bench.step(random_job(rng) if c < THREADS else None, zeroize=c == t)
        assert not bench.jobs
        await bench.cleared()
        await bench.whole(random_job(rng))


async def batch(bench: Bench, rng: random.Random, size: int, gap: int = 0, idle: int = 0) -> None:
    """Request so many jobs, ``gap`` cycles between two of them, and ``idle`` after the last."""
    for i in range(size):
        for _ in range(gap if i else 0):
            await bench.step()
        await bench.step(random_job(rng))
    assert len(bench.jobs) == size
    for _ in range(idle):
        await bench.step()


async def answered(bench: Bench, total: int) -> None:
    """Run on until all jobs are answered, so many cycles after the last request."""
    jobs, before = len(bench.jobs), bench.answered
    for _ in range(bench.due):
        await bench.step()
    assert bench.total == total
    await bench.answers()
    assert bench.answered == before + jobs
    await bench.cleared()


@cocotb.test(skip=THREADS == 1)
async def batches_of_every_size(dut: Any) -> None:
    """A full batch starts at once, another one when patience is over; gaps in it do not matter.

    The longest gap ends with a request in the very last cycle of patience.
    """
    bench = await ready(dut)
    rng = random.Random(10)
    for size in range(1, THREADS + 1):
        for gap in (0, 1, PATIENCE // 2, PATIENCE - 1):
            await batch(bench, rng, size, gap)
            await answered(bench, CYCLES + (PATIENCE if size < THREADS else 0))


@cocotb.test(skip=THREADS == 1)
async def request_around_the_end_of_patience(dut: Any) -> None:
    """In its last cycle, or the one before, a request joins; a cycle later the batch has gone."""
    bench = await ready(dut)
    rng = random.Random(11)
    for size in range(1, THREADS):
        for late in (-1, 0, 1):
            await batch(bench, rng, size, idle=PATIENCE - 1 + late)
            await bench.step(random_job(rng))
            joined = size + (late <= 0)
            assert len(bench.jobs) == joined
            assert bench.running == (late > 0 or joined == THREADS)
            await answered(bench, CYCLES + (PATIENCE if joined < THREADS else 0))


@cocotb.test(skip=THREADS == 1)
async def stopped_around_the_end_of_patience(dut: Any) -> None:
    """Zeroize or reset about when a batch that is not full starts; then one of the same size."""
    bench = await ready(dut)
    rng = random.Random(12)
    for size in range(1, THREADS):
        for late in range(-2, 4):
            for reset in (False, True):
                await batch(bench, rng, size, idle=PATIENCE - 1 + late)
                if reset:
                    await bench.reset_now()
                else:
                    await bench.step(random_job(rng), zeroize=1)
                    await bench.cleared()
                assert not bench.jobs
                await batch(bench, rng, size)
                await answered(bench, CYCLES + PATIENCE)


@cocotb.test()
async def anything_in_any_order(dut: Any) -> None:
    """Requests, stalls, zeroize and reset at random."""
    bench = await ready(dut)
    rng = random.Random(9)
    for _ in range(100 * CYCLES // THREADS):
        if rng.random() < 0.2 / CYCLES:
            await bench.reset_now()
        offered = random_job(rng) if rng.random() < 0.5 else None
        zeroize = rng.random() < 0.3 / CYCLES
        await bench.step(offered, take=int(rng.random() < 0.2), zeroize=int(zeroize))
    assert bench.answered > 20
