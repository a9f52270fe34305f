# SPDX-License-Identifier: Apache-2.0
"""Register allocation and the cost of the operand network, on top of :class:`Timing`.

Lifetimes are disjoint on two timelines: the start (load, then the first iterations) and the end
(the last iterations, then the tail). The cost is an estimate in 4-input LUTs: for each bit of a
gated term half a LUT, for each 1 in the matrix of a map a third, and the bits of the registers.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence

from ortools.sat.python import cp_model
from ortools.sat.python.cp_model_helper import Literal

from ecsm.curves.gf2m.field import BinaryField
from ecsm.formulas.gf2m.graph import IDENTITY, ONE, RESULT, Kind, Map
from ecsm.schedule.gf2m.ahead import compose
from ecsm.schedule.gf2m.timing import IntVar, Node, Timing
from ecsm.schedule.gf2m.words import Sink, Source

COPIES = 3
Literals = Sequence[Literal]


class Network:
    """Add registers and the network's cost to a timing model."""

    def __init__(
        self, timing: Timing, registers: int, map_cost: Callable[[Map], int], gf: BinaryField
    ) -> None:
        self.t, self.model, self.registers, self.gf = timing, timing.model, registers, gf
        self.m = timing.graph.m
        self.map_cost = map_cost
        self.variables = list(range(len(timing.graph.variables)))
        self.stored: dict[Node, IntVar | None] = {}
        self.place: dict[tuple[Node, int], IntVar] = {}
        self.swap: dict[Node, IntVar] = {}
        self.used: dict[tuple[Sink, Map, Source], IntVar] = {}
        self._storage()
        self._lifetimes()
        self._operands()
        self._writes()
        if timing.graph.random is not None:
            self._mask()
        self.cost = self._cost()

    # -- who needs a register

    def _storage(self) -> None:
        m, t = self.model, self.t
        readers: dict[Node, list[IntVar | None]] = defaultdict(list)
        for n, term in t.reads():
            source = t.producer(n, term.atom)
            if source is not None:
                b = t.bypass.get((n, term.atom))
                if b is None and source.op.kind is Kind.PRODUCT:
                    b = t.fresh.get((n, term.atom))
                readers[source].append(None if b is None else b.negated())  # type: ignore[arg-type]
        outputs = {t.output_node(v) for v in self.variables[2:]}
        outputs |= {Node(t.graph.tail.op(a), True) for a in t.graph.tail.outputs}
        for n in t.nodes:
            if n.op.kind is Kind.TEST:
                continue
            literals = readers[n]
            always = n in outputs or n.op.kind is Kind.HOLD or any(b is None for b in literals)
            self.stored[n] = None if always else m.new_bool_var(f"stored{n.tail}{n.op.atom}")
            bools = [
                self.place.setdefault((n, r), m.new_bool_var("")) for r in range(self.registers)
            ]
            stored = self.stored[n]
            if stored is None:
                m.add_exactly_one(bools)
            else:
                m.add(sum(bools) == stored)
                for b in literals:
                    assert b is not None
                    m.add_implication(b, stored)
        for v in self.variables[2:]:  # loop variables stay where the load puts them
            node = t.output_node(v)
            assert node is not None
            m.add(self.place[node, v] == 1)
        if any(o.name == RESULT for o in t.graph.tail.ops):
            # The answer replaces x and y: so what tests them tests it, without hardware of its own.
            for register, a in enumerate(t.graph.tail.outputs):
                m.add(self.place[Node(t.graph.tail.op(a), True), register] == 1)

    def _lifetimes(self) -> None:
        m, t, ii = self.model, self.t, self.t.ii
        far = t.tail_limit + 8 * ii + t.span
        start: dict[int, list[cp_model.IntervalVar]] = defaultdict(list)
        finish: dict[int, list[cp_model.IntervalVar]] = defaultdict(list)
        last: dict[tuple[Node | int, str], IntVar] = {}

        def until(owner: Node | int, which: str) -> IntVar:
            key = (owner, which)
            if key not in last:
                last[key] = m.new_int_var(-8 * ii, far, "")
            return last[key]

        for n, term in t.reads():
            source = t.producer(n, term.atom)
            if source is not None:
                for which in ("steady", "last"):
                    m.add(until(source, which) >= t.time[n])
                continue
            renewed = t.output_node(term.atom)
            if not n.tail:
                m.add(until(term.atom, "start") >= t.time[n])
            if renewed is not None:
                m.add(until(renewed, "last" if n.tail else "steady") >= t.time[n] + ii)
            elif n.tail:
                m.add(until(term.atom, "tail") >= t.time[n])
        outputs = {Node(t.graph.tail.op(a), True) for a in t.graph.tail.outputs}
        for n in self.stored:
            shifts = [0] if n.tail else [-j * ii for j in range(1, COPIES + 1)]
            wr = t.first_write(n)
            lives = t.available(n) - wr  # at least while a multi-pass power is running
            for which in ("steady", "last"):
                m.add(until(n, which) >= wr + lives)
                if n in outputs:
                    m.add(until(n, which) >= t.end + 1)
            for r in range(self.registers):
                here = self.place[n, r]
                for s in shifts:
                    end = until(n, "last" if s in (0, -ii) else "steady") + s
                    finish[r].append(self._interval(wr + s, end, here))
                if not n.tail:
                    for j in range(COPIES):
                        end = until(n, "steady") + j * ii
                        start[r].append(self._interval(wr + j * ii, end, here))
        for v in self.variables:
            if v >= 2:
                first = until(v, "start")
                m.add(first >= 0)
                start[v].append(self._interval(-1, first, None))
            else:
                start[v].append(m.new_fixed_size_interval_var(-1, 8 * ii + t.span, ""))
                tail = until(v, "tail")
                m.add(tail >= 0)
                finish[v].append(self._interval(-8 * ii, tail, None))
        for r in range(self.registers):
            m.add_no_overlap(start[r])
            m.add_no_overlap(finish[r])

    def _interval(self, low: object, high: object, here: IntVar | None) -> cp_model.IntervalVar:
        size = self.model.new_int_var(1, 16 * self.t.ii + 2 * self.t.tail_limit + 64, "")
        if here is None:
            return self.model.new_interval_var(low, size, high, "")  # type: ignore[arg-type]
        return self.model.new_optional_interval_var(low, size, high, here, "")  # type: ignore[arg-type]

    # -- what the network must have

    def _use(self, sink: Sink, map_: Map, source: Source, when: Literals) -> None:
        key = (sink, map_, source)
        if key not in self.used:
            self.used[key] = self.model.new_bool_var("")
        self.model.add_bool_or([w.negated() for w in when] + [self.used[key]])

    def _sources(self, n: Node, atom: int) -> list[tuple[Source, list[IntVar]]]:
        """Where a register read of ``atom`` may come from, and the literals that say so."""
        if atom == ONE:
            return []
        source = self.t.producer(n, atom)
        if source is None:
            return [(("reg", atom), [])]
        return [(("reg", r), [self.place[source, r]]) for r in range(self.registers)]

    def _operands(self) -> None:
        m = self.model
        for n in self.t.nodes:
            if n.op.kind is Kind.TEST:
                for term in n.op.terms:
                    self._term(("test", 0, 0), n, term.map, term.atom, [])
            if n.op.kind is not Kind.PRODUCT:
                continue
            swap = self.swap[n] = m.new_bool_var(f"swap{n.tail}{n.op.atom}")
            for k in range(self.t.units.count):
                for side, literal in ((0, swap.negated()), (1, swap)):
                    both = m.new_bool_var("")
                    m.add_bool_or([self.t.on[n, k].negated(), literal.negated(), both])
                    for index, form in enumerate(n.op.forms):
                        sink: Sink = ("operand", k, side ^ index)
                        for term in form:
                            self._term(sink, n, term.map, term.atom, [both])

    def _term(self, sink: Sink, n: Node, map_: Map, atom: int, when: Literals) -> None:
        if atom == ONE:
            self._use(sink, IDENTITY, ("const", map_.c), when)
        fresh = self.t.fresh.get((n, atom))
        if fresh is not None:
            self._made(sink, n, map_, atom, [*when, fresh])
            when = [*when, fresh.negated()]
        for source, literals in self._sources(n, atom):
            self._use(sink, map_, source, [*when, *literals])

    def _made(self, sink: Sink, n: Node, map_: Map, atom: int, when: Literals) -> None:
        """Read a value that is made in the cycle before: its form instead of its register."""
        maker = self.t.producer(n, atom) or self.t.output_node(atom)
        assert maker is not None
        if maker.op.kind is Kind.PRODUCT:
            self._product(sink, maker, map_, when)
            return
        if maker.op.passes > 1:
            for r in range(self.registers):
                here = self.place[maker, r]
                self._use(sink, compose(self.gf, map_, maker.op.step), ("reg", r), [*when, here])
            return
        for term in maker.op.terms:
            self._written(sink, maker, compose(self.gf, map_, term.map), term.atom, when)

    def _product(self, sink: Sink, n: Node, map_: Map, when: Literals) -> None:
        """What a product is when it leaves its multiplier."""
        for k in range(self.t.units.count):
            self._use(sink, map_, ("mul", k), [*when, self.t.on[n, k]])

    def _written(self, sink: Sink, n: Node, map_: Map, atom: int, when: Literals) -> None:
        """A term of what a register is written with."""
        source, bypass = self.t.producer(n, atom), self.t.bypass.get((n, atom))
        if source is not None and bypass is not None:
            self._product(sink, source, map_, [*when, bypass])
            when = [*when, bypass.negated()]
        self._term(sink, n, map_, atom, when)

    def _writes(self) -> None:
        for n in self.stored:
            for r in range(self.registers):
                here = self.place[n, r]
                sink: Sink = ("write", r, 0)
                if n.op.kind is Kind.PRODUCT:
                    self._product(sink, n, IDENTITY, [here])
                    continue
                if n.op.passes > 1:
                    self._use(sink, n.op.step, ("reg", r), [here])
                for term in n.op.terms:
                    self._written(sink, n, term.map, term.atom, [here])

    def _mask(self) -> None:
        """Keep an operand that the key selects away from its candidates, before it and after it.

        Where it replaces one of them in a multiplier's register, or is replaced by one, half of the
        time no bit changes there, and that shows what was selected.
        """
        products = [n for n in self.t.nodes if n.op.kind is Kind.PRODUCT]
        for one in products:
            for other in products:
                for i, form in enumerate(one.op.forms):
                    candidates = {t.atom for t in form if t.guard and t.guard[0] == "key"}
                    for j, against in enumerate(other.op.forms):
                        free = {t.atom for t in against if not t.guard}
                        if one != other and candidates & free:
                            self._apart(one, other, i != j)

    def _apart(self, one: Node, other: Node, crossed: bool) -> None:
        """Let neither follow the other on a unit if the two operands are on one side of it."""
        m = self.model
        side = m.new_bool_var("")
        swaps = [self.swap[one], self.swap[other], side]
        m.add_bool_xor([*swaps, crossed])  # side: both are on one
        for unit in range(self.t.units.count):
            on = [self.t.on[one, unit], self.t.on[other, unit], side]
            for difference, near in self.t.follows(one, other):
                for gap in near:
                    m.add(difference != gap).only_enforce_if(on)

    def _cost(self) -> cp_model.LinearExprT:
        maps: dict[tuple[Sink, Map], IntVar] = {}
        for (sink, map_, _), used in self.used.items():
            if map_ != IDENTITY:
                present = maps.setdefault((sink, map_), self.model.new_bool_var(""))
                self.model.add_implication(used, present)
        busy = [self.model.new_bool_var("") for _ in range(self.registers)]
        for (_, r), here in self.place.items():
            self.model.add_implication(here, busy[r])
        for low, high in itertools.pairwise(busy):
            self.model.add_implication(high, low)
        half = self.m // 2 + 1
        return (
            sum(half * used for used in self.used.values())
            + sum(self.map_cost(map_) * used for (_, map_), used in maps.items())
            + sum(self.m * b for b in busy)
        )
