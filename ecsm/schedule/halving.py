# SPDX-License-Identifier: Apache-2.0
"""The program of the engine for halving, word by word.

The engine (rtl/engine/gf2m_halving.sv) has registers and two multipliers; multiplier u multiplies
registers 2u and 2u + 1, and its product is there in the next cycle. Multiplier 0 halves: with
u = its product + OA0 it also offers ``root`` = sqrt(u) and ``half`` = sqrt(u) + H(sqrt(u)), H the
half-trace. In a cycle in which OA0 and OB0 are x and λ + x + λ', λ' = H(x + a):

    the cycle    SX := root (= sqrt x), MX := half + 1, LH := λ' + 1 + H(a), OA0 := OB0 := 0
    the next     u is t = x (λ + x + λ'); where its trace is 0, sqrt(t + x) = root + SX is the x of
                 the half and λ' its λ, else sqrt(t) and λ' + 1

So a halving takes two cycles and one product, whose operands are the sums that end the one before.
Multiplier 1 meanwhile adds the window's half to its accumulator, eight products in eight cycles.

A word of cycle c executes c + 1 cycles after the request is taken: words come from a memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ecsm.curves.binary import BinaryCurve
from ecsm.curves.halving import BITS, ODD, Halves
from ecsm.formulas.graph import IDENTITY, ONE, Kind, Map, Segment
from ecsm.schedule.halving_types import LATENCY, UNITS, Room, Terms, ready
from ecsm.schedule.types import Slot

NAMES = (
    "OA0", "OB0", "OA1", "OB1", "CX", "CL", "L", "SX", "MX", "LH", "RS", "RM", "PL",
    *(f"{v}{o}" for o in ODD for v in "XLZ"),
)  # fmt: skip
R = {name: i for i, name in enumerate(NAMES)}
WINDOW = 2 * BITS  # cycles
BLOCKS = 2  # of the scalar, for its carries
SQUARE = Map(1)
# Conditions of a term or a write. r, w: the accumulator of the digit that is read or written for;
# c: the halving in which the next digit's half comes by; t0: the trace of u is 0.
CONDITIONS = (
    "", *(f"r{o}" for o in ODD), "neg", *(f"w{o}" for o in ODD), *(f"c{p}" for p in range(BITS)),
    "t0", "affine",
)  # fmt: skip

Source = tuple[str, int]  # ("reg", r), ("const", c), ("mul", unit), ("root", 0), ("half", 0)


@dataclass(frozen=True, order=True)
class Gate:
    """``condition ? map(source) : 0`` into register ``sink``, or into the tester (-1)."""

    sink: int
    map: Map
    source: Source
    condition: str = ""

    def sort_key(self) -> tuple[object, ...]:
        """Order gates the same way in every run; the latest to arrive come last."""
        late = ("const", "reg", "mul", "half", "root").index(self.source[0])
        return (self.sink, late, self.source, self.map.k, self.map.c, self.condition)


@dataclass
class Word:
    """What happens in a cycle. ``scalar``: as the ports of ecsm_halving_digits.sv."""

    gates: set[Gate] = field(default_factory=set)
    write: set[tuple[int, str]] = field(default_factory=set)
    test: set[str] = field(default_factory=set)
    scalar: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def same(self, other: Word) -> bool:
        """True if both control the same things (notes aside)."""
        return (self.gates, self.write, self.test, self.scalar) == (
            other.gates,
            other.write,
            other.test,
            other.scalar,
        )


def reg(name: str) -> Source:
    """Return a register as a source."""
    return ("reg", R[name])


ROOT: Source = ("root", 0)
HALF: Source = ("half", 0)
MUL1: Source = ("mul", 1)


def const(c: int) -> Source:
    """Return a constant as a source."""
    return ("const", c)


def selected(coordinate: str) -> list[tuple[Source, Map, str]]:
    """Return the terms that read the digit's accumulator."""
    return [(reg(f"{coordinate}{o}"), IDENTITY, f"r{o}") for o in ODD]


class Timeline:
    """Words by cycle; cycle 1 is the first after the request."""

    def __init__(self) -> None:
        self.words: list[Word] = []

    def at(self, cycle: int) -> Word:
        """Return the word of a cycle."""
        while len(self.words) < cycle:
            self.words.append(Word())
        return self.words[cycle - 1]

    def put(
        self,
        cycle: int,
        register: str | int,
        *terms: Source | tuple[Source, Map, str],
        condition: str = "",
    ) -> None:
        """Write a sum of sources into a register, where the condition holds."""
        number = R[register] if isinstance(register, str) else register
        word = self.at(cycle)
        for term in terms:
            source, map_, guard = term if len(term) == 3 else (term, IDENTITY, "")
            if source == ("const", 0):
                continue
            word.gates.add(Gate(number, map_, source, guard))
        word.write.add((number, condition))


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
    gf, ha = curve.field, curve.field.half_trace(curve.a)
    square = (reg("CX"), SQUARE, "")
    first = first_window(h)
    for c in range(1, h.steps + 2):
        t.at(c).scalar.add("step")
    t.at(h.steps).scalar.add("add")
    t.at(h.steps + 1).scalar.add("last")
    for c in range(h.steps + 2, h.steps + 2 + BLOCKS):
        t.at(c).scalar.add("settle")
    # The first accumulator is P + T = (√b : x² + y + x : x).
    t.put(1, "X1", const(gf.sqrt(curve.b)))
    t.put(1, "L1", square, reg("CL"), reg("CX"))
    t.put(1, "Z1", reg("CX"))
    # On the curve? y² + x (x² + y) + a x² + b
    t.put(1, "OA1", reg("CX"))
    t.put(1, "OB1", square, reg("CL"))
    terms: list[Source | tuple[Source, Map, str]] = [MUL1, (reg("CL"), SQUARE, ""), const(curve.b)]
    t.put(3, "RM", *terms, *([square] if curve.a else []))
    t.at(4).gates.add(Gate(-1, IDENTITY, reg("RM")))
    t.at(4).test.add("curve")
    # The half of P itself, whose y is known and not its λ: t = y + x λ' = y + x² + x (x + λ').
    t.put(1, "OA0", square)
    t.at(2).test.add("trace")
    t.put(2, "OA0", ROOT)
    t.put(2, "OB0", HALF, const(ha))
    _prepare(t, 3, ha, hold=True)
    t.put(3, "OA0", square, reg("CL"))
    t.put(3, "OB0")
    t.at(1).notes.append("P + T, curve equation")
    for i, o in enumerate(ODD[1:]):
        c = 4 + 2 * i
        _halve(t, c, ha)
        t.put(c + 1, f"X{o}", reg("OA0"))
        t.put(c + 1, f"L{o}", reg("L"))
        t.put(c + 1, f"Z{o}", const(1))
        t.at(c).notes.append(f"P/{2 << i}")
        _prepare(t, c + 1, ha, hold=i == 2 and c + 1 < first - 2)
    t.put(first - 2, "OA0")
    t.put(first - 2, "OB0")
    _halve(t, first - 1, ha)
    t.at(first - 1).scalar.add("shift")


def _window(t: Timeline, c: int, ha: int, last: bool) -> None:
    """One turn of the loop: a window's half is caught, that of the window before is added."""
    for p in range(BITS):
        t.put(c + 2 * p, "CX", reg("OA0"), condition=f"c{p}")
        t.put(c + 2 * p, "CL", reg("L"), condition=f"c{p}")
        _prepare(t, c + 2 * p, ha)
        if not last or p < BITS - 1:
            _halve(t, c + 2 * p + 1, ha)
    t.at(c + 6).scalar.add("shift")
    t.at(c + 2).scalar.add("latch")
    sign = (const(1), IDENTITY, "neg")
    t.put(c, "OA1", reg("CX"))  # OB1 is Z still
    t.put(c + 1, "OA1", MUL1, *selected("L"))  # A, for three products
    t.put(c + 1, "OB1", *selected("X"))
    t.put(c + 2, "OB1", (MUL1, SQUARE, ""), (reg("OB1"), SQUARE, ""))
    t.put(c + 2, "RS", MUL1)
    t.put(c + 3, "OB1", reg("RS"))
    t.put(c + 3, "RS", (MUL1, SQUARE, ""), (reg("OB1"), SQUARE, ""))
    t.put(c + 3, "RM", MUL1)
    t.put(c + 4, "OA1", MUL1)
    t.put(c + 4, "OB1", *selected("Z"))
    t.put(c + 5, "OA1", reg("RM"))
    t.put(c + 5, "OB1", MUL1)
    t.put(c + 6, "OA1", MUL1)
    t.put(c + 6, "OB1", reg("PL"), const(1))
    for o in ODD:
        t.put(c + 6, f"Z{o}", MUL1, condition=f"w{o}")
        t.put(c + 7, f"X{o}", MUL1, condition=f"w{o}")
        t.put(c + 8, f"L{o}", MUL1, reg("RS"), condition=f"w{o}")
    if not last:
        for name in ("OA1", "PL"):
            t.put(c + 7, name, reg("CL"), sign)
        t.put(c + 7, "OB1", *selected("Z"))
    names = ("λ·Z", "x·Z", "A·X", "A·B", "A·xZ", "Z = AB·Z", "X", "Λ")
    for i, name in enumerate(names):
        t.at(c - 1 + i).notes.append(name)


@dataclass(frozen=True)
class Program:
    """A curve's program: its tail as operations in slots."""

    curve: BinaryCurve
    halves: Halves
    tail: Segment
    slots: dict[int, Slot]
    inputs: dict[int, int]  # atom -> register

    def words(self) -> list[Word]:
        """Return the word of every cycle."""
        t = Timeline()
        ha = self.curve.field.half_trace(self.curve.a)
        _head(t, self.curve, self.halves)
        for i in range(self.halves.windows + 1):
            c = first_window(self.halves) + WINDOW * i
            _window(t, c, ha, last=i == self.halves.windows)
        self._tail(t, end_of_windows(self.halves))
        return t.words

    def _register(self, atom: int) -> int:
        if atom in self.inputs:
            return self.inputs[atom]
        register = self.slots[atom].register
        assert register is not None
        return register

    def _tail(self, t: Timeline, base: int) -> None:
        ops = {o.atom: o for o in self.tail.ops}

        def source(atom: int, cycle: int) -> Source:
            op = ops.get(atom)
            if op is not None and op.kind is Kind.PRODUCT:
                slot = self.slots[atom]
                if ready(op, slot.time) == cycle:
                    assert slot.unit is not None
                    return ("mul", slot.unit)
            return ("reg", self._register(atom))

        for op in self.tail.ops:
            slot = self.slots[op.atom]
            if op.kind is Kind.PRODUCT:
                sinks = [2 * (slot.unit or 0) + (side ^ slot.swap) for side in (0, 1)]
            else:
                sinks = [-1 if op.kind is Kind.TEST else self._register(op.atom)]
            for sink, form in zip(sinks, op.forms, strict=True):
                terms = [
                    (
                        const(term.map.c) if term.atom == ONE else source(term.atom, slot.time),
                        IDENTITY if term.atom == ONE else term.map,
                        term.guard[0] if term.guard else "",
                    )
                    for term in form
                ]
                if sink < 0:
                    t.at(base + slot.time).gates |= {Gate(sink, m, s, g) for s, m, g in terms}
                    t.at(base + slot.time).test.add(op.name)
                else:
                    t.put(base + slot.time, sink, *terms)
            t.at(base + slot.time).notes.append(op.name)
            if op.kind is Kind.PRODUCT and slot.register is not None:
                t.put(base + slot.time + LATENCY, slot.register, ("mul", slot.unit or 0))
            for i in range(1, op.passes):
                own = ("reg", self._register(op.atom))
                t.put(base + slot.time + i, self._register(op.atom), (own, op.step, ""))
        for unit in range(UNITS):  # so that nothing is left in a multiplier at the end
            used = [s.time for s in self.slots.values() if s.unit == unit]
            for sink in (2 * unit, 2 * unit + 1):
                t.put(base + max(used) + 1, sink)
        kept = {self._register(a) for a in self.tail.outputs}
        last = t.words[-1]
        last.write |= {(r, "") for r in range(len(NAMES)) if r not in kept}


def fixed_terms(curve: BinaryCurve, h: Halves) -> Terms:
    """Return the network's terms of everything but the tail, as the solver calls them."""
    t = Timeline()
    _head(t, curve, h)
    c = first_window(h)
    _window(t, c, curve.field.half_trace(curve.a), last=False)
    return {
        (g.sink, g.map if g.source[0] != "mul" or g.sink < 4 else None, *g.source)
        for w in t.words
        for g in w.gates
        if g.sink >= 0
    }


def room(inputs: Iterable[int]) -> Room:
    """Return the tail's registers; its inputs are the coordinates of Q1, Q3, Q5, Q7 in order."""
    atoms = list(inputs)
    registers = {a: R["X1"] + i for i, a in enumerate(atoms)}
    free = {r: int(r == R["RS"]) for r in range(4, R["X1"])}
    return Room(registers, free, {a: (1, 2, 0)[i % 3] for i, a in enumerate(atoms)})
