# SPDX-License-Identifier: Apache-2.0
"""The proofs of a word engine, by name."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ecsm.evidence.core import GATES, Core, read
from ecsm.evidence.netlist import synthesised
from ecsm.evidence.proof import FAULTS, WORD_NAMES, Proof
from ecsm.evidence.word import clearing, cones, slots, walks
from ecsm.presets.word import WordPreset
from ecsm.progress import Progress
from ecsm.results.sources import word_sources

_WHY = {
    "latency": "its cycles are those of what it executes: cones says what that depends on",
    "answers": "there is no proof yet of what a word engine hands out",
    "engine": "there is no proof yet of what a whole program of walks computes",
}


_NOT_OWN = ("slots", "cones", "clearing")


def names(p: WordPreset) -> list[str]:
    """Return the proofs of a preset: of its tables alone, if its netlist is another one's."""
    without = missing(p)
    return [name for name in WORD_NAMES if name not in without]


def missing(p: WordPreset) -> dict[str, str]:
    """Return the proofs that a preset has not, with the reason."""
    if p.netlist not in ("", p.name):
        return dict.fromkeys(_NOT_OWN, f"it has the netlist of {p.netlist}") | _WHY
    if p.full:
        return dict.fromkeys(_NOT_OWN, "there is no proof yet of an engine with AES") | _WHY
    if p.ice40:
        why = "there is no proof yet of a multiplier without signs, and of memories with one port"
        return dict.fromkeys(_NOT_OWN, why) | _WHY
    return dict(_WHY)


def whole(p: WordPreset, tell: Progress) -> Core:
    """Return the netlist in gates; raises :class:`ecsm.backend.tool.FlowError`.

    Without the test after reset: from any state, that may be what is begun behind a zeroize.
    """
    s = word_sources(p, self_test=False)
    return read(synthesised(p.netlist_name, p.module, s.text, GATES, "prove-core", tell))


def prove(
    p: WordPreset, wanted: Sequence[str], tell: Progress, faults: int = FAULTS
) -> Iterator[Proof]:
    """Yield the proofs of a preset with these names."""
    core = whole(p, tell) if set(_NOT_OWN).intersection(wanted) else None
    for name in wanted:
        begin = time.monotonic()
        tell(f"{p.name}: {name}")
        if name == "walks":
            found = walks.prove(p, faults)
            yield replace(found, seconds=round(time.monotonic() - begin, 2))
            continue
        assert core is not None
        if name == "slots":
            found = slots.prove(p, core, tell, faults)
        else:
            found = {"cones": cones.prove, "clearing": clearing.prove}[name](p, core, faults)
        yield replace(found, seconds=round(time.monotonic() - begin, 2))
