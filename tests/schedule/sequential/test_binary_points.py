# SPDX-License-Identifier: Apache-2.0
"""kP over GF(2^m) on the model of the word engine: every scalar, low orders, standard curves."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import BinaryCurve, Point, curve
from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.sec2 import SEC2_CURVES
from ecsm.schedule.sequential.binary import Polynomial
from ecsm.schedule.sequential.binary_multiply import binary_multiplication, scalar_octets
from ecsm.schedule.sequential.built import Built, back_to_back
from ecsm.schedule.sequential.field_recorder import FieldRecorder
from ecsm.schedule.sequential.machine import Strings
from ecsm.schedule.sequential.recorder import OutOfRange
from ecsm.status import Status


def kp(built: Built, c: BinaryCurve, k: int, point: tuple[int, int]) -> tuple[Status, Point, int]:
    """Return the status, kP, and how many slots were executed."""
    octets = -(-c.field.m // 8)
    host = Strings(k.to_bytes(scalar_octets(c), "big"), *(v.to_bytes(octets, "big") for v in point))
    engine = built.engine()
    status = Status(engine.run(0, host))
    if status != Status.OK:
        return status, None, engine.slots
    infinity, x, y = (int.from_bytes(v, "big") for v in host.out)
    assert infinity in (0, 1)
    return status, None if infinity else (x, y), engine.slots


def binary(name: str) -> BinaryCurve:
    c = curve(name)
    assert isinstance(c, BinaryCurve)
    return c


def every(name: str, step: int) -> None:
    c = binary(name)
    built, slots = binary_multiplication(c, 8), dict[bool, set[int]]()
    for point in c.points():
        if point is None:
            continue
        # All scalars of points of low orders, and of some others.
        few = step if c.mul(4, point) else min(step, 5)
        for k in range((point[0] * 3) % few, c.h * c.n + 3, few):
            status, found, taken = kp(built, c, k, point)
            assert (status, found) == (Status.OK, c.mul(k, point)), (k, point)
            slots.setdefault(found is None, set()).add(taken)
    assert [len(found) for found in slots.values()] == [1, 1]


@pytest.mark.parametrize("name", ["toy7b", "toy8b"])
def test_some_scalars_on_every_point(name: str) -> None:
    every(name, 301)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["toy7a", "toy7b", "toy7k", "toy8a", "toy8b"])
def test_every_scalar_on_every_point(name: str) -> None:
    every(name, 1)


@pytest.mark.parametrize("c", SEC2_CURVES, ids=lambda c: str(c.name))
def test_standard_curves(c: BinaryCurve) -> None:
    """Edges take the cycles of others; of points of low order, and off the curve."""
    built, rng = binary_multiplication(c), random.Random(c.name)
    assert back_to_back(built.walks)
    scalars = [1, c.n - 1, c.n + 1, rng.randrange(c.n)][:: 1 if c.field.m < 240 else 3]
    slots = set()
    for k in scalars:
        status, found, taken = kp(built, c, k, c.generator)
        assert (status, found) == (Status.OK, c.mul(k, c.generator))
        slots.add(taken)
    assert len(slots) == 1
    two = c.lift_x(0)
    assert two is not None
    assert kp(built, c, 2, two)[:2] == (Status.OK, None)
    assert kp(built, c, 3, two)[:2] == (Status.OK, two)
    x, y = c.generator
    assert kp(built, c, 1, (x, y ^ 1))[0] == Status.POINT_NOT_ON_CURVE
    assert kp(built, c, 1, (x, y | 1 << c.field.m))[0] == Status.COORDINATE_OUT_OF_RANGE
    assert kp(built, c, 1, (0, 0))[0] == Status.POINT_NOT_ON_CURVE


def test_the_recorder_refuses_what_may_not_fit() -> None:
    f = Polynomial(BinaryField(233, (74, 0)))
    r = FieldRecorder(f, {1: "1"})
    x = r.input("x")
    r.bits[0] = 256
    assert r.bits[r.whole("x²", r.frob(x, 1))] == 255
    with pytest.raises(ValueError, match="is 0"):
        r.whole("nothing", x + x)
    r = FieldRecorder(f, {1: "1"})
    x = r.input("x")
    r.bits[0] = 257
    with pytest.raises(OutOfRange):
        r.mul("x²", x, x)
