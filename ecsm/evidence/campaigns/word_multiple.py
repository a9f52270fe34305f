# SPDX-License-Identifier: Apache-2.0
"""A kP of a word engine under test, after faults: ECDH with a key that was loaded before.

    load the key --> the request for d Q is accepted: cycle 0
                     x and y of Q come in, the product, x of d Q goes out

The answer is held against the textbook's d Q.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ecsm.evidence.campaigns.host import Hosts, Reply
from ecsm.evidence.campaigns.lanes import Event, Lanes
from ecsm.evidence.campaigns.signing import PREFIX
from ecsm.evidence.campaigns.word_signing import WordSignature
from ecsm.progress import Progress
from ecsm.status import Status

AGREE = "ecdh"
OUTCOMES = (
    "right", "right, late", "error status", "no answer",
    "wrong: x of no point", "wrong: x of a point", "too few or too many octets",
)  # fmt: skip
RIGHT, LATE, ERROR, NONE, OFF, ON, OCTETS = range(len(OUTCOMES))


@dataclass(frozen=True)
class Jobs:
    """A key and a point for each lane. ``same``: all lanes have the same noise."""

    keys: Sequence[int]
    points: Sequence[tuple[int, int]]
    same: bool = False


class WordMultiple(WordSignature):
    """A word engine's d Q."""

    vary: ClassVar[Sequence[str]] = ("scalar", "point")
    outcomes: ClassVar[Sequence[str]] = OUTCOMES
    operation: ClassVar[str] = AGREE
    parts: ClassVar[Mapping[str, str]] = {"multiply": "kP", "finish": "x"}
    first_part: ClassVar[str] = "point, key"

    def __init__(self, name: str, tell: Progress) -> None:
        super().__init__(PREFIX + name, tell)
        self.name = name
        self._curve: Any = self.machine.curve

    def _asked(self, inputs: Any) -> list[Sequence[bytes]]:
        size = self._curve.octets
        return [[q[axis].to_bytes(size, "big") for q in inputs.points] for axis in range(2)]

    def _few(self, lanes: Lanes) -> Any:
        return self.jobs(random.Random(1), lanes.lanes, lanes.lanes)

    def jobs(self, rng: random.Random, count: int, lanes: int) -> Any:
        """Return ``count`` random jobs, one after the other in the lanes.

        One alone has the same noise in all lanes.
        """
        c = self._curve
        asked = [
            (rng.randrange(1, c.n), c.mul(rng.randrange(1, c.n), c.generator)) for _ in range(count)
        ]
        each = [asked[lane % count] for lane in range(lanes)]
        return Jobs([d for d, _ in each], [q for _, q in each], count == 1)

    def _first(self, inputs: Any, lanes: int) -> Jobs:
        return Jobs([inputs.keys[0]] * lanes, [inputs.points[0]] * lanes, inputs.same)

    def judged(self, lanes: Lanes, inputs: Any, events: Sequence[Event]) -> list[int]:
        """Return which of :attr:`outcomes` each lane's answer is, after these faults."""
        self._reset(lanes, inputs)
        self._request(lanes, self.operation)
        replies = Hosts(lanes, *self._asked(inputs)).run(events, 2 * self.last)
        jobs = list(zip(inputs.keys, inputs.points, strict=True))
        right = {job: self._curve.mul(*job)[0] for job in set(jobs)}
        return [self.judge_x(r, right[job]) for r, job in zip(replies, jobs, strict=True)]

    def judge_x(self, reply: Reply, right: int) -> int:
        """Return which of :attr:`outcomes` a reply is; ``right``: x of d Q."""
        if reply.status is None:
            return NONE
        if reply.status != Status.OK:
            return ERROR
        if reply.rest or [len(s) for s in reply.strings] != [self._curve.octets]:
            return OCTETS
        x = int.from_bytes(reply.strings[0], "big")
        if x == right:
            return RIGHT if reply.cycle == self.last else LATE
        return ON if x < self._curve.p and self._curve.lift_x(x) else OFF
