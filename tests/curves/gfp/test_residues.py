# SPDX-License-Identifier: Apache-2.0
"""Residues in limbs: the bounds hold at their corners, results are congruent, forms are refused."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest

from ecsm.curves import SEC2_PRIME_CURVES, curve
from ecsm.curves.gfp.karatsuba import scheme
from ecsm.curves.gfp.residues import (
    DIGIT,
    NotSparse,
    Residues,
    rounds,
    signed_digits,
    signed_ones,
)

STANDARD = [Residues(c.p) for c in SEC2_PRIME_CURVES]
TOYS = [Residues(31, 2), Residues(127, 2), Residues(251, 2), Residues(241, 2), Residues(509, 3),
        Residues(251, 4), Residues(509, 4)]  # fmt: skip
ALL = [*STANDARD, *TOYS]
every = pytest.mark.parametrize("r", ALL, ids=lambda r: f"{r.p.bit_length()}-{r.p & 0xFFFF:x}")


def corners(most: Sequence[int], rng: random.Random) -> list[list[int]]:
    """Limbs at their ends: all, one, alternating and random ones at the largest value."""
    n = len(most)
    masks = [0, (1 << n) - 1, *(1 << i for i in range(n)), *(rng.getrandbits(n) for _ in range(8))]
    found = [[m if mask >> i & 1 else 0 for i, m in enumerate(most)] for mask in masks]
    return [*found, *([rng.randint(0, m) for m in most] for _ in range(20))]


def test_signed_digits_sum_to_the_number() -> None:
    for v in (*range(-1000, 1000), 2**64 - 1, 2**32 + 977, -(2**40 + 2**39)):
        digits = signed_digits(v)
        assert sum(sign << k for sign, k in digits) == v
        assert all(sign in (-1, 1) for sign, _ in digits)
        assert all(b - a >= 2 for (_, a), (_, b) in itertools.pairwise(digits))
        assert signed_ones(v) == len(digits)


@every
def test_numbers_are_split_and_put_together(r: Residues) -> None:
    rng = random.Random(r.p)
    assert r.words * r.word >= r.bits > (r.words - 1) * r.word
    assert sum(r.weight(i) for i in range(r.limbs)) == r.words * r.word
    for v in (0, 1, r.p - 1, r.p, (1 << r.word * r.words) - 1, rng.randrange(r.p)):
        limbs = r.split(v)
        assert len(limbs) == r.limbs
        assert all(0 <= limb < 1 << r.weight(i) for i, limb in enumerate(limbs))
        assert r.value(limbs) == v


@every
def test_rows_are_the_powers(r: Residues) -> None:
    for j in range(3 * r.words):
        row = r.row(j)
        assert len(row) == r.words
        assert (sum(c << r.word * i for i, c in enumerate(row)) - (1 << r.word * j)) % r.p == 0
        assert all(abs(c) <= 1 << r.word for c in row)


@every
def test_signed_numbers_are_spread(r: Residues) -> None:
    rng = random.Random(r.p)
    bits = min(60, r.limb * r.limbs - 1)
    for v in (0, 1, -1, 1 << bits, -(1 << bits), *(rng.randint(-(1 << bits), 1 << bits)
              for _ in range(50))):  # fmt: skip
        limbs = r.spread(v, bits)
        assert r.value(limbs) == v
        assert len(limbs) == r.limbs
        assert all(0 <= limb < 1 << r.limb for limb in limbs[: bits // r.limb])


@every
def test_a_balance_is_a_multiple_of_p_above_what_is_asked(r: Residues) -> None:
    rng = random.Random(r.p)
    for least in corners(r.most, rng):
        found = r.balance(least)
        assert r.value(found) % r.p == 0
        assert all(0 <= a - b < 1 << r.limb for a, b in zip(found, least, strict=True))


@every
def test_carries_keep_the_number_and_their_bounds(r: Residues) -> None:
    todo, limit = rounds(r, r.most)
    rng = random.Random(r.p)
    for limbs in corners(r.most, rng):
        carried = limbs
        for one in todo:
            carried = one.run(carried)
            assert min(carried) >= 0
            assert max(carried) < 1 << r.operand  # the adder's width between rounds
        assert (r.value(carried) - r.value(limbs)) % r.p == 0
        assert all(v <= bound for v, bound in zip(carried, limit, strict=True))
    assert all(bound < 1 << r.weight(i) + 2 for i, bound in enumerate(limit))
    assert max(limit) < 1 << r.register


@every
def test_products_are_congruent_within_the_bounds(r: Residues) -> None:
    reduction = r.reduction
    rng = random.Random(r.p)
    chosen = corners(r.most, rng)
    pairs = [*((a, a) for a in chosen), *((rng.choice(chosen), rng.choice(chosen))
             for _ in range(60))]  # fmt: skip
    for (a, b), digit in itertools.product(pairs, (DIGIT, 9, 5, 3)):
        if -(-r.sum_width // digit) > 1 << digit:
            continue  # as presets do
        words = r.product_words(a, b, digit)
        assert sum(v << r.word * j for j, v in enumerate(words)) == r.value(a) * r.value(b)
        assert not any(words[reduction.words :])
        ends = zip(reduction.least, words, reduction.most, strict=False)
        assert all(low <= v <= high for low, v, high in ends)
        limbs = reduction.run(words)
        assert (r.value(limbs) - r.value(a) * r.value(b)) % r.p == 0
        assert min(limbs) >= 0
        assert all(v <= bound for v, bound in zip(limbs, reduction.limit, strict=True))
    assert max(reduction.limit) < 1 << r.register


@every
def test_the_steps_inside_a_reduction_keep_their_widths(r: Residues) -> None:
    """Each step, at the words of a product that make it largest and smallest."""
    reduction = r.reduction
    rng = random.Random(r.p)
    ends = [reduction.least, reduction.most]
    bounds = list(zip(*ends, strict=True))
    chosen = [*ends, *(
        [rng.choice((low, high, rng.randint(low, high))) for low, high in bounds]
        for _ in range(300)
    )]  # fmt: skip
    for cut in chosen:
        assert all(-1 << reduction.sum_bits - 1 <= v < 1 << reduction.sum_bits - 1 for v in cut)
        words = list(reduction.offset)
        for row, v in zip(reduction.rows, cut, strict=True):
            words = [w + c * v for w, c in zip(words, row, strict=True)]
        assert min(words) >= 0
        assert max(words) < 1 << reduction.word_bits
        limbs = reduction._join(words)
        assert max(limbs) < 1 << reduction.limb_bits
        for one in reduction.rounds:
            limbs = one.run(limbs)
            assert min(limbs) >= 0
            assert max(limbs) < 1 << reduction.limb_bits


def test_every_product_of_a_toy() -> None:
    """All pairs of a step of limbs in the smallest field."""
    r = Residues(31, 2, headroom=4)
    reduction = r.reduction
    values = [*itertools.product(range(0, r.most[0] + 1, 17), range(0, r.most[1] + 1, 9))]
    for a, b in itertools.product(values, values):
        limbs = r.product(a, b)
        assert (r.value(limbs) - r.value(a) * r.value(b)) % r.p == 0
        assert all(v <= bound for v, bound in zip(limbs, reduction.limit, strict=True))


@pytest.mark.parametrize("name", ["P-224", "P-256", "secp256k1", "P-384", "P-521"])
def test_a_prime_without_form_is_refused(name: str) -> None:
    """Of P-224's, P-256's and P-521's order the highest words alone are sparse."""
    order = Residues(curve(name).n)
    with pytest.raises(NotSparse, match="no sparse form in words of 32 bits"):
        _ = order.reduction


@pytest.mark.parametrize("name", ["secp256k1", "P-384"])
def test_carries_without_end_are_refused(name: str) -> None:
    order = Residues(curve(name).n)
    with pytest.raises(NotSparse, match=f"{order.p:#x}"):
        rounds(order, order.most)


def test_words_that_are_too_small_for_a_form_are_refused() -> None:
    with pytest.raises(NotSparse, match="words of 2 bits"):
        _ = Residues(509, 2).reduction


def multiply(r: Residues, a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Return the columns of a product of operands."""
    n = r.limbs
    return [sum(a[i] * b[k - i] for i in range(n) if 0 <= k - i < n) for k in range(2 * n - 1)]


@pytest.mark.parametrize("limbs", [1, 2, 3, 4, 5, 6, 8, 9])
def test_schemes_multiply(limbs: int) -> None:
    s = scheme(limbs)
    rng = random.Random(limbs)
    r = Residues((1 << 64 * limbs) - 1)
    assert len(s.columns) == 2 * limbs - 1
    assert len(s.picks) == len(set(s.picks))
    assert s.most_limbs == max(p.bit_count() for p in s.picks)
    for a, b in itertools.product(corners(r.most, rng)[:: limbs + 1], repeat=2):
        products = [
            sum(v for i, v in enumerate(a) if pick >> i & 1)
            * sum(v for i, v in enumerate(b) if pick >> i & 1)
            for pick in s.picks
        ]
        columns = [sum(sign * products[j] for j, sign in column) for column in s.columns]
        assert columns == multiply(r, a, b)


def test_schemes_save_products() -> None:
    assert [len(scheme(n).picks) for n in (1, 2, 3, 4, 6, 8, 9)] == [1, 3, 6, 9, 18, 27, 36]
    for n in range(1, 10):
        assert len(scheme(n).picks) <= n * n
