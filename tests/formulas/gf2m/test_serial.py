# SPDX-License-Identifier: Apache-2.0
"""The ladder for serial machines on numbers: every scalar, every point of toy curves."""

from __future__ import annotations

import pytest

from ecsm.curves import TOY_CURVES, BinaryCurve, Point
from ecsm.formulas.gf2m import serial
from ecsm.formulas.gf2m.ladder import State
from ecsm.formulas.gf2m.numbers import Num, Numbers


def ladder(c: BinaryCurve, k: int, bits: int, point: tuple[int, int], random: int) -> Point:
    """Return k P, by a ladder of so many steps, with a Z that is not 1."""
    keys = [k >> i & 1 ^ k >> i + 1 & 1 for i in range(bits)]
    f = Numbers(c.field, lambda _, i: bool(keys[i] if i >= 0 else k & 1))
    x, y = (Num(v) for v in point)
    z = Num(random)
    s = State(f.mul("xZ", x, z), z, z, Num(0))
    before = f.products
    for i in reversed(range(bits)):
        s = serial.step(f, c.field.sqrt(c.b), s, i, x)
    assert f.products - before == 5 * bits  # and one more by a constant
    u, n, g, z1, z2 = serial.gathered(f, s, -1, x, y)
    if not z1.value:
        return None
    if not z2.value:
        return c.neg(point)
    x1, y1 = serial.affine(f, u, n, y, Num(c.field.inv(g.value)))
    return x1.value, y1.value


@pytest.mark.parametrize("c", TOY_CURVES[:5], ids=lambda c: str(c.name))
def test_every_point_of_a_toy_curve(c: BinaryCurve) -> None:
    bits = (c.h * c.n).bit_length() + 1
    for point in c.points():
        for k in range(0, c.h * c.n + 2, 5 if point and point[0] else 1):
            if point is not None:
                random = 1 + (k * 7 + point[0]) % (c.q - 1)
                assert ladder(c, k, bits, point, random) == c.mul(k, point)


@pytest.mark.parametrize("c", TOY_CURVES[:4], ids=lambda c: str(c.name))
def test_x_of_sums(c: BinaryCurve) -> None:
    f = Numbers(c.field, lambda *_: False)
    points = [p for p in c.points() if p is not None and p[0]]
    for p in points:
        twice = c.double(p)
        assert twice is not None
        x, y = (Num(v) for v in p)
        assert serial.double_x(f, c.a, x, y, Num(c.field.inv(p[0]))).value == twice[0]
        for q in points:
            if q[0] != p[0]:
                total, dx = c.add(p, q), p[0] ^ q[0]
                assert total is not None
                inverse = Num(c.field.inv(dx))
                assert serial.sum_x(f, c.a, Num(p[1] ^ q[1]), inverse, Num(dx)).value == total[0]
