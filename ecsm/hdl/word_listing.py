# SPDX-License-Identifier: Apache-2.0
"""The program of a word engine as it is read: words with their routines, walks slot by slot."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ecsm.hdl.word_emit import WORD_BITS, word_note
from ecsm.presets.word import WordPreset
from ecsm.schedule.canvas import INK, PAPER, in_the_dark
from ecsm.schedule.sequential.walk import NOTHING, Slot, Walk
from ecsm.schedule.sequential.words import Do
from ecsm.schemes.word.program import WordProgram, word_program

CELL, LEFT, TOP = 7, 64, 40  # pixels
COLOURS = {
    "a b": "#0072b2", "2 a b": "#56b4e9", "quotient": "#e69f00", "stall": "#bbbbbb",
    "sum": "#00704f",
}  # fmt: skip
"""Of slots, for the colour-blind too (Okabe and Ito)."""


def facts(p: WordPreset) -> dict[str, object]:
    """Return what the program of a preset needs, by name."""
    built = word_program(p).built
    return {
        "operations": len(word_program(p).operations),
        "words": len(built.program),
        "slots": len(built.slots),
        **{f"slots of {w.name}": len(w.slots) for w in built.walks},
        "words of constants": len(built.values),
        "words of memory": built.depth,
        "words of a number": built.stride,
    }


def places(found: WordProgram) -> dict[int, str]:
    """Return the first word of each routine and of each operation, with its name."""
    program, named = found.built.program, dict(found.routines)
    for operation in reversed(found.operations):
        word = program[found.number(operation)]
        assert isinstance(word, Do)
        named[word.target] = operation
    return {word: name for word, name in named.items() if name}


def listing(p: WordPreset) -> Iterator[str]:
    """Yield the lines of a listing: address, word, what it does, with the formula's names."""
    found = word_program(p)
    names, digits = places(found), -(-WORD_BITS // 4)
    for i, word in enumerate(found.built.program):
        if i in names:
            yield f"{names[i]}:"
        yield f"{i:5} {word.word():0{digits}x}  {word_note(found.built, word)}".rstrip()


def kind(s: Slot) -> str:
    """Return what a slot of a walk does."""
    if s.sum:
        return "sum"
    if s.scratch_a:
        return "quotient"
    if (s.const_b, s.offset_b) == (True, NOTHING.offset_b):
        return "stall"
    return "2 a b" if s.doubled else "a b"


def drawn(w: Walk, title: str) -> str:
    """Return a picture of a walk, SVG: a slot in each column, a word of the result in each row."""
    row, cells, marks = 0, list[str](), list[str]()
    for i, s in enumerate(w.slots):
        x, y = LEFT + CELL * i, TOP + CELL * row
        cells.append(_rect(x, y, CELL - 1, COLOURS[kind(s)]))
        if s.write:
            marks.append(_rect(x, y + CELL - 1, CELL - 1, "#000000", 2))
        row += s.shift
    width, height = LEFT + CELL * len(w.slots) + 16, TOP + CELL * row + 56
    legend = "".join(
        _rect(LEFT + 110 * i, height - 28, 10, colour)
        + _text(LEFT + 110 * i + 14, height - 18, name)
        for i, (name, colour) in enumerate(COLOURS.items())
        if any(kind(s) == name for s in w.slots)
    )
    rows = "".join(_text(8, TOP + CELL * (r + 1), f"word {r}") for r in range(0, row, 4))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(width, 640)} {height}" '
        f'font-family="DejaVu Sans, Verdana, sans-serif" font-size="11" fill="{INK}" role="img">'
        f"<title>{escape(title)}</title><desc>Each column is a slot, each row a word of the result;"
        " a black line is a word that is written.</desc>"
        f"<style>{in_the_dark()}</style>"
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{_text(LEFT, 20, title)}'
        f"{''.join(cells)}{''.join(marks)}{rows}{legend}</svg>\n"
    )


def _rect(x: int, y: int, width: int, colour: str, height: int | None = None) -> str:
    size = f'width="{width}" height="{width if height is None else height}"'
    return f'<rect x="{x}" y="{y}" {size} fill="{colour}"/>'


def _text(x: int, y: int, text: str) -> str:
    return f'<text x="{x}" y="{y}">{escape(text)}</text>'


def picture(p: WordPreset) -> str:
    """Return the picture of a preset's product modulo p."""
    w = word_program(p).built.walks[0]
    return drawn(w, f"{w.name} modulo p of {p.curve.name}: {len(w.slots)} slots, a cycle each")
