# SPDX-License-Identifier: Apache-2.0
"""``ecsm prove``: the proofs that there are, and which of them a preset has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ecsm.cores.design import AnyDesign
from ecsm.cores.store import design
from ecsm.cores.table import family
from ecsm.evidence import answers, clearing, cones, liveness, multiplier
from ecsm.evidence.core import Core, core
from ecsm.evidence.engine.prove import prove_engine
from ecsm.evidence.gfp.prove import CLAIMS, Claim, prove_claim
from ecsm.evidence.proof import FAULTS, NAMES, Proof
from ecsm.evidence.word import prove as word
from ecsm.presets.gfp_table import PRIME_PRESETS
from ecsm.presets.table import PRESETS
from ecsm.presets.word import word_preset
from ecsm.progress import Progress

Prove = Callable[[str, Progress, int], Iterator[Proof]]
"""The proofs of a preset with a name: so many seeded faults each."""


def _products(name: str, tell: Progress, faults: int) -> Iterator[Proof]:
    for kind in multiplier.NETLISTS:
        yield multiplier.prove(PRESETS[name], kind, tell, faults)


def _engine(name: str, tell: Progress, faults: int) -> Iterator[Proof]:
    yield prove_engine(PRESETS[name], tell, faults)


def _unit(claim: Claim) -> Prove:
    def prove_unit(name: str, tell: Progress, faults: int) -> Iterator[Proof]:
        yield prove_claim(PRIME_PRESETS[name], claim, tell, faults)

    return prove_unit


_PRIME = {name: _unit(claim) for name, claim in CLAIMS.items()}
_UNITS: Mapping[str, Mapping[str, Prove]] = {
    "gf2m": {"multiplier": _products, "engine": _engine}, "gfp": _PRIME, "halving": {},
}  # fmt: skip
"""By family: the proofs of what its units, and the whole engine, compute."""
_WHY = {
    "gf2m": "only a core over a prime field has one",
    "gfp": "there is no proof yet of what a whole core over a prime field computes",
    "halving": "there is no proof yet of what a core for halving computes",
    "base": "there is no proof yet of the control of a core with two programs",
    "protected": "there is no proof yet of the control of a protected core",
}


def missing(preset: str) -> dict[str, str]:
    """Return the proofs that a preset has not, with the reason."""
    if engine := word_preset(preset):
        return word.missing(engine)
    d = design(preset)
    p = d.preset
    name = family(p).name
    units = dict.fromkeys((*_PRIME, "engine"))
    found = {unit: _WHY[name] for unit in units if unit not in _UNITS[name]}
    if d.base:
        found |= dict.fromkeys(("cones", "latency", "answers"), _WHY["base"])
    if p.protected:
        found |= {unit: _WHY["protected"] for unit in NAMES if unit != "multiplier"}
    return found


def names(preset: str) -> list[str]:
    """Return the proofs that a preset has."""
    if engine := word_preset(preset):
        return word.names(engine)
    without = missing(preset)
    return [name for name in NAMES if name not in without]


def why_not(preset: str, name: str) -> str:
    """Return why a preset has not a proof."""
    return missing(preset).get(name, "no core of its family has one")


class Whole:
    """The proofs on the netlist of a whole core. What several of them need is computed once."""

    def __init__(self, d: AnyDesign, tell: Progress) -> None:
        self._design, self._tell = d, tell

    @cached_property
    def core(self) -> Core:
        """The netlist; raises :class:`ecsm.backend.tool.FlowError`."""
        return core(self._design, self._tell)

    @cached_property
    def reached(self) -> liveness.Reached:
        """The states of the handshake."""
        self._tell(f"{self._design.preset.name}: every state of the handshake")
        return liveness.check(self.core, liveness.protocol(self._design))

    @cached_property
    def answers(self) -> answers.Answers:
        """What the answer port shows."""
        if self.reached.wrong:
            return answers.Answers(self.reached.wrong)
        self._tell(f"{self._design.preset.name}: answers")
        return answers.check(answers.batches(self._design, self.core, self.reached))

    def prove(self, name: str, faults: int) -> Proof:
        """Return a proof by its name, not that of the multiplier."""
        cells = self.core.cells
        begin = time.monotonic()
        self._tell(f"{self._design.preset.name}: {name}, {cells:,} cells")
        made: dict[str, Callable[[], Proof]] = {
            "cones": lambda: cones.prove(self._design, self.core, faults),
            "latency": lambda: liveness.prove(self._design, self.core, self.reached, faults),
            "answers": lambda: answers.prove(
                self._design, self.core, self.reached, self.answers, faults
            ),
            "clearing": lambda: clearing.prove(self.core, self.answers.waiting, faults),
        }
        return replace(made[name](), seconds=round(time.monotonic() - begin, 2))


def prove(
    preset: str, wanted: Sequence[str], tell: Progress, faults: int = FAULTS
) -> Iterator[Proof]:
    """Yield the proofs of a preset with these names.

    Raises :class:`ecsm.backend.tool.FlowError`, and ValueError for a proof that it has not.
    """
    if no := set(wanted).difference(names(preset)):
        raise ValueError("; ".join(f"{preset}, {name}: {why_not(preset, name)}" for name in no))
    if engine := word_preset(preset):
        yield from word.prove(engine, wanted, tell, faults)
        return
    d = design(preset)
    whole, units = Whole(d, tell), _UNITS[family(d.preset).name]
    for name in wanted:
        if name in units:
            yield from units[name](preset, tell, faults)
        else:
            yield whole.prove(name, faults)
