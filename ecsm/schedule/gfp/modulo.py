# SPDX-License-Identifier: Apache-2.0
"""Iterative modulo scheduling: a loop of a given length, quickly, or none.

The solver proves bounds and shortens waiting times. For a tightly packed loop it needs a schedule
to start from, which this module finds. It places the most urgent operation first and removes the
operations that conflict with it. From the second try on it chooses among the urgent ones at random.

Source: B. R. Rau, "Iterative modulo scheduling: an algorithm for software pipelining loops",
MICRO-27 (1994).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

TRIES = 60
BUDGET = 40  # placements for each operation


@dataclass(frozen=True)
class Edge:
    """``before`` must precede ``after`` by ``delay`` cycles, ``trips`` iterations later."""

    before: int
    after: int
    delay: int
    trips: int = 0


class _Attempt:
    """One try: times of the operations placed so far, and what the units are busy with."""

    def __init__(
        self, rows: Iterable[Edge], units: Mapping[int, tuple[str, int]], ii: int, limit: int
    ) -> None:
        self.ii, self.limit, self.units = ii, limit, units
        self.into: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.out_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for e in rows:
            gap = e.delay - e.trips * ii
            self.into[e.after].append((e.before, gap))
            self.out_of[e.before].append((e.after, gap))
        self.time: dict[int, int] = {}
        self.busy: dict[tuple[str, int], int] = {}

    def slots(self, atom: int, at: int) -> list[tuple[str, int]]:
        """Return the cycles of its unit that an operation takes."""
        if atom not in self.units:
            return []
        unit, length = self.units[atom]
        return [(unit, (at + i) % self.ii) for i in range(length)]

    def allowed(self, atom: int, at: int) -> bool:
        """Whether an operation may start there: not across the end of the loop, and in step.

        Operations of n cycles start at multiples of n. Otherwise the free cycles between two of
        them could be too few for a third.
        """
        length = self.units.get(atom, ("", 1))[1]
        return at % self.ii % length == 0 and at % self.ii <= self.ii - length

    def fits(self, atom: int, at: int) -> bool:
        """Whether an operation may stand there and its unit is free."""
        return self.allowed(atom, at) and all(s not in self.busy for s in self.slots(atom, at))

    def remove(self, atom: int) -> None:
        """Take an operation out again."""
        at = self.time.pop(atom)
        for s in self.slots(atom, at):
            del self.busy[s]

    def place(self, atom: int, at: int) -> None:
        """Place an operation and throw out whatever is in its way."""
        for s in self.slots(atom, at):
            if s in self.busy:
                self.remove(self.busy[s])
        self.time[atom] = at
        for s in self.slots(atom, at):
            self.busy[s] = atom
        for other, gap in self.into[atom]:
            if other != atom and self.time.get(other, at) + gap > at and other in self.time:
                self.remove(other)
        for other, gap in self.out_of[atom]:
            if other != atom and other in self.time and self.time[other] < at + gap:
                self.remove(other)

    def earliest(self, atom: int, least: int) -> int:
        """Return the first cycle that those before it allow."""
        gaps = [self.time[b] + gap for b, gap in self.into[atom] if b in self.time]
        return max([least, *gaps])

    def run(self, early: Mapping[int, int], height: Mapping[int, float]) -> bool:
        """Place all operations; False if the budget does not suffice."""
        tried: dict[int, int] = {}
        for _ in range(BUDGET * len(early)):
            open_ones = early.keys() - self.time.keys()
            if not open_ones:
                return True
            atom = max(open_ones, key=lambda a: (height[a], -a))
            first = self.earliest(atom, early[atom])
            places = range(first, first + self.ii)
            at = next((t for t in places if self.fits(atom, t)), None)
            if at is None or (atom in tried and at <= tried[atom] and at != first):
                at = max(first, tried.get(atom, -1) + 1)
            while not self.allowed(atom, at):
                at += 1
            if at > self.limit:
                return False
            tried[atom] = at
            self.place(atom, at)
        return False


def longest(rows: Collection[Edge], atoms: Iterable[int], ii: int) -> dict[int, int]:
    """Return the earliest cycle of every operation; empty if a circle of ``rows`` is too long."""
    time = dict.fromkeys(atoms, 0)
    for _ in range(len(time) + 1):
        changed = False
        for e in rows:
            at = time[e.before] + e.delay - e.trips * ii
            if at > time[e.after]:
                time[e.after], changed = at, True
        if not changed:
            return time
    return {}


def modulo(
    rows: Iterable[Edge],
    early: Mapping[int, int],
    units: Mapping[int, tuple[str, int]],
    ii: int,
    limit: int,
    tries: int = TRIES,
) -> dict[int, int] | None:
    """Return times for a loop of ``ii`` cycles that keep all ``rows``, up to ``limit``, or None.

    ``early``: the first cycle of every operation. ``units``: the unit that an operation takes and
    for how many cycles, for those that take one.
    """
    rows = list(rows)
    # The cycles that must pass from an operation to the end of a turn.
    height = longest([Edge(e.after, e.before, e.delay, e.trips) for e in rows], early, ii)
    if not height:
        return None
    rng = random.Random(ii)
    for attempt in range(tries):
        noise = {a: h + rng.uniform(0, min(attempt, 12)) for a, h in sorted(height.items())}
        one = _Attempt(rows, units, ii, limit)
        if one.run(early, noise):
            return dict(one.time)
    return None
