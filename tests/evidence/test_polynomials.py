# SPDX-License-Identifier: Apache-2.0
"""Polynomials in the bits of two operands, against their values on all operands."""

from __future__ import annotations

import random
from itertools import product

import pytest

from ecsm.curves.gf2m.field import BinaryField
from ecsm.evidence.polynomials import (
    NotBilinear,
    Polynomial,
    bits_of,
    field_product,
    normal_form,
)

W = 3
OPERANDS = list(product(range(1 << W), repeat=2))


def evaluate(value: Polynomial, a: int, b: int) -> int:
    """Return the value for given operands."""
    found = value.c ^ (value.a & a).bit_count() ^ (value.b & b).bit_count()
    rows = (value.ab >> value.width * i for i in range(a.bit_length()) if a >> i & 1)
    mask = (1 << value.width) - 1
    return (found ^ sum((row & mask & b).bit_count() for row in rows)) & 1


def some(rng: random.Random) -> Polynomial:
    return Polynomial(
        W, rng.getrandbits(1), rng.getrandbits(W), rng.getrandbits(W), rng.getrandbits(W * W)
    )


def table(value: Polynomial) -> list[int]:
    return [evaluate(value, a, b) for a, b in OPERANDS]


def test_a_value_is_what_its_bits_say() -> None:
    for i, bit in enumerate(bits_of("a", W)):
        assert table(bit) == [a >> i & 1 for a, _ in OPERANDS]
    for j, bit in enumerate(bits_of("b", W)):
        assert table(bit) == [b >> j & 1 for _, b in OPERANDS]


def test_sums_and_products() -> None:
    rng = random.Random(1)
    refused = 0
    for _ in range(2000):
        x, y = some(rng), some(rng)
        if rng.getrandbits(1):  # a product of sums of one operand each
            x = Polynomial(W, x.c, x.a)
            y = Polynomial(W, y.c, 0, y.b)
        assert table(x + y) == [i ^ j for i, j in zip(table(x), table(y), strict=True)]
        try:
            both = x * y
        except NotBilinear:
            refused += 1
            continue
        assert table(both) == [i & j for i, j in zip(table(x), table(y), strict=True)]
    assert 100 < refused < 1500


def test_two_bits_of_one_operand_are_no_product() -> None:
    a = bits_of("a", W)
    with pytest.raises(NotBilinear):
        a[0] * a[1]
    assert a[0] * a[0] == a[0]


@pytest.mark.parametrize("poly", [0b1011, 0b111, 0b100101, 0b10001001])
def test_the_product_of_the_field(poly: int) -> None:
    m = poly.bit_length() - 1
    exponents = tuple(i for i in range(m, -1, -1) if poly >> i & 1)
    gf, want = BinaryField(m, exponents), field_product(poly, m)
    for a, b in product(range(1 << m), repeat=2):
        assert [evaluate(bit, a, b) for bit in want] == [gf.mul(a, b) >> k & 1 for k in range(m)]


def test_the_normal_form_of_a_table() -> None:
    rng = random.Random(2)
    for inputs in range(5):
        rows = [rng.getrandbits(1) for _ in range(1 << inputs)]
        form = normal_form(tuple(rows))
        for x, row in enumerate(rows):
            assert sum(term & x == term for term in form) & 1 == row
