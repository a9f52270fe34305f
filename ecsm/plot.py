# SPDX-License-Identifier: Apache-2.0
"""Scatter plots as plain SVG: linear or logarithmic axes, Pareto fronts, labels without overlap.

Colours follow the reader's light or dark scheme. A plot has only text, lines and marks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 860.0, 560.0
LEFT, RIGHT, TOP, BOTTOM = 76.0, 24.0, 84.0, 56.0
FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
EM = 0.6  # width of a character over the font size: that of wide fonts, so narrow ones fit too
SIZE, MARK = 10.0, 4.5  # font size of labels, half the size of a mark
NOTHING = 1e-6  # an overlap smaller than this is rounding

# Colours that differ for the colour-blind too (Okabe and Ito), light scheme and dark scheme.
COLOURS = {
    "blue": ("#0072b2", "#56b4e9"),
    "orange": ("#b45309", "#e69f00"),
    "green": ("#00704f", "#2fc79b"),
    "purple": ("#9b4d80", "#e29bc7"),
    "grey": ("#6b6b6b", "#a8a8a8"),
}
_SCHEMES = {
    "paper": ("#ffffff", "#14181d"),
    "ink": ("#1a1a1a", "#ececec"),
    "soft": ("#5a5a5a", "#b4b4b4"),
    "rule": ("#dddddd", "#343a42"),
    **COLOURS,
}


@dataclass(frozen=True)
class Point:
    """A point of a plot; ``about`` is what a reader sees who points at it."""

    x: float
    y: float
    label: str = ""
    about: str = ""


@dataclass(frozen=True)
class Series:
    """Points that belong together: ``mark`` is dot, ring, square or diamond."""

    name: str
    points: Sequence[Point]
    colour: str = "blue"
    mark: str = "dot"


@dataclass(frozen=True)
class Axis:
    """An axis: its label with unit, and whether it is logarithmic."""

    label: str
    log: bool = True


@dataclass
class _Scale:
    """Map values of an axis to pixels."""

    log: bool
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        low, high, v = (
            (math.log(self.low), math.log(self.high), math.log(value))
            if self.log
            else (self.low, self.high, value)
        )
        return self.start + (v - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round values between the ends."""
        if not self.log:
            step = _step((self.high - self.low) / 6)
            first = math.ceil(self.low / step - 1e-9)
            return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        span = math.log10(self.high / self.low)
        parts: tuple[float, ...] = (1, 2, 5) if span > 1 else (1, 1.5, 2, 3, 4, 5, 6, 8)
        found = [m * 10.0**d for d in decades for m in parts]
        return [v for v in found if self.low * 0.999 <= v <= self.high * 1.001]


def _step(least: float) -> float:
    """Return the round number at or above ``least``."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= least * 0.999)


def _scale(values: Sequence[float], log: bool, start: float, end: float) -> _Scale:
    """Fit the values with a margin of a twelfth on either side."""
    low, high = min(values), max(values)
    if log:
        if low <= 0:
            raise ValueError("a logarithmic axis has no place for a value of 0 or less")
        margin = max((high / low) ** (1 / 12), 1.15)
        return _Scale(True, low / margin, high * margin, start, end)
    margin = (high - low) / 12 or abs(high) / 12 or 1.0
    return _Scale(False, low - margin, high + margin, start, end)


def front(points: Iterable[Point]) -> list[Point]:
    """Return the points that no other one beats in both coordinates, by x; smaller is better."""
    kept: list[Point] = []
    for p in sorted(points, key=lambda p: (p.x, p.y)):
        if not kept or p.y < kept[-1].y:
            kept.append(p)
    return kept


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    w: float
    h: float

    def overlap(self, other: _Box) -> float:
        """Area that two boxes share."""
        w = min(self.x + self.w, other.x + other.w) - max(self.x, other.x)
        h = min(self.y + self.h, other.y + other.h) - max(self.y, other.y)
        return max(0.0, w) * max(0.0, h)


@dataclass
class _Labels:
    """Give each label the nearest free place around its point."""

    frame: _Box
    taken: list[_Box] = field(default_factory=list)

    def place(self, x: float, y: float, text: str) -> _Box:
        """Return the box of a label for the point at (x, y), and take it."""
        w, h = len(text) * EM * SIZE, SIZE + 2
        best, cost = _Box(x, y, w, h), math.inf
        for ring in range(12):
            for turn in (0, 8, 4, 12, 2, 14, 6, 10, 1, 15, 3, 13, 5, 11, 7, 9):
                angle = 2 * math.pi * turn / 16
                reach = MARK + 4 + 9 * ring
                cx = x + math.cos(angle) * (reach + w / 2)
                cy = y + math.sin(angle) * (reach + h / 2)
                box = _Box(cx - w / 2, cy - h / 2, w, h)
                outside = w * h - box.overlap(self.frame)
                price = sum(box.overlap(b) for b in self.taken) + 4 * outside
                if price < cost - NOTHING:
                    best, cost = box, price
            if cost < NOTHING:
                break
        self.taken.append(best)
        return best


def _merged(points: Iterable[Point]) -> list[Point]:
    """Join points at one place: one mark, one label with all their names."""
    places: dict[tuple[float, float], list[Point]] = {}
    for p in points:
        places.setdefault((p.x, p.y), []).append(p)
    return [
        Point(
            x,
            y,
            ", ".join(p.label for p in ps if p.label),
            "; ".join(dict.fromkeys(p.about for p in ps if p.about)),
        )
        for (x, y), ps in places.items()
    ]


def number(value: float) -> str:
    """Return a tick's number, short."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}" if value < 1 else f"{value:.4g}"


def _mark(x: float, y: float, kind: str, colour: str) -> str:
    if kind == "square":
        side = 2 * MARK - 1
        return (
            f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:g}"'
            f' height="{side:g}" class="f-{colour}"/>'
        )
    if kind == "diamond":
        r = MARK + 1
        return (
            f'<path d="M{x:.1f} {y - r:.1f}l{r:g} {r:g}l{-r:g} {r:g}l{-r:g} {-r:g}z"'
            f' class="f-{colour}"/>'
        )
    style = f's-{colour}" fill="none" stroke-width="1.5' if kind == "ring" else f"f-{colour}"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{MARK:g}" class="{style}"/>'


def _style() -> str:
    """Return the colours of both schemes as classes: f- fills, s- strokes."""

    def rules(scheme: int) -> str:
        return "".join(
            f".f-{name}{{fill:{pair[scheme]}}}.s-{name}{{stroke:{pair[scheme]}}}"
            for name, pair in _SCHEMES.items()
        )

    return f"<style>{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>"


def _text(
    x: float, y: float, text: str, size: float = 11, extra: str = "", ink: str = "ink"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" class="f-{ink}"{extra}>'
        f"{escape(text)}</text>"
    )


class _Plot:
    """Draw the parts of one plot."""

    def __init__(self, x_axis: Axis, y_axis: Axis, series: Sequence[Series]) -> None:
        self.axes = x_axis, y_axis
        self.series = [Series(s.name, _merged(s.points), s.colour, s.mark) for s in series]
        points = [p for s in self.series for p in s.points]
        self.x = _scale([p.x for p in points], x_axis.log, LEFT, WIDTH - RIGHT)
        self.y = _scale([p.y for p in points], y_axis.log, HEIGHT - BOTTOM, TOP)
        self.out: list[str] = []

    def grid(self) -> None:
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        for v in self.x.ticks():
            x = self.x.at(v)
            self.out.append(f'<path d="M{x:.1f} {TOP:g}V{bottom:g}" class="s-rule"/>')
            self.out.append(_text(x, bottom + 16, number(v), 10, ' text-anchor="middle"', "soft"))
        for v in self.y.ticks():
            y = self.y.at(v)
            self.out.append(f'<path d="M{LEFT:g} {y:.1f}H{right:g}" class="s-rule"/>')
            self.out.append(_text(LEFT - 8, y + 3.5, number(v), 10, ' text-anchor="end"', "soft"))
        frame = f"M{LEFT:g} {TOP:g}H{right:g}V{bottom:g}H{LEFT:g}z"
        self.out.append(f'<path d="{frame}" fill="none" class="s-soft"/>')
        middle = ' text-anchor="middle"'
        self.out.append(_text((LEFT + right) / 2, HEIGHT - 16, self.axes[0].label, 11, middle))
        y = (TOP + bottom) / 2
        turned = f'{middle} transform="rotate(-90 20 {y:g})"'
        self.out.append(_text(20, y, self.axes[1].label, 11, turned))

    def legend(self) -> None:
        x = LEFT
        for s in self.series:
            self.out.append(_mark(x + MARK, TOP - 16, s.mark, s.colour))
            self.out.append(_text(x + 16, TOP - 12, s.name))
            x += 16 + len(s.name) * EM * 11 + 18

    def pareto(self, among: Iterable[Point]) -> None:
        """Draw the front as stairs: what is up and to the right of it is beaten."""
        points = front(among)
        steps = [f"M{self.x.at(points[0].x):.1f} {TOP:g}"]
        steps += [
            f"V{self.y.at(p.y):.1f}H{self._next(points, i):.1f}" for i, p in enumerate(points)
        ]
        dashes = 'fill="none" stroke-dasharray="5 4" class="s-soft"'
        self.out.append(f'<path d="{"".join(steps)}" {dashes}><title>Pareto front</title></path>')

    def _next(self, points: list[Point], i: int) -> float:
        return self.x.at(points[i + 1].x) if i + 1 < len(points) else WIDTH - RIGHT

    def marks(self) -> None:
        placed = [(self.x.at(p.x), self.y.at(p.y), p, s) for s in self.series for p in s.points]
        labels = _Labels(_Box(LEFT, TOP, WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP))
        labels.taken = [_Box(x - MARK, y - MARK, 2 * MARK, 2 * MARK) for x, y, _, _ in placed]
        for x, y, p, s in placed:
            about = f"<title>{escape(p.about or p.label)}</title>"
            self.out.append(f"<g>{about}{_mark(x, y, s.mark, s.colour)}</g>")
        for x, y, p, s in placed:
            if not p.label:
                continue
            box = labels.place(x, y, p.label)
            ex, ey = min(max(x, box.x), box.x + box.w), min(max(y, box.y), box.y + box.h)
            if math.hypot(ex - x, ey - y) > MARK + 10:
                line = f"M{x:.1f} {y:.1f}L{ex:.1f} {ey:.1f}"
                self.out.append(f'<path d="{line}" class="s-{s.colour}" stroke-width="0.6"/>')
            self.out.append(_text(box.x, box.y + SIZE, p.label, SIZE))


def scatter(
    title: str,
    about: str,
    x_axis: Axis,
    y_axis: Axis,
    series: Sequence[Series],
    pareto: Sequence[Point] = (),
) -> str:
    """Return a plot as one SVG document; ``about`` is the line below the title.

    Points of a series at one place share a mark and a label. The front of the points ``pareto`` is
    drawn (smaller is better), if there are any. Without any point the plot says that nothing is
    measured. Raises ValueError for a value of 0 or less on a logarithmic axis.
    """
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}"'
        f' width="{WIDTH:g}" height="{HEIGHT:g}" role="img" aria-labelledby="title desc"'
        f' font-family="{FONT}">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(about)}</desc>',
        _style(),
        '<rect width="100%" height="100%" rx="6" class="f-paper"/>',
        _text(16, 26, title, 15, ' font-weight="bold"'),
        _text(16, 44, about, 11, "", "soft"),
    ]
    if any(s.points for s in series):
        plot = _Plot(x_axis, y_axis, [s for s in series if s.points])
        plot.grid()
        plot.legend()
        if pareto:
            plot.pareto(pareto)
        plot.marks()
        parts += plot.out
    else:
        middle = ' text-anchor="middle"'
        parts.append(_text(WIDTH / 2, HEIGHT / 2, "not measured yet", 13, middle, "soft"))
    return "\n".join([*parts, "</svg>", ""])
