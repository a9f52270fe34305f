# SPDX-License-Identifier: Apache-2.0
"""Give results registers: none to those that every reader takes from the unit's output."""

from __future__ import annotations

from ortools.sat.python import cp_model

from ecsm.formulas.residue_graph import Graph, Segment
from ecsm.schedule.residue_types import Units

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
        last = max([times[o.atom] for o in segment.ops if op.atom in o.atoms], default=ready)
        if last > ready:
            out[op.atom] = (ready + 1, last)
    return out


def _overlap(a: Span, b: Span, ii: int | None) -> bool:
    """Whether two spans meet, modulo the loop."""
    if ii is None:
        return a[0] <= b[1] and b[0] <= a[1]
    return (b[0] - a[0]) % ii <= a[1] - a[0] or (a[0] - b[0]) % ii <= b[1] - b[0]


def colour(
    held: dict[int, Span], fixed: dict[int, tuple[int, Span]], ii: int | None, least: int
) -> dict[int, int]:
    """Return the register of every span, the fewest registers; ``fixed`` ones have theirs."""
    count = max([least, *(r + 1 for r, _ in fixed.values())])
    while count < 64:
        m = cp_model.CpModel()
        place = {a: m.new_int_var(0, count - 1, f"r{a}") for a in held}
        names = sorted(held)
        for i, a in enumerate(names):
            for b in names[:i]:
                if _overlap(held[a], held[b], ii):
                    m.add(place[a] != place[b])
            for r, span in fixed.values():
                if _overlap(held[a], span, ii):
                    m.add(place[a] != r)
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = 20
        solver.parameters.num_workers = 2
        solver.parameters.random_seed = 1
        if solver.solve(m) in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return {a: solver.value(r) for a, r in place.items()}
        count += 1
    raise NoRegisters(f"more than {count} registers")


def allocate(
    graph: Graph, units: Units, ii: int, times: dict[str, dict[int, int]]
) -> tuple[dict[str, dict[int, int]], list[int]]:
    """Return the register of every result by segment, and those of the loop variables.

    The request fills registers 0 and 1; the loop variables have the first registers of all.
    """
    variables = list(range(len(graph.variables)))
    out: dict[str, dict[int, int]] = {}
    least = len(variables)
    for name, segment in graph.segments.items():
        held = spans(segment, units, times[name])
        end = max(times[name].values()) + units.latency + units.reduce
        fixed: dict[int, tuple[int, Span]] = {}
        delay = {o.atom: units.delay(o) for o in segment.ops}
        inputs = [0, 1] if name == "head" else variables
        for i in inputs:
            readers = [times[name][o.atom] for o in segment.ops if i in o.atoms]
            last = max(readers, default=-1)
            if name == "body":
                continue  # kept for the whole loop
            fixed[i] = (i, (0, max(last, 0)))
        if name != "tail":
            for i, atom in enumerate(segment.outputs):
                held.pop(atom, None)
                ready = times[name][atom] + delay[atom] + 1
                fixed[1000 + i] = (variables[i], (ready, end))
        if name == "body":
            fixed = {i: (i, (0, ii - 1)) for i in variables}
        found = colour(held, fixed, ii if name == "body" else None, least)
        if name != "tail":
            found |= {atom: variables[i] for i, atom in enumerate(segment.outputs)}
        out[name] = found
        least = max([least, *(r + 1 for r in found.values())])
    return out, variables
