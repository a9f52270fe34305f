# SPDX-License-Identifier: Apache-2.0
"""Solve a prime-field program: the shortest loop, then the shortest head and tail.

Each segment is a model of its own. The body is scheduled modulo the loop's length. A first loop is
packed without the solver; the solver then tries shorter ones, down to a proven bound
(:func:`loop_bound`). Loop variables have registers of their own, the same ones in all segments.
Segments do not overlap.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from ortools.sat.python import cp_model

from ecsm.formulas.gfp.graph import Graph, Kind, Segment
from ecsm.schedule import interruptible
from ecsm.schedule.gfp.modulo import Edge, longest, modulo
from ecsm.schedule.gfp.registers import NoRegisters, allocate
from ecsm.schedule.gfp.types import Units
from ecsm.schedule.types import CAPTURE, Schedule, Slot, Unschedulable

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Seconds for each segment: to find its length, and to shorten the waiting of results.

    The first is for all lengths of the loop together. Less waiting needs fewer registers.
    ``seed`` chooses among solutions that are as good.
    """

    timing: float
    waiting: float
    seed: int = 1


def edges(segment: Segment, units: Units, loop: bool) -> Iterator[Edge]:
    """Yield the dependences of a segment; those around the loop for its body."""
    ops = {o.atom: o for o in segment.ops}
    for op in segment.ops:
        for atom in op.atoms & ops.keys():
            yield Edge(atom, op.atom, units.wait(ops[atom], op))
            if op.kind in (Kind.TEST, Kind.ANSWER, Kind.DIVIDE):  # as it leaves the adder
                yield Edge(op.atom, atom, -units.delay(ops[atom]))
    for test in (o for o in segment.ops if o.kind is Kind.TEST):  # of this segment: then known
        for op in segment.ops:
            if any(t.guard and t.guard[0] == "invalid" for t in op.terms):
                yield Edge(test.atom, op.atom, units.reduce + 2)
    divide = next((o.atom for o in segment.ops if o.kind is Kind.DIVIDE), None)
    matrices = [o for o in segment.ops if o.kind is Kind.MATRIX]
    for op in matrices:
        assert divide is not None
        at = units.divide + op.index * units.period
        yield Edge(divide, op.atom, at)
        yield Edge(op.atom, divide, -at)
        for user in segment.ops:
            if user.atoms & set(range(op.atom, op.atom + 4)):
                yield Edge(op.atom, user.atom, 0)
                yield Edge(user.atom, op.atom, 1 - units.hold)  # until the next matrix
    answers = [o.atom for o in segment.ops if o.kind is Kind.ANSWER]
    for before in answers[:-1]:  # the last one stays in the reducer
        yield Edge(before, answers[-1], units.reduce)
    looking = [o.atom for o in segment.digit_ops() if not o.atoms & segment.fixed]
    for written, places in segment.stores.items():  # then read into the entry's register
        for reader in looking if min(places)[0] < segment.top else []:
            yield Edge(written, reader, units.delay(ops[written]) + units.lookup)
    for variable, output in enumerate(segment.outputs):
        for op in segment.ops:
            if variable in op.atoms & segment.inputs.keys():  # read before it is renewed
                yield Edge(op.atom, output, -units.delay(ops[output]))
                if loop:
                    yield Edge(output, op.atom, units.delay(ops[output]) + 1, 1)
    if loop:  # a register is read before the next iteration writes it
        for op in segment.ops:
            yield from (
                Edge(reader.atom, op.atom, -units.delay(op), 1)
                for reader in segment.ops
                if op.atom in reader.atoms and units.delay(op)
            )
    turns = segment.digit_turns()
    for kept, (column, number) in segment.kept.items():
        for op in turns[number]:  # read the column before it is written
            if column in {segment.lookups.get(a) for a in op.atoms}:
                yield Edge(op.atom, kept, -units.delay(ops[kept]))
        following = (turns[number + 1 :] or turns[:1] * loop)[:1]
        for op in (op for turn in following for op in turn):
            around = int(number + 1 == len(turns))
            yield Edge(kept, op.atom, units.delay(ops[kept]) + units.lookup, around)
    for turn, after in zip(turns, turns[1:] + turns[:1] * loop, strict=False):
        for last, new in itertools.product(turn, after):  # the next digit, or in the next turn
            yield Edge(last.atom, new.atom, 1, int(after is turns[0]))


def earliest(segment: Segment, units: Units, ii: int = 0) -> dict[int, int]:
    """Return operations' earliest cycles, in a loop of ``ii`` cycles; empty if it is too short."""
    rows = list(edges(segment, units, ii > 0))
    return longest(rows, (o.atom for o in segment.ops), ii)


def loop_bound(graph: Graph, units: Units) -> int:
    """Return the least length of a loop that dependences and the multiplier allow."""
    low = max(1, len(graph.body.products()) * units.interval)
    while not earliest(graph.body, units, low):
        low += 1
    return low


def turn_bound(segment: Segment, units: Units) -> int:
    """Return the least cycles of one turn: its longest chain, or its products one by one."""
    early = earliest(segment, units)
    chain = max(early[o.atom] + units.delay(o) for o in segment.ops)
    products = (len(segment.products()) - 1) * units.interval + units.latency
    return 1 + max(chain, products)


def _model(
    segment: Segment, units: Units, limit: int, ii: int | None
) -> tuple[cp_model.CpModel, dict[int, cp_model.IntVar]]:
    """Model the times of a segment's operations, modulo ``ii`` if it is the loop's body."""
    m = cp_model.CpModel()
    early = earliest(segment, units, ii or 0)
    time = {o.atom: m.new_int_var(early[o.atom], limit, f"t{o.atom}") for o in segment.ops}
    for e in edges(segment, units, ii is not None):
        m.add(time[e.after] + e.trips * (ii or 0) >= time[e.before] + e.delay)
    for kind, length in ((Kind.PRODUCT, units.interval), (Kind.SUM, 1)):
        _share(m, [time[o.atom] for o in segment.ops if o.kind is kind], length, ii, limit)
    reducing = [o for o in segment.ops if o.kind in (Kind.TEST, Kind.ANSWER)]
    _share(m, [time[o.atom] for o in reducing], units.reduce, ii, limit)
    return m, time


def _share(
    m: cp_model.CpModel, times: list[cp_model.IntVar], length: int, ii: int | None, limit: int
) -> None:
    """Keep operations of one unit, ``length`` cycles each, apart."""
    if len(times) < 2:
        return
    if ii is None:
        m.add_no_overlap([m.new_fixed_size_interval_var(t, length, "") for t in times])
        return
    slots = []
    for t in times:
        turn, slot = m.new_int_var(0, limit // ii + 1, ""), m.new_int_var(0, ii - 1, "")
        m.add(t == turn * ii + slot)
        slots.append(slot)
    if length == 1:
        m.add_all_different(slots)
        return
    rows = [m.new_fixed_size_interval_var(s, length, "") for s in slots]
    m.add_no_overlap(rows)
    for s in slots:
        m.add(s <= ii - length)  # no operation across the seam


def _lifetimes(
    m: cp_model.CpModel,
    segment: Segment,
    time: dict[int, cp_model.IntVar],
    units: Units,
    limit: int,
) -> cp_model.LinearExpr:
    """Return the sum of the cycles for which results wait for their last reader."""
    waits = []
    ops = {o.atom: o for o in segment.ops}
    for atom, op in ops.items():
        readers = [time[o.atom] for o in segment.ops if atom in o.atoms]
        if readers and units.delay(op):
            last = m.new_int_var(0, limit, "")
            for r in readers:
                m.add(last >= r)
            waits.append(last - time[atom])
    return cp_model.LinearExpr.sum(waits)


def _solve(
    m: cp_model.CpModel,
    seconds: float,
    seed: int,
    hint: dict[int, int],
    time: dict[int, cp_model.IntVar],
) -> cp_model.CpSolver | None:
    m.clear_hints()  # type: ignore[no-untyped-call]
    for atom, t in hint.items():
        m.add_hint(time[atom], t)
    solver = interruptible.limited(seconds)
    solver.parameters.random_seed = seed
    return solver if interruptible.found(solver, m) else None


def _greedy(segment: Segment, units: Units, memories: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return a list schedule of a segment that is no loop: a start for the solver."""
    rows = list(edges(segment, units, False))
    height = {o.atom: 0 for o in segment.ops}
    for op in reversed(segment.ops):
        for e in rows:
            if e.after == op.atom and e.delay >= 0:
                height[e.before] = max(height[e.before], height[op.atom] + e.delay)
    time: dict[int, int] = {}
    early = earliest(segment, units)
    busy: dict[Kind, set[int]] = {Kind.PRODUCT: set(), Kind.SUM: set()}
    taken: list[set[int]] = [set() for _ in memories]
    for op in sorted(segment.ops, key=lambda o: (early[o.atom], -height[o.atom])):
        at = early[op.atom]
        for e in rows:
            if e.after == op.atom and e.before in time:
                at = max(at, time[e.before] + e.delay)
        if op.kind in busy:
            span = range(units.interval if op.kind is Kind.PRODUCT else 1)
            own = [t for t, atoms in zip(taken, memories, strict=True) if op.atom in atoms]
            while any(at + i in busy[op.kind] for i in span) or any(
                at + units.delay(op) in t for t in own
            ):
                at += 1
            busy[op.kind] |= {at + i for i in span}
            for t in own:
                t.add(at + units.delay(op))
        time[op.atom] = at
    return time


def straight(
    segment: Segment,
    units: Units,
    limits: Limits,
    least: dict[int, int],
    memories: Sequence[Sequence[int]] = (),
) -> tuple[dict[int, int], int]:
    """Solve a segment that runs once; return its times, and the proven bound of its last cycle.

    It ends with its last output, or with its last result if it has no outputs.
    ``least[atom]`` is the first cycle allowed, for some atoms. ``memories`` are results for the
    same bank or the same column of the table, each in a cycle of its own.
    """
    work = units.interval * len(segment.products())
    early = earliest(segment, units)
    reductions = sum(o.kind in (Kind.TEST, Kind.ANSWER) for o in segment.ops)
    limit = max(early.values()) + work + max(least.values(), default=0)
    limit += units.reduce * max(4, reductions)
    m, time = _model(segment, units, limit, None)
    for atom, t in least.items():
        m.add(time[atom] >= t)
    delay = {o.atom: units.delay(o) for o in segment.ops}
    for taken in memories:
        m.add_all_different([time[atom] + delay[atom] for atom in taken])
    end = m.new_int_var(0, limit, "end")
    answers = [time[o.atom] for o in segment.ops if o.kind is Kind.ANSWER]
    if answers:
        m.add_max_equality(end, answers)
    for op in segment.ops:  # all are done when the reducer is, those that none reads, too
        m.add(time[op.atom] + units.delay(op) <= end + (units.reduce - 1 if answers else 0))
    m.minimize(end)
    solver = _solve(m, limits.timing, limits.seed, _greedy(segment, units, memories), time)
    if solver is None:
        raise Unschedulable("no schedule of a segment in the time given")
    bound, best = solver.best_objective_bound, round(solver.objective_value)
    log.info("%d cycles (bound %d)", best, bound)
    m.add(end <= best)
    m.minimize(_lifetimes(m, segment, time, units, limit))
    hint = {a: solver.value(t) for a, t in time.items()}
    second = _solve(m, limits.waiting, limits.seed, hint, time) or solver
    return {a: second.value(t) for a, t in time.items()}, math.ceil(bound - 1e-6)


def head_memories(graph: Graph) -> Iterator[Sequence[int]]:
    """Yield results of the head that one memory takes: columns of the table, and loop variables.

    These may be in one bank or in two: each has a cycle of its own.
    """
    yield graph.head.outputs
    stores = graph.head.stores.items()
    for column in sorted({column for _, places in stores for _, column in places}):
        yield [atom for atom, places in stores if column in {c for _, c in places}]


def _packed(graph: Graph, units: Units, bound: int) -> tuple[int, dict[int, int]]:
    """Return the length and the times of the shortest loop that is found without the solver."""
    rows = list(edges(graph.body, units, True))
    lengths = {Kind.PRODUCT: units.interval, Kind.SUM: 1}
    busy = {o.atom: (o.kind.value, lengths[o.kind]) for o in graph.body.ops if o.kind in lengths}
    for ii in range(bound, 2 * bound + 1):
        found = modulo(rows, earliest(graph.body, units, ii), busy, ii, 3 * ii)
        if found is not None:
            return ii, found
    raise Unschedulable(f"no loop of up to {2 * bound} cycles")


def loop(graph: Graph, units: Units, limits: Limits) -> tuple[int, int, dict[int, int]]:
    """Return the loop's length, its proven bound, and the times of the body.

    The solver begins with the loop that :func:`~ecsm.schedule.gfp.modulo.modulo` packs, tries
    shorter ones until it finds none, and lets the last one end early and its results wait less.
    """
    bound = loop_bound(graph, units)
    ii, best = _packed(graph, units, bound)
    log.info("packed a loop of %d cycles (bound %d)", ii, bound)

    def found(length: int, seconds: float, finish: bool) -> dict[int, int] | None:
        limit = 3 * length
        m, time = _model(graph.body, units, limit, length)
        if finish:  # a cycle less for the program is worth one of waiting for every result
            end = m.new_int_var(0, 2 * limit, "end")
            for op in graph.body.ops:
                m.add(end >= time[op.atom] + units.delay(op))
            waits = _lifetimes(m, graph.body, time, units, limit)
            m.minimize(len(graph.body.ops) * end + waits)
        solver = _solve(m, seconds, limits.seed, best, time)
        return None if solver is None else {a: solver.value(t) for a, t in time.items()}

    until = monotonic() + limits.timing
    while ii > bound and (left := until - monotonic()) > 0:
        shorter = found(ii - 1, left, False)
        if shorter is None:
            log.info("no loop of %d cycles", ii - 1)
            break
        ii, best = ii - 1, shorter
        log.info("loop of %d cycles", ii)
    best = found(ii, limits.waiting, True) or best
    first = min(best.values())  # idle before the first turn only
    return ii, bound, {a: t - first for a, t in best.items()}


TRIES = 5


def solve(graph: Graph, units: Units, limits: Limits) -> Schedule:
    """Return the best schedule found; raises :class:`Unschedulable`.

    The times are found without regard to the banks of the registers. If they do not fit these,
    the next of :data:`TRIES` searches has another seed, and twice as long to shorten the waiting.
    """
    for _ in range(TRIES - 1):
        try:
            return _solved(graph, units, limits)
        except NoRegisters as error:
            log.info("%s: the next search", error)
            limits = replace(limits, waiting=2 * limits.waiting, seed=limits.seed + 1)
    return _solved(graph, units, limits)


def _solved(graph: Graph, units: Units, limits: Limits) -> Schedule:
    """Return the schedule that one search finds; raises :class:`Unschedulable`."""
    ii, bound, body = loop(graph, units, limits)
    log.info("loop of %d cycles (bound %d)", ii, bound)
    prepared = {o.atom: units.prepare + units.lookup for o in graph.head.digit_ops()}
    memories = list(head_memories(graph))
    head, head_least = straight(graph.head, units, limits, prepared, memories)
    tail, tail_least = straight(graph.tail, units, limits, {})
    times = {"head": head, "body": body, "tail": tail}

    def end(name: str) -> int:
        segment = graph.segments[name]
        done = {o.atom: times[name][o.atom] + units.delay(o) for o in segment.ops}
        kept = [done[atom] + units.lookup for atom in segment.kept]  # then they can be read
        flags = [o for o in segment.ops if o.kind is Kind.TEST and segment.masks]
        known = [times[name][o.atom] + units.reduce for o in flags]  # no word of the loop tells it
        return max(1 + max(done.values()), *kept, *known, 0)

    start = {"head": 0}
    looks = [body[o.atom] for o in graph.body.digit_ops()]
    first = units.prepare + units.lookup  # the digit is known
    start["body"] = max(end("head"), *(first - look for look in looks))
    start["tail"] = start["body"] + (graph.trips - 1) * ii + end("body")
    last = max(tail[o.atom] for o in graph.tail.ops if o.kind is Kind.ANSWER)
    cycles = CAPTURE + start["tail"] + last + units.reduce
    registers, variables = allocate(graph, units, ii, times)
    slots = {
        name: {a: Slot(t, registers[name].get(a)) for a, t in times[name].items()} for name in times
    }
    least = 1 + head_least + (graph.trips - 1) * bound + turn_bound(graph.body, units) + tail_least
    proven = CAPTURE + least + units.reduce
    return Schedule(ii, bound, slots, variables, cycles, proven, start)
