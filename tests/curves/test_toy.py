# SPDX-License-Identifier: Apache-2.0
"""Toy curves by enumeration, and through them the group law."""

from __future__ import annotations

import pytest

from ecsm.curves import TOY_CURVES, TOY_PRIME_CURVES, BinaryCurve, Curve, Point, curve

every_toy = pytest.mark.parametrize("c", [*TOY_CURVES, *TOY_PRIME_CURVES], ids=lambda c: c.name)
every_binary_toy = pytest.mark.parametrize("c", TOY_CURVES, ids=lambda c: c.name)


def largest_prime_factor(n: int) -> int:
    return max(p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p)))


@every_toy
def test_points_are_all_solutions_of_the_equation(c: Curve) -> None:
    numbers = range(c.q + 2)
    solutions = {(x, y) for x in numbers for y in numbers if c.contains((x, y))}
    points = list(c.points())
    assert points[0] is None
    assert set(points[1:]) == solutions
    assert len(points) == c.n * c.h == len(solutions) + 1


@every_toy
def test_generator_has_the_largest_prime_order(c: Curve) -> None:
    assert c.order(c.generator) == c.n
    assert largest_prime_factor(c.n * c.h) == c.n


@every_binary_toy
def test_orders_two_and_four_exist_as_the_trace_of_a_says(c: BinaryCurve) -> None:
    two = (0, c.field.sqrt(c.b))
    halves = [p for p in c.points() if c.double(p) == two]
    assert [p for p in c.points() if c.double(p) is None] == [None, two]
    assert bool(halves) == (c.field.trace(c.a) == 0)
    assert {c.order(p) for p in halves} <= {4}


@every_toy
def test_multiples_are_repeated_sums(c: Curve) -> None:
    for p in c.points():
        total: Point = None
        for k in range(c.n * c.h + 2 if c.q < 100 else 10):
            assert c.mul(k, p) == total
            assert c.mul(-k, p) == c.neg(total)
            total = c.add(total, p)


@pytest.mark.parametrize("name", ["toy5a", "toy5k", "toyp5a"])
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
def test_every_point_survives_encoding(c: Curve, compressed: bool) -> None:
    for p in c.points():
        assert c.decode(c.encode(p, compressed=compressed)) == p


def test_prime_toys_cover_the_cases_that_matter() -> None:
    toys = TOY_PRIME_CURVES
    assert any(c.p & (c.p + 1) == 0 for c in toys)  # 2^m - 1
    assert any(c.a == 0 and c.p % 3 == 1 for c in toys)
    assert any(c.a not in (0, c.p - 3) for c in toys)
    assert {c.n > c.p for c in toys} == {True, False}
    two = [c for c in toys if any(p and p[1] == 0 for p in c.points())]
    assert [c.h for c in two] == [4]
    assert any(c.order(p) == 4 for c in two for p in c.points())


def test_a_curve_is_named_by_a_text() -> None:
    for name in (None, 5, b"toy7a", ["toy7a"]):
        with pytest.raises(TypeError, match="named by a text"):
            curve(name)  # type: ignore[arg-type]
