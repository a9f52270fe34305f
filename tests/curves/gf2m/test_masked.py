# SPDX-License-Identifier: Apache-2.0
"""The scalar of a masked ladder: every scalar of the toys; the ends of the standards' ranges."""

from __future__ import annotations

import pytest

from ecsm.curves import SEC2_CURVES, TOY_CURVES
from ecsm.curves.gf2m.masked import offset, recode_masked
from ecsm.curves.gf2m.weierstrass import BinaryCurve

every_toy = pytest.mark.parametrize("c", TOY_CURVES, ids=lambda c: c.name)


def decoded(keys: list[bool]) -> int:
    """Return the scalar of recoded bits, as the module's docstring defines them."""
    scalar = bit = 0
    for key in keys[:-1]:
        bit ^= key
        scalar = scalar << 1 | bit
    assert keys[-1] == scalar & 1
    return scalar


@every_toy
def test_a_masked_scalar_is_the_same_multiple_of_every_point(c: BinaryCurve) -> None:
    orders = {c.order(p) for p in c.points()}
    assert max(orders) >= c.n
    for k in range(1 << c.field.m):
        masked = decoded(recode_masked(k, c))
        assert all(masked % order == k % order for order in orders)
        assert c.mul(masked, c.generator) == c.mul(k, c.generator)


@every_toy
def test_the_offset_is_infinity_of_every_point(c: BinaryCurve) -> None:
    assert all(c.mul(offset(c), p) is None for p in c.points())


@pytest.mark.parametrize("c", [*TOY_CURVES, *SEC2_CURVES], ids=lambda c: c.name)
def test_the_highest_bit_is_fixed(c: BinaryCurve) -> None:
    m = c.field.m
    for k in range(1 << m) if m < 10 else (0, 1, c.n - 1, c.n, (1 << m) - 1):
        keys = recode_masked(k, c)
        assert len(keys) == m + 4
        assert keys[:2] == [False, True]
        assert decoded(keys) >> m + 1 == 1
