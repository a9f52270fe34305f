# SPDX-License-Identifier: Apache-2.0
"""The Device over Curve25519's two forms, and toys of both exhaustively, through the RTL."""

from __future__ import annotations

import hashlib
import itertools
import random
from types import ModuleType

import pytest

import ecsm
from ecsm.cores.store import prime_design
from ecsm.curves import CURVE25519, EDWARDS25519, Point, XLine
from ecsm.curves.gfp.weierstrass import square_root
from ecsm.curves.toy import TOY_EDWARDS, TOY_XLINE
from ecsm.device.base import Device
from ecsm.device.sim import SimDevice
from ecsm.oracle import rawkeys
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.status import (
    CoordinateOutOfRange,
    CoreError,
    PointNotOnCurve,
    ScalarOutOfRange,
    Unsupported,
)
from tests import vectors

REAL = ("x25519", "ed25519")
TOYS = ("toyp7-x", "toyp7-d", "toyp7-xt", "toyp7-db")
C, E = CURVE25519, EDWARDS25519
AIMS = {"x25519": 6300, "ed25519": 5250}
SMALL = [(0, 1), (0, E.p - 1), (square_root(E.p - 1, E.p) or 0, 0)]  # orders 1, 2 and 4


def x25519(device: Device, k: bytes, u: bytes) -> bytes:
    """RFC 7748's function by the device's verb."""
    return C.encode(device.kp(int.from_bytes(k, "little"), C.decode(u)))


def refusal(device: Device, k: int, point: Point) -> type[CoreError] | None:
    try:
        device.kp(k, point)
    except CoreError as error:
        return type(error)
    return None


# ------------------------------------------------------------------ toys
def every_x(count: int) -> set[int]:
    """Multiply every x of the toy's port by ``count`` scalars for each that is different."""
    c, rng = TOY_XLINE, random.Random(count)
    scalars = {c.decode_scalar(k) for k in range(256)}
    cycles = set()
    with ecsm.open("sim:toyp7-x") as device:
        for x in range(256):
            for k in range(256) if count == 256 else sorted(scalars):
                other = k if count == 256 else k & c.kept | rng.getrandbits(8) & ~c.kept & 255
                want = c.multiple(c.decode_scalar(k), (x % 128 % c.p, 0))
                assert device.kp(other, (x, 0)) == want, (other, x)
                cycles.add(device.last_cycles)
    return cycles


def test_every_x_of_the_toy_line_times_every_scalar_that_counts() -> None:
    """Any bits where RFC 7748 ignores them: above x, and of the scalar."""
    assert every_x(1) == {prime_design("toyp7-x").cycles_alone}


@pytest.mark.slow
def test_every_x_of_the_toy_line_times_every_scalar() -> None:
    assert every_x(256) == {prime_design("toyp7-x").cycles_alone}


def test_threads_multiply_every_x_of_the_toy_line_by_every_scalar_that_counts() -> None:
    """Together, in any order: results whose Z is 0, and refused points, spoil no one's inverse."""
    c, rng = TOY_XLINE, random.Random(3)
    scalars = sorted({c.decode_scalar(k) for k in range(256)})
    jobs: list[tuple[int, Point]] = [(k, (x, 0)) for x in range(256) for k in scalars]
    refused = {None: None, (3, 1): PointNotOnCurve, (3, c.p): CoordinateOutOfRange}
    jobs += [(k, point) for k in scalars for point in refused]
    jobs += jobs[: -len(jobs) % 3]  # whole batches
    rng.shuffle(jobs)
    cycles, zeros = set(), 0
    with SimDevice("toyp7-xt") as device:
        for (k, point), done in zip(jobs, device.as_completed(iter(jobs)), strict=True):
            if point in refused:
                assert done.point is None
                assert type(done.error) is (refused[point] or type(None))
            else:
                assert point is not None
                assert done.point == c.multiple(k, (point[0] % 128 % c.p, 0)), (k, point)
                zeros += done.point == (0, 0)
            cycles.add(done.cycles)
    assert zeros > 100
    assert cycles == {prime_design("toyp7-xt").microcode.cycles}


@pytest.mark.parametrize("name", ["toyp7-d", "toyp7-db"])
def test_every_scalar_times_every_point_of_the_toy_edwards_curve(name: str) -> None:
    """With a comb, multiples of the generator have cycles of their own."""
    c, d = TOY_EDWARDS, prime_design(name)
    cycles: dict[bool, set[int]] = {False: set(), True: set()}
    with ecsm.open(f"sim:{name}") as device:
        for point in c.points():
            expected = c.neutral
            for k in range(256):
                assert device.kp(k, point) == expected, (k, point)
                cycles[point == c.generator].add(device.last_cycles)
                expected = c.add(expected, point)
    assert cycles[False] == {d.cycles_alone}
    assert cycles[True] == {d.base_cycles if d.base else d.cycles_alone}
    assert (d.base is None) == (name == "toyp7-d")


@pytest.mark.parametrize("name", TOYS)
def test_pairs_that_are_no_points_are_refused(name: str) -> None:
    """A cross of all values of either port, for a point and around it."""
    c = PRIME_PRESETS[name].curve
    x, y = c.generator
    few = (0, 1, 2, y, c.p - 1, c.p, 127, 128, 255)
    seen = set()
    with ecsm.open(f"sim:{name}") as device:
        pairs = itertools.product(few, range(256)), itertools.product(range(256), few), [(x, y)]
        for pair in dict.fromkeys(itertools.chain(*pairs)):
            want: type[CoreError] | None = None
            if pair[1] >= c.p or (pair[0] >= c.p and not isinstance(c, XLine)):
                want = CoordinateOutOfRange
            elif not c.contains(pair):
                want = PointNotOnCurve
            assert refusal(device, 5, pair) is want, pair
            seen.add(want)
    assert seen == {None, CoordinateOutOfRange, PointNotOnCurve}


# ------------------------------------------------------------------ the curve itself
@pytest.mark.parametrize("name", REAL)
def test_cycles_are_the_schedules_claim(name: str) -> None:
    d = prime_design(name)
    assert d.cycles_bound <= d.microcode.cycles <= AIMS[name]
    with ecsm.open(f"sim:{name}") as device:
        device.kp(3, d.preset.curve.generator)
        assert device.last_cycles == device.info().cycles == d.microcode.cycles


@pytest.mark.parametrize("name", REAL)
def test_cycles_depend_on_nothing(name: str) -> None:
    p = PRIME_PRESETS[name]
    c, rng = p.curve, random.Random(name)
    x, y = c.generator
    top = (1 << 256) - 1
    points = [(0, 0), (1, 0), (c.p, 0), (top, 0)] if isinstance(c, XLine) else [*SMALL]
    cycles = set()
    with SimDevice(name) as device:
        for k in (0, 1, 2, c.n - 1, c.n, 8 * c.n, top, 1 << 255, *map(rng.getrandbits, [256] * 9)):
            device.kp(k, (x, y))
            cycles.add(device.last_cycles)
        for k in (0, top, rng.getrandbits(256)):
            for point in points:
                assert device.kp(k, point) == c.mul(k, point)
                cycles.add(device.last_cycles)
            for bad in ((x, y ^ 1), (x, c.p), (x, top)):
                assert refusal(device, k, bad) in (PointNotOnCurve, CoordinateOutOfRange)
                cycles.add(device.last_cycles)
            assert device.kp(k, None) is None
            cycles.add(device.last_cycles)
            with pytest.raises(Unsupported):
                device.job(9, k, (x, y))
            cycles.add(device.last_cycles)
    assert cycles == {prime_design(name).cycles_alone}


@pytest.mark.parametrize("name", REAL)
def test_bad_inputs_are_answered_by_status(name: str) -> None:
    c = PRIME_PRESETS[name].curve
    x, y = c.generator
    with ecsm.open(f"sim:{name}") as device:
        with pytest.raises(CoordinateOutOfRange, match=r"^y = 0x"):
            device.kp(5, (x, c.p))
        with pytest.raises(PointNotOnCurve, match=r"^point = "):
            device.kp(5, (x, y ^ 1))
        with pytest.raises(ScalarOutOfRange):
            device.kp(1 << 256, (x, y))
        if not isinstance(c, XLine):
            for bad in ((c.p, 1), (x + c.p, y), (1 << 255, 1)):
                with pytest.raises(CoordinateOutOfRange, match=r"^x = 0x"):
                    device.kp(5, bad)
        assert device.kp(5, (x, y)) == c.mul(5, (x, y))


@pytest.mark.parametrize("name", REAL)
def test_a_stopped_job_leaves_a_core_that_is_right(name: str) -> None:
    c = PRIME_PRESETS[name].curve
    cycles = prime_design(name).cycles_alone
    want = c.mul(6, c.generator)
    with SimDevice(name) as device:
        for after in (0, 1, 100, cycles // 2, cycles - 1, cycles, cycles + 3):
            for reset in (False, True):
                device.abort(c.n - 2, c.generator, after, reset)
                assert device.kp(6, c.generator) == want


# ------------------------------------------------------------------ X25519
def test_rfc_7748() -> None:
    with ecsm.open("sim:x25519") as device:
        for case in vectors.rfc7748_cases():
            assert x25519(device, case.k, case.u) == case.shared, case.name


ITERATED = {
    1: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
    1000: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
}
"""RFC 7748, 5.2: k after so many turns of k, u = X25519(k, u), k, both 9 at first."""


def iterated(count: int) -> str:
    k = u = (9).to_bytes(32, "little")
    with ecsm.open("sim:x25519") as device:
        for _ in range(count):
            k, u = x25519(device, k, u), k
    return k.hex()


@pytest.mark.parametrize("count", [1, pytest.param(1000, marks=pytest.mark.slow)])
def test_rfc_7748s_iteration(count: int) -> None:
    assert iterated(count) == ITERATED[count]


def test_two_parties_agree() -> None:
    rng, nine = random.Random("agree"), (9).to_bytes(32, "little")
    with ecsm.open("sim:x25519") as device:
        a, b = rng.randbytes(32), rng.randbytes(32)
        public = [x25519(device, k, nine) for k in (a, b)]
        assert x25519(device, a, public[1]) == x25519(device, b, public[0]) != bytes(32)


@pytest.mark.parametrize(
    "name", ["x25519", pytest.param("x25519-throughput", marks=pytest.mark.full)]
)
def test_wycheproof_x25519(name: str) -> None:
    """Of several threads in whole batches, which take the schedule's cycles."""
    cases = vectors.wycheproof_x25519()
    assert len(cases) == 518
    cases += cases[: -len(cases) % PRIME_PRESETS[name].threads]
    assert any(not any(case.shared) for case in cases)
    jobs = ((int.from_bytes(case.k, "little"), C.decode(case.u)) for case in cases)
    with SimDevice(name) as device:
        for case, done in zip(cases, device.as_completed(jobs), strict=True):
            assert C.encode(done.point) == case.shared, case.name
            assert done.cycles == prime_design(name).microcode.cycles


def test_x25519_equals_libcrypto(libcrypto: ModuleType) -> None:
    del libcrypto
    rng = random.Random("x25519")
    with ecsm.open("sim:x25519") as device:
        for _ in range(50):
            k, u = rng.randbytes(32), rng.randbytes(32)
            assert x25519(device, k, u) == rawkeys.x25519(k, u)


def test_low_orders_and_numbers_that_are_not_reduced() -> None:
    """Zero for every x of low order, as the function is defined; p + x is x, bit 255 is none."""
    low = (0, 1, C.p - 1)
    for x in ORDER_EIGHT:  # its double is of order four
        assert C.multiple(2, (x, 0)) in ((1, 0), (C.p - 1, 0))
    with ecsm.open("sim:x25519") as device:
        for k in (0, (1 << 256) - 1):
            for x in (*low, *ORDER_EIGHT, C.p, C.p + 1, 1 << 255, (1 << 255) + C.p - 1):
                assert device.kp(k, (x, 0)) == (0, 0)
            for x in (2, 9, 18):  # 18 + p is the largest number of 255 bits
                want = C.mul(k, (x, 0))
                for same in (x, x + C.p, x + (1 << 255), x + C.p + (1 << 255)):
                    assert device.kp(k, (same, 0)) == want


ORDER_EIGHT = (
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
)
"""The x of the points of order eight (Bernstein, "Curve25519", cr.yp.to/ecdh.html)."""


# ------------------------------------------------------------------ Ed25519
@pytest.mark.full
def test_multiples_of_the_base_point_have_cycles_of_their_own() -> None:
    """The same for every scalar, those that end as the neutral point among them."""
    d, rng = prime_design("ed25519-sign"), random.Random("comb")
    edges = (0, 1, 2, E.n - 1, E.n, E.n + 1, 8 * E.n, 15 * E.n, (1 << 256) - 1, 1 << 255)
    with SimDevice("ed25519-sign") as device:
        for k in (*edges, *map(rng.getrandbits, [256] * 20)):
            assert device.kp(k, E.generator) == E.mul(k, E.generator)
            assert device.last_cycles == d.base_cycles < 800
        for point in (*SMALL, E.neg(E.generator), E.double(E.generator)):
            assert device.kp(edges[-2], point) == E.mul(edges[-2], point)
            assert device.last_cycles == d.microcode.cycles


@pytest.mark.parametrize("name", ["ed25519", pytest.param("ed25519-sign", marks=pytest.mark.full)])
def test_ed25519_public_keys_equal_libcryptos(name: str, libcrypto: ModuleType) -> None:
    """The public key is sB, s by SHA-512 of the private key (RFC 8032, 5.1.5)."""
    del libcrypto
    rng = random.Random("ed25519")
    with ecsm.open(f"sim:{name}") as device:
        for _ in range(30):
            seed = rng.randbytes(32)
            half = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
            point = device.kp(C.decode_scalar(half), E.generator)
            assert E.encode(point) == rawkeys.ed25519_public(seed)


def test_any_scalar_times_any_point_of_edwards25519() -> None:
    """Scalars above n are not reduced: points outside the prime-order group tell."""
    rng = random.Random("any")
    top = (1 << 256) - 1
    scalars = (0, 1, 2, 3, 7, 8, E.n - 1, E.n, E.n + 1, 8 * E.n, 8 * E.n + 3, top - 1, top)
    eight = next(p for p in map(lifted, range(2, 99)) if E.mul(4 * E.n, p) != E.neutral)
    points = [*SMALL, E.mul(E.n, eight), eight, E.generator, E.neg(E.generator)]
    with ecsm.open("sim:ed25519") as device:
        for point in points:
            for k in (*scalars, rng.getrandbits(256)):
                assert device.kp(k, point) == E.mul(k, point), (hex(k), point)
        for y in range(2, 60):
            if point := lifted(y):
                k = rng.getrandbits(256)
                assert device.kp(k, point) == E.mul(k, point), (hex(k), point)
        for k in range(20):  # past every entry of the table
            assert device.kp(k, E.generator) == E.mul(k, E.generator)


def lifted(y: int) -> Point:
    """Return a point with this y, or None."""
    try:
        return E.decode(y.to_bytes(32, "little"))
    except ValueError:
        return None
