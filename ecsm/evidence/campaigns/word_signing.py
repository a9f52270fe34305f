# SPDX-License-Identifier: Apache-2.0
"""A signature of a word engine under test: one machine, no core in it, and noise for its masks.

Every lane has noise of its own. So lanes with equal keys and digests run with other masks, and give
the same signature. Faults in memories are the exception: which word is read when depends on the
noise, so all lanes of a batch have one job and the same noise.
"""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ecsm.evidence.campaigns.host import Hosts, Reply, words
from ecsm.evidence.campaigns.lanes import FEW, Lanes, Planes
from ecsm.evidence.campaigns.signing import (
    OPERATION,
    Inputs,
    Script,
    Signature,
    SigningRun,
    _all,
    _number,
)
from ecsm.evidence.campaigns.spans import Span, values
from ecsm.evidence.campaigns.textbook import HASH
from ecsm.schedule.sequential.words import PC_BITS
from ecsm.schemes.word.program import WordProgram
from ecsm.status import Status

STEP = 16  # cycles between two looks at the program
CLEARS = 1 << 14  # cycles in which a machine is ready behind a zeroize
MESSAGE = b"a machine that answers"


class WordSignature(Signature):
    """A word engine's signatures after faults; their traces are those of :mod:`.word_traces`.

    ``operation``: what is asked; ``parts``: names of parts of it by the routine that begins one.
    """

    refused: ClassVar[Mapping[str, str]] = {
        "skip": "no words of a word engine's program are skipped",
    }
    revives: ClassVar[bool] = True
    control: ClassVar[str] = "u_scheme.u_core.u_control"
    limit: ClassVar[int] = 1 << 21
    operation: ClassVar[str] = OPERATION
    parts: ClassVar[Mapping[str, str]] = {"base": "kP", "affine": "x, 1/k, s"}
    first_part: ClassVar[str] = "keys, nonce"

    def _asked(self, inputs: Any) -> list[Sequence[bytes]]:
        """Return the strings of the operation, each by lane."""
        return [inputs.digests]

    def _seed(self, inputs: Any) -> int:
        """Return the seed of the noise: the same for the same jobs, in whatever many lanes."""
        given = (string for strings in self._asked(inputs) for string in dict.fromkeys(strings))
        return zlib.crc32(b"".join(given))

    def _switched_on(self, lanes: Lanes, inputs: Any) -> None:
        """Let noise come."""
        lanes.set("noise_valid_i", 1)
        lanes.noise("noise_data_i", self._seed(inputs), inputs.same)

    @cached_property
    def _script(self) -> Script:
        """Run once, and look when it ends: in all lanes, and always, in the same cycle."""
        with Lanes(self.circuit, FEW) as lanes:
            inputs = self._few(lanes)
            self._reset(lanes, inputs)
            self._request(lanes, self.operation)
            taken = [1 + c for c in self._feed(lanes, words(*self._asked(inputs)))]
            at = taken[-1] + 1
            given: list[int] = []
            while at < self.limit:
                at += lanes.run(self.limit - at, until=("out_valid_o", "rsp_valid_o"))
                if _all(lanes, "rsp_valid_o"):
                    return Script(taken, given, 0, at)
                given.append(at)
                lanes.run(1)
                at += 1
        raise ValueError(f"{self.name}: no answer in {self.limit} cycles")

    @cached_property
    def phases(self) -> list[str]:
        """The part of the operation that each cycle is of: by the routines that begin."""
        assert isinstance(self._program, WordProgram)
        nets = self._nets("pc_q", PC_BITS)
        found, part = [self.first_part], self.first_part
        with Lanes(self.circuit, FEW) as lanes:
            run = self.start(lanes, self._few(lanes))
            for cycle in range(1, self.last, STEP):
                run.to(cycle)
                part = self.parts.get(self._program.routine(_number(lanes, nets)), part)
                found += [part] * STEP
        return [*found[: self.last], *["answer"] * self.cycles][: self.cycles]

    def start(self, lanes: Lanes, inputs: Any, counts: Any = None) -> Any:
        """Load the keys, and let all lanes accept the request: cycle 0."""
        script = self._script
        self._reset(lanes, inputs)
        self._request(lanes, self.operation, counts)
        return SigningRun(self, lanes, words(*self._asked(inputs)), script)

    def jobs(self, rng: random.Random, count: int, lanes: int) -> Any:
        """Return ``count`` random jobs, one after the other in the lanes.

        One alone has the same noise in all lanes.
        """
        return replace(super().jobs(rng, count, lanes), same=count == 1)

    def spans(self, _lanes: Lanes, inputs: Any) -> list[Span]:
        """Return from when to when words of memories matter, in all lanes of one job."""
        assert inputs.same
        with Lanes(self.circuit, FEW) as few:
            return values(self, few, self._first(inputs, few.lanes))

    def _first(self, inputs: Inputs, lanes: int) -> Any:
        """Return the first job for so many lanes."""
        keys, digests, nonces = inputs.keys[:1], inputs.digests[:1], inputs.nonces[:1]
        return Inputs([*keys] * lanes, [*digests] * lanes, [*nonces] * lanes, inputs.same)

    def again(self, lanes: Lanes, inputs: Any) -> list[bool]:
        """Zeroize all lanes as they are; return which then load a key and give a right digest."""
        lanes.set("zeroize_i", 1)
        lanes.run(1)
        lanes.set("zeroize_i", 0)
        loaded = self._ask(lanes, "load", self._strings(inputs.keys))
        told = self._ask(lanes, HASH, [MESSAGE] * lanes.lanes)
        right = [hashlib.new(HASH, MESSAGE).digest()]
        return [
            (a.status, b.status, b.strings) == (Status.OK, Status.OK, right)
            for a, b in zip(loaded, told, strict=True)
        ]

    def _ask(self, lanes: Lanes, operation: str, strings: Sequence[bytes]) -> list[Reply]:
        """Let each lane that is ready accept a request; return what each says, or does not."""
        lanes.set("in_valid_i", 0)
        lanes.set("req_op_i", self._program.number(operation))
        waiting: Planes = lanes.all(1, 1)[0]
        ready = lanes.circuit.ports["req_ready_o"]
        left = CLEARS
        while left and waiting.any():
            lanes.set("req_valid_i", waiting[None])
            left -= lanes.run(left, until="req_ready_o", lanes=waiting)
            if left:
                accepted = lanes.planes(ready)[0] & waiting
                lanes.run(1)
                left -= 1
                waiting = np.bitwise_and(waiting, ~accepted)
        lanes.set("req_valid_i", 0)
        return Hosts(lanes, strings).run([], 2 * CLEARS)
