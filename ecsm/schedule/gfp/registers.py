# SPDX-License-Identifier: Apache-2.0
"""Assign registers to results. A result that all readers read at the unit's output needs none.

Registers are in two banks. Each bank stores one result a cycle, and an operand reads one register
of each bank. So the results that one operand adds are in different banks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ecsm.formulas.gfp.graph import Graph, Segment
from ecsm.schedule import interruptible
from ecsm.schedule.gfp.types import BANKS, DEPTH, REQUEST, Units
from ecsm.schedule.types import Unschedulable

Span = tuple[int, int]  # first and last cycle in which a register is read or must keep


class NoRegisters(Unschedulable):
    """The values of a segment cannot be kept apart."""


def spans(segment: Segment, units: Units, times: dict[int, int]) -> dict[int, Span]:
    """Return for every result that needs a register the cycles in which it holds it."""
    out = {}
    for op in segment.ops:
        delay = units.delay(op)
        if not delay:
            continue
        ready = times[op.atom] + delay
        # Another thread is a part of a cycle ahead or behind.
        readers = [o for o in segment.ops if op.atom in o.atoms]
        last = max([times[o.atom] + (o.ahead > 0) for o in readers], default=ready)
        if last > ready:
            out[op.atom] = (ready + 1, last)
    return out


def _overlap(a: Span, b: Span, ii: int | None) -> bool:
    """Whether two spans meet, modulo the loop."""
    if ii is None:
        return a[0] <= b[1] and b[0] <= a[1]
    return (b[0] - a[0]) % ii <= a[1] - a[0] or (a[0] - b[0]) % ii <= b[1] - b[0]


def together(segment: Segment, units: Units, times: dict[int, int]) -> set[tuple[int, int]]:
    """Return the pairs of atoms that some operand reads at once from registers."""
    ready = {o.atom: times[o.atom] + units.delay(o) for o in segment.ops if units.delay(o)}
    registers = segment.inputs.keys() - segment.lookups.keys()
    found: set[tuple[int, int]] = set()
    for op in segment.ops:
        for form in op.forms:
            read = [
                a
                for a in form.atoms
                if a in registers or ready.get(a, times[op.atom]) < times[op.atom]
            ]
            found |= set(itertools.combinations(read, 2))
    return found


@dataclass
class Writes:
    """What a segment's banks take and give: see :func:`banks`.

    ``ready[atom]`` is the cycle in which a result is written; ``pairs`` are read at once, ``held``
    is kept so long.
    """

    segment: Segment
    ready: dict[int, int]
    pairs: set[tuple[int, int]]
    held: dict[int, Span]
    ii: int | None

    def at_once(self) -> Iterator[tuple[int, int]]:
        """Yield results that are written in one cycle."""
        by_cycle: dict[int, list[int]] = {}
        for atom in {*self.held, *self.segment.outputs}:
            cycle = self.ready[atom]
            by_cycle.setdefault(cycle if self.ii is None else cycle % self.ii, []).append(atom)
        for atoms in by_cycle.values():
            yield from itertools.combinations(sorted(atoms), 2)


def banks(writes: dict[str, Writes]) -> list[int]:
    """Return banks of the loop variables such that every result has a bank.

    Raises :class:`NoRegisters` if there are none.
    """
    m = cp_model.CpModel()
    count = len(writes["body"].segment.outputs)
    variables = [m.new_bool_var(f"v{i}") for i in range(count)]
    for bank in (0, 1):
        m.add(sum(v if bank else 1 - v for v in variables) <= DEPTH)
    times = []  # that results wait in bank 1, and in all
    for name, w in writes.items():
        inputs: list[cp_model.LinearExprT] = list(variables)
        if name == "head":
            inputs = [r // DEPTH for r in REQUEST]
        place: dict[int, cp_model.LinearExprT] = dict(enumerate(inputs))
        place |= {a: m.new_bool_var(f"{name}{a}") for a in sorted(w.held)}
        place |= dict(zip(w.segment.outputs, variables, strict=False))
        for a, b in sorted(w.pairs | set(w.at_once())):
            m.add(place[a] != place[b])
        times += [(place[a], last - first + 1) for a, (first, last) in sorted(w.held.items())]
    total = sum(t for _, t in times)
    most = m.new_int_var(0, total, "most")
    m.add(sum(place * t for place, t in times) <= most)
    m.add(total - sum(place * t for place, t in times) <= most)
    m.minimize(most)
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = 20
    solver.parameters.num_workers = 1
    if not interruptible.found(solver, m):
        raise NoRegisters("an operand would read two registers of one bank")
    return [solver.value(v) for v in variables]


def colour(
    held: dict[int, Span],
    ready: dict[int, int],
    fixed: list[tuple[int, Span]],
    written: dict[int, list[int]],
    ii: int | None,
    apart: Iterable[tuple[int, int]],
    given: dict[int, int],
) -> dict[int, int]:
    """Return the register of every span, banks filled evenly and no further than they must be.

    ``ready[atom]`` is the cycle in which a result is written; in one cycle each bank takes one.
    ``fixed`` registers are taken for their spans, and ``written[cycle]`` are their banks' writes.
    ``apart`` are pairs in different banks; the registers of those that are not held are ``given``.
    """
    names, pairs = sorted(held), sorted(apart)
    if ii is not None and any(last - first >= ii for first, last in held.values()):
        raise NoRegisters(f"a result waits longer than the loop of {ii} cycles")
    for depth in range(1, DEPTH + 1):
        m = cp_model.CpModel()
        domain = [bank * DEPTH + i for bank in range(BANKS) for i in range(depth)]
        place, bank_of = {}, {}
        for a in names:
            place[a] = m.new_int_var_from_domain(cp_model.Domain.from_values(domain), f"r{a}")
            bank_of[a] = m.new_int_var(0, BANKS - 1, f"b{a}")
            rest = m.new_int_var(0, depth - 1, "")
            m.add(place[a] == DEPTH * bank_of[a] + rest)
            for r, span in fixed:
                if _overlap(held[a], span, ii):
                    m.add(place[a] != r)
            cycle = ready[a] if ii is None else ready[a] % ii
            for bank in written.get(cycle, []):
                m.add(bank_of[a] != bank)
        for i, a in enumerate(names):
            for b in names[:i]:
                if _overlap(held[a], held[b], ii):
                    m.add(place[a] != place[b])
                if (ready[a] - ready[b]) % (ii or 1 << 30) == 0:
                    m.add(bank_of[a] != bank_of[b])
        known = {a: r // DEPTH for a, r in given.items()}
        for a, b in pairs:
            if a in bank_of or b in bank_of:
                m.add({**known, **bank_of}[a] != {**known, **bank_of}[b])
        solver = interruptible.limited(20)
        if interruptible.found(solver, m):
            return {a: solver.value(r) for a, r in place.items()}
    raise NoRegisters(f"more than {BANKS} banks of {DEPTH} registers")


def _numbers(head: Writes, times: dict[int, int], chosen: list[int]) -> list[int]:
    """Return the registers of the loop variables, whose banks are ``chosen``.

    The request's register is one of them only when nobody reads the request any more.
    """
    out = [0] * len(chosen)
    for bank, r in enumerate(REQUEST):
        mine = [i for i, b in enumerate(chosen) if b == bank]
        mine.sort(key=lambda i: -head.ready[head.segment.outputs[i]])
        read = max((times[o.atom] for o in head.segment.ops if bank in o.atoms), default=0)
        late = bool(mine) and head.ready[head.segment.outputs[mine[0]]] >= read
        for number, i in enumerate(mine, start=0 if late else 1):
            out[i] = r + number
    return out


def allocate(
    graph: Graph, units: Units, ii: int, times: dict[str, dict[int, int]]
) -> tuple[dict[str, dict[int, int]], list[int]]:
    """Return the register of every result by segment, and those of the loop variables.

    The request fills the first register of each bank, loop variables take the first ones of theirs.
    """
    writes = {}
    for name, segment in graph.segments.items():
        held = spans(segment, units, times[name])
        for atom in segment.outputs:
            held.pop(atom, None)
        ready = {
            o.atom: times[name][o.atom] + units.delay(o) for o in segment.ops if units.delay(o)
        }
        pairs = together(segment, units, times[name])
        writes[name] = Writes(segment, ready, pairs, held, ii if name == "body" else None)
    variables = _numbers(writes["head"], times["head"], banks(writes))
    out: dict[str, dict[int, int]] = {}
    for name, w in writes.items():
        segment, ready = w.segment, w.ready
        end = max(times[name].values()) + units.latency + units.reduce
        inputs = variables if name != "head" else REQUEST
        given = dict(enumerate(inputs)) | dict(zip(segment.outputs, variables, strict=False))
        fixed: list[tuple[int, Span]] = []
        for i, r in enumerate(inputs):
            readers = [times[name][o.atom] for o in segment.ops if i in o.atoms]
            fixed.append((r, (0, max(readers, default=0))))
        written: dict[int, list[int]] = {}
        for i, atom in enumerate(segment.outputs):
            fixed.append((variables[i], (ready[atom] + 1, end)))
            cycle = ready[atom] if w.ii is None else ready[atom] % w.ii
            written.setdefault(cycle, []).append(variables[i] // DEPTH)
        if name == "body":
            fixed = [(r, (0, ii - 1)) for r in variables]
        found = colour(w.held, ready, fixed, written, w.ii, w.pairs, given)
        out[name] = found | {atom: variables[i] for i, atom in enumerate(segment.outputs)}
    return out, variables
