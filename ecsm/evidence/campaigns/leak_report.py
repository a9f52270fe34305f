# SPDX-License-Identifier: Apache-2.0
"""A leakage result as text, and t over time as a picture under the program's words."""

from __future__ import annotations

from itertools import groupby, pairwise
from math import log10

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.circuit import names_note
from ecsm.evidence.campaigns.leak import CERTAIN, Leak, Verdict, Word
from ecsm.evidence.campaigns.moments import ALPHA
from ecsm.evidence.campaigns.protocols import Subject
from ecsm.markdown import markdown_table, number
from ecsm.schedule.canvas import INK, SOFT, TINT, Canvas

WIDTH, HEIGHT, LEFT = 1000.0, 130.0, 60.0
ROWS, BAND, LONGEST = 5, 75.0, 40  # of names of words
BINS = 900  # of a picture: the worst cycle of each
SENTENCE = (
    "First and second order, in the model of changing bits (flip-flops, and memories' addresses,"
    " reads and writes), without noise, delay and glitches. No silicon was measured."
)


def size(t: float) -> str:
    """Return |t| for a table."""
    return "certain" if abs(t) >= CERTAIN else f"{abs(t):,.1f}"


def second(w: Word) -> list[str]:
    """Return the cells of a word's second order."""
    if w.second_over is None or w.second_worst is None:
        return ["-", "-"]
    return [number(w.second_over), size(w.second_worst)]


def held(w: Word) -> list[str]:
    """Return the cells of a word's cycles that hold the secret."""
    if w.holds is None or w.failures is None:
        return ["-", "-"]
    return [number(w.holds), number(w.failures)]


def exempt(found: Leak) -> list[str]:
    """Return what is said of cycles that hold the secret, and of what it rests on."""
    if (t := found.taint) is None:
        return []
    share = t.exempt / found.cycles
    rows = [
        [a.name, a.where, a.reason, "-" if a.without is None else number(a.without)]
        for a in t.assumed
    ]
    head = ["assumption", "where", "why", "cycles that hold the secret without it"]
    return [
        f"The secret, the {found.vary}, is held in {number(t.holds)} of {number(found.cycles)}"
        f" cycles. Of the {number(found.first.over)} over the threshold of the first order"
        f" {number(t.failures)} hold it; {number(t.exempt)}, {share:.3%} of the trace, do not:"
        f" {number(t.exempt - t.blinded)} hold the result, which is handed out, and"
        f" {number(t.blinded)} only what is blinded.",
        markdown_table(head, rows, {3}),
    ]


def text(found: Leak) -> str:
    """Return what was found, for a terminal."""
    v = found.vary
    cut = f" to digit {found.digits} of the scalar" if found.digits else ""

    def line(name: str, verdict: Verdict) -> list[str]:
        return [name, size(verdict.worst), f"{number(verdict.over)} of {number(found.cycles)}"]

    tests = [
        line(f"fixed against random {v}, first order", found.first),
        line(f"fixed against random {v}, second order", found.second),
        line(f"random against random {v} (control), first order", found.null_first),
        line(f"random against random {v} (control), second order", found.null_second),
    ]
    parts = [
        f"{found.preset}: {number(found.traces)} traces{cut},"
        f" {number(found.state)} bits that count,"
        f" threshold {found.threshold:.2f} (a false alarm in {ALPHA:.1%} of campaigns)",
        SENTENCE,
        markdown_table(["test", "worst t", "cycles over the threshold"], tests, {1, 2}),
    ]
    if (s := found.single) is not None:
        each = ", ".join(f"{a:.1%}" for a in s.each)
        parts.append(
            f"One trace shows {s.accuracy:.2%} of the digits' bits (95 %: {s.low:.2%} to"
            f" {s.high:.2%}), {number(s.right)} of {number(s.bits)}; {s.guess:.2%} are right"
            f" without a trace. Templates of {number(s.training)} traces. By bit of a digit: {each}"
        )
        if s.constant:
            parts.append(
                f"{number(s.constant)} bits of each scalar's digits are the same for all scalars,"
                " and are not counted."
            )
        if s.scalars:
            parts.append(
                f"All bits are right of {number(s.digits_right)} of {number(s.digits)} digits, and"
                f" of {number(s.scalars_right)} of {number(s.scalars)} scalars."
            )
    if found.words:
        rows = [
            [
                w.name,
                number(w.ran),
                number(w.over),
                size(w.worst),
                number(w.cycle),
                *second(w),
                *held(w),
            ]
            for w in found.words
        ]
        head = ["word of the program", "cycles", "over, first order", "worst t", "in cycle",
                "over, second order", "worst t", "hold the secret", "over and hold it"]  # fmt: skip
        if found.taint is None:
            head, rows = head[:-2], [row[:-2] for row in rows]
        parts.append(markdown_table(head, rows, set(range(1, len(head)))))
    parts += exempt(found)
    if found.nets:
        rows = [[n.name, number(n.cycle), size(n.t)] for n in found.nets]
        parts.append(markdown_table(["bit", "cycle", "t"], rows, {1, 2}))
        parts += names_note(n.name for n in found.nets)
    return "\n\n".join(parts)


def picture(found: Leak, t: npt.NDArray[np.float64], core: Subject) -> str:
    """Return an SVG: |t| over the whole job, and over two turns under the program's words."""
    canvas, top = Canvas(), 70.0
    limit = found.threshold
    whole = range(found.cycles)
    turns = core.turns
    middle = min(len(turns) // 2, max(0, len(turns) - 3))
    near = range(turns[middle], min(turns[min(middle + 2, len(turns) - 1)], found.cycles))
    for row, order in enumerate(("first order", "second order")):
        _panel(canvas, t[row], whole, limit, f"whole job, {order}", top + row * (HEIGHT + 40))
    y = top + 2 * (HEIGHT + 40)
    _words(canvas, core, near, y)
    for row, order in enumerate(("first order", "second order")):
        title = f"two turns of the loop, {order}"
        _panel(canvas, t[row], near, limit, title, y + BAND + 20 + row * (HEIGHT + 40))
    height = y + BAND + 20 + 2 * (HEIGHT + 40)
    facts = (
        f"{found.traces:,} traces, fixed against random {found.vary}; |t| of each cycle, the worst"
        f" of a pixel; red line: threshold {limit:.2f}. No noise; no silicon measured."
    )
    heading = f"{found.preset}: what changing bits tell"
    return canvas.document(LEFT + WIDTH + 20, height, heading, facts, heading, facts)


def _panel(
    canvas: Canvas, t: npt.NDArray[np.float64], cycles: range, limit: float, title: str, y: float
) -> None:
    """Draw |t| of some cycles, on a logarithmic scale from 1 to CERTAIN."""
    size = np.abs(t[cycles.start : cycles.stop])
    bins = min(BINS, len(size))
    edges = np.linspace(0, len(size), bins + 1).astype(int)

    def height(v: float) -> float:
        return y + HEIGHT - HEIGHT * min(1.0, log10(max(v, 1.0)) / log10(CERTAIN))

    canvas.text(LEFT, y - 6, title, 11, f'fill="{INK}"')
    canvas.rect(LEFT, y, WIDTH, HEIGHT, f'fill="{TINT}"')
    for power in range(0, 7, 2):
        at = height(10.0**power)
        canvas.line(LEFT, at, LEFT + WIDTH, at, f'stroke="{SOFT}" stroke-width="0.3"')
        canvas.text(8, at + 4, f"{10**power:,}", 9, f'fill="{SOFT}"')
    points = []
    for i, (a, b) in enumerate(pairwise(edges)):
        x = LEFT + WIDTH * (i + 0.5) / bins
        points.append(f"{x:.1f},{height(float(size[a:b].max())):.1f}")
    canvas.out.append(
        f'<polyline points="{" ".join(points)}" fill="none" stroke="#0072b2" stroke-width="0.8"/>'
    )
    at = height(limit)
    canvas.line(LEFT, at, LEFT + WIDTH, at, 'stroke="#c0392b" stroke-width="1.2"')
    for part in range(5):
        cycle = cycles.start + len(cycles) * part // 4
        x = LEFT + WIDTH * part / 4
        canvas.text(x - 12, y + HEIGHT + 13, f"{cycle:,}", 9, f'fill="{SOFT}"')


def _words(canvas: Canvas, core: Subject, cycles: range, y: float) -> None:
    """Draw the words of the program that run in some cycles, in rows so that names have room."""
    names = [core.names[c].partition(", +")[0].removeprefix("loop: ") for c in cycles]
    at, rows = 0, [-1e9] * ROWS
    for name, run in groupby(names):
        length = len(list(run))
        x, width = LEFT + WIDTH * at / len(names), WIDTH * length / len(names)
        row = next((r for r, end in enumerate(rows) if end <= x), None)
        shade = ("#dcebf7", "#f7e8d0")[at % 2]
        canvas.rect(x, y, width, 6, f'fill="{shade}" stroke="{SOFT}" stroke-width="0.3"')
        shown = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
        if row is not None and x + 5.4 * len(shown) <= LEFT + WIDTH:
            canvas.text(x, y + 18 + 11 * row, shown, 9, f'fill="{INK}"')
            rows[row] = x + 5.4 * len(shown) + 8
        at += length
