# SPDX-License-Identifier: Apache-2.0
"""Figures of campaigns, reckoned again from their definitions: raw traces, tails, an own oracle."""

from __future__ import annotations

import random
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ecsm.cores.store import design
from ecsm.curves import Point
from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.leak import FIXED, Plan, Verdict, generator, leak
from ecsm.evidence.campaigns.moments import wilson
from ecsm.evidence.campaigns.subject import CHUNK, CoreJobs
from ecsm.oracle import libcrypto
from ecsm.progress import Progress
from tests.evidence.small import core

TOY = "toy7-small"
Floats = npt.NDArray[np.float64]


def raw(plan: Plan) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the traces of the first piece, a row each, and the class of each."""
    toy, traces, classes = core(plan.preset), [], []
    with Lanes(toy.circuit) as lanes:
        for batch in range(CHUNK // lanes.lanes):
            rng = generator(plan, "moments", batch)
            of = [FIXED] * (lanes.lanes // 2) + [1, 2] * (lanes.lanes // 4)
            rng.shuffle(of)
            asked = toy.inputs(rng, plan.vary, [c == FIXED for c in of])
            traces.append(toy.trace(lanes, asked).T.astype(np.float64))
            classes += of
    return np.concatenate(traces), np.array(classes)


def welch(a: Floats, b: Floats) -> Floats:
    """Return |t| by cycle; where nothing varies, 0 for equal means and a million for others."""
    spread = np.sqrt(a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b))
    difference = np.abs(a.mean(axis=0) - b.mean(axis=0))
    still = spread < 1e-9
    t = np.where(still, 1e6 * (difference > 1e-9), difference / np.where(still, 1, spread))
    return np.asarray(t)


def squares(a: Floats) -> Floats:
    return np.asarray(np.square(a - a.mean(axis=0)))


@pytest.mark.parametrize("vary", ["scalar", "point"])
def test_t_is_that_of_the_raw_traces(vary: str, here: Path) -> None:
    plan = Plan(TOY, vary, CHUNK, 0, 1)
    found, t, _ = leak(plan, "", None, 1, Progress())
    traces, classes = raw(plan)
    fixed, free = traces[classes == FIXED], traces[classes != FIXED]
    assert len(fixed) == len(free) == CHUNK // 2
    pairs = (fixed, free), (traces[classes == 1], traces[classes == 2])
    for (a, b), verdicts in zip(
        pairs, ((found.first, found.second), (found.null_first, found.null_second)), strict=True
    ):
        agree(welch(a, b), verdicts[0], found.threshold)
        agree(welch(squares(a), squares(b)), verdicts[1], found.threshold)
    assert np.abs(t[0]) == pytest.approx(welch(fixed, free), rel=2e-3, abs=1e-6)
    assert np.abs(t[1]) == pytest.approx(welch(squares(fixed), squares(free)), rel=2e-3, abs=1e-6)


def agree(t: Floats, verdict: Verdict, limit: float) -> None:
    """Assert a verdict; cycles within 0.1 % of the threshold may be on either side of it."""
    assert verdict.worst == pytest.approx(t.max(), rel=2e-3, abs=0.01)
    assert (t > 1.001 * limit).sum() <= verdict.over <= (t > 0.999 * limit).sum()


def tail(count: int, hits: int, share: float) -> float:
    """Return the chance of ``hits`` or more."""
    return sum(
        comb(count, i) * share**i * (1 - share) ** (count - i) for i in range(hits, count + 1)
    )


def exact(hits: int, count: int) -> tuple[float, float]:
    """Return the bounds of Clopper and Pearson, by bisection of the tails of 2.5 %."""

    def where(k: int, level: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(count, k, middle) < level else (low, middle)
        return low

    return where(hits, 0.025) if hits else 0.0, where(hits + 1, 0.975) if hits < count else 1.0


@pytest.mark.parametrize("hits", [0, 1, 40, 200, 399, 400])
def test_bounds_are_near_the_exact_ones(hits: int) -> None:
    """Which are wider, as they promise 95 % for every share, and not on the average."""
    count = 400
    (low, high), (wide_low, wide_high) = wilson(hits, count), exact(hits, count)
    assert low == pytest.approx(wide_low, abs=0.005)
    assert high == pytest.approx(wide_high, abs=0.005)


@pytest.mark.parametrize("share", [0.03, 0.2, 0.5, 0.74, 0.99])
def test_bounds_hold_the_share_nineteen_times_of_twenty(share: float) -> None:
    count = 400
    held = 0.0
    for hits in range(count + 1):
        low, high = wilson(hits, count)
        if low <= share <= high:
            held += comb(count, hits) * share**hits * (1 - share) ** (count - hits)
    assert held == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    "name", ["b163-small", "b163-halving", "b233-small", "p256-small", "k256-glv", "p256-verify"]
)
def test_the_right_answer_is_that_of_openssl(name: str) -> None:
    """What a campaign of faults holds answers against; the points are those that it asks for."""
    jobs = object.__new__(CoreJobs)
    jobs.design = design(name)
    preset = jobs.design.preset
    rng = random.Random(7)
    points = jobs.points(rng)
    for _ in range(3):
        k, point = jobs.scalar(rng), next(points)
        assert jobs.right(k, point) == oracle(preset.curve.name, preset.double, k, point)
        assert jobs.on_curve(point)
        assert point is not None
        assert not jobs.on_curve((point[0], point[1] ^ 1 << 5))


def oracle(curve: str, double: bool, k: int, point: Point) -> Point:
    """Return kP by OpenSSL, or aG + bP."""
    if not double:
        return libcrypto.kp(curve, k, point)
    bits = libcrypto.group_params(curve).n.bit_length()
    return libcrypto.double_kp(curve, k >> bits, k & (1 << bits) - 1, point)
