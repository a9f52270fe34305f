# SPDX-License-Identifier: Apache-2.0
"""The farm between a user and engines that are models; every cycle is checked.

:class:`Farm` knows what a stream of jobs must do and nothing of the farm's inside: what was
accepted goes to one engine once, what an engine answers comes out once, valid/ready holds on both
sides, and while nothing is in the farm nothing is in its registers.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.rtl.attach.tops import REQ, RSP
from tests.rtl.common.clocked import Clocked
from tests.rtl.common.tops import pack, unpack

N = int(os.environ["FARM_ENGINES"])
MASK = (1 << REQ) - 1
NEVER = 1 << 30
INPUTS = (
    "zeroize", "req_valid", "req", "rsp_ready",
    "engine_req_ready", "engine_rsp_valid", "engine_rsp",
)  # fmt: skip
OUTPUTS = (
    "req_ready", "rsp_valid", "rsp", "engine_req_valid", "engine_req", "engine_rsp_ready", "inside",
)  # fmt: skip


def answer(request: int) -> int:
    """Return what an engine makes of a request; two requests have two answers, none is zero."""
    return 1 << REQ | request ^ MASK


@dataclass
class Engine:
    """An engine that holds ``places`` jobs and takes ``latency()`` cycles for one, in any order.

    ``ready``: the chance that it takes a job when it could; ``valid``: that it shows an answer.
    """

    places: int = 1
    latency: Callable[[], int] = lambda: 5
    ready: float = 1.0
    valid: float = 1.0
    jobs: dict[int, int] = field(default_factory=dict)  # when an answer is due, by its key
    shown: int | None = None  # the answer at the port, by its key
    requests: dict[int, int] = field(default_factory=dict)
    taken: int = 0

    def show(self, now: int, rng: random.Random) -> tuple[int, int, int]:
        """Return ready, valid and the answer of this cycle; an answer stays once it is shown."""
        due = [key for key, when in self.jobs.items() if when <= now]
        if self.shown is None and due and rng.random() < self.valid:
            self.shown = rng.choice(due)
        ready = len(self.jobs) < self.places and rng.random() < self.ready
        if self.shown is None:
            return int(ready), 0, rng.getrandbits(RSP)
        return int(ready), 1, answer(self.requests[self.shown])

    def accept(self, request: int, now: int) -> None:
        """Take a job."""
        self.jobs[self.taken] = now + 1 + self.latency()
        self.requests[self.taken] = request
        self.taken += 1

    def answered(self) -> None:
        """Forget the job whose answer was taken."""
        assert self.shown is not None
        del self.jobs[self.shown], self.requests[self.shown]
        self.shown = None

    def drop(self) -> None:
        """Forget all jobs."""
        self.jobs.clear()
        self.requests.clear()
        self.shown = None


class Farm(Clocked):
    """The farm, its engines and the user's books."""

    def __init__(self, dut: Any, engines: list[Engine] | None = None, seed: int = 1) -> None:
        super().__init__(dut, INPUTS, OUTPUTS)
        self.engines = engines or [Engine() for _ in range(N)]
        self.rng = random.Random(seed)
        self.now = 0
        self.history: list[tuple[int, int]] = []  # engine and cycle of every request given
        self.out: list[tuple[int, int]] = []  # answer and cycle of every one taken
        self.accepted: list[int] = []  # cycle of every request accepted
        self.forget()

    def forget(self) -> None:
        """Drop every job from the books."""
        self.owed: Counter[int] = Counter()  # answers that the user waits for
        self.given = [0] * N  # requests given by the farm that an engine has not taken, by number
        self.to_give: Counter[int] = Counter()  # accepted, not yet at an engine
        self.to_come: Counter[int] = Counter()  # out of an engine, not yet out of the farm
        self.held: int | None = None  # the answer that stood at the user's port
        self.slot: list[int | None] = [None] * N  # the request that stood at an engine's port
        for engine in self.engines:
            engine.drop()

    async def step(self, request: int | None = None, take: int = 0, zeroize: int = 0) -> bool:
        """Run one cycle; return whether the request was accepted."""
        shows = [engine.show(self.now, self.rng) for engine in self.engines]
        ready = [r & ~zeroize & 1 for r, _, _ in shows]  # as every core does
        valid = [v for _, v, _ in shows]
        seen = await self.cycle(
            zeroize=zeroize, req_valid=request is not None, rsp_ready=take,
            req=self.rng.getrandbits(REQ) if request is None else request,
            engine_req_ready=pack(ready, 1), engine_rsp_valid=pack(valid, 1),
            engine_rsp=pack([data for _, _, data in shows], RSP),
        )  # fmt: skip
        self._check_user(seen, zeroize)
        taken = self._requests(seen, ready)
        given = self._answers(seen, valid)
        accepted = request is not None and bool(seen["req_ready"])
        if accepted:
            assert request is not None
            self.accepted.append(self.now)
            self.to_give[request] += 1
            self.owed[answer(request)] += 1
        self.held = seen["rsp"] if seen["rsp_valid"] else None
        if seen["rsp_valid"] and take:
            self.out.append((seen["rsp"], self.now))
            assert self.owed[seen["rsp"]] > 0, f"{seen['rsp']:#x} is no answer that is owed"
            assert self.to_come[seen["rsp"]] > 0, f"{seen['rsp']:#x} was answered by no engine"
            self.owed[seen["rsp"]] -= 1
            self.to_come[seen["rsp"]] -= 1
            self.held = None
        for i, what in taken:
            self.engines[i].accept(what, self.now)
        for i in given:
            self.to_come[shows[i][2]] += 1
            self.engines[i].answered()
        if zeroize:
            self.forget()
        self.now += 1
        return accepted

    def _check_user(self, seen: dict[str, int], zeroize: int) -> None:
        """The user's port: an answer stays until it is taken, nothing shows without one."""
        assert not (zeroize and seen["req_ready"]), "a request is accepted and dropped at once"
        if self.held is not None:
            assert (seen["rsp_valid"], seen["rsp"]) == (1, self.held), "the answer has changed"
        assert seen["rsp_valid"] or not seen["rsp"], "something shows without an answer"
        if not self.total(self.to_give) and not self.total(self.to_come):
            assert not any(seen["engine_req_valid"] >> i & 1 for i in range(N))
            assert not seen["inside"], "nothing is in the farm, but its registers are not zero"

    def _requests(self, seen: dict[str, int], ready: list[int]) -> list[tuple[int, int]]:
        """The engines' request ports; return which engine takes what."""
        taken = []
        requests = unpack(seen["engine_req"], REQ, N)
        for i in range(N):
            if not seen["engine_req_valid"] >> i & 1:
                assert self.slot[i] is None, "a request was withdrawn"
                assert not requests[i], "an operand shows without a request"
                continue
            if self.slot[i] is None:
                self.history.append((i, self.now))
            assert self.slot[i] in (None, requests[i]), "a request has changed"
            self.slot[i] = requests[i]
            if ready[i]:
                assert self.to_give[requests[i]] > 0, f"engine {i} gets a job that nobody sent"
                self.to_give[requests[i]] -= 1
                self.slot[i] = None
                taken.append((i, requests[i]))
        return taken

    def _answers(self, seen: dict[str, int], valid: list[int]) -> list[int]:
        """The engines' response ports; return whose answer is taken."""
        return [i for i in range(N) if valid[i] and seen["engine_rsp_ready"] >> i & 1]

    @staticmethod
    def total(counter: Counter[int]) -> int:
        """Return how many a counter counts."""
        return sum(counter.values())

    async def drain(self) -> None:
        """Take answers until none is owed; then a while longer, for one too many."""
        for engine in self.engines:
            engine.ready = engine.valid = 1.0
        for _ in range(2000):
            if not self.total(self.owed):
                break
            await self.step(take=1)
        assert not self.total(self.owed), f"never answered: {dict(+self.owed)}"
        for _ in range(20):
            await self.step(take=1)
        assert len(self.out) <= len(self.accepted)

    async def reset_now(self) -> None:
        """Reset between two edges; the user's port is zero at once, the slots a cycle later."""
        self.drive(req_valid=0, zeroize=0, rsp_ready=0, engine_req_ready=0, engine_rsp_valid=0)
        seen = await self.reset()
        for name in ("rsp_valid", "rsp", "req_ready", "engine_req_valid"):
            assert not seen[name], name
        self.forget()
        await self.cycle()
