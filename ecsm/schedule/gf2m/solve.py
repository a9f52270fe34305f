# SPDX-License-Identifier: Apache-2.0
"""Solve a graph: shortest loop, then shortest tail, then smallest network."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ecsm.curves.gf2m.field import BinaryField
from ecsm.formulas.gf2m.graph import Graph, Map
from ecsm.schedule import interruptible
from ecsm.schedule.gf2m.network import Network
from ecsm.schedule.gf2m.report import body_levels, tail_levels
from ecsm.schedule.gf2m.timing import IntVar, Node, Timing
from ecsm.schedule.types import CAPTURE, Schedule, Slot, Units, Unschedulable

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Solver limits: seconds for timing and for the network, registers."""

    timing_s: float = 60.0
    network_s: float = 60.0
    registers: int = 14


WORKERS = 8


def floor_cycles(graph: Graph, units: Units) -> int:
    """Return max(products, levels) with these units, capture and load included."""
    body, tail = body_levels(graph), tail_levels(graph)
    work = graph.trips * len(graph.body.products()) + len(graph.tail.products())
    by_work = math.ceil(work / units.count) * units.interval + units.latency - units.interval
    by_depth = (graph.trips * body + tail) * units.latency
    return CAPTURE + 1 + max(by_work, by_depth)


def solve(
    graph: Graph,
    units: Units,
    map_cost: Callable[[Map], int],
    gf: BinaryField,
    limits: Limits,
) -> Schedule:
    """Return the best schedule found; ``*_bound`` fields say what the solver proved.

    Raises :class:`Unschedulable`.
    """
    work = math.ceil(len(graph.body.products()) / units.count) * units.interval
    ii = ii_bound = max(work, units.interval)
    slack = len(graph.tail.ops) * 2 + sum(o.passes for o in graph.tail.ops)
    tail_limit = (
        slack
        + units.latency * (tail_levels(graph) + 4)
        + units.interval * (len(graph.tail.products()) // units.count + 4)
    )
    proven = True
    while True:
        timing = Timing(graph, units, ii, tail_limit)
        network = Network(timing, limits.registers, map_cost, gf)
        timing.model.minimize(timing.end)
        solver = interruptible.limited(limits.timing_s, WORKERS)
        status = interruptible.solve(solver, timing.model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            break
        if status == cp_model.UNKNOWN:
            proven = False
        elif proven:
            ii_bound = ii + 1
        log.info("a loop of %d cycles: %s", ii, solver.status_name(status))
        ii += 1
        if ii > 4 * (work + body_levels(graph) * units.latency):
            within = "" if proven else f" within {limits.timing_s:g} s each"
            raise Unschedulable(
                f"no loop of up to {ii - 1} cycles found with {limits.registers} registers{within}"
            )
    tail = round(solver.objective_value)
    tail_bound = math.ceil(solver.best_objective_bound - 1e-6)
    log.info("loop of %d cycles (bound %d), tail %d (bound %d)", ii, ii_bound, tail, tail_bound)

    timing.model.add(timing.end == tail)
    timing.model.clear_hints()  # type: ignore[no-untyped-call]
    for i, value in enumerate(solver.response_proto.solution):
        timing.model.proto.solution_hint.vars.append(i)
        timing.model.proto.solution_hint.values.append(value)
    timing.model.minimize(network.cost)
    best = interruptible.limited(limits.network_s, WORKERS)
    better = interruptible.found(best, timing.model)
    cost_bound = math.floor(best.best_objective_bound + 1e-6)
    if not better:
        best = solver  # no time for a better network than that of the timing solution
    cost = round(best.value(network.cost))
    log.info("network cost %d (bound %d)", cost, cost_bound)

    def chosen(which: dict[tuple[Node, int], IntVar], n: Node) -> int | None:
        return next((i for (node, i), on in which.items() if node == n and best.value(on)), None)

    def slot(n: Node) -> Slot:
        unit, register = chosen(timing.on, n), chosen(network.place, n)
        swap = bool(n in network.swap and best.value(network.swap[n]))
        return Slot(best.value(timing.time[n]), register, unit, swap)

    load, floor = CAPTURE + 1, floor_cycles(graph, units)
    proven_cycles = load + graph.trips * ii_bound + (tail_bound if ii == ii_bound else 0)
    return Schedule(
        ii=ii,
        slots={
            part: {n.op.atom: slot(n) for n in timing.nodes if n.tail == (part == "tail")}
            for part in ("body", "tail")
        },
        variables=list(network.variables),
        cycles=load + graph.trips * ii + tail,
        ii_bound=ii_bound,
        cycles_bound=max(floor, proven_cycles),
        floor=floor,
        cost=cost,
        cost_bound=max(0, cost_bound),
    )
