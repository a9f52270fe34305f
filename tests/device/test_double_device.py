# SPDX-License-Identifier: Apache-2.0
"""aG + bP through the RTL: toys exhaustively, then oracles, published signatures, statuses."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from types import ModuleType

import pytest

import ecsm
from ecsm.cores.store import prime_design
from ecsm.curves import Point
from ecsm.curves.gfp.endomorphism import roots
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.device.base import Device, DoubleJob, Job
from ecsm.device.sim import SimDevice
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.status import (
    CoordinateOutOfRange,
    CoreError,
    PointNotOnCurve,
    ScalarOutOfRange,
    Unsupported,
)
from tests import signatures
from tests.device.test_prime_device import marked, random_point
from tests.signatures import Signature

DOUBLE = [name for name, p in PRIME_PRESETS.items() if p.double]
TOYS = [name for name in DOUBLE if name.startswith("toy")]
REAL_NAMES = [name for name in DOUBLE if name not in TOYS]
REAL = marked(REAL_NAMES, ("p256-verify",))
NIST = marked((n for n in REAL_NAMES if PRIME_PRESETS[n].curve.aliases), ("p256-verify",))
HASHES = {"secp256r1": (256, 512), "secp384r1": (384, 512)}
FEW = 40  # published signatures in make test, of each file


def real(name: str) -> PrimeCurve:
    """Return a preset's curve."""
    found = PRIME_PRESETS[name].curve
    assert isinstance(found, PrimeCurve)
    return found


def every_pair(name: str, points: list[Point]) -> None:
    """Try every a and b of the ports with these points."""
    curve = PRIME_PRESETS[name].curve
    port = range(1 << curve.n.bit_length())
    multiples = [curve.mul(a, curve.generator) for a in port]
    with ecsm.open(f"sim:{name}") as device:
        cycles = set()
        for point in points:
            expected: Point = None
            for b in port:
                for a in port:
                    want = curve.add(multiples[a], expected)
                    assert device.double_kp(a, b, point) == want, (a, b, point)
                    cycles.add(device.last_cycles)
                expected = curve.add(expected, point)
        assert cycles == {prime_design(name).cycles_alone}


def test_there_are_presets() -> None:
    assert len(TOYS) >= 2
    assert {PRIME_PRESETS[name].endomorphism for name in TOYS} == {False, True}
    assert {"p256-verify", "p384-verify", "k256-verify"} <= set(REAL_NAMES)


def test_every_pair_of_scalars_of_the_smallest_toy() -> None:
    """Of the points infinity, G, -G and three more: the others are the slow test's."""
    curve = PRIME_PRESETS["toyp5-v"].curve
    g = curve.generator
    every_pair("toyp5-v", [None, g, curve.neg(g), *(curve.mul(k, g) for k in (2, 7, 20))])


@pytest.mark.slow
def test_every_pair_of_scalars_times_every_point_of_the_smallest_toy() -> None:
    every_pair("toyp5-v", [*PRIME_PRESETS["toyp5-v"].curve.points()])


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in TOYS if n != "toyp5-v"])
def test_every_pair_of_scalars(name: str) -> None:
    curve = PRIME_PRESETS[name].curve
    g = curve.generator
    every_pair(name, [None, g, curve.neg(g), curve.mul(curve.n // 3, g)])


@pytest.mark.parametrize("name", TOYS)
def test_every_point_of_a_toy(name: str) -> None:
    """With scalars that make a sum of equal, opposite, or infinite points, and with any."""
    curve, rng = PRIME_PRESETS[name].curve, random.Random(name)
    n, g = curve.n, curve.generator
    with ecsm.open(f"sim:{name}") as device:
        for m in range(n):
            point = curve.mul(m, g)
            a, b = rng.randrange(n), rng.randrange(n)
            rows = [(a, b), (m * b % n, b), (-m * b % n, b), (0, b), (a, 0), (n, b), (a, n)]
            for a, b in [*rows, (0, 0), (n, n), (n - m, 1), (m, n - 1)]:
                expected = curve.add(curve.mul(a, g), curve.mul(b, point))
                assert device.double_kp(a, b, point) == expected, (a, b, point)


def special(curve: PrimeCurve, rng: random.Random) -> Iterator[tuple[int, int, Point]]:
    """Yield aG + bP at the ends of the scalars, P near G, and aG and bP near each other."""
    n, g, bits = curve.n, curve.generator, curve.n.bit_length()
    top = (1 << bits) - 1
    ends = [0, 1, 2, n - 1, n, n + 1, top]
    m = rng.randrange(1, n)
    point = curve.mul(m, g)
    yield from ((a, b, point) for a, b in itertools.product(ends, ends))
    for p, k in ((g, 1), (curve.neg(g), -1), (curve.double(g), 2), (point, m)):
        for b in (1, 2, 31, n - 1, rng.randrange(n)):
            yield from ((s * k * b % n, b, p) for s in (1, -1, 2, -2))
    yield from ((a, b, None) for a, b in itertools.product((0, 1, n, rng.randrange(n)), (0, n, 7)))
    for lam in roots(n) if curve.a == 0 else []:
        image = curve.mul(lam, g)
        yield from ((a, b, image) for a, b in ((lam, n - 1), (lam, 1), (n - lam, 1), (1, lam)))
    for _ in range(20):
        yield rng.getrandbits(bits), rng.getrandbits(bits), random_point(curve, rng)


@pytest.mark.parametrize("name", REAL)
def test_it_equals_libcrypto_in_every_special_case(name: str, libcrypto: ModuleType) -> None:
    curve = real(name)
    cycles, infinite = set(), 0
    with ecsm.open(f"sim:{name}") as device:
        for a, b, point in special(curve, random.Random(f"aG + bP on {curve.name}")):
            expected = libcrypto.double_kp(curve.name, a, b, point)
            infinite += expected is None
            assert device.double_kp(a, b, point) == expected, (hex(a), hex(b), point)
            cycles.add(device.last_cycles)
    assert cycles == {prime_design(name).cycles_alone}
    assert infinite >= 20


@pytest.mark.parametrize(
    ("name", "kp", "by"),
    [
        # These take digits from the lowest up, which aG + bP does not
        # (docs/theory/prime-programs.md).
        ("p384-verify", "p384-fast", 1.28),
        ("p256-verify", "p256-fast", 1.28),
        ("k256-verify", "k256-glv", 1.44),
    ],
)
def test_it_takes_no_longer_than_kp_by_much(name: str, kp: str, by: float) -> None:
    assert prime_design(name).cycles_alone < by * prime_design(kp).cycles_alone


def verifies(device: Device, case: Signature) -> bool:
    """Verify a signature as FIPS 186-4 has it, u1 G + u2 Q on the device."""
    if (scalars := case.scalars()) is None:
        return False
    assert case.public is not None
    try:
        point = device.double_kp(*scalars, case.public)
    except (PointNotOnCurve, CoordinateOutOfRange):
        return False
    return point is not None and point[0] % case.curve.n == case.r


def check(name: str, cases: list[Signature]) -> None:
    assert {case.valid for case in cases} == {True, False}
    with ecsm.open(f"sim:{name}") as device:
        wrong = [case.name for case in cases if verifies(device, case) != case.valid]
    assert not wrong


@pytest.mark.parametrize("name", NIST)
def test_cavp_signatures(name: str) -> None:
    cases = [*signatures.cavp(real(name))]
    assert len(cases) == 75
    check(name, cases[::2])


def wycheproof(name: str) -> list[Signature]:
    """Return those that get as far as the curve."""
    curve = real(name)
    found = [s for sha in HASHES[curve.name] for s in signatures.wycheproof(curve, f"sha{sha}")]
    return [s for s in found if s.scalars()]


@pytest.mark.parametrize("name", NIST)
def test_some_wycheproof_signatures(name: str) -> None:
    """The invalid ones, and some of the others, edge cases of u1 and u2 among them."""
    cases = wycheproof(name)
    bad = [s for s in cases if not s.valid]
    edges = [s for s in cases if s.valid and "edge case" in s.name]
    assert len(bad) >= 10
    assert len(edges) >= 40
    check(name, [*bad[:FEW], *edges[::3][:FEW]])


@pytest.mark.slow
@pytest.mark.parametrize("name", NIST)
def test_every_wycheproof_signature(name: str) -> None:
    check(name, wycheproof(name))


@pytest.mark.parametrize("name", [*TOYS, *REAL])
def test_bad_inputs_are_answered_by_status(name: str) -> None:
    p = PRIME_PRESETS[name]
    curve, bits = p.curve, p.curve.n.bit_length()
    x, y = curve.generator
    top = (1 << bits) - 1
    with SimDevice(name) as device:
        for a, b in ((5, 7), (0, 0), (curve.n, curve.n), (curve.n - 7, 7), (top, top)):
            for off in ((x, y ^ 1), (0, 0), (x, 0), (0, y)):
                if not curve.contains(off):
                    with pytest.raises(PointNotOnCurve, match=r"^point = "):
                        device.double_kp(a, b, off)
            for out in ((curve.p, y), (x, curve.p), (curve.p, curve.p)):
                with pytest.raises(CoordinateOutOfRange, match=r"^[xy] = 0x"):
                    device.double_kp(a, b, out)
            with pytest.raises(Unsupported):
                device.job(3, (a, b), (x, y))
            assert device.last_cycles == prime_design(name).cycles_alone
        for a, b, what in ((top + 1, 1, "a"), (1, top + 1, "b"), (-1, 1, "a"), (1, -1, "b")):
            with pytest.raises(ScalarOutOfRange, match=rf"^{what} is not in 0"):
                device.double_kp(a, b, (x, y))
        with pytest.raises(ScalarOutOfRange, match=r"^k is not in 0"):
            device.kp(top + 1, (x, y))
        assert device.double_kp(2, 3, (x, y)) == curve.mul(5, (x, y))
        assert device.kp(3, (x, y)) == curve.mul(3, (x, y))


def test_a_core_of_kp_refuses_it() -> None:
    for name in ("toyp7-a", "toy7-fast"):
        with ecsm.open(f"sim:{name}") as device:
            assert not device.info().double
            with pytest.raises(Unsupported, match=f"{name} computes kP, not aG"):
                device.double_kp(1, 1, None)


def test_jobs_of_both_kinds_stream_through_a_farm() -> None:
    curve = PRIME_PRESETS["toyp5-v"].curve
    rng, g = random.Random(7), curve.generator
    jobs: list[Job | DoubleJob] = []
    for _ in range(60):
        point = curve.mul(rng.randrange(curve.n), g)
        a, b = rng.randrange(curve.n), rng.randrange(curve.n)
        jobs.append((b, point) if rng.getrandbits(1) else ((a, b), point))
    jobs[30] = ((64, 1), g)
    with ecsm.open("sim:toyp5-v*2") as device:
        assert device.info().double
        assert device.info().scalar_bits == 6
        seen = set()
        for done in device.as_completed(jobs):
            k, point = jobs[done.index]
            seen.add(done.index)
            if done.index == 30:
                assert isinstance(done.error, CoreError)
                continue
            a, b = k if isinstance(k, tuple) else (0, k)
            assert done.result() == curve.add(curve.mul(a, g), curve.mul(b, point))
    assert seen == set(range(60))
