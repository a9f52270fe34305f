# SPDX-License-Identifier: Apache-2.0
"""Domain parameters of prime curves: against libcrypto, and by their mathematics."""

from __future__ import annotations

import hashlib
import math
import random
from types import ModuleType

import pytest

from ecsm.curves import (
    BRAINPOOL_CURVES,
    SEC2_PRIME_CURVES,
    PointEncodingError,
    PrimeCurve,
    curve,
)
from ecsm.curves.gfp.sm2 import SM2
from ecsm.curves.gfp.weierstrass import square_root
from tests.curves.gf2m.test_sec2 import is_probable_prime

STANDARD = (*SEC2_PRIME_CURVES, *BRAINPOOL_CURVES, SM2)
every_curve = pytest.mark.parametrize("c", STANDARD, ids=lambda c: c.name)

# SP 800-186, 3.2.1: SHA-1 of the seed gives r with r b^2 = -27 modulo p (FIPS 186-4, D.6).
SEEDS = {
    "P-224": "bd71344799d5c7fcdc45b59fa3b9ab8f6a948bc5",
    "P-256": "c49d360886e704936a6678e1139d26b7819f7e90",
    "P-384": "a335926aa319a27a1d00896a6773a4827acdac73",
    "P-521": "d09e8800291cb85396cc6717393284aaa0da64ba",
}


@every_curve
def test_parameters_equal_libcryptos(c: PrimeCurve, libcrypto: ModuleType) -> None:
    ours = libcrypto.GroupParams(c.p, c.a, c.b, c.generator, c.n, c.h)
    assert libcrypto.group_params(c.name) == ours


@every_curve
def test_primes_order_and_generator(c: PrimeCurve) -> None:
    assert is_probable_prime(c.p)
    assert is_probable_prime(c.n)
    assert c.contains(c.generator)
    assert c.mul(c.n, c.generator) is None
    assert (4 * c.a**3 + 27 * c.b**2) % c.p
    assert c.h == 1
    assert abs(c.n - (c.p + 1)) <= math.isqrt(4 * c.p)


@pytest.mark.parametrize("name", SEEDS)
def test_b_comes_from_its_seed(name: str) -> None:
    """The generation of FIPS 186-4, D.6: nothing of b was chosen but the seed."""
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    bits = c.p.bit_length()
    blocks = (bits - 1) // 160
    seed = int(SEEDS[name], 16)
    r = int.from_bytes(hashlib.sha1(seed.to_bytes(20, "big")).digest(), "big")
    r &= (1 << (bits - 160 * blocks - 1)) - 1
    for i in range(1, blocks + 1):
        block = ((seed + i) % (1 << 160)).to_bytes(20, "big")
        r = r << 160 | int.from_bytes(hashlib.sha1(block).digest(), "big")
    assert (r * c.b * c.b + 27) % c.p == 0
    assert c.a == c.p - 3


def test_compressed_generators_are_the_documents() -> None:
    # SEC 2 version 2, 2.4.1 and 2.4.2.
    for name, octets in {
        "secp256k1": "0279BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798",
        "P-256": "036B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296",
    }.items():
        c = curve(name)
        assert c.encode(c.generator, compressed=True).hex().upper() == octets


@every_curve
def test_octet_strings_round_trip(c: PrimeCurve) -> None:
    for point in (None, c.generator, c.neg(c.generator)):
        for compressed in (False, True):
            octets = c.encode(point, compressed=compressed)
            assert c.decode(octets) == point
            assert len(octets) == (1 if point is None else 1 + c.octets * (2 - compressed))


@pytest.mark.parametrize(
    ("octets", "reason"),
    [
        ("02" + "FF" * 32, "x is outside"),
        ("02" + "00" * 31 + "05", "no point of secp256k1"),
        ("04" + "00" * 31 + "01" + "00" * 32, "not on secp256k1"),
    ],
)
def test_malformed_octet_strings_are_refused(octets: str, reason: str) -> None:
    with pytest.raises(PointEncodingError, match=reason):
        curve("secp256k1").decode(bytes.fromhex(octets))


@pytest.mark.parametrize("p", [5, 7, 17, 97, 127, 193, 241, 257, 769])
def test_square_roots(p: int) -> None:
    """Primes with p - 1 divisible by powers of two up to 2^8."""
    squares = {v * v % p for v in range(p)}
    for v in range(p):
        root = square_root(v, p)
        assert (root is not None) == (v in squares)
        assert root is None or root * root % p == v


@every_curve
def test_kp_is_libcryptos(c: PrimeCurve, libcrypto: ModuleType) -> None:
    rng = random.Random(1)
    for k in (0, 1, 2, c.n - 1, c.n, c.n + 1, rng.getrandbits(c.n.bit_length())):
        assert c.mul(k, c.generator) == libcrypto.kp(c.name, k, c.generator)
