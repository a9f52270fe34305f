# SPDX-License-Identifier: Apache-2.0
"""The program of the engine for halving, word by word.

The engine (rtl/gf2m/halving/gf2m_halving.sv) has registers and two multipliers; multiplier u
multiplies registers 2u and 2u + 1, and its product is valid in the next cycle. Multiplier 0 halves:
with u = its product + OA0 it also offers ``root`` = sqrt(u) and ``half`` = sqrt(u) + H(sqrt(u)), H
the half-trace. In a cycle in which OA0 and OB0 are x and λ + x + λ', λ' = H(x + a):

    the cycle    SX := root (= sqrt x), MX := half + 1, LH := λ' + 1 + H(a), OA0 := OB0 := 0
    the next     u is t = x (λ + x + λ'); where its trace is 0, sqrt(t + x) = root + SX is the x of
                 the half and λ' its λ, else sqrt(t) and λ' + 1

So a halving takes two cycles and one product. The sums that end a halving are the operands of the
next one. Meanwhile multiplier 1 adds the half of the window to its accumulator, with eight products
in eight cycles.

The word of cycle c executes c + 1 cycles after the request is accepted, because words come from a
memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ecsm.curves.gf2m.halving import BITS, ODD, Halves
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m.graph import IDENTITY, ONE, Kind, Map, Segment
from ecsm.schedule.halving.types import (
    ACCUMULATORS,
    DIGIT,
    LATENCY,
    PLAIN,
    UNITS,
    R,
    Room,
    Terms,
    accumulator,
    ready,
)
from ecsm.schedule.halving.words import (
    DIGITS_Z,
    HALF,
    MUL1,
    ROOT,
    SQUARE,
    Source,
    Timeline,
    Word,
    const,
    digit,
    reg,
)
from ecsm.schedule.types import Slot

WINDOW = 2 * BITS  # cycles
BLOCKS = 2  # of the scalar, for its carries
HALVE = "halve"  # the note of a window's halvings; products of multiplier 1 have their names
Sum = Sequence[Source | tuple[Source, Map, str]]


def first_window(h: Halves) -> int:
    """Return the cycle in which the first half for a window is there."""
    return h.steps + BLOCKS + 3


def end_of_windows(h: Halves) -> int:
    """Return the cycle in which the tail begins: the last window's X is written."""
    return first_window(h) + WINDOW * (h.windows + 1) - 1


def _halve(t: Timeline, cycle: int, ha: int) -> None:
    """The second cycle of a halving."""
    t.put(cycle, "OA0", ROOT, (reg("SX"), IDENTITY, "t0"))
    t.put(cycle, "OB0", HALF, (reg("MX"), IDENTITY, "t0"), reg("LH"))
    t.put(cycle, "L", reg("LH"), const(ha), (const(1), IDENTITY, "t0"))


def _prepare(t: Timeline, cycle: int, ha: int, hold: bool = False) -> None:
    """The first cycle of a halving; ``hold`` keeps its operands."""
    t.put(cycle, "SX", ROOT)
    t.put(cycle, "MX", HALF, const(1))
    t.put(cycle, "LH", reg("OB0"), reg("OA0"), reg("L"), const(1 ^ ha))
    if not hold:
        t.put(cycle, "OA0")
        t.put(cycle, "OB0")


def _head(t: Timeline, curve: BinaryCurve, h: Halves) -> None:
    ha, first = curve.field.half_trace(curve.a), first_window(h)
    for c in range(1, h.steps + 2):
        t.at(c).scalar.add("step")
    t.at(h.steps).scalar.add("add")
    t.at(h.steps + 1).scalar.add("last")
    for c in range(h.steps + 2, h.steps + 2 + BLOCKS):
        t.at(c).scalar.add("settle")
    _head_products(t, curve)
    # The half of P itself, whose y is known and not its λ: t = y + x λ' = y + x² + x (x + λ').
    t.put(3, "OA0", MUL1)
    t.at(4).test.add("trace")
    t.put(4, "OA0", ROOT)
    t.put(4, "OB0", HALF, const(ha))
    t.at(4).notes.append("P/2")
    _prepare(t, 5, ha, hold=True)
    t.put(5, "OA0", MUL1)
    t.put(5, "OB0")
    for i in range(1, len(ODD)):
        c = 4 + 2 * i
        _halve(t, c, ha)
        t.put(c + 1, "CX", reg("OA0"))
        t.put(c + 1, "CL", reg("L"))
        t.put(c + 2, accumulator("Z", i), const(1))
        t.at(c).notes.append(f"P/{2 << i}")
        _prepare(t, c + 1, ha, hold=i == len(ODD) - 1 and c + 1 < first - 2)
    t.put(first - 2, "OA0")
    t.put(first - 2, "OB0")
    _halve(t, first - 1, ha)
    t.at(first - 1).notes.append(HALVE)
    t.at(first - 1).scalar.add("shift")


def _head_products(t: Timeline, curve: BinaryCurve) -> None:
    """The curve's equation and the start of the accumulators.

    Nothing else asks for multiplier 1, so values go where they belong as products by 1.
    """
    one, x, y = const(1), reg("CX"), reg("CL")
    x2 = (x, SQUARE, "")

    def product(cycle: int, name: str, a: Sum, b: Sum) -> None:
        t.put(cycle, "OA1", *a)
        t.put(cycle, "OB1", *b)
        t.at(cycle).notes.append(name)

    product(1, "x²", [one], [x2])  # for the half of P
    product(2, "y²", [y], [y])
    t.put(4, accumulator("L", 1), MUL1)
    product(3, "x² + y", [one], [x2, y])  # for the half of P
    # On the curve? y² + x (x² + y + x) + b
    product(4, "x·(x² + y + x)", [x], [x2, y, x])
    product(6, "+ y²", [MUL1, reg(accumulator("L", 1))], [one])
    t.put(8, "RM", MUL1, const(curve.b))
    t.put(9, -1, reg("RM"))
    t.at(9).test.add("curve")
    # The first accumulator is P + T = (√b : x² + y + x : x), the others are P/2, P/4, P/8.
    product(5, "Λ1", [one], [x2, y, x])
    t.put(7, accumulator("L", 0), MUL1)
    product(7, "Z1", [x], [one])
    t.put(9, accumulator("Z", 0), MUL1)
    for i in range(1, len(ODD)):
        for j, v in enumerate("XL"):
            c = 6 + 2 * i + j
            product(c, f"{'XΛ'[j]}{ODD[i]}", [(x, y)[j]], [one])
            t.put(c + 2, accumulator(v, i), MUL1)
    product(14, "X1", [one], [const(curve.field.sqrt(curve.b))])
    t.put(16, accumulator("X", 0), MUL1)


def _window(t: Timeline, c: int, ha: int, last: bool) -> None:
    """One turn of the loop: a window's half is caught, that of the window before is added."""
    for p in range(BITS):
        t.put(c + 2 * p, "CX", reg("OA0"), condition=f"c{p}")
        t.put(c + 2 * p, "CL", reg("L"), condition=f"c{p}")
        _prepare(t, c + 2 * p, ha)
        if not last or p < BITS - 1:
            _halve(t, c + 2 * p + 1, ha)
            t.at(c + 2 * p + 1).notes.append(HALVE)
    t.at(c + 6).scalar.add("shift")
    t.at(c + 2).scalar.add("latch")
    sign = (const(1), IDENTITY, "neg")
    t.put(c, "OA1", reg("CX"))  # OB1 is Z still
    t.put(c + 1, "OA1", MUL1, digit("QL"))  # A, for three products
    t.put(c + 1, "OB1", digit("QX"))
    t.put(c + 2, "OB1", (MUL1, SQUARE, ""), (reg("OB1"), SQUARE, ""))
    t.put(c + 2, "RS", MUL1)
    t.put(c + 3, "OB1", reg("RS"))
    t.put(c + 3, "RS", (MUL1, SQUARE, ""), (reg("OB1"), SQUARE, ""))
    t.put(c + 3, "RM", MUL1)
    t.put(c + 4, "OA1", MUL1)
    t.put(c + 4, "OB1", *DIGITS_Z)
    t.put(c + 5, "OA1", reg("RM"))
    t.put(c + 5, "OB1", MUL1)
    t.put(c + 6, "OA1", MUL1)
    t.put(c + 6, "OB1", reg("PL"), const(1))
    t.put(c + 6, "QZl", MUL1, condition="wl")
    t.put(c + 6, "QZh", MUL1, condition="wh")
    t.put(c + 7, "QX", MUL1, condition="w")
    t.put(c + 8, "QL", MUL1, reg("RS"), condition="w")
    if not last:
        for name in ("OA1", "PL"):
            t.put(c + 7, name, reg("CL"), sign)
        t.put(c + 7, "OB1", *DIGITS_Z)
    names = ("λ·Z", "x·Z", "A·X", "A·B", "A·xZ", "Z = AB·Z", "X", "Λ")
    for i, name in enumerate(names):
        t.at(c - 1 + i).notes.append(name)


def opening(curve: BinaryCurve, h: Halves) -> Timeline:
    """Return everything up to the tail."""
    t, ha = Timeline(), curve.field.half_trace(curve.a)
    _head(t, curve, h)
    for i in range(h.windows + 1):
        _window(t, first_window(h) + WINDOW * i, ha, last=i == h.windows)
    return t


def words(curve: BinaryCurve, h: Halves, tail: Segment, slots: dict[int, Slot]) -> list[Word]:
    """Return the word of every cycle of a curve's program, its tail in ``slots``."""
    t, base = opening(curve, h), end_of_windows(h)
    ops = {o.atom: o for o in tail.ops}
    register = room(tail.inputs).inputs  # by atom
    register |= {atom: s.register for atom, s in slots.items() if s.register is not None}

    def source(atom: int, cycle: int) -> Source:
        slot = slots.get(atom)
        if slot and ops[atom].kind is Kind.PRODUCT and ready(ops[atom], slot.time) == cycle:
            assert slot.unit is not None
            return ("mul", slot.unit)
        return ("reg", register[atom])

    for op in tail.ops:
        slot = slots[op.atom]
        at = base + slot.time
        if op.kind is Kind.PRODUCT:
            sinks = [2 * (slot.unit or 0) + (side ^ slot.swap) for side in (0, 1)]
        else:
            sinks = [-1 if op.kind is Kind.TEST else register[op.atom]]
        for sink, form in zip(sinks, op.forms, strict=True):
            terms = [
                (
                    const(term.map.c) if term.atom == ONE else source(term.atom, slot.time),
                    IDENTITY if term.atom == ONE else term.map,
                    term.guard[0] if term.guard else "",
                )
                for term in form
            ]
            t.put(at, sink, *terms)
        if op.kind is Kind.TEST:
            t.at(at).test.add(op.name)
        t.at(at).notes.append(op.name)
        if op.kind is Kind.PRODUCT and slot.register is not None:
            t.put(at + LATENCY, slot.register, ("mul", slot.unit or 0))
        for i in range(1, op.passes):
            own = register[op.atom]
            t.put(at + i, own, (("reg", own), op.step, ""))
    for unit in range(UNITS):  # so that nothing is left in a multiplier at the end
        used = [s.time for s in slots.values() if s.unit == unit]
        for sink in (2 * unit, 2 * unit + 1):
            t.put(base + max(used) + 1, sink)
    kept = {register[a] for a in tail.outputs}
    t.words[-1].write |= {(r, "") for r in range(len(PLAIN)) if r not in kept}
    _clear(t)
    return t.words


def _clear(t: Timeline) -> None:
    """Write zero to every slot after its last use; raises ValueError if there is no time."""
    used: dict[tuple[int, int], int] = {}
    for cycle, word in enumerate(t.words):
        for memory, slot in (*word.read_slot.items(), *word.write_slot.items()):
            for s in range(len(ODD)) if slot == DIGIT else (slot,):
                used[memory, s] = cycle
    for (memory, slot), cycle in sorted(used.items(), key=lambda item: item[1]):
        free = [w for w in t.words[cycle + 1 :] if memory not in w.write_slot]
        if not free:
            raise ValueError(f"no cycle is left to clear slot {slot} of memory {memory}")
        free[0].write_slot[memory] = slot
        free[0].write.add((memory, ""))


def fixed_terms(curve: BinaryCurve, h: Halves) -> Terms:
    """Return the network's terms of everything but the tail, as the solver calls them."""
    words = opening(curve, h).words
    return {(g.sink, g.map, *g.source) for w in words for g in w.gates if g.sink >= 0}


def room(inputs: Iterable[int]) -> Room:
    """Return the tail's registers; its inputs are the coordinates of Q1, Q3, Q5, Q7 in order."""
    registers = dict(zip(inputs, ACCUMULATORS, strict=True))
    free = {r: int(r == R["RS"]) for r in range(4, len(PLAIN))}
    return Room(registers, free, {a: (1, 2, 0)[i % 3] for i, a in enumerate(registers)})
