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
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ecsm.cores.design import AnyDesign
from ecsm.evidence.cone_states import ConeStates, NotSmall
from ecsm.evidence.cones import HANDSHAKE
from ecsm.evidence.core import Core
from ecsm.evidence.faults import AND_NOT, MUX, XOR, before_output, before_register
from ecsm.evidence.gates import Table
from ecsm.evidence.proof import FAULTS, Proof
from ecsm.progress import Progress

OUTPUTS = ("rsp_valid_o", "req_ready_o", "rsp_cycles_o")
LONGEST_CLEARING = 1 << 14  # cycles


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
    """What a run over all states found: ``wrong``, "" if nothing; states of the handshake.

    ``toggled``: which bits of the states are not always the same.
    """

    wrong: str
    states: int
    clearing: int
    registers: int
    toggled: int


def check(core: Core, p: Protocol) -> Reached:
    """Visit every state; see above."""
    try:
        states = ConeStates(core, OUTPUTS)
        return _reach(core, states, p)
    except NotSmall as error:
        return Reached(str(error), 0, 0, 0, 0)


def _reach(core: Core, states: ConeStates, p: Protocol) -> Reached:
    first = states.first()
    names = {core.ports[n] for n in states.ports}
    if more := names - HANDSHAKE:
        return Reached(f"{', '.join(sorted(more))} reaches the handshake", 0, 0, 0, 0)
    clearing = _clearing(states, first[0])
    if clearing + 1 > p.most_clearing or p.clearing not in (0, clearing):
        return Reached(f"it is ready {clearing + 1} cycles after reset", 0, clearing, 0, 0)
    p = replace(p, clearing=clearing)
    wrong, seen = _visit(states, first, p)
    toggled = 0
    for state in seen:
        toggled |= state ^ first[0]
    return Reached(wrong, len(seen), clearing, len(states.registers), toggled)


def _clearing(states: ConeStates, state: int) -> int:
    """Return the cycles from reset to the first one in which the core is ready."""
    for cycle in range(1, LONGEST_CLEARING):
        following = states.step(state)
        for ports, outputs, after in following:
            if not any(ports.values()):
                if outputs["req_ready_o"]:
                    return cycle - 1
                state = after
    return 0


def _visit(states: ConeStates, first: list[int], p: Protocol) -> tuple[str, set[int]]:
    most = 4 * (p.threads + 1) * (p.alone + p.full + p.clearing + p.patience + 4)
    begin = Phase("clear", 0, 1) if p.clearing else Phase("idle", 0, 0)
    reached = {(begin, s) for s in first}
    waiting = deque(reached)
    while waiting:
        phase, state = waiting.popleft()
        valid, ready, cycles = p.outputs(phase)
        for ports, outputs, after in states.step(state):
            want = (valid, ready & ~ports.get("zeroize_i", 0), cycles)
            found = tuple(outputs[name] for name in OUTPUTS)
            if found != want:
                return _difference(phase, want, found), {s for _, s in reached}
            pair = p.after(phase, ports), after
            if pair not in reached:
                reached.add(pair)
                waiting.append(pair)
        if len(reached) > most:
            return "the handshake has more states than a job has cycles", {s for _, s in reached}
    return "", {s for _, s in reached}


def _difference(at: Phase, want: tuple[int, ...], found: tuple[int, ...]) -> str:
    port, right, seen = next(
        (port, w, f) for port, w, f in zip(OUTPUTS, want, found, strict=True) if w != f
    )
    return f"{port} is {seen}, not {right}, in phase {at.kind}, {at.jobs} jobs, cycle {at.age}"


def seeded(core: Core, toggled: int, count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each.

    A request withdraws an answer; a register of the handshake never changes; the core is ready
    while an answer waits; a bit of the scalar decides when a job ends. ``toggled``: of a run.
    """
    rng = random.Random(seed)
    (valid,), (request,) = core.outputs["rsp_valid_o"], core.inputs["req_valid_i"]
    states = ConeStates(core, OUTPUTS[:2])
    every = ConeStates(core, OUTPUTS).registers
    moving = [q for i, q in enumerate(every) if toggled >> i & 1 and q in states.registers]
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


def prove(d: AnyDesign, core: Core, tell: Progress, faults: int = FAULTS) -> Proof:
    """Prove the claim of a core's netlist, then that the proof finds seeded faults."""
    begin = time.monotonic()
    tell(f"{d.preset.name}: every state of the handshake")
    p = protocol(d)
    reached = check(core, p)
    known = replace(p, clearing=reached.clearing)
    netlists = seeded(core, reached.toggled, faults)
    found = 0 if reached.wrong else sum(bool(check(n, known).wrong) for n in netlists)
    ends = f"every job ends after exactly {p.full:,} cycles"
    if p.threads > 1:
        ends = (
            f"every batch of {p.threads} jobs ends {p.full:,} cycles after the last of them,"
            f" of fewer jobs {p.alone:,} cycles"
        )
    return Proof(
        "latency", f"{ends}, unless zeroized; no answer is withdrawn", "rtl", reached.registers,
        reached.wrong, faults, found, round(time.monotonic() - begin, 2),
        (
            f"{reached.states:,} states of {reached.registers} registers;"
            f" ready {reached.clearing + 1} cycles after an answer, zeroize or reset",
        ),
    )  # fmt: skip
