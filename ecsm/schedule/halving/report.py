# SPDX-License-Identifier: Apache-2.0
"""The figures of a program with halvings."""

from __future__ import annotations

from ecsm.curves.gf2m.halving import BITS, Halves
from ecsm.formulas.gf2m.graph import Segment
from ecsm.schedule import report
from ecsm.schedule.halving.program import WINDOW, end_of_windows, first_window
from ecsm.schedule.halving.types import UNITS
from ecsm.schedule.program import Microcode
from ecsm.schedule.types import Schedule

PRODUCTS_OF_A_TURN = 8 + BITS  # an addition and its window's halvings


def summary(
    h: Halves, tail: Segment, schedule: Schedule, code: Microcode[object]
) -> dict[str, object]:
    """Return the figures of a program with halvings.

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
    return report.summary(code, schedule.cycles_bound, products, UNITS * code.cycles, own)
