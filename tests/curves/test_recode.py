# SPDX-License-Identifier: Apache-2.0
"""No window adds equal or opposite points: tried on residues, for every scalar of small orders.

The digits themselves are tested in tests/rtl/scalar/test_scalar_window.py.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ecsm.curves import curve
from ecsm.curves.recode import (
    check_window,
    high_range,
    odd_digits,
    recode_window,
    top_values,
    window_bits,
    window_digits,
)

# Nothing here needs a prime, any odd number will do for an order.
ORDERS = (*range(3, 700, 2), 1021, 1023, 1025, 1027, 2047, 2049, 4093, 4095, 4097)
WINDOWS = (2, 3, 4, 5)
D0 = {"P-224": -29, "P-256": 15, "secp256k1": 31, "P-384": -19, "P-521": 23}  # for w = 5


def exceptional(digits: tuple[int, ...], n: int, w: int) -> list[tuple[int, str]]:
    """Return the windows whose additions are exceptional, the last window 0, and how."""
    s = digits[-1] % n
    found = []
    for i in reversed(range(len(digits) - 1)):
        assert s  # no doubling of infinity, now or on the way: n is odd
        s, d = (s << w) % n, digits[i] % n
        if d == 0 or s == d:
            found.append((i, "equal"))
        elif s + d == n:
            found.append((i, "opposite"))
        s = (s + d) % n
    return found


def exceptions(odds: Iterable[int], n: int, w: int) -> dict[int, list[tuple[int, str]]]:
    """Return the exceptional windows of those numbers that have one, but the end of n itself."""
    odds = list(odds)
    count = -(-odds[-1].bit_length() // w)
    found = {odd: exceptional(odd_digits(odd, count, w), n, w) for odd in odds}
    assert found.pop(n, [(0, "opposite")]) == [(0, "opposite")]
    return {odd: places for odd, places in found.items() if places}


def safe(n: int, w: int) -> bool:
    try:
        check_window(n, w)
    except ValueError:
        return False
    return True


def centre(n: int, w: int) -> int:
    """Return d0."""
    return (1 << w) - n % (2 << w)


@pytest.mark.parametrize("w", WINDOWS)
def test_no_scalar_of_a_safe_order_is_exceptional(w: int) -> None:
    seen = set()
    for n in filter(lambda n: safe(n, w), ORDERS):
        seen.add(high_range(n, w))
        for k in range(n):
            places = exceptional(recode_window(k, n, w).digits, n, w)
            assert places == ([] if k else [(0, "opposite")]), f"n = {n}, k = {k}"
    assert seen == {False, True}


@pytest.mark.parametrize("w", WINDOWS)
def test_each_range_alone_has_the_exception_of_the_argument(w: int) -> None:
    for n in filter(lambda n: safe(n, w), ORDERS):
        d0 = centre(n, w)
        assert high_range(n, w) == (d0 < 0)
        want = {n + 2 * d0: [(0, "equal")]}
        assert exceptions(range(1, n + 1, 2), n, w) == (want if d0 < 0 else {}), n
        assert exceptions(range(n, 2 * n, 2), n, w) == (want if d0 > 0 else {}), n


@pytest.mark.parametrize("w", [*WINDOWS, 6, 7, 8])
def test_orders_that_are_refused(w: int) -> None:
    """Below 2^w the table is wrong; above, one multiplier is, from 6/5 to 4/3 of 2^w."""
    for n in range(3, (4 << w) // 3 + 1, 2):
        assert not safe(n, w)
        if n < 1 << w:
            assert any(
                (j - 2) % n == 0 or (j + 2) % n == 0 or j % n == 0 for j in range(1, 1 << w, 2)
            )
            continue
        assert high_range(n, w)
        want = {(6 << w) - 3 * n: [(0, "equal")]} if 5 * n > 6 << w else {}
        assert exceptions(range(n, 2 * n, 2), n, w) == want, n


@pytest.mark.parametrize("w", WINDOWS)
def test_the_table_of_a_safe_order_adds_different_points(w: int) -> None:
    for n in filter(lambda n: safe(n, w), ORDERS):
        assert all((j - 2) % n and (j + 2) % n and j % n for j in range(1, (1 << w) - 2, 2))
        assert ((1 << w) - 1) % n


@pytest.mark.parametrize("w", [4, 5])
@pytest.mark.parametrize("name", D0)
def test_orders_of_the_standards(name: str, w: int) -> None:
    n = curve(name).n
    check_window(n, w)
    d0 = centre(n, w)
    if w == 5:
        assert d0 == D0[name]
        assert high_range(n, w) == (name in ("P-224", "P-384"))
    near = range(n + 2 * d0 - 300, n + 2 * d0 + 301, 2)
    assert exceptions(near, n, w) == {n + 2 * d0: [(0, "equal")]}
    for k in range(-300, 300):
        places = exceptional(recode_window(k % n, n, w).digits, n, w)
        assert places == ([] if k else [(0, "opposite")]), k


@pytest.mark.parametrize("w", WINDOWS)
def test_the_top_digit_needs_all_its_bits(w: int) -> None:
    for n in filter(lambda n: safe(n, w), ORDERS):
        found = {recode_window(k, n, w).digits[-1] for k in range(n)}
        assert top_values(n, w) <= max(found) < 2 * top_values(n, w), n


def test_digits_of_the_standards() -> None:
    """The high range costs no digit where the last window has a bit to spare."""
    n = {name: curve(name).n for name in D0}
    assert [window_digits(n[c], 5) for c in D0] == [45, 52, 52, 77, 105]
    assert [window_bits(n[c], 5) for c in D0] == [225, 256, 256, 385, 521]
    assert [top_values(n[c], 5) for c in D0] == [16, 1, 1, 16, 1]


@pytest.mark.parametrize(("n", "w"), [(41, 5), (42, 5), (31, 5), (1, 2), (5, 2), (67, 1), (-67, 2)])
def test_small_orders_are_refused(n: int, w: int) -> None:
    with pytest.raises(ValueError, match=f"w = {w} bits are not safe for an order n = {n}"):
        check_window(n, w)
