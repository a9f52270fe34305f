# SPDX-License-Identifier: Apache-2.0
"""A power by a constant exponent, as steps v = u^(2^k) w of values that are there.

The exponent is cut into windows: odd numbers of few bits, and runs of ones. A run of 2 n ones is
x^(2^n) x for x, the run of n. So p - 2 of P-256 takes 13 products, and its squares. The cut with
the fewest products is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ecsm.schedule.sequential.program import Assembler
from ecsm.schedule.sequential.words import DIGIT_BITS

WIDTHS = (1, 2, 3, 4, 5)  # of windows, the most
RUNS = (1, 4, 8, 16, 32, 64, 128, 256)  # of ones, the longest


@dataclass(frozen=True)
class Step:
    """A value that is ``of`` squared so many times, times the value ``times`` if it is not -1."""

    of: int
    squares: int
    times: int


@dataclass
class Chain:
    """Steps to a power; value 0 is the base, value i + 1 that of step i. The last is the power.

    ``begins``: the first step that makes what becomes the power.
    """

    steps: list[Step] = field(default_factory=list)
    begins: int = 0
    _made: dict[int, int] = field(default_factory=lambda: {1: 0})

    def _step(self, of: int, squares: int, times: int) -> int:
        self.steps.append(Step(of, squares, times))
        return len(self.steps)

    def odd(self, most: int) -> None:
        """Make the odd powers up to one."""
        if most > 1:
            square = self._step(0, 1, -1)
            for v in range(3, most + 1, 2):
                self._made[v] = self._step(square, 0, self._made[v - 2])

    def value(self, window: int) -> int:
        """Return the value of a window: an odd power that is made, or a run of ones."""
        if window not in self._made:
            half = window.bit_length() // 2
            part = self.value((1 << half) - 1)
            self._made[window] = self._step(part, half, part)
        return self._made[window]

    def raise_to(self, windows: Sequence[tuple[int, int]]) -> None:
        """Append the squares and products of all windows."""
        values = [self.value(window) if window else -1 for _, window in windows]
        self.begins, result = len(self.steps), values[0]
        for (squares, _), value in zip(windows[1:], values[1:], strict=True):
            result = self._step(result, squares, value)

    @property
    def products(self) -> int:
        """How many there are."""
        return sum(s.times >= 0 for s in self.steps)

    def places(self, free: Sequence[int]) -> list[int] | None:
        """Return where each step's value is: the power in free[0]. None if there are too few."""
        last = {v: i for i, s in enumerate(self.steps) for v in (s.of, s.times)}
        pool, found = list(free[1:]), list[int]()
        for i in range(len(self.steps)):
            pool += [found[v - 1] for v in range(1, min(i, self.begins) + 1) if last[v] == i - 1]
            if i < self.begins and not pool:
                return None
            found.append(pool.pop() if i < self.begins else free[0])
        return found


def windows(exponent: int, width: int, longest: int) -> list[tuple[int, int]]:
    """Return squares and the window to multiply by, for each window, the highest first.

    A window is an odd number of so many bits, or a longer run of 2^i ones. The last one may be 0:
    squares alone.
    """
    found, pending, at = list[tuple[int, int]](), 0, exponent.bit_length()
    runs = [length for length in reversed(RUNS) if width < length <= longest]
    while at:
        rest = exponent & (1 << at) - 1
        if not rest >> at - 1:
            pending, at = pending + 1, at - 1
            continue
        ones = at - ((1 << at) - 1 - rest).bit_length()
        bits = next((run for run in runs if run <= ones), min(width, at))
        window = rest >> at - bits
        odd = window // (window & -window)
        taken = bits - (window.bit_length() - odd.bit_length())
        found.append((pending + taken, odd))
        pending, at = 0, at - taken
    return [*found, (pending, 0)] if pending else found


def chain(exponent: int, free: Sequence[int]) -> tuple[Chain, list[int]]:
    """Return the steps to a power and where their values are: the fewest that have places.

    Raises ValueError for an exponent that is a window itself, or too few places.
    """
    best: tuple[Chain, list[int]] | None = None
    for width in WIDTHS:
        for longest in RUNS:
            made, cut = Chain(), windows(exponent, width, longest)
            made.odd(max((w for _, w in cut if w >> width == 0), default=1))
            made.raise_to(cut)
            places = made.places(free)
            if len(cut) < 2 or places is None:
                continue
            if best is None or made.products < best[0].products:
                best = made, places
    if best is None:
        raise ValueError("there is no chain to the power")
    return best


def power(
    a: Assembler, exponent: int, base: int, free: Sequence[int], name: str, mod: str = ""
) -> None:
    """Append a program: free[0] is a power of the number ``base``; ``free``: numbers for it."""
    made, places = chain(exponent, free)
    of = f" mod {mod}" if mod else ""
    square = f"square{of}" if a.own_square(mod) else f"product{of}"
    numbers = [base, *places]
    for step, d in zip(made.steps, places, strict=True):
        a_number, left = numbers[step.of], step.squares
        while left:
            times = 1 if a_number != d else min(left, 1 << DIGIT_BITS)
            a.move(square, d, a_number, immediate=times - 1, note=f"{name}: {times} squares")
            a_number, left = d, left - times
        if step.times >= 0:
            a.move(f"product{of}", d, a_number, numbers[step.times], note=f"{name}: a product")
