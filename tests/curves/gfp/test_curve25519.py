# SPDX-License-Identifier: Apache-2.0
"""Curve25519's x-line and edwards25519: parameters, references, and both against each other."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
from types import ModuleType

import pytest

from ecsm.curves import CURVE25519, EDWARDS25519, EdwardsCurve, Point, PointEncodingError, XLine
from ecsm.curves.gfp.weierstrass import square_root
from ecsm.curves.toy import TOY_EDWARDS, TOY_XLINE
from ecsm.oracle import rawkeys
from tests import vectors
from tests.curves.gf2m.test_sec2 import is_probable_prime

PAIRS = [(CURVE25519, EDWARDS25519), (TOY_XLINE, TOY_EDWARDS)]


def x25519(k: bytes, u: bytes) -> bytes:
    return CURVE25519.encode(CURVE25519.mul(int.from_bytes(k, "little"), CURVE25519.decode(u)))


def x_of(e: EdwardsCurve, point: Point) -> int:
    """The u of RFC 7748, 4.1: (1 + y)/(1 - y); 0 for the neutral element too."""
    assert point is not None
    return (1 + point[1]) * pow(1 - point[1], -1, e.p) % e.p if point[1] != 1 else 0


def points(e: EdwardsCurve) -> list[Point]:
    rng = random.Random(e.name)
    if e is TOY_EDWARDS:
        return list(e.points())
    small = [(0, 1), (0, e.p - 1), (square_root(e.p - 1, e.p) or 0, 0)]
    return [*small, *(e.mul(rng.randrange(e.n), e.generator) for _ in range(4))]


@pytest.mark.parametrize(("c", "e"), PAIRS)
def test_parameters(c: XLine, e: EdwardsCurve) -> None:
    assert (c.p, c.n, c.h) == (e.p, e.n, e.h)
    assert is_probable_prime(c.p)
    assert is_probable_prime(c.n)
    assert abs(c.n * c.h - (c.p + 1)) <= math.isqrt(4 * c.p)
    assert e.contains(e.generator)
    assert e.mul(e.n, e.generator) == e.neutral
    assert c.multiple(c.n, c.generator) == (0, 0)
    assert square_root(c.square(c.generator[0]), c.p) is not None  # of the curve, not the twist
    assert e.d == -(c.a - 2) * pow(c.a + 2, -1, c.p) % c.p
    # The twist has the rest of 2p + 2 points, its cofactor is 4.
    assert is_probable_prime((2 * c.p + 2 - c.n * c.h) // 4)


def test_the_generators_are_one_point() -> None:
    assert x_of(EDWARDS25519, EDWARDS25519.generator) == CURVE25519.generator[0] == 9
    assert EDWARDS25519.generator[1] == 4 * pow(5, -1, EDWARDS25519.p) % EDWARDS25519.p


@pytest.mark.parametrize(("c", "e"), PAIRS)
def test_both_forms_multiply_alike(c: XLine, e: EdwardsCurve) -> None:
    rng = random.Random(c.name)
    for point in points(e):
        for k in (0, 1, 2, 3, c.h, c.n, c.n + 1, rng.randrange(8 * c.n)):
            assert c.multiple(k, (x_of(e, point), 0)) == (x_of(e, e.mul(k, point)), 0)


def test_the_toy_has_all_small_orders_and_its_twist() -> None:
    assert {TOY_EDWARDS.order(p) for p in TOY_EDWARDS.points()} == {1, 2, 4, 8, 13, 26, 52, 104}
    c = TOY_XLINE
    twist = [x for x in range(c.p) if square_root(c.square(x), c.p) is None]
    assert twist
    for x in twist:
        assert c.multiple(4 * 29, (x, 0)) == (0, 0)


def test_the_toys_law_is_a_commutative_group() -> None:
    e = TOY_EDWARDS
    every = list(e.points())
    assert (
        len(set(every))
        == e.n * e.h
        == sum(e.contains(pair) for pair in itertools.product(range(e.p), range(e.p)))
    )
    some = random.Random(1).sample(every, 12)
    for p in every:
        assert e.add(p, e.neutral) == p
        assert e.add(p, e.neg(p)) == e.neutral
        for q in every:
            total = e.add(p, q)
            assert e.contains(total)
            assert total == e.add(q, p)
            for r in some[:3]:
                assert e.add(total, r) == e.add(p, e.add(q, r))


def test_rfc_7748() -> None:
    for case in vectors.rfc7748_cases():
        assert x25519(case.k, case.u) == case.shared


def test_x25519_equals_libcryptos(libcrypto: ModuleType) -> None:
    rng = random.Random(2)
    for _ in range(20):
        k, u = rng.randbytes(32), rng.randbytes(32)
        assert x25519(k, u) == rawkeys.x25519(k, u)
    with pytest.raises(libcrypto.OracleError):
        rawkeys.x25519(rng.randbytes(32), bytes(32))  # its result is zero


def test_ed25519_public_keys_equal_libcryptos(libcrypto: ModuleType) -> None:
    del libcrypto
    rng, e = random.Random(3), EDWARDS25519
    for _ in range(5):
        seed = rng.randbytes(32)
        half = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
        public = rawkeys.ed25519_public(seed)
        point = e.mul(CURVE25519.decode_scalar(half), e.generator)
        assert e.encode(point) == public
        assert e.decode(public) == point


def test_every_toy_point_survives_encoding() -> None:
    for p in TOY_EDWARDS.points():
        assert TOY_EDWARDS.decode(TOY_EDWARDS.encode(p)) == p
    for x in range(256):
        assert TOY_XLINE.encode(TOY_XLINE.decode(bytes([x]))) == bytes([x])


def test_encodings_that_are_none_are_refused() -> None:
    e, top = EDWARDS25519, 1 << 255
    for number in (e.p, e.p - 1 | top, 1 | top, 2):  # y = p; -0 as x; no such y
        with pytest.raises(PointEncodingError):
            e.decode(number.to_bytes(32, "little"))
    for c in (e, CURVE25519):
        with pytest.raises(PointEncodingError, match="length"):
            c.decode(bytes(31))
        with pytest.raises(PointEncodingError):
            c.encode(None)


def test_an_x_has_no_sums() -> None:
    with pytest.raises(TypeError, match="no sum"):
        CURVE25519.add((9, 0), (9, 0))
    assert CURVE25519.neg((9, 0)) == (9, 0)
    assert CURVE25519.mul(1, None) is None


def test_curves_whose_law_has_exceptions_are_refused() -> None:
    with pytest.raises(ValueError, match="d none"):
        EdwardsCurve("any", 109, 4, generator=(0, 1), n=13, h=8)
    with pytest.raises(ValueError, match="-1 must be a square"):
        EdwardsCurve("any", 103, 5, generator=(0, 1), n=13, h=8)
    with pytest.raises(ValueError, match="no square"):
        XLine("any", 109, 2, generator=(0, 0), n=13, h=8)
    with pytest.raises(ValueError, match="power of two"):
        XLine("any", 109, 43, generator=(15, 0), n=13, h=6)
