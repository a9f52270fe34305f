# SPDX-License-Identifier: Apache-2.0
"""A schedule as a picture: units down, cycles across, in bands like lines of music.

A product is a box on its multiplier, as wide as the multiplier is busy; the thin strips below it
are the pipeline stages that follow. Sums (writes of a register that are more than a product) and
zero tests have rows of their own. Cycles in which nothing starts or ends are narrow, and the axis
has their number. Repeated iterations of the loop are left out and counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise

from ecsm.formulas.gf2m.graph import Graph, Kind, Op
from ecsm.schedule.canvas import INK, SOFT, TINT, Canvas, Sign
from ecsm.schedule.types import CAPTURE, Schedule, Slot, Units

CELL = 88.0  # width of one cycle, in pixels
LABEL = 96.0  # width of the row names
WIDTH = 13 * CELL  # what a band may take, row names not counted
MUL_H, SUM_H, STAGE_H, GAP = 38.0, 32.0, 6.0, 4.0
EM = 0.6  # width of a character over the font size: that of wide fonts, so narrow ones fit too

FILL = {"load": "#e3e3e3", "loop": "#cfe3f7", "turn": "#c9ecd9", "tail": "#fbe3bd"}
MEANING = {
    "load": "before the loop",
    "loop": "the loop",
    "turn": "the loop's second turn, fourth turn and so on",
    "tail": "behind the loop",
}
WORDS = (
    "A box is as wide as a multiplier is busy with a product; a sum writes a register, a zero test"
    " compares with zero. Several passes of a map take a cycle each. Cycles in italics are not to"
    " scale."
)
EDGE = {"load": "#7a7a7a", "loop": "#2b6cb0", "turn": "#2b8a57", "tail": "#b7791f"}


@dataclass(frozen=True)
class Bar:
    """One operation on the picture: ``end`` is exclusive, ``stages`` follow it, a cycle each."""

    row: str  # "mul0", ..., "sum" or "test"
    start: int
    end: int
    stages: int
    name: str
    about: str
    style: str


@dataclass(frozen=True)
class Piece:
    """Cycles [start, end) drawn as one column at [x, x + width); ``gap`` leaves cycles out."""

    start: int
    end: int
    x: float
    width: float
    gap: bool = False


@dataclass(frozen=True)
class Span:
    """A part of the program, for the bracket above the cycles."""

    start: int
    end: int
    label: str
    style: str


@dataclass(frozen=True)
class Plan:
    """What is drawn: ``bars`` within ``windows`` of cycles, ``spans`` above them.

    ``ii``: cycles of a turn of the loop; ``tail``: the first cycle behind it.
    """

    units: Units
    ii: int
    tail: int
    windows: list[tuple[int, int]]
    spans: list[Span]
    bars: list[Bar]

    def visible(self) -> list[Bar]:
        """Return the bars of which anything is within the windows."""
        return [
            bar
            for bar in self.bars
            if any(bar.start < high and bar.end + bar.stages > low for low, high in self.windows)
        ]

    def bands(self) -> list[list[Piece]]:
        """Return the columns of every band, left to right."""
        columns: list[tuple[int, int, float, bool]] = []
        for index, (low, high) in enumerate(self.windows):
            if index:
                columns.append((self.windows[index - 1][1], low, CELL * 0.7, True))
            edges = {low, high} | {e for s in self.spans for e in (s.start, s.end)}
            for bar in self.bars:
                edges |= {bar.start, *range(bar.end, bar.end + bar.stages + 1)}
            inside = sorted(e for e in edges if low <= e <= high)
            for a, b in pairwise(inside):
                width = CELL * (1.0 if b - a == 1 else 1.2 + 0.25 * math.log2(b - a))
                columns.append((a, b, width, False))
        if self.windows[-1][0] == self.windows[0][1]:
            columns = [c for c in columns if not c[3]]
        total = sum(c[2] for c in columns)
        target = total / math.ceil(total / WIDTH) + CELL / 2
        bands: list[list[Piece]] = [[]]
        x = 0.0
        for start, end, width, gap in columns:
            if bands[-1] and x + width > target:
                bands.append([])
                x = 0.0
            bands[-1].append(Piece(start, end, x, width, gap))
            x += width
        return bands


def bar_of(op: Op, slot: Slot, base: int, style: str, u: Units, where: str) -> Bar:
    """Return the bar of an operation in its slot; ``where`` tells the register of its result."""
    start = base + slot.time
    if op.kind is Kind.PRODUCT:
        return product_bar(op.name, start, slot.unit or 0, style, u, where)
    if op.kind is Kind.TEST:
        about = f"cycle {start}, zero test of flag {op.name}"
        return Bar("test", start, start + 1, 0, f"{op.name} = 0?", about, style)
    passes = f", {op.passes} passes" if op.passes > 1 else ""
    about = f"cycle {start}{passes}{where}"
    return Bar("sum", start, start + op.passes, 0, op.name, about, style)


def product_bar(name: str, start: int, unit: int, style: str, u: Units, where: str = "") -> Bar:
    """Return the bar of a product."""
    latency = f"{u.latency} cycle{'s' * (u.latency > 1)}"
    about = f"cycle {start}, multiplier {unit}, {latency}{where}"
    busy = min(u.interval, u.latency)
    return Bar(
        f"mul{unit}", start, start + busy, max(0, u.latency - u.interval), name, about, style
    )


def _plan(graph: Graph, schedule: Schedule, units: Units) -> Plan:
    """Return what is drawn of a scheduled graph."""
    trips, ii, end = graph.trips, schedule.ii, schedule.cycles
    tail = 1 + trips * ii
    about = "cycle 0: " + ", ".join(graph.variables)
    bars = [Bar("sum", 0, 1, 0, "load", about, "load")]

    for turn, (part, segment) in enumerate(graph.turns()):
        style = "tail" if part == "tail" else ("loop", "turn")[turn % 2]
        for op in segment.ops:
            slot = schedule.slots[part][op.atom]
            where = "" if slot.register is None else f", result in r{slot.register}"
            bars.append(bar_of(op, slot, 1 + turn * ii, style, units, where))
    over = max(bar.end + bar.stages for bar in bars[1 : 1 + len(graph.body.ops)])
    turns = math.ceil((over - 1) / ii)  # that the first one reaches into, itself included
    early = min((s.time for s in schedule.tail.values()), default=0) < 0
    spans = [Span(0, 1, "load", "load")]
    windows = [(0, end)]
    if trips > 1 and turns == 1 and not early:
        spans.append(Span(1, 1 + ii, f"loop \u00d7 {trips}", "loop"))
        windows = [(0, 1 + ii), (tail, end)]
    else:
        shown = list(range(1, trips + 1))
        if trips > turns + 1:
            windows = [(0, 1 + turns * ii), (tail - ii, end)]
            shown = [*range(1, turns + 1), trips]
        for turn in shown:
            start = 1 + (turn - 1) * ii
            label = f"loop, turn {turn} of {trips}"
            spans.append(Span(start, start + ii, label, ("turn", "loop")[turn % 2]))
    spans.append(Span(tail, end, "tail", "tail"))
    return Plan(units, ii, tail, windows, spans, bars)


def _runs(bar_start: int, bar_end: int, band: list[Piece]) -> list[tuple[float, float]]:
    """Return the stretches (x, width) of a band that lie within [bar_start, bar_end)."""
    runs: list[tuple[float, float]] = []
    for p in band:
        if p.gap or p.start < bar_start or p.end > bar_end:
            continue
        if runs and abs(sum(runs[-1]) - p.x) < 1e-6:
            runs[-1] = (runs[-1][0], runs[-1][1] + p.width)
        else:
            runs.append((p.x, p.width))
    return runs


def fit(name: str, width: float, height: float) -> list[tuple[str, float]]:
    """Return ``name`` as lines of (text, font size) for a box of ``width`` and ``height``.

    A name "A = f" may take two lines; what still does not fit loses its end to an ellipsis.
    """
    left, equals, right = name.partition(" = ")
    layouts = [[name]]
    if equals:
        layouts.append([f"{left} =", right])
    for size in (11.0, 10.0, 9.0, 8.0, 7.0):
        for layout in layouts:
            low = len(layout) * (size + 3) + 2 <= height
            if low and all(len(text) * EM * size <= width for text in layout):
                return [(text, size) for text in layout]
    room = max(1, int(width / (EM * 8.0)) - 1)
    last = layouts[-1]
    return [(t if len(t) <= room + 1 else t[:room] + "\u2026", 8.0) for t in last]


def _lanes(bars: list[Bar], band: list[Piece]) -> list[list[Bar]]:
    """Spread the bars of one row over as few lanes as keep them apart."""
    shown = [b for b in bars if _runs(b.start, b.end + b.stages, band)]
    lanes: list[list[Bar]] = []
    for bar in sorted(shown, key=lambda b: (b.start, b.name)):
        for lane in lanes:
            if lane[-1].end <= bar.start:
                lane.append(bar)
                break
        else:
            lanes.append([bar])
    return lanes


class _Band:
    """Draw one band of the picture at height ``top``."""

    def __init__(self, plan: Plan, canvas: Canvas, pieces: list[Piece], top: float) -> None:
        self.p, self.c, self.pieces, self.top = plan, canvas, pieces, top
        self.width = pieces[-1].x + pieces[-1].width
        self.body = top + 40

    def draw(self) -> float:
        """Draw it and return where it ends."""
        rows = self._rows()
        heights = [h for _, _, h, _ in rows]
        bottom = self.body + sum(heights) + GAP
        self._background(bottom)
        y = self.body + GAP
        for label, bars, height, box in rows:
            if label:
                self.c.text(
                    LABEL - 10, y + box / 2 + 4, label, 11, f'text-anchor="end" fill="{INK}"'
                )
            for bar in bars:
                self._bar(bar, y, box)
            y += height
        return bottom

    def _rows(self) -> list[tuple[str, list[Bar], float, float]]:
        p = self.p
        stages = max(0, p.units.latency - p.units.interval)
        rows: list[tuple[str, list[Bar], float, float]] = []
        for u in range(p.units.count):
            bars = [b for b in p.bars if b.row == f"mul{u}"]
            rows.append((f"multiplier {u}", bars, MUL_H + stages * STAGE_H + 2 * GAP, MUL_H))
        for row, label in (("sum", "sums"), ("test", "zero tester")):
            lanes = _lanes([b for b in p.bars if b.row == row], self.pieces)
            for index, lane in enumerate(lanes):
                rows.append((label if index == 0 else "", lane, SUM_H, SUM_H - GAP))
        return rows

    def _background(self, bottom: float) -> None:
        c, body = self.c, self.body
        for span in self.p.spans:
            for x, w in _runs(span.start, span.end, self.pieces):
                edge = EDGE[span.style]
                if span.style in ("loop", "turn"):
                    c.rect(LABEL + x, body, w, bottom - body, f'fill="{TINT}"')
                c.rect(LABEL + x + 1, self.top + 17, w - 2, 3, f'fill="{edge}"')
                room = int(w / (EM * 11))
                label = span.label if len(span.label) <= room else span.label.split(",")[-1].strip()
                middle = f'text-anchor="middle" font-weight="bold" fill="{edge}"'
                c.text(LABEL + x + w / 2, self.top + 12, label, 11, middle)
        for p in self.pieces:
            x = LABEL + p.x
            if p.gap:
                left_out = (p.end - p.start) // self.p.ii
                text = f'text-anchor="middle" fill="{SOFT}"'
                c.rect(x, body, p.width, bottom - body, 'fill="url(#gap)"')
                in_loop = self.p.windows[0][1] == p.start and self.p.tail >= p.end
                label = f"{left_out} more" if left_out and in_loop else ""
                c.text(x + p.width / 2, self.top + 12, label, 10, text)
                c.text(x + p.width / 2, self.top + 34, "\u22ef", 11, text)
                continue
            c.line(x, body - 3, x, bottom, 'stroke="#d5d5d5" stroke-width="1"')
            many = p.end - p.start > 1
            cycles = f"{p.start}\u2013{p.end - 1}" if many else f"{p.start}"
            style = 'font-style="italic" ' if many else ""
            middle = f'{style}text-anchor="middle" fill="{SOFT}"'
            c.text(x + p.width / 2, self.top + 34, cycles, 10, middle)
        c.text(LABEL - 10, self.top + 34, "cycle", 10, f'text-anchor="end" fill="{SOFT}"')
        c.line(LABEL, body, LABEL + self.width, body, f'stroke="{SOFT}" stroke-width="1"')
        c.line(LABEL, bottom, LABEL + self.width, bottom, f'stroke="{SOFT}" stroke-width="1"')

    def _bar(self, bar: Bar, y: float, height: float) -> None:
        fill, edge = FILL[bar.style], EDGE[bar.style]
        pieces = _runs(bar.start, bar.end, self.pieces)
        stages = []
        for s in range(bar.stages):
            for x, w in _runs(bar.end + s, bar.end + s + 1, self.pieces):
                stages.append((x, y + height + 2 + s * STAGE_H, w))
        if not pieces and not stages:
            return
        self.c.out.append(f"<g><title>{escape(bar.name)} ({escape(bar.about)})</title>")
        for x, w in pieces:
            box = f'rx="3" fill="{fill}" stroke="{edge}" stroke-width="1"'
            self.c.rect(LABEL + x + 1.5, y, w - 3, height, box)
            lines = fit(bar.name, w - 9, height)
            gap = lines[0][1] + 3
            first = y + height / 2 + lines[0][1] * 0.36 - gap * (len(lines) - 1) / 2
            for i, (text, size) in enumerate(lines):
                middle = f'text-anchor="middle" fill="{INK}"'
                self.c.text(LABEL + x + w / 2, first + i * gap, text, size, middle)
        for x, sy, w in stages:
            self.c.rect(LABEL + x + 1.5, sy, w - 3, STAGE_H - 2, f'fill="{edge}" opacity="0.55"')
        self.c.out.append("</g>")


def draw(graph: Graph, schedule: Schedule, units: Units, name: str) -> str:
    """Return the schedule as one SVG document; ``name`` is the preset's."""
    plural = "s" * (units.count > 1)
    behind = schedule.cycles - CAPTURE - 1 - graph.trips * schedule.ii
    facts = (
        f"{schedule.cycles} cycles = {CAPTURE} capture + 1 load + {graph.trips} turns \u00d7"
        f" {schedule.ii} + {behind} tail; {units.count} multiplier"
        f"{plural}, latency {units.latency}, a product every {units.interval}"
    )
    products = [o.kind for o in graph.all_ops()].count(Kind.PRODUCT)
    about = f"{name}: {facts}. {products} products in loop body and tail."
    return document(_plan(graph, schedule, units), name, facts, about)


def _signs(plan: Plan) -> list[Sign]:
    """Return what the legend of a plan explains: the colours and signs that are in it."""
    styles = {bar.style for bar in plan.bars}
    signs = [
        Sign(f'rx="3" fill="{FILL[style]}" stroke="{EDGE[style]}" stroke-width="1"', text)
        for style, text in MEANING.items()
        if style in styles
    ]
    if any(bar.stages for bar in plan.bars):
        look = f'fill="{EDGE["loop"]}" opacity="0.55"'
        signs.append(Sign(look, "a product on its way through the pipeline", STAGE_H - 2))
    if any(piece.gap for band in plan.bands() for piece in band):
        signs.append(Sign('fill="url(#gap)"', "turns that are left out"))
    return signs


def document(plan: Plan, name: str, facts: str, about: str) -> str:
    """Return a plan as one SVG document; ``facts`` is its subtitle, ``about`` what it tells."""
    plan, canvas = replace(plan, bars=plan.visible()), Canvas()
    bands = plan.bands()
    width = LABEL + max(b[-1].x + b[-1].width for b in bands) + 16
    y = 60.0
    for band in bands:
        y = _Band(plan, canvas, band, y).draw() + 22
    y = canvas.legend(_signs(plan), WORDS, y - 9, width)
    gap = (
        '<pattern id="gap" width="8" height="8" patternUnits="userSpaceOnUse">'
        '<path d="M0 8 L8 0" stroke="#c8c8c8" stroke-width="1"/></pattern>'
    )
    return canvas.document(width, y + 6, f"Schedule of {name}", about, name, facts, gap)
