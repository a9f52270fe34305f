# SPDX-License-Identifier: Apache-2.0
"""Domain parameters of SEC 2: against libcrypto, and by their mathematics."""

from __future__ import annotations

import math
import random
from types import ModuleType

import pytest

from ecsm.curves import SEC2_CURVES, BinaryCurve, PointEncodingError, UnknownCurveError, curve

every_curve = pytest.mark.parametrize("c", SEC2_CURVES, ids=lambda c: c.name)


def is_probable_prime(n: int) -> bool:
    """Miller-Rabin with 40 fixed pseudo-random bases."""
    rng = random.Random(1)
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(40):
        x = pow(rng.randrange(2, n - 1), odd, n)
        if x not in (1, n - 1) and not any((x := x * x % n) == n - 1 for _ in range(twos - 1)):
            return False
    return True


def test_all_fourteen_curves_are_there() -> None:
    names = "163k1 163r1 163r2 193r1 193r2 233k1 233r1 239k1 283k1 283r1 409k1 409r1 571k1 571r1"
    assert [c.name for c in SEC2_CURVES] == [f"sect{n}" for n in names.split()]


@every_curve
def test_parameters_equal_libcryptos(c: BinaryCurve, libcrypto: ModuleType) -> None:
    ours = libcrypto.GroupParams(c.field.poly, c.a, c.b, c.generator, c.n, c.h)
    assert libcrypto.group_params(c.name) == ours


@every_curve
def test_order_is_prime_and_annihilates_the_generator(c: BinaryCurve) -> None:
    assert is_probable_prime(c.n)
    assert c.contains(c.generator)
    assert c.mul(c.n, c.generator) is None


@every_curve
def test_cofactor_is_the_one_that_hasse_allows(c: BinaryCurve) -> None:
    q = 1 << c.field.m
    assert abs(c.n * c.h - (q + 1)) <= math.isqrt(4 * q)
    assert c.h == (2 if c.field.trace(c.a) else 4)


@every_curve
def test_octet_strings_round_trip(c: BinaryCurve) -> None:
    for point in (None, c.generator, c.neg(c.generator), (0, c.field.sqrt(c.b))):
        for compressed in (False, True):
            octets = c.encode(point, compressed=compressed)
            assert c.decode(octets) == point
            size = 1 if point is None else 1 + c.octets * (1 if compressed else 2)
            assert len(octets) == size


def test_compressed_generator_is_the_documents() -> None:
    # SEC 2 version 2, 3.2.1 and 3.2.3.
    k1, r2 = curve("sect163k1"), curve("sect163r2")
    assert k1.encode(k1.generator, compressed=True).hex().upper() == (
        "0302FE13C0537BBC11ACAA07D793DE4E6D5E5C94EEE8"
    )
    assert r2.encode(r2.generator, compressed=True).hex().upper() == (
        "0303F0EBA16286A2D57EA0991168D4994637E8343E36"
    )


@pytest.mark.parametrize(
    ("octets", "reason"),
    [
        ("", "first octet"),
        ("0000", "first octet"),
        ("05" + "00" * 42, "first octet"),
        ("04" + "00" * 41, "length is 42"),
        ("02" + "00" * 20, "length is 21"),
        ("02" + "08" + "00" * 20, "x is outside"),
        ("04" + "00" * 20 + "01" + "00" * 21, "not on sect163r2"),
        ("04" + "00" * 21 + "08" + "00" * 20, "not on sect163r2"),
        ("03" + "00" * 21, "this x has one point"),
    ],
)
def test_malformed_octet_strings_are_refused(octets: str, reason: str) -> None:
    with pytest.raises(PointEncodingError, match=reason):
        curve("sect163r2").decode(bytes.fromhex(octets))


def test_x_without_a_point_is_refused() -> None:
    c = curve("sect163r2")
    x = next(x for x in range(1, 100) if c.lift_x(x) is None)
    with pytest.raises(PointEncodingError, match="no point"):
        c.decode(b"\x02" + x.to_bytes(21, "big"))


def test_large_curves_are_not_enumerated() -> None:
    c = curve("sect163r2")
    with pytest.raises(ValueError, match="too large to enumerate"):
        next(c.points())
    with pytest.raises(ValueError, match="too large to enumerate"):
        c.order(c.generator)


@pytest.mark.parametrize("name", ["sect163r2", "SECT163R2", "B-163", "b-163"])
def test_a_curve_is_found_by_name_and_alias_in_any_case(name: str) -> None:
    assert curve(name).name == "sect163r2"


def test_an_unknown_name_suggests_known_ones() -> None:
    with pytest.raises(UnknownCurveError) as caught:
        curve("P-192")
    assert str(caught.value).startswith("there is no curve 'P-192': did you mean P-521, P-256 or ")
    assert isinstance(caught.value, KeyError)
