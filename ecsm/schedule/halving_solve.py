# SPDX-License-Identifier: Apache-2.0
"""Schedule what follows the halvings: times by CP-SAT, registers, units and sides by annealing.

A product whose operands are read in cycle r leaves its multiplier in cycle r + 2 and is in a
register from r + 3; a hold read in cycle r is in its register from r + passes. The coordinates of
the sums come when the last window writes them: Z in cycle 0, X in cycle 1, Λ in cycle 2. A
memory is read in one slot and written in one slot a cycle.
"""

from __future__ import annotations

import itertools
import logging
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ecsm.formulas.graph import ONE, Kind, Map, Segment
from ecsm.schedule.halving_types import NAMES, PLAIN, SLOTS, UNITS, Room, Terms, place, ready
from ecsm.schedule.types import Slot

log = logging.getLogger(__name__)

END = 100_000  # weight of the end against the sum of all times
CLEAR = 2 * SLOTS  # cycles at the end in which memories are not used but cleared


def times(segment: Segment, room: Room, seconds: float) -> tuple[dict[int, int], int]:
    """Return the cycle in which each operation reads, and a bound on the last one's end."""
    model = cp_model.CpModel()
    horizon = 40 + sum(o.passes + 1 for o in segment.ops)
    at = {o.atom: model.new_int_var(0, horizon, f"t{o.atom}") for o in segment.ops}
    end = model.new_int_var(0, horizon, "end")
    tests = [o for o in segment.ops if o.kind is Kind.TEST]
    lanes = []
    for op in segment.ops:
        model.add(end >= ready(op, 0) + at[op.atom])
        for term in op.terms:
            if term.atom in room.ready:
                model.add(at[op.atom] >= room.ready[term.atom])
            elif term.atom != ONE:
                source = segment.op(term.atom)
                # Tests see registers only.
                wait = int(op.kind is Kind.TEST and source.kind is Kind.PRODUCT)
                model.add(at[op.atom] >= at[source.atom] + ready(source, 0) + wait)
            if term.guard:
                for test in tests:
                    model.add(at[op.atom] >= at[test.atom] + 2)
        if op.kind is Kind.PRODUCT:
            lanes.append(model.new_fixed_size_interval_var(at[op.atom], 1, ""))
    for one, other in _collisions(segment, room):
        model.add(at[one] != at[other])
    model.add_cumulative(lanes, [1] * len(lanes), UNITS)
    model.minimize(end * END + sum(at.values()))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 2
    solver.parameters.random_seed = 1
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise RuntimeError("no schedule found")
    bound = -(-int(solver.best_objective_bound) // END)
    return {a: solver.value(v) for a, v in at.items()}, bound


def _collisions(segment: Segment, room: Room) -> Iterator[tuple[int, int]]:
    """Yield pairs of operations that read inputs of one memory in different slots."""
    for one, other in itertools.combinations(segment.ops, 2):
        slots = [
            {room.inputs[t.atom] for t in o.terms if t.atom in room.inputs} for o in (one, other)
        ]
        if any(place(p) == place(q) and p != q for p in slots[0] for q in slots[1]):
            yield one.atom, other.atom


@dataclass
class Network:
    """A choice of registers, units and sides for given times; counts the terms it asks for."""

    segment: Segment
    room: Room
    at: dict[int, int]
    fixed: Terms  # the terms that the rest of the program has anyway

    def __post_init__(self) -> None:
        self.ops = {o.atom: o for o in self.segment.ops}
        self.readers: dict[int, list[int]] = defaultdict(list)
        for o in self.segment.ops:
            for t in o.terms:
                if t.atom != ONE:
                    self.readers[t.atom].append(self.at[o.atom])
        self.end = max(ready(o, self.at[o.atom]) for o in self.segment.ops)
        for atom in self.segment.outputs:
            self.readers[atom].append(self.end)
        self.reads = {a: set(cycles) for a, cycles in self.readers.items()}  # of its register
        self.writes = {a: {self.room.ready[a] - 1} for a in self.room.inputs}
        self.span: dict[int, tuple[int, int]] = {}  # cycles in which a value is in its register
        for a in self.room.inputs:
            self.span[a] = (-99, max(self.readers[a], default=0))
        for a, o in self.ops.items():
            if o.kind is Kind.TEST:
                continue
            first = ready(o, self.at[a])
            last = max(self.readers[a])
            if o.kind is Kind.PRODUCT:
                if last > first:
                    self.span[a] = (first + 1, last)
                    self.reads[a].discard(first)
                    self.writes[a] = {first}
            else:
                self.span[a] = (self.at[a] + 1, last)
                self.writes[a] = set(range(self.at[a], first))
                self.reads[a] |= set(range(self.at[a] + 1, first))
        # Values that cannot share a register, and those that cannot share a memory.
        self.overlap: dict[int, list[int]] = defaultdict(list)
        self.clash: dict[int, list[int]] = defaultdict(list)
        for a, c in itertools.permutations(self.span, 2):
            if self.span[a][0] <= self.span[c][1] and self.span[c][0] <= self.span[a][1]:
                self.overlap[a].append(c)
            if self.reads[a] & self.reads[c] or self.writes[a] & self.writes[c]:
                self.clash[a].append(c)

    def start(self, rng: random.Random) -> tuple[dict[int, int], dict[int, tuple[int, bool]]]:
        """Return some registers and lanes that are possible; raises RuntimeError if none."""
        register = dict(self.room.inputs)
        for a in sorted(self.span, key=lambda v: self.span[v]):
            if a not in register:
                free = [r for r in self.pool() if self.fits(register, a, r)]
                if not free:
                    raise RuntimeError("too few registers")
                # Memories first: not everything can be in one.
                register[a] = rng.choice([r for r in free if r >= len(PLAIN)] or free)
        lane: dict[int, tuple[int, bool]] = {}
        by_time: dict[int, list[int]] = defaultdict(list)
        for a, o in self.ops.items():
            if o.kind is Kind.PRODUCT:
                by_time[self.at[a]].append(a)
        for group in by_time.values():
            for u, a in zip(rng.sample(range(UNITS), len(group)), group, strict=True):
                lane[a] = (u, rng.random() < 0.5)
        self.together = {a: g for g in by_time.values() for a in g}
        return register, lane

    def pool(self) -> list[int]:
        """Registers there are."""
        return [*self.room.free, *range(len(PLAIN), len(NAMES))]

    def fits(self, register: dict[int, int], atom: int, r: int) -> bool:
        """Whether a value can be in a register, given where the others are."""
        first, last = self.span[atom]
        if first <= self.room.free.get(r, -99):
            return False
        if any(register.get(a) == r for a in self.overlap[atom]):
            return False
        if r < len(PLAIN):
            return True
        memory = place(r)
        return last <= self.end - CLEAR and all(
            a not in register or place(register[a]) != memory for a in self.clash[atom]
        )

    def terms_of(
        self, a: int, register: dict[int, int], lane: dict[int, tuple[int, bool]]
    ) -> Terms:
        """Return the terms that an operation asks for."""
        op, found = self.ops[a], set()
        t = self.at[a]

        def source(atom: int) -> tuple[object, ...]:
            if atom == ONE:
                return ("const",)
            o = self.ops.get(atom)
            if o is not None and o.kind is Kind.PRODUCT and ready(o, self.at[atom]) == t:
                return ("mul", lane[atom][0])
            return ("reg", place(register[atom]))

        if op.kind is Kind.PRODUCT:
            unit, swap = lane[a]
            for side, form in enumerate(op.forms):
                sink = 2 * unit + (side ^ swap)
                found |= {(sink, term.map, *source(term.atom)) for term in form}
            if a in register:
                found.add((place(register[a]), None, "mul", unit))
        elif op.kind is Kind.HOLD:
            own = place(register[a])
            found |= {(own, term.map, *source(term.atom)) for term in op.forms[0]}
            if op.passes > 1:
                found.add((own, op.step, "reg", own))
        else:
            found |= {("test", term.map, *source(term.atom)) for term in op.forms[0]}
        return found


def solve(
    segment: Segment, room: Room, fixed: Terms, timing_s: float, network_s: float
) -> tuple[dict[int, Slot], int, int]:
    """Return slots, the tail's cycles and a bound on them; within so many seconds a step."""
    at, bound = times(segment, room, timing_s)
    net = Network(segment, room, at, fixed)
    slots, cost = anneal(net, network_s)
    log.info("%d cycles, at least %d; network %.1f", net.end, bound, cost)
    return slots, net.end, bound


def weight(term: tuple[object, ...]) -> float:
    """Return about how many LUTs a bit of an element a term takes, in units of a plain one's."""
    if term[2] == "const":
        return 0.05
    map_ = term[1]
    if map_ == Map(1) and term[2] == "mul":
        return 1.0  # a source of its own
    return (
        {1: 1.4, 2: 1.8, 3: 2.6, 4: 7.0, 5: 12.0, 6: 18.0}.get(map_.k, 1.0)
        if isinstance(map_, Map)
        else 1.0
    )


def anneal(net: Network, seconds: float, seed: int = 1) -> tuple[dict[int, Slot], float]:
    """Return the slots with the cheapest terms found, and what those beyond ``net.fixed`` cost."""
    rng = random.Random(seed)
    begin = time.monotonic()
    register, lane = net.start(rng)
    count: dict[tuple[object, ...], int] = defaultdict(int)

    def change(atoms: set[int], by: int) -> float:
        delta = 0.0
        for a in atoms:
            for term in net.terms_of(a, register, lane):
                if term in net.fixed:
                    continue
                if by > 0 and count[term] == 0:
                    delta += weight(term)
                count[term] += by
                if by < 0 and count[term] == 0:
                    delta -= weight(term)
        return delta

    cost = change(set(net.ops), 1)
    best = (cost, dict(register), dict(lane))
    movable = [a for a in register if a not in net.room.inputs]
    products = list(lane)
    users = {a: {a} if a in net.ops else set() for a in {*register, *lane}}
    for o in net.segment.ops:
        for t in o.terms:
            if t.atom in users:
                users[t.atom].add(o.atom)
    while (spent := (time.monotonic() - begin) / seconds) < 1:
        heat = 2.0 * (1 - spent) + 0.05
        if rng.random() < 0.5:
            a = rng.choice(movable)
            r = rng.choice(net.pool())
            if not net.fits(register, a, r):
                continue
            touched, undo = users[a], (a, register[a])
            delta = change(touched, -1)
            register[a] = r
            delta += change(touched, 1)
            if delta > 0 and rng.random() >= math.exp(-delta / heat):
                change(touched, -1)
                register[undo[0]] = undo[1]
                change(touched, 1)
                continue
        else:
            a = rng.choice(products)
            group = net.together[a] if rng.random() < 0.5 else [a]
            touched = set().union(*(users[g] for g in group))
            old = {g: lane[g] for g in group}
            delta = change(touched, -1)
            if len(group) == 1 and len(net.together[a]) == UNITS:
                lane[a] = (lane[a][0], not lane[a][1])
            elif len(group) == 1:
                lane[a] = (rng.randrange(UNITS), rng.random() < 0.5)
            else:
                for g in group:
                    lane[g] = (1 - lane[g][0], lane[g][1])
            delta += change(touched, 1)
            if delta > 0 and rng.random() >= math.exp(-delta / heat):
                change(touched, -1)
                lane.update(old)
                change(touched, 1)
                continue
        cost += delta
        if cost < best[0]:
            best = (cost, dict(register), dict(lane))
    cost, register, lane = best
    slots = {}
    for a, o in net.ops.items():
        unit, swap = lane.get(a, (None, False))
        slots[a] = Slot(net.at[a], unit, swap, register.get(a))
        assert o.kind is Kind.TEST or unit is not None or register.get(a) is not None
    return slots, cost
