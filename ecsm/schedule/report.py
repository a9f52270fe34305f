# SPDX-License-Identifier: Apache-2.0
"""What can be said of a solved schedule in numbers, of every engine."""

from __future__ import annotations

import math

from ecsm.curves.halving import BITS, Halves
from ecsm.formulas import residue_graph
from ecsm.formulas.graph import Graph, Kind, Segment
from ecsm.schedule import residue_microcode, residue_types
from ecsm.schedule.halving import WINDOW, end_of_windows, first_window
from ecsm.schedule.halving_types import UNITS
from ecsm.schedule.program import Microcode
from ecsm.schedule.types import CAPTURE, Schedule, Units

PRODUCTS_OF_A_TURN = 8 + BITS  # of the halving engine: an addition and its window's halvings


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


def tail_levels(graph: Graph) -> int:
    """Return the longest chain of products of the tail alone."""
    return max(levels(graph.tail).values(), default=0)


def write_passes(graph: Graph) -> int:
    """Return the cycles that maps too dense for an operand spend in registers, in the tail."""
    return sum(o.passes for o in graph.tail.ops if not o.step.is_identity)


# The figures of all engines, in the order in which they are shown.
ORDER = (
    "cycles", "cycles_bound", "gap", "floor", "threads", "loop_cycles", "loop_bound", "loop_turns",
    "steps_a_turn", "halvings", "head_cycles", "tail_cycles", "products", "loop_products",
    "head_products", "tail_products", "levels", "tail_map_cycles", "multipliers",
    "multipliers_used", "latency", "interval", "occupancy_percent", "registers", "words", "terms",
    "constants", "network_cost", "network_bound",
)  # fmt: skip


def _summary(
    code: Microcode[object], bound: int, products: int, slots: float, own: dict[str, object]
) -> dict[str, object]:
    """Return what all engines have, and an engine's ``own`` figures.

    ``slots``: products that the multipliers could begin in the time of the program.
    """
    facts = {
        "cycles": code.cycles,
        "cycles_bound": bound,
        "gap": code.cycles - bound,
        "products": products,
        "occupancy_percent": round(100 * products / slots, 1),
        "registers": code.registers,
        "words": len(code.words),
        **own,
    }
    return {key: facts[key] for key in ORDER if key in facts}


def binary_summary(
    graph: Graph, schedule: Schedule, code: Microcode[object], units: Units
) -> dict[str, object]:
    """Return the figures of a schedule; cycles count from accepted request to valid response.

    ``floor`` is the larger of products over multipliers and levels times latency; ``cycles_bound``
    the larger of it and what the solver proved for this program, these units and the register
    limit it had.
    ``network_cost`` estimates 4-input LUTs (see :mod:`ecsm.schedule.network`).
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
        "tail_map_cycles": write_passes(graph),
        "multipliers": units.count,
        "multipliers_used": len({s.unit for part in parts for s in part.values()} - {None}),
        "latency": units.latency,
        "interval": units.interval,
        "network_cost": schedule.cost,
        "network_bound": schedule.cost_bound,
    }
    return _summary(code, max(schedule.cycles_bound, schedule.floor), products, slots, own)


def prime_summary(
    graph: residue_graph.Graph, schedule: Schedule, code: Microcode[residue_microcode.Word],
    units: residue_types.Units, bound: int,
) -> dict[str, object]:  # fmt: skip
    """Return the figures of a prime-field program's schedule, as :func:`binary_summary`."""
    each = {name: len(s.products()) for name, s in graph.segments.items()}
    products = each["head"] + graph.trips * each["body"] + each["tail"]
    own: dict[str, object] = {
        "threads": code.threads,
        "loop_cycles": schedule.ii,
        "loop_bound": schedule.ii_bound,
        "loop_turns": graph.trips,
        "head_cycles": schedule.starts["body"],
        "tail_cycles": schedule.cycles - schedule.starts["tail"],
        "loop_products": each["body"],
        "head_products": each["head"],
        "tail_products": each["tail"],
        "latency": units.latency,
        "interval": units.interval,
        "terms": len({f for w in code.words for g in w.gates for f in g.features}),
        "constants": len(code.consts),
    }
    return _summary(code, bound, products, schedule.cycles / units.interval, own)


def halving_summary(
    h: Halves, tail: Segment, schedule: Schedule, code: Microcode[object]
) -> dict[str, object]:
    """Return the figures of a program with halvings, as :func:`binary_summary`.

    ``floor`` is what the halvings alone take, two cycles each.
    """
    products = h.windows * PRODUCTS_OF_A_TURN + len(tail.products())
    own: dict[str, object] = {
        "floor": schedule.floor,
        "head_cycles": first_window(h),
        "loop_cycles": WINDOW,
        "loop_turns": h.windows + 1,
        "halvings": h.last,
        "tail_cycles": code.cycles - end_of_windows(h),
        "tail_products": len(tail.products()),
    }
    return _summary(code, schedule.cycles_bound, products, UNITS * code.cycles, own)
