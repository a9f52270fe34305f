# SPDX-License-Identifier: Apache-2.0
"""Prove that no secret reaches what tells of time: from the structure of a core's netlist.

The cone of a net is all that it can depend on, through any number of cycles: what drives it, and
what drives that. A register's cone has that of what it takes. A word that is read has in its cone
the address and all that writes the memory. What is not in the cone cannot matter, whatever the
gates compute.

The claim: of the ports, only those of the handshake are in the cones of ``rsp_valid_o``,
``req_ready_o``, ``rsp_cycles_o`` and of the program's addresses, or of its words where it is in
gates (:mod:`ecsm.evidence.program`); in that of ``rsp_tag_o`` the tag too. So scalar, point,
operation and status decide none of them: there is no job that ends early. The claim does not hold
if the program is not found. The notes say which ports are in the cones of the other outputs, and
which memories are read or written at an address that the scalar or the point decides.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ecsm.cores.design import AnyDesign
from ecsm.evidence.core import CLOCKS, Core, Read
from ecsm.evidence.faults import AND_NOT, XOR, before_output, before_register, in_part
from ecsm.evidence.gates import Function, Net
from ecsm.evidence.program import Place, place
from ecsm.evidence.proof import FAULTS, Proof

HANDSHAKE = frozenset({"zeroize_i", "req_valid_i", "rsp_ready_i"})
CLAIMED: Mapping[str, frozenset[str]] = {
    "rsp_valid_o": HANDSHAKE,
    "req_ready_o": HANDSHAKE,
    "rsp_cycles_o": HANDSHAKE,
    "rsp_tag_o": HANDSHAKE | {"req_tag_i"},
}
"""The ports that may be in the cone of an output."""
KNOWN = {*HANDSHAKE, *CLOCKS}
DATA = frozenset({"req_scalar_i", "req_x_i", "req_y_i"})
CLAIM = (
    "no scalar, point, operation or status reaches valid, ready, cycles, tag"
    " or the order of the program"
)


class Cones:
    """The cones of a netlist."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._from: dict[Net, tuple[Net, ...]] = {q: (r.d,) for q, r in core.registers.items()}
        for part in core.parts:
            more: tuple[Net, ...] = ()
            if isinstance(part, Read):
                writes = core.memories[part.memory].writes
                more = tuple(n for write in writes for n in write.inputs)
            for n in part.outputs:
                self._from[n] = (*part.inputs, *more)

    def of(self, nets: Iterable[Net]) -> set[Net]:
        """Return the cone of nets, themselves included."""
        return _closure(nets, self._from)

    def reached(self, nets: Iterable[Net]) -> set[Net]:
        """Return the nets that have one of ``nets`` in their cone."""
        return _closure(nets, self._to)

    @cached_property
    def _to(self) -> dict[Net, list[Net]]:
        found: dict[Net, list[Net]] = {}
        for n, sources in self._from.items():
            for source in sources:
                found.setdefault(source, []).append(n)
        return found

    def ports(self, nets: Iterable[Net]) -> set[str]:
        """Return the input ports in the cone of nets, without clock and reset."""
        ports = self._core.ports
        return {ports[n] for n in self.of(nets) if n in ports}


def _closure(nets: Iterable[Net], following: Mapping[Net, Sequence[Net]]) -> set[Net]:
    found = set(nets)
    waiting = list(found)
    while waiting:
        for n in following.get(waiting.pop(), ()):
            if n not in found:
                found.add(n)
                waiting.append(n)
    return found


def program(core: Core, d: AnyDesign) -> Place:
    """Return where a netlist has the program of a design."""
    others = (n for port, nets in core.inputs.items() if port not in KNOWN for n in nets)
    return place(core, d, Cones(core).reached(others))


def check(core: Core, words: Place) -> str:
    """Return "" if the claim holds, else what is wrong. ``words``: where the program is."""
    if not words.nets:
        return "no memory and no registers have the words of the program"
    cones = Cones(core)
    for port, may in CLAIMED.items():
        if more := cones.ports(core.outputs[port]) - may:
            return f"{', '.join(sorted(more))} reaches {port}"
    if more := cones.ports(words.nets) - HANDSHAKE:
        return f"{', '.join(sorted(more))} reaches {words.what} of the program"
    return ""


def notes(core: Core) -> Iterator[str]:
    """Yield which ports reach which outputs, and which memories data selects."""
    cones = Cones(core)
    reached = {port: cones.reached(nets) for port, nets in core.inputs.items()}

    def ports(nets: Iterable[Net]) -> str:
        found = set(nets)
        return ", ".join(
            p for p, at in sorted(reached.items()) if p not in CLOCKS and not found.isdisjoint(at)
        )

    outputs: dict[str, list[str]] = {}
    for port, nets in sorted(core.outputs.items()):
        outputs.setdefault(ports(nets), []).append(port)
    for reach, names in outputs.items():
        yield f"{reach} reach {', '.join(names)}"
    secret = set().union(*(reached[port] for port in DATA))
    found: set[str] = set()
    places = [(p.memory, "read", p.inputs) for p in core.parts if isinstance(p, Read)]
    places += [(n, "written", w.address) for n, m in core.memories.items() for w in m.writes]
    for name, what, address in places:
        if not secret.isdisjoint(address):
            who = ", ".join(port for port in sorted(DATA) if not reached[port].isdisjoint(address))
            found.add(f"{_plain(core, name)} is {what} where {who} says")
    yield from sorted(found)


def _plain(core: Core, name: str) -> str:
    """Return what a memory is called, those of an array alike."""
    memory = core.memories[name]
    if memory.writes:
        return re.sub(r"\[\d+\]", "[]", name)
    return f"a table of {len(memory.words)} constants"


def seeded(core: Core, words: Place, count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each: data reaches a function, a register, an output, a word.

    The place is at random in a cone that is claimed to be free of it.
    """
    rng = random.Random(seed)
    cones = Cones(core)
    data = cones.reached(n for port in DATA for n in core.inputs[port])
    secrets = sorted(data & core.registers.keys(), key=str)
    inside = sorted(cones.of(n for port in CLAIMED for n in core.outputs[port]), key=str)
    taken = set(inside)
    functions = [
        i for i, p in enumerate(core.parts) if isinstance(p, Function) and p.output in taken
    ]
    registers = [n for n in inside if n in core.registers]
    deciding = [n for n in words.nets if n in core.registers]
    for n in range(count):
        secret = rng.choice(secrets)
        if n % 4 == 0:
            yield in_part(core, rng.choice(functions), secret)
        elif n % 4 == 1:
            yield before_register(core, rng.choice(registers), [secret], AND_NOT)
        elif n % 4 == 2 or not deciding:
            port = rng.choice(sorted(CLAIMED))
            bit = rng.randrange(len(core.outputs[port]))
            yield before_output(core, port, bit, [secret], XOR)
        else:
            yield before_register(core, rng.choice(deciding), [secret], XOR)


def prove(d: AnyDesign, core: Core, faults: int = FAULTS) -> Proof:
    """Prove the claim of a core's netlist, then that the proof finds seeded faults."""
    words = program(core, d)
    wrong = check(core, words)
    found = 0
    if not wrong:
        found = sum(bool(check(faulty, words)) for faulty in seeded(core, words, faults))
    return Proof("cones", CLAIM, "rtl", core.cells, wrong, faults, found, notes=list(notes(core)))
