# SPDX-License-Identifier: Apache-2.0
"""Lambda coordinates and what follows the halvings, on numbers, against the textbook."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import Point, binary_curve
from ecsm.curves.gf2m.halving import ODD
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m.halving import Lambda, add, combine, double, finish, pair
from ecsm.formulas.gf2m.numbers import Num, Numbers

CURVES = [binary_curve(name) for name in ("toy7k", "toy107h", "sect163r2", "sect233r1")]
every_curve = pytest.mark.parametrize("c", CURVES, ids=lambda c: c.name)


def projective(c: BinaryCurve, p: Point, rng: random.Random) -> Lambda[Num]:
    """Return a point of x other than 0, with a random Z."""
    assert p is not None
    f, (x, y) = c.field, p
    z = rng.randrange(1, c.q)
    lam = f.mul(y, f.inv(x)) ^ x
    return Lambda(Num(f.mul(x, z)), Num(f.mul(lam, z)), Num(z))


def affine(c: BinaryCurve, p: Lambda[Num]) -> Point:
    """Return the point."""
    f = c.field
    inverse = f.inv(p.z.value)
    x, lam = f.mul(p.x.value, inverse), f.mul(p.lam.value, inverse)
    return x, f.mul(x, x ^ lam)


def numbers(c: BinaryCurve) -> Numbers:
    """Return the field's numbers; an answer is affine where z1 is not set."""
    f = Numbers(c.field, lambda name, _: name == "affine" and not f.flags["z1"])
    return f


@every_curve
def test_sum_difference_and_double(c: BinaryCurve) -> None:
    rng, f = random.Random(1), numbers(c)
    for _ in range(20):
        p, q = (c.mul(rng.randrange(1, c.n), c.generator) for _ in range(2))
        if p in (q, c.neg(q)):
            continue
        a, b = projective(c, p, rng), projective(c, q, rng)
        both = pair(f, a, b, "")
        assert affine(c, add(f, both, "")) == c.add(p, q)
        assert affine(c, add(f, both, "", minus=True)) == c.add(p, c.neg(q))
        assert affine(c, double(f, a, "", c.a)) == c.double(p)


@every_curve
@pytest.mark.parametrize("kind", [0, 1, 2, 3, "random"])
def test_four_sums_make_kp_less_the_point_of_order_two(c: BinaryCurve, kind: int | str) -> None:
    rng, f = random.Random(2), numbers(c)
    two = (0, c.field.sqrt(c.b))
    done = 0
    while done < 5:
        k = kind if isinstance(kind, int) else rng.randrange(c.n)
        sums = [rng.randrange(1, c.n) for _ in ODD[1:]]
        first = (k - sum(o * s for o, s in zip(ODD[1:], sums, strict=True))) % c.n
        a3, a5, a7 = sums
        met = (first, first - a7, a5 - a3, a5 + a3, first - a7 + a5 - a3, a3 + a5 + 2 * a7)
        if any(v % c.n == 0 for v in (*met, a3 + a5 - 2 * a7)):
            continue  # a sum of halves is never one of these: tests/curves/gf2m/test_halving.py
        points = [c.mul(s, c.generator) for s in (first, *sums)]
        points[0] = c.add(points[0], two)
        f = numbers(c)
        r = combine(f, [projective(c, p, rng) for p in points], c.a)
        x, y = finish(f, r, two[1])
        assert f.flags["z1"] == (k == 0)
        expected = c.mul(k, c.generator) or (0, 0)
        assert (x.value, y.value) == expected
        done += 1
