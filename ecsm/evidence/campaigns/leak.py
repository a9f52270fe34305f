# SPDX-License-Identifier: Apache-2.0
"""``ecsm leak``: what the changes of a core's bits tell of a secret.

The model: in each cycle, how many flip-flops, bits of memories' addresses, of words that are read
and of words that are written change. There is no delay, no glitch and no noise, and all bits weigh
alike. Half of the traces have a fixed secret, half a random one; they are mixed in each batch. Two
halves of the random ones are the null control: no test may tell them apart.

    pilot          the mean of each cycle, from which moments are counted
    moments-N      traces for the tests, as many as a piece of the subject has
    training-N     traces with random secrets for the templates
    judging-N      traces that the templates have not seen: what one trace shows
    nets           for the worst cycles: which bits tell

Of a word engine's kP it is told, too, which cycles hold the secret (:mod:`ecsm.evidence.taint`).
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns import pieces as campaign
from ecsm.evidence.campaigns.lanes import LARGE, Lanes, lane_count
from ecsm.evidence.campaigns.moments import ORDERS, Moments, threshold
from ecsm.evidence.campaigns.pieces import Arrays
from ecsm.evidence.campaigns.protocols import Subject
from ecsm.evidence.campaigns.single import Single, judged
from ecsm.evidence.campaigns.subjects import traced_class
from ecsm.evidence.campaigns.word_traces import WordTraces
from ecsm.evidence.taint.record import Taint, analysis_of, taint_of
from ecsm.progress import Progress
from ecsm.results.record import Origin
from ecsm.results.sources import origin_of

NETS = 16  # cycles that nets are judged in, each of another word
SHOWN, EACH = 24, 3  # bits of a result, and of each of its cycles
PARTS = 48  # words of the program of a result
CERTAIN = 1e6  # instead of an infinite t: neither side varies, and they differ
FIXED, RANDOM_0, RANDOM_1 = range(3)


@dataclass(frozen=True)
class Plan:
    """What is asked; ``training`` and ``bits`` are of the templates, 0 for none.

    ``digits``: where the traces of a word engine end, 0: at their end.
    """

    preset: str
    vary: str
    traces: int
    training: int
    bits: int
    seed: int = 1
    digits: int = 0


@dataclass(frozen=True)
class Verdict:
    """A test in all cycles: the greatest t, and cycles over the threshold."""

    worst: float
    over: int


@dataclass(frozen=True)
class Word:
    """A word of the program: how often it ran in cycles over the threshold, and its worst cycle.

    ``over``, ``worst`` and ``cycle`` are of the first order; ``second_over`` and ``second_worst``
    of the second one. ``holds``: in how many of its cycles the secret is held, ``failures``: in how
    many of those over the threshold in the first order. All four are None where they were not kept.
    """

    name: str
    ran: int
    over: int
    worst: float
    cycle: int
    second_over: int | None = None
    second_worst: float | None = None
    holds: int | None = None
    failures: int | None = None


@dataclass(frozen=True)
class Net:
    """A bit of the state that tells in a cycle."""

    name: str
    cycle: int
    t: float


@dataclass(frozen=True)
class Leak:
    """What was found. ``state``: bits that count; ``threshold`` for all cycles together.

    ``digits``: see :class:`Plan`. ``taint``: of a word engine's kP.
    """

    preset: str
    vary: str
    traces: int
    cycles: int
    state: int
    threshold: float
    first: Verdict
    second: Verdict
    null_first: Verdict
    null_second: Verdict
    words: list[Word]
    nets: list[Net]
    single: Single | None
    origin: Origin
    digits: int = 0
    taint: Taint | None = None


def generator(plan: Plan, kind: str, batch: int) -> random.Random:
    """Return the generator of the inputs of a batch."""
    return random.Random(f"{plan.seed} {plan.vary} {kind} {batch}")


def _batches(core: Subject, lanes: Lanes, chunk: int) -> range:
    each = core.chunk // lanes.lanes
    return range(chunk * each, (chunk + 1) * each)


def _classes(rng: random.Random, lanes: int) -> npt.NDArray[np.int64]:
    """Return a class for each lane, half of them FIXED, in a random order."""
    found = [FIXED] * (lanes // 2) + [RANDOM_0, RANDOM_1] * (lanes // 4)
    rng.shuffle(found)
    return np.array(found)


def _folder(plan: Plan, digest: str) -> Path:
    """Return where this machine keeps the pieces of a plan."""
    lanes = str(lane_count())
    more = [str(plan.digits)] * bool(plan.digits)
    return campaign.folder("leak", plan.preset, digest, plan.vary, str(plan.seed), lanes, *more)


def _subject(plan: Plan, tell: Progress) -> Subject:
    """Return what is under test. Raises ValueError for traces that cannot be cut so."""
    core = traced_class(plan.preset)(plan.preset, tell)
    if plan.digits:
        if not isinstance(core, WordTraces):
            raise ValueError(f"traces of {plan.preset} are not cut: it is no word engine")
        core.cut(plan.digits)
    return core


def piece(plan: Plan, kind: str, number: int, where: Path, file: Path) -> None:
    """Make a piece and keep it."""
    core = _subject(plan, Progress())
    campaign.check(where, _folder(plan, core.digest))
    with Lanes(core.circuit, large=LARGE) as lanes:
        campaign.keep(file, _KINDS[kind](core, lanes, plan, number, where))


def _random(core: Subject, lanes: Lanes, plan: Plan, kind: str, batch: int) -> Any:
    """Return the inputs of a batch of random secrets."""
    return core.inputs(generator(plan, kind, batch), plan.vary, [False] * lanes.lanes)


def _pilot(core: Subject, lanes: Lanes, plan: Plan, _number: int, _where: Path) -> Arrays:
    inputs = _random(core, lanes, plan, "pilot", 0)
    means = [rows.mean(axis=1) for _, rows in core.blocks(lanes, inputs)]
    return {"centre": np.round(np.concatenate(means)), "state": np.array(lanes.items)}


def _centre(where: Path) -> npt.NDArray[np.float64]:
    found = campaign.kept(where / "pilot.npz")
    assert found is not None
    return found["centre"]


def _moments(core: Subject, lanes: Lanes, plan: Plan, number: int, where: Path) -> Arrays:
    centre = _centre(where)
    count, sums = np.zeros(3, dtype=np.int64), np.zeros((3, ORDERS, core.cycles))
    for batch in _batches(core, lanes, number):
        rng = generator(plan, "moments", batch)
        classes = _classes(rng, lanes.lanes)
        inputs = core.inputs(rng, plan.vary, (classes == FIXED).tolist())
        for first, rows in core.blocks(lanes, inputs):
            block = slice(first, first + len(rows))
            sums[:, :, block] += Moments.of(rows, classes, 3, centre[block]).sums
        count += np.bincount(classes, minlength=3)
    return {"count": count, "sums": sums}


def _training(core: Subject, lanes: Lanes, plan: Plan, number: int, where: Path) -> Arrays:
    attack = core.attack(_centre(where))
    for batch in _batches(core, lanes, number):
        attack.learn(lanes, _random(core, lanes, plan, "training", batch))
    return attack.arrays()


def _judging(core: Subject, lanes: Lanes, plan: Plan, number: int, where: Path) -> Arrays:
    attack = core.attack(_centre(where))
    for chunk in range(-(-plan.training // core.chunk)):
        found = campaign.kept(where / f"training-{chunk}.npz")
        assert found is not None
        attack.add(found)
    attack.ready()
    return attack.judge(lanes, _random(core, lanes, plan, "judging", number))


def _nets(core: Subject, lanes: Lanes, plan: Plan, number: int, where: Path) -> Arrays:
    """Return, by cycle and item, how often each bit changed with a fixed and a random secret."""
    found = campaign.kept(where / f"cycles-{number}.npz")
    assert found is not None
    cycles = found["cycles"]
    sums = np.zeros((2, len(cycles), lanes.items), dtype=np.uint32)
    for batch in _batches(core, lanes, 0):
        rng = generator(plan, "nets", batch)
        fixed = _classes(rng, lanes.lanes) == FIXED
        sets = [np.packbits(f, bitorder="little") for f in (fixed, ~fixed)]
        run = core.start(lanes, core.inputs(rng, plan.vary, fixed.tolist()))
        for row, cycle in enumerate(map(int, cycles)):
            if cycle:
                run.to(cycle + 1)
            for side, chosen in enumerate(sets):
                lanes.changed(chosen, sums[side, row])
    return {"sums": sums, "count": np.array(core.chunk // 2)}


_KINDS = {
    "pilot": _pilot, "moments": _moments, "training": _training, "judging": _judging,
    "nets": _nets,
}  # fmt: skip


def leak(
    plan: Plan, command: str, scheduler: str | None, workers: int, tell: Progress
) -> tuple[Leak, npt.NDArray[np.float64], Subject]:
    """Run a campaign; return what was found, t of both orders by cycle, and the core.

    Raises :class:`ecsm.evidence.campaigns.pieces.CampaignError`,
    :class:`ecsm.measure.workers.NoCluster`, and ValueError for traces that cannot be cut so.
    """
    core = _subject(plan, tell)
    lanes, where = lane_count(), _folder(plan, core.digest)

    def pieces(calls: Mapping[str, tuple[str, int]]) -> dict[str, Arrays]:
        return campaign.run(piece, _asked(plan, calls, where), where, scheduler, workers, tell)

    tell(f"{plan.preset}: {core.circuit.luts:,} LUTs, {lanes} runs at once")
    pilot = pieces({"pilot": ("pilot", 0)})["pilot"]
    state, attack = int(pilot["state"]), core.attack(pilot["centre"])
    tests = {f"moments-{n}": ("moments", n) for n in range(-(-plan.traces // core.chunk))}
    learn = {f"training-{n}": ("training", n) for n in range(-(-plan.training // core.chunk))}
    if learn and not attack.digits:
        tell(f"{plan.preset}: no digit has a turn before it and one behind it: no templates")
        learn = {}
    total = _Sum()
    campaign.run(
        piece, _asked(plan, learn | tests, where), where, scheduler, workers, tell, total.take
    )
    sides, null = (
        total.moments.merged((FIXED,), (RANDOM_0, RANDOM_1)),
        total.moments.merged((1,), (2,)),
    )
    limit = threshold(core.cycles)
    t = np.stack([_finite(sides.t(order)) for order in (1, 2)])
    labels = analysis_of(core, plan.vary, tell)
    holds = None if labels is None else labels.holds
    words = _words(core.names, t, limit, holds)
    nets = _worst_nets(core, pieces, where, words)
    single = None
    if learn:

        def batches(number: int) -> list[Arrays]:
            names = {f"judging-{plan.training}-{n}": ("judging", n) for n in range(number)}
            return list(pieces(names).values())

        single = judged(batches, plan.bits, len(learn) * core.chunk)
    first, second = (_verdict(row, limit) for row in t)
    null_first, null_second = (_verdict(_finite(null.t(order)), limit) for order in (1, 2))
    return Leak(
        plan.preset, plan.vary, int(total.moments.count.sum()), core.cycles, state, round(limit, 3),
        first, second, null_first, null_second, words, nets, single,
        origin_of(core.digest, command, "yosys"), plan.digits,
        None if labels is None else taint_of(labels, np.abs(t[0]) > limit),
    ), t, core  # fmt: skip


def _asked(
    plan: Plan, calls: Mapping[str, tuple[str, int]], where: Path
) -> dict[str, tuple[Any, ...]]:
    return {name: (plan, kind, n, where) for name, (kind, n) in calls.items()}


class _Sum:
    """The sum of pieces of moments, one after the other: all at once may be gigabytes."""

    def __init__(self) -> None:
        self.moments = Moments(np.zeros(3, dtype=np.int64), np.zeros(()))

    def take(self, name: str, piece: Arrays) -> Arrays:
        """Add a piece, and keep nothing of it."""
        if name.startswith("moments"):
            self.moments += Moments(piece["count"], piece["sums"])
        return {}


def _finite(t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.clip(t, -CERTAIN, CERTAIN)


def _verdict(t: npt.NDArray[np.float64], limit: float) -> Verdict:
    size = np.abs(t)
    return Verdict(round(float(size.max()), 2), int((size > limit).sum()))


def _words(
    names: Sequence[str], t: npt.NDArray[np.float64], limit: float,
    holds: npt.NDArray[np.bool_] | None = None,
) -> list[Word]:  # fmt: skip
    """Return the words of the program that tell in either order, the worst first.

    ``holds``: which cycles hold the secret, if that is known.
    """
    cycles: dict[str, list[int]] = {}
    for cycle, name in enumerate(names):
        cycles.setdefault(name.partition(", +")[0], []).append(cycle)
    found = []
    for name, ran in cycles.items():
        sizes = np.abs(t[:, ran])
        first, second = (int(n) for n in (sizes > limit).sum(axis=1))
        if first or second:
            at = int(sizes[0].argmax())
            worst, worst_second = (round(float(v), 2) for v in sizes.max(axis=1))
            held: tuple[int, ...] = ()
            if holds is not None:
                held = int(holds[ran].sum()), int((holds[ran] & (sizes[0] > limit)).sum())
            found.append(Word(name, len(ran), first, worst, ran[at], second, worst_second, *held))
    return sorted(found, key=lambda w: -w.worst)[:PARTS]


def _worst_nets(core: Subject, pieces: Any, where: Path, words: Sequence[Word]) -> list[Net]:
    """Return the bits that tell most in the worst cycles of the worst words."""
    cycles = sorted(w.cycle for w in words[:NETS] if w.over)
    if not cycles:
        return []
    asked = np.array(cycles, dtype=np.int64)
    number = zlib.crc32(asked.tobytes())  # another campaign may ask for others at the same time
    if campaign.kept(where / f"cycles-{number}.npz") is None:
        campaign.keep(where / f"cycles-{number}.npz", {"cycles": asked})
    (found,) = pieces({f"nets-{number}": ("nets", number)}).values()
    n = int(found["count"])
    p0, p1 = (found["sums"][side] / n for side in (0, 1))
    spread = np.sqrt((p0 * (1 - p0) + p1 * (1 - p1)) / n)
    difference = p0 - p1
    t = np.where(difference == 0, 0.0, np.copysign(CERTAIN, difference))
    t = _finite(np.divide(difference, spread, out=t, where=spread > 0))
    items = core.circuit.items
    best = np.argsort(-np.abs(t), axis=1, kind="stable")[:, :EACH]
    shown = [
        Net(items[i], cycle, round(float(row[i]), 2))
        for cycle, row, chosen in zip(cycles, t, best, strict=True)
        for i in map(int, chosen)
        if row[i]
    ]
    return sorted(shown, key=lambda n: -abs(n.t))[:SHOWN]
