# SPDX-License-Identifier: Apache-2.0
"""Toy curves by enumeration, and through them the group law."""

from __future__ import annotations

import pytest

from ecsm.curves import TOY_CURVES, BinaryCurve, Point, curve

every_toy = pytest.mark.parametrize("c", TOY_CURVES, ids=lambda c: c.name)


def largest_prime_factor(n: int) -> int:
    return max(p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p)))


@every_toy
def test_points_are_all_solutions_of_the_equation(c: BinaryCurve) -> None:
    size = 1 << c.field.m
    solutions = {(x, y) for x in range(size) for y in range(size) if c.contains((x, y))}
    points = list(c.points())
    assert points[0] is None
    assert set(points[1:]) == solutions
    assert len(points) == c.n * c.h == len(solutions) + 1


@every_toy
def test_generator_has_the_largest_prime_order(c: BinaryCurve) -> None:
    assert c.order(c.generator) == c.n
    assert largest_prime_factor(c.n * c.h) == c.n


@every_toy
def test_orders_two_and_four_exist_as_the_trace_of_a_says(c: BinaryCurve) -> None:
    two = (0, c.field.sqrt(c.b))
    halves = [p for p in c.points() if c.double(p) == two]
    assert [p for p in c.points() if c.double(p) is None] == [None, two]
    assert bool(halves) == (c.field.trace(c.a) == 0)
    assert {c.order(p) for p in halves} <= {4}


@every_toy
def test_multiples_are_repeated_sums(c: BinaryCurve) -> None:
    for p in c.points():
        total: Point = None
        for k in range(c.n * c.h + 2 if c.field.m < 7 else 10):
            assert c.mul(k, p) == total
            assert c.mul(-k, p) == c.neg(total)
            total = c.add(total, p)


@pytest.mark.parametrize("name", ["toy5a", "toy5k"])
def test_addition_is_a_commutative_group(name: str) -> None:
    c = curve(name)
    points = list(c.points())
    for p in points:
        assert c.add(p, c.neg(p)) is None
        for q in points:
            total = c.add(p, q)
            assert c.contains(total)
            assert total == c.add(q, p)
            for r in points:
                assert c.add(total, r) == c.add(p, c.add(q, r))


def test_toys_cover_the_cases_that_matter() -> None:
    assert {c.field.m for c in TOY_CURVES} == {5, 7, 8, 9}
    for m in (5, 7, 8, 9):
        assert {c.field.trace(c.a) for c in TOY_CURVES if c.field.m == m} == {0, 1}
    assert {(c.a, c.b) for c in TOY_CURVES} >= {(0, 1), (1, 1)}


@every_toy
@pytest.mark.parametrize("compressed", [False, True])
def test_every_point_survives_encoding(c: BinaryCurve, compressed: bool) -> None:
    for p in c.points():
        assert c.decode(c.encode(p, compressed=compressed)) == p
