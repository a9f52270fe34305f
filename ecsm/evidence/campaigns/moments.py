# SPDX-License-Identifier: Apache-2.0
"""Moments of traces, which add up over any number of runs, and the tests on them.

A class has in each cycle the sums of x, x^2, x^3 and x^4, x being the distance to a number that is
the same for all classes. Sums of whole numbers below 2^53 are exact in any order.

- First order: Welch's t of the means of two classes.
- Second order: Welch's t of the means of the squares of (x - the class's mean).

Source: T. Schneider, A. Moradi, "Leakage assessment methodology", CHES 2015.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.lanes import add_moments

ORDERS = 4
ALPHA = 0.001  # of a false alarm in all cycles of a test together
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """``count[c]`` traces in class c; ``sums[c, k]`` sums of the power k + 1, by cycle."""

    count: npt.NDArray[np.int64]
    sums: Floats

    @staticmethod
    def of(
        traces: npt.NDArray[np.uint16], classes: npt.NDArray[np.int64], number: int, centre: Floats
    ) -> Moments:
        """Return the moments of traces, one a column; ``classes`` has the class of each."""
        count = np.bincount(classes, minlength=number)
        order = np.argsort(classes, kind="stable").astype(np.int32)
        ends = np.cumsum(count).astype(np.int32)
        sums = np.zeros((number, ORDERS, len(traces)))
        add_moments(np.ascontiguousarray(traces), order, ends, centre, sums)
        return Moments(count, sums)

    def __add__(self, other: Moments) -> Moments:
        """Return the moments of both."""
        return Moments(self.count + other.count, self.sums + other.sums)

    def merged(self, *groups: tuple[int, ...]) -> Moments:
        """Return the moments with classes put together."""
        count = np.array([self.count[list(g)].sum() for g in groups])
        return Moments(count, np.stack([self.sums[list(g)].sum(axis=0) for g in groups]))

    def central(self, c: int) -> tuple[Floats, Floats, Floats]:
        """Return mean, variance, and the fourth central moment of a class, by cycle."""
        m1, m2, m3, m4 = self.sums[c] / max(int(self.count[c]), 1)
        variance = np.maximum(m2 - m1**2, 0)
        fourth = m4 - 4 * m3 * m1 + 6 * m2 * m1**2 - 3 * m1**4
        return m1, variance, np.maximum(fourth, 0)

    def t(self, order: int) -> Floats:
        """Return Welch's t of classes 0 and 1, by cycle, of the first or the second order.

        Where neither class varies, t is 0 for equal means and infinite for others.
        """
        (mean0, var0, fourth0), (mean1, var1, fourth1) = self.central(0), self.central(1)
        if order == 2:
            mean0, var0, mean1, var1 = var0, fourth0 - var0**2, var1, fourth1 - var1**2
        n0, n1 = self.count
        spread = np.sqrt(np.maximum(var0, 0) / n0 + np.maximum(var1, 0) / n1)
        difference = mean0 - mean1
        tiny = 1e-9 * (1 + np.abs(mean0) + np.abs(mean1))  # rounding
        t = np.where(np.abs(difference) <= tiny, 0.0, np.copysign(np.inf, difference))
        np.divide(difference, spread, out=t, where=spread > tiny)
        return t


def threshold(cycles: int, alpha: float = ALPHA) -> float:
    """Return what |t| exceeds in any of so many cycles with a chance of ``alpha``, at most."""
    return NormalDist().inv_cdf(1 - alpha / (2 * cycles))


def wilson(hits: int, count: int, level: float = 0.95) -> tuple[float, float]:
    """Return the bounds of a share, Wilson's score interval."""
    if not count:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    p, d = hits / count, 1 + z * z / count
    middle = (p + z * z / (2 * count)) / d
    half = z * (p * (1 - p) / count + z * z / (4 * count * count)) ** 0.5 / d
    return max(0.0, middle - half), min(1.0, middle + half)
