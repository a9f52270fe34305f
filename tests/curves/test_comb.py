# SPDX-License-Identifier: Apache-2.0
"""The comb's model: every scalar of the toys, by the curve; and the digits of aG + bP in turn."""

from __future__ import annotations

import itertools

import pytest

from ecsm.curves import Point, curve
from ecsm.curves.comb import Comb, interleave
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.recode import recode_window, window_digits
from ecsm.curves.toy import TOY_PRIME_CURVES

TOYS = [c for c in TOY_PRIME_CURVES if c.h == 1]
SHAPES = [(2, 1), (3, 1), (5, 1), (1, 1), (2, 2), (3, 2), (1, 3), (2, 3)]  # columns and groups
SIGNED = pytest.mark.parametrize("signed", [False, True], ids=["", "signed"])


def multiple(c: PrimeCurve, comb: Comb, k: int, points: list[Point]) -> Point:
    """Return what the digits make of k, a doubling a column."""
    found: Point = None
    for column in comb.recode(k):
        found = c.double(found)
        for d in column:
            point = points[(abs(d) - 1) // 2]
            found = c.add(found, point if d > 0 else c.neg(point))
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("c", TOYS[:3], ids=lambda c: c.name)
@SIGNED
def test_every_scalar_on_a_toy(c: PrimeCurve, shape: tuple[int, int], signed: bool) -> None:
    comb = Comb(c.n, *shape, signed=signed)
    points = comb.points(c)
    assert len(points) == comb.groups * comb.entries
    expected: Point = None
    for k in range(1 << c.n.bit_length()):
        columns = comb.recode(k)
        assert [len(column) for column in columns] == [comb.groups] * comb.columns
        assert multiple(c, comb, k, points) == expected, k
        expected = c.add(expected, c.generator)


def by_definition(c: PrimeCurve, comb: Comb, number: int) -> Point:
    """Return a point of the comb: + or - of each tooth, by one multiplication."""
    group, i = divmod(number, comb.entries)
    signs = [2 * (i >> t & 1) - 1 for t in range(comb.teeth - 1)] + [1]
    first = group * comb.teeth
    k = sum(s << comb.columns * (first + t) for t, s in enumerate(signs))
    return c.mul(k % c.n, c.generator)


@pytest.mark.parametrize("shape", SHAPES)
@SIGNED
def test_points_are_sums_of_teeth(shape: tuple[int, int], signed: bool) -> None:
    """Also those which are infinity, or where a tooth is another one's opposite."""
    for c in TOYS:
        comb = Comb(c.n, *shape, signed=signed)
        expected = [by_definition(c, comb, i) for i in range(comb.groups * comb.entries)]
        assert comb.points(c) == expected


def test_a_point_takes_an_addition_or_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,024 multiplications of P-256 took ten seconds and more, for each look at `p256-sign`."""
    c = curve("P-256")
    assert isinstance(c, PrimeCurve)
    comb = Comb(c.n, 4, 8, signed=True)
    additions: list[None] = []
    add = PrimeCurve.add

    def counted(self: PrimeCurve, p: Point, q: Point) -> Point:
        additions.append(None)
        return add(self, p, q)

    monkeypatch.setattr(PrimeCurve, "add", counted)
    points = comb.points(c)
    assert len(points) == 1024
    assert len(additions) < 1100
    monkeypatch.undo()
    for number in (0, 1, 127, 128, 700, 1023):
        assert points[number] == by_definition(c, comb, number)


def test_the_highest_digit_is_positive() -> None:
    comb = Comb(TOYS[0].n, 3)
    assert all(comb.recode(k)[0][0] > 0 for k in range(1 << TOYS[0].n.bit_length()))


def test_teeth_suffice_for_a_bit_more_than_the_order_has() -> None:
    p256, k256 = curve("P-256").n, curve("secp256k1").n
    assert Comb(p256, window_digits(p256, 5)).teeth == 5
    assert Comb(k256, 26, 2).teeth == 5
    assert Comb(p256, 51).teeth == 6
    for n, columns, groups in itertools.product((41, 137, p256), (3, 7, 51), (1, 2)):
        comb = Comb(n, columns, groups)
        assert comb.bits > n.bit_length() >= comb.bits - columns * groups
        comb = Comb(n, columns, groups, signed=True)
        assert comb.bits >= n.bit_length() > comb.bits - columns * groups
    assert Comb(p256, 4, 8, signed=True).teeth == 8


@pytest.mark.parametrize("k", [-1, 64])
def test_a_scalar_that_is_longer_than_the_order_is_refused(k: int) -> None:
    with pytest.raises(ValueError, match="has not the 6 bits"):
        Comb(41, 3).recode(k)


def test_digits_come_in_turn_and_with_the_signs_of_b() -> None:
    n, w, entries = 41, 2, 2
    comb = Comb(n, window_digits(n, w))
    for a, b in itertools.product(range(64), range(0, 64, 7)):
        digits = interleave(comb.recode(a), recode_window(b, n, w), entries)
        assert not digits.zero
        assert not digits.negate
        used = digits.digits[::-1]
        assert len(used) == 2 * comb.columns
        assert all(abs(d) > 2 * entries for d in used[::2])  # behind P's
        assert [abs(d) - 2 * entries for d in used[::2]] == [abs(d) for (d,) in comb.recode(a)]
        total = 0
        for d in used[1::2]:
            assert abs(d) < 1 << w
            total = (total << w) + d
        assert (total - b) % n == 0
