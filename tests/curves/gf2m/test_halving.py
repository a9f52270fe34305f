# SPDX-License-Identifier: Apache-2.0
"""Scalars for point halving: the digits' value, their range, and which sums may be exceptional."""

from __future__ import annotations

import itertools
import random

import pytest

from ecsm.curves import binary_curve
from ecsm.curves.gf2m.halving import (
    BITS,
    FORMS,
    ODD,
    OFFSET,
    START,
    Digit,
    Halves,
    NoHalving,
    exceptions,
    halves,
)

CURVES = ("sect163r2", "sect233r1", "sect283r1", "sect409r1", "sect571r1", "sect163k1", "toy107h")


def scalars(h: Halves) -> list[int]:
    """Return edges, scalars whose digits are all alike, and random ones."""
    rng = random.Random(3)
    top = (1 << h.bits) - 1
    found = [0, 1, 2, OFFSET, h.n - 1, h.n, h.n + 1, top - 1, top]
    for digit in range(-8, 8):
        plain = (digit + 8) * ((1 << BITS * h.windows) - 1) // 15 - h.bias
        k = (plain * pow(2, -h.last, h.n) + OFFSET * pow(8, -1, h.n)) % h.n
        found += [k, k + h.n] if k + h.n <= top else [k]
    return found + [rng.getrandbits(h.bits) for _ in range(200)]


@pytest.mark.parametrize("name", CURVES)
def test_digits_are_the_scalar(name: str) -> None:
    h = halves(binary_curve(name))
    half = pow(2, -1, h.n)
    seen = set()
    for k in scalars(h):
        digits = h.digits(k)
        sums = {o: pow(half, i, h.n) for o, i in zip(ODD, START, strict=True)}
        for window, d in enumerate(digits):
            if d.odd:
                where = START[-1] + BITS * (window + 1) - d.shift
                sums[d.odd] += (-1 if d.negative else 1) * pow(half, where, h.n)
        assert (sum(o * s for o, s in sums.items()) - k) % h.n == 0
        seen |= {d.value for d in digits}
    assert seen == set(range(-8, 8))


def test_a_digit_has_its_value() -> None:
    assert [Digit.of(v).value for v in range(-8, 8)] == list(range(-8, 8))
    assert {Digit.of(v).odd for v in range(-8, 8)} == {0, *ODD}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("sect233k1", "cofactor 2"), ("sect283k1", "cofactor 2"), ("toy8a", "odd m"),
        ("sect163r1", "a = 1"), ("toy7k", "power of two"),
    ],
)  # fmt: skip
def test_other_curves_are_refused(name: str, reason: str) -> None:
    with pytest.raises(NoHalving, match=reason):
        halves(binary_curve(name))


def vanishing(h: Halves) -> set[str]:
    """Return what :func:`exceptions` does, by trying every row of digits."""
    half = pow(2, -1, h.n)
    found = set()
    for row in itertools.product([Digit.of(v) for v in range(-8, 9)], repeat=h.windows):
        sums = {o: pow(half, i, h.n) for o, i in zip(ODD, START, strict=True)}
        for window, d in enumerate(row):
            if not d.odd:
                continue
            term = pow(half, START[-1] + BITS * (window + 1) - d.shift, h.n)
            if sums[d.odd] % h.n in (term, h.n - term):
                found.add(f"A{d.odd} and the term of window {window}")
            sums[d.odd] += -term if d.negative else term
        for name, form in FORMS.items():
            if sum(c * s for c, s in zip(form, sums.values(), strict=True)) % h.n == 0:
                found.add(name)
    return found


# Orders of curves over GF(2^11), whose numbers have three digits.
@pytest.mark.parametrize("n", [991, 1031, 1063, 1049])
def test_exceptional_cases_are_those_that_there_are(n: int) -> None:
    h = Halves(n, 11)
    assert h.windows == 3
    tried = vanishing(h)
    named = set(exceptions(h))
    # It says one window of each accumulator, the first.
    for o in ODD:
        windows = sorted(name for name in tried if name.startswith(f"A{o} and"))
        tried -= set(windows[1:])
    assert named == tried
    assert named
