# SPDX-License-Identifier: Apache-2.0
"""Prove the arithmetic of a core over a prime field, for all operands: on its netlist in words.

The netlist runs on integers that are polynomials in the limbs of the inputs and in the cuts of sums
(:mod:`ecsm.evidence.words_integers`). A claim is that two polynomials are equal modulo p,
coefficient by coefficient, whatever the cuts are, and that limbs are between bounds.

- Multiplier: the operands are in one cycle, each limb from 0 to ``residues.most``. In all other
  cycles the operands are unknown, and every register is unknown at first. Of a multiplier that
  takes several cycles, starts are unknown too but for those that the schedule leaves out: none
  comes less than an interval before or after. In the cycle that the schedule assumes, the limbs of
  the output are worth a b modulo p, of Montgomery's a b / R. No limb is above ``product_limit``.
- Adder: the same of a sum, which it keeps modulo p, and of ``sum_limit``.
- Reducer: :mod:`ecsm.evidence.prime_reducer`.

A fault is seeded if it makes some of a few numbers wrong, so that it is one. The same check finds
this, with numbers for symbols.

These bounds are what other units rely on: an operand is a sum of registers, limb by limb, and the
assembler (:class:`~ecsm.schedule.gfp.slots.NoSlots`) refuses one with a limb above ``most``, if
registers hold up to ``limit``, the larger of the two. So bounds that hold before a cycle hold after
it.

What a proof rests on: the model of a cell (:mod:`ecsm.evidence.words_cells`), Yosys's reading of
the RTL, and p. Not proven: what synthesis makes of these words; the operand network between
registers and units (gfp_form.sv); the division steps (gfp_divsteps.sv), whose sums of two words and
a bit are made bit by bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from ecsm.evidence.multiplier import Proof
from ecsm.evidence.prime_faults import SUMS, seeded
from ecsm.evidence.prime_reducer import check_reducer
from ecsm.evidence.prime_units import (
    NETLIST,
    Unit,
    adder,
    adder_delay,
    multiplier,
    reducer,
    words,
)  # fmt: skip
from ecsm.evidence.words import Run, Words
from ecsm.evidence.words_cells import Bits, bits_of
from ecsm.evidence.words_integers import Impossible, Integers, Number, Polynomial, weighted
from ecsm.presets.gfp import PrimePreset
from ecsm.progress import Progress

FAULTS = 6  # seeded ones that a proof must find, of each unit
SAMPLES = 4  # operands, of which a seeded fault must make one wrong
Check = Callable[[PrimePreset, Words, Random | None], str]


@dataclass(frozen=True)
class Claim:
    """What is proven of a unit; ``check`` returns what is wrong, of some numbers if it has a seed.

    ``kinds``: the functions that faults are seeded into.
    """

    text: str
    unit: Callable[[PrimePreset], Unit]
    check: Check
    kinds: tuple[str, ...] = SUMS


def prove_prime(p: PrimePreset, tell: Progress, faults: int = FAULTS) -> list[Proof]:
    """Prove the units of a preset, and that each proof finds seeded faults.

    Raises :class:`ecsm.backend.tool.FlowError`.
    """
    return [prove_claim(p, claim, tell, faults) for claim in CLAIMS]


def prove_claim(p: PrimePreset, claim: Claim, tell: Progress, faults: int = FAULTS) -> Proof:
    """Prove one claim, then that the proof finds seeded faults."""
    netlist = words(p, claim.unit(p), tell)
    begin = time.monotonic()
    tell(f"{p.name}: {claim.text}, {len(netlist.functions)} functions")
    wrong = claim.check(p, netlist, None)
    seeds = islice(real(p, claim, netlist), faults)
    found = [bool(claim.check(p, faulty, None)) for _, faulty in seeds]
    return Proof(
        claim.text, NETLIST, len(netlist.functions) + len(netlist.registers), wrong,
        len(found), sum(found), round(time.monotonic() - begin, 2),
    )  # fmt: skip


def real(p: PrimePreset, claim: Claim, netlist: Words) -> Iterator[tuple[str, Words]]:
    """Yield netlists with a fault that makes one of :data:`SAMPLES` operands wrong."""
    for kind, faulty in seeded(netlist, claim.kinds):
        if any(claim.check(p, faulty, Random(n)) for n in range(SAMPLES)):
            yield kind, faulty


def limbs_of(
    z: Integers, most: Sequence[int], width: int, some: Random | None
) -> tuple[list[Number], Bits]:
    """Return limbs from 0 to ``most``, and their bits, ``width`` a limb.

    They are symbols; with ``some`` they are numbers, often the largest.
    """
    limbs = [
        z.symbol(v) if some is None else z.fixed(some.choice((v, some.randrange(v + 1))))
        for v in most
    ]
    return limbs, [bit for limb in limbs for bit in bits_of(z, limb, width)]


def read_limbs(run: Run, port: str, width: int, limit: Sequence[int]) -> list[Number] | str:
    """Return the limbs of a port, or what is wrong: one is unknown, or above its limit."""
    bits, found = run.port(port), []
    for k, most in enumerate(limit):
        limb = run.unsigned(bits[width * k : width * (k + 1)])
        if limb is None:
            return f"limb {k} is not known"
        if limb.hi > most:
            return f"limb {k} may be {limb.hi:#x}, above {most:#x}"
        found.append(limb)
    return found


def check_multiplier(p: PrimePreset, netlist: Words, some: Random | None = None) -> str:
    """Return "" if a netlist is the multiplier that the schedule assumes, else what is wrong."""
    r, z = p.residues, Integers()
    run = Run(netlist, z)
    due = p.multiplying - (p.threads > 1)  # that of threads has a rank before it
    whole = p.kind == "whole"
    before = 0 if whole else p.interval - 1
    a, a_bits = limbs_of(z, r.most, r.operand, some)
    b, b_bits = limbs_of(z, r.most, r.operand, some)
    try:
        for t in range(-before, due + 1):
            ports: dict[str, Bits] = {} if whole else {"clear_i": [0]}
            if not whole and abs(t) < p.interval:
                ports["start_i"] = [int(t == 0)]
            if t == 0:
                ports |= {"a_i": a_bits, "b_i": b_bits}
            if t == due:
                run.settle(ports)
            else:
                run.cycle(ports)
        limbs = read_limbs(run, "p_o", r.register, r.product_limit)
    except Impossible as error:
        return str(error)
    if isinstance(limbs, str):
        return limbs
    product = weighted(a, r.limb) * weighted(b, r.limb)
    return _same(r.radix * weighted(limbs, r.limb), product, r.p)


def _same(found: Polynomial, want: Polynomial, p: int) -> str:
    return "" if (found - want).zero_modulo(p) else "the value is another one modulo p"


def check_adder(p: PrimePreset, netlist: Words, some: Random | None = None) -> str:
    """Return "" if a netlist is the adder that the schedule assumes, else what is wrong.

    What the overflow of the highest limb looks up in a table is proven for each of its values.
    """
    r = p.residues
    z = Integers()
    v, bits = limbs_of(z, r.most, r.operand, some)
    if p.kind != "montgomery":
        return _check_sum(p, Run(netlist, z), v, bits, None)
    run = Run(netlist, z)
    run.cycle({"v_i": bits})
    top = _overflow(run)
    if top is None:
        return "the overflow is not known"
    for h in range(top.lo, top.hi + 1):
        if wrong := _check_sum(p, Run(netlist, z.copy()), v, bits, h):
            return f"{wrong}, where the overflow is {h}"
    return ""


def _overflow(run: Run) -> Number | None:
    """Return the overflow that indexes the table, in this cycle."""
    run.settle({})
    return run.unsigned(run.named("u_unit.h"))


def _check_sum(
    p: PrimePreset, run: Run, v: Sequence[Number], bits: Bits, overflow: int | None
) -> str:
    """Check the sums whose overflow has a given value, or all."""
    r = p.residues
    try:
        run.cycle({"v_i": bits})
        if overflow is not None:
            top = _overflow(run)
            assert top is not None
            run.z.fact(top.exact, overflow, overflow)
        for _ in range(p.summing + adder_delay(p) - 1):
            run.cycle({})
        run.settle({})
        limbs = read_limbs(run, "q_o", r.register, r.sum_limit)
    except Impossible as error:
        return str(error)
    if isinstance(limbs, str):
        return limbs
    return _same(weighted(limbs, r.limb), weighted(v, r.limb), r.p)


CLAIMS = (
    Claim("a product is a b modulo p, in bounds and in time", multiplier, check_multiplier),
    Claim("a carried sum is the same modulo p, in bounds and in time", adder, check_adder),
    Claim(
        "a reduced number is the one below p, zero is told, in time", reducer, check_reducer,
        (*SUMS, "$mux", "$bmux"),
    ),
)  # fmt: skip
