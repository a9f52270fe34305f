# SPDX-License-Identifier: Apache-2.0
"""The proofs of a word engine, by name."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ecsm.evidence.proof import FAULTS, Proof
from ecsm.evidence.word import walks
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress

_WHY = {
    "latency": "its cycles are those of what it executes: cones says what that depends on",
    "answers": "there is no proof yet of what a word engine hands out",
    "engine": "there is no proof yet of what a whole program of walks computes",
}


def names(p: WordPreset) -> list[str]:
    """Return the proofs of a preset: of its tables alone, if its netlist is another one's."""
    return ["walks"]


def missing(p: WordPreset) -> dict[str, str]:
    """Return the proofs that a preset has not, with the reason."""
    own = f"it has the netlist of {p.netlist}"
    without = [] if p.netlist in ("", p.name) else ["slots", "cones", "clearing"]
    return dict.fromkeys(without, own) | _WHY


def prove(
    p: WordPreset, wanted: Sequence[str], tell: Progress, faults: int = FAULTS
) -> Iterator[Proof]:
    """Yield the proofs of a preset with these names."""
    for name in wanted:
        begin = time.monotonic()
        tell(f"{p.name}: {name}")
        found = {"walks": lambda: walks.prove(p, faults)}[name]()
        yield replace(found, seconds=round(time.monotonic() - begin, 2))
