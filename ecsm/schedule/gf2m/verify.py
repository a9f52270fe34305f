# SPDX-License-Identifier: Apache-2.0
"""Check a schedule against its graph without the solver: walk it, cycle by cycle.

The walk stores in every register the name of its value. Every read must find the value that the
graph names. The walk shares no code with the constraint model or the microcode generator.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ecsm.formulas.gf2m.graph import ONE, Graph, Kind, Op, Segment, Term
from ecsm.schedule.types import CAPTURE, Schedule, ScheduleError, Slot, Units

Tag = tuple[str, int, int]  # segment ("init", "body", "tail"), turn, atom


@dataclass(frozen=True)
class _Instance:
    """One operation of one iteration at its absolute cycle (load = cycle 0)."""

    op: Op
    segment: Segment
    slot: Slot
    tag: Tag
    cycle: int
    first_bit: int


class _Walk:
    def __init__(self, graph: Graph, schedule: Schedule, units: Units) -> None:
        self.graph, self.schedule, self.units = graph, schedule, units
        self.done: dict[Tag, _Instance] = {}
        for turn, (part, segment) in enumerate(graph.turns()):
            slots = schedule.slots[part]
            if {o.atom for o in segment.ops} != set(slots):
                raise ScheduleError("operations and slots differ")
            for op in segment.ops:
                slot, tag = slots[op.atom], (part, turn, op.atom)
                cycle, bit = 1 + turn * schedule.ii + slot.time, 1 + turn * graph.body.bits
                self.done[tag] = _Instance(op, segment, slot, tag, cycle, bit)
        self.instances = self.done.values()

    def finished(self, i: _Instance) -> int:
        """Last cycle of the operation: its result can be read in the cycle after."""
        if i.op.kind is Kind.PRODUCT:
            return i.cycle + self.units.latency - 1
        return i.cycle + i.op.passes - 1

    def source(self, reader: _Instance, atom: int) -> tuple[Tag, int]:
        """Tag and register of what a reader means by ``atom``."""
        variables = self.schedule.variables
        if atom not in reader.segment.inputs:
            tag = (reader.tag[0], reader.tag[1], atom)
            register = self.done[tag].slot.register
            return tag, -1 if register is None else register
        if atom < 2:
            return ("init", 0, atom), variables[atom]
        turn = reader.tag[1]
        if turn == 0:
            return ("init", 0, atom), variables[atom]
        return ("body", turn - 1, self.graph.body.outputs[atom - 2]), variables[atom]

    def check(self) -> None:
        last = max(self.finished(i) for i in self.instances) + 1
        if CAPTURE + last != self.schedule.cycles:
            raise ScheduleError(f"{self.schedule.cycles} cycles claimed, {CAPTURE + last} needed")
        if min(i.cycle for i in self.instances) < 1:
            raise ScheduleError("an operation starts before the load is done")
        self._check_units()
        self._check_bits()
        self._check_tests()
        if self.graph.random is not None:
            self._check_masks()
        self._check_registers(last)

    def _check_units(self) -> None:
        busy: dict[tuple[int, int], str] = {}
        for i in self.instances:
            if i.op.kind is not Kind.PRODUCT:
                continue
            unit = i.slot.unit
            if unit is None or not 0 <= unit < self.units.count:
                raise ScheduleError(f"{i.op.name} has no multiplier")
            for c in range(i.cycle, i.cycle + self.units.interval):
                if (unit, c) in busy:
                    raise ScheduleError(
                        f"multiplier {unit}, cycle {c}: {busy[unit, c]}, {i.op.name}"
                    )
                busy[unit, c] = i.op.name

    def _check_bits(self) -> None:
        """A bit of the scalar is used in a window of its own; windows follow in order."""
        window: dict[int, list[int]] = defaultdict(list)
        for i in self.instances:
            for key in i.op.keys:
                window[i.first_bit + key].append(i.cycle)
        previous = 0
        for bit in sorted(window):
            if min(window[bit]) <= previous:
                raise ScheduleError(f"scalar bit {bit} is used before bit {bit - 1} is done with")
            previous = max(window[bit])
        if sorted(window) != list(range(1, self.graph.bits)):
            raise ScheduleError("the program does not use every bit of the scalar")

    def _check_tests(self) -> None:
        tests = [i.cycle for i in self.instances if i.op.kind is Kind.TEST]
        if len(set(tests)) != len(tests):
            raise ScheduleError("two zero tests in one cycle")
        decided = max(i.cycle for i in self.instances if i.op.decides)
        for i in self.instances:
            if i.op.late and i.cycle <= decided:
                raise ScheduleError(f"{i.op.name} depends on a test that is not done")

    def _check_masks(self) -> None:
        """No operand that the key selects replaces a candidate of its own, nor a candidate it."""
        products = [i for i in self.instances if i.op.kind is Kind.PRODUCT]
        starts = {(i.slot.unit, i.cycle): i for i in products}
        for i in products:
            after = starts.get((i.slot.unit, i.cycle + self.units.interval))
            if after is None:
                continue
            for one, other in ((i, after), (after, i)):
                for a, form in enumerate(one.op.forms):
                    chosen = {t.atom for t in form if t.guard and t.guard[0] == "key"}
                    against = other.op.forms[a ^ one.slot.swap ^ other.slot.swap]
                    names = {self.source(one, atom)[0] for atom in chosen - {ONE}}
                    free = {t.atom for t in against if not t.guard} - {ONE}
                    if names & {self.source(other, atom)[0] for atom in free}:
                        raise ScheduleError(f"{one.op.name} is next to a candidate of its operand")

    def _check_registers(self, last: int) -> None:
        holds: dict[int, Tag] = {r: ("init", 0, v) for v, r in enumerate(self.schedule.variables)}
        complete: dict[Tag, int] = dict.fromkeys(holds.values(), 1)
        reads: dict[int, list[tuple[_Instance, Term]]] = defaultdict(list)
        writes: dict[int, list[_Instance]] = defaultdict(list)
        late = {i.tag for i in self.instances if i.op.late}  # no condition of an operand ahead
        for i in self.instances:
            for term in i.op.terms:
                if term.atom != ONE and not self._bypassed(i, term):
                    reads[i.cycle].append((i, term))
            if i.slot.register is not None:
                first = self.finished(i) if i.op.kind is Kind.PRODUCT else i.cycle
                writes[first].append(i)
                complete[i.tag] = self.finished(i) + 1
        for cycle in range(1, last):
            for reader, term in reads[cycle]:
                tag, register = self.source(reader, term.atom)
                if holds.get(register) != tag:
                    raise ScheduleError(
                        f"cycle {cycle}: {reader.op.name} wants {tag} in r{register},"
                        f" which holds {holds.get(register)}"
                    )
                early = self.units.ahead and reader.op.kind is Kind.PRODUCT and tag in late
                if complete[tag] > cycle - early:
                    raise ScheduleError(f"cycle {cycle}: {reader.op.name} reads {tag} too early")
            for writer in writes[cycle]:
                register_ = writer.slot.register
                assert register_ is not None
                held = holds.get(register_)
                if held is not None and complete[held] > cycle + 1:
                    raise ScheduleError(f"cycle {cycle}: r{register_} is still being worked on")
                holds[register_] = writer.tag
            written = [w.slot.register for w in writes[cycle]]
            if len(set(written)) != len(written):
                raise ScheduleError(f"cycle {cycle}: two results for one register")
        for atom in self.graph.tail.outputs:
            final = self.schedule.tail[atom].register
            if final is None or holds[final] != ("tail", self.graph.trips, atom):
                raise ScheduleError("the answer is not in its registers at the end")

    def _bypassed(self, i: _Instance, term: Term) -> bool:
        """A hold may take a product in the cycle in which it leaves the multiplier.

        So may, in the cycle after, an operand that has a register of its own.
        """
        if i.op.kind is Kind.TEST or term.atom in i.segment.inputs:
            return False
        source = self.done[i.tag[0], i.tag[1], term.atom]
        if i.op.kind is Kind.PRODUCT:
            if source.slot.register is not None or not self.units.ahead:
                return False
            if source.op.kind is not Kind.PRODUCT or self.finished(source) != i.cycle - 1:
                raise ScheduleError(f"{i.op.name} takes {source.op.name} in the wrong cycle")
            return True
        if source.op.kind is not Kind.PRODUCT or self.finished(source) != i.cycle:
            return False
        if not self.units.fused and not term.map.is_identity:
            raise ScheduleError(f"{i.op.name} maps a product on its way to the register")
        return True


def verify(graph: Graph, schedule: Schedule, units: Units) -> None:
    """Raise :class:`ScheduleError` unless the schedule computes the graph on these units."""
    if schedule.variables != list(range(len(graph.variables))):
        raise ScheduleError("the loop variables are not where the load puts them")
    _Walk(graph, schedule, units).check()
