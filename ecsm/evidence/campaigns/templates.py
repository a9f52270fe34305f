# SPDX-License-Identifier: Apache-2.0
"""How much of the key one trace shows: Gaussian templates with one covariance.

An attacker has many traces of a core with keys of his own, and one trace of another key. For each
digit there is a window of cycles: those of its turn, and of the turns around it. A template is the
mean of a digit's window for each value of the digit and of the digit before. There is one
covariance for all digits, as all turns run the same program. The value with the greatest likelihood
is the guess, the digit before being unknown.

Source: S. Chari, J. Rao, P. Rohatgi, "Template attacks", CHES 2002.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

MOST = 700  # cycles of a window; longer turns are added up to fewer, equal parts
RIDGE = 1e-3  # of the mean variance, added to the covariance: cycles may not vary, or vary together
Floats = npt.NDArray[np.float32]
Digits = npt.NDArray[np.int64]
Hits = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Windows:
    """Where the windows of digits are: ``first[i]`` of digit i, each of ``length`` cycles."""

    first: Sequence[int]
    length: int

    @staticmethod
    def of(turns: Sequence[int], cycles: int) -> Windows:
        """Return the windows of turns that begin in these cycles, the last entry being the end.

        A window begins a turn before the digit's, and ends a turn behind it. Digits whose window is
        not within the trace have none.
        """
        lengths = sorted(b - a for a, b in pairwise(turns))
        turn = lengths[len(lengths) // 2]
        first = [a - turn for a in turns[:-1]]
        return Windows([f if f >= 0 and f + 3 * turn <= cycles else -1 for f in first], 3 * turn)

    def used(self, count: int) -> list[int]:
        """Return which of so many digits have a window and a digit before."""
        return [i for i, at in enumerate(self.first[:count]) if i and at >= 0]

    def cut(self, traces: npt.NDArray[Any], digit: int) -> Floats:
        """Return the windows of a digit, a row for each trace."""
        at = self.first[digit]
        window = traces[at : at + self.length].T.astype(np.float32)
        parts = -(-self.length // MOST)
        if parts == 1:
            return window
        padded = np.pad(window, ((0, 0), (0, -self.length % parts)))
        return np.asarray(padded.reshape(len(window), -1, parts).sum(axis=2), dtype=np.float32)


class Templates:
    """Sums over windows by digit and class; a class is a digit's value, and the digit's before."""

    def __init__(self, windows: Windows, bits: int, centre: npt.NDArray[np.float64]) -> None:
        """``centre``: about the mean of each cycle, from which sums are counted."""
        self.windows, self.bits, self.values = windows, bits, 1 << bits
        # Of wide digits, the one before is only known to be the same or another one.
        self.pairs = self.values if bits <= 2 else 2
        self._mean = centre[:, None]
        self._count: dict[int, npt.NDArray[np.float64]] = {}
        self._sums: dict[int, npt.NDArray[np.float64]] = {}
        self._squares: npt.NDArray[np.float64] = np.zeros(())
        self._weights: dict[int, Floats] = {}
        self._bias: dict[int, Floats] = {}

    def _classes(self, digits: Digits, i: int) -> npt.NDArray[np.float64]:
        """Return for each class, a row, which traces are in it, by digit i."""
        now, before = digits[:, i], digits[:, i - 1]
        classes = now * self.pairs + (before if self.pairs == self.values else now == before)
        return np.equal.outer(np.arange(self.values * self.pairs), classes).astype(np.float64)

    def learn(self, traces: npt.NDArray[np.uint16], digits: Digits) -> None:
        """Take traces, a column each, whose digits are known, a row each."""
        for i in self.windows.used(digits.shape[1]):
            x = self._window(traces, i)
            members = self._classes(digits, i)
            self._count[i] = self._count.get(i, 0) + members.sum(axis=1)
            self._sums[i] = self._sums.get(i, 0) + members @ x
            self._squares = np.add(self._squares, x.T @ x, dtype=np.float64)

    def _window(self, traces: npt.NDArray[np.uint16], i: int) -> Floats:
        return self.windows.cut(traces, i) - self.windows.cut(self._mean, i)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return what was learnt, for :meth:`add`."""
        used = sorted(self._count)
        return {
            "used": np.array(used),
            "count": np.array([self._count[i] for i in used]),
            "sums": np.array([self._sums[i] for i in used]),
            "squares": self._squares,
        }

    def add(self, learnt: Mapping[str, npt.NDArray[Any]]) -> None:
        """Add what another one has learnt from other traces."""
        for row, i in enumerate(map(int, learnt["used"])):
            self._count[i] = self._count.get(i, 0) + learnt["count"][row]
            self._sums[i] = self._sums.get(i, 0) + learnt["sums"][row]
        self._squares = self._squares + learnt["squares"]

    def ready(self) -> None:
        """End learning."""
        means = {i: self._sums[i] / np.maximum(n, 1)[:, None] for i, n in self._count.items()}
        total = sum(float(n.sum()) for n in self._count.values())
        between = sum((m * self._count[i][:, None]).T @ m for i, m in means.items())
        within = (self._squares - between) / total
        within += np.eye(len(within)) * (RIDGE * np.trace(within) / len(within) + 1e-6)
        for i, mean in means.items():
            count = self._count[i]
            weights = np.linalg.solve(within, mean.T)
            prior = np.where(count > 0, np.log(np.maximum(count, 1) / count.sum()), -np.inf)
            self._weights[i] = weights.astype(np.float32)
            bias = prior - 0.5 * np.einsum("cw,wc->c", mean, weights)
            self._bias[i] = bias.astype(np.float32)

    def guess(self, traces: npt.NDArray[np.uint16], i: int) -> npt.NDArray[np.int64]:
        """Return the likeliest value of digit i, for each trace."""
        x = self._window(traces, i)
        score = (x @ self._weights[i] + self._bias[i]).reshape(len(x), self.values, self.pairs)
        top = score.max(axis=(1, 2), keepdims=True)
        return np.asarray(np.exp(score - top).sum(axis=2).argmax(axis=1), dtype=np.int64)

    def judge(self, traces: npt.NDArray[np.uint16], digits: Digits) -> Hits:
        """Return by digit and bit how many were guessed right, of how many, and how many were 1."""
        used = self.windows.used(digits.shape[1])
        hits = np.zeros((len(used), self.bits, 3), dtype=np.int64)
        for row, i in enumerate(used):
            hits[row] = counted(self.guess(traces, i), digits[:, i], self.bits)
        return hits


def counted(guess: Digits, digit: Digits, bits: int) -> Hits:
    """Return for each bit how many were guessed right, of how many, and how many were 1."""
    which = np.arange(bits)[:, None]
    right = ((guess ^ digit) >> which & 1 == 0).sum(axis=1)
    return np.stack([right, np.full(bits, len(digit)), (digit >> which & 1).sum(axis=1)], axis=1)


def decided(hits: Hits) -> npt.NDArray[np.bool_]:
    """Return by digit and bit whether the key decides it: it is not the same in all traces.

    Whoever knows the program knows the others without a trace, as the first digit of a scalar that
    is made odd and shorter than its digits.
    """
    return np.asarray((hits[..., 2] > 0) & (hits[..., 2] < hits[..., 1]))
