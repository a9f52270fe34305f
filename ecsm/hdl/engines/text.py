# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog of lists, matrices and programs: what the engines' parameters are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ecsm.cores.design import AnyWord
from ecsm.formulas.gf2m.graph import Map
from ecsm.hdl.engines.module import Program
from ecsm.schedule.program import Microcode

W = TypeVar("W", bound=AnyWord)


def map_text(map_: Map) -> str:
    """Return v -> c v^(2^k) for comments."""
    scale = "" if map_.c == 1 else ("c·" if map_.c.bit_length() > 16 else f"{map_.c:#x}·")
    return f"{scale}v^(2^{map_.k})" if map_.k else f"{scale}v"


def list_text(rows: Sequence[tuple[str, str]], indent: str = "      ") -> str:
    """Concatenate rows (value, comment), the last row first: it has the highest index."""
    if not rows:
        return "'0"
    lines = []
    for i in range(len(rows) - 1, -1, -1):
        value, note = rows[i]
        comma = "," if i else ""
        lines.append(f"{indent}{value}{comma}" + (f"  // {note}" if note else ""))
    return "{\n" + "\n".join(lines) + "\n    }"


def matrix_text(columns: Sequence[int], m: int) -> str:
    """Concatenate a matrix, column 0 at the low end."""
    return "{" + ", ".join(f"{m}'h{c:x}" for c in reversed(columns)) + "}"


def columns_of(rows: Sequence[tuple[Sequence[bool], str]]) -> list[tuple[str, str]]:
    """Return one constant a control bit: bit i is that of word i."""
    return [
        (f"{len(bits)}'h{sum(1 << i for i, b in enumerate(bits) if b):x}", text)
        for bits, text in rows
    ]


def program_lines(code: Microcode[AnyWord]) -> Iterator[tuple[bool, int, str]]:
    """Yield of each word whether it is in the loop, how often it executes, and what it does."""
    for i, (word, repeat) in enumerate(zip(code.words, code.repeat, strict=True)):
        looped = code.count > 1 and code.first <= i <= code.last
        yield looped, repeat + 1, "; ".join(dict.fromkeys(word.notes)) or "wait"


def program_listing(code: Microcode[W], next_digit: Callable[[W], bool]) -> str:
    """Return a line a word: its number, how often it executes, and what it does.

    "x161 x20" is a word of a loop of 161 iterations, which executes 20 times in each. "shift" marks
    the words that ask for the next digit of the scalar.
    """
    rows = [
        (f"x{code.count} " * looped + f"x{times} " * (times > 1), notes)
        for looped, times, notes in program_lines(code)
    ]
    width = max(5, *(len(often) for often, _ in rows))
    lines = []
    for i, (word, (often, notes)) in enumerate(zip(code.words, rows, strict=True)):
        shift, said = "shift" if next_digit(word) else "", notes if word.notes else ""
        lines.append(f"{i:3}  {often:{width}}{shift:7}{said}".rstrip())
    return "\n".join(lines)


def program_comment(code: Microcode[AnyWord]) -> str:
    """Return a line a word: its number, whether it is in the loop, its repeats, what it does."""
    return "\n".join(
        f"//   {i:3d} {'loop' if looped else '    '}{f' x{times}' if times > 1 else ''}  {notes}"
        for i, (looped, times, notes) in enumerate(program_lines(code))
    )


def words_of(bits: Sequence[Sequence[int]]) -> list[int]:
    """Return the words of a program: ``bits`` has each word's bit 0, each one's bit 1."""
    return [sum(bit << b for b, bit in enumerate(word)) for word in zip(*bits, strict=True)]


def program_memory(code: Microcode[AnyWord], bits: Sequence[Sequence[int]]) -> Program:
    """Return the memory of a program's words, ``bits`` as :func:`words_of` has them."""
    words = words_of(bits)
    notes = {
        i: f"{'loop: ' if looped else ''}{f'x{times} ' if times > 1 else ''}{notes}"
        for i, (looped, times, notes) in enumerate(program_lines(code))
    }
    return Program((len(words) - 1).bit_length(), len(bits), words, notes)
