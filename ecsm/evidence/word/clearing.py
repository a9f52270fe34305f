# SPDX-License-Identifier: Apache-2.0
"""Prove that zeroize and reset leave no secret in a word engine, from any state.

A run begins with every register, every word that can change and every port unknown, and zeroize
high for one cycle, or after a reset with an edge of the clock in it. Then the other ports stay
unknown. In the first cycle in which the core is ready again,

- every register that data can reach has one known value. These are the registers that the memory's
  words, octets of strings and samples reach with the flag taken out (:mod:`.cones`), and the flag;
- every word of the memory behind the constants is known, in both copies;
- no key slot is full, and the random generator has no seed.

Registers of block RAMs are not cleared: they have what was read in the two cycles before. In these
only the last two words of the memory may be unknown, which no walk writes: so it is a constant, or
what was cleared. Not cleared are also the number of a table's entry that was read last, in an order
that was drawn, and the last sample of noise. Constants are no secret: that no program writes them
is a claim of the walks.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ecsm.evidence.clearing import LONGEST, after_reset, after_zeroize
from ecsm.evidence.cones import Cones
from ecsm.evidence.core import CLOCKS, Core, Read
from ecsm.evidence.faults import XOR, before_register
from ecsm.evidence.gates import Net
from ecsm.evidence.proof import FAULTS, Proof
from ecsm.evidence.symbols import UNKNOWN, Run, unlike
from ecsm.evidence.word.cones import DATA, FLAG, SECRET_PORTS, TABLES, without
from ecsm.presets.word import WordPreset
from ecsm.schemes.word.program import word_program

CLAIM = "zeroize and reset leave no secret in any register or word of the memory"
COPIES = DATA[:2]
READS = ("u_memory.read_a_q", "u_memory.read_b_q", "u_memory.a_q", "u_memory.b_q",
         "u_memory.read_table_q", "u_memory.table_q")  # fmt: skip
STAY = (*READS, "u_walk.held_b_q", "u_walk.number_b_q", "u_noise.sample_q")
"""Registers that are not cleared: see above."""
EMPTY = ("u_scheme.loaded_q", "u_scheme.seeded_q")
WRITES = 2  # cycles of clearing in which a slot's word may still be written somewhere
UNUSED = 2  # the memory's last words, that no walk writes
DELAY = 2  # cycles from a word that is read to its register


@dataclass(frozen=True)
class Clearing:
    """``core``; ``secret``: the registers that data reaches; ``fixed``: words of constants."""

    core: Core
    secret: frozenset[Net]
    fixed: int


def clearing(p: WordPreset, core: Core) -> Clearing:
    """Return what is to be cleared in a netlist."""
    opened = without(core)
    data = [n for part in core.parts if isinstance(part, Read) and part.memory.endswith(COPIES)
            for n in part.outputs]  # fmt: skip
    data += [n for port in SECRET_PORTS for n in core.inputs[port]]
    reached = Cones(opened).reached(data) & core.registers.keys()
    reached |= {q for q in core.registers if core.names.get(q) == FLAG}
    stay = {q for q in reached if _name(core, q).endswith(STAY)}
    return Clearing(core, frozenset(reached - stay), len(word_program(p).built.values))


def _name(core: Core, q: Net) -> str:
    return core.names.get(q, "").partition("[")[0]


def _constants(c: Clearing, run: Run, first: bool) -> None:
    """Let constants and tables be as they were, whatever an unknown write may have done.

    ``first``: all other words are unknown. A memory that has values from the beginning is meant,
    too.
    """
    found: dict[str, list[list[int]]] = {}
    for name, memory in c.core.memories.items():
        copy = name.endswith(COPIES)
        if copy or name.endswith((*TABLES, "u_memory.constants")):
            words = [[UNKNOWN if b == "x" else int(b) for b in w] for w in memory.words]
            rest = run.memories[name][c.fixed :]
            rest = [[UNKNOWN] * len(w) for w in rest] if first else rest
            found[name] = [*words[: c.fixed], *rest] if copy else words
    run.load(({}, found))


def _unknown(c: Clearing, run: Run) -> set[int]:
    """Return the words behind the constants that are unknown in a copy."""
    return {
        i
        for name, words in run.memories.items()
        if name.endswith(COPIES)
        for i, w in enumerate(words)
        if i >= c.fixed and max(w) >= UNKNOWN
    }


def after_held_reset(core: Core) -> Run:
    """Return a run after a reset with one edge of the clock in it."""
    run = after_reset(core)
    run.give(rst_ni=0)
    run.step()
    run.reset()
    run.give(rst_ni=1)
    return run


def left(c: Clearing, run: Run) -> tuple[str, int]:
    """Return what is left when the core is ready, in words, and how many cycles that took.

    ``run``: in the cycle behind zeroize, or behind reset.
    """
    core, before = c.core, list[set[int]]()
    run.give(**{port: UNKNOWN for port in core.inputs if port not in CLOCKS})
    run.give(zeroize_i=0)
    for cycle in range(LONGEST):
        if cycle < WRITES:
            _constants(c, run, cycle == 0)
        run.settle()
        if run.port("req_ready_o") == [1]:
            break
        before = [*before[-DELAY:], _unknown(c, run)]
        run.clock()
    else:
        return "the core is never ready", LONGEST
    size = max(len(m.words) for name, m in core.memories.items() if name.endswith(COPIES))
    words = _unknown(c, run)
    registers = [q for q in c.secret if run[q] >= UNKNOWN]
    full = [q for q in core.registers if _name(core, q) in EMPTY and run[q] != 0]
    found = []
    if registers or full:
        found.append(unlike(core.names, [*registers, *full]))
    if words:
        found.append(f"{len(words)} words of the memory from {min(words)} on")
    if any(w < size - UNUSED for old in before[-DELAY:] for w in old - words):
        found.append("words that are read")
    return " and ".join(found), cycle


def check(c: Clearing) -> str:
    """Return "" if the claim holds, else what is wrong."""
    for name, begin in (("zeroize", after_zeroize), ("reset", after_held_reset)):
        found, _ = left(c, begin(c.core))
        if found:
            return f"after {name}: {found} are not clear"
    return ""


def seeded(c: Clearing, count: int, seed: int = 1) -> Iterator[Clearing]:
    """Yield netlists with one fault each: a register keeps a bit; a copy is not written."""
    rng = random.Random(seed)
    registers = sorted(c.secret, key=str)
    copies = sorted(name for name in c.core.memories if name.endswith(COPIES))
    for n in range(count):
        if n % 3 == 2:
            name = rng.choice(copies)
            memory = replace(c.core.memories[name], writes=())
            core = replace(c.core, memories={**c.core.memories, name: memory})
        else:
            q = rng.choice(registers)
            core = before_register(c.core, q, [q], XOR)
        yield replace(c, core=core)


def prove(p: WordPreset, core: Core, faults: int = FAULTS) -> Proof:
    """Prove the claim of a netlist, then that the proof finds seeded faults."""
    c = clearing(p, core)
    wrong = check(c)
    found = sum(bool(check(faulty)) for faulty in seeded(c, faults)) if not wrong else 0
    depth = word_program(p).built.depth
    _, cycles = left(c, after_zeroize(core))
    told = (
        f"{len(c.secret):,} registers that data reaches, {depth - c.fixed} words; {cycles} cycles"
    )
    return Proof("clearing", CLAIM, "rtl", core.cells, wrong, faults, found, notes=[told])
