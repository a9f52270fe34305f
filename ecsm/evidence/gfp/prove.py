# SPDX-License-Identifier: Apache-2.0
"""Prove the arithmetic of a core over a prime field, for all operands: on its netlist in words.

The netlist runs on integers that are polynomials in the limbs of the inputs and in the cuts of sums
(:mod:`ecsm.evidence.gfp.integers`). A claim is that two polynomials are equal modulo p,
coefficient by coefficient, whatever the cuts are, and that limbs are between bounds.

- Multiplier: the operands are in one cycle, each limb from 0 to ``residues.most``. In all other
  cycles the operands are unknown, and every register is unknown at first. Of a multiplier that
  takes several cycles, starts are unknown too but for those that the schedule leaves out: none
  comes less than an interval before or after. In the cycle that the schedule assumes, the limbs of
  the output are worth a b modulo p, of Montgomery's a b / R. No limb is above ``product_limit``.
- Adder: the same of a sum, which it keeps modulo p, and of ``sum_limit``.
- Reducer: :mod:`ecsm.evidence.gfp.reducer`.

A fault is seeded if it makes some of a few numbers wrong, so that it is one. The same check finds
this, with numbers for symbols.

These bounds are what other units rely on: an operand is a sum of registers, limb by limb, and the
assembler (:class:`~ecsm.schedule.gfp.slots.NoSlots`) refuses one with a limb above ``most``, if
registers hold up to ``limit``, the larger of the two. So bounds that hold before a cycle hold after
it.

What a proof rests on: the model of a cell (:mod:`ecsm.evidence.gfp.cells`), Yosys's reading of
the RTL, and p. Not proven: what synthesis makes of these words; the operand network between
registers and units (gfp_form.sv); of the division steps all but one step and its matrix, for given
controls (:mod:`ecsm.evidence.gfp.divsteps`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from ecsm.curves.gfp.montgomery import Montgomery
from ecsm.evidence.gfp.cells import Bits, bits_of
from ecsm.evidence.gfp.divsteps import check_step
from ecsm.evidence.gfp.faults import SUMS, seeded
from ecsm.evidence.gfp.integers import Impossible, Integers, Number, Polynomial, weighted
from ecsm.evidence.gfp.reducer import Wrong, check_reducer
from ecsm.evidence.gfp.units import (
    NETLIST,
    Unit,
    adder,
    adder_delay,
    multiplier,
    reducer,
    step,
    words,
)  # fmt: skip
from ecsm.evidence.gfp.words import Run, Words
from ecsm.evidence.proof import Proof
from ecsm.presets.gfp import PrimePreset
from ecsm.progress import Progress

FAULTS = 6  # seeded ones that a proof must find, of each unit
SAMPLES = 4  # operands, of which a seeded fault must make one wrong
Check = Callable[[PrimePreset, Words, Random | None], str]


@dataclass(frozen=True)
class Claim:
    """What is proven of the unit ``name``.

    ``check`` returns what is wrong, of some numbers if it has a seed. ``kinds``: the functions that
    faults are seeded into.
    """

    name: str
    text: str
    unit: Callable[[PrimePreset], Unit]
    check: Check
    kinds: tuple[str, ...] = SUMS


def prove_claim(p: PrimePreset, claim: Claim, tell: Progress, faults: int = FAULTS) -> Proof:
    """Prove one claim, then that the proof finds seeded faults."""
    netlist = words(p, claim.unit(p), tell)
    begin = time.monotonic()
    tell(f"{p.name}: {claim.text}, {len(netlist.functions)} functions")
    wrong = claim.check(p, netlist, None)
    seeds = islice(real(p, claim, netlist), faults)
    found = [bool(claim.check(p, faulty, None)) for _, faulty in seeds]
    return Proof(
        claim.name, claim.text, NETLIST, len(netlist.functions) + len(netlist.registers), wrong,
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


def read_limbs(run: Run, port: str, width: int) -> list[Number]:
    """Return the limbs of a port; raises Wrong if one is unknown."""
    bits, found = run.port(port), []
    for at in range(0, len(bits), width):
        limb = run.unsigned(bits[at : at + width])
        if limb is None:
            raise Wrong(f"limb {at // width} is not known")
        found.append(run.z.tight(limb))
    return found


def expect(
    p: PrimePreset,
    limbs: Sequence[Number],
    most: Sequence[int],
    value: Polynomial,
    want: Polynomial,
) -> None:
    """Raise Wrong if limbs are above ``most``, or ``value`` is not ``want`` modulo p."""
    for k, (limb, limit) in enumerate(zip(limbs, most, strict=True)):
        if limb.hi > limit:
            raise Wrong(f"limb {k} may be {limb.hi:#x}, above {limit:#x}")
    if not (value - want).zero_modulo(p.residues.p):
        raise Wrong("the value is another one modulo p")


def check_multiplier(p: PrimePreset, netlist: Words, some: Random | None = None) -> str:
    """Return "" if a netlist is the multiplier that the schedule assumes, else what is wrong."""
    r, z = p.residues, Integers()
    run = Run(netlist, z)
    a, a_bits = limbs_of(z, r.most, r.operand, some)
    b, b_bits = limbs_of(z, r.most, r.operand, some)
    product = weighted(a, r.limb) * weighted(b, r.limb)
    try:
        quotients = multiply(p, run, {"a_i": a_bits, "b_i": b_bits})
        limbs: Sequence[Number] = read_limbs(run, "p_o", r.register)
        if isinstance(r, Montgomery):
            limbs = _below(r, limbs, product, quotients)
        value = r.radix * weighted(limbs, r.limb)
        expect(p, limbs, r.product_limit, value, product)
    except (Wrong, Impossible) as error:
        return str(error)
    return ""


def multiply(p: PrimePreset, run: Run, operands: Mapping[str, Bits]) -> list[Number | None]:
    """Run a product to the cycle that it is due in; return a Montgomery's quotient of each cycle.

    The first is that of the start.
    """
    due = p.multiplying - (p.threads > 1)  # that of threads has a rank before it
    whole = p.kind == "whole"
    quotients = []
    for t in range(0 if whole else 1 - p.interval, due + 1):
        ports: dict[str, Bits] = {} if whole else {"clear_i": [0]}
        if not whole and abs(t) < p.interval:
            ports["start_i"] = [int(t == 0)]
        run.settle(ports | dict(operands) if t == 0 else ports)
        if p.kind == "montgomery" and t >= 0:
            quotients.append(run.unsigned(run.named("u_unit.q")))
        if t < due:
            run.step()
    return quotients


def _below(
    r: Montgomery, limbs: Sequence[Number], product: Polynomial, quotients: Sequence[Number | None]
) -> Sequence[Number]:
    """Return limbs with the bounds that follow from those of the quotients.

    With q[t] the digits that are dropped and q the last quotient, the limbs' value times
    2^(step steps) is a b + p (p' sum of q[t] 2^(step (t - 1)) + q 2^(step (steps - 1))): as
    integers, which is checked. No limb is below zero, so none is worth more than the whole.
    """
    whole, added = r.value(r.most) ** 2, product
    # Digit t is multiplied by a in cycle t + 3; the last quotient is used two cycles after them.
    used = {t + 3: (t - 1, r.minus_inverse) for t in range(1, r.steps)}
    used[r.steps + 4] = (r.steps - 1, 1)
    for cycle, (digit, times) in used.items():
        q = quotients[cycle]
        if q is None:
            return limbs
        times *= r.p << r.step * digit
        whole, added = whole + times * q.hi, added + times * q.exact
    bits = r.step * r.steps
    if (1 << bits) * weighted(limbs, r.limb) != added:
        return limbs
    return [
        replace(limb, hi=min(limb.hi, whole >> bits + r.limb * k)) for k, limb in enumerate(limbs)
    ]


def check_adder(p: PrimePreset, netlist: Words, some: Random | None = None) -> str:
    """Return "" if a netlist is the adder that the schedule assumes, else what is wrong.

    What the overflow of the highest limb looks up in a table is proven for each of its values.
    """
    r, z = p.residues, Integers()
    v, bits = limbs_of(z, r.most, r.operand, some)
    cases: Sequence[int | None] = [None]
    try:
        if p.kind == "montgomery":
            run = Run(netlist, z)
            run.cycle({"v_i": bits})
            top = _overflow(run)
            cases = range(top.lo, top.hi + 1)
        for case in cases:
            limbs = _add(p, Run(netlist, z.copy()), bits, case)
            expect(p, limbs, r.sum_limit, weighted(limbs, r.limb), weighted(v, r.limb))
    except (Wrong, Impossible) as error:
        return str(error)
    return ""


def _overflow(run: Run) -> Number:
    """Return the overflow that indexes the table, in this cycle."""
    run.settle({})
    found = run.unsigned(run.named("u_unit.h"))
    if found is None:
        raise Wrong("the overflow is not known")
    return found


def _add(p: PrimePreset, run: Run, bits: Bits, overflow: int | None) -> list[Number]:
    """Return the limbs of a sum; ``overflow``: of the case in which it is this."""
    run.cycle({"v_i": bits})
    if overflow is not None:
        run.z.fact(_overflow(run).exact, overflow, overflow)
    for _ in range(p.summing + adder_delay(p) - 1):
        run.cycle({})
    run.settle({})
    return read_limbs(run, "q_o", p.residues.register)


_CLAIMS = (
    Claim(
        "multiplier", "a product is a b modulo p, in bounds and in time", multiplier,
        check_multiplier,
    ),
    Claim("adder", "a carried sum is the same modulo p, in bounds and in time", adder, check_adder),
    Claim(
        "reducer", "a reduced number is the one below p, zero is told, in time", reducer,
        check_reducer, (*SUMS, "$mux", "$bmux"),
    ),
    Claim(
        "division", "a division step is its matrix, in bounds, for given controls", step,
        check_step, (*SUMS, "$mux", "$and", "$or", "$xor"),
    ),
)  # fmt: skip
CLAIMS = {claim.name: claim for claim in _CLAIMS}
