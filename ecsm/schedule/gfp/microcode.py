# SPDX-License-Identifier: Apache-2.0
"""From a schedule of a prime-field program to microcode.

Every operand is the sum of three slots (slots.py). A slot is a source times a power of two, or the
complement of that. A complement is the negative minus one, and a limb must not become negative. So
a form with differences has a constant in one of its slots: the ones that the complements lack, and
a multiple of p that is spread over the limbs.

Word 0 executes in the cycle after the request, in which the first register of each bank has one of
the coordinates.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ecsm.curves.gfp.residues import Residues, signed_digits
from ecsm.formulas.gfp.graph import ONE, Graph, Guard, Kind, Op, Segment, Term
from ecsm.formulas.gfp.weierstrass import COLUMNS
from ecsm.schedule.gfp.slots import (
    Gate,
    NoSlots,
    Operands,
    Placed,
    Row,
    Sink,
    Source,
    place,
)
from ecsm.schedule.gfp.types import DEPTH, REQUEST, Units, lead
from ecsm.schedule.program import Microcode, compress
from ecsm.schedule.types import CAPTURE, Schedule

OF_DIGIT = -1  # an entry's number: that which the digit names
FLAGS = {"curve": "curve", "y": "infinity", "result": "result", "X": "X", "Y": "Y"}  # by values


@dataclass
class Word:
    """One control word: what happens in one cycle.

    ``write[b]`` is the register of bank b that takes a result, and whose; ``read[sink, bank]`` the
    register of a bank that a sink's slots read; ``store[column]`` the entry that a column of the
    table takes a result in, or :data:`OF_DIGIT`, and whose; ``take`` names the units that start on
    the adder's result of ``thread``: "curve", "zero", "result", "X", "Y", "x", "y", "divide";
    ``next`` asks for the next digit; the adder's slots read the registers of the thread ``ahead``.
    ``test`` names the flags of a masked program that are known in the next cycle.
    """

    gates: set[Gate] = field(default_factory=set)
    write: dict[int, tuple[int, str]] = field(default_factory=dict)
    read: dict[tuple[Sink, int], int] = field(default_factory=dict)
    store: dict[int, tuple[int, str]] = field(default_factory=dict)
    take: set[str] = field(default_factory=set)
    test: set[str] = field(default_factory=set)
    thread: int = 0
    ahead: int = 0
    next: bool = False
    notes: list[str] = field(default_factory=list, compare=False)


@dataclass(frozen=True)
class Part:
    """A program of a core, solved; ``late``: cycles that it starts after the first program."""

    graph: Graph
    schedule: Schedule
    units: Units
    late: int = 0


class _Assembler:
    """Fill words cycle by cycle; ``consts`` are those that the programs of a core share."""

    def __init__(
        self, part: Part, r: Residues, matrix_bits: int, consts: list[tuple[int, ...]]
    ) -> None:
        self.graph, self.schedule, self.units = part.graph, part.schedule, part.units
        self.residues, self.matrix_bits, self.consts = r, matrix_bits, consts
        self.limit = r.limit
        self.words = [Word() for _ in range(part.schedule.cycles - CAPTURE)]
        self.operands: dict[tuple[str, int], Operands] = {}
        self.placed: dict[Operands, Placed] = {}

    def take(self) -> list[tuple[str, Operands]]:
        """Return what every operation takes, with its name."""
        named = []
        for name, segment in self.graph.segments.items():
            for op in segment.ops:
                if op.kind in (Kind.PRODUCT, Kind.SUM):
                    taken = self.operands[name, op.atom] = self._taken(op, segment, name)
                    named.append((op.name, taken))
        return named

    def build(self, placed: dict[Operands, Placed]) -> list[Word]:
        g, s = self.graph, self.schedule
        self.placed = placed
        self._segment("head", s.starts["head"])
        for i in range(g.trips):
            self._segment("body", s.starts["body"] + i * s.ii)
        self._segment("tail", s.starts["tail"])
        return self.words

    def _segment(self, name: str, base: int) -> None:
        segment = self.graph.segments[name]
        slots = self.schedule.slots[name]
        done = {o.atom: slots[o.atom].time + self.units.delay(o) for o in segment.ops}
        for number, turn in enumerate(segment.digit_turns()):
            looks = [base + slots[o.atom].time for o in turn]
            kept = [done[atom] for atom, (_, of) in segment.kept.items() if of == number]
            looks += [base + written + self.units.lookup - 1 for written in kept]
            if name == "head" and segment.top:  # past the highest digit, which may be 1 always
                looks.append(self.units.prepare + self.units.lookup)
            if looks:
                self.words[max(looks) - self.units.lookup + 1].next = True
        for op in segment.ops:
            self._op(op, segment, name, base)

    def _op(self, op: Op, segment: Segment, name: str, base: int) -> None:
        slots = self.schedule.slots[name]
        cycle = base + slots[op.atom].time
        word = self.words[cycle]
        if op.kind is Kind.MATRIX:
            return
        word.notes.append(op.name)
        if op.kind in (Kind.TEST, Kind.ANSWER, Kind.DIVIDE):
            assert not word.take, "two units take one result"
            word.take.add(op.name)
            word.thread = op.thread
            if self.graph.head.masks and op.name in FLAGS:
                self.words[cycle + self.units.reduce - 1].test.add(FLAGS[op.name])
            return
        unit = op.kind.value
        self._open(word, self.operands[name, op.atom])
        word.ahead |= op.ahead
        done = self.words[cycle + self.units.delay(op)]
        register = slots[op.atom].register
        if register is not None:
            bank, number = divmod(register, DEPTH)
            assert bank not in done.write, f"two results for bank {bank}"
            done.write[bank] = (number, unit)
        for entry, column in segment.stores.get(op.atom, ()):
            index = COLUMNS.index(column)
            assert index not in done.store, f"two results for column {column}"
            same = {e for e, u in done.store.values() if u == unit} | {entry}
            assert len(same) == 1, "one result for two entries"
            done.store[index] = (entry, unit)
        if op.atom in segment.kept:
            done.store[COLUMNS.index(segment.kept[op.atom][0])] = (OF_DIGIT, unit)

    def _taken(self, op: Op, segment: Segment, name: str) -> Operands:
        """Return what an operation takes: the same in every turn of the loop."""
        places = self._sources(segment, name, self.schedule.slots[name][op.atom].time)
        try:
            return Operands(op.kind.value, tuple(self._form(form, places) for form in op.forms))
        except NoSlots as error:
            raise NoSlots(f"{op.name}: {error}") from None

    def _open(self, word: Word, taken: Operands) -> None:
        """Open the gates of what an operation takes."""
        placed = self.placed[taken]
        for form, side, slots in zip(taken.forms, placed.sides, placed.slots, strict=True):
            sink = (taken.unit, side)
            for row, slot in zip(form, slots, strict=True):
                word.gates.add(row.gate(sink, slot))
                if row.source[0] == "reg":
                    bank, word.read[sink, bank] = divmod(row.source[1], DEPTH)

    def _sources(self, segment: Segment, name: str, time: int) -> dict[int, Source]:
        """Return where every atom is in a cycle of its segment."""
        slots = self.schedule.slots[name]
        places: dict[int, Source] = {a: ("matrix", i) for a, i in segment.masks.items()}
        for atom in segment.inputs:
            if atom in segment.lookups:
                places[atom] = ("table", COLUMNS.index(segment.lookups[atom]))
            else:
                inputs = REQUEST if name == "head" else self.schedule.variables
                places[atom] = ("reg", inputs[atom])
        for op in segment.ops:
            if op.kind is Kind.MATRIX:
                places |= {op.atom + i: ("matrix", i) for i in range(4)}
                continue
            slot = slots[op.atom]
            if time == slot.time + self.units.delay(op):
                places[op.atom] = (op.kind.value, 0)
            elif slot.register is not None:
                places[op.atom] = ("reg", slot.register)
        return places

    def _form(self, form: Collection[Term], places: dict[int, Source]) -> tuple[Row, ...]:
        """Return the rows of a form: its terms digit by digit, and its constant."""
        rows: list[Row] = []
        for t in form:
            if t.atom != ONE:
                rows += [
                    Row(places[t.atom], k, sign < 0, t.guard) for sign, k in _digits(t.coefficient)
                ]
        conditions = sorted({t.guard[0] for t in form if t.guard})
        guards: list[Guard | None] = [(c, v) for c in conditions for v in (False, True)] or [None]
        consts = {
            g: self._constant([t for t in form if t.guard in (None, g)], places) for g in guards
        }
        if len(set(consts.values())) == 1:  # whatever the guard
            consts = {None: consts[guards[0]]}
        for guard, const in consts.items():
            if any(const):
                if const not in self.consts:
                    self.consts.append(const)
                rows.append(Row(("const", self.consts.index(const)), guard=guard))
        return tuple(sorted(rows, key=str))

    def _constant(self, terms: Sequence[Term], places: dict[int, Source]) -> tuple[int, ...]:
        """Return the constant that makes a sum of terms and complements right and not negative."""
        r = self.residues
        least, most = [0] * r.limbs, [0] * r.limbs
        ones = 0
        value = 0
        for t in terms:
            if t.atom == ONE:
                value += t.coefficient
                continue
            limit = list(self.limit)
            if places[t.atom][0] == "matrix":  # signed, as Residues.spread has it
                limit = r.spread(1 << self.matrix_bits, self.matrix_bits)
                top = self.matrix_bits // r.limb
                least[top] += limit[top]
                limit[:top] = [(1 << r.limb) - 1] * top
            for sign, k in _digits(t.coefficient):
                ones += sign < 0
                target = most if sign > 0 else least
                for i in range(r.limbs):
                    target[i] += limit[i] << k
        offset = r.balance(least) if any(least) else [0] * r.limbs
        offset = [a + b for a, b in zip(offset, r.split(value * r.radix % r.p), strict=True)]
        for a, b, bound in zip(most, offset, r.most, strict=True):
            if a + b > bound:
                raise NoSlots("an operand has larger limbs than the multiplier takes")
        mask = (1 << r.operand) - 1
        return tuple(v + ones & mask for v in offset)


def _digits(c: int) -> list[tuple[int, int]]:
    """Return a coefficient as signed powers of two: the fewest, and of these no difference."""
    sign = -1 if c < 0 else 1
    plain = [(sign, k) for k in range(abs(c).bit_length()) if abs(c) >> k & 1]
    return min(plain, signed_digits(c), key=len)


def assemble(
    parts: Sequence[Part], r: Residues, matrix_bits: int, threads: int = 1
) -> list[Microcode[Word]]:
    """Return the microcode of the solved programs of a core, which share slots and constants.

    Raises :class:`NoSlots`.
    """
    consts: list[tuple[int, ...]] = []
    assemblers = [_Assembler(part, r, matrix_bits, consts) for part in parts]
    placed = place([named for a in assemblers for named in a.take()])
    found = []
    for a, part in zip(assemblers, parts, strict=True):
        s = part.schedule
        # Words that repeat take a slower sequencer: they pay where a product takes many cycles.
        code = compress(a.build(placed), s.ii, merge=part.units.interval > 1 and not part.late)
        first = lead(threads, bool(part.graph.head.masks)) + part.late
        found.append(Microcode(*code, s.registers, lead=first, threads=threads, consts=consts))
    return found
