# SPDX-License-Identifier: Apache-2.0
"""Schedule the tail after the halvings: times by CP-SAT, registers, units and sides by annealing.

A product whose operands are read in cycle r leaves its multiplier in cycle r + 2 and is in a
register from r + 3. A hold that is read in cycle r is in its register from r + passes. The last
window writes the coordinates of the sums: Z in cycle 0, X in cycle 1, Λ in cycle 2. A memory has
one read and one write a cycle.
"""

from __future__ import annotations

import itertools
import logging
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ortools.sat.python import cp_model

from ecsm.formulas.gf2m.graph import IDENTITY, ONE, Kind, Map, Segment
from ecsm.schedule import interruptible
from ecsm.schedule.halving.types import BANKS, NAMES, PLAIN, SLOTS, UNITS, Room, Terms, place, ready
from ecsm.schedule.types import Slot, Unschedulable

log = logging.getLogger(__name__)

OWN, TESTED = 2, 3  # sinks of uses that are not operands: the operation's own register, the tester
END = 100_000  # weight of the end against the sum of all times
FLAG = 3  # cycles from a test to the first term that its flag may guard
HEAT, COLD = 2.0, 0.05  # of the annealing, at its beginning and its end
CLEAR = 2 * SLOTS  # cycles at the end in which memories are not used but cleared

_PLACE = [place(r) for r in range(len(NAMES))]
_TESTER = len(PLAIN) + len(BANKS)


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
                    model.add(at[op.atom] >= at[test.atom] + FLAG)
        if op.kind is Kind.PRODUCT:
            lanes.append(model.new_fixed_size_interval_var(at[op.atom], 1, ""))
    for one, other in _collisions(segment, room):
        model.add(at[one] != at[other])
    model.add_cumulative(lanes, [1] * len(lanes), UNITS)
    model.minimize(end * END + sum(at.values()))
    solver = interruptible.limited(seconds)
    if not interruptible.found(solver, model):
        raise Unschedulable("no schedule found")
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


class Use(NamedTuple):
    """What an operation reads: a term of the network, once registers and lanes are chosen."""

    op: int
    sink: int  # the operand's side, OWN or TESTED
    map: Map
    atom: int
    product: bool  # read as it leaves its multiplier


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

    def start(self, rng: random.Random) -> tuple[dict[int, int], dict[int, int]]:
        """Return some registers and lanes that are possible; raises Unschedulable if none.

        The lane of a product is 2 unit + swap: side s is register lane ^ s.
        """
        register = dict(self.room.inputs)
        for a in sorted(self.span, key=lambda v: self.span[v]):
            if a not in register:
                free = [r for r in self.pool() if self.fits(register, a, r)]
                if not free:
                    raise Unschedulable("too few registers")
                # Memories first: not everything can be in one.
                register[a] = rng.choice([r for r in free if r >= len(PLAIN)] or free)
        lane: dict[int, int] = {}
        by_time: dict[int, list[int]] = defaultdict(list)
        for a, o in self.ops.items():
            if o.kind is Kind.PRODUCT:
                by_time[self.at[a]].append(a)
        for group in by_time.values():
            for u, a in zip(rng.sample(range(UNITS), len(group)), group, strict=True):
                lane[a] = 2 * u + rng.randrange(2)
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

    def uses(self) -> list[Use]:
        """Return the uses of all operations; constants cost nothing and are left out."""
        found = []
        for a, op in self.ops.items():
            for side, form in enumerate(op.forms):
                sink = {Kind.PRODUCT: side, Kind.HOLD: OWN}.get(op.kind, TESTED)
                for term in form:
                    if term.atom != ONE:
                        of = self.ops.get(term.atom)
                        now = (
                            of is not None
                            and of.kind is Kind.PRODUCT
                            and ready(of, self.at[of.atom]) == self.at[a]
                        )
                        found.append(Use(a, sink, term.map, term.atom, now))
            if op.kind is Kind.PRODUCT and a in self.span:
                found.append(Use(a, OWN, IDENTITY, a, True))
            if op.passes > 1:
                found.append(Use(a, OWN, op.step, a, False))
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


def weight(map_: Map, product: bool) -> float:
    """Return about how many LUTs a bit of an element a term takes, in units of a plain one's."""
    if map_ == Map(1) and product:
        return 1.0  # a source of its own
    return {1: 1.4, 2: 1.8, 3: 2.6, 4: 7.0, 5: 12.0, 6: 18.0}.get(map_.k, 1.0)


class _Annealing:
    """A choice that changes use by use; ``cost`` is of the terms beyond ``net.fixed``.

    A term has a number: of its sink, its map and its source, which is a product or a place.
    """

    def __init__(self, net: Network, rng: random.Random) -> None:
        self.register, self.lane = net.start(rng)
        self.uses = net.uses()
        maps = sorted({u.map for u in self.uses})
        width = UNITS + _TESTER + 1
        self.base = [maps.index(u.map) * width for u in self.uses]
        self.stride = len(maps) * width
        of_sink = [weight(map_, source < UNITS) for map_ in maps for source in range(width)]
        self.weight = of_sink * (_TESTER + 1)
        for sink, map_, kind, index in net.fixed:
            if map_ in maps and kind in ("mul", "reg"):
                source = index + UNITS * (kind == "reg")
                self.weight[sink * self.stride + maps.index(map_) * width + source] = 0.0
        self.count = [0] * len(self.weight)
        self.cost = 0.0
        for i in range(len(self.uses)):
            self.add(self.term(i), 1)
        # Uses that change with an atom's register, and with its lane.
        self.by_register: dict[int, list[int]] = defaultdict(list)
        self.by_lane: dict[int, list[int]] = defaultdict(list)
        for i, u in enumerate(self.uses):
            if u.sink != TESTED:
                (self.by_register if u.sink == OWN else self.by_lane)[u.op].append(i)
            by_source = self.by_lane if u.product else self.by_register
            if i not in by_source[u.atom]:
                by_source[u.atom].append(i)

    def term(self, i: int) -> int:
        """Return the number of a use's term."""
        op, sink, _, atom, product = self.uses[i]
        if sink < OWN:
            into = self.lane[op] ^ sink
        else:
            into = _PLACE[self.register[op]] if sink == OWN else _TESTER
        source = self.lane[atom] >> 1 if product else UNITS + _PLACE[self.register[atom]]
        return into * self.stride + self.base[i] + source

    def add(self, term: int, by: int) -> None:
        """Count a term once more or once less."""
        before = self.count[term]
        self.count[term] = before + by
        if not before:
            self.cost += self.weight[term]
        elif before + by == 0:
            self.cost -= self.weight[term]

    def move(self, choice: dict[int, int], new: dict[int, int], uses: Iterable[int]) -> None:
        """Change registers or lanes, on which these uses hang."""
        for i in uses:
            self.add(self.term(i), -1)
        choice.update(new)
        for i in uses:
            self.add(self.term(i), 1)


def anneal(net: Network, seconds: float, seed: int = 1) -> tuple[dict[int, Slot], float]:
    """Return the slots with the cheapest terms found, and what those beyond ``net.fixed`` cost."""
    rng = random.Random(seed)
    begin = time.monotonic()
    state = _Annealing(net, rng)
    register, lane = state.register, state.lane
    best = (state.cost, dict(register), dict(lane))
    movable = [a for a in register if a not in net.room.inputs]
    products, pool = list(lane), net.pool()
    while (spent := (time.monotonic() - begin) / seconds) < 1:
        heat = HEAT * (1 - spent) + COLD
        if rng.random() < 0.5:
            a, r = rng.choice(movable), rng.choice(pool)
            if r == register[a] or not net.fits(register, a, r):
                continue
            choice, new, uses = register, {a: r}, state.by_register[a]
        else:
            a = rng.choice(products)
            group = net.together[a]
            if rng.random() < 0.5:
                new = {g: lane[g] ^ 2 for g in group}  # the other unit
            else:
                new = {a: lane[a] ^ 1} if len(group) == UNITS else {a: rng.randrange(2 * UNITS)}
            choice, uses = lane, [i for g in new for i in state.by_lane[g]]
            if len(new) > 1:
                uses = list(dict.fromkeys(uses))
        before, old = state.cost, {g: choice[g] for g in new}
        state.move(choice, new, uses)
        if state.cost > before and rng.random() >= math.exp((before - state.cost) / heat):
            state.move(choice, old, uses)
        elif state.cost < best[0] - 1e-6:
            best = (state.cost, dict(register), dict(lane))
    cost, register, lane = best
    slots = {}
    for a, o in net.ops.items():
        unit, swap = (lane[a] >> 1, bool(lane[a] & 1)) if a in lane else (None, False)
        slots[a] = Slot(net.at[a], register.get(a), unit, swap)
        assert o.kind is Kind.TEST or unit is not None or register.get(a) is not None
    return slots, cost
