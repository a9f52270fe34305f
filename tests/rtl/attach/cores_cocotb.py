# SPDX-License-Identifier: Apache-2.0
"""A farm of a toy preset's cores at its port; run by test_ecsm_farm.py.

Expected answers are the reference model's; nothing is known here of who computes them.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import cocotb

from ecsm.hdl.farm import LATENCY, TURN
from tests.rtl.common.bench import (
    CLEARING,
    CYCLES,
    INPUTS,
    WIDTH,
    Job,
    fields,
    flat,
    random_job,
    special_jobs,
)
from tests.rtl.common.clocked import Clocked

N = int(os.environ["FARM_ENGINES"])
READY = 1 << sum(WIDTH.values()) - 1  # the answer port's highest bit
TAGS = 4  # so few that jobs in progress share them


class Stream(Clocked):
    """The user of a farm: what was accepted is owed, and what is owed is paid once."""

    def __init__(self, dut: Any, seed: int = 1) -> None:
        super().__init__(dut, INPUTS, ("answer", "answer_set", "working_set"))
        self.rng = random.Random(seed)
        self.forget()
        self.answers = 0
        self.now = 0

    def forget(self) -> None:
        """Drop all jobs from the books."""
        self.owed: Counter[int] = Counter()
        self.held: int | None = None

    async def step(self, job: Job | None = None, take: int = 0, zeroize: int = 0) -> bool:
        """Run one cycle; return whether the job was accepted."""
        shown = job or random_job(self.rng)
        seen = await self.cycle(
            req_valid=job is not None, rsp_ready=take, zeroize=zeroize, **shown.ports()
        )
        self.seen = seen
        port, ready = seen["answer"] & ~READY, bool(seen["answer"] & READY)
        assert not (ready and zeroize)
        valid = fields(port)["valid"]
        assert valid or not port, f"something shows without an answer: {fields(port)}"
        assert self.held in (None, port), "a waiting answer has changed"
        self.held = port if valid and not take else None
        if valid and take:
            assert self.owed[port] > 0, f"not owed: {fields(port)}"
            self.owed[port] -= 1
            self.answers += 1
        accepted = job is not None and ready
        if accepted:
            assert job is not None
            self.owed[flat(job.answer(CYCLES))] += 1
        if zeroize:
            self.forget()
        self.now += 1
        return accepted

    async def run(self, jobs: Iterable[Job], offer: float = 1.0, take: float = 1.0) -> None:
        """Run all jobs to their answers, offered and taken with these chances a cycle."""
        before, sent = self.answers, 0
        for job in jobs:
            while not await self.step(
                job if self.rng.random() < offer else None, int(self.rng.random() < take)
            ):
                pass
            sent += 1
        for _ in range(int((N + 2) * (CYCLES + CLEARING + 9) / take)):
            await self.step(take=int(self.rng.random() < take))
        assert not +self.owed, [fields(port) for port in +self.owed]
        assert self.answers == before + sent
        self.empty()

    def empty(self) -> None:
        """Nothing of a job is in any engine, nor in the farm."""
        assert not self.seen["answer_set"]
        assert not self.seen["working_set"]


def jobs(rng: random.Random, count: int) -> list[Job]:
    """Return random jobs of every kind that share a few tags."""
    return [replace(random_job(rng), tag=rng.randrange(TAGS)) for _ in range(count)]


async def ready(dut: Any, seed: int = 1) -> Stream:
    stream = Stream(dut, seed)
    await stream.begin()
    for _ in range(CLEARING + 2):
        await stream.step()
    return stream


@cocotb.test()
async def random_jobs_under_random_stalls(dut: Any) -> None:
    """Every job has the model's answer, its own tag and its core's own count of cycles."""
    stream = await ready(dut)
    rng = random.Random(2)
    for offer, take in ((1.0, 1.0), (0.3, 0.1), (1.0, 0.02), (2 * N / CYCLES, 1.0)):
        await stream.run(jobs(rng, 20 * N), offer, take)


@cocotb.test()
async def special_cases_and_statuses(dut: Any) -> None:
    """Errors and exceptional points among each other, as fast as they are taken."""
    stream = await ready(dut)
    await stream.run(replace(job, tag=i & 0xFF) for i, job in enumerate(special_jobs()))


@cocotb.test()
async def a_job_alone_takes_four_cycles_more(dut: Any) -> None:
    """From accepted to valid: what the core counts, one cycle in, three out."""
    stream = await ready(dut)
    for job in jobs(random.Random(3), 2 * N):
        assert await stream.step(job, take=1)
        start, before = stream.now - 1, stream.answers
        while stream.answers == before:
            await stream.step(take=1)
        assert stream.now - 1 - start == CYCLES + LATENCY
        for _ in range(CLEARING + 2):
            await stream.step()


@cocotb.test()
async def throughput_is_that_of_all_engines(dut: Any) -> None:
    """N jobs in the time in which an engine does one, empties itself, and is given the next."""
    stream = await ready(dut)
    rng = random.Random(4)
    period = CYCLES + 1 + CLEARING + TURN
    for job in jobs(rng, 3 * N):
        while not await stream.step(job, take=1):
            pass
    start = stream.answers
    for _ in range(10 * period):
        await stream.step(jobs(rng, 1)[0], take=1)
    assert stream.answers - start == 10 * N


@cocotb.test()
async def zeroize_and_reset_in_flight(dut: Any) -> None:
    """In any cycle of a stream: all jobs are dropped, nothing is left inside; then right jobs."""
    stream = await ready(dut)
    rng = random.Random(5)
    last = CYCLES + LATENCY + CLEARING + 6
    for t in range(0, last, max(1, last // 32)):
        for by_reset in (False, True):
            for cycle in range(t):
                await stream.step(jobs(rng, 1)[0], take=int(cycle % 3 == 0))
            before = stream.answers
            if by_reset:
                stream.drive(req_valid=0, rsp_ready=0)
                assert not (await stream.reset())["answer"]
                stream.forget()
            else:
                await stream.step(jobs(rng, 1)[0], take=1, zeroize=1)
                before = stream.answers
            for _ in range(CLEARING + 1):
                await stream.step(take=1)
            stream.empty()
            assert stream.answers == before
        await stream.run(jobs(rng, N))
