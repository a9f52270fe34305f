# SPDX-License-Identifier: Apache-2.0
"""What can be said of a prime-field program's schedule in numbers."""

from __future__ import annotations

from ecsm.formulas.residue_graph import Graph
from ecsm.schedule.residue_microcode import Microcode
from ecsm.schedule.residue_types import Schedule, Units


def summary(graph: Graph, schedule: Schedule, code: Microcode, units: Units) -> dict[str, object]:
    """Return the figures of a schedule; cycles count from accepted request to valid response."""
    each = {name: len(s.products()) for name, s in graph.segments.items()}
    products = each["head"] + graph.trips * each["body"] + each["tail"]
    return {
        "cycles": code.cycles,
        "cycles_bound": code.bound,
        "gap": code.cycles - code.bound,
        "threads": code.threads,
        "loop_cycles": schedule.ii,
        "loop_bound": schedule.ii_bound,
        "loop_turns": graph.trips,
        "head_cycles": schedule.starts["body"],
        "tail_cycles": schedule.cycles - schedule.starts["tail"],
        "products": products,
        "loop_products": each["body"],
        "head_products": each["head"],
        "tail_products": each["tail"],
        "latency": units.latency,
        "interval": units.interval,
        "occupancy_percent": round(100 * products * units.interval / schedule.cycles, 1),
        "registers": code.registers,
        "words": len(code.words),
        "terms": len({f for w in code.words for g in w.gates for f in g.features}),
        "constants": len(code.consts),
    }
