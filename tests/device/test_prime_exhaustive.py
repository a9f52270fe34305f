# SPDX-License-Identifier: Apache-2.0
"""Toy prime curves through the RTL: every scalar of the port times every point of the curve."""

import itertools
import random
from collections.abc import Iterable

import pytest

import ecsm
from ecsm.cores.store import prime_design
from ecsm.curves import Point, PrimeCurve
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.status import CoordinateOutOfRange, CoreError, PointNotOnCurve

TOYS = [
    name
    for name, p in PRIME_PRESETS.items()
    if name.startswith("toy") and isinstance(p.curve, PrimeCurve)
]  # those of other forms are in test_curve25519_device.py
QUICK = ("toyp7-a",)  # pairs of the others in make test-all
THREADED = [name for name in TOYS if PRIME_PRESETS[name].threads > 1]
# Others are in make test-all; aG + bP has its own test, a = 0 in it.
LONG = [*THREADED, *(name for name in TOYS if PRIME_PRESETS[name].double)]
EVERY_PAIR = 1 << 16  # pairs of coordinates of which all are tried, if there are no more


def test_there_are_toys() -> None:
    assert TOYS


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in LONG else ()) for n in TOYS]
)
def test_every_scalar_times_every_point(name: str) -> None:
    """One job after the other: with threads, each alone after its patience."""
    p = PRIME_PRESETS[name]
    curve = p.curve
    points = [*curve.points()]
    assert None in points
    assert len(points) == curve.n * curve.h
    with ecsm.open(f"sim:{name}") as device:
        for point in points:
            expected: Point = None
            cycles = set()
            for k in range(1 << device.info().scalar_bits):  # of aG + kP those with a = 0
                assert device.kp(k, point) == expected, (k, point)
                cycles.add(device.last_cycles)
                expected = curve.add(expected, point)
            assert cycles == {prime_design(name).of(point).cycles_alone}


@pytest.mark.parametrize("name", THREADED)
def test_every_scalar_times_every_point_in_batches(name: str) -> None:
    """Jobs in any order, a job of its own in every thread; the last ones fill no batch."""
    p = PRIME_PRESETS[name]
    curve = p.curve
    expected: dict[tuple[int, Point], Point] = {}
    for point in curve.points():
        multiple: Point = None
        for k in range(1 << p.scalar_bits):
            expected[k, point] = multiple
            multiple = curve.add(multiple, point)
    jobs = [*expected, *itertools.islice(expected, -len(expected) % p.threads + 1)]
    assert len(jobs) % p.threads == 1
    random.Random(f"batches of {name}").shuffle(jobs)
    with ecsm.open(f"sim:{name}") as device:
        done = sorted(device.as_completed(jobs), key=lambda d: d.index)
    for job, answer in zip(jobs, done, strict=True):
        assert answer.result() == expected[job], job
    full, alone = prime_design(name).microcode.cycles, prime_design(name).cycles_alone
    assert [d.cycles for d in done] == [full] * (len(jobs) - 1) + [alone]


def pairs(p: PrimePreset) -> Iterable[tuple[int, int]]:
    """Every pair of the coordinates' ports, or where they are too many a cross of all of each."""
    port = range(1 << p.coordinate_bits)
    if len(port) ** 2 <= EVERY_PAIR:
        return itertools.product(port, port)
    rng = random.Random(f"pairs of {p.name}")
    gx, gy = p.curve.generator
    few = [0, p.curve.p - 1, p.curve.p, len(port) - 1, *(rng.choice(port) for _ in range(4))]
    return itertools.chain(
        itertools.product(few, few),
        itertools.product([gx], port),
        itertools.product(port, [gy]),
    )


def refusal(p: PrimePreset, x: int, y: int) -> type[CoreError] | None:
    """What the port must answer for a point, by the definition."""
    assert isinstance(p.curve, PrimeCurve)
    if x >= p.curve.p or y >= p.curve.p:
        return CoordinateOutOfRange
    on = (y * y - x**3 - p.curve.a * x - p.curve.b) % p.curve.p == 0
    return None if on else PointNotOnCurve


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in TOYS]
)
def test_every_pair_off_the_curve_is_refused(name: str) -> None:
    p = PRIME_PRESETS[name]
    seen: dict[type[CoreError] | None, int] = {}
    with ecsm.open(f"sim:{name}") as device:
        for x, y in pairs(p):
            found: type[CoreError] | None = None
            try:
                device.kp(1, (x, y))
            except CoreError as error:
                found = type(error)
            assert found is refusal(p, x, y), (x, y)
            seen[found] = seen.get(found, 0) + 1
            assert device.last_cycles == prime_design(name).of((x, y)).cycles_alone
    assert seen.keys() == {None, CoordinateOutOfRange, PointNotOnCurve}
    if 1 << 2 * p.coordinate_bits <= EVERY_PAIR:
        assert seen[None] == p.curve.n * p.curve.h - 1
