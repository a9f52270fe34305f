# SPDX-License-Identifier: Apache-2.0
"""The timing part of the constraint model: issue times, units, bypasses, scalar bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ecsm.formulas.gf2m.graph import ONE, Graph, Kind, Op, Segment, Term
from ecsm.schedule.types import Units

SPARSE = 3  # v^(2^k) has few ones a row up to this k

IntVar = cp_model.IntVar
Expr = cp_model.LinearExpr


@dataclass(frozen=True)
class Node:
    """An operation in its segment (``tail`` or body)."""

    op: Op
    tail: bool


class Timing:
    """Issue times of body (modulo ``ii``) and tail, for ``units``, as a CP-SAT model."""

    def __init__(self, graph: Graph, units: Units, ii: int, tail_limit: int) -> None:
        self.graph, self.units, self.ii = graph, units, ii
        self.model = cp_model.CpModel()
        self.nodes = [Node(o, False) for o in graph.body.ops] + [
            Node(o, True) for o in graph.tail.ops
        ]
        # A body longer than three iterations would need more copies than the model makes.
        self.span = 2 * ii + units.latency
        self.tail_limit = tail_limit
        self.time: dict[Node, IntVar] = {}
        self.on: dict[tuple[Node, int], IntVar] = {}
        self.slot: dict[Node, IntVar] = {}  # of the body's products: the time modulo ii
        self.bypass: dict[tuple[Node, int], IntVar] = {}
        # With operand registers: the operation takes its operand in the cycle in which it is
        # made, so it reads what makes it. Keyed by reader and atom as the reader calls it.
        self.fresh: dict[tuple[Node, int], IntVar] = {}
        self.end = self.model.new_int_var(0, tail_limit, "end")
        for n in self.nodes:
            low, high = (-ii, tail_limit) if n.tail else (0, self.span)
            self.time[n] = self.model.new_int_var(low, high, f"t{n.tail}{n.op.atom}")
            if n.tail:
                self.model.add(self.end >= self.available(n))
        self._dependences()
        self._units()
        self._keys()

    # -- times of an operation's effects

    def first_write(self, n: Node) -> Expr:
        """Cycle at whose end the result first enters its register."""
        if n.op.kind is Kind.PRODUCT:
            return self.time[n] + self.units.latency - 1
        return self.time[n]

    def available(self, n: Node) -> Expr:
        """First cycle in which the result can be read from its register."""
        if n.op.kind is Kind.PRODUCT:
            return self.time[n] + self.units.latency
        return self.time[n] + n.op.passes

    def follows(self, one: Node, other: Node) -> list[tuple[Expr, list[int]]]:
        """Return when a multiplier's product is the next after another one, whichever is first.

        It is if a number of the list is the value of its expression.
        """
        interval = self.units.interval
        if one.tail == other.tail:
            if one.tail:
                return [(self.time[one] - self.time[other], [interval, -interval])]
            near = {interval, interval - self.ii}
            return [(self.slot[one] - self.slot[other], sorted(near | {-n for n in near}))]
        before, after = (other, one) if one.tail else (one, other)
        gaps = [n - turn * self.ii for n in (interval, -interval) for turn in range(1, 4)]
        return [(self.time[after] - self.time[before], gaps)]

    def segment(self, n: Node) -> Segment:
        """Return the segment of ``n``."""
        return self.graph.tail if n.tail else self.graph.body

    def producer(self, n: Node, atom: int) -> Node | None:
        """Return the node of the same segment that defines ``atom``; None for a variable."""
        if atom == ONE or atom in self.segment(n).inputs:
            return None
        return Node(self.segment(n).op(atom), n.tail)

    def output_node(self, variable: int) -> Node | None:
        """Return the body's node that renews a loop variable; None for x and y."""
        index = variable - 2
        return (
            None if index < 0 else Node(self.graph.body.op(self.graph.body.outputs[index]), False)
        )

    def reads(self) -> Iterator[tuple[Node, Term]]:
        """Yield every (operation, term) with a real atom."""
        for n in self.nodes:
            for t in n.op.terms:
                if t.atom != ONE:
                    yield n, t

    # -- constraints

    def _dependences(self) -> None:
        m = self.model
        tests = [n for n in self.nodes if n.op.kind is Kind.TEST]
        decisive = [n for n in tests if n.op.decides]
        for n, term in self.reads():
            source = self.producer(n, term.atom)
            if source is None:
                renewed = self.output_node(term.atom)
                if renewed is not None:
                    wait = self._settling(n, term, renewed)
                    m.add(self.time[n] + self.ii >= self.available(renewed) + wait)
                    self._freshness(n, term, renewed, self.ii)
                continue
            if not self._may_bypass(n, source, term):
                m.add(self.time[n] >= self.available(source) + self._settling(n, term, source))
                self._freshness(n, term, source, 0)
                continue
            key = (n, source.op.atom)
            if key in self.bypass:
                continue
            b = self.bypass[key] = m.new_bool_var(f"bypass{n.tail}{n.op.atom}_{term.atom}")
            m.add(self.time[n] == self.first_write(source)).only_enforce_if(b)
            m.add(self.time[n] >= self.available(source)).only_enforce_if(b.negated())
        for n in self.nodes:
            if n.op.late:
                for test in decisive:
                    m.add(self.time[n] >= self.available(test))
        m.add_all_different([self.time[n] for n in tests])  # there is one zero tester

    def _freshness(self, n: Node, term: Term, source: Node, later: int) -> None:
        if not self.units.ahead or n.op.kind is not Kind.PRODUCT or (n, term.atom) in self.fresh:
            return
        f = self.fresh[n, term.atom] = self.model.new_bool_var(f"fresh{n.op.atom}_{term.atom}")
        ready = self.available(source)
        self.model.add(self.time[n] + later == ready).only_enforce_if(f)
        self.model.add(self.time[n] + later > ready).only_enforce_if(f.negated())

    def _settling(self, n: Node, term: Term, source: Node) -> int:
        """Cycles that an operand waits for a register that a map or a late condition wrote.

        An operand that is loaded a cycle early would see the map of a map: only sparse maps may be
        there. Nor does it have a late condition.
        """
        if not self.units.ahead or n.op.kind is not Kind.PRODUCT or source.op.kind is not Kind.HOLD:
            return 0
        maps = [source.op.step] if source.op.passes > 1 else []
        maps += [t.map for t in source.op.terms if t.atom != ONE]
        dense = any(m.c != 1 or term.map.c != 1 or m.k + term.map.k > SPARSE for m in maps)
        return int(dense or source.op.late)

    def _may_bypass(self, n: Node, source: Node, term: Term) -> bool:
        if n.op.kind is not Kind.HOLD or source.op.kind is not Kind.PRODUCT:
            return False
        others = [t for t in n.op.terms if t.atom == term.atom]
        return self.units.fused or all(t.map.is_identity for t in others)

    def _units(self) -> None:
        m, u = self.model, self.units
        lanes: list[list[cp_model.IntervalVar]] = [[] for _ in range(u.count)]
        circle: list[list[cp_model.IntervalVar]] = [[] for _ in range(u.count)]
        for n in self.nodes:
            if n.op.kind is not Kind.PRODUCT:
                continue
            for k in range(u.count):
                self.on[n, k] = m.new_bool_var(f"on{n.tail}{n.op.atom}_{k}")
            m.add_exactly_one(self.on[n, k] for k in range(u.count))
            if not n.tail:
                slot = m.new_int_var(0, self.ii - 1, "")
                turn = m.new_int_var(0, self.span // self.ii + 1, "")
                m.add(self.time[n] == slot + self.ii * turn)
                self.slot[n] = slot
            for k in range(u.count):
                on = self.on[n, k]
                shifts = [0] if n.tail else [-j * self.ii for j in range(1, 5)]
                for s in shifts:
                    lanes[k].append(
                        m.new_optional_fixed_size_interval_var(self.time[n] + s, u.interval, on, "")
                    )
                if not n.tail:
                    for s in (0, self.ii):
                        circle[k].append(
                            m.new_optional_fixed_size_interval_var(slot + s, u.interval, on, "")
                        )
        for k in range(u.count):
            # Every multiplier the preset pays for is used.
            m.add_bool_or(on for (_, unit), on in self.on.items() if unit == k)
            m.add_no_overlap(lanes[k])
            m.add_no_overlap(circle[k])

    def _keys(self) -> None:
        """Bits leave the scalar register in order: no use of a bit after a use of the next."""
        uses: list[tuple[int, Node, int]] = []  # global order, node, shift of its time
        bits = self.graph.body.bits
        for n in self.nodes:
            for key in n.op.keys:
                uses.append((bits + key, n, self.ii) if n.tail else (key, n, 0))
                if not n.tail:
                    uses.append((bits + key, n, self.ii))
        last: dict[int, IntVar] = {}
        for key in sorted({k for k, _, _ in uses}):
            v = last[key] = self.model.new_int_var(-self.ii, self.tail_limit + self.ii, f"key{key}")
            body_tail = [(n, s) for k, n, s in uses if k == key]
            for n, s in body_tail:
                self.model.add(v >= self.time[n] + s)
        for k, n, s in uses:
            if k - 1 in last:
                # Uses of bit k by the body and by the tail are alternatives after the same bit
                # k - 1; both must come later than any use of it.
                self.model.add(self.time[n] + s > last[k - 1])
