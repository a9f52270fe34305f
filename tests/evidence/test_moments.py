# SPDX-License-Identifier: Apache-2.0
"""Moments against numpy's own formulas; thresholds and bounds against published values."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ecsm.evidence.campaigns.moments import Moments, threshold, wilson

Traces = npt.NDArray[np.uint16]


def some(cycles: int, count: int, seed: int) -> tuple[Traces, npt.NDArray[np.int64]]:
    """Return traces, and the class of each of three; cycles differ in mean and spread."""
    rng = np.random.default_rng(seed)
    mean, spread = rng.uniform(50, 2000, cycles), rng.uniform(0.5, 40, cycles)
    traces = np.round(rng.normal(mean[:, None], spread[:, None], (cycles, count)))
    return np.maximum(traces, 0).astype(np.uint16), rng.integers(0, 3, count)


def centre(traces: Traces) -> npt.NDArray[np.float64]:
    return np.asarray(np.round(traces.mean(axis=1)))


def welch(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return t of two sets of rows, written as in a textbook."""
    difference = a.mean(axis=1) - b.mean(axis=1)
    return np.asarray(difference / np.sqrt(a.var(axis=1) / a.shape[1] + b.var(axis=1) / b.shape[1]))


def test_t_of_both_orders_is_welchs() -> None:
    traces, classes = some(2400, 700, 1)
    found = Moments.of(traces, classes, 3, centre(traces))
    assert found.count.tolist() == [int((classes == c).sum()) for c in range(3)]
    found = found.merged((0,), (1,))
    a, b = (traces[:, classes == c].astype(np.float64) for c in (0, 1))
    assert np.allclose(found.t(1), welch(a, b), rtol=1e-9, atol=1e-9)
    squares = [(x - x.mean(axis=1, keepdims=True)) ** 2 for x in (a, b)]
    assert np.allclose(found.t(2), welch(*squares), rtol=1e-6, atol=1e-6)
    assert np.abs(found.t(1)).max() < threshold(2400)


def test_central_moments_are_numpys() -> None:
    traces, classes = some(50, 400, 2)
    found = Moments.of(traces, classes, 3, centre(traces))
    for c in range(3):
        x = traces[:, classes == c].astype(np.float64)
        mean, variance, fourth = found.central(c)
        assert np.allclose(mean + centre(traces), x.mean(axis=1))
        assert np.allclose(variance, x.var(axis=1))
        assert np.allclose(fourth, ((x - x.mean(axis=1, keepdims=True)) ** 4).mean(axis=1))


def test_moments_add_up_exactly() -> None:
    traces, classes = some(60, 900, 3)
    at = centre(traces)
    whole = Moments.of(traces, classes, 3, at)
    parts = [slice(0, 100), slice(100, 101), slice(101, 900)]
    first, *others = [Moments.of(traces[:, p], classes[p], 3, at) for p in parts]
    total = first
    for other in reversed(others):
        total = other + total
    assert (total.count == whole.count).all()
    assert (total.sums == whole.sums).all()


def test_merged_classes_are_one_class() -> None:
    traces, classes = some(60, 900, 4)
    at = centre(traces)
    found = Moments.of(traces, classes, 3, at).merged((0,), (1, 2))
    want = Moments.of(traces, np.minimum(classes, 1), 2, at)
    assert (found.count == want.count).all()
    assert (found.sums == want.sums).all()
    assert (found.t(1) == -found.merged((1,), (0,)).t(1)).all()


def test_where_nothing_varies() -> None:
    """Equal in all traces: 0. Another number in each class: infinite, and of its side's sign."""
    classes = np.array([0, 1] * 50)
    traces = np.full((4, 100), 700, dtype=np.uint16)
    traces[1, classes == 0] = 701
    traces[2, classes == 1] = 65535
    traces[3, 1] = 699
    found = Moments.of(traces, classes, 2, np.array([700.0, 700, 700, 700]))
    assert found.t(1)[:3].tolist() == [0, np.inf, -np.inf]
    assert found.t(1)[3] == pytest.approx(welch(traces[3:, ::2], traces[3:, 1::2])[0])
    assert found.t(2)[:3].tolist() == [0, 0, 0]


def test_rounding_is_no_leak() -> None:
    """A mean far from the centre: equal classes stay equal."""
    classes = np.array([0, 1, 1] * 100)
    traces = np.full((1, 300), 60001, dtype=np.uint16)
    found = Moments.of(traces, classes, 2, np.array([3.0]))
    assert (found.t(1)[0], found.t(2)[0]) == (0, 0)


@pytest.mark.parametrize(("order", "bias", "spread"), [(1, 0.75, 0.0), (2, 0.0, 0.6)])
def test_a_planted_leak_is_found_in_its_order_alone(order: int, bias: float, spread: float) -> None:
    """Traces of 300 cycles do not depend on the class but in cycle 200."""
    rng = np.random.default_rng(5)
    cycles, count, at = 300, 8_000, 200
    classes = rng.integers(0, 2, count)
    traces = rng.integers(180, 221, (cycles, count), dtype=np.uint16)
    planted = np.zeros(count)
    planted[classes == 1] = rng.normal(4 * bias, 10 * spread, int((classes == 1).sum()))
    traces[at] = np.round(traces[at] + planted).astype(np.uint16)
    found = Moments.of(traces, classes, 2, centre(traces))
    over = {n: np.flatnonzero(np.abs(found.t(n)) > threshold(cycles)).tolist() for n in (1, 2)}
    assert over == {order: [at], 3 - order: []}


def test_thresholds() -> None:
    """Of one cycle, quantiles of tables; 4.5 is what leakage assessments use for p < 10^-5."""
    assert threshold(1, 0.05) == pytest.approx(1.959964, abs=1e-6)
    assert threshold(1, 0.001) == pytest.approx(3.290527, abs=1e-6)
    assert threshold(1, 6.795e-6) == pytest.approx(4.5, abs=1e-3)
    assert threshold(5, 0.05) == pytest.approx(threshold(1, 0.01))
    assert threshold(1_000_000) == pytest.approx(6.1094, abs=1e-3)


def test_false_alarms_are_as_rare_as_they_should_be() -> None:
    rng = np.random.default_rng(6)
    alarms = (np.abs(rng.normal(size=(4000, 100))) > threshold(100, 0.05)).any(axis=1).mean()
    assert 0.038 < alarms < 0.062


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_bounds_of_shares(hits: int, count: int, low: float, high: float) -> None:
    """R. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I."""
    assert wilson(hits, count) == pytest.approx((low, high), abs=6e-5)
    others = wilson(count - hits, count)
    assert others == pytest.approx((1 - high, 1 - low), abs=6e-5)


def test_bounds_of_nothing_are_all_and_stay_within() -> None:
    assert wilson(0, 0) == (0, 1)
    assert wilson(0, 7)[0] == 0
    assert wilson(7, 7)[1] == 1
    assert wilson(50, 100, 0.99)[0] < wilson(50, 100)[0] < 0.5
