# SPDX-License-Identifier: Apache-2.0
"""Which cycles of a word engine's kP hold its secret: the labels of one run, from load to answer.

    K enters at the port: the key's octets in "load", or the point's in the operation; the other of
    both is unknown, as noise is
    A, B, nothing: where an assumption says so (assumptions.py)
    a cycle holds the secret: an item that counts in ``ecsm leak`` tells in it (flow.py)

The run stands for every key, point and noise with the same :data:`~.assumptions.FIXED`.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns import pieces
from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.subject import AFTER
from ecsm.evidence.campaigns.word_session import CONTROL, CORE, LIMIT, registers
from ecsm.evidence.campaigns.word_traces import Multiples
from ecsm.evidence.taint.assumptions import (
    FIXED,
    POINT,
    RESULT,
    SCALAR,
    Assumption,
    assumptions,
    rules,
)
from ecsm.evidence.taint.flow import NOISE, PLANES, Flow, secret
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress
from ecsm.schedule.sequential.words import PC_BITS, Move
from ecsm.schemes.word.prime import PrimeMachine
from ecsm.schemes.word.program import WordProgram
from ecsm.sim.cache import entry
from ecsm.sim.estimate import about

LOAD = "load"
STEP = 64  # cycles after which it is looked whether another operation has begun
TOLD = 1 << 15  # cycles after which progress is told
KEPT = "taint.npz"
STATE_BITS = 4
REGISTERS = tuple(one.registers for one in FIXED)
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Analysis:
    """What was found, by cycle.

    ``planes``: bit 0: it holds the secret; bit 1 + i: it would without assumption i. ``items``: how
    many items tell.
    """

    assumed: tuple[Assumption, ...]
    planes: npt.NDArray[np.uint32]
    items: npt.NDArray[np.uint32]

    @property
    def holds(self) -> Flags:
        """Whether a cycle holds the secret."""
        return self.without(-1)

    @property
    def result(self) -> Flags:
        """Whether a cycle holds the secret or the result, which is made of it and is public."""
        return self.without([one.name for one in self.assumed].index(RESULT))

    def without(self, number: int) -> Flags:
        """Whether a cycle would hold the secret without an assumption."""
        found: Flags = (self.planes >> np.uint32(1 + number) & 1).astype(bool)
        return found


def machine_of(subject: Multiples) -> PrimeMachine:
    """Return what a subject's program is written with: its numbers."""
    preset = subject.machine.preset
    assert isinstance(preset, WordPreset)
    return PrimeMachine(preset)


def program_of(subject: Multiples) -> WordProgram:
    """Return a subject's program."""
    program = subject.machine.program
    assert isinstance(program, WordProgram)
    return program


class Run:
    """A load and a kP with labels; to be closed, or used as a context.

    ``circuit``, ``fixed``: others than the subject's and :data:`FIXED`, for tests.
    """

    def __init__(
        self, subject: Multiples, vary: str, circuit: Circuit | None = None,
        fixed: Sequence[str] = REGISTERS, seed: int = 1,
    ) -> None:  # fmt: skip
        self.assumed = assumptions(machine_of(subject), vary, subject.operation)
        self._operations = (LOAD, subject.operation)
        self._source = {SCALAR: 1, POINT: 2}[vary]  # in which request the secret comes
        self._begins: Sequence[int] = ()
        self._program = program_of(subject)
        self.flow = Flow(circuit or subject.circuit, self._label)
        self.rows = np.zeros((LIMIT + STEP, 2), dtype=np.uint32)
        for of in fixed:
            self.flow.keep(of, 0)
        self._follow()
        rng = random.Random(f"taint {seed}")
        inputs = subject.inputs(rng, vary, [False] * self.flow.lanes)
        lanes = self.flow.lanes
        keys, asked = ([of[0]] * lanes for of in (inputs.keys, inputs.asked))
        first = replace(inputs, keys=keys, asked=asked)
        self.right = subject.right(first.keys[0], first.asked[0])
        self.session = subject._session(self.flow, first)
        self._begins = self.session.begins
        self._ruled = 0
        self.flow.begin(self.rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.flow.close()

    def _label(self, port: str) -> int:
        """Return the label of what a port gets: the secret, or the other of key and point."""
        if port != "in_data_i" or not self._begins:
            return 0
        return secret((1 << PLANES) - 1) if len(self._begins) == self._source else NOISE

    def _follow(self) -> None:
        """Let the simulator know which word of the program writes."""
        circuit, words = self.flow.circuit, self._program.built.program
        names = set(circuit.registers)
        counter = [n for n in (f"{CONTROL}pc_q[{i}]" for i in range(PC_BITS)) if n in names]
        state = [f"{CONTROL}state_q[{i}]" for i in range(STATE_BITS)]
        (valid,) = registers(circuit, [f"{CONTROL}walk_valid_q"])
        (begins,) = registers(circuit, [f"{CORE}u_walk.begin_q[0]"])
        walks = [isinstance(word, Move) for word in words]
        self.flow.follow(
            registers(circuit, state), registers(circuit, counter), valid, begins, walks
        )

    def to(self, cycle: int) -> None:
        """Run until ``cycle`` is next, with the rules of the operation that runs."""
        while self.session.at < cycle:
            self.session.to(min(self.session.at + STEP, cycle))
            if self._ruled < len(self._begins):
                operation = self._operations[self._ruled]
                self.flow.rules(rules(self._program, self.assumed, operation))
                self._ruled += 1

    def found(self) -> Analysis:
        """Return what was found up to now."""
        rows = self.rows[: self.session.at]
        return Analysis(self.assumed, rows[:, 0].copy(), rows[:, 1].copy())


def follow(subject: Multiples, vary: str, tell: Progress) -> Analysis:
    """Return the analysis of a trace. Raises ValueError for an answer that is wrong."""
    cycles, whole = subject.cycles, subject.listing.cycles
    begin = time.monotonic()
    with Run(subject, vary) as run:
        while (done := run.session.at) < cycles:
            left = about((time.monotonic() - begin) * (cycles - done) / done) if done else "minutes"
            tell(f"{subject.name}: what depends on the {vary}, cycle {done:,}, {left} left")
            run.to(min(done + TOLD, cycles))
        ended = run.session.last + 1 + AFTER == cycles and run.session.octets(0) == run.right
        if cycles == whole and not ended:
            raise ValueError(f"{subject.name}: the netlist's answer is wrong")
        return run.found()


def analysed(subject: Multiples, vary: str, tell: Progress) -> Analysis:
    """Return the analysis of a trace, from the cache or made anew: some two minutes.

    It ends where traces end. Raises ValueError for an answer that is wrong.
    """
    digest = hashlib.sha256(f"{subject.digest} {vary} {subject.cycles}".encode())
    for folder in (Path(__file__).parent, Path(pieces.__file__).parent):
        digest.update(pieces.programs(folder))

    def make(_work: Path, done: Path) -> None:
        found = follow(subject, vary, tell)
        np.savez_compressed(done / KEPT, planes=found.planes, items=found.items)

    folder = entry(f"flow/{subject.name}/taint-{digest.hexdigest()[:16]}", make)
    assumed = assumptions(machine_of(subject), vary, subject.operation)
    with np.load(folder / KEPT, allow_pickle=False) as kept:
        return Analysis(assumed, kept["planes"], kept["items"])
