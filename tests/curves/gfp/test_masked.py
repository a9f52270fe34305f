# SPDX-License-Identifier: Apache-2.0
"""The scalar of a masked ladder over a prime field: keys and roles, as the docstring has them."""

from __future__ import annotations

import random

import pytest

from ecsm.curves import SEC2_PRIME_CURVES
from ecsm.curves.gfp.masked import keys, offset, recode_masked
from ecsm.curves.toy import TOY_PRIME_CURVES

ORDERS = sorted({c.n for c in [*TOY_PRIME_CURVES, *SEC2_PRIME_CURVES]})


def decoded(value: int, n: int) -> int:
    """Return k' of its keys: its highest bit is 1."""
    w = n.bit_length()
    scalar = bit = 1
    for i in range(w + 1, 0, -1):
        bit ^= value >> i & 1
        scalar = scalar << 1 | bit
    assert value & 1 == scalar & 1
    return scalar


@pytest.mark.parametrize("n", ORDERS)
def test_keys_are_of_the_same_multiple(n: int) -> None:
    w, rng = n.bit_length(), random.Random(n)
    edges = [0, 1, n - 1, n, (1 << w) - 1]
    for k in [*edges, *(rng.getrandbits(w) for _ in range(64))]:
        masked = decoded(keys(k, n), n)
        assert masked % n == k % n
        assert masked.bit_length() == w + 2


@pytest.mark.parametrize("n", ORDERS)
def test_the_offset_is_a_multiple_of_the_order(n: int) -> None:
    w = n.bit_length()
    assert offset(n) % n == 0
    assert 2 << w <= offset(n) <= 3 << w


def test_a_digit_has_a_role_and_a_hidden_key() -> None:
    n, rng = ORDERS[-1], random.Random(5)
    count = n.bit_length() + 2
    roles, k = rng.getrandbits(count), rng.getrandbits(count - 2)
    recoded = recode_masked(k, n, roles)
    assert len(recoded.digits) == count
    assert sum(recoded.role(d) << i for i, d in enumerate(recoded.digits)) == roles
    hidden = sum(recoded.condition(d) << i for i, d in enumerate(recoded.digits))
    assert hidden ^ roles == keys(k, n)
    assert {recoded.entry(d) for d in recoded.digits} == {0}
