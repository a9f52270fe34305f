# SPDX-License-Identifier: Apache-2.0
"""Behaviour of an engine at its port, as a preset; run by test_gf2m_engine.py, test_gfp_engine.py.

:class:`Bench` holds a model of the port that knows nothing of the engine's inside: when it is
ready, when it answers, and what. Every cycle of every test is compared with it.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import cocotb

from ecsm.curves import BinaryCurve, Point
from ecsm.presets.store import AnyDesign, HalvingDesign, PrimeDesign, design
from ecsm.status import Status
from tests.rtl.engine.clocked import Clocked
from tests.rtl.engine.tops import ANSWER


def clearings(d: AnyDesign) -> tuple[int, int]:
    """Return the cycles until a core is empty, after an answer taken, and after one made."""
    if isinstance(d, HalvingDesign):
        return d.preset.clearing - 1, 0
    if isinstance(d, PrimeDesign):  # zeros into the table and the banks, through the multiplier
        return d.preset.clearing_memory, d.preset.clearing_memory
    mul = d.preset.multiplier
    ranks = 0 if mul.kind == "serial" else mul.stages - 1 + d.preset.ahead
    return max(ranks, 1), 0


DESIGN = design(os.environ["ENGINE_PRESET"])
CURVE = DESIGN.preset.curve
M = DESIGN.preset.field_bits
SCALAR = DESIGN.preset.scalar_bits
COORD = DESIGN.preset.coordinate_bits
CYCLES = DESIGN.microcode.cycles
CLEARING, EMPTYING = clearings(DESIGN)
THREADS = getattr(DESIGN.preset, "threads", 1)
# Of a batch that is not full: cycles from its last request to the start of a full one's.
PATIENCE = DESIGN.preset.patience + 1 if isinstance(DESIGN, PrimeDesign) else 0


def stops(last: int) -> Iterator[int]:
    """Yield the cycles in which a job is stopped: all, or of a batch's the first and last ones."""
    ends = 4 * THREADS
    yield from (t for t in range(last) if THREADS == 1 or t % 7 == 0 or not ends < t < last - ends)


ODD = isinstance(DESIGN, HalvingDesign)  # points of even order are refused


def points() -> list[Point]:
    """Return the curve's points, infinity first; of a curve that is no toy some of both orders."""
    if CURVE.q <= 1 << 16:
        return list(CURVE.points())
    assert isinstance(CURVE, BinaryCurve)
    some = [CURVE.mul(k, CURVE.generator) for k in range(1, 33)]
    two = (0, CURVE.field.sqrt(CURVE.b))
    return [None, *some, *(CURVE.add(p, two) for p in some[:4])]


POINTS = points()
WIDTH = {name: COORD if bits == "c" else int(bits) for name, bits in ANSWER}
TAG_MASK = ((1 << WIDTH["tag"]) - 1) << (WIDTH["cycles"] + 2 * COORD)

INPUTS = (
    "zeroize", "req_valid", "req_op", "req_scalar", "req_x", "req_y", "req_infinity", "req_tag",
    "rsp_ready",
)  # fmt: skip


@dataclass(frozen=True)
class Job:
    """What stands at the request port."""

    k: int
    x: int
    y: int
    infinity: int = 0
    op: int = 0
    tag: int = 0

    def ports(self) -> dict[str, int]:
        """Return the request ports' values."""
        return {
            "req_op": self.op, "req_scalar": self.k, "req_x": self.x, "req_y": self.y,
            "req_infinity": self.infinity, "req_tag": self.tag,
        }  # fmt: skip

    def status(self) -> Status:
        """Return the status of the answer; the first that applies, in the port's order."""
        if self.op != 0:
            return Status.UNSUPPORTED
        if self.infinity:
            return Status.OK
        if not CURVE.in_range(self.x, self.y):
            return Status.COORDINATE_OUT_OF_RANGE
        if not CURVE.contains((self.x, self.y)):
            return Status.POINT_NOT_ON_CURVE
        odd = not ODD or CURVE.mul(CURVE.n, (self.x, self.y)) is None
        return Status.OK if odd else Status.LOW_ORDER_POINT

    def answer(self, cycles: int) -> dict[str, int]:
        """Return the response ports' values when the answer is valid."""
        status = self.status()
        point = None
        if status is Status.OK:
            point = product(self.k, None if self.infinity else (self.x, self.y))
        x, y = point or (0, 0)
        return {
            "ready": 0, "valid": 1, "status": status, "x": x, "y": y, "tag": self.tag,
            "infinity": status is Status.OK and point is None, "cycles": cycles,
        }  # fmt: skip


@cache
def product(k: int, point: Point) -> Point:
    """Return kP, or aG + bP, by the reference."""
    return DESIGN.preset.multiple(k, point)


def flat(answer: dict[str, int]) -> int:
    """Return the top's port with these values; a name that is missing is 0."""
    total = 0
    for name, bits in WIDTH.items():
        total = total << bits | int(answer.get(name, 0))
    return total


def fields(port: int) -> dict[str, int]:
    """Return the top's port by name."""
    values = {}
    for name, bits in reversed(WIDTH.items()):
        values[name] = port & ((1 << bits) - 1)
        port >>= bits
    return values


def random_job(rng: random.Random) -> Job:
    """Return a job; every status and infinity are common."""
    x, y = rng.choice(POINTS[1:]) or (0, 0)
    job = Job(rng.getrandbits(SCALAR), x, y, tag=rng.getrandbits(8))
    kind = rng.randrange(10)
    garbage = {"x": rng.getrandbits(COORD), "y": rng.getrandbits(COORD)}
    if kind == 0:
        return replace(job, infinity=1, **garbage)
    if kind == 1:
        return replace(job, **garbage)
    if kind == 2:
        return replace(job, op=rng.randrange(1, 16))
    if kind == 3:
        return replace(job, y=rng.getrandbits(M))
    return job


class Bench(Clocked):
    """The core beside the model of its port: the jobs in it and how long ago the last one came.

    A core of one thread starts with its request, one of several when all have a job or patience
    is over.
    """

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, INPUTS, ("answer", "answer_set", "working_set"))
        self.jobs: list[Job] = []
        self.running = False
        self.age = self.total = 0  # cycles since the last request, and until the answer
        # Cycles of clearing to come, after a reset, zeroize or an answer taken.
        self.fresh = CLEARING
        self.rng = random.Random(1)
        self.accepted = self.answered = 0
        self.worked = False  # the registers were seen at work

    @property
    def valid(self) -> bool:
        """Whether an answer is at the port."""
        return self.running and self.age >= self.total

    @property
    def due(self) -> int:
        """Cycles until there is one, if no request comes."""
        return (self.total if self.running else CYCLES + PATIENCE) - self.age

    def compare(self, seen: dict[str, int], zeroize: int) -> None:
        """Assert the whole response side; outputs are zero unless an answer is valid.

        Inside, nothing is left but the answer once it is valid, and nothing when it is gone.
        """
        port = seen["answer"]
        if self.fresh:
            assert not port, f"while the registers are cleared: {fields(port)}"
            return
        if not self.jobs:
            assert not seen["answer_set"], "the answer is still there"
        if not self.jobs or (self.running and self.age >= self.total + EMPTYING):
            assert not seen["working_set"], "working registers are not cleared"
        self.worked |= bool(seen["working_set"])
        if self.valid:
            want = flat(self.jobs[0].answer(self.total))
        else:
            want = flat({"ready": not self.running and not zeroize})
            port &= ~TAG_MASK  # which job is running is no secret
        assert port == want, f"{self.jobs}, cycle {self.age}: {fields(port)}, not {fields(want)}"

    async def step(self, job: Job | None = None, take: int = 0, zeroize: int = 0) -> None:
        """Run one cycle; ``job`` is offered, or garbage stands at the ports without a request."""
        shown = job or random_job(self.rng)
        seen = await self.cycle(
            req_valid=job is not None, rsp_ready=take, zeroize=zeroize, **shown.ports()
        )
        self.compare(seen, zeroize)
        if self.fresh:
            self.fresh = CLEARING if zeroize else self.fresh - 1
            return
        taken = self.valid and take
        if taken:
            self.jobs.pop(0)
            self.answered += 1
        if zeroize or (taken and not self.jobs):
            self.jobs, self.running, self.fresh = [], False, CLEARING
        elif job is not None and not self.running:
            self.jobs.append(job)
            self.accepted += 1
            self.age, self.running, self.total = 1, len(self.jobs) == THREADS, CYCLES
        else:
            if self.jobs and not self.running and self.age == PATIENCE:
                self.running, self.total = True, CYCLES + PATIENCE
            self.age += 1

    async def whole(self, job: Job) -> None:
        """Run a job from the request to the answer taken, and one cycle more."""
        await self.step(job)
        for _ in range(self.due):
            await self.step()
        await self.step(take=1)
        await self.cleared()
        assert not self.jobs

    async def answers(self) -> None:
        """Take all answers, which are there."""
        assert self.valid
        while self.jobs:
            await self.step(take=1)

    async def cleared(self) -> None:
        """Run to the cycle in which the core is ready again; requests until then go unheard."""
        while self.fresh:
            await self.step(random_job(self.rng))

    async def reset_now(self) -> None:
        """Reset between two edges: outputs are zero at once; then the registers are cleared."""
        self.drive(req_valid=0, zeroize=0, rsp_ready=0)
        seen = await self.reset()
        self.jobs, self.running, self.fresh = [], False, CLEARING
        self.compare(seen, 0)
        await self.cleared()


async def ready(dut: Any) -> Bench:
    bench = Bench(dut)
    await bench.begin()
    await bench.cleared()
    return bench


def special_jobs() -> Iterator[Job]:
    """Yield the exceptional cases, each status, and every pair of statuses at once."""
    n, top = CURVE.n, (1 << SCALAR) - 1
    points = [CURVE.generator]
    if isinstance(CURVE, BinaryCurve):
        points += [(0, CURVE.field.sqrt(CURVE.b))]  # order two
        if CURVE.h % 4 == 0 or CURVE.q <= 1 << 16:
            points += [p for p in POINTS if p and CURVE.order(p) == 4][:1]
    scalars = (0, 1, 2, 3, n - 1, n, n + 1, top - 1, top)
    for x, y in points:
        yield from (Job(k, x, y) for k in scalars if k <= top)
        if DESIGN.preset.double:  # a above b: infinity in the middle and at the end
            rows = itertools.product((0, 1, n - 1, n), (0, 1, n - 1, n))
            yield from (Job(a << SCALAR // 2 | b, x, y) for a, b in rows)
    ones = (1 << M) - 1
    x, y = CURVE.generator
    assert not CURVE.contains((x, y ^ 1))
    yield from (Job(k, ones, ones, infinity=1) for k in (0, 1, top))  # coordinates are ignored
    yield Job(5, x, y ^ 1)
    yield Job(5, 0, 0)
    yield Job(0, x, y ^ 1)  # k = 0 does not excuse the point
    yield from (Job(5, x, y, op=op) for op in range(1, 16))
    yield Job(5, x, y ^ 1, op=1)
    yield Job(5, ones, ones, infinity=1, op=1)
    for first in range(CURVE.q, 1 << M):  # a prime field's numbers end before its bits do
        yield from (Job(5, first, y), Job(5, x, first), Job(5, first, first, infinity=1))
    if COORD > M:
        for high in (1 << M, 1 << (COORD - 1)):
            yield from (Job(5, x | high, y), Job(5, x, y | high), Job(5, x | high, y | high))
            yield Job(5, x | high, y ^ 1)  # before the curve's equation
            yield Job(5, x | high, y, op=1)  # after the operation
            yield Job(5, x | high, y | high, infinity=1)


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
    assert bench.answered == batches * THREADS


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
