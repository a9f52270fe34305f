# SPDX-License-Identifier: Apache-2.0
"""What ``ecsm leak`` keeps of an analysis: cycles that hold the secret, and what is exempt.

A cycle over the threshold is *exempt* if it holds no secret: all that changes in it is public, or
blinded by what is assumed. One that holds the secret is a failure. What is only blinded should not
be over the threshold: either it is by chance, or what is assumed is not true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.protocols import Subject
from ecsm.evidence.campaigns.word_traces import Multiples
from ecsm.evidence.taint.assumptions import FIXED
from ecsm.evidence.taint.multiple import Analysis, analysed
from ecsm.progress import Progress


@dataclass(frozen=True)
class Assumed:
    """An assumption. ``without``: cycles that hold the secret without it, None: it is no label."""

    name: str
    where: str
    reason: str
    without: int | None


@dataclass(frozen=True)
class Taint:
    """``holds``: cycles that hold the secret.

    Of the cycles over the threshold in the first order ``failures`` hold it, and ``exempt`` do not;
    of these, ``blinded`` do not hold the result either.
    """

    holds: int
    failures: int
    exempt: int
    blinded: int
    assumed: list[Assumed]


def analysis_of(core: Subject, vary: str, tell: Progress) -> Analysis | None:
    """Return the analysis of a word engine's kP, None for other subjects.

    Raises ValueError for an answer that is wrong.
    """
    return analysed(core, vary, tell) if isinstance(core, Multiples) else None


def taint_of(found: Analysis, over: npt.NDArray[np.bool_]) -> Taint:
    """Return what is kept; ``over``: which cycles are over the threshold in the first order."""
    assumed = [
        Assumed(one.name, one.where, one.reason, int(found.without(i).sum()))
        for i, one in enumerate(found.assumed)
    ]
    assumed += [Assumed(one.name, one.registers, one.reason, None) for one in FIXED]
    failures, blinded = (int(c.sum()) for c in (over & found.holds, over & ~found.result))
    return Taint(int(found.holds.sum()), failures, int(over.sum()) - failures, blinded, assumed)
