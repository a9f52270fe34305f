# SPDX-License-Identifier: Apache-2.0
"""What one trace shows: shares of guesses that are right, of the bits that the key decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.moments import wilson
from ecsm.evidence.campaigns.pieces import Arrays
from ecsm.evidence.campaigns.templates import decided


@dataclass(frozen=True)
class Single:
    """What one trace shows: ``right`` of ``bits`` guessed, with bounds of 95 %.

    Bits that the key does not decide, as they are the same in all traces, are not among them;
    ``constant``: how many a scalar has. ``guess``: the share that is right without any trace.
    ``each``: the share of each bit of a digit. Of a word engine also digits that were judged, which
    have a bit that the key decides, those that were right in all bits, scalars, and those that were
    right in all digits.
    """

    training: int
    bits: int
    right: int
    accuracy: float
    low: float
    high: float
    guess: float
    each: list[float]
    digits: int = 0
    digits_right: int = 0
    scalars: int = 0
    scalars_right: int = 0
    constant: int = 0


def judged(batches: Callable[[int], Sequence[Arrays]], bits: int, training: int) -> Single | None:
    """Return what one trace shows of at least ``bits`` bits, None if the key decides none.

    ``batches``: returns what an :class:`~ecsm.evidence.campaigns.attacks.Attack` judged in so many
    batches of traces.
    """
    number = 1
    while True:
        found = batches(number)
        hits, whole = (
            np.sum([a[name] for a in found if name in a], axis=0) for name in ("hits", "whole")
        )
        there = int(hits[decided(hits), 1].sum())
        if there >= bits or not there:
            return single(training, hits, np.atleast_1d(whole)) if there else None
        number = -(-bits * number // there)


def single(training: int, hits: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> Single:
    """Return what one trace shows, of an attack's ``hits`` and ``whole``, 0 if it has none."""
    open_ = decided(hits)
    each = (hits * open_[..., None]).sum(axis=0)
    right, bits, _ = map(int, each.sum(axis=0))
    low, high = wilson(right, bits)
    commonest = np.maximum(each[:, 2], each[:, 1] - each[:, 2]).sum()
    digits = digits_right = scalars = scalars_right = 0
    if len(whole) > 1:
        asked = open_.any(axis=1)
        scalars, scalars_right = int(hits[0, 0, 1]), int(whole[-1])
        digits, digits_right = int(asked.sum()) * scalars, int(whole[:-1][asked].sum())
    return Single(
        training, bits, right, round(right / bits, 5), round(low, 5), round(high, 5),
        round(float(commonest / bits), 5),
        [round(float(h / max(n, 1)), 5) for h, n, _ in each],
        digits, digits_right, scalars, scalars_right, int((~open_).sum()),
    )  # fmt: skip
