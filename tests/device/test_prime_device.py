# SPDX-License-Identifier: Apache-2.0
"""The Device over real prime curves: oracles, published vectors, statuses, constant time."""

import random
from collections.abc import Container, Iterable, Iterator
from types import ModuleType

import pytest
from _pytest.mark import ParameterSet

import ecsm
from ecsm.cores import store
from ecsm.cores.store import prime_design
from ecsm.curves.gfp.endomorphism import roots
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.device.sim import SimDevice
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.status import CoordinateOutOfRange, PointNotOnCurve, ScalarOutOfRange, Unsupported
from tests import vectors

QUICK = ("p256-fast",)  # the rest in make test-all


def marked(names: Iterable[str], quick: Container[str] = QUICK) -> list[ParameterSet]:
    return [pytest.param(n, marks=() if n in quick else pytest.mark.slow) for n in names]


KEPT = [
    n
    for n, p in PRIME_PRESETS.items()
    if not n.startswith("toy") and store.path(n).exists() and isinstance(p.curve, PrimeCurve)
]  # curves of other forms are in test_curve25519_device.py
REAL = marked(KEPT)
NIST = marked(n for n in KEPT if PRIME_PRESETS[n].curve.aliases)  # CAVP and Wycheproof have them
AIMS = {"p224-fast": 8000, "p256-fast": 9000, "p384-fast": 16000, "k256-glv": 5500}


def curve_of(name: str) -> PrimeCurve:
    curve = PRIME_PRESETS[name].curve
    assert isinstance(curve, PrimeCurve)
    return curve


def edges(curve: PrimeCurve) -> list[int]:
    """Scalars at which something could go wrong: around 0, n, n/2 and the port's end."""
    n = curve.n
    top = (1 << n.bit_length()) - 1
    near = [b + d for b in (n, n // 2, top // 2) for d in (-2, -1, 0, 1, 2)]
    powers = [1 << i for i in range(0, n.bit_length(), 32)]
    found = [0, 1, 2, 3, 4, 5, top - 1, top, *near, *powers, *collisions(n), *halves(curve)]
    return [k for k in dict.fromkeys(found) if k <= top]


def collisions(n: int) -> Iterator[int]:
    """Scalars that end by an addition of equal points for some window, if one does not avoid it."""
    for w in range(2, 9):
        for k in (n - 2 * (n % (1 << w)), 2 * (n % (1 << w))):
            yield from (k, k + n)


def halves(curve: PrimeCurve) -> Iterator[int]:
    """Scalars of small halves, or whose halves end by an addition of equal or opposite points."""
    for lam in roots(curve.n) if curve.a == 0 else []:
        for d2 in (1, 6, 10, 29, 31):
            for d1 in (0, 1, 29):
                for k in (d1 + d2 * lam, 2 * (d1 + d2 * lam), 2 * d1 + d2 * lam):
                    yield from (k % curve.n, -k % curve.n)


def random_point(curve: PrimeCurve, rng: random.Random) -> tuple[int, int]:
    while True:
        x, y = curve.lift_x(rng.randrange(curve.p)) or (0, 0)
        if curve.contains((x, y)):
            return (x, y) if rng.getrandbits(1) else (x, -y % curve.p)


@pytest.mark.parametrize("name", REAL)
def test_cycles_are_the_schedules_claim(name: str) -> None:
    d = prime_design(name)
    assert d.cycles_bound <= d.microcode.cycles
    assert d.microcode.cycles <= AIMS.get(name, 1 << 20)
    with ecsm.open(f"sim:{name}") as device:
        g = d.preset.curve.generator
        for point in (g, d.preset.curve.double(g)):
            device.kp(3, point)
            assert device.last_cycles == d.of(point).cycles_alone
        assert device.info().cycles == d.microcode.cycles


@pytest.mark.parametrize("name", REAL)
def test_kp_equals_libcrypto(name: str, libcrypto: ModuleType) -> None:
    curve = curve_of(name)
    rng = random.Random(f"libcrypto {curve.name}")
    scalars = [*edges(curve), *(rng.getrandbits(curve.n.bit_length()) for _ in range(50))]
    with ecsm.open(f"sim:{name}") as device:
        point = curve.generator
        for k in scalars:
            assert device.kp(k, point) == libcrypto.kp(curve.name, k, point), (hex(k), point)
            point = random_point(curve, rng)


@pytest.mark.parametrize("name", REAL)
def test_small_multiples_and_opposites(name: str) -> None:
    curve = curve_of(name)
    n, g = curve.n, curve.generator
    with ecsm.open(f"sim:{name}") as device:
        for k in range(36):  # past every entry of the table
            expected = curve.mul(k, g)
            assert device.kp(k, g) == expected
            assert device.kp(n - k, g) == curve.neg(expected)
        if curve.b and (zero := curve.lift_x(0)):  # x = 0
            assert device.kp(n - 3, zero) == curve.mul(n - 3, zero)


@pytest.mark.parametrize("name", REAL)
def test_cycles_depend_on_nothing(name: str) -> None:
    p, curve = PRIME_PRESETS[name], curve_of(name)
    rng = random.Random(f"cycles {curve.name}")
    bits = curve.n.bit_length()
    scalars = [*edges(curve), *(rng.getrandbits(bits) for _ in range(20))]
    assert len(scalars) >= 50
    x, y = curve.generator
    double = curve.double(curve.generator)
    all_ones = (1 << p.coordinate_bits) - 1
    d = prime_design(name)
    of_g, cycles = set(), set()
    with SimDevice(name) as device:
        for k in scalars:
            device.kp(k, curve.generator)
            of_g.add(device.last_cycles)
            device.kp(k, double)
            cycles.add(device.last_cycles)
        for k in (0, 1, curve.n, scalars[-1]):
            assert device.kp(k, None) is None
            cycles.add(device.last_cycles)
            for off in ((x, y ^ 1), (0, 0), (x, 0), (0, y)):
                with pytest.raises(PointNotOnCurve):
                    device.kp(k, off)
                cycles.add(device.last_cycles)
            for out in ((curve.p, y), (x, curve.p), (all_ones, all_ones)):
                with pytest.raises(CoordinateOutOfRange):
                    device.kp(k, out)
                cycles.add(device.last_cycles)
            with pytest.raises(Unsupported):
                device.job(9, k, double)
            cycles.add(device.last_cycles)
    assert cycles == {d.cycles_alone}
    assert of_g == {d.of(curve.generator).cycles_alone}


@pytest.mark.parametrize("name", REAL)
def test_bad_inputs_are_answered_by_status(name: str) -> None:
    p = PRIME_PRESETS[name]
    curve, port = p.curve, (1 << p.coordinate_bits) - 1
    x, y = curve.generator
    with ecsm.open(f"sim:{name}") as device:
        small = next(v for v in range(1, 100) if curve.lift_x(v))  # v + p fits the port
        point = curve.lift_x(small) or (0, 0)
        assert device.kp(2, point) == curve.double(point)
        shifted = [(small + curve.p, point[1]), (point[0], point[1] + curve.p)]
        largest = [(curve.p, y), (x, curve.p), (curve.p + 1, y), (port, y), (x, port)]
        for bad in [*shifted, *largest]:
            if max(bad) <= port:
                with pytest.raises(CoordinateOutOfRange, match=r"^[xy] = 0x"):
                    device.kp(5, bad)
        for bad in ((x, y ^ 1), (x ^ 1, y), (0, 0), (curve.p - 1, curve.p - 1), (y, x)):
            with pytest.raises(PointNotOnCurve, match=r"^point = "):
                device.kp(5, bad)
        with pytest.raises(ScalarOutOfRange):
            device.kp(1 << p.scalar_bits, (x, y))
        assert device.kp(5, (x, y)) == curve.mul(5, (x, y))


@pytest.mark.parametrize("name", NIST)
def test_cavp_key_pairs(name: str) -> None:
    curve = PRIME_PRESETS[name].curve
    cases = [v for v in vectors.key_pairs() if v.curve == curve]
    assert len(cases) == 10
    with ecsm.open(f"sim:{name}") as device:
        for case in cases:
            assert device.kp(case.d, curve.generator) == case.public


@pytest.mark.parametrize("name", NIST)
def test_cavp_public_key_validation(name: str) -> None:
    curve = PRIME_PRESETS[name].curve
    cases = [v for v in vectors.key_validations() if v.curve == curve]
    assert {v.valid for v in cases} == {True, False}
    with ecsm.open(f"sim:{name}") as device:
        for case in cases:
            if max(case.public) >> PRIME_PRESETS[name].coordinate_bits:
                continue
            if case.valid:
                assert device.kp(1, case.public) == case.public
            else:
                with pytest.raises((PointNotOnCurve, CoordinateOutOfRange)):
                    device.kp(1, case.public)


@pytest.mark.parametrize("name", NIST)
def test_cavp_ecc_cdh(name: str) -> None:
    curve = PRIME_PRESETS[name].curve
    cases = [v for v in vectors.prime_derive_cases() if v.curve == curve]
    assert len(cases) == 25
    with ecsm.open(f"sim:{name}") as device:
        for case in cases:
            assert device.kp(case.d, curve.generator) == case.public, case.name
            answer = device.kp(case.d, case.peer)
            assert answer is not None, case.name
            assert answer[0] == case.shared, case.name


@pytest.mark.parametrize("name", NIST)
def test_wycheproof_ecdh(name: str) -> None:
    curve = curve_of(name)
    cases = vectors.wycheproof_ecdh(curve)
    assert len([c for c in cases if c.shared is not None]) > 200
    with ecsm.open(f"sim:{name}") as device:
        for case in cases:
            if case.d >> curve.n.bit_length():
                continue  # wider than the port: refused before it
            if case.shared is None:
                with pytest.raises((PointNotOnCurve, CoordinateOutOfRange)):
                    device.kp(case.d, case.peer)
                continue
            answer = device.kp(case.d, case.peer)
            assert answer is not None, case.name
            assert answer[0] == case.shared, case.name


@pytest.mark.parametrize("name", REAL)
def test_a_stopped_job_leaves_a_core_that_is_right(name: str) -> None:
    curve = PRIME_PRESETS[name].curve
    cycles = prime_design(name).cycles_alone
    with SimDevice(name) as device:
        for after in (0, 1, 100, cycles // 2, cycles - 2, cycles - 1, cycles, cycles + 3):
            for reset in (False, True):
                device.abort(curve.n - 2, curve.generator, after, reset)
                assert device.kp(2, curve.generator) == curve.double(curve.generator)
