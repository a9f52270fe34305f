# SPDX-License-Identifier: Apache-2.0
"""The figures of a solved program over GF(p)."""

from __future__ import annotations

from ecsm.formulas.gfp.graph import Graph
from ecsm.schedule import report
from ecsm.schedule.gfp.microcode import Word
from ecsm.schedule.gfp.types import Units
from ecsm.schedule.program import Microcode
from ecsm.schedule.types import Schedule


def summary(
    graph: Graph, schedule: Schedule, code: Microcode[Word],
    units: Units, bound: int,
) -> dict[str, object]:  # fmt: skip
    """Return the figures of a prime-field program's schedule."""
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
    return report.summary(code, bound, products, schedule.cycles / units.interval, own)
