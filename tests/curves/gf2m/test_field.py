# SPDX-License-Identifier: Apache-2.0
"""The field model against definitions, on toy fields exhaustively and on large ones at random."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecsm.curves import SEC2_CURVES, TOY_CURVES, BinaryField

FIELDS = sorted({c.field for c in SEC2_CURVES + TOY_CURVES}, key=lambda f: f.m)
TOYS = [f for f in FIELDS if f.m <= 9]
LARGE = [f for f in FIELDS if f.m > 9]
elements = st.integers(min_value=0, max_value=2**571 - 1)


def by_definition(f: BinaryField, a: int, b: int) -> int:
    """Return a*b by shift and add."""
    total = 0
    for i in range(f.m):
        if b >> i & 1:
            total ^= a
        a <<= 1
        if a >> f.m:
            a ^= f.poly
    return total


@pytest.mark.parametrize("f", TOYS, ids=str)
def test_products_are_right_for_all_operands(f: BinaryField) -> None:
    for a in range(1 << f.m):
        for b in range(1 << f.m):
            assert f.mul(a, b) == by_definition(f, a, b)


@pytest.mark.parametrize("f", LARGE, ids=str)
@given(a=elements, b=elements)
def test_products_of_random_operands_are_right(f: BinaryField, a: int, b: int) -> None:
    a, b = f.reduce(a), f.reduce(b)
    assert f.mul(a, b) == by_definition(f, a, b)


@pytest.mark.parametrize("f", FIELDS, ids=str)
@given(a=elements, k=st.integers(0, 20))
def test_powers_and_roots_agree_with_products(f: BinaryField, a: int, k: int) -> None:
    a = f.reduce(a)
    assert f.sqr(a) == f.mul(a, a)
    power = a
    for _ in range(k):
        power = f.mul(power, power)
    assert f.frob(a, k) == power
    assert f.frob(power, -k) == a
    assert f.sqr(f.sqrt(a)) == a


@pytest.mark.parametrize("f", FIELDS, ids=str)
@given(a=elements)
def test_inverse_times_element_is_one(f: BinaryField, a: int) -> None:
    if a := f.reduce(a):
        assert f.mul(a, f.inv(a)) == 1


def test_zero_has_no_inverse() -> None:
    with pytest.raises(ZeroDivisionError, match=r"GF\(2\^7\)"):
        BinaryField(7, (1, 0)).inv(0)


@pytest.mark.parametrize("f", FIELDS, ids=str)
@given(a=elements)
def test_trace_is_the_sum_of_conjugates(f: BinaryField, a: int) -> None:
    a = f.reduce(a)
    total, power = 0, a
    for _ in range(f.m):
        total ^= power
        power = f.sqr(power)
    assert f.trace(a) == total


@pytest.mark.parametrize("f", [f for f in FIELDS if f.m % 2], ids=str)
@given(a=elements)
def test_half_trace_solves_the_quadratic(f: BinaryField, a: int) -> None:
    a = f.reduce(a)
    h = f.half_trace(a)
    assert f.sqr(h) ^ h == a ^ f.trace(a)


def test_half_trace_needs_an_odd_degree() -> None:
    with pytest.raises(ValueError, match="m is even"):
        BinaryField(8, (4, 3, 1, 0)).half_trace(1)


@pytest.mark.parametrize("f", TOYS, ids=str)
def test_quadratic_is_solved_exactly_where_it_can_be(f: BinaryField) -> None:
    solvable = {f.sqr(z) ^ z for z in range(1 << f.m)}
    for c in range(1 << f.m):
        z = f.solve_quadratic(c)
        assert (z is not None) == (c in solvable)
        assert z is None or f.sqr(z) ^ z == c


@pytest.mark.parametrize("f", FIELDS, ids=str)
@given(a=elements, k=st.integers(0, 5))
def test_matrix_of_a_linear_map_gives_its_values(f: BinaryField, a: int, k: int) -> None:
    a = f.reduce(a)
    total = 0
    for i, column in enumerate(f.matrix(lambda v: f.frob(v, k))):
        if a >> i & 1:
            total ^= column
    assert total == f.frob(a, k)


@pytest.mark.parametrize("f", FIELDS, ids=str)
def test_reduction_polynomial_is_irreducible(f: BinaryField) -> None:
    assert f.is_irreducible()


def test_irreducibility_agrees_with_trial_division() -> None:
    def divides(d: int, p: int) -> bool:
        while p.bit_length() >= d.bit_length():
            p ^= d << (p.bit_length() - d.bit_length())
        return p == 0

    for m in (2, 3, 4, 6, 8):
        for low in range(1, 1 << m, 2):
            f = BinaryField(m, tuple(i for i in range(m - 1, -1, -1) if low >> i & 1))
            small = range(2, 1 << (m // 2 + 1))
            assert f.is_irreducible() == (not any(divides(d, f.poly) for d in small)), f.exponents


def test_degree_may_be_written_among_the_exponents() -> None:
    assert BinaryField(163, (163, 7, 6, 3, 0)) == BinaryField(163, (7, 6, 3, 0))


@pytest.mark.parametrize("exponents", [(), (3,), (0, 3), (8, 0), (3, 3, 0), (0, -1)])
def test_malformed_exponents_are_refused(exponents: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="exponents must descend"):
        BinaryField(7, exponents)


def test_contains_is_the_range_of_the_field() -> None:
    f = BinaryField(7, (1, 0))
    assert [f.contains(a) for a in (-1, 0, 127, 128)] == [False, True, True, False]
