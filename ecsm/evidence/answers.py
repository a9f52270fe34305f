# SPDX-License-Identifier: Apache-2.0
"""Prove what the answer port shows: nothing before an answer, no point with an error, no change.

**Quiet**: with ``rsp_valid_o`` low and everything else unknown, all outputs of an answer but the
tag are zero. So it holds in every state.

**Errors**: a run begins some cycles before the end of a job. The registers of the handshake are as
they are then (:mod:`ecsm.evidence.liveness`), and every other register is unknown. In its first
cycle what decides the status takes given values; what it takes them from has them, too, for all
that depends on it in that cycle. Where ``rsp_status_o`` is unknown in the end, one more of those
values is given: so every case is covered. Where it is an error, coordinates and infinity must be
zero. In the other cycles nothing writes what decides the status.

**Stable**: what an answer shows, and what decides its status, gets names where it is unknown, up to
the first cycle of the answer. While ``rsp_ready_i`` and ``zeroize_i`` are low, and the other ports
are unknown, every output of the answer must stay the same function of those names, in every cycle
that may follow.

Errors and stability are shown of a batch of one job and of a full one, for each of their answers.

**Tags**: :mod:`ecsm.evidence.tags`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ecsm.cores.design import AnyDesign
from ecsm.evidence import tags
from ecsm.evidence.core import CLOCKS, Core, Read
from ecsm.evidence.faults import XOR, before_output
from ecsm.evidence.gates import Net
from ecsm.evidence.liveness import Phase, Protocol, Reached, protocol
from ecsm.evidence.proof import FAULTS, Proof
from ecsm.evidence.symbols import UNKNOWN, Run, State

CLAIM = (
    "nothing shows before an answer but its tag; an error gives no point;"
    " an answer does not change until it is taken; it has the tag of its request"
)
POINT = ("rsp_x_o", "rsp_y_o", "rsp_infinity_o")
QUIET = (*POINT, "rsp_status_o", "rsp_cycles_o")
ANSWER = (*QUIET, "rsp_tag_o")
CAUSES = ("unsupported_q", "range_q", "infinity_q", "flag_q", "curve_q")
"""Names of the registers that decide the status, in the order in which they are given values."""
LONGEST = 1024  # cycles before an answer in which a run may begin
SETTLING = {"binary": 8, "prime": 64}  # words beside the longest repeat of one: the last reduction
NAMED = 3  # cycles before an answer, from which on what is unknown gets names


def quiet(core: Core) -> str:
    """Return "" if nothing shows while no answer is there, else what is wrong."""
    run = Run(core)
    run.put(core.outputs["rsp_valid_o"], 0)
    run.settle()
    if run.port("rsp_valid_o") != [0]:
        return "rsp_valid_o is no register"
    shown = [port for port in QUIET if any(run.port(port))]
    return f"{', '.join(shown)} may show before an answer" if shown else ""


@dataclass(frozen=True)
class Jobs:
    """A batch of jobs up to its end, as the handshake has it: a netlist, its protocol, a batch.

    Its runs are one after the other on the same object.
    """

    core: Core
    reached: Reached
    protocol: Protocol
    jobs: int
    settling: int  # cycles in which registers of control take their values

    @property
    def cycles(self) -> int:
        """Its cycles."""
        return self.protocol.cycles(self.jobs)

    def before(self, cycles: int) -> Run:
        """Return a run ``cycles`` before the answer; at most the age of the batch."""
        run = self._run
        run.load(self._unknown)
        age = max(1, self.cycles - cycles - self.settling)
        self._handshake(run, age)
        idle(run)
        for _ in range(self.cycles - cycles - age):
            run.step()
        return run

    @cached_property
    def _run(self) -> Run:
        return Run(self.core)

    @cached_property
    def _unknown(self) -> State:
        return self._run.state()

    def end(self, run: Run, cycles: int, answer: int) -> None:
        """Go ``cycles`` on, and then to the answer with a number: those before it are taken."""
        for _ in range(min(cycles, self.cycles - 1)):
            run.step()
        for _ in range(answer):
            run.give(rsp_ready_i=1)
            run.step()
        idle(run)
        run.settle()

    def _handshake(self, run: Run, age: int) -> None:
        first, *others = self.reached.values(Phase("busy", self.jobs, age))
        for q, value in first.items():
            same = all(other[q] == value for other in others)
            run.put([q], value if same else UNKNOWN)


def idle(run: Run) -> None:
    """Set the ports: no zeroize, no answer is taken, all else is unknown."""
    run.give(**{port: UNKNOWN for port in run.core.inputs if port not in CLOCKS})
    run.give(zeroize_i=0, rsp_ready_i=0)


def causes(core: Core, slot: int) -> list[Net]:
    """Return the registers that decide the status; of several slots those of ``slot`` first."""
    found = [core.named(name) for name in CAUSES]
    threads = len(found[0])
    if threads == 1:
        return [q for nets in found for q in nets]
    return [q for i in (slot, *range(threads)) for q in (nets[i] for nets in found if nets)]


def errors(batch: Jobs, window: int = 0) -> tuple[str, int]:
    """Return "" if an error gives no point, else what is wrong.

    ``window``: cycles of the run, if they are known. With it those that were enough.
    """
    found = [_cases(batch, answer, window or 1) for answer in range(batch.jobs)]
    if window or not any(found):
        return next(filter(None, found), ""), window or 1
    return errors(batch, untouched(batch))


def untouched(batch: Jobs) -> int:
    """Return the cycles before an answer in which nothing writes what decides the status."""
    most = min(LONGEST, batch.cycles - 1)
    run = batch.before(most)
    deciding = causes(batch.core, 0)
    since = 0
    for _ in range(most):
        names = {q: run.symbols.fresh() for q in deciding}
        for q, name in names.items():
            run.put([q], name)
        run.step()
        since = since + 1 if all(run[q] == name for q, name in names.items()) else 0
    return max(1, since)


def _cases(batch: Jobs, answer: int, window: int) -> str:
    """Return "" if an error gives no point, whatever values decide the status."""
    longer = min(window + 1, batch.cycles - 1)
    run = batch.before(longer)
    begin = run.state()
    deciding = causes(batch.core, answer)
    waiting: list[dict[Net, int]] = [{}]
    while waiting:
        given = waiting.pop()
        run.load(begin)
        if not _take(run, given):
            continue
        run.step()
        batch.end(run, longer - 1, answer)
        if any(run[q] != value for q, value in given.items()):
            return "what decides the status changes in the last cycles"
        status = run.port("rsp_status_o")
        if 1 in status:
            if shown := [port for port in POINT if any(run.port(port))]:
                return f"{', '.join(shown)} may show with an error"
        elif any(status):
            left = [q for q in deciding if q not in given]
            if not left:
                return "rsp_status_o depends on more than what decides it"
            waiting += ({**given, left[0]: bit} for bit in (0, 1))
    return ""


def _take(run: Run, given: Mapping[Net, int]) -> bool:
    """Let registers take given values at the end of this cycle; return whether they can.

    What they take a value from has it in this cycle, for all that depends on it.
    """
    run.settle()
    for q, value in given.items():
        d = run.core.registers[q].d
        if run[d] == UNKNOWN:
            net, inverted = run.source(d)
            run.assume(net, value ^ inverted)
            run.settle()
        elif run[d] != value:
            return False
    return True


def stable(batch: Jobs) -> tuple[str, Mapping[Net, int]]:
    """Return "" if no answer of a batch changes while it waits, else what is wrong.

    With it the registers that are known while the last answer waits.
    """
    core, named = batch.core, min(NAMED, batch.cycles - 1)
    registers, memories = shown(core)
    registers |= set(causes(core, 0))
    run = batch.before(named)
    for _ in range(named):
        _name(run, registers, memories)
        run.step()
    _name(run, registers, memories)
    for answer in range(batch.jobs):
        if answer:
            run.give(rsp_ready_i=1)
            run.step()
            run.give(rsp_ready_i=0)
        _wait(run)
        if changing := [port for port in ANSWER if UNKNOWN in run.port(port)]:
            return f"{', '.join(changing)} may change while answer {answer} waits", {}
    return "", {q: run[q] for q in core.registers if run[q] < UNKNOWN}


def shown(core: Core) -> tuple[set[Net], set[str]]:
    """Return the registers and memories that an answer shows, with nothing between but gates."""
    drivers = {n: part for part in core.parts for n in part.outputs}
    found = {n for port in ANSWER for n in core.outputs[port]}
    waiting, memories = list(found), set()
    while waiting:
        part = drivers.get(waiting.pop())
        if isinstance(part, Read):
            memories.add(part.memory)
        for n in part.inputs if part else ():
            if n not in found:
                found.add(n)
                waiting.append(n)
    return found & core.registers.keys(), memories


def _name(run: Run, registers: Iterable[Net], memories: Iterable[str]) -> None:
    """Give names to what is unknown in registers and memories."""
    fresh = run.symbols.fresh
    for q in registers:
        if run[q] == UNKNOWN:
            run.put([q], fresh())
    words = {
        m: [[fresh() if bit == UNKNOWN else bit for bit in word] for word in run.memories[m]]
        for m in memories
    }
    run.load(({}, words))


def _wait(run: Run) -> None:
    """Let a run be in every state at once that follows: what differs between them is unknown."""
    while True:
        before = run.state()
        run.step()
        after = run.state()
        joined = (
            {q: _join(v, after[0][q]) for q, v in before[0].items()},
            {
                m: [list(map(_join, *pair)) for pair in zip(words, after[1][m], strict=True)]
                for m, words in before[1].items()
            },
        )
        run.load(joined)
        if joined == before:
            run.settle()
            return


def _join(one: int, other: int) -> int:
    return one if one == other else UNKNOWN


def check(batches: Sequence[Jobs], windows: Sequence[int] = ()) -> Answers:
    """Check a netlist. ``windows``: cycles before an answer, of each batch, if they are known."""
    full = batches[0]
    if wrong := quiet(full.core):
        return Answers(wrong)
    waiting, enough = [], []
    for batch, given in zip(batches, windows or [0] * len(batches), strict=True):
        wrong, known = stable(batch)
        if not wrong:
            wrong, window = errors(batch, given)
            enough.append(window)
        if wrong:
            return Answers(wrong)
        waiting.append(known)
    return Answers(tags.check(full.core, full.protocol, full.reached), waiting, enough)


@dataclass(frozen=True)
class Answers:
    """What was found: ``wrong``, "" if the claim holds.

    ``waiting``: for each batch the registers that are known while its last answer waits.
    ``windows``: of each batch, the cycles before an answer that were enough.
    """

    wrong: str
    waiting: Sequence[Mapping[Net, int]] = ()
    windows: Sequence[int] = ()


def batches(d: AnyDesign, core: Core, reached: Reached) -> list[Jobs]:
    """Return a full batch of a design, and one of a single job."""
    p = replace(protocol(d), clearing=reached.clearing)
    settling = p.threads * (max(d.microcode.repeat) + SETTLING[d.preset.field_kind])
    return [Jobs(core, reached, p, jobs, settling) for jobs in dict.fromkeys((p.threads, 1))]


def seeded(core: Core, reached: Reached, count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each.

    A coordinate shows a register before the answer; a port changes an answer; a bit of the tag
    shows in a coordinate while an answer is there, with an error too. Each second fault is of the
    tag itself.
    """
    rng = random.Random(seed)
    of_tags = tags.seeded(core, reached, count // 2)
    (valid,), tag = core.outputs["rsp_valid_o"], core.outputs["rsp_tag_o"]
    port = "rsp_x_o"
    with_tag = (0, 1, 0, 1, 0, 1, 1, 1)
    for n in range(count):
        if n % 2:
            yield next(of_tags)
            continue
        bit = rng.randrange(len(core.outputs[port]))
        if n % 3 == 0:
            yield before_output(core, port, bit, [rng.choice(list(core.registers))], XOR)
        elif n % 3 == 1:
            data = rng.choice(core.inputs["req_x_i"])
            yield before_output(core, port, bit, [valid, data], with_tag)
        else:
            yield before_output(core, port, bit, [valid, rng.choice(tag)], with_tag)


def prove(
    d: AnyDesign, core: Core, reached: Reached, answers: Answers, faults: int = FAULTS
) -> Proof:
    """Prove the claim of a core's netlist, then that the proof finds seeded faults.

    ``answers``: of the netlist, by :func:`check`.
    """
    found = 0
    if not answers.wrong:
        found = sum(
            bool(check(batches(d, faulty, reached), answers.windows).wrong)
            for faulty in seeded(core, reached, faults)
        )
    return Proof("answers", CLAIM, "rtl", core.cells, answers.wrong, faults, found)
