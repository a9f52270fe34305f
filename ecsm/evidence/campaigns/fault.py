# SPDX-License-Identifier: Apache-2.0
"""``ecsm fault``: what one fault in the state does to an answer of a core, or to a signature.

    flip      a flip-flop has the other value, from one cycle on until it is written
    memory    a bit of a memory's word that is read later in the job has the other value
    stuck     a flip-flop keeps a value, from one cycle on to the end of the job
    skip      a word of the program is not executed: a core's sequencer is a cycle ahead; of the
              words of a scheme machine one is not valid

Every lane has one fault. Where and when are drawn evenly. The answer is compared with that of the
textbook for what was asked for: wrong is status ok with another answer; of a signature, with one
that does not verify.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns import pieces as campaign
from ecsm.evidence.campaigns.lanes import (
    FLIP,
    FLIP_CELL,
    LARGE,
    STUCK_0,
    STUCK_1,
    Event,
    Lanes,
    lane_count,
)
from ecsm.evidence.campaigns.moments import wilson
from ecsm.evidence.campaigns.protocols import Faultable
from ecsm.evidence.campaigns.subjects import subject_class
from ecsm.progress import Progress
from ecsm.results.record import Origin
from ecsm.results.sources import origin_of

CHUNK = 2048  # faults of a piece
JOBS = 16  # in a batch: several faults are tried on each
MODES = ("flip", "memory", "stuck", "skip")
SILENT = "no answer"  # an outcome
SHOWN = 64  # faults without an answer, of a result


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
class Silence:
    """A fault after which there was no answer: where, when, and whether a zeroize ends that."""

    place: str
    cycle: int
    phase: str
    again: bool


@dataclass(frozen=True)
class Faults:
    """What was found. ``state``: bits that a fault may be in; ``wrong``: answers with status ok.

    ``modules`` and ``phases``: how many faults in each had a wrong answer. ``again``: of those
    without an answer, how many machines answer after a zeroize; None of what that is not tried on.
    ``silent``: some of them. ``seed`` and ``lanes``: what the faults depend on.
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
    again: Share | None = None
    silent: list[Silence] = field(default_factory=list)
    seed: int = 1
    lanes: int = 512


Faulted = tuple[int, int, list[Event]]
"""The bit, the cycle, and the events of a lane's fault."""


def _flips(core: Faultable, lanes: Lanes, rng: random.Random, _inputs: Any) -> list[Faulted]:
    found = []
    for lane in range(lanes.lanes):
        bit = rng.randrange(len(core.circuit.registers))
        cycle = rng.randrange(1, core.last)
        found.append((bit, cycle, [Event(cycle, FLIP, bit, lane)]))
    return found


def _stuck(core: Faultable, lanes: Lanes, rng: random.Random, _inputs: Any) -> list[Faulted]:
    found = []
    for lane in range(lanes.lanes):
        bit = rng.randrange(len(core.circuit.registers))
        cycle = rng.randrange(1, core.last)
        found.append((bit, cycle, [Event(cycle, rng.choice((STUCK_0, STUCK_1)), bit, lane)]))
    return found


def _skips(core: Faultable, lanes: Lanes, rng: random.Random, inputs: Any) -> list[Faulted]:
    found, places = [], core.skips(lanes, inputs)
    for lane in range(lanes.lanes):
        cycle, bits = rng.choice(places)
        events = [Event(cycle, FLIP, bit, lane) for bit in bits]
        found.append((core.sequencer[0], cycle, events))
    return found


def _memory(core: Faultable, lanes: Lanes, rng: random.Random, inputs: Any) -> list[Faulted]:
    """Flip bits of words between a write and a read of them, in the first lane's job.

    All lanes have that job.
    """
    spans = core.spans(lanes, inputs)
    if not spans:
        raise ValueError(f"{core.name} has no memory that is written and read")
    weights = [(s.end - s.first) * len(s.bits) for s in spans]
    found = []
    for lane in range(lanes.lanes):
        (s,) = rng.choices(spans, weights)
        cell = core.circuit.cell(s.memory, s.word, rng.choice(s.bits))
        cycle = rng.randrange(s.first, s.end)
        found.append((s.memory, cycle, [Event(cycle, FLIP_CELL, cell, lane)]))
    return found


_DRAW: dict[str, Callable[[Faultable, Lanes, random.Random, Any], list[Faulted]]] = {
    "flip": _flips, "memory": _memory, "stuck": _stuck, "skip": _skips,
}  # fmt: skip


def _folder(plan: Plan, digest: str) -> Path:
    """Return where this machine keeps the pieces of a plan."""
    lanes = str(lane_count())
    return campaign.folder("fault", plan.preset, digest, plan.mode, str(plan.seed), lanes)


def piece(plan: Plan, number: int, file: Path) -> None:
    """Make a piece and keep it: outcome, bit and cycle of each fault, whether it answers again."""
    core = subject_class(plan.preset)(plan.preset, Progress())
    campaign.check(file.parent, _folder(plan, core.digest))
    with Lanes(core.circuit, large=LARGE) as lanes:
        _without(core, lanes, random.Random(f"{plan.seed} without {number}"))
        each = CHUNK // lanes.lanes
        batches = range(number * each, (number + 1) * each)
        rows = [_batch(core, lanes, plan, batch) for batch in batches]
    campaign.keep(file, {"rows": np.concatenate(rows)})


def _without(core: Faultable, lanes: Lanes, rng: random.Random) -> None:
    """Raise ValueError unless the core is right without a fault: else that counted as one's."""
    inputs = core.jobs(rng, JOBS, lanes.lanes)
    if any(core.judged(lanes, inputs, [])):
        raise ValueError(f"{core.name}: the netlist is wrong without a fault")


def _batch(core: Faultable, lanes: Lanes, plan: Plan, batch: int) -> npt.NDArray[np.int64]:
    rng = random.Random(f"{plan.seed} {plan.mode} {batch}")
    inputs = core.jobs(rng, 1 if plan.mode == "memory" else JOBS, lanes.lanes)
    faults = _DRAW[plan.mode](core, lanes, rng, inputs)
    found = core.judged(lanes, inputs, [e for _, _, its in faults for e in its])
    silent = core.revives and core.outcomes.index(SILENT) in found
    again = core.again(lanes, inputs) if silent else [True] * len(found)
    rows = [(o, bit, cycle, a)
            for o, (bit, cycle, _), a in zip(found, faults, again, strict=True)]  # fmt: skip
    return np.array(rows, dtype=np.int64)


def fault(
    plan: Plan, command: str, scheduler: str | None, workers: int, tell: Progress,
    before: Faults | None = None,
) -> Faults:  # fmt: skip
    """Run a campaign; ``before``: what a shorter one has found, which is not run again.

    Raises :class:`ecsm.evidence.campaigns.pieces.CampaignError`, ValueError for a mode that the
    core has no place for or if ``before`` is of other faults, and
    :class:`ecsm.measure.workers.NoCluster`.
    """
    kind = subject_class(plan.preset)
    if why := kind.refused.get(plan.mode):
        raise ValueError(f"{plan.preset} has no mode {plan.mode}: {why}")
    core = kind(plan.preset, tell)
    if plan.mode == "memory" and not any(m.writes for m in core.circuit.memories):
        raise ValueError(f"{plan.preset} has no memory that is written")
    if plan.mode == "skip" and not core.sequencer:
        raise ValueError(f"{plan.preset} has no sequencer")
    come_from = origin_of(core.digest, command, "yosys")
    first = 0 if before is None else _pieces_of(before, plan, core, come_from)
    where = _folder(plan, core.digest)
    calls = {f"faults-{n}": (plan, n) for n in range(first, -(-plan.count // CHUNK))}
    found = campaign.run(piece, calls, where, scheduler, workers, tell)
    rows = np.concatenate([a["rows"] for a in found.values()])
    result = _summary(core, plan, rows, come_from)
    return result if before is None else _together(before, result)


def _pieces_of(before: Faults, plan: Plan, core: Faultable, now: Origin) -> int:
    """Return how many pieces a result is of. Raises ValueError unless ``plan`` goes on with it."""
    places = set(_places(core, plan.mode)[1])
    if (
        (before.origin.rtl, before.origin.tools) != (now.rtl, now.tools)
        or (before.cycles, before.state) != (core.last, _state(core, plan.mode))
        or not {s.name for s in before.modules} <= places
        or not {s.name for s in before.phases} <= {*core.phases}
    ):
        raise ValueError("the kept result is of another netlist: begin anew, without --more")
    if before.wrong.count % CHUNK:
        raise ValueError(f"the kept result is not of whole pieces of {CHUNK} faults")
    if (before.seed, before.lanes) != (plan.seed, lane_count()):
        raise ValueError(
            f"the kept result is of seed {before.seed} and of {before.lanes} runs at once, this one"
            f" of {plan.seed} and {lane_count()}: begin anew, without --more"
        )
    if plan.count <= before.wrong.count:
        raise ValueError(f"the kept result is of {before.wrong.count} faults already")
    return before.wrong.count // CHUNK


def _summary(core: Faultable, plan: Plan, rows: npt.NDArray[np.int64], come_from: Origin) -> Faults:
    count = len(rows)
    outcomes = Counter(rows[:, 0].tolist())
    wrong = np.isin(rows[:, 0], [i for i, n in enumerate(core.outcomes) if is_wrong(n)])
    state = _state(core, plan.mode)
    places, names = _places(core, plan.mode)
    again, silent = None, []
    if core.revives:
        quiet = rows[rows[:, 0] == core.outcomes.index(SILENT)]
        again = Share.of("answers after a zeroize", int(quiet[:, 3].sum()), len(quiet))
        silent = [Silence(places[bit], int(cycle), core.phases[cycle], bool(a))
                  for _, bit, cycle, a in quiet[:SHOWN].tolist()]  # fmt: skip
    return Faults(
        plan.preset, plan.mode, core.last, state,
        Share.of("wrong with status ok", int(wrong.sum()), count),
        [Share.of(name, outcomes[i], count) for i, name in enumerate(core.outcomes)],
        _parts([names[bit] for bit in rows[:, 1]], wrong),
        _parts([core.phases[cycle] for cycle in rows[:, 2]], wrong), come_from, again, silent,
        plan.seed, lane_count(),
    )  # fmt: skip


def _state(core: Faultable, mode: str) -> int:
    """Return how many bits a fault may be in."""
    if mode == "memory":
        return sum(m.words * m.width for m in core.circuit.memories if m.writes)
    return len(core.circuit.registers)


def _places(core: Faultable, mode: str) -> tuple[list[str], list[str]]:
    """Return by the number of a fault's place its name, and that of the module that it is in."""
    if mode == "memory":
        names = [m.name for m in core.circuit.memories]
        return names, names
    registers = list(core.circuit.registers)
    return registers, [module(n) for n in registers]


def _together(a: Faults, b: Faults) -> Faults:
    """Return what two campaigns have found together, as what the second one is."""
    return replace(
        b,
        wrong=_sums([a.wrong], [b.wrong])[0],
        outcomes=_sums(a.outcomes, b.outcomes),
        modules=_by_count(_sums(a.modules, b.modules)),
        phases=_by_count(_sums(a.phases, b.phases)),
        again=_sums([a.again], [b.again])[0] if a.again and b.again else None,
        silent=[*a.silent, *b.silent][:SHOWN],
    )


def _sums(a: Sequence[Share], b: Sequence[Share]) -> list[Share]:
    hits, count = Counter[str](), Counter[str]()
    for s in (*a, *b):
        hits[s.name] += s.hits
        count[s.name] += s.count
    return [Share.of(name, hits[name], count[name]) for name in count]


def _by_count(shares: Sequence[Share]) -> list[Share]:
    return sorted(shares, key=lambda s: (-s.count, s.name))


def is_wrong(outcome: str) -> bool:
    """Whether an outcome is an answer with status ok that is not right."""
    return outcome.startswith("wrong")


def module(register: str) -> str:
    """Return the module instance that a register is in: its path without the register's name."""
    return register.rpartition(".")[0] or "port"


def _parts(names: Sequence[str], wrong: npt.NDArray[np.bool_]) -> list[Share]:
    """Return the share of wrong answers in each part, that with the most faults first."""
    count = Counter(names)
    hits = Counter(n for n, w in zip(names, wrong, strict=True) if w)
    return _by_count([Share.of(name, hits[name], n) for name, n in count.items()])
