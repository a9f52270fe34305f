# SPDX-License-Identifier: Apache-2.0
"""What can be said of a solved schedule in numbers."""

from __future__ import annotations

import math

from ecsm.formulas.graph import Graph, Kind, Op, Segment
from ecsm.schedule.microcode import Microcode
from ecsm.schedule.types import CAPTURE, Schedule, Units


def levels(segment: Segment) -> dict[int, int]:
    """Return for every atom the longest chain of products that ends in it, itself included."""
    level: dict[int, int] = {}
    for op in segment.ops:
        below = max((level.get(a, 0) for form in op.forms for a in form.atoms), default=0)
        level[op.atom] = below + (op.kind is Kind.PRODUCT)
    return level


def body_levels(graph: Graph) -> int:
    """Return the longest chain of products from a loop variable to a loop variable."""
    level = levels(graph.body)
    return max(level[a] for a in graph.body.outputs)


def write_passes(graph: Graph) -> int:
    """Return the cycles that maps too dense for an operand spend in registers, in the tail."""
    return sum(_passes(o) for o in graph.tail.ops)


def _passes(op: Op) -> int:
    return 0 if op.step.is_identity else op.passes


def summary(graph: Graph, schedule: Schedule, code: Microcode, units: Units) -> dict[str, object]:
    """Return the figures of a schedule; cycles count from accepted request to valid response.

    ``floor`` is the larger of products over multipliers and levels times latency; ``cycles_bound``
    the larger of it and what the solver proved for this program, these units and the register
    limit it had.
    ``network_cost`` estimates 4-input LUTs (see :mod:`ecsm.schedule.network`).
    """
    tail_cycles = schedule.cycles - CAPTURE - 1 - graph.trips * schedule.ii
    body, tail = graph.body.products(), graph.tail.products()
    chains = graph.trips * body_levels(graph) + max(levels(graph.tail).values(), default=0)
    products = graph.trips * len(body) + len(tail)
    bound = max(schedule.cycles_bound, schedule.floor)
    slots = units.count * math.ceil(schedule.cycles / units.interval)
    return {
        "cycles": schedule.cycles,
        "cycles_bound": bound,
        "gap": schedule.cycles - bound,
        "floor": schedule.floor,
        "loop_cycles": schedule.ii,
        "loop_bound": schedule.ii_bound,
        "loop_turns": graph.trips,
        "steps_a_turn": graph.body.bits,
        "tail_cycles": tail_cycles,
        "products": products,
        "loop_products": len(body),
        "tail_products": len(tail),
        "levels": chains,
        "tail_map_cycles": write_passes(graph),
        "multipliers": units.count,
        "multipliers_used": len(_units_used(schedule)),
        "latency": units.latency,
        "interval": units.interval,
        "occupancy_percent": round(100 * products / slots, 1),
        "registers": code.registers,
        "words": len(code.words),
        "network_cost": schedule.cost,
        "network_bound": schedule.cost_bound,
    }


def _units_used(schedule: Schedule) -> set[int]:
    slots = (*schedule.body.values(), *schedule.tail.values())
    return {s.unit for s in slots if s.unit is not None}
