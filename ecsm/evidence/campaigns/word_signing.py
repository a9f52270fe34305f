# SPDX-License-Identifier: Apache-2.0
"""A signature of a word engine under test: one machine, no core in it, and noise for its masks.

Every lane has noise of its own. So lanes with equal keys and digests run with other masks, and give
the same signature.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

from ecsm.evidence.campaigns.host import words
from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.signing import OPERATION, Inputs, Script, Signature, _all, _number
from ecsm.schedule.sequential.words import PC_BITS
from ecsm.schemes.word.program import WordProgram

STEP = 16  # cycles between two looks at the program


class WordSignature(Signature):
    """A word engine's signatures after faults; their traces are those of :mod:`.word_traces`."""

    refused: ClassVar[Mapping[str, str]] = {
        "memory": "in each run other words are read, by random numbers",
        "skip": "no words of a word engine's program are skipped",
    }
    control: ClassVar[str] = "u_scheme.u_core.u_control"
    limit: ClassVar[int] = 1 << 21

    def _switched_on(self, lanes: Lanes, inputs: Inputs) -> None:
        """Let noise come."""
        lanes.set("noise_valid_i", 1)
        lanes.noise("noise_data_i", zlib.crc32(b"".join(inputs.digests)))

    @cached_property
    def _script(self) -> Script:
        """Sign once, and look when it ends: in all lanes, and always, in the same cycle."""
        with Lanes(self.circuit, wide=False) as lanes:
            inputs = self._few(lanes)
            self._reset(lanes, inputs)
            self._request(lanes, OPERATION)
            taken = [1 + c for c in self._feed(lanes, words(inputs.digests))]
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
        """The part of the signature that each cycle is of: by the routines that begin."""
        assert isinstance(self._program, WordProgram)
        nets = self._nets("pc_q", PC_BITS)
        parts = {"multiply": "kP", "affine": "x, 1/k, s"}
        found, part = ["keys, nonce"], "keys, nonce"
        with Lanes(self.circuit, wide=False) as lanes:
            run = self.start(lanes, self._few(lanes))
            for cycle in range(1, self.last, STEP):
                run.to(cycle)
                part = parts.get(self._program.routine(_number(lanes, nets)), part)
                found += [part] * STEP
        return [*found, *["answer"] * self.cycles][: self.cycles]
