# SPDX-License-Identifier: Apache-2.0
"""A core under test: jobs in all lanes at once, what each cycle is for, and a job's right answer.

cycle 0       the request is accepted
cycle c       the program's words, as the schedule has them
cycle N       the answer is there and taken; AFTER more cycles show what its end clears
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.cores.table import family
from ecsm.curves import Point
from ecsm.curves.gfp.xline import XLine
from ecsm.evidence.campaigns.attacks import TurnAttack
from ecsm.evidence.campaigns.circuit import Circuit, circuit
from ecsm.evidence.campaigns.lanes import Event, Lanes, Planes, Timed
from ecsm.evidence.campaigns.spans import Span, values
from ecsm.evidence.campaigns.templates import Templates, Windows
from ecsm.hdl.engines.text import program_lines
from ecsm.presets.gf2m import RANDOM_WORD
from ecsm.progress import Progress
from ecsm.results.sources import Sources, sources
from ecsm.status import Status

AFTER = 3  # cycles that are looked at behind the answer
RESET = 3  # cycles
CHUNK = 4096  # traces of a piece of a campaign
TRACES, TRAINING = 16_384, 10_000  # that are usual
TAG = 0x5A
OUTCOMES = (
    "right", "right, late", "error status", "no answer",
    "wrong: not on the curve", "wrong: on the curve", "wrong: infinity", "wrong tag",
)  # fmt: skip
RIGHT, LATE, ERROR, NONE, OFF, ON, INFINITY, WRONG_TAG = range(len(OUTCOMES))


@dataclass(frozen=True)
class Inputs:
    """A request for each lane. ``seed``: of the random words that each lane's core takes."""

    scalars: Sequence[int]
    points: Sequence[Point]
    seed: int = 0


@dataclass(frozen=True)
class Answer:
    """What a lane answered, and in which cycle; ``status`` is None if it never did."""

    status: int | None
    point: Point
    cycle: int
    tag: int = TAG


class CoreRun:
    """A core's job that runs."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes, self._at = lanes, 1

    def to(self, cycle: int, counts: npt.NDArray[np.uint16] | None = None) -> None:
        """See :class:`~ecsm.evidence.campaigns.protocols.Run`."""
        rows = None if counts is None else counts[self._at : cycle]
        self._lanes.run(cycle - self._at, rows)
        self._at = cycle


class CoreJobs:
    """A preset's core, and what is known of its program."""

    vary: ClassVar[Sequence[str]] = ("scalar", "point")
    outcomes: ClassVar[Sequence[str]] = OUTCOMES
    refused: ClassVar[Mapping[str, str]] = {}
    revives: ClassVar[bool] = False
    chunk: ClassVar[int] = CHUNK
    traces: ClassVar[int] = TRACES
    training: ClassVar[int] = TRAINING

    def __init__(self, name: str, tell: Progress) -> None:
        self.design: AnyDesign = design(name)
        self.sources: Sources = sources(self.design)
        self.circuit: Circuit = circuit(self.sources, tell)

    @property
    def name(self) -> str:
        """The preset's name."""
        return self.design.preset.name

    @property
    def digest(self) -> str:
        """The digest of the design."""
        return self.sources.digest

    @property
    def cycles(self) -> int:
        """Cycles of a trace."""
        return self.design.cycles_alone + 1 + AFTER

    @property
    def last(self) -> int:
        """The cycle of the answer, without a fault."""
        return self.design.cycles_alone

    @property
    def begin(self) -> int:
        """The cycle of the program's first word; threads wait for more requests before it."""
        code = self.design.microcode
        return code.lead + self.design.cycles_alone - code.cycles

    @cached_property
    def names(self) -> list[str]:
        """What each cycle is for: the word that runs, and how often it ran before, in a row."""
        code = self.design.microcode
        lines = list(program_lines(code))
        found = ["accept"] + ["start"] * (self.begin - 1)
        named, since, before = "start", 0, -1
        for address in code.addresses():
            looped, _, notes = lines[address]
            since += 1
            if notes != "wait" and (address != before or code.repeat[address] == 0):
                named, since = f"{'loop' if looped else f'word {address}'}: {notes}", 0
            before = address
            found += [named + (f", +{since}" if since else "")] * code.threads
        return [*found, *["answer"] * (self.cycles - len(found))][: self.cycles]

    @cached_property
    def phases(self) -> list[str]:
        """The part of the program that each cycle is of."""
        code = self.design.microcode
        found = ["start"] * self.begin
        for address in code.addresses():
            part = "before the loop" if address < code.first else "tail"
            if code.count == 1:
                part = "program"
            elif code.first <= address <= code.last:
                part = "loop"
            found += [part] * code.threads
        return [*found, *["answer"] * (self.cycles - len(found))][: self.cycles]

    @cached_property
    def sequencer(self) -> list[int]:
        """The registers that say which word of the program is next."""
        own = ("sequencer.", "index_o")
        return [i for i, n in enumerate(self.circuit.registers) if any(part in n for part in own)]

    @cached_property
    def turns(self) -> list[int]:
        """The first cycle of each digit, and the one behind the last digit's."""
        code = self.design.microcode
        next_digit = family(self.design.preset).next_digit
        begins = [self.begin]
        for c, word in enumerate(code.unrolled()):
            if next_digit(word):
                begins.append(self.begin + code.threads * (c + 1))
        return [*begins, self.cycles]

    def digits(self, k: int) -> list[int]:
        """Return the digits that the engine makes of a scalar, in the order of use."""
        return family(self.design.preset).digits(self.design.preset, k)

    @cached_property
    def digit_bits(self) -> int:
        """Bits of a digit."""
        rng = random.Random(1)
        bits = self.design.preset.scalar_bits
        digits = (d for _ in range(64) for d in self.digits(rng.getrandbits(bits)))
        return max(1, max(digits).bit_length())

    def secrets(self, inputs: Inputs) -> list[list[int]]:
        """Return the digits of each lane's scalar."""
        return [self.digits(k) for k in inputs.scalars]

    def inputs(self, rng: random.Random, vary: str, fixed: Sequence[bool]) -> Inputs:
        """Return requests: in lanes that are not ``fixed`` the scalar or the point is random.

        A fixed scalar is the same in every campaign of a preset, and so is a fixed point.
        """
        own = random.Random(f"ecsm fixed {self.name}")
        k, g = self.scalar(own), self.design.point
        seed = self.seed(rng)
        if vary == "scalar":
            return Inputs([k if f else self.scalar(rng) for f in fixed], [g] * len(fixed), seed)
        points = self.points(rng)
        return Inputs([k] * len(fixed), [g if f else next(points) for f in fixed], seed)

    def seed(self, rng: random.Random) -> int:
        """Return a seed of random words, for a core that takes some."""
        return rng.getrandbits(64) if self.design.preset.random_bits else 0

    def scalar(self, rng: random.Random) -> int:
        """Return a random scalar of the port that is one of the curve's group."""
        p = self.design.preset
        k = rng.randrange(1, p.curve.n)
        return rng.randrange(1, p.curve.n) << p.curve.n.bit_length() | k if p.double else k

    def points(self, rng: random.Random) -> Iterator[Point]:
        """Yield points, one sum apart: a random one, and a random step.

        Infinity is left out, and the curve's point where it has a program of its own. Points that
        are no more than an x have no sum: they are random ones.
        """
        c: Any = self.design.preset.curve
        while isinstance(c, XLine):
            yield c.multiple(rng.randrange(1, c.n), c.generator)
        at, step = (c.mul(rng.randrange(1, c.n), c.generator) for _ in range(2))
        while True:
            if at is not None and self.design.of(at) is self.design:
                yield at
            at = c.add(at, step)

    def on_curve(self, point: Point) -> bool:
        """Whether a point is on the curve."""
        c: Any = self.design.preset.curve
        return bool(c.contains(point))

    def right(self, k: int, point: Point) -> Point:
        """Return kP by the textbook, of aG + bP that."""
        return self.design.preset.multiple(k, point)

    def reset(self, lanes: Lanes, seed: int = 0) -> None:
        """Switch on, reset, and wait until the core is ready, with random words of its own."""
        lanes.clear()
        quiet = ("zeroize_i", "req_valid_i", "req_op_i", "req_infinity_i", "rsp_ready_i", "rst_ni")
        for port in quiet:
            lanes.set(port, 0)
        lanes.set("req_tag_i", TAG)
        lanes.run(RESET)
        lanes.set("rst_ni", 1)
        lanes.set("rsp_ready_i", 1)
        if words := -(-self.design.preset.random_bits // RANDOM_WORD):
            rng = random.Random(seed)
            lanes.set("random_valid_i", 1)
            for _ in range(words):
                each = [rng.getrandbits(RANDOM_WORD) for _ in range(lanes.lanes)]
                lanes.set("random_i", lanes.each(each, RANDOM_WORD))
                lanes.run(1)
            lanes.set("random_valid_i", 0)  # no more while the job runs
        lanes.run(1 << 20, until="req_ready_o")

    def start(
        self, lanes: Lanes, inputs: Inputs, counts: npt.NDArray[np.uint16] | None = None
    ) -> CoreRun:
        """Reset, and let all lanes accept their requests: cycle 0."""
        self.reset(lanes, inputs.seed)
        p = self.design.preset
        lanes.set("req_scalar_i", lanes.each(inputs.scalars, p.scalar_bits))
        for axis, port in enumerate(("req_x_i", "req_y_i")):
            values = [q[axis] if q else 0 for q in inputs.points]
            lanes.set(port, lanes.each(values, p.coordinate_bits))
        lanes.set("req_valid_i", 1)
        lanes.run(1, counts)
        lanes.set("req_valid_i", 0)
        return CoreRun(lanes)

    def trace(self, lanes: Lanes, inputs: Inputs) -> npt.NDArray[np.uint16]:
        """Return how many bits changed: a row for each cycle, a column for each lane.

        Raises ValueError if a lane answered in another cycle than the schedule's.
        """
        counts = np.zeros((self.cycles, lanes.lanes), dtype=np.uint16)
        self.start(lanes, inputs, counts[:1])
        last = self.design.cycles_alone
        ran = 1 + lanes.run(last + 1, counts[1 : last + 2], until="rsp_valid_o")
        if ran != last or lanes.planes(lanes.circuit.ports["rsp_valid_o"]).min() != 0xFF:
            raise ValueError(f"{self.name}: an answer in cycle {ran}, not {last}")
        self.check(lanes, inputs)
        lanes.run(self.cycles - ran, counts[ran:])
        return counts

    def blocks(self, lanes: Lanes, inputs: Inputs) -> Iterator[tuple[int, npt.NDArray[np.uint16]]]:
        """Yield the traces, all cycles at once."""
        yield 0, self.trace(lanes, inputs)

    def attack(self, centre: npt.NDArray[np.float64]) -> TurnAttack:
        """Return the attack on one trace."""
        templates = Templates(Windows.of(self.turns, self.cycles), self.digit_bits, centre)
        return TurnAttack(self, templates, len(self.digits(1)))

    def check(self, lanes: Lanes, inputs: Inputs) -> None:
        """Raise ValueError unless the first and the last lane answer right."""
        found = self.answers(lanes)
        for lane in (0, lanes.lanes - 1):
            right = self.right(inputs.scalars[lane], inputs.points[lane])
            if (found[lane].status, found[lane].point) != (Status.OK, right):
                raise ValueError(f"{self.name}: the netlist is wrong in lane {lane}")

    def answers(self, lanes: Lanes, cycle: int = 0) -> list[Answer]:
        """Return what is on the port of the answer."""
        names = ("rsp_status_o", "rsp_infinity_o", "rsp_x_o", "rsp_y_o", "rsp_tag_o")
        values = zip(*(lanes.get(n) for n in names), strict=True)
        return [Answer(s, None if i or s else (x, y), cycle, tag) for s, i, x, y, tag in values]

    def run(
        self, lanes: Lanes, inputs: Inputs, events: Sequence[Event], limit: int
    ) -> list[Answer]:
        """Run with faults until each lane has answered, at most ``limit`` cycles."""
        self.start(lanes, inputs)
        found = [Answer(None, None, limit)] * lanes.lanes
        open_, time = np.full(lanes.lanes // 8, 0xFF, dtype=np.uint8), Timed(lanes, events)
        while time.cycle < limit and open_.any():
            time.run(limit, "rsp_valid_o", open_)
            now: Planes = lanes.planes(lanes.circuit.ports["rsp_valid_o"])[0] & open_
            if not now.any():
                break
            answers = self.answers(lanes, time.cycle)
            for lane in np.flatnonzero(np.unpackbits(now, bitorder="little")):
                found[lane] = answers[lane]
            open_ = open_ & ~now
        return found

    def jobs(self, rng: random.Random, count: int, lanes: int) -> Inputs:
        """Return ``count`` random jobs, one after the other in the lanes."""
        points = self.points(rng)
        asked = [(self.scalar(rng), next(points)) for _ in range(count)]
        each = [asked[lane % count] for lane in range(lanes)]
        return Inputs([k for k, _ in each], [p for _, p in each], self.seed(rng))

    def spans(self, lanes: Lanes, inputs: Inputs) -> list[Span]:
        """Return from when to when words of memories matter in the first lane's job."""
        return values(self, lanes, inputs)

    def skips(self, lanes: Lanes, inputs: Inputs) -> list[tuple[int, list[int]]]:
        """Return for each cycle the bits of the sequencer that have another value a cycle later.

        They are public: the same in all lanes.
        """
        nets = [2 + self.circuit.inputs + i for i in self.sequencer]
        run, states = self.start(lanes, inputs), []
        for cycle in range(1, self.last + 1):
            run.to(cycle)
            states.append(lanes.planes(nets)[:, 0] & 1)
        differ = [np.flatnonzero(a ^ b) for a, b in pairwise(states)]
        return [(c, [self.sequencer[i] for i in bits]) for c, bits in enumerate(differ, start=1)]

    def judged(self, lanes: Lanes, inputs: Inputs, events: Sequence[Event]) -> list[int]:
        """Return which of :attr:`outcomes` each lane's answer is, after these faults."""
        jobs = list(zip(inputs.scalars, inputs.points, strict=True))
        right = {job: self.right(*job) for job in set(jobs)}
        answers = self.run(lanes, inputs, events, self.last + self.last // 4 + 64)
        return [self.judge(a, right[job]) for a, job in zip(answers, jobs, strict=True)]

    def again(self, lanes: Lanes, inputs: Inputs) -> list[bool]:
        """Not tried: see :attr:`revives`."""
        raise NotImplementedError

    def judge(self, a: Answer, right: Point) -> int:
        """Return which of :attr:`outcomes` an answer is."""
        if a.status is None:
            return NONE
        if a.status != Status.OK:
            return ERROR
        if a.tag != TAG:
            return WRONG_TAG
        if a.point == right:
            return RIGHT if a.cycle == self.last else LATE
        if a.point is None:
            return INFINITY
        return ON if self.on_curve(a.point) else OFF
