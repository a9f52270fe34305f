# SPDX-License-Identifier: Apache-2.0
"""Prove that a multiplier over GF(2^m) is the field's product, for all operands.

The netlist runs on symbols. The operands are on the ports in one cycle. In every other cycle the
operands are unknown, and so is the content of every register before the first cycle. In the cycle
that the schedule assumes, every bit of the output must have the one form that bit of a b mod f has.
So the product is right for all operands, on every path in the same cycle, whatever came before and
comes after. A serial multiplier begins with a cycle of ``clear_i``, which must set every register
to zero from any content, and must be clear again after the last digit.

What a proof rests on: the model of a cell (:mod:`ecsm.evidence.gates`), and the field polynomial.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from ecsm.backend.synth import script
from ecsm.evidence.gates import Function, Gates, Value, read
from ecsm.evidence.netlist import synthesised
from ecsm.evidence.polynomials import NotBilinear, Polynomial, bits_of, field_product
from ecsm.evidence.proof import FAULTS, Proof
from ecsm.hdl.engines.gf2m import multiplier_parameters
from ecsm.presets.gf2m import Preset
from ecsm.progress import Progress
from ecsm.templates import render

TOP = "product"
NETLISTS = ("rtl", "ecp5")
"""Of the RTL in gates, before any optimisation, and as it is mapped to LUT4 for ECP5."""

_GATES = [
    "proc", "flatten", "opt_expr", "opt_clean", "techmap", "simplemap",
    "dfflegalize -cell $_DFF_P_ x", "opt_expr", "opt_clean",
]  # fmt: skip


def top_text(p: Preset) -> str:
    """Return the module that is proven: a preset's multiplier and nothing else."""
    return render("evidence/multiplier.sv", module=TOP, m=p.m, parameters=multiplier_parameters(p))


def netlist(p: Preset, kind: str, tell: Progress) -> Gates:
    """Return the netlist of a preset's multiplier, one of :data:`NETLISTS`.

    Raises :class:`ecsm.backend.tool.FlowError`.
    """
    mapping = script("ecp5", TOP) if kind == "ecp5" else _GATES
    return read(synthesised(p.name, TOP, top_text(p), mapping, f"prove-{kind}", tell))


def prove(p: Preset, kind: str, tell: Progress, faults: int = FAULTS) -> Proof:
    """Prove a preset's multiplier, then that the proof finds seeded faults."""
    gates = netlist(p, kind, tell)
    begin = time.monotonic()
    tell(f"{p.name}: every product, {kind}, {len(gates.functions)} functions")
    want = field_product(p.curve.field.poly, p.m)
    wrong = check(p, gates, want)
    netlists = seeded(gates, faults)
    found = sum(bool(check(p, faulty, want)) for faulty in netlists)
    return Proof(
        "multiplier", "every product is a b mod f, in the cycle that the schedule assumes", kind,
        len(gates.functions) + len(gates.registers), wrong, len(netlists), found,
        round(time.monotonic() - begin, 2),
    )  # fmt: skip


def check(p: Preset, gates: Gates, want: Sequence[Polynomial] | None = None) -> str:
    """Return "" if a netlist is the multiplier that the schedule assumes, else what is wrong.

    ``want``: the bits of the product, if the caller has them.
    """
    m, serial = p.m, p.multiplier.kind == "serial"
    zero, one = Polynomial(m), Polynomial(m, 1)
    a, b = bits_of("a", m), bits_of("b", m)
    # The cycle of the operands, and that of the start: one later behind a register of operands.
    first, begin = int(serial), int(serial) + int(p.ahead)
    due = begin + p.multiplier.latency(m) - 1
    cycles: list[dict[str, Sequence[Value]]] = [{} for _ in range(due + 2)]
    if serial:
        for t, cycle in enumerate(cycles):
            cycle["clear_i"] = [one if t == 0 else zero]
            cycle["start_i"] = [one if t == begin else zero]
    cycles[first] |= {"a_i": a, "b_i": b}
    try:
        seen = gates.run(m, cycles)
    except NotBilinear as error:
        return str(error)
    want = want or field_product(p.curve.field.poly, m)
    for k, (got, bit) in enumerate(zip(gates.port("p_o", seen[due]), want, strict=True)):
        if got != bit:
            return f"bit {k} of the product in cycle {due - first} is " + (
                "not known" if got is None else "another function"
            )
    if serial:
        # Registers that load the operands in every cycle need no clear.
        operands = {*gates.ports["a_i"], *gates.ports["b_i"]} if p.ahead else set()
        cleared = [q for q, d in gates.registers.items() if d not in operands]
        for t in (1, due + 1):
            left = sum(seen[t].nets.get(q) != zero for q in cleared)
            if left:
                return f"{left} registers are not clear in cycle {t}"
    return ""


def seeded(gates: Gates, count: int, seed: int = 1) -> list[Gates]:
    """Return netlists with one fault each: a function is inverted, or has an input added to it.

    There are ``count`` of them, but not more than functions.
    """
    rng = random.Random(seed)
    found = []
    size = len(gates.functions)
    for n, i in enumerate(rng.sample(range(size), min(count, size))):
        f = gates.functions[i]
        places = [k for k, net in enumerate(f.inputs) if not isinstance(net, str)]
        k = rng.choice(places) if n % 2 and places else None
        table = tuple(bit ^ (1 if k is None else j >> k & 1) for j, bit in enumerate(f.table))
        found.append(gates.changed(i, Function(f.output, f.inputs, table)))
    return found
