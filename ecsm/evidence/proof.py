# SPDX-License-Identifier: Apache-2.0
"""The record of a proof: what is claimed of a netlist, and whether the proof can fail."""

from __future__ import annotations

from dataclasses import dataclass, field

from ecsm.results.record import Origin

NAMES = (
    "multiplier", "adder", "reducer", "division", "cones", "latency", "answers", "clearing",
    "engine",
)  # fmt: skip
WORD_NAMES = ("slots", "walks", "cones", "clearing")
"""Of a word engine."""
ALL_NAMES = tuple(dict.fromkeys((*NAMES, *WORD_NAMES)))
FAULTS = 5  # seeded ones that a proof must find, by default


@dataclass(frozen=True)
class Proof:
    """What was proven of a netlist: the claim, and of how many seeded faults it found how many.

    ``name``: the kind of proof, as ``ecsm prove --only`` has it. ``wrong``: "" if the claim holds,
    else what is wrong. ``cells``: functions and registers. ``notes``: what the claim does not say,
    or says in figures.
    """

    name: str
    claim: str
    netlist: str
    cells: int
    wrong: str
    faults: int
    found: int
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether the claim holds, and every seeded fault was found."""
        return not self.wrong and self.found == self.faults

    @property
    def verdict(self) -> str:
        """In words: proven, or what is wrong."""
        return "proven" if self.holds else self.wrong or "a seeded fault was not found"


@dataclass(frozen=True)
class Proven:
    """The proofs of a preset. ``missing``: those that there are not, with the reason."""

    preset: str
    proofs: list[Proof]
    missing: dict[str, str]
    origin: Origin

    @property
    def holds(self) -> bool:
        """Whether all that were tried hold."""
        return all(q.holds for q in self.proofs)
