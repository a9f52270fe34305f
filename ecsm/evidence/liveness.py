# SPDX-License-Identifier: Apache-2.0
"""Prove that every job ends after the cycles of its schedule, and that no answer is withdrawn.

All states of the handshake that can be reached from reset are visited, each with every value of the
ports in its cone. Beside it runs the protocol, which knows nothing of the netlist:

    clear --> idle, k jobs taken --> busy, age --> answer i of k --> clear

``zeroize_i`` leads to clear from everywhere. In each state of both the outputs must be what the
protocol says. It takes the cycles of a job from the schedule: of a full batch, and of one that
waits for others. The cycles of clearing are those that the netlist takes after reset: they must be
the same after every answer and every zeroize, and at most what the preset says.

So every accepted job has its answer after exactly that many cycles, whatever the ports do, unless
zeroized; ``rsp_cycles_o`` says so; no answer comes without a job; an answer stays until it is
taken; the core is ready again after a fixed time. What is outside the cone cannot matter
(:mod:`ecsm.evidence.cones`). While reset is active nothing is said.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ecsm.cores.design import AnyDesign
from ecsm.evidence.cone_states import ConeStates, NotSmall
from ecsm.evidence.cones import HANDSHAKE
from ecsm.evidence.core import Core
from ecsm.evidence.faults import AND_NOT, MUX, XOR, before_output, before_register
from ecsm.evidence.gates import Net, Table
from ecsm.evidence.proof import FAULTS, Proof

OUTPUTS = ("rsp_valid_o", "req_ready_o", "rsp_cycles_o")
KEPT = ("fetch_q", "fill_q", "answer_q")
"""Names of registers beside the cone that keep a value through a job: other proofs need it."""


@dataclass(frozen=True)
class Protocol:
    """The cycles that a core takes.

    ``full``: from the last request of a batch to its first answer; ``alone``: of a batch that is
    not full; ``patience``: cycles without a request that a batch waits for one. ``most_clearing``:
    until the core is ready, at most; ``clearing``: exactly, if it is known.
    """

    threads: int
    full: int
    alone: int
    patience: int
    most_clearing: int
    clearing: int = 0

    def cycles(self, jobs: int) -> int:
        """Return the cycles of a batch."""
        return self.full if jobs == self.threads else self.alone

    def outputs(self, at: Phase) -> tuple[int, int, int]:
        """Return valid, ready (without zeroize) and cycles."""
        if at.kind == "answer":
            return 1, 0, self.cycles(at.jobs)
        return 0, int(at.kind == "idle"), 0

    def after(self, at: Phase, ports: Mapping[str, int]) -> Phase:
        """Return the next phase."""
        if ports.get("zeroize_i"):
            return Phase("clear", 0, 1)
        if at.kind == "clear":
            done = at.age == self.clearing
            return Phase("idle", 0, 0) if done else Phase("clear", 0, at.age + 1)
        if at.kind == "idle":
            if ports.get("req_valid_i"):
                jobs = at.jobs + 1
                return Phase("busy" if jobs == self.threads else "idle", jobs, 1)
            if not at.jobs:
                return at
            tired = at.age == self.patience + 1
            return Phase("busy" if tired else "idle", at.jobs, at.age + 1)
        if at.kind == "busy":
            done = at.age + 1 == self.cycles(at.jobs)
            return Phase("answer", at.jobs, 0) if done else Phase("busy", at.jobs, at.age + 1)
        if not ports.get("rsp_ready_i"):
            return at
        last = at.age + 1 == at.jobs
        return Phase("clear", 0, 1) if last else Phase("answer", at.jobs, at.age + 1)


@dataclass(frozen=True)
class Phase:
    """A phase of the protocol: ``clear``, ``idle``, ``busy`` or ``answer``.

    ``age``: cycles since the phase before began, of idle and busy since the last request; of an
    answer its number.
    """

    kind: str
    jobs: int
    age: int


def protocol(d: AnyDesign) -> Protocol:
    """Return the protocol of a design; its time of clearing is not known yet."""
    full, alone = d.microcode.cycles, d.cycles_alone
    patience = max(0, alone - full - 1)
    return Protocol(d.microcode.threads, full, alone, patience, d.preset.clearing)


@dataclass(frozen=True)
class Reached:
    """What a run over all states found: ``wrong``, "" if nothing.

    ``registers``: those of the handshake, bit by bit of a state; ``at``: the states in each phase.
    """

    wrong: str
    clearing: int = 0
    registers: tuple[Net, ...] = ()
    at: Mapping[Phase, set[int]] = field(default_factory=dict)

    @property
    def states(self) -> set[int]:
        """Every state."""
        return set().union(*self.at.values())

    @property
    def moving(self) -> list[Net]:
        """The registers that are not always the same."""
        states = self.states
        every = min(states)
        toggled = 0
        for state in states:
            toggled |= state ^ every
        return [q for i, q in enumerate(self.registers) if toggled >> i & 1]

    def values(self, phase: Phase) -> list[dict[Net, int]]:
        """Return the values of the registers in each state of a phase."""
        found = sorted(self.at[phase])
        return [{q: s >> i & 1 for i, q in enumerate(self.registers)} for s in found]


def check(core: Core, p: Protocol) -> Reached:
    """Visit every state; see above."""
    try:
        states = ConeStates(core, OUTPUTS, [q for name in KEPT for q in core.named(name)])
        return _reach(core, states, p)
    except NotSmall as error:
        return Reached(str(error))


def _reach(core: Core, states: ConeStates, p: Protocol) -> Reached:
    if more := {core.ports[n] for n in states.ports} - HANDSHAKE:
        return Reached(f"{', '.join(sorted(more))} reaches the handshake")
    first = states.first()
    clearing = _clearing(states, first[0], p.most_clearing)
    if clearing + 1 > p.most_clearing or p.clearing not in (0, clearing):
        return Reached(f"it is ready {clearing + 1} cycles after reset", clearing)
    wrong, at = _visit(states, first, replace(p, clearing=clearing))
    return Reached(wrong, clearing, tuple(states.registers), at)


def _clearing(states: ConeStates, state: int, most: int) -> int:
    """Return the cycles from reset to the first one in which the core is ready, or too many."""
    for cycle in range(1, most + 1):
        following = states.step(state)
        for ports, outputs, after in following:
            if not any(ports.values()):
                if outputs["req_ready_o"]:
                    return cycle - 1
                state = after
    return most


def _visit(states: ConeStates, first: list[int], p: Protocol) -> tuple[str, dict[Phase, set[int]]]:
    most = 4 * (p.threads + 1) * (p.alone + p.full + p.clearing + p.patience + 4)
    begin = Phase("clear", 0, 1) if p.clearing else Phase("idle", 0, 0)
    reached = {begin: set(first)}
    waiting = deque((begin, s) for s in first)
    count = len(first)
    while waiting:
        phase, state = waiting.popleft()
        valid, ready, cycles = p.outputs(phase)
        for ports, outputs, after in states.step(state):
            want = (valid, ready & ~ports.get("zeroize_i", 0), cycles)
            found = tuple(outputs[name] for name in OUTPUTS)
            if found != want:
                return _difference(phase, want, found), reached
            following = p.after(phase, ports)
            if after not in (known := reached.setdefault(following, set())):
                known.add(after)
                count += 1
                waiting.append((following, after))
        if count > most:
            return "the handshake has more states than a job has cycles", reached
    return "", reached


def _difference(at: Phase, want: tuple[int, ...], found: tuple[int, ...]) -> str:
    port, right, seen = next(
        (port, w, f) for port, w, f in zip(OUTPUTS, want, found, strict=True) if w != f
    )
    return f"{port} is {seen}, not {right}, in phase {at.kind}, {at.jobs} jobs, cycle {at.age}"


def seeded(core: Core, moving: Sequence[Net], count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each.

    A request withdraws an answer; a register of the handshake never changes; the core is ready
    while an answer waits; a bit of the scalar decides when a job ends. ``moving``: registers that
    do change.
    """
    rng = random.Random(seed)
    (valid,), (request,) = core.outputs["rsp_valid_o"], core.inputs["req_valid_i"]
    deciding = ConeStates(core, OUTPUTS[:2]).registers
    moving = [q for q in moving if q in deciding]
    scalar = core.inputs["req_scalar_i"]
    keep: Table = (0, 0, 1, 1)
    for n in range(count):
        if n % 4 == 0:
            yield before_register(core, valid, [request], AND_NOT)
        elif n % 4 == 1:
            q = rng.choice(moving)
            yield before_register(core, q, [q], keep)
        elif n % 4 == 2:
            yield before_output(core, "req_ready_o", 0, [valid], XOR)
        else:
            yield before_register(core, valid, [rng.choice(scalar), request], MUX)


def prove(d: AnyDesign, core: Core, reached: Reached, faults: int = FAULTS) -> Proof:
    """Prove the claim of a core's netlist, then that the proof finds seeded faults.

    ``reached``: of the netlist, by :func:`check`.
    """
    p = protocol(d)
    known = replace(p, clearing=reached.clearing)
    found = 0
    if not reached.wrong:
        netlists = seeded(core, reached.moving, faults)
        found = sum(bool(check(n, known).wrong) for n in netlists)
    ends = f"every job ends after exactly {p.full:,} cycles"
    if p.threads > 1:
        ends = (
            f"every batch of {p.threads} jobs ends {p.full:,} cycles after the last of them,"
            f" of fewer jobs {p.alone:,} cycles"
        )
    note = (
        f"{len(reached.states):,} states of {len(reached.registers)} registers;"
        f" ready {reached.clearing + 1} cycles after an answer, zeroize or reset"
    )
    return Proof(
        "latency", f"{ends}, unless zeroized; no answer is withdrawn", "rtl", core.cells,
        reached.wrong, faults, found, notes=[] if reached.wrong else [note],
    )  # fmt: skip
