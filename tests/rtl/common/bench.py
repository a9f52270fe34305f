# SPDX-License-Identifier: Apache-2.0
"""A core of the preset that ENGINE_PRESET names, beside a model of its port, and jobs for it.

:class:`Bench` knows nothing of the engine's inside: when it is ready, when it answers, and what.
Every cycle of every test is compared with it.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.curves import BinaryCurve, Point
from ecsm.presets.gf2m import Preset
from ecsm.presets.gfp import PrimePreset
from ecsm.status import Status
from tests.rtl.common.clocked import Clocked
from tests.rtl.common.tops import ANSWER


def clearings(d: AnyDesign) -> tuple[int, int]:
    """Return the cycles until a core is empty, after an answer taken, and after one made."""
    if d.preset.odd_order:
        return d.preset.clearing - 1, 0
    if isinstance(d.preset, PrimePreset):  # zeros through the multiplier, into table and banks
        return d.preset.clearing_memory, d.preset.clearing_memory
    assert isinstance(d.preset, Preset)
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
THREADS = DESIGN.preset.threads
# Of a batch that is not full: cycles from its last request to the start of a full one's.
PATIENCE = DESIGN.preset.patience + 1 if isinstance(DESIGN.preset, PrimePreset) else 0


def stops(last: int) -> Iterator[int]:
    """Yield the cycles in which a job is stopped: all, or of a batch's the first and last ones."""
    ends = 4 * THREADS
    yield from (t for t in range(last) if THREADS == 1 or t % 7 == 0 or not ends < t < last - ends)


ODD = DESIGN.preset.odd_order  # points of even order are refused


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

    @property
    def cycles(self) -> int:
        """Cycles to the answer: fewer of kG, where the core has a program for it."""
        return DESIGN.of(None if self.infinity else (self.x, self.y)).microcode.cycles

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
            self.age, self.running, self.total = 1, len(self.jobs) == THREADS, job.cycles
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
