# SPDX-License-Identifier: Apache-2.0
"""Scalars in two halves: every scalar of small orders, the edges of secp256k1's."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ecsm.curves import SEC2_PRIME_CURVES
from ecsm.curves.gfp.endomorphism import Decomposition, beta, decomposition, roots, small_form
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.toy import TOY_PRIME_CURVES

K1 = next(c for c in SEC2_PRIME_CURVES if c.name == "secp256k1")
R1 = next(c for c in SEC2_PRIME_CURVES if c.name == "secp256r1")
TOYS = [c for c in TOY_PRIME_CURVES if c.a == 0]
TOY = next(c for c in TOYS if c.name == "toyp8e")


def is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


ORDERS = [n for n in range(67, 700, 6) if is_prime(n)]
CASES = [(n, w) for n in ORDERS for w in (2, 3, 4)]


def halves(n: int, w: int) -> Iterator[Decomposition]:
    for lam in roots(n):
        d = Decomposition(n, lam, w, 4)
        try:
            assert d.point
        except ValueError:
            continue
        yield d


def test_every_scalar_of_small_orders_is_right_and_within_the_bounds() -> None:
    seen = 0
    for n, w in CASES:
        for d in halves(n, w):
            (a1, b1), (a2, b2) = d.basis
            assert a1 * b2 - a2 * b1 == n
            assert (a1 + b1 * d.lam) % n == (a2 + b2 * d.lam) % n == 0
            for k in range(1 << d.bits):
                found = d.split(k)
                assert (found[0] + found[1] * d.lam - k) % n == 0
                assert all(half % 2 for half in found)
                assert all(abs(v) <= m for v, m in zip(found, d.largest, strict=True))
                for half in found:
                    digits = d.signed_digits(half)
                    assert sum(v << w * i for i, v in enumerate(digits)) == half
                    assert len(digits) == d.digits
                    assert all(v % 2 and abs(v) < 1 << w for v in digits)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("n", [3, 5, 41, 137])
def test_orders_without_the_endomorphism_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="no endomorphism"):
        decomposition(n, 3, 4)


def test_secp256k1() -> None:
    """The constants of SEEDS row C's document and of everyone else."""
    d = decomposition(K1.n, 5)
    assert d.lam == 0x5363AD4CC05C30E0A5261C028812645A122E22EA20816678DF02967C1B23BD72
    assert beta(K1, d.lam) == 0x7AE96A2B657C07106E64479EAC3434E99CF0497512F58995C1396C28719501EE
    assert d.basis == (
        (0x3086D221A7D46BCDE86C90E49284EB15, -0xE4437ED6010E88286F547FA90ABFE4C3),
        (0x114CA50F7A8E2F3F657C1108D9D44CFD8, 0x3086D221A7D46BCDE86C90E49284EB15),
    )
    assert d.digits == 26
    assert max(d.largest) < 1.43 * 2**128


def scalars(n: int) -> list[int]:
    rng = random.Random(1)
    top = (1 << n.bit_length()) - 1
    return [0, 1, 2, n - 2, n - 1, n, n + 1, top - 1, top, *(rng.randrange(n) for _ in range(500))]


@pytest.mark.parametrize("w", [4, 5, 6])
@pytest.mark.parametrize("lam", roots(K1.n))
def test_edges_of_secp256k1(lam: int, w: int) -> None:
    d = Decomposition(K1.n, lam, w)
    (a1, b1), (a2, b2) = d.basis
    corners = [
        e * v + f * u + i
        for e in (-1, 0, 1)
        for f in (-1, 0, 1)
        for i in (-2, 0, 2)
        for v, u in (((a1 + b1 * lam), (a2 + b2 * lam)), (a1, b1 * lam), (a2, b2 * lam))
    ]
    multiples = [i + j * lam for i in range(-3, 4) for j in range(-70, 71)]
    most = [0, 0]
    for k in [*scalars(K1.n), *(v % K1.n for v in corners + multiples)]:
        k1, k2 = d.split(k)
        assert (k1 + k2 * lam - k) % K1.n == 0
        assert k1 % 2 == k2 % 2 == 1
        most = [max(most[0], abs(k1)), max(most[1], abs(k2))]
    assert all(0.75 * b < m <= b for m, b in zip(most, d.largest, strict=True))


def test_the_digits_are_those_of_the_halves_in_turn() -> None:
    d = decomposition(K1.n, 5)
    for k in scalars(K1.n):
        r = d.recode(k)
        assert (r.zero, r.negate) == (k % K1.n == 0, False)
        k2, k1 = (sum(v << 5 * i for i, v in enumerate(r.digits[j::2])) for j in (0, 1))
        assert (k1, k2) == d.split(k)


@pytest.mark.parametrize("c", TOYS, ids=lambda c: c.name)
def test_beta_is_the_endomorphism_for_every_point(c: PrimeCurve) -> None:
    for lam in roots(c.n):
        b = beta(c, lam)
        for point in c.points():
            if point is not None:
                assert c.mul(lam, point) == (b * point[0] % c.p, point[1])


@pytest.mark.parametrize("c", [K1, TOY], ids=lambda c: c.name)
def test_the_form_with_a_small_constant(c: PrimeCurve) -> None:
    u, nine_b = small_form(c)
    assert (9 * c.b * u**6 - nine_b) % c.p == 0
    assert abs(nine_b) in (1, 2, 4, 8)
    x, y = c.generator
    assert ((u**3 * y) ** 2 - (u**2 * x) ** 3 - c.b * u**6) % c.p == 0


def test_a_curve_without_such_a_form_is_refused() -> None:
    with pytest.raises(ValueError, match="no form"):
        small_form(next(c for c in TOYS if c.name == "toyp8k"))


def test_curves_without_the_endomorphism_are_refused() -> None:
    with pytest.raises(ValueError, match="is not y"):
        beta(R1, 2)
    with pytest.raises(ValueError, match="no endomorphism"):
        beta(TOY, 2)


@pytest.mark.parametrize("k", [-1, 256])
def test_scalars_wider_than_the_port_are_refused(k: int) -> None:
    with pytest.raises(ValueError, match="has not the 8 bits"):
        decomposition(TOY.n, 2, 4).split(k)


@pytest.mark.parametrize("word", [17, 70])
def test_words_that_hold_no_reciprocal_are_refused(word: int) -> None:
    with pytest.raises(ValueError, match=f"words of {word} bits do not suit"):
        _ = decomposition(K1.n, 5, word).point
