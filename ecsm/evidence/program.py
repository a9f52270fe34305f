# SPDX-License-Identifier: Apache-2.0
"""Where a core's netlist has its program: found by the program's words, not by names.

A column is what one bit of the control word is in every word. The program is in a memory that
nothing writes and that has every column, as often as the program has it. Else it is in gates, and
every column has a register of its own that takes it, word by word, in a job after reset. This run
is on the part of the netlist that only the handshake's ports reach: nothing is known of the rest. A
register that has a column's values by chance counts too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ecsm.cores.design import AnyDesign
from ecsm.cores.table import family
from ecsm.evidence.core import CLOCKS, Core, Read
from ecsm.evidence.gates import Net
from ecsm.evidence.symbols import UNKNOWN, Run

LONGEST = 1 << 12  # cycles from reset until a core is ready
Column = tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """What decides which word executes: ``nets``, and ``what`` they are. No nets: not found."""

    nets: tuple[Net, ...] = ()
    what: str = ""


def place(core: Core, d: AnyDesign, data: set[Net]) -> Place:
    """Return where a netlist has the program of a design.

    ``data``: the nets that a port which is not of the handshake reaches.
    """
    wanted = columns(family(d.preset).words(d))
    if nets := _addresses(core, wanted):
        return Place(nets, "an address")
    if nets := _registers(core, wanted, list(d.microcode.addresses()), data):
        return Place(nets, "a word")
    return Place()


def columns(words: Sequence[int]) -> Counter[Column]:
    """Return the columns of a program that are not the same in all words, and how many of each."""
    width = max(w.bit_length() for w in words)
    found = Counter(tuple(w >> b & 1 for w in words) for b in range(width))
    return Counter({c: n for c, n in found.items() if len(set(c)) > 1})


def _addresses(core: Core, wanted: Counter[Column]) -> tuple[Net, ...]:
    """Return the addresses of reads of the memories that have the program."""
    size = len(next(iter(wanted)))
    known = {"0": 0, "1": 1, "x": UNKNOWN}
    having = set()
    for name, memory in core.memories.items():
        words = memory.words[:size]
        held = Counter(tuple(known[b] for b in bits) for bits in zip(*words, strict=True))
        if wanted <= held and not memory.writes:
            having.add(name)
    reads = [p for p in core.parts if isinstance(p, Read) and p.memory in having]
    return tuple(n for read in reads for n in read.inputs)


def _registers(
    core: Core, wanted: Counter[Column], addresses: Sequence[int], data: set[Net]
) -> tuple[Net, ...]:
    """Return the registers that have the program's columns in a job; none if one is missing."""
    registers = {q: r for q, r in core.registers.items() if q not in data}
    parts = tuple(p for p in core.parts if data.isdisjoint(p.outputs) and not isinstance(p, Read))
    run = Run(replace(core, parts=parts, registers=registers, memories={}))
    run.reset()
    run.give(**{port: 0 for port in core.inputs if port not in CLOCKS})
    if not _ready(run):
        return ()
    taken = dict.fromkeys(registers, 0)
    run.give(req_valid_i=1)
    for cycle in range(len(addresses)):
        taken = {q: v | run[q] << cycle for q, v in taken.items() if run[q] < UNKNOWN}
        run.step()
    values = Counter({sum(c[a] << t for t, a in enumerate(addresses)): wanted[c] for c in wanted})
    found = {q: v for q, v in taken.items() if v in values}
    return tuple(found) if values <= Counter(found.values()) else ()


def _ready(run: Run) -> bool:
    """Go to the cycle in which the core is ready; return whether there is one."""
    for _ in range(LONGEST):
        run.settle()
        if run.port("req_ready_o") == [1]:
            return True
        run.clock()
    return False
