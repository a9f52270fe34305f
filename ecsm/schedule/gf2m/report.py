# SPDX-License-Identifier: Apache-2.0
"""The figures of a solved ladder over GF(2^m)."""

from __future__ import annotations

import math

from ecsm.formulas.gf2m.graph import Graph, Kind, Segment
from ecsm.schedule import report
from ecsm.schedule.program import Microcode
from ecsm.schedule.types import CAPTURE, Schedule, Units


def levels(segment: Segment) -> dict[int, int]:
    """Return for every atom the longest chain of products that ends in it, itself included."""
    level: dict[int, int] = {}
    for op in segment.ops:
        below = max((level.get(a, 0) for a in op.atoms), default=0)
        level[op.atom] = below + (op.kind is Kind.PRODUCT)
    return level


def body_levels(graph: Graph) -> int:
    """Return the longest chain of products from a loop variable to a loop variable."""
    level = levels(graph.body)
    return max(level[a] for a in graph.body.outputs)


def tail_levels(graph: Graph) -> int:
    """Return the longest chain of products of the tail alone."""
    return max(levels(graph.tail).values(), default=0)


def summary(
    graph: Graph, schedule: Schedule, code: Microcode[object], units: Units
) -> dict[str, object]:
    """Return the figures of a schedule; cycles count from accepted request to valid response.

    ``floor`` is the larger of products over multipliers and levels times latency; ``cycles_bound``
    the larger of it and what the solver proved for this program, these units and the register
    limit it had.
    ``network_cost`` estimates 4-input LUTs (see :mod:`ecsm.schedule.gf2m.network`).
    """
    body, tail = graph.body.products(), graph.tail.products()
    products = graph.trips * len(body) + len(tail)
    slots = units.count * math.ceil(schedule.cycles / units.interval)
    parts = schedule.slots.values()
    own: dict[str, object] = {
        "floor": schedule.floor,
        "loop_cycles": schedule.ii,
        "loop_bound": schedule.ii_bound,
        "loop_turns": graph.trips,
        "steps_a_turn": graph.body.bits,
        "tail_cycles": schedule.cycles - CAPTURE - 1 - graph.trips * schedule.ii,
        "loop_products": len(body),
        "tail_products": len(tail),
        "levels": graph.trips * body_levels(graph) + tail_levels(graph),
        # of maps too dense for an operand, in registers
        "tail_map_cycles": sum(o.passes for o in graph.tail.ops if not o.step.is_identity),
        "multipliers": units.count,
        "multipliers_used": len({s.unit for part in parts for s in part.values()} - {None}),
        "latency": units.latency,
        "interval": units.interval,
        "network_cost": schedule.cost,
        "network_bound": schedule.cost_bound,
    }
    return report.summary(code, max(schedule.cycles_bound, schedule.floor), products, slots, own)
