# SPDX-License-Identifier: Apache-2.0
"""The program of Edwards curves on numbers: every pair of points, then every scalar."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import EDWARDS25519, EdwardsCurve, Point
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.recode import plain_digits
from ecsm.curves.toy import TOY_EDWARDS
from ecsm.formulas.gfp.algebra import Num, Numbers
from ecsm.formulas.gfp.edwards import Edwards, Entry, Projective
from ecsm.formulas.gfp.graph import Kind
from ecsm.formulas.gfp.trace import trace
from ecsm.presets.gfp_table import PRIME_PRESETS


def program(c: EdwardsCurve, w: int) -> Edwards:
    return Edwards(c.p, c.d, w, -(-c.scalar_bits // w))


def numbers(c: EdwardsCurve) -> Numbers:
    return Numbers(c.p, Divsteps.enough(c.p, c.p, 60, 2), lambda _: False)


def kp(c: EdwardsCurve, w: int, k: int, point: tuple[int, int]) -> tuple[Point, int]:
    """Run the program; return its answer and how many products it took."""
    todo = program(c, w)
    f = Numbers(c.p, Divsteps.enough(c.p, c.p, 6, 1), lambda _: f.negative)
    x, y = (Num(c.p, v) for v in point)
    todo.prepare(f, x, y)
    assert f.flags["curve"]
    f.index, *digits = reversed(plain_digits(k, todo.digits, w).digits)
    s = todo.start(f, x, y)
    for f.index in digits:
        s = todo.step(f, s)
    todo.finish(f, s)
    for i in range(1 << w):
        assert affine(c, Projective(*(f.table[i, name] for name in "XYZ"))) == c.mul(i, point)
    return (f.answers["x"], f.answers["y"]), f.products


def projective(f: Numbers, point: Point, rng: random.Random) -> tuple[Projective[Num], Num]:
    """Return a point by a random representative, and its T."""
    assert point is not None
    z = rng.randrange(1, f.p)
    x, y = point
    return Projective(*(f.const(v) for v in (x * z, y * z, z))), f.const(x * y * z)


def affine(c: EdwardsCurve, s: Projective[Num]) -> Point:
    z = pow(s.z.value, -1, c.p)
    return s.x.value * z % c.p, s.y.value * z % c.p


def test_every_sum_and_double_of_the_toys_points() -> None:
    """The neutral element, equal, opposite and points of small order are like the others."""
    c, rng = TOY_EDWARDS, random.Random(1)
    f, todo = numbers(c), program(c, 2)
    for p in c.points():
        s, t = projective(f, p, rng)
        double, product = todo.double(f, s)
        assert affine(c, double) == c.double(p)
        assert product().value * double.z.value % c.p == double.x.value * double.y.value % c.p
        for q in c.points():
            other, own = projective(f, q, rng)
            entry = Entry(other.x, other.y, other.z, f.const(2 * c.d * own.value))
            total, product = todo.add(f, s, t, entry)
            assert affine(c, total) == c.add(p, q), (p, q)
            assert product().value * total.z.value % c.p == total.x.value * total.y.value % c.p


@pytest.mark.parametrize("w", [1, 3, 4])
def test_every_scalar_times_every_point_of_the_toy(w: int) -> None:
    c, rng = TOY_EDWARDS, random.Random(w)
    seen = set()
    for point in c.points():
        assert point is not None
        for k in (0, 1, 13, 104, 255, *rng.sample(range(256), 25)):
            answer, products = kp(c, w, k, point)
            assert answer == c.mul(k, point), (k, point)
            seen.add(products)
    assert len(seen) == 1


def test_edwards25519() -> None:
    c, rng = EDWARDS25519, random.Random(2)
    top = 2**256 - 1
    for k in (0, 1, 8, c.n - 1, c.n, c.n + 1, 8 * c.n, top, rng.getrandbits(256)):
        point = c.add(c.mul(rng.randrange(c.n), c.generator), (0, c.p - 1))  # not of order n
        assert point is not None
        assert kp(c, 4, k, point)[0] == c.mul(k, point)


def test_the_curve_flag_is_the_equation() -> None:
    c = TOY_EDWARDS
    todo = program(c, 1)
    on = 0
    for x in range(c.p):
        for y in range(c.p):
            f = numbers(c)
            todo.prepare(f, Num(c.p, x), Num(c.p, y))
            assert f.flags["curve"] == c.contains((x, y))
            on += f.flags["curve"]
    assert on == c.n * c.h


def test_presets_take_this_program() -> None:
    found = [p for p in PRIME_PRESETS.values() if isinstance(p.curve, EdwardsCurve)]
    assert {p.curve_name for p in found} == {"edwards25519", "toyp7d"}
    for p in found:
        assert isinstance(p.curve, EdwardsCurve)
        assert p.program == program(p.curve, p.window)


def test_the_trace_has_two_levels_a_step_and_no_sum_in_the_loop() -> None:
    c = EDWARDS25519
    graph = trace(program(c, 4), Divsteps.enough(c.p, c.p, 60, 2))
    assert graph.trips == 63
    assert len(graph.body.products()) == 4 * 7 + 1 + 7
    assert all(o.kind is Kind.PRODUCT for o in graph.body.ops)
    level: dict[int, int] = {}
    for op in graph.body.ops:
        level[op.atom] = 1 + max((level.get(a, 0) for a in op.atoms), default=0)
    assert max(level.values()) == 10
    stored = {place for places in graph.head.stores.values() for place in places}
    assert stored == {(i, column) for i in range(16) for column in ("X", "Y", "Z", "ZZ")}
