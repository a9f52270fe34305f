# SPDX-License-Identifier: Apache-2.0
"""The figures of a program with halvings."""

from __future__ import annotations

from ecsm.curves.halving import BITS, Halves
from ecsm.formulas.graph import Segment
from ecsm.schedule.halving import WINDOW, end_of_windows, first_window
from ecsm.schedule.halving_microcode import Microcode
from ecsm.schedule.types import Schedule

PRODUCTS = 8 + BITS  # of a turn: an addition and its window's halvings


def summary(h: Halves, tail: Segment, schedule: Schedule, code: Microcode) -> dict[str, object]:
    """Return the figures; cycles count from accepted request to valid response.

    ``floor`` is what the halvings alone take, two cycles each.
    """
    products = len(tail.products())
    total = h.windows * PRODUCTS + products
    return {
        "cycles": code.cycles,
        "cycles_bound": schedule.cycles_bound,
        "gap": code.cycles - schedule.cycles_bound,
        "floor": schedule.floor,
        "head_cycles": first_window(h),
        "loop_cycles": WINDOW,
        "loop_turns": h.windows + 1,
        "halvings": h.last,
        "tail_cycles": code.cycles - end_of_windows(h),
        "products": total,
        "tail_products": products,
        "occupancy_percent": round(100 * total / (2 * code.cycles), 1),
        "registers": code.registers,
        "words": len(code.words),
    }
