# SPDX-License-Identifier: Apache-2.0
"""Packed loops keep every dependence, and every unit does one thing at a time."""

from __future__ import annotations

import random

import pytest

from ecsm.schedule.gfp.modulo import Edge, modulo


def keeps(rows: list[Edge], time: dict[int, int], ii: int) -> bool:
    return all(time[e.after] + e.trips * ii >= time[e.before] + e.delay for e in rows)


def apart(time: dict[int, int], units: dict[int, tuple[str, int]], ii: int) -> bool:
    busy = [
        (unit, (time[atom] + i) % ii)
        for atom, (unit, length) in units.items()
        for i in range(length)
    ]
    seams = all(time[a] % ii <= ii - length for a, (_, length) in units.items())
    return seams and len(busy) == len(set(busy))


@pytest.mark.parametrize("seed", range(30))
def test_a_packed_loop_keeps_its_rules(seed: int) -> None:
    """Random graphs with a circle from the last operation back to the first."""
    rng = random.Random(seed)
    count = rng.randint(3, 40)
    units = {a: (rng.choice(["mul", "add"]), rng.choice([1, 1, 1, 2])) for a in range(count)}
    rows = [
        Edge(rng.randrange(b), b, rng.choice([1, 2, 8])) for b in range(1, count) for _ in range(2)
    ]
    rows.append(Edge(count - 1, 0, 3, 1))
    early = dict.fromkeys(range(count), 0)
    for e in rows[:-1]:  # in the order of the operations
        early[e.after] = max(early[e.after], early[e.before] + e.delay)
    work = {u: sum(n for unit, n in units.values() if unit == u) for u in ("mul", "add")}
    least = max(*work.values(), early[count - 1] + 3)
    for ii in range(least, 3 * least):
        time = modulo(rows, early, units, ii, 3 * ii)
        if time is not None:
            assert time.keys() == early.keys()
            assert keeps(rows, time, ii)
            assert apart(time, units, ii)
            return
    pytest.fail("no loop at all")


def test_what_cannot_be_is_not_found() -> None:
    units = dict.fromkeys(range(4), ("mul", 1))
    early = dict.fromkeys(units, 0)
    assert modulo([], early, units, 3, 9) is None  # four products in three cycles
    circle = [Edge(0, 1, 8), Edge(1, 0, 8, 1)]
    assert modulo(circle, early, units, 15, 45) is None
    time = modulo(circle, early, units, 16, 48)
    assert time is not None
    assert time[1] - time[0] == 8


def test_the_same_loop_every_time() -> None:
    units = dict.fromkeys(range(12), ("mul", 1))
    rows = [Edge(a, a + 1, 2) for a in range(11)]
    early = {a: 2 * a for a in range(12)}
    assert modulo(rows, early, units, 12, 36) == modulo(rows, early, units, 12, 36)
