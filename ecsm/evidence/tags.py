# SPDX-License-Identifier: Apache-2.0
"""Prove that an answer carries the tag of its request.

The tag of each request of a batch gets a name, bit by bit, when it is accepted. The registers that
the tag's output depends on, beside those of the handshake, have a value in each phase of the
protocol (:mod:`ecsm.evidence.liveness`): a known one, a function of names, or unknown. A phase
leads to the next ones with every value of the handshake's ports, from each state in which the
handshake can be then; where two ways lead to different values, the value is unknown. This goes on
until no value changes. So it holds whatever the ports do, for all jobs one after the other: names
end with their batch, and what keeps one is unknown from then on.

In every phase with an answer, the tag's output must be the name of the request with its number.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from ecsm.evidence.cones import HANDSHAKE, Cones
from ecsm.evidence.core import Core, Read
from ecsm.evidence.faults import MUX, XOR, before_output, before_register
from ecsm.evidence.gates import Net, Table
from ecsm.evidence.liveness import Phase, Protocol, Reached
from ecsm.evidence.symbols import UNKNOWN, Run

TAG, ANSWER = "req_tag_i", "rsp_tag_o"
OTHER: Table = (0, 0, 1, 1)  # the second input
Values = tuple[int, ...]


class NotAlone(ValueError):
    """The tag depends on what this proof does not follow."""


class Tags:
    """What keeps the tags of a batch, and what a cycle makes of it.

    ``registers``: those that keep tags. ``selecting``: those of the handshake that decide it.
    Raises :class:`NotAlone`.
    """

    def __init__(self, core: Core, threads: int, handshake: tuple[Net, ...]) -> None:
        cones = Cones(core)
        if more := cones.ports(core.outputs[ANSWER]) - HANDSHAKE - {TAG}:
            raise NotAlone(f"{', '.join(sorted(more))} reaches {ANSWER}")
        of_handshake = set(handshake)
        cone = cones.of(core.outputs[ANSWER])
        self.registers = sorted((cone & core.registers.keys()) - of_handshake, key=str)
        self._following = [core.registers[q].d for q in self.registers]
        near = _before(core, [*self._following, *core.outputs[ANSWER]])
        self.selecting = sorted(near & of_handshake, key=str)
        parts = tuple(p for p in core.parts if not near.isdisjoint(p.outputs))
        if any(isinstance(p, Read) for p in parts):
            raise NotAlone("a memory keeps tags")
        self._run = Run(replace(core, parts=parts, memories={}))
        fresh, width = self._run.symbols.fresh, len(core.inputs[TAG])
        self.names = [tuple(fresh() for _ in range(width)) for _ in range(threads)]
        self._known: dict[tuple[object, ...], tuple[Values, Values]] = {}

    def step(
        self, values: Values, selecting: Values, ports: Mapping[str, int], request: int | None
    ) -> tuple[Values, Values]:
        """Return what the registers keep after a cycle, and the tag's output in it.

        ``request``: the number in its batch of one that is accepted.
        """
        key = values, selecting, tuple(ports.values()), request
        if key not in self._known:
            self._known[key] = self._step(values, selecting, ports, request)
        return self._known[key]

    def _step(
        self, values: Values, selecting: Values, ports: Mapping[str, int], request: int | None
    ) -> tuple[Values, Values]:
        run = self._run
        for q, value in zip(self.registers, values, strict=True):
            run.put([q], value)
        for q, value in zip(self.selecting, selecting, strict=True):
            run.put([q], value)
        run.give(**ports)
        for i, n in enumerate(run.core.inputs[TAG]):
            run.put([n], UNKNOWN if request is None else self.names[request][i])
        run.settle()
        return tuple(run[n] for n in self._following), tuple(run.port(ANSWER))


def _before(core: Core, nets: list[Net]) -> set[Net]:
    """Return the nets that some depend on in the same cycle, themselves included."""
    drivers = {n: part for part in core.parts for n in part.outputs}
    found = set(nets)
    waiting = list(found)
    while waiting:
        part = drivers.get(waiting.pop())
        more = set(part.inputs if part else ()) - found
        found |= more
        waiting += more
    return found


def check(core: Core, p: Protocol, reached: Reached) -> str:
    """Return "" if every answer carries its request's tag, else what is wrong.

    ``reached``: the states of the handshake; ``p``: the protocol that they keep.
    """
    try:
        tags = Tags(core, p.threads, reached.registers)
    except NotAlone as error:
        return str(error)
    place = [reached.registers.index(q) for q in tags.selecting]
    states = {
        phase: {tuple(s >> i & 1 for i in place) for s in found}
        for phase, found in reached.at.items()
    }
    return _follow(core, tags, p, states)


def _follow(core: Core, tags: Tags, p: Protocol, states: Mapping[Phase, set[Values]]) -> str:
    begin = Phase("clear", 0, 1) if p.clearing else Phase("idle", 0, 0)
    resets = (core.registers[q].reset for q in tags.registers)
    kept = {begin: tuple(UNKNOWN if r is None else r for r in resets)}
    waiting = [begin]
    names = sorted(HANDSHAKE)
    every = [dict(zip(names, bits, strict=True)) for bits in product((0, 1), repeat=len(names))]
    while waiting:
        phase = waiting.pop()
        for selecting, ports in product(states[phase], every):
            request = _accepted(phase, ports)
            after, shown = tags.step(kept[phase], selecting, ports, request)
            if phase.kind == "answer" and shown != tags.names[phase.age]:
                return f"answer {phase.age} of {phase.jobs} may have another tag than its request"
            following = p.after(phase, ports)
            if following.kind == "clear":
                after = tuple(v if v < UNKNOWN else UNKNOWN for v in after)
            joined = _joined(kept.get(following, after), after)
            if kept.get(following) != joined:
                kept[following] = joined
                waiting.append(following)
    missed = {q for q in states if q.kind == "answer"} - kept.keys()
    answered = any(q.kind == "answer" for q in kept)
    return "" if answered and not missed else "no answer was reached"


def _accepted(phase: Phase, ports: Mapping[str, int]) -> int | None:
    taken = phase.kind == "idle" and ports["req_valid_i"] and not ports["zeroize_i"]
    return phase.jobs if taken else None


def _joined(one: Values, other: Values) -> Values:
    return tuple(a if a == b else UNKNOWN for a, b in zip(one, other, strict=True))


def seeded(core: Core, reached: Reached, count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each.

    A bit of a tag is that of another bit; a request that is not accepted writes its tag; a bit is
    wrong while an answer is there.
    """
    rng = random.Random(seed)
    tags = Tags(core, 1, reached.registers)
    (valid,), (request,) = core.outputs["rsp_valid_o"], core.inputs["req_valid_i"]
    for n in range(count):
        q = rng.choice(tags.registers)
        if n % 3 == 0:
            others = [core.registers[o].d for o in tags.registers if o != q]
            yield before_register(core, q, [rng.choice(others)], OTHER)
        elif n % 3 == 1:
            yield before_register(core, q, [rng.choice(core.inputs[TAG]), request], MUX)
        else:
            bit = rng.randrange(len(core.outputs[ANSWER]))
            yield before_output(core, ANSWER, bit, [valid], XOR)
