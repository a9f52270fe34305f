# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random

import pytest

from ecsm.curves.gfp import divsteps
from ecsm.curves.gfp.divsteps import Divsteps, State
from ecsm.curves.gfp.sec2 import SEC2_PRIME_CURVES

PRIMES = [curve.p for curve in SEC2_PRIME_CURVES]
Hull = list[tuple[int, int]]


def inverse(unit: Divsteps, p: int, g: int) -> int:
    """Return what the unit's matrices make of g, and check the last state."""
    *_, (_, last) = unit.run(p, g)
    assert last.g == 0
    assert abs(last.f) == (p if g % p == 0 else 1)
    return unit.inverse(p, (m for m, _ in unit.run(p, g)), divsteps.negative(last.f))


@pytest.mark.parametrize("p", [3, 5, 31, 127, 241, 251, 509])
@pytest.mark.parametrize("batch", [1, 4, 7])
def test_every_value_of_a_toy_field_has_its_inverse(p: int, batch: int) -> None:
    unit = Divsteps.enough(p, 5 * p, batch, 1)
    for g in range(5 * p + 1):
        d = inverse(unit, p, g)
        assert d == pow(g, -1, p) if g % p else g or d == 0


@pytest.mark.parametrize("p", PRIMES)
def test_inverses_of_the_standard_fields(p: int) -> None:
    rng = random.Random(1)
    top = 4 * p
    redundant = Divsteps.enough(p, top, 60, 2)
    canonical = Divsteps.enough(p, p, 60, 2)
    for g in [1, 2, p - 1, p + 1, p // 2, top - 1, *(rng.randrange(1, top) for _ in range(4))]:
        assert inverse(redundant, p, g) == pow(g, -1, p)
        assert inverse(canonical, p, g % p) == pow(g, -1, p)


def test_matrix_is_what_its_steps_did() -> None:
    rng = random.Random(2)
    for _ in range(50):
        s = State(rng.randrange(-5, 5), rng.getrandbits(80) | 1, rng.getrandbits(80))
        for n in (1, 5, 62):
            m, after = divsteps.batch(s, n)
            assert m.apply(s.f, s.g) == (after.f << n, after.g << n)
            assert abs(m.u) + abs(m.v) <= 1 << n
            assert abs(m.q) + abs(m.r) <= 1 << n


def test_value_zero_leaves_the_modulus_and_makes_zero() -> None:
    unit = Divsteps.enough(241, 300, 4, 2)
    *_, (_, last) = unit.run(241, 0)
    assert (last.f, last.g) == (241, 0)
    assert inverse(unit, 241, 0) == 0


def cross(o: tuple[int, int], a: tuple[int, int], b: tuple[int, int]) -> int:
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def hull(points: Hull) -> Hull:
    """Return the corners of the convex hull (Andrew's monotone chain)."""
    points = sorted(set(points))
    chains = []
    for row in (points, points[::-1]):
        chain: Hull = []
        for point in row:
            while len(chain) > 1 and cross(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        chains.append(chain)
    return sorted({*chains[0], *chains[1]})


def hull_steps(corners: Hull) -> int:
    """Return after how many steps |g| < 1 for all real (f, g) within the corners, delta = 1/2.

    In step n the coordinates are multiples of 2^-n, and are kept times 2^n.
    """
    hulls, n = {-1: corners}, 0
    while hulls:
        n += 1
        after: dict[int, Hull] = {}
        for zeta, points in hulls.items():
            still = after.setdefault(zeta - 1, [])
            still += [(2 * f, g) for f, g in points]
            if zeta < 0:
                after.setdefault(-zeta - 2, []).extend((2 * g, g - f) for f, g in points)
            else:
                still += [(2 * f, g + f) for f, g in points]
        hulls = {
            zeta: hull(points)
            for zeta, points in after.items()
            if any(abs(g) >= 1 << n for _, g in points)
        }
    return n


@pytest.mark.parametrize("d", range(3, 27))
def test_bound_is_that_of_the_convex_hulls(d: int) -> None:
    top = 1 << d
    square = hull_steps([(0, 0), (top, 0), (top, top), (0, top)])
    assert 0 <= divsteps.steps_needed(top // 2 + 1, top - 1) - square <= 2
    # The theorem for g <= f has hulls, too, but uses that f and g are integers.
    triangle = hull_steps([(0, 0), (top, 0), (top, top)])
    assert abs(divsteps.steps_needed(top - 1, top - 1) - triangle) <= 1


@pytest.mark.parametrize("bits", range(2, 9))
def test_bound_holds_for_all_small_values(bits: int) -> None:
    for p in range((1 << bits - 1) + 1, 1 << bits, 2):
        for g in range(1 << bits):
            steps = divsteps.steps_needed(p, p if g <= p else g)
            assert divsteps.batch(divsteps.start(p, g), steps)[1].g == 0


def test_steps_of_the_literature() -> None:
    p = 2**256 - 2**32 - 977
    assert divsteps.steps_needed(p, p) == 590
    assert divsteps.steps_needed(p, 2**258 - 1) == 596


def test_timing_of_p_256() -> None:
    unit = Divsteps(batch=60, per_cycle=2, batches=10)
    assert (unit.first, unit.period, unit.latency, unit.steps) == (33, 31, 312, 600)
    resting = Divsteps(batch=60, per_cycle=2, batches=10, rest=7)
    assert (resting.first, resting.period, resting.latency, resting.steps) == (40, 38, 382, 600)


@pytest.mark.parametrize("values", [(0, 1, 1), (5, 2, 1), (4, 3, 1), (4, 1, 0), (4, 1, 1, -1)])
def test_bad_parameters_are_refused(values: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="batch"):
        Divsteps(*values)


def test_even_modulus_is_refused() -> None:
    with pytest.raises(ValueError, match="odd"):
        divsteps.start(10, 3)
