# SPDX-License-Identifier: Apache-2.0
"""What campaigns ask of a subject: ``leak`` of its traces, ``fault`` of its answers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from ecsm.evidence.campaigns.attacks import Attack
from ecsm.evidence.campaigns.circuit import Circuit
from ecsm.evidence.campaigns.lanes import Event, Lanes


class Run(Protocol):
    """A job that all lanes do, from cycle 1 on."""

    def to(self, cycle: int, counts: npt.NDArray[np.uint16] | None = None) -> None:
        """Run until this cycle is next; ``counts`` has a row for every cycle from 0 on."""


class Target(Protocol):
    """A circuit and its jobs: ``name``, the ``digest`` of the design, its ``circuit``."""

    circuit: Circuit

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def digest(self) -> str: ...  # noqa: D102

    def start(self, lanes: Lanes, inputs: Any) -> Run:
        """Reset, and let all lanes accept their jobs: cycle 0."""


class Subject(Target, Protocol):
    """What is under test: jobs with a secret, in the same cycles for all secrets.

    ``cycles`` of a trace; ``names`` and ``turns`` as
    :class:`~ecsm.evidence.campaigns.subject.CoreJobs` has them; ``chunk``: traces of a piece of a
    campaign, ``traces`` and ``training``: how many are usual.
    """

    vary: ClassVar[Sequence[str]]
    chunk: ClassVar[int]
    traces: ClassVar[int]
    training: ClassVar[int]

    @property
    def cycles(self) -> int: ...  # noqa: D102
    @property
    def names(self) -> list[str]: ...  # noqa: D102
    @property
    def turns(self) -> list[int]: ...  # noqa: D102
    @property
    def digit_bits(self) -> int: ...  # noqa: D102

    def inputs(self, rng: random.Random, vary: str, fixed: Sequence[bool]) -> Any:
        """Return inputs for each lane: in those that are not ``fixed``, ``vary`` is random."""

    def blocks(self, lanes: Lanes, inputs: Any) -> Iterator[tuple[int, npt.NDArray[np.uint16]]]:
        """Yield how many bits changed, in blocks of cycles: a row for each, a column for each lane.

        With each comes the number of its first cycle. It is valid until the next one.
        """

    def attack(self, centre: npt.NDArray[np.float64]) -> Attack:
        """Return the attack on one trace; ``centre``: about the mean of each cycle."""


class Faultable(Target, Protocol):
    """What faults are tried on: jobs, and what the answer of one is, by a list of outcomes.

    The first outcome is the right one; wrong ones begin with "wrong". ``refused``: modes that
    are not tried on it, and why. ``revives``: whether ``again`` says what answers once more. The
    rest is as
    :class:`~ecsm.evidence.campaigns.subject.CoreJobs` has it.
    """

    outcomes: ClassVar[Sequence[str]]
    refused: ClassVar[Mapping[str, str]]
    revives: ClassVar[bool]

    @property
    def last(self) -> int: ...  # noqa: D102
    @property
    def phases(self) -> list[str]: ...  # noqa: D102
    @property
    def sequencer(self) -> list[int]: ...  # noqa: D102

    def jobs(self, rng: random.Random, count: int, lanes: int) -> Any:
        """Return ``count`` random jobs, one after the other in the lanes."""

    def spans(self, lanes: Lanes, inputs: Any) -> list[Any]:
        """Return the :class:`~ecsm.evidence.campaigns.spans.Span` s of the first lane's job."""

    def skips(self, lanes: Lanes, inputs: Any) -> list[tuple[int, list[int]]]:
        """Return in which cycles a word of the program is skipped, and the bits to flip for it."""

    def judged(self, lanes: Lanes, inputs: Any, events: Sequence[Event]) -> list[int]:
        """Return which of ``outcomes`` each lane's answer is, after these faults."""

    def again(self, lanes: Lanes, inputs: Any) -> list[bool]:
        """Zeroize all lanes, as they are behind :meth:`judged`; return which answer then."""
