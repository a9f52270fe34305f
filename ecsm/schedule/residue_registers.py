# SPDX-License-Identifier: Apache-2.0
"""Give results registers: none to those that every reader takes from the unit's output.

Registers are in two banks, each of which takes one result a cycle.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from ecsm.formulas.residue_graph import Graph, Kind, Segment
from ecsm.schedule.residue_types import BANKS, DEPTH, REQUEST, Units

Span = tuple[int, int]  # first and last cycle in which a register is read or must keep


class NoRegisters(RuntimeError):
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


def colour(
    held: dict[int, Span],
    ready: dict[int, int],
    fixed: list[tuple[int, Span]],
    written: dict[int, list[int]],
    ii: int | None,
) -> dict[int, int]:
    """Return the register of every span, banks filled evenly and no further than they must be.

    ``ready[atom]`` is the cycle in which a result is written; in one cycle each bank takes one.
    ``fixed`` registers are taken for their spans, and ``written[cycle]`` are their banks' writes.
    """
    names = sorted(held)
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
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = 20
        solver.parameters.num_workers = 2
        solver.parameters.random_seed = 1
        if solver.solve(m) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return {a: solver.value(r) for a, r in place.items()}
    raise NoRegisters(f"more than {BANKS} banks of {DEPTH} registers")


def allocate(
    graph: Graph, units: Units, ii: int, times: dict[str, dict[int, int]]
) -> tuple[dict[str, dict[int, int]], list[int]]:
    """Return the register of every result by segment, and those of the loop variables.

    The request fills the first register of each bank. Loop variables that are sums have the first
    ones of the one bank, those that are products of the other: each bank takes one of them.
    """
    kinds = {o.atom: o.kind for o in graph.body.ops}
    free = {Kind.SUM: iter(range(DEPTH)), Kind.PRODUCT: iter(range(DEPTH, 2 * DEPTH))}
    variables = [next(free[kinds[atom]]) for atom in graph.body.outputs]
    out: dict[str, dict[int, int]] = {}
    for name, segment in graph.segments.items():
        held = spans(segment, units, times[name])
        end = max(times[name].values()) + units.latency + units.reduce
        loop = ii if name == "body" else None
        ready = {
            o.atom: times[name][o.atom] + units.delay(o) for o in segment.ops if units.delay(o)
        }
        fixed: list[tuple[int, Span]] = []
        for i, r in enumerate(variables if name != "head" else REQUEST):
            readers = [times[name][o.atom] for o in segment.ops if i in o.atoms]
            fixed.append((r, (0, max(readers, default=0))))
        written: dict[int, list[int]] = {}
        for i, atom in enumerate(segment.outputs):
            held.pop(atom, None)
            fixed.append((variables[i], (ready[atom] + 1, end)))
            cycle = ready[atom] if loop is None else ready[atom] % loop
            written.setdefault(cycle, []).append(variables[i] // DEPTH)
        if name == "body":
            fixed = [(r, (0, ii - 1)) for r in variables]
        found = colour(held, ready, fixed, written, loop)
        out[name] = found | {atom: variables[i] for i, atom in enumerate(segment.outputs)}
    return out, variables
