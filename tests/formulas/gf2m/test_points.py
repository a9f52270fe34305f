# SPDX-License-Identifier: Apache-2.0
"""Point formulas against the reference model, in every coordinate system."""

from itertools import product

import pytest

from ecsm.curves import SEC2_CURVES, binary_curve
from ecsm.curves.gf2m.masked import recode
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m.ladder import Ladder
from ecsm.formulas.gf2m.numbers import Num, Numbers
from ecsm.formulas.gf2m.points import (
    add_affine,
    add_mixed,
    double_affine,
    double_projective,
    invert,
)

XY = tuple[int, int]


def numbers(c: BinaryCurve) -> Numbers:
    return Numbers(c.field, lambda name, index: pytest.fail(f"no condition here: {name} {index}"))


def values(point: tuple[Num, ...]) -> tuple[int, ...]:
    return tuple(v.value for v in point)


def affine(c: BinaryCurve, point: tuple[Num, Num, Num]) -> XY:
    x, y, z = values(point)
    f = c.field
    return f.mul(x, f.inv(z)), f.mul(y, f.inv(f.sqr(z)))


@pytest.mark.parametrize("name", ["toy5a", "toy7b"])
def test_every_addition_and_doubling(name: str) -> None:
    c = binary_curve(name)
    f = numbers(c)
    points = [p for p in c.points() if p is not None]
    zs = [1, 2, (1 << c.field.m) - 1]
    for p, q in product(points, points[::3]):
        total = c.add(p, q)
        num_p, num_q = (Num(p[0]), Num(p[1])), (Num(q[0]), Num(q[1]))
        if p != q and total is not None:
            assert values(add_affine(f, c.a, num_p, num_q)) == total
            for z in zs:
                big = (Num(c.field.mul(p[0], z)), Num(c.field.mul(p[1], c.field.sqr(z))), Num(z))
                assert affine(c, add_mixed(f, c.a, big, num_q)) == total
    for p in points:
        double = c.double(p)
        if double is not None:
            assert values(double_affine(f, c.a, (Num(p[0]), Num(p[1])))) == double
            for z in zs:
                big = (Num(c.field.mul(p[0], z)), Num(c.field.mul(p[1], c.field.sqr(z))), Num(z))
                assert affine(c, double_projective(f, c.a, c.b, big)) == double


@pytest.mark.parametrize("c", SEC2_CURVES, ids=lambda c: c.name)
def test_formulas_on_real_curves(c: BinaryCurve) -> None:
    f = numbers(c)
    g = c.generator
    p = c.mul(7, g)
    assert p is not None
    num_g, num_p = (Num(g[0]), Num(g[1])), (Num(p[0]), Num(p[1]))
    assert values(add_affine(f, c.a, num_g, num_p)) == c.mul(8, g)
    assert values(double_affine(f, c.a, num_p)) == c.mul(14, g)
    big = (*num_p, Num(1))
    assert affine(c, add_mixed(f, c.a, big, num_g)) == c.mul(8, g)
    assert affine(c, double_projective(f, c.a, c.b, big)) == c.mul(14, g)
    assert c.field.mul(invert(f, Num(g[0])).value, g[0]) == 1
    assert invert(f, Num(0)).value == 0


def ladder(c: BinaryCurve, k: int, point: XY, z_roots: bool = True) -> tuple[XY | None, int]:
    """The ladder program on numbers; returns kP and the number of products."""
    m = c.field.m
    keys = recode(k, m)
    f = Numbers(c.field, lambda name, index: keys[index] if name == "key" else conditions(name))

    def conditions(name: str) -> bool:
        affine_result = f.flags["curve"] and not f.flags["z1"]
        return affine_result if name == "affine" else affine_result and f.flags["z2"]

    program = Ladder(c.a, c.b, z_roots)
    x, y = Num(point[0]), Num(point[1])
    state = program.start(f, x)
    for i in range(m):
        state = program.step(f, state, i, x)
    out = program.finish(f, state, m, x, y)
    assert f.flags["curve"]
    return (None if f.flags["z1"] else (out[0].value, out[1].value)), f.products


@pytest.mark.parametrize("z_roots", [True, False])
@pytest.mark.parametrize("name", ["toy5a", "toy5k", "toy7k"])
def test_ladder_on_every_scalar_and_point(name: str, z_roots: bool) -> None:
    c = binary_curve(name)
    for point in c.points():
        expected = None
        for k in range(1 << c.field.m):
            if point is not None:
                assert ladder(c, k, point, z_roots)[0] == expected, (k, point)
            expected = c.add(expected, point)


@pytest.mark.parametrize("c", SEC2_CURVES, ids=lambda c: c.name)
def test_ladder_on_real_curves(c: BinaryCurve) -> None:
    products = set()
    for k in (0, 1, 2, c.n - 1, c.n, (1 << c.field.m) - 1, 0x123456789ABCDEF):
        result, count = ladder(c, k, c.generator)
        assert result == c.mul(k, c.generator)
        products.add(count)
    assert len(products) == 1
