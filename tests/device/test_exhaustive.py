# SPDX-License-Identifier: Apache-2.0
"""Toy curves through the RTL: every scalar of the port times every point of the curve."""

import pytest

import ecsm
from ecsm.curves import Point
from ecsm.presets import PRESETS, binary_preset
from ecsm.status import PointNotOnCurve

TOYS = [name for name in PRESETS if name.startswith("toy")]


@pytest.mark.parametrize("name", TOYS)
def test_every_scalar_times_every_point(name: str) -> None:
    curve = binary_preset(name).curve
    points = [*curve.points()]
    assert None in points
    assert (0, curve.field.sqrt(curve.b)) in points  # order two
    cycles = set()
    with ecsm.open(f"sim:{name}") as device:
        for point in points:
            expected: Point = None
            for k in range(1 << curve.field.m):
                assert device.kp(k, point) == expected, (k, point)
                cycles.add(device.last_cycles)
                expected = curve.add(expected, point)
    assert len(cycles) == 1


@pytest.mark.parametrize("name", ["toy7-fast", "toy7-small"])
def test_every_point_off_the_curve_is_refused(name: str) -> None:
    curve = binary_preset(name).curve
    on = set(curve.points())
    refused = 0
    with ecsm.open(f"sim:{name}") as device:
        for x in range(1 << curve.field.m):
            for y in range(1 << curve.field.m):
                if (x, y) not in on:
                    with pytest.raises(PointNotOnCurve):
                        device.kp(3, (x, y))
                    refused += 1
    assert refused == (1 << 2 * curve.field.m) - len(on) + 1


def test_toy_curves_have_points_of_order_four() -> None:
    found = set()
    for name in TOYS:
        curve = binary_preset(name).curve
        for point in curve.points():
            double = curve.double(point)
            if double is not None and curve.double(double) is None:
                found.add(name)
    assert len(found) >= 2
