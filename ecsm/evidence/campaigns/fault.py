# SPDX-License-Identifier: Apache-2.0
"""``ecsm fault``: what one fault in a core's state does to its answer.

    flip      a flip-flop has the other value, from one cycle on until it is written
    memory    a bit of a memory's word that is read later in the job has the other value
    stuck     a flip-flop keeps a value, from one cycle on to the end of the job
    skip      the sequencer is a cycle ahead: a word of the program is not executed

Every lane has one fault. Where and when are drawn evenly. The answer is compared with that of the
textbook for the key and the point that were asked for: wrong is status ok with another answer.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ecsm.curves import Point
from ecsm.evidence.campaigns import pieces as campaign
from ecsm.evidence.campaigns.circuit import READ
from ecsm.evidence.campaigns.lanes import (
    FLIP,
    FLIP_CELL,
    STUCK_0,
    STUCK_1,
    Event,
    Lanes,
    lane_count,
)
from ecsm.evidence.campaigns.moments import wilson
from ecsm.evidence.campaigns.subject import TAG, Answer, CoreJobs, Inputs
from ecsm.progress import Progress
from ecsm.results.record import Origin
from ecsm.results.sources import origin
from ecsm.status import Status

CHUNK = 2048  # faults of a piece
JOBS = 16  # in a batch: several faults are tried on each
OUTCOMES = (
    "right", "right, late", "error status", "no answer",
    "wrong: not on the curve", "wrong: on the curve", "wrong: infinity", "wrong tag",
)  # fmt: skip
RIGHT, LATE, ERROR, NONE, OFF, ON, INFINITY, WRONG_TAG = range(len(OUTCOMES))
WRONG = (OFF, ON, INFINITY, WRONG_TAG)
MODES = ("flip", "memory", "stuck", "skip")


@dataclass(frozen=True)
class Plan:
    """What is asked."""

    preset: str
    mode: str
    count: int
    seed: int = 1


@dataclass(frozen=True)
class Share:
    """How many of how many faults, with bounds of 95 %."""

    name: str
    hits: int
    count: int
    share: float
    low: float
    high: float

    @staticmethod
    def of(name: str, hits: int, count: int) -> Share:
        """Return the share of ``hits``."""
        low, high = wilson(hits, count)
        return Share(
            name, hits, count, round(hits / max(count, 1), 5), round(low, 5), round(high, 5)
        )


@dataclass(frozen=True)
class Faults:
    """What was found. ``state``: bits that a fault may be in; ``wrong``: answers with status ok.

    ``modules`` and ``phases``: how many faults in each had a wrong answer.
    """

    preset: str
    mode: str
    cycles: int
    state: int
    wrong: Share
    outcomes: list[Share]
    modules: list[Share]
    phases: list[Share]
    origin: Origin


Faulted = tuple[int, int, list[Event]]
"""The bit, the cycle, and the events of a lane's fault."""


def _flips(core: CoreJobs, lanes: Lanes, rng: random.Random, _inputs: Inputs) -> list[Faulted]:
    found = []
    for lane in range(lanes.lanes):
        bit = rng.randrange(len(core.circuit.registers))
        cycle = rng.randrange(1, core.design.cycles_alone)
        found.append((bit, cycle, [Event(cycle, FLIP, bit, lane)]))
    return found


def _stuck(core: CoreJobs, lanes: Lanes, rng: random.Random, _inputs: Inputs) -> list[Faulted]:
    found = []
    for lane in range(lanes.lanes):
        bit = rng.randrange(len(core.circuit.registers))
        cycle = rng.randrange(1, core.design.cycles_alone)
        found.append((bit, cycle, [Event(cycle, rng.choice((STUCK_0, STUCK_1)), bit, lane)]))
    return found


def _skips(core: CoreJobs, lanes: Lanes, rng: random.Random, inputs: Inputs) -> list[Faulted]:
    """The sequencer's registers get the values that they have a cycle later, which are public."""
    nets = [2 + core.circuit.inputs + i for i in core.sequencer]
    if not nets:
        raise ValueError(f"{core.name} has no sequencer")
    core.start(lanes, inputs)
    states = []
    for _ in range(1, core.design.cycles_alone + 1):
        lanes.run(0)
        states.append(lanes.planes(nets)[:, 0] & 1)
        lanes.run(1)
    found = []
    for lane in range(lanes.lanes):
        cycle = rng.randrange(1, core.design.cycles_alone)
        differ = np.flatnonzero(states[cycle - 1] ^ states[cycle])
        events = [Event(cycle, FLIP, core.sequencer[i], lane) for i in differ]
        found.append((core.sequencer[0], cycle, events))
    return found


def _memory(core: CoreJobs, lanes: Lanes, rng: random.Random, inputs: Inputs) -> list[Faulted]:
    """Flip bits of words between a write and a read of them, in the first lane's job.

    All lanes have that job.
    """
    spans = list(_spans(core, lanes, inputs))
    if not spans:
        raise ValueError(f"{core.name} has no memory that is written and read")
    weights = [(last - first) * core.circuit.memories[m].width for m, _, first, last in spans]
    found = []
    for lane in range(lanes.lanes):
        ((m, word, first, last),) = rng.choices(spans, weights)
        cell = core.circuit.cell(m, word, rng.randrange(core.circuit.memories[m].width))
        cycle = rng.randrange(first, last)
        found.append((m, cycle, [Event(cycle, FLIP_CELL, cell, lane)]))
    return found


def _spans(core: CoreJobs, lanes: Lanes, inputs: Inputs) -> list[tuple[int, int, int, int]]:
    """Return from when to when a word of a memory has a value that is read: memory, word, cycles.

    A word that is read in every cycle, because its address rests, counts as read.
    """
    c = core.circuit
    reads = [(g.inputs[0], list(g.inputs[1:])) for g in c.groups if g.table == READ]
    writes = [(m, w) for m, memory in enumerate(c.memories) for w in memory.writes]
    written = {m for m, _ in writes}
    reads = [(m, address) for m, address in reads if m in written]
    nets = [n for _, address in reads for n in address]
    nets += [n for _, w in writes for n in (*w.address, w.enable[0], w.enable[-1])]
    core.start(lanes, inputs)
    begun: dict[tuple[int, int], int] = {}
    used: dict[tuple[int, int], int] = {}
    found = []
    for cycle in range(1, core.design.cycles_alone):
        lanes.run(0)
        bits = iter((lanes.planes(nets)[:, 0] & 1).tolist())

        def value(count: int, bits: Any = bits) -> int:
            return sum(next(bits) << i for i in range(count))

        for m, address in reads:
            used[m, value(len(address))] = cycle
        for m, w in writes:
            place = m, value(len(w.address))
            if value(2):
                if place in begun and used.get(place, 0) >= begun[place]:
                    found.append((*place, begun[place], used[place] + 1))
                begun[place] = cycle + 1
        lanes.run(1)
    for place, first in begun.items():
        if used.get(place, 0) >= first:
            found.append((*place, first, used[place] + 1))
    return found


_DRAW: dict[str, Callable[[CoreJobs, Lanes, random.Random, Inputs], list[Faulted]]] = {
    "flip": _flips, "memory": _memory, "stuck": _stuck, "skip": _skips,
}  # fmt: skip


def _folder(plan: Plan, digest: str) -> Path:
    """Return where this machine keeps the pieces of a plan."""
    wide = str(lane_count())
    return campaign.folder("fault", plan.preset, digest, plan.mode, str(plan.seed), wide)


def piece(plan: Plan, number: int, file: Path) -> None:
    """Make a piece and keep it: outcome, bit and cycle of each fault."""
    core = CoreJobs(plan.preset, Progress())
    campaign.check(file.parent, _folder(plan, core.digest))
    with Lanes(core.circuit) as lanes:
        _without(core, lanes, random.Random(f"{plan.seed} without {number}"))
        each = CHUNK // lanes.lanes
        batches = range(number * each, (number + 1) * each)
        rows = [_batch(core, lanes, plan, batch) for batch in batches]
    campaign.keep(file, {"rows": np.concatenate(rows)})


def _jobs(core: CoreJobs, rng: random.Random, count: int, lanes: int) -> Inputs:
    """Return ``count`` random jobs, one after the other in the lanes."""
    points = core.points(rng)
    asked = [(core.scalar(rng), next(points)) for _ in range(count)]
    each = [asked[lane % count] for lane in range(lanes)]
    return Inputs([k for k, _ in each], [p for _, p in each])


def _without(core: CoreJobs, lanes: Lanes, rng: random.Random) -> None:
    """Raise ValueError unless the core is right without a fault: else that counted as one's."""
    inputs = _jobs(core, rng, JOBS, lanes.lanes)
    if set(_outcomes(core, lanes, inputs, [])) != {RIGHT}:
        raise ValueError(f"{core.name}: the netlist is wrong without a fault")


def _outcomes(core: CoreJobs, lanes: Lanes, inputs: Inputs, events: Sequence[Event]) -> list[int]:
    """Return the outcome of each lane's job."""
    jobs = list(zip(inputs.scalars, inputs.points, strict=True))
    right = {job: core.right(*job) for job in set(jobs)}
    n = core.design.cycles_alone
    answers = core.run(lanes, inputs, events, n + n // 4 + 64)
    pairs = zip(answers, jobs, strict=True)
    return [_outcome(core, a, right[job], n) for a, job in pairs]


def _batch(core: CoreJobs, lanes: Lanes, plan: Plan, batch: int) -> npt.NDArray[np.int64]:
    rng = random.Random(f"{plan.seed} {plan.mode} {batch}")
    inputs = _jobs(core, rng, 1 if plan.mode == "memory" else JOBS, lanes.lanes)
    faults = _DRAW[plan.mode](core, lanes, rng, inputs)
    found = _outcomes(core, lanes, inputs, [e for _, _, its in faults for e in its])
    rows = [(o, bit, cycle) for o, (bit, cycle, _) in zip(found, faults, strict=True)]
    return np.array(rows, dtype=np.int64)


def _outcome(core: CoreJobs, a: Answer, right: Point, cycles: int) -> int:
    """Return which of OUTCOMES an answer is."""
    if a.status is None:
        return NONE
    if a.status != Status.OK:
        return ERROR
    if a.tag != TAG:
        return WRONG_TAG
    if a.point == right:
        return RIGHT if a.cycle == cycles else LATE
    if a.point is None:
        return INFINITY
    return ON if core.on_curve(a.point) else OFF


def fault(plan: Plan, command: str, scheduler: str | None, workers: int, tell: Progress) -> Faults:
    """Run a campaign.

    Raises :class:`ecsm.evidence.campaigns.pieces.CampaignError`, ValueError for a mode that the
    core has no place for, and :class:`ecsm.measure.workers.NoCluster`.
    """
    core = CoreJobs(plan.preset, tell)
    if plan.mode == "memory" and not any(m.writes for m in core.circuit.memories):
        raise ValueError(f"{plan.preset} has no memory that is written")
    if plan.mode == "skip" and not core.sequencer:
        raise ValueError(f"{plan.preset} has no sequencer")
    where = _folder(plan, core.digest)
    calls = {f"faults-{n}": (plan, n) for n in range(-(-plan.count // CHUNK))}
    found = campaign.run(piece, calls, where, scheduler, workers, tell)
    rows = np.concatenate([a["rows"] for a in found.values()])
    return _summary(core, plan, rows, origin(core.sources, command, "yosys"))


def _summary(core: CoreJobs, plan: Plan, rows: npt.NDArray[np.int64], come_from: Origin) -> Faults:
    count = len(rows)
    outcomes = Counter(rows[:, 0].tolist())
    wrong = np.isin(rows[:, 0], WRONG)
    state = len(core.circuit.registers)
    if plan.mode == "memory":
        state = sum(m.words * m.width for m in core.circuit.memories if m.writes)
        names = [m.name for m in core.circuit.memories]
    else:
        names = [module(n) for n in core.circuit.registers]
    return Faults(
        plan.preset, plan.mode, core.design.cycles_alone, state,
        Share.of("wrong with status ok", int(wrong.sum()), count),
        [Share.of(name, outcomes[i], count) for i, name in enumerate(OUTCOMES)],
        _parts([names[bit] for bit in rows[:, 1]], wrong),
        _parts([core.phases[cycle] for cycle in rows[:, 2]], wrong), come_from,
    )  # fmt: skip


def module(register: str) -> str:
    """Return the module instance that a register is in: its path without the register's name."""
    return register.rpartition(".")[0] or "port"


def _parts(names: Sequence[str], wrong: npt.NDArray[np.bool_]) -> list[Share]:
    """Return the share of wrong answers in each part, that with the most faults first."""
    count = Counter(names)
    hits = Counter(n for n, w in zip(names, wrong, strict=True) if w)
    return [Share.of(name, hits[name], n) for name, n in count.most_common()]
