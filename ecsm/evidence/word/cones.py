# SPDX-License-Identifier: Apache-2.0
"""Prove that nothing but a branch on the flag lets data reach what a word engine does, and when.

From the structure of the whole netlist in gates, as for cores (:mod:`ecsm.evidence.cones`): the
cone of a net is all that it can depend on, through any number of cycles. The *control* is every
register of ``word_control`` and ``word_walk``, and the handshakes, the status and the cycles of all
ports. With the flag taken out, which is one register, no word of the memory, no constant, no octet
of a string is in the cone of the control. Only these registers of the two modules are no control:
the octets that move (``shift_q``), and addresses of an entry of a table, whose order is drawn for
each digit (``held_b_q``, ``number_b_q``, ``first_b_q``).

So the time depends on data only where the program looks at the flag: at a branch with IfFlag. No
branch does so with a secret in the flag: the assembler follows every path of the program
(:mod:`ecsm.schedule.sequential.secrets`). Where a flag depends on a secret and may be told, the
program says why; the notes list every such reason, and how many branches look at public flags.

Samples of noise reach the control through the health tests alone, tables that are loaded through
the registers of the loader and the memories of the program, the walks and their starts: both are
public.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ecsm.evidence.cones import Cones
from ecsm.evidence.core import Core, Memory, Read
from ecsm.evidence.faults import AND_NOT, XOR, before_output, before_register, in_part
from ecsm.evidence.gates import Function, Net
from ecsm.evidence.proof import FAULTS, Proof
from ecsm.evidence.word.netlist import CORE
from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.words import Condition, Do, Order
from ecsm.schemes.word.program import word_program

CLAIM = (
    "no word of the memory and no octet of a string reaches the order and the time of what is done,"
    " but by a branch on the flag"
)
FLAG = CORE + "flag_q"
MODULES = (CORE + "u_control.", CORE + "u_walk.")
NO_CONTROL = ("u_control.shift_q", "u_walk.held_b_q", "u_walk.number_b_q", "u_walk.first_b_q")
OUTPUTS = (
    "req_ready_o", "rsp_valid_o", "rsp_status_o", "rsp_cycles_o", "in_ready_o", "out_valid_o",
    "out_bytes_o", "out_last_o", "noise_ready_o", "test_ready_o",
)  # fmt: skip
PUBLIC = ("u_scheme.u_noise.u_health.", "u_scheme.u_noise.offered_q", "u_scheme.u_requests.")
"""Health tests, and that they took a sample; the loader of tables. They see samples, or tables."""
TABLES = ("u_control.gen_memory.words", "u_walk.gen_memory.slots", "u_walk.gen_load.starts")
DATA = ("u_memory.copy_a", "u_memory.copy_b", "u_memory.constants")
SECRET_PORTS = frozenset({"in_data_i", "noise_data_i", "test_data_i"})


def without(core: Core) -> Core:
    """Return the netlist without the flag, and without what is public: they have no source."""
    open_names = (FLAG, *PUBLIC)
    registers = {
        q: r for q, r in core.registers.items()
        if not core.names.get(q, "").startswith(open_names)
    }  # fmt: skip
    memories = {
        name: Memory(m.words) if name.endswith(TABLES) else m for name, m in core.memories.items()
    }
    return replace(core, registers=registers, memories=memories)


def control(core: Core) -> list[Net]:
    """Return the nets of the control."""
    found = [
        q for q in core.registers
        if (name := core.names.get(q, "")).startswith(MODULES)
        and not name.partition("[")[0].endswith(NO_CONTROL)
    ]  # fmt: skip
    return [*found, *(n for port in OUTPUTS for n in core.outputs[port])]


def check(core: Core) -> str:
    """Return "" if the claim holds, else what is wrong."""
    flags = [q for q in core.registers if core.names.get(q, "") == FLAG]
    if len(flags) != 1:
        return "there is not one flag"
    opened = without(core)
    of = control(opened)
    cones = Cones(opened)
    cone = cones.of(of)
    missing = [m for m in MODULES if not any(core.names.get(q, "").startswith(m) for q in of)]
    if missing or flags[0] not in cone:
        return f"there is no control in {', '.join(missing) or 'the netlist'}"
    found = {p.memory for p in core.parts if isinstance(p, Read) and not cone.isdisjoint(p.outputs)}
    if data := sorted(m for m in found if m.endswith(DATA)):
        return f"{', '.join(data)} reaches the control"
    if more := cones.ports(of) & SECRET_PORTS:
        return f"{', '.join(sorted(more))} reaches the control"
    return ""


def seeded(core: Core, count: int, seed: int = 1) -> Iterator[Core]:
    """Yield netlists with one fault each: data reaches a function, a register, an output."""
    rng = random.Random(seed)
    opened = without(core)
    cones = Cones(opened)
    data = [n for p in core.parts if isinstance(p, Read) and p.memory.endswith(DATA)
            for n in p.outputs]  # fmt: skip
    inside = cones.of(control(opened))
    secrets = sorted((cones.reached(data) & opened.registers.keys()) - inside, key=str)
    functions = [
        i for i, p in enumerate(core.parts) if isinstance(p, Function) and p.output in inside
    ]
    registers = sorted(inside & opened.registers.keys(), key=str)
    for n in range(count):
        secret = rng.choice(secrets)
        if n % 3 == 0:
            yield in_part(core, rng.choice(functions), secret)
        elif n % 3 == 1:
            yield before_register(core, rng.choice(registers), [secret], AND_NOT)
        else:
            port = rng.choice(OUTPUTS)
            yield before_output(core, port, rng.randrange(len(core.outputs[port])), [secret], XOR)


def branches(p: WordPreset) -> tuple[int, Counter[str]]:
    """Return how many branches look at a public flag, and why others may, with their numbers."""
    looks = [
        w for w in word_program(p).built.program
        if isinstance(w, Do) and w.order is Order.BRANCH and w.number == Condition.FLAG
    ]  # fmt: skip
    return sum(not w.public for w in looks), Counter(w.public for w in looks if w.public)


def prove(p: WordPreset, core: Core, faults: int = FAULTS) -> Proof:
    """Prove the claim of a netlist, then that the proof finds seeded faults."""
    wrong = check(core)
    found = sum(bool(check(faulty)) for faulty in seeded(core, faults)) if not wrong else 0
    opened = without(core)
    ports = sorted(Cones(opened).ports(control(opened)))
    open_flags, reasons = branches(p)
    told = [f"{', '.join(ports)} reach the control"]
    told.append(f"{open_flags} branches look at flags that no secret is in")
    told += [
        f"{count} branch{'es' * (count > 1)} on a secret's flag: {why}"
        for why, count in reasons.items()
    ]
    return Proof("cones", CLAIM, "rtl", core.cells, wrong, faults, found, notes=told)
