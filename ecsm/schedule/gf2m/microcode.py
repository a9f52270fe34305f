# SPDX-License-Identifier: Apache-2.0
"""From a schedule to microcode: the timeline cycle by cycle, then its loop and its repeats.

Word 0 is the load: it sets the loop variables from x and y. The cycle before it accepts the request
and writes x and y to their registers.
"""

from __future__ import annotations

from collections.abc import Callable

from ecsm.curves.gf2m.field import BinaryField
from ecsm.formulas.gf2m.graph import IDENTITY, ONE, Graph, Kind, Op, Segment, Term
from ecsm.schedule.gf2m.ahead import ahead
from ecsm.schedule.gf2m.words import Gate, Guard, Sink, Word
from ecsm.schedule.program import Microcode, compress
from ecsm.schedule.types import CAPTURE, Schedule, Slot, Units


class _Timeline:
    """Fill words cycle by cycle."""

    def __init__(self, graph: Graph, schedule: Schedule, units: Units) -> None:
        self.graph, self.schedule, self.units = graph, schedule, units
        self.words = [Word() for _ in range(schedule.cycles - CAPTURE)]
        self.shift_after: dict[int, int] = {}  # step -> last cycle that uses its bit

    def build(self) -> list[Word]:
        self._load()
        graph, schedule = self.graph, self.schedule
        for turn, (part, segment) in enumerate(graph.turns()):
            base, bit = 1 + turn * schedule.ii, 1 + turn * graph.body.bits
            for op in segment.ops:
                self._op(op, segment, schedule.slots[part], base, bit)
        final_bit = max(self.shift_after)
        for bit, cycle in self.shift_after.items():
            if bit != final_bit:
                self.words[cycle].shift = True
        keep = {schedule.tail[a].register for a in graph.tail.outputs}
        last = self.words[-1]
        others = {r for r in range(schedule.registers) if r not in keep}
        # Written without a gate they are cleared, even where a product's own register is due.
        last.write |= others
        last.gates = {g for g in last.gates if g.sink[0] != "write" or g.sink[1] not in others}
        return self.words

    def _load(self) -> None:
        word = self.words[0]
        registers = self.schedule.variables
        for name, form, r in zip(self.graph.variables, self.graph.load, registers, strict=True):
            if form.single == registers.index(r):  # x and y stay where the request put them
                continue
            word.gates |= {_gate(("write", r, 0), t, registers.__getitem__) for t in form}
            word.write.add(r)
            word.notes.append(f"load {name}")

    def _op(
        self, op: Op, segment: Segment, slots: dict[int, Slot], base: int, first_bit: int
    ) -> None:
        slot = slots[op.atom]
        cycle = base + slot.time
        word = self.words[cycle]
        for key in op.keys:
            bit = first_bit + key
            self.shift_after[bit] = max(self.shift_after.get(bit, 0), cycle)
        word.notes.append(op.name)

        def register(atom: int) -> int:
            r = self.schedule.variables[atom] if atom in segment.inputs else slots[atom].register
            assert r is not None
            return r

        def gate(sink: Sink, t: Term) -> Gate:
            unit = self._leaving(t, op, segment, slots)
            if unit is None:
                return _gate(sink, t, register)
            return Gate(sink, t.map, ("mul", unit), _guard(t))

        if op.kind is Kind.PRODUCT:
            assert slot.unit is not None
            word.start.add(slot.unit)
            for side, form in enumerate(op.forms):
                sink: Sink = ("operand", slot.unit, side ^ slot.swap)
                word.gates |= {gate(sink, t) for t in form}
            if slot.register is not None:
                done = self.words[cycle + self.units.latency - 1]
                done.write.add(slot.register)
                done.gates.add(Gate(("write", slot.register, 0), IDENTITY, ("mul", slot.unit)))
            return
        if op.kind is Kind.TEST:
            word.test.add(op.name)
            word.gates |= {_gate(("test", 0, 0), t, register) for t in op.forms[0]}
            return
        assert slot.register is not None
        sink = ("write", slot.register, 0)
        word.gates |= {gate(sink, t) for t in op.forms[0]}
        word.write.add(slot.register)
        for i in range(1, op.passes):
            later = self.words[cycle + i]
            later.write.add(slot.register)
            later.gates.add(Gate(sink, op.step, ("reg", slot.register)))
            later.notes.append(f"{op.name}, pass {i + 1}")

    def _leaving(self, t: Term, op: Op, segment: Segment, slots: dict[int, Slot]) -> int | None:
        """Return the multiplier that a product leaves in the cycle in which ``op`` takes it."""
        if t.atom == ONE or t.atom in segment.inputs:
            return None
        made = slots[t.atom]
        if op.kind is Kind.PRODUCT:  # into the operand's register, if the product has none
            taken = self.units.ahead and made.register is None
        else:
            last = made.time + self.units.latency - 1
            taken = segment.op(t.atom).kind is Kind.PRODUCT and last == slots[op.atom].time
        return made.unit if taken else None


def _guard(t: Term) -> Guard:
    return ((t.guard[0], t.guard[2]),) if t.guard else ()


def _gate(sink: Sink, t: Term, register: Callable[[int], int]) -> Gate:
    if t.atom == ONE:
        return Gate(sink, IDENTITY, ("const", t.map.c), _guard(t))
    return Gate(sink, t.map, ("reg", register(t.atom)), _guard(t))


def timeline(graph: Graph, schedule: Schedule, units: Units, gf: BinaryField) -> list[Word]:
    """Return the control word of every cycle, load first."""
    words = _Timeline(graph, schedule, units).build()
    if units.ahead:
        words = ahead(words, gf)
    return words


def assemble(graph: Graph, schedule: Schedule, units: Units, gf: BinaryField) -> Microcode[Word]:
    """Return the microcode of a solved program over ``gf``."""
    code = compress(timeline(graph, schedule, units, gf), schedule.ii)
    return Microcode(*code, schedule.registers, schedule.places(graph.tail.outputs))
