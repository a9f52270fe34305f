# SPDX-License-Identifier: Apache-2.0
"""Prove that zeroize leaves nothing in a core: no register and no word of a memory.

A run begins with every register, every memory and every port unknown (:mod:`ecsm.evidence.symbols`)
and ``zeroize_i`` high. Then ``zeroize_i`` is low, and the other ports stay unknown. In the first
cycle in which the core is ready again, every register and every bit of a memory must have one known
value. So the state is then one and the same, whatever there was before and whatever the ports did.

A run from reset must end in that state too, with every register unknown that has no reset. A run
from an answer that is taken begins with what is known then (:mod:`ecsm.evidence.answers`), and
every other register unknown; it must end in a known state, in which a core of several threads may
still have its counters of them. ``zeroize_i`` that comes again begins the clearing again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ecsm.evidence.core import CLOCKS, Core
from ecsm.evidence.faults import XOR, before_register
from ecsm.evidence.gates import Net
from ecsm.evidence.proof import FAULTS, Proof
from ecsm.evidence.symbols import UNKNOWN, Run, State, unlike

CLAIM = "zeroize, reset and a taken answer leave nothing in any register or memory"
LONGEST = 1 << 12  # cycles of clearing


def cleared(core: Core, begin: Run) -> tuple[int, State] | None:
    """Return the cycles of a run until the core is ready, and its state; None: it never is.

    ``begin``: a run after the cycle of zeroize.
    """
    begin.give(**{port: UNKNOWN for port in core.inputs if port not in CLOCKS})
    begin.give(zeroize_i=0)
    for cycle in range(LONGEST):
        begin.settle()
        if begin.port("req_ready_o") == [1]:
            return cycle, begin.state()
        begin.clock()
    return None


def after_zeroize(core: Core) -> Run:
    """Return a run after a cycle of zeroize in any state."""
    run = Run(core)
    run.give(zeroize_i=1)
    run.step()
    return run


def after_reset(core: Core) -> Run:
    """Return a run after reset."""
    run = Run(core)
    run.reset()
    return run


def after_answer(core: Core, handshake: Mapping[Net, int]) -> Run:
    """Return a run after an answer that is taken, the last one of its batch.

    ``handshake``: registers as they are while it waits.
    """
    run = Run(core)
    for q, value in handshake.items():
        run.put([q], value)
    run.give(zeroize_i=0, rsp_ready_i=1)
    run.step()
    return run


def unknown(core: Core, state: State) -> str:
    """Return what has no known value in a state, in words."""
    registers = [q for q, value in state[0].items() if value >= UNKNOWN]
    bits = {m: sum(b >= UNKNOWN for w in words for b in w) for m, words in state[1].items()}
    found = []
    if registers:
        found.append(f"{len(registers)} registers ({unlike(core.names, registers)})")
    if sum(bits.values()):
        names = [m for m, n in bits.items() if n]
        found.append(f"{sum(bits.values())} bits of memories ({unlike({}, names)})")
    return " and ".join(found)


def check(core: Core, handshakes: Sequence[Mapping[Net, int]] = ()) -> str:
    """Return "" if the claim holds, else what is wrong.

    ``handshakes``: the states of the handshake in which an answer waits that is the last one.
    """
    begins = [("zeroize", after_zeroize(core)), ("reset", after_reset(core))]
    begins += [("an answer", after_answer(core, h)) for h in handshakes]
    states = []
    for name, begin in begins:
        found = cleared(core, begin)
        if found is None:
            return f"the core is not ready after {name}"
        if left := unknown(core, found[1]):
            return f"after {name}: {left} are not clear"
        states.append(found[1])
    return "" if states[0] == states[1] else "the state after reset is not that after zeroize"


def seeded(core: Core, count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each.

    A register keeps a bit of what it had; a register takes a bit of a port; nothing writes a
    memory, or it has no memory and a register is never cleared.
    """
    rng = random.Random(seed)
    registers = list(core.registers)
    memories = [name for name, m in core.memories.items() if m.writes]
    data = core.inputs["req_x_i"]
    for n in range(count):
        q = rng.choice(registers)
        if n % 3 == 2 and memories:
            name = rng.choice(memories)
            never = replace(core.memories[name], writes=())
            yield replace(core, memories={**core.memories, name: never})
        elif n % 3 == 1:
            yield before_register(core, q, [rng.choice(data)], XOR)
        elif n % 3 == 0:
            yield before_register(core, q, [q], XOR)
        else:
            yield before_register(core, q, [q], (0, 0, 1, 1))


def prove(core: Core, handshakes: Sequence[Mapping[Net, int]], faults: int = FAULTS) -> Proof:
    """Prove the claim of a core's netlist, then that the proof finds seeded faults."""
    wrong = check(core, handshakes)
    found = sum(bool(check(faulty)) for faulty in seeded(core, faults)) if not wrong else 0
    bits = sum(len(w) for m in core.memories.values() if m.writes for w in m.words)
    size = f"{len(core.registers):,} registers and {bits:,} bits of memories"
    return Proof("clearing", CLAIM, "rtl", core.cells, wrong, faults, found, notes=[size])
