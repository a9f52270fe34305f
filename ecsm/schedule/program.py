# SPDX-License-Identifier: Apache-2.0
"""Microcode of any engine: control words with repeats, and one loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ecsm.curves import Point
from ecsm.schedule.types import CAPTURE


@dataclass(frozen=True)
class Result:
    """The result of a core: a point, or none for a point off the curve or of another order."""

    point: Point
    on_curve: bool = True
    in_subgroup: bool = True


Job = tuple[int, Point]  # a scalar of the port, and a point
W = TypeVar("W")
Word = TypeVar("Word", covariant=True)  # of an engine; two are equal if they control the same


@dataclass(frozen=True)
class Microcode(Generic[Word]):
    """Words with repeat counts, and one loop over words ``first`` to ``last``, ``count`` times.

    ``repeat[i]`` is how many extra times word i executes. ``count`` is 1 for no loop. A word
    executes for ``threads`` cycles of the clock, the first of them ``lead`` cycles after the
    request is accepted. ``out``: the registers of the answer's x and y, of engines that answer
    from registers. ``consts``: constants that words name by number, limb by limb.
    """

    words: Sequence[Word]
    repeat: list[int]
    first: int
    last: int
    count: int
    registers: int
    out: tuple[int, ...] = ()
    lead: int = CAPTURE
    threads: int = 1
    consts: Sequence[tuple[int, ...]] = ()

    def unrolled(self) -> Iterator[Word]:
        """Yield the word of every cycle, of several threads of every turn."""
        return (self.words[i] for i in self.addresses())

    def addresses(self) -> Iterator[int]:
        """Yield the address of the word of every cycle, of several threads of every turn."""
        i, left = 0, self.count
        while i < len(self.words):
            yield from [i] * (1 + self.repeat[i])
            if i == self.last and left > 1:
                left -= 1
                i = self.first
            else:
                i += 1

    @property
    def cycles(self) -> int:
        """Cycles from the accepted request, of several the last one, to the valid response."""
        return self.lead + self.threads * sum(1 for _ in self.addresses())


def compress(
    words: list[W], ii: int, merge: bool = True
) -> tuple[list[W], list[int], int, int, int]:
    """Find the loop of period ``ii`` that saves most words, then ``merge`` equal neighbours.

    Returns words, repeats, and the loop's first and last address and count.
    """
    best = (0, len(words), 1)  # words saved, start, count
    run = 0
    for c in range(len(words) - ii - 1, 0, -1):
        run = run + 1 if words[c] == words[c + ii] else 0
        count = run // ii + 1
        if (count - 1) * ii > best[0]:
            best = ((count - 1) * ii, c, count)
    saved, start, count = best
    end = start + ii if saved else start
    out: list[W] = []
    repeat: list[int] = []
    first = last = 0
    pieces = [words[:start], words[start:end], words[end + saved :]]
    for index, piece in enumerate(pieces):
        opened = len(out)
        for word in piece:
            if merge and len(out) > opened and out[-1] == word:
                repeat[-1] += 1
            else:
                out.append(word)
                repeat.append(0)
        if index == 1 and piece:
            first, last = opened, len(out) - 1
    return out, repeat, first, last, count
