# SPDX-License-Identifier: Apache-2.0
"""Templates of masked digits on synthetic windows, of which it is known what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ecsm.evidence.campaigns.attacks import Classes, Digit, MaskedAttack, unmasked

LANES, LENGTH, LEVEL, DIGITS = 256, 24, 100, 60
Lanes: Any = SimpleNamespace(lanes=LANES)


@pytest.fixture(scope="module")
def drawn() -> list[np.ndarray]:
    """Return masks, a row for each digit: those that are learnt from, and others."""
    return [np.random.default_rng(seed).integers(0, 16, (DIGITS, LANES)) for seed in (1, 2)]


class Shown:
    """Windows that show numbers: each value a mean of its own, beside noise of 1.

    ``place``, ``order``, ``sign``: how far apart the means of the masked index, of its mask, and of
    both bits of a sign are.
    """

    def __init__(self, place: float, order: float, sign: float) -> None:
        self.far = (place, order, sign)
        self.windows = [(100 * i + 7, 100 * i + 7 + LENGTH) for i in range(DIGITS)]

    def digits(self, _lanes: object, inputs: tuple[np.ndarray, int]) -> Iterator[Digit]:
        """Yield windows of random digits."""
        masks, seed = inputs
        rng = np.random.default_rng(seed)
        for number, mask in enumerate(masks):
            digit = rng.integers(0, 16, LANES)
            order, second, first = mask & 7, mask >> 3, (digit ^ mask) >> 3
            place = (digit ^ mask) & 7
            counts = rng.normal(LEVEL, 1, (LENGTH, LANES))
            for at, far, value in ((0, self.far[0], place), (8, self.far[1], order)):
                counts[at : at + 8] += far * np.equal.outer(np.arange(8), value)
            for at, value in ((16, first), (20, second)):
                counts[at] += self.far[2] * value
            yield Digit(
                number, np.round(counts).astype(np.uint16), place | order << 3, first | second << 1
            )


def judged(shown: Shown, drawn: list[np.ndarray]) -> tuple[list[float], list[int]]:
    """Return the share of each bit that is guessed right; digits and scalars."""
    centre = np.full(100 * DIGITS, float(LEVEL))
    parts = [MaskedAttack(shown, centre, (3, 1)) for _ in range(2)]
    for seed, part in enumerate(parts):
        part.learn(Lanes, (drawn[0], seed))
    attack = MaskedAttack(shown, centre, (3, 1))
    for part in parts:
        attack.add(part.arrays())
    attack.ready()
    found = attack.judge(Lanes, (drawn[1], 99))
    assert found["hits"].shape == (DIGITS, 4, 3)
    hits = found["hits"].sum(axis=0)
    assert hits[:, 1].tolist() == [LANES * DIGITS] * 4
    assert abs(hits[:, 2] / hits[:, 1] - 0.5).max() < 0.02
    *digits, scalars = found["whole"].tolist()
    assert len(digits) == DIGITS
    return (hits[:, 0] / hits[:, 1]).tolist(), [LANES * DIGITS, sum(digits), LANES, scalars]


def test_both_halves_show_the_digit(drawn: list[np.ndarray]) -> None:
    each, whole = judged(Shown(20, 20, 20), drawn)
    assert each == [1, 1, 1, 1]
    count = LANES * DIGITS
    assert whole == [count, count, LANES, LANES]


def test_one_half_shows_nothing(drawn: list[np.ndarray]) -> None:
    """Neither does a masked sign whose mask is not seen."""
    for far in ((20, 0, 0), (0, 20, 0)):
        each, whole = judged(Shown(*far), drawn)
        assert all(abs(a - 0.5) < 0.02 for a in each)
        assert whole[1] < 0.1 * whole[0]
        assert whole[3] == 0


def test_a_mask_that_never_changes(drawn: list[np.ndarray]) -> None:
    """As of an engine without masks: classes that were never seen are never guessed."""
    none = [np.zeros_like(d) for d in drawn]
    each, whole = judged(Shown(20, 0, 20), none)
    assert each == [1, 1, 1, 1]
    assert whole[2:] == [LANES, LANES]


def test_a_number_is_unmasked() -> None:
    assert unmasked(np.array([0b101_011, 0b000_110, 0b111_111]), 3).tolist() == [0b110, 0b110, 0]
    assert unmasked(np.array([0b00, 0b01, 0b10, 0b11]), 1).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("plain", [False, True])
def test_chances_of_overlapping_means_are_bayes(plain: bool) -> None:
    """A number that shows itself, its values one deviation apart: 69 % are right."""
    values, chances = _learnt(plain, lambda masked, mask: masked ^ mask)
    assert chances.sum(axis=1) == pytest.approx(1)
    right = chances.argmax(axis=1) == unmasked(values, 1)
    assert right.mean() == pytest.approx(0.6915, abs=0.005)


@pytest.mark.parametrize("plain", [False, True])
def test_a_masked_number_alone_has_even_chances(plain: bool) -> None:
    values, chances = _learnt(plain, lambda masked, mask: masked + 0 * mask)
    assert (chances.argmax(axis=1) == unmasked(values, 1)).mean() == pytest.approx(0.5, abs=0.01)


def _learnt(
    plain: bool, shown: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of one bit with their masks, and what windows of one cycle say of them."""
    rng, classes = np.random.default_rng(1), Classes(1, 1, plain)
    values = rng.integers(0, 4, 200_000)
    x = rng.normal(0, 1, (200_000, 1)) + shown(values & 1, values >> 1)[:, None]
    classes.learn(x, values)
    classes.ready(x.T @ x)
    return values, classes.chances(x)
