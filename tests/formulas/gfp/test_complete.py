# SPDX-License-Identifier: Apache-2.0
"""The complete formulas on numbers: every pair of points of the toys, then the whole program."""

from __future__ import annotations

import itertools
import random

import pytest

from ecsm.curves import SEC2_PRIME_CURVES, Point
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.recode import recode_window, top_values, window_digits
from ecsm.curves.toy import TOY_PRIME_CURVES
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.complete import Addend, CompleteWeierstrass, Projective
from ecsm.formulas.gfp.graph import Kind
from ecsm.formulas.gfp.trace import trace

MINUS_THREE = [c for c in TOY_PRIME_CURVES if c.a == c.p - 3 and c.h == 1]
SMALL, LARGE = MINUS_THREE[0], MINUS_THREE[-1]
STANDARD = [c for c in SEC2_PRIME_CURVES if c.a == c.p - 3]


def program(c: PrimeCurve, w: int) -> CompleteWeierstrass:
    return CompleteWeierstrass(c.p, c.a, c.b, w, window_digits(c.n, w), top_values(c.n, w))


def numbers(c: PrimeCurve) -> Numbers:
    return Numbers(c.p, Divsteps.enough(c.p, c.p, 60, 2), lambda _: False)


def projective(f: Numbers, c: PrimeCurve, point: Point, rng: random.Random) -> Projective[Num]:
    """Return a point by a random representative, its Y split at random."""
    z, split = rng.randrange(1, c.p), rng.randrange(c.p)
    x, y, z = (0, z, 0) if point is None else (point[0] * z, point[1] * z, z)
    return Projective(*(f.const(v) for v in (x, y + split, split, z, c.b * z)))


def addend(f: Numbers, c: PrimeCurve, s: Projective[Num]) -> Addend[Num]:
    x, z = s.x.value, s.z.value
    return Addend(s.x, s.ya - s.yb, s.z, f.const(x - c.b * z), f.const(3 * z - c.b * x))


def affine(c: PrimeCurve, s: Projective[Num]) -> Point:
    assert s.bz.value == c.b * s.z.value % c.p
    if s.z.value == 0:
        assert s.x.value == 0 != (s.ya - s.yb).value
        return None
    z = pow(s.z.value, -1, c.p)
    return s.x.value * z % c.p, (s.ya - s.yb).value * z % c.p


def test_every_sum_of_two_points() -> None:
    """Infinity, equal and opposite points are pairs like the others."""
    c, rng = SMALL, random.Random(1)
    f, todo = numbers(c), program(c, 2)
    points = [*c.points()]
    assert None in points
    for p, q in itertools.product(points, points):
        s, t = (projective(f, c, v, rng) for v in (p, q))
        assert affine(c, todo.join(f, s, addend(f, c, t))) == c.add(p, q), (p, q)


def test_every_double() -> None:
    rng = random.Random(2)
    for c in MINUS_THREE:
        f, todo = numbers(c), program(c, 2)
        for p in c.points():
            assert affine(c, todo.double(f, projective(f, c, p, rng))) == c.double(p)


def kp(c: PrimeCurve, w: int, k: int, point: tuple[int, int]) -> tuple[Point, int]:
    """Run the program; return its answer and how many products it took."""
    recoded = recode_window(k, c.n, w)
    digits = list(reversed(recoded.digits))
    negative = False

    def condition(name: str) -> bool:
        return negative if name == "negative" else recoded.negate != f.negative

    f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), condition)
    todo = program(c, w)
    x, y = (Num(c.p, v) for v in point)
    todo.prepare(f, x, y)
    f.index = (digits[0] - 1) // 2
    state = todo.start(f, x, y)
    for d in digits[1:]:
        f.index, negative = (abs(d) - 1) // 2, d < 0
        state = todo.step(f, state)
    todo.finish(f, state)
    assert f.flags["curve"]
    return None if recoded.zero else (f.answers["x"], f.answers["y"]), f.products


@pytest.mark.parametrize("w", [2, 3])
def test_every_scalar_on_a_toy(w: int) -> None:
    c, rng = LARGE, random.Random(w)
    products = set()
    for k in range(1 << c.n.bit_length()):
        point = c.mul(rng.randrange(1, c.n), c.generator)
        assert point is not None
        answer, count = kp(c, w, k, point)
        assert answer == c.mul(k, point), (k, point)
        products.add(count)
    assert len(products) == 1


@pytest.mark.parametrize("c", STANDARD, ids=lambda c: c.name)
def test_standard_curves(c: PrimeCurve) -> None:
    rng = random.Random(c.name)
    point = c.mul(rng.randrange(1, c.n), c.generator)
    assert point is not None
    for k in (0, 1, c.n - 1, c.n, (1 << c.n.bit_length()) - 1, rng.randrange(c.n)):
        assert kp(c, 5, k, point)[0] == c.mul(k, point), k


def test_a_window_has_two_levels_a_doubling() -> None:
    graph = trace(program(STANDARD[0], 5), Divsteps(60, 2, 10))
    level: dict[int, int] = {}
    for op in graph.body.ops:
        below = max([level.get(a, 0) for a in op.atoms], default=0)
        level[op.atom] = below + (op.kind is Kind.PRODUCT)
    assert max(level.values()) == 2 * 5 + 2 + 1  # the addition's bZ
    assert len(graph.body.products()) == 14 * 5 + 18


def test_another_a_is_refused() -> None:
    c = next(c for c in SEC2_PRIME_CURVES if c.a == 0)
    with pytest.raises(ValueError, match="a = -3"):
        program(c, 5)
