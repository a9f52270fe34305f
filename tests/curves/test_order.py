# SPDX-License-Identifier: Apache-2.0
"""The model of ecsm_order: division steps of both kinds, and the bounds of its accumulator."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import CURVES, curve
from ecsm.curves.curve import Curve
from ecsm.curves.gf2m.field import BinaryField
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.curves.order import Modulus, OrderUnit

PRIMES = (5, 7, 11, 13, 17, 31, 127, 131, 251, 257, 509)
DIGITS = (1, 2, 4, 8, pytest.param(16, marks=pytest.mark.slow))
MODULI = sorted({m for c in CURVES for m in (c.n, c.q) if m % 2 and m > 4})


@pytest.mark.parametrize("p", PRIMES)
def test_every_inverse_of_small_primes(p: int) -> None:
    m = Modulus(p)
    assert [m.inverse(a) for a in range(2 * p)] == 2 * [0, *(pow(a, -1, p) for a in range(1, p))]


@pytest.mark.parametrize("exponents", [(3, 1, 0), (5, 2, 0), (7, 1, 0), (8, 4, 3, 1, 0)])
def test_every_inverse_of_small_fields(exponents: tuple[int, ...]) -> None:
    field = BinaryField(exponents[0], exponents)
    m = Modulus(field.poly, binary=True)
    assert [m.inverse(a) for a in range(1 << field.m)] == [
        0, *(field.inv(a) for a in range(1, 1 << field.m)),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "c", [c for c in CURVES if not c.name.startswith("toy")], ids=lambda c: c.name
)
def test_inverses_of_the_curves(c: Curve) -> None:
    rng = random.Random(1)
    n = Modulus(c.n)
    for a in (1, 2, c.n - 1, *(rng.randrange(1, c.n) for _ in range(3))):
        assert n.inverse(a) == pow(a, -1, c.n)
    if isinstance(c, BinaryCurve):
        f = Modulus(c.field.poly, binary=True)
        for a in (1, 2, (1 << c.field.m) - 1, *(rng.randrange(1, c.q) for _ in range(3))):
            assert f.inverse(a) == c.field.inv(a)


@pytest.mark.parametrize("digit", DIGITS)
def test_bounds_of_every_modulus(digit: int) -> None:
    """What the header of ecsm_order_datapath.sv says, for operands as long as they may be.

    Small odd integers have every shape of leading bits; those of the curves are what is used.
    """
    # With 16 bits a digit there are millions of quotients.
    few = [17, MODULI[-1]] if digit == 16 else [*range(5, 64, 2), *MODULI]
    for value in few:
        m = Modulus(value)
        for room in {0, digit} if digit == 16 else {0, digit // 2, digit}:
            b = m.bounds(m.length + room, digit)
            limit = 1 << (m.length + digit + 2)
            assert -limit <= b.accumulator.low
            assert b.accumulator.high < limit
            assert -(1 << (digit + 2)) <= b.quotient.low
            assert b.quotient.high < 1 << (digit + 2)
            assert -3 * value < 16 * b.result.low
            assert 16 * b.result.high < 19 * value
            # A sum and a difference of two of them are corrected by three steps.
            assert -2 * value <= min(2 * b.result.low, b.result.low - b.result.high)
            assert 2 * b.result.high < 3 * value


@pytest.mark.parametrize("digit", DIGITS)
def test_a_quotient_is_wires_next_to_a_power_of_two(digit: int) -> None:
    """For all orders of SEC 2 and the primes of NIST: the reciprocal is a power of 2."""
    for c in CURVES:
        if c.name.startswith("sec"):
            r = Modulus(c.n).reciprocal(digit)
            assert r & (r - 1) == 0, c.name
    r = Modulus(curve("brainpoolP256r1").n).reciprocal(digit)
    assert r & (r - 1)


def test_a_unit_is_as_wide_as_the_longer_modulus() -> None:
    u = OrderUnit.of(curve("sect283r1"), 4, 64)
    assert [(m.length, m.binary) for m in u.moduli] == [(282, False), (283, True)]
    assert (u.width, u.words) == (283, 5)


def test_cycles_that_schemes_count_on() -> None:
    """PSEC-KEM over sect283r1 leaves about 70 cycles for 52 octets, and an inversion is short."""
    u = OrderUnit.of(curve("sect283r1"), 4, 64)
    assert u.reduce_cycles(8 * 52) == 57
    assert OrderUnit.of(curve("P-256"), 4, 64).inv_cycles(0) == 612


@pytest.mark.parametrize(
    ("octets", "bits", "value"),
    [(b"\xab\xcd", 16, 0xABCD), (b"\xab\xcd", 5, 0b10101), (b"\xab\xcd", 0, 0),
     (b"\xab", 12, 0xAB0), (b"", 9, 0)],
)  # fmt: skip
def test_the_first_bits_of_a_string(octets: bytes, bits: int, value: int) -> None:
    unit = OrderUnit((Modulus(251),), 8, 1, 8)
    assert unit.string(octets, bits) == value
