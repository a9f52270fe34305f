# SPDX-License-Identifier: Apache-2.0
"""What the pictures of schedules are drawn with: SVG elements, and the document around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
EDGE, SWATCH, LINE, LETTER = 16.0, 22.0, 18.0, 6.0  # of a legend, in pixels
INK, SOFT, PAPER, TINT = "#1a1a1a", "#5a5a5a", "#ffffff", "#f1f6fb"
DARK = {
    INK: "#ececec", SOFT: "#b4b4b4", PAPER: "#14181d", TINT: "#1a222c",
    "#d5d5d5": "#39414a", "#c8c8c8": "#4a525b", "#7a7a7a": "#9aa1a8", "#e3e3e3": "#343a42",
    "#cfe3f7": "#1d3c5c", "#c9ecd9": "#17452f", "#fbe3bd": "#553f12", "#f7d3d3": "#5a2626",
    "#e3d5f2": "#3f2d59", "#c8ecec": "#154548", "#d9dde2": "#363d46",
    "#2b6cb0": "#6db3f2", "#2b8a57": "#4cc38a", "#b7791f": "#e0a63c", "#b03a3a": "#ef7f7f",
    "#6b46a8": "#b393e6", "#1f7a80": "#54c3ca", "#5a6470": "#a3adb8",
    "#dcebf7": "#1d3445", "#f7e8d0": "#4a3a1d", "#0072b2": "#56b4e9", "#c0392b": "#ef7f7f",
    "#000000": "#ececec", "#00704f": "#2fc79b",
}  # fmt: skip
"""What a colour is for readers with a dark scheme."""


@dataclass(frozen=True)
class Sign:
    """What a legend explains: ``look`` are a rectangle's attributes, ``height`` its height."""

    look: str
    text: str
    height: float = 11.0


class Canvas:
    """Collect SVG elements."""

    def __init__(self) -> None:
        self.out: list[str] = []

    def rect(self, x: float, y: float, w: float, h: float, extra: str) -> None:
        """Draw a rectangle; ``extra`` are more attributes."""
        self.out.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" {extra}/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, extra: str) -> None:
        """Draw a line."""
        self.out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {extra}/>')

    def text(self, x: float, y: float, text: str, size: float = 11, extra: str = "") -> None:
        """Write a text."""
        self.out.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" {extra}>{escape(text)}</text>'
        )

    def legend(self, signs: Sequence[Sign], words: str, y: float, width: float) -> float:
        """Explain signs in lines from ``y`` on, ``words`` behind them; return where they end."""
        x = EDGE
        for sign in signs:
            room = SWATCH + 6 + len(sign.text) * LETTER
            if x > EDGE and x + room > width - EDGE:
                x, y = EDGE, y + LINE
            self.rect(x, y + (11 - sign.height) / 2, SWATCH, sign.height, sign.look)
            self.text(x + SWATCH + 6, y + 9, sign.text, 10, f'fill="{SOFT}"')
            x += room + 18
        for line in wrap(words, int((width - 2 * EDGE) / LETTER)):
            y += LINE
            self.text(EDGE, y + 9, line, 10, f'fill="{SOFT}"')
        return y + LINE

    def document(
        self, width: float, height: float, title: str, about: str,
        heading: str, facts: str, definitions: str = "",
    ) -> str:  # fmt: skip
        """Return the elements as one SVG document.

        ``title`` and ``about`` are for those who cannot see it, ``heading`` and ``facts`` its first
        lines; ``definitions`` is the inside of ``defs``.
        """
        head = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
            f' width="{width:.0f}" height="{height:.0f}" role="img"'
            f' aria-labelledby="title desc" font-family="{FONT}">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(about)}</desc>',
            *([f"<defs>{definitions}</defs>"] if definitions else []),
            f"<style>{in_the_dark()}</style>",
            f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>',
            f'<text x="16" y="26" font-size="15" font-weight="bold" fill="{INK}">'
            f"{escape(heading)}</text>",
            f'<text x="16" y="43" font-size="11" fill="{SOFT}">{escape(facts)}</text>',
        ]
        return "\n".join([*head, *self.out, "</svg>", ""])


def in_the_dark() -> str:
    """Return the style sheet of a picture that a reader with a dark scheme sees."""
    rules = (
        f'[{what}="{light}"]{{{what}:{dark}}}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"
