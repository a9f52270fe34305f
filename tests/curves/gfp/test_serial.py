# SPDX-License-Identifier: Apache-2.0
"""Serial products of residues: right for every operand, within their bounds at the corners."""

from __future__ import annotations

import itertools
import random

import pytest

from ecsm.curves import BRAINPOOL_CURVES, SEC2_PRIME_CURVES
from ecsm.curves.gfp.montgomery import Montgomery
from ecsm.curves.gfp.residues import NotSparse, Residues
from ecsm.curves.gfp.serial import Column, Serial, shift, shift_limit
from tests.curves.gfp.test_residues import corners

PRIMES = [c.p for c in SEC2_PRIME_CURVES]
DENSE = [*(c.p for c in BRAINPOOL_CURVES), *(c.n for c in SEC2_PRIME_CURVES)]
COLUMNS = [
    *(Column(p, step=step) for p in PRIMES for step in (16, 18, 36)),
    Column(31, 2, step=3), Column(127, 2, step=4), Column(241, 2, step=1), Column(509, 3, step=5),
]  # fmt: skip
MONTGOMERYS = [
    *(Montgomery(p, step=18) for p in (*PRIMES, *DENSE)),
    *(Montgomery(p, step=step) for p in DENSE[:2] for step in (17, 36, 64)),
    Montgomery(31, 2, step=3), Montgomery(53, 2, step=4), Montgomery(113, 2, step=1),
    Montgomery(509, 3, step=5), Montgomery(509, 2, step=2), Montgomery(251, 4, step=7),
    Montgomery(15, 2, step=3),
]  # fmt: skip
ALL: list[Serial] = [*COLUMNS, *MONTGOMERYS]


def label(r: Serial) -> str:
    return f"{type(r).__name__}-{r.bits}-{r.p & 0xFFFF:x}-{r.step}"


every = pytest.mark.parametrize("r", ALL, ids=label)


@every
def test_a_shift_drops_the_lowest_bits(r: Serial) -> None:
    rng = random.Random(r.p)
    for limbs in corners(r.most, rng):
        shifted = shift(limbs, r.limb, r.step)
        assert r.value(shifted) == r.value(limbs) >> r.step
        limit = shift_limit(r.most, r.limb, r.step)
        assert all(v <= m for v, m in zip(shifted, limit, strict=True))


@every
def test_digits_are_those_of_the_number(r: Serial) -> None:
    for limbs in corners(r.most, random.Random(r.p)):
        digits = list(r.digits(limbs))
        assert sum(d << r.step * t for t, d in enumerate(digits)) == r.value(limbs)
        assert all(d <= m for d, m in zip(digits, r.digit_limits(), strict=True))


@every
def test_products_are_congruent_within_the_bounds(r: Serial) -> None:
    rng = random.Random(r.p)
    inverse = pow(r.radix, -1, r.p)
    chosen = corners(r.most, rng)
    pairs = [*((a, a) for a in chosen), *((rng.choice(chosen), rng.choice(chosen))
             for _ in range(60))]  # fmt: skip
    for a, b in pairs:
        limbs = r.product(a, b)
        assert (r.value(limbs) - r.value(a) * r.value(b) * inverse) % r.p == 0
        assert all(0 <= v <= bound for v, bound in zip(limbs, r.product_limit, strict=True))
    for k, bound in enumerate(r.product_limit):
        assert bound < 1 << r.weight(k) + 2


@every
def test_sums_are_congruent_within_the_bounds(r: Serial) -> None:
    rng = random.Random(r.p)
    for limbs in corners(r.most, rng):
        carried = r.carried(limbs)
        assert (r.value(carried) - r.value(limbs)) % r.p == 0
        assert all(0 <= v <= bound for v, bound in zip(carried, r.sum_limit, strict=True))
    for k, bound in enumerate(r.sum_limit):
        assert bound < 1 << r.weight(k) + 2


@pytest.mark.parametrize("r", MONTGOMERYS, ids=label)
def test_montgomerys_constants(r: Montgomery) -> None:
    assert (r.p * r.minus_inverse + 1) % (1 << r.step) == 0
    assert r.p * r.minus_inverse + 1 == r.multiple << r.step
    assert r.multiple <= r.p
    assert r.radix == (1 << r.step * r.steps) % r.p


@pytest.mark.parametrize("p", [p for p in (*PRIMES, *DENSE) if p.bit_length() == 256])
def test_steps_of_256_bits(p: int) -> None:
    """A digit of 18 bits a cycle: fifteen cycles for 262 bits."""
    assert Montgomery(p, step=18).steps == 15
    assert Montgomery(p, step=36).steps == 8
    # 64-bit limbs hand on one carry, and the highest limb of an operand names a table's entry.
    assert (Montgomery(p).rounds, Montgomery(p).sum_rounds) == (1, 1)


def test_every_pair_of_a_toy() -> None:
    """All values of one limb against a step of those of the other's, in the smallest fields."""
    for r in (Column(31, 2, headroom=4, step=3), Montgomery(53, 2, headroom=4, step=4)):
        inverse = pow(r.radix, -1, r.p)
        values = [*itertools.product(range(0, r.most[0] + 1, 17), range(0, r.most[1] + 1, 9))]
        for a, b in itertools.product(values, values):
            limbs = r.product(a, b)
            assert (r.value(limbs) - r.value(a) * r.value(b) * inverse) % r.p == 0
            assert all(v <= bound for v, bound in zip(limbs, r.product_limit, strict=True))


def test_every_sum_of_a_toy() -> None:
    r = Montgomery(53, 2, step=4)
    for limbs in itertools.product(*(range(m + 1) for m in r.most)):
        carried = r.carried(limbs)
        assert (r.value(carried) - r.value(limbs)) % r.p == 0
        assert all(v <= bound for v, bound in zip(carried, r.sum_limit, strict=True))


@pytest.mark.parametrize("p", DENSE[:1])
def test_a_column_needs_a_sparse_prime(p: int) -> None:
    with pytest.raises(NotSparse):
        _ = Column(p).reduction
    with pytest.raises(NotSparse):
        _ = Residues(p).limit
    assert Montgomery(p).limit


@pytest.mark.parametrize("step", [0, 65])
def test_a_step_is_at_most_a_limb(step: int) -> None:
    with pytest.raises(ValueError, match="does not fit limbs of 64"):
        Column(PRIMES[0], step=step)


def test_an_even_modulus_is_refused() -> None:
    with pytest.raises(ValueError, match="odd"):
        Montgomery(254, 2, step=2)
