# SPDX-License-Identifier: Apache-2.0
"""What an attacker does with one trace: templates of windows, whose digits' bits he guesses.

Two attackers. That of a core (:class:`TurnAttack`) knows in profiling the digits. That of a word
engine (:class:`MaskedAttack`) knows in profiling the random numbers too, by which the engine
changes a digit: he simulates the open netlist. So he learns what the changed digit looks like and
what the random number looks like, each of which may have a mean of its own although their sum has
none, and puts both together. The random numbers of the traces that are judged are not known to him.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.lanes import Lanes
from ecsm.evidence.campaigns.templates import RIDGE, Templates, counted

Arrays = dict[str, npt.NDArray[Any]]
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Attack(Protocol):
    """An attack on one trace. ``digits``: how many digits of a trace are guessed."""

    @property
    def digits(self) -> int: ...  # noqa: D102

    def learn(self, lanes: Lanes, inputs: Any) -> None:
        """Run jobs whose secrets are known, and learn."""

    def arrays(self) -> Arrays:
        """Return what was learnt."""

    def add(self, learnt: Mapping[str, npt.NDArray[Any]]) -> None:
        """Add what was learnt elsewhere."""

    def ready(self) -> None:
        """End learning."""

    def judge(self, lanes: Lanes, inputs: Any) -> Arrays:
        """Run jobs and guess.

        Return ``hits`` by digit and bit: how many were guessed right, of how many, and how many
        were 1; of a word engine also ``whole``, by digit how many were right in all bits, and
        behind the last one how many scalars were right in all digits.
        """


class Traced(Protocol):
    """What a :class:`TurnAttack` is on."""

    def trace(self, lanes: Lanes, inputs: Any) -> npt.NDArray[np.uint16]: ...  # noqa: D102
    def secrets(self, inputs: Any) -> list[list[int]]: ...  # noqa: D102


class TurnAttack:
    """Windows around each digit's turn, of traces that are there as a whole."""

    def __init__(self, on: Traced, templates: Templates, digits: int) -> None:
        """``digits``: of a scalar."""
        self._on, self._templates = on, templates
        self.digits = len(templates.windows.used(digits))

    def _traces(
        self, lanes: Lanes, inputs: Any
    ) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64]]:
        traces = self._on.trace(lanes, inputs)
        return traces, np.array(self._on.secrets(inputs), dtype=np.int64)

    def learn(self, lanes: Lanes, inputs: Any) -> None:
        """See :class:`Attack`."""
        self._templates.learn(*self._traces(lanes, inputs))

    def arrays(self) -> Arrays:
        """See :class:`Attack`."""
        return self._templates.arrays()

    def add(self, learnt: Mapping[str, npt.NDArray[Any]]) -> None:
        """See :class:`Attack`."""
        self._templates.add(learnt)

    def ready(self) -> None:
        """See :class:`Attack`."""
        self._templates.ready()

    def judge(self, lanes: Lanes, inputs: Any) -> Arrays:
        """See :class:`Attack`."""
        return {"hits": self._templates.judge(*self._traces(lanes, inputs))}


class Digit(NamedTuple):
    """A digit's window: changes, a row for each cycle, and registers as numbers, one a lane.

    ``place``: the entry's index in the order in which it is read, and above it the number that
    changes the order. ``sign``: the sign that is applied first, and above it the second one.
    """

    number: int
    counts: npt.NDArray[np.uint16]
    place: npt.NDArray[np.int64]
    sign: npt.NDArray[np.int64]


class Masked(Protocol):
    """What a :class:`MaskedAttack` is on."""

    @property
    def windows(self) -> list[tuple[int, int]]: ...  # noqa: D102
    def digits(self, lanes: Lanes, inputs: Any) -> Iterator[Digit]: ...  # noqa: D102


class Classes:
    """The mean of a window for each value of a number of ``2 bits`` bits: a masked one and a mask.

    The masked number is the lower half; both XORed are the number that is looked for. ``plain``: a
    class for each value of that number, whatever its mask is.
    """

    def __init__(self, bits: int, length: int, plain: bool = False) -> None:
        self.bits, self._plain = bits, plain
        count = 1 << bits if plain else 1 << 2 * bits
        self.count: Floats = np.zeros(count)
        self.sums: Floats = np.zeros((count, length))
        self._weights: Floats = np.zeros((0, 0))
        self._bias: Floats = np.zeros(0)

    def learn(self, x: Floats, values: Numbers) -> None:
        """Take windows, a row each, and their masked numbers with their masks."""
        values = unmasked(values, self.bits) if self._plain else values
        members = np.equal.outer(np.arange(len(self.count)), values).astype(np.float64)
        self.count += members.sum(axis=1)
        self.sums += members @ x

    def ready(self, squares: Floats) -> None:
        """End learning; ``squares``: the sum of all windows' products with themselves."""
        mean = self.sums / np.maximum(self.count, 1)[:, None]
        within = (squares - (mean * self.count[:, None]).T @ mean) / self.count.sum()
        within += np.eye(len(within)) * (RIDGE * np.trace(within) / len(within) + 1e-6)
        self._weights = np.linalg.solve(within, mean.T)
        share = self.count / self.count.sum()
        prior = np.where(share > 0, np.log(np.maximum(share, 1e-300)), -np.inf)
        self._bias = prior - 0.5 * np.einsum("cw,wc->c", mean, self._weights)

    def chances(self, x: Floats) -> Floats:
        """Return how likely each unmasked number is: a row for each window."""
        score = x @ self._weights + self._bias
        found = np.exp(score - score.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
        if self._plain:
            return np.asarray(found)
        values = unmasked(np.arange(len(self.count)), self.bits)
        sums = [found[:, values == v].sum(axis=1) for v in range(1 << self.bits)]
        return np.stack(sums, axis=1)


def unmasked(values: Numbers, bits: int) -> Numbers:
    """Return masked numbers XOR their masks."""
    return (values ^ values >> bits) & (1 << bits) - 1


class MaskedAttack:
    """One template for all digits: they run the same words, with numbers at the same addresses.

    A digit's number is learnt with its mask and, apart, without: what both say is put together.
    """

    def __init__(self, on: Masked, centre: Floats, bits: Sequence[int]) -> None:
        """``bits``: of the place of an entry, and of a sign."""
        self._on = on
        self.digits = len(on.windows)
        (first, end), *_ = on.windows
        self._centre = centre[first:end, None]
        self._bits = bits
        self._of = [Classes(b, end - first, plain) for b in bits for plain in (False, True)]
        self._squares: Floats = np.zeros((end - first, end - first))

    def _window(self, digit: Digit) -> tuple[Floats, list[Numbers]]:
        return (digit.counts - self._centre).T, [digit.place, digit.sign]

    def learn(self, lanes: Lanes, inputs: Any) -> None:
        """See :class:`Attack`."""
        for digit in self._on.digits(lanes, inputs):
            x, values = self._window(digit)
            for of, v in zip(self._of, np.repeat(values, 2, axis=0), strict=True):
                of.learn(x, v)
            self._squares += x.T @ x

    def arrays(self) -> Arrays:
        """See :class:`Attack`."""
        found = {"squares": self._squares}
        for i, of in enumerate(self._of):
            found |= {f"count{i}": of.count, f"sums{i}": of.sums}
        return found

    def add(self, learnt: Mapping[str, npt.NDArray[Any]]) -> None:
        """See :class:`Attack`."""
        self._squares += learnt["squares"]
        for i, of in enumerate(self._of):
            of.count += learnt[f"count{i}"]
            of.sums += learnt[f"sums{i}"]

    def ready(self) -> None:
        """See :class:`Attack`."""
        for of in self._of:
            of.ready(self._squares)

    def judge(self, lanes: Lanes, inputs: Any) -> Arrays:
        """See :class:`Attack`."""
        hits, right, whole = [], [], np.ones(lanes.lanes, dtype=bool)
        for digit in self._on.digits(lanes, inputs):
            x, values = self._window(digit)
            digits = [unmasked(v, bits) for bits, v in zip(self._bits, values, strict=True)]
            both = zip(self._of[::2], self._of[1::2], strict=True)
            guesses = [np.argmax(a.chances(x) * b.chances(x), axis=1) for a, b in both]
            parts = list(zip(guesses, digits, self._bits, strict=True))
            hits.append(np.concatenate([counted(g, d, bits) for g, d, bits in parts]))
            good = np.logical_and.reduce([g == d for g, d, _ in parts])
            right.append(int(good.sum()))
            whole &= good
        return {"hits": np.stack(hits), "whole": np.array([*right, int(whole.sum())])}
