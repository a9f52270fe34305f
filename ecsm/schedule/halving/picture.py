# SPDX-License-Identifier: Apache-2.0
"""The picture of a program with halvings: head, first iterations, last iteration, tail.

The cycle of a product is that in which its operands are written; its result is there two cycles
later.
"""

from __future__ import annotations

from ecsm.curves.gf2m.halving import Halves
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m.graph import Segment
from ecsm.schedule.gf2m.picture import Plan, Span, bar_of, document, product_bar
from ecsm.schedule.halving.program import HALVE, WINDOW, end_of_windows, first_window, opening
from ecsm.schedule.halving.types import NAMES
from ecsm.schedule.program import Microcode
from ecsm.schedule.types import Schedule, Units

_SHOWN = 2  # turns at the beginning


def draw(
    curve: BinaryCurve, h: Halves, tail: Segment, schedule: Schedule, code: Microcode[object],
    units: Units, name: str,
) -> str:  # fmt: skip
    """Return the program as one SVG document; ``name`` is the preset's."""
    first, end = first_window(h), end_of_windows(h)
    turns = h.windows + 1
    bars = []
    for cycle, word in enumerate(opening(curve, h).words, 1):
        turn = (cycle - first + 1) // WINDOW
        style = "load" if cycle < first - 1 else ("loop", "turn")[turn % 2]
        for note in word.notes:
            unit = 0 if note == HALVE or note.startswith("P/") else 1
            bars.append(product_bar(note, cycle, unit, style, units))
    for op in tail.ops:
        slot = schedule.tail[op.atom]
        where = "" if slot.register is None else f", result in {NAMES[slot.register]}"
        bars.append(bar_of(op, slot, end, "tail", units, where))
    begin = first - 1  # of the first turn: its halving's operands
    spans = [Span(1, begin, "head", "load")]
    for turn in (*range(_SHOWN), turns - 1):
        start = begin + WINDOW * turn
        style = ("loop", "turn")[turn % 2]
        spans.append(Span(start, start + WINDOW, f"loop, turn {turn + 1} of {turns}", style))
    spans.append(Span(end, code.cycles - 1, "tail", "tail"))
    windows = [(1, begin + _SHOWN * WINDOW), (end - WINDOW, code.cycles - 1)]
    facts = (
        f"{code.cycles} cycles = 2 + {begin - 1} head + {turns} turns \u00d7 {WINDOW}"
        f" + {code.cycles - 1 - end} tail; {units.count} multipliers, latency {units.latency}"
    )
    about = f"{name}: {facts}. {h.last} halvings, {turns - 1} sums in the loop."
    plan = Plan(units, WINDOW, end, windows, spans, bars)
    return document(plan, name, facts, about)
