# SPDX-License-Identifier: Apache-2.0
"""One iteration of a prime-field loop as a picture: units down, cycles across, in bands.

A box is the cycle in which an operation reads its operands. The bar below it is as long as the unit
works on it. The colour shows the doubling to which the operation belongs, or the addition.
Operations that one iteration begins and the next one ends are at the left, paler.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ecsm.formulas.gfp.graph import Graph, Kind, Op
from ecsm.schedule.canvas import INK, SOFT, TINT, Canvas, Sign
from ecsm.schedule.gfp.types import Units
from ecsm.schedule.types import Schedule

CELL, BAND = 26.0, 40  # width of a cycle in pixels, cycles in a band
LABEL, MARGIN = 84.0, 16.0
MINIMUM = 12  # cycles' width of a picture, at least: its first lines and its legend need it
BOX, FLIGHT, GAP = 118.0, 5.0, 10.0  # heights: of a box, of an operation under way
ADDER = 84.0
# Of doublings, and last of what is of none.
COLOURS = ("#cfe3f7", "#c9ecd9", "#fbe3bd", "#f7d3d3", "#e3d5f2", "#c8ecec", "#d9dde2")
FEW = 4  # names
EDGES = ("#2b6cb0", "#2b8a57", "#b7791f", "#b03a3a", "#6b46a8", "#1f7a80", "#5a6470")
WORDS = (
    "A box is the cycle in which a unit takes an operation's operands; the bar beneath it is as"
    " long as the unit works on it. The numbers are cycles of the turn."
)


@dataclass(frozen=True)
class Box:
    """An operation in the turn that is drawn; ``early`` if the turn before began it."""

    op: Op
    start: int
    length: int
    colour: int
    early: bool


def doublings(names: Sequence[str]) -> list[int]:
    """Return which doubling each of the loop's operations is of, -1 if it is of none.

    There are as many doublings as the names that come again most often say, if they are a few: an
    addition has some of these, too. Such an operation is of what the one before it is of.
    """
    count = Counter(names)
    often = Counter(count.values())
    times = max((n for n, few in often.items() if n > 1 and few >= FEW), default=0)
    seen: Counter[str] = Counter()
    found: list[int] = []
    for name in names:
        if count[name] > times > 0 and found:
            found.append(found[-1])
        else:
            found.append(seen[name] if count[name] == times else -1)
        seen[name] += 1
    return found


def boxes(graph: Graph, schedule: Schedule, units: Units) -> list[Box]:
    """Return the operations of one turn in the steady state, by the cycle they start in."""
    number = doublings([o.name for o in graph.body.ops])
    out = []
    for i, op in enumerate(graph.body.ops):
        if op.kind not in (Kind.PRODUCT, Kind.SUM):
            continue
        time = schedule.slots["body"][op.atom].time
        turn, start = divmod(time, schedule.ii)
        out.append(Box(op, start, units.delay(op), number[i] % len(COLOURS), turn > 0))
    return sorted(out, key=lambda b: b.start)


def lanes(found: list[Box], kind: Kind) -> dict[int, int]:
    """Return for each of a unit's operations a line of its own while it is under way."""
    free: list[int] = []
    lane = {}
    for b in (b for b in found if b.op.kind is kind):
        place = next((i for i, end in enumerate(free) if end <= b.start), len(free))
        free[place : place + 1] = [b.start + b.length]
        lane[b.op.atom] = place
    return lane


def _band(c: Canvas, found: list[Box], ii: int, first: int, top: float) -> float:
    """Draw the cycles from ``first`` on; return where the band ends."""
    last = min(ii, first + BAND)

    def x(cycle: float) -> float:
        return LABEL + (cycle - first) * CELL

    for cycle in range(first, last):
        if cycle % 5 == 0:
            c.text(x(cycle) + CELL / 2, top + 10, str(cycle), 10,
                   f'text-anchor="middle" fill="{SOFT}"')  # fmt: skip
    y = top + 16
    for kind, label, height in ((Kind.PRODUCT, "multiplier", BOX), (Kind.SUM, "adder", ADDER)):
        lane = lanes(found, kind)
        depth = 1 + max(lane.values(), default=0)
        c.rect(LABEL, y, (last - first) * CELL, height + depth * FLIGHT, f'fill="{TINT}"')
        c.text(LABEL - 10, y + height / 2, label, 11, f'text-anchor="end" fill="{INK}"')
        for b in (b for b in found if b.op.kind is kind):
            shade = look(b.colour) + ' opacity="0.55"' * b.early
            if first <= b.start < last:
                c.out.append(f"<g><title>{escape(_about(b))}</title>")
                c.rect(x(b.start) + 1, y, CELL - 2, height - 2, shade)
                middle, foot = x(b.start) + CELL / 2 + 3.5, y + height - 8
                turned = f'transform="rotate(-90 {middle:.1f} {foot:.1f})" fill="{INK}"'
                c.text(middle, foot, _short(b.op.name, height), 10, turned)
                c.out.append("</g>")
            begin, end = max(b.start, first), min(b.start + b.length, last)
            if begin < end:
                under = y + height + lane[b.op.atom] * FLIGHT
                c.rect(x(begin) + 1, under, (end - begin) * CELL - 2, FLIGHT - 1.5,
                       f'fill="{EDGES[b.colour]}" opacity="0.6"')  # fmt: skip
        y += height + depth * FLIGHT + GAP
    return y


def _short(name: str, height: float) -> str:
    room = int((height - 12) / 6)
    return name if len(name) <= room else name[: room - 1] + "\u2026"


def _about(b: Box) -> str:
    part = f", doubling {b.colour + 1}" if b.colour < len(COLOURS) - 1 else ""
    begun = ", begun in the turn before" if b.early else ""
    return f"{b.op.name}: cycle {b.start}{part}{begun}"


def look(colour: int) -> str:
    """Return the attributes of a box."""
    return f'fill="{COLOURS[colour]}" stroke="{EDGES[colour]}"'


def _signs(found: Sequence[Box]) -> list[Sign]:
    """Return what the legend explains: the colours that are in the picture, and what is pale."""
    used, other = sorted({b.colour for b in found}), len(COLOURS) - 1
    rest = "the addition" if len(used) > 1 else "an operation"
    signs = [Sign(look(i), rest if i == other else f"doubling {i + 1}") for i in used]
    if any(b.early for b in found):
        pale = look(next(b.colour for b in found if b.early))
        signs.append(Sign(f'{pale} opacity="0.55"', "paler: begun in the turn before"))
    bar = f'fill="{EDGES[used[0]]}" opacity="0.6"'
    return [*signs, Sign(bar, "under way in its unit", FLIGHT - 1.5)]


def draw(graph: Graph, schedule: Schedule, units: Units, name: str) -> str:
    """Return one turn of the loop as an SVG document; ``name`` is the preset's."""
    found = boxes(graph, schedule, units)
    c = Canvas()
    y = 62.0
    for first in range(0, schedule.ii, BAND):
        y = _band(c, found, schedule.ii, first, y) + 14
    products = len(graph.body.products())
    facts = (
        f"one turn of {graph.trips}: {schedule.ii} cycles (bound {schedule.ii_bound}),"
        f" {products} products of {units.latency} cycles, at most one begun in a cycle"
    )
    width = LABEL + max(MINIMUM, min(BAND, schedule.ii)) * CELL + MARGIN
    y = c.legend(_signs(found), WORDS, y, width)
    heading = f"{name}: the loop"
    return c.document(width, y, heading, facts, heading, facts)
