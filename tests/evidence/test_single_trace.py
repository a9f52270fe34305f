# SPDX-License-Identifier: Apache-2.0
"""Templates on synthetic traces, of which it is known how much they show."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest

from ecsm.evidence.campaigns.moments import wilson
from ecsm.evidence.campaigns.single import judged
from ecsm.evidence.campaigns.templates import MOST, RIDGE, Templates, Windows, decided

TURN, DIGITS = 4, 8
LEVEL = 400
Digits = npt.NDArray[np.int64]
Traces = npt.NDArray[np.uint16]


class Synthetic:
    """Traces of DIGITS turns: noise, and in the middle of each turn a digit's own means.

    ``means[v]`` are added to the turn's cycles where the digit is v, ``others[v]`` to those of the
    turn behind it.
    """

    def __init__(self, means: list[list[float]], others: list[list[float]] | None = None) -> None:
        self.means = np.array(means, dtype=np.float64)
        self.others = np.zeros_like(self.means) if others is None else np.array(others)
        self.cycles = TURN * (DIGITS + 1)
        turns = [TURN * i for i in range(DIGITS + 1)]
        self.windows = Windows.of([*turns, self.cycles], self.cycles)

    def templates(self, bits: int) -> Templates:
        return Templates(self.windows, bits, np.full(self.cycles, float(LEVEL)))

    def traces(self, seed: int, count: int, noise: float = 20.0) -> tuple[Traces, Digits]:
        rng = np.random.default_rng(seed)
        digits = rng.integers(0, len(self.means), (count, DIGITS))
        found = rng.normal(LEVEL, noise, (self.cycles, count))
        for i in range(DIGITS):
            found[TURN * i : TURN * (i + 1)] += self.means[digits[:, i]].T
            found[TURN * (i + 1) : TURN * (i + 2)] += self.others[digits[:, i]].T
        return np.round(found).astype(np.uint16), digits

    def right(self, bits: int, noise: float = 20.0) -> tuple[int, int]:
        """Return how many bits of how many are guessed right."""
        templates = self.templates(bits)
        for seed in range(4):
            templates.learn(*self.traces(seed, 2000, noise))
        templates.ready()
        hits = templates.judge(*self.traces(100, 4000, noise)).sum(axis=0)
        return int(hits[:, 0].sum()), int(hits[:, 1].sum())


def expected(separation: float) -> float:
    """Return what the best guess of a bit is right in, noise being Gaussian."""
    return NormalDist().cdf(separation / 2)


@pytest.mark.parametrize(
    "means",
    [[0, 0, 0, 0], [0, 10, 0, 0], [0, 20, 0, 0], [10, 10, -10, 10], [0, 0, 40, 30]],
    ids=["none", "half", "one", "one, in four cycles", "two and a half"],
)
def test_accuracy_is_that_of_the_known_separation(means: list[float]) -> None:
    """Nothing to see is 50 %; no guess is better than the best one."""
    separation = float(np.hypot.reduce(means)) / 20
    hits, count = Synthetic([[0, 0, 0, 0], means]).right(1)
    assert count > 15_000
    low, high = wilson(hits, count, 0.999)
    assert low < expected(separation)
    assert high > expected(separation) - 0.004  # templates are learnt, not known


def test_what_a_digit_shows_in_the_turn_behind_counts() -> None:
    """It is seen there beside what the next digit shows, which is not known."""
    hits, count = Synthetic([[0] * 4, [0, 30, 0, 0]], [[0] * 4, [0, 0, 40, 0]]).right(1)
    low, high = wilson(hits, count, 0.999)
    best = expected(float(np.hypot(30, 40)) / 20)
    assert low < best
    assert high > best - 0.004


def test_sums_of_two_digits_tell_which_is_which() -> None:
    """Each turn shows the sum of its digit and the one before, as good as without noise.

    Three sums tell a digit unless all are 1, in 2 of 16 cases; then half of the guesses are right.
    The first and the last digit always show.
    """
    means = [[0.0] * 4, [60.0, 0, 0, 0]]
    hits, count = Synthetic(means, means).right(1, noise=2.0)
    low, high = wilson(hits, count, 0.999)
    assert low < ((DIGITS - 3) * 15 / 16 + 2) / (DIGITS - 1) < high


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_wide_digits(bits: int) -> None:
    """Each bit has a cycle of its own, and so a separation of its own."""
    each = (40.0, 20.0, 0.0, 60.0)[:bits]
    means = [
        [each[b] * (v >> b & 1) if b < bits else 0 for b in range(4)] for v in range(1 << bits)
    ]
    synthetic = Synthetic(means)
    templates = synthetic.templates(bits)
    assert templates.pairs == (4 if bits == 2 else 2)
    for seed in range(6):
        templates.learn(*synthetic.traces(seed, 2000))
    templates.ready()
    hits = templates.judge(*synthetic.traces(100, 3000))
    assert hits.shape == (DIGITS - 1, bits, 3)
    hits = hits.sum(axis=0)
    for b in range(bits):
        low, high = wilson(int(hits[b, 0]), int(hits[b, 1]), 0.999)
        assert low < expected(each[b] / 20)
        assert high > expected(each[b] / 20) - 0.01
        assert abs(hits[b, 2] / hits[b, 1] - 0.5) < 0.02, "how many are 1"


def test_digits_that_are_rarely_one_are_guessed_so() -> None:
    """Without anything to see the guess is the likelier value."""
    synthetic = Synthetic([[0] * 4, [0] * 4])
    traces, digits = synthetic.traces(1, 4000)
    rng = np.random.default_rng(2)
    rare = (rng.random(digits.shape) < 0.1).astype(np.int64)
    templates = synthetic.templates(1)
    templates.learn(traces, rare)
    templates.ready()
    hits = templates.judge(*synthetic.traces(3, 500)[:1], rare[:500]).sum(axis=0)
    assert hits[0, 0] == hits[0, 1] - hits[0, 2]


def test_windows_at_the_ends() -> None:
    """The first digits and the last ones have none; a short or a long turn changes no length."""
    found = Windows.of([3, 13, 23, 33, 43, 90], 90)
    assert found == Windows([-1, 3, 13, 23, 33], 30)
    assert Windows.of([3, 13, 23, 33, 43, 60], 60) == Windows([-1, 3, 13, 23, -1], 30)
    assert Windows.of([12, 13, 23, 33, 60], 60) == Windows([2, 3, 13, 23], 30)
    assert Windows.of([0, 5], 5) == Windows([-1], 15), "one digit: none has a window"
    assert found.used(9) == found.used(5) == [1, 2, 3, 4]
    assert found.used(3) == [1, 2]
    assert Windows([0, 7, -1], 5).used(3) == [1], "the first digit has none before it"


def test_a_window_is_cut_where_it_is() -> None:
    traces = np.arange(60)[:, None] + np.array([[0, 100]])
    windows = Windows([-1, 3, 13], 30)
    assert windows.cut(traces, 1).tolist() == [list(range(3, 33)), list(range(103, 133))]
    assert windows.cut(traces, 2)[0].tolist() == list(range(13, 43))


def test_long_windows_are_added_up() -> None:
    length = 2 * MOST + 10
    traces = np.ones((length + 20, 3))
    traces[5 + 7] = 9
    cut = Windows([5], length).cut(traces, 0)
    assert cut.shape == (3, 470)
    assert cut.sum(axis=1).tolist() == [length + 8] * 3
    assert cut[0, :4].tolist() == [3, 3, 11, 3]


def test_arrays_of_parts_are_what_is_learnt_at_once() -> None:
    synthetic = Synthetic([[0] * 4, [0, 10, 10, 0]])
    batches = [synthetic.traces(seed, 300) for seed in range(3)]
    whole, total = synthetic.templates(1), synthetic.templates(1)
    for batch in batches:
        whole.learn(*batch)
        part = synthetic.templates(1)
        part.learn(*batch)
        total.add(part.arrays())
    for name, array in whole.arrays().items():
        assert (total.arrays()[name] == array).all(), name
    whole.ready()
    total.ready()
    traces, _ = synthetic.traces(9, 200)
    for i in range(1, DIGITS):
        assert (whole.guess(traces, i) == total.guess(traces, i)).all()


def test_cycles_that_do_not_vary_or_vary_together() -> None:
    """No covariance is singular: a constant cycle, and two that are equal."""
    synthetic = Synthetic([[0] * 4, [0, 40, 0, 0]])

    def flat(seed: int) -> tuple[Traces, Digits]:
        traces, digits = synthetic.traces(seed, 3000)
        traces[::4] = LEVEL
        traces[3::4] = traces[2::4]
        return traces, digits

    templates = synthetic.templates(1)
    templates.learn(*flat(1))
    templates.ready()
    hits = templates.judge(*flat(2)).sum(axis=0)
    assert hits[0, 0] / hits[0, 1] == pytest.approx(expected(2.0), abs=0.01)
    assert 0 < RIDGE < 0.01


def test_bits_that_the_key_does_not_decide_are_not_counted() -> None:
    """A digit that is always 3 and a bit that is always 0: known without a trace, and left out."""
    synthetic = Synthetic([[0] * 4] * 4)
    templates = synthetic.templates(2)

    def traces(seed: int, count: int) -> tuple[Traces, Digits]:
        found, digits = synthetic.traces(seed, count)
        digits[:, 1] = 3
        digits[:, 4] &= 1
        return found, digits

    for seed in range(4):
        templates.learn(*traces(seed, 2000))
    templates.ready()
    hits = templates.judge(*traces(9, 4000))
    known = [(0, 0), (0, 1), (3, 1)]
    assert np.argwhere(~decided(hits)).tolist() == [list(k) for k in known]
    assert all(hits[k][0] == hits[k][1] for k in known), "the attacker knows them"
    found = judged(lambda n: [{"hits": hits}] * n, 1, 8000)
    assert found is not None
    assert (found.bits, found.constant) == (4000 * (2 * (DIGITS - 1) - 3), 3)
    low, high = wilson(found.right, found.bits, 0.999)
    assert low < 0.5 < high
    assert found.guess == pytest.approx(0.5, abs=0.02)
    assert int(hits[..., 0].sum()) > 0.58 * hits[..., 1].sum(), "with them it would be more"


def test_as_many_bits_are_judged_as_are_asked_for() -> None:
    """Batches are added until there are: the constant ones do not count. None: nothing to guess."""
    hits = np.zeros((3, 2, 3), dtype=np.int64)
    hits[...] = (60, 100, 50)
    hits[0] = (100, 100, 0)
    asked = []

    def batches(number: int) -> list[dict[str, Digits]]:
        asked.append(number)
        return [{"hits": hits}] * number

    found = judged(batches, 1001, 5)
    assert found is not None
    assert (found.bits, found.right, asked) == (1200, 720, [1, 3])
    assert (found.training, found.each, found.scalars) == (5, [0.6, 0.6], 0)
    hits[:, :, 2] = 0
    assert judged(batches, 1001, 5) is None


def test_digits_and_scalars_that_are_right() -> None:
    """A digit without a bit that the key decides is none."""
    hits = np.array([[[8, 8, 8]], [[5, 8, 4]], [[6, 8, 3]]])
    found = judged(lambda n: [{"hits": hits, "whole": np.array([8, 5, 6, 2])}] * n, 20, 5)
    assert found is not None
    assert (found.digits, found.digits_right) == (32, 22)
    assert (found.scalars, found.scalars_right) == (16, 4)
