# SPDX-License-Identifier: Apache-2.0
"""What tests of countermeasures share: flips of registers, chosen random numbers, changed RTL."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.circuit import circuit
from ecsm.evidence.campaigns.lanes import FLIP, Event, Lanes
from ecsm.evidence.campaigns.subject import CoreJobs, Inputs
from ecsm.hdl.countermeasures import without
from ecsm.presets.gf2m import RANDOM_WORD
from ecsm.progress import Progress
from ecsm.results.sources import digest_of
from ecsm.status import Status


# ------------------------------------------------------------------ faults
def matching(it: CoreJobs, pattern: str) -> list[int]:
    """Return the registers whose names have a match, at least one."""
    found = [i for i, name in enumerate(it.circuit.registers) if re.search(pattern, name)]
    assert found, pattern
    return found


# ------------------------------------------------------------------ faults
def flipped(it: CoreJobs, faults: Sequence[tuple[int, int]]) -> list[tuple[int | None, int]]:
    """Return status and outcome of a job for each fault: a cycle, and a register that flips."""
    rng, found = random.Random(it.name), list[tuple[int | None, int]]()
    with Lanes(it.circuit) as lanes:
        while len(found) < len(faults):
            now = faults[len(found) : len(found) + lanes.lanes]
            inputs = it.jobs(rng, 8, lanes.lanes)
            events = [Event(c, FLIP, r, lane) for lane, (c, r) in enumerate(now)]
            answers = it.run(lanes, inputs, events, 2 * it.last)[: len(now)]
            jobs = zip(answers, inputs.scalars, inputs.points, strict=False)
            found += [(a.status, it.judge(a, it.right(k, p))) for a, k, p in jobs]
    return found


def found_in(it: CoreJobs, pattern: str, cycles: Sequence[int]) -> bool:
    """Whether flips of these registers in these cycles all end with the status of a fault."""
    faults = [(c, r) for c in cycles for r in matching(it, pattern)]
    return {status for status, _ in flipped(it, faults)} == {Status.FAULT_DETECTED}


def control(it: CoreJobs) -> bool:
    """A flip in a counter of one of the two sequencers, in the middle of the loop."""
    counters = r"u_sequencer\.(next|left|repeat|loop|cycles)(_q)?\b|u_front\.cycles\["
    loop = [c for c, phase in enumerate(it.phases) if phase == "loop"]
    middle = loop[len(loop) // 3 : len(loop) // 2]
    return found_in(it, counters, middle[:: max(1, len(middle) // 12)])


def status(it: CoreJobs) -> bool:
    """A flip of a flag or its test, of what is known of the request, or of the tag, in a job."""
    known = r"u_front\.(flag_q\[|infinity_q|unsupported_q|range_q)|^rsp_tag_o\[|u_engine\.test_q\["
    return found_in(it, known, range(it.last - 1, 0, -9))


# ------------------------------------------------------------------ masks
class Chosen(CoreJobs):
    """A masked core whose random numbers are chosen: those of each lane."""

    numbers: Sequence[int] = ()

    def reset(self, lanes: Lanes, seed: int = 0) -> None:
        """Let the pool forget what it took, and give it the numbers, the highest word first."""
        super().reset(lanes, seed)
        lanes.set("zeroize_i", 1)
        lanes.run(1)
        lanes.set("zeroize_i", 0)
        assert 0 < self.design.preset.random_bits <= RANDOM_WORD
        lanes.set("random_i", lanes.each(self.numbers, RANDOM_WORD))
        lanes.set("random_valid_i", 1)
        lanes.run(1)
        lanes.set("random_valid_i", 0)
        lanes.run(1 << 10, until="req_ready_o")


def states(
    it: CoreJobs, pattern: str, k: int, number: Callable[[random.Random], int],
    cycles: Sequence[int],
) -> npt.NDArray[np.uint8]:  # fmt: skip
    """Return bits by cycle, register and lane; each lane's job of k has a random number."""
    chosen = Chosen(it.name, Progress())
    chosen.circuit = it.circuit
    nets = [2 + it.circuit.inputs + i for i in matching(it, pattern)]
    rng, found = random.Random(k), []
    with Lanes(it.circuit) as lanes:
        chosen.numbers = [number(rng) for _ in range(lanes.lanes)]
        g = it.design.preset.curve.generator
        run = chosen.start(lanes, Inputs([k] * lanes.lanes, [g] * lanes.lanes))
        for cycle in cycles:
            run.to(cycle)
            found.append(np.unpackbits(lanes.planes(nets), axis=1, bitorder="little"))
    return np.array(found)


def random_bits(it: CoreJobs, stream: str, number: Callable[[random.Random], int]) -> bool:
    """Whether all bits of a loaded stream have both values, but the one behind and the marker."""
    (loaded,) = states(it, rf"\.{stream}", 5, number, [1])
    return sum(int(row.min() == row.max()) for row in loaded) <= 2


# ------------------------------------------------------------------ changed RTL
@dataclass(frozen=True)
class Case:
    """A claim, and presets that it holds for."""

    claim: Callable[[CoreJobs], bool]
    presets: tuple[str, ...]


def broken(it: CoreJobs, name: str, folder: Path) -> CoreJobs:
    """Return the core without a countermeasure."""
    files = tuple(without(name, it.sources.files, folder))
    found = copy.copy(it)
    found.sources = replace(it.sources, files=files, digest=digest_of(it.sources.text, files))
    found.circuit = circuit(found.sources, Progress())
    return found
