# SPDX-License-Identifier: Apache-2.0
"""Prove what the walks of a word engine's tables compute, for all words of their operands.

Every walk is shown to be what its name says (:mod:`.claims`), from the slots and constants that the
block RAM gets; and of every two that may follow each other in the program, that the second reads
what the first has written (:mod:`.between`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ecsm.evidence.proof import FAULTS, Proof
from ecsm.evidence.word.between import Between, counted
from ecsm.evidence.word.kinds import claim_of
from ecsm.evidence.word.symbolic import Wrong
from ecsm.evidence.word.tables import Tables, slot, tables
from ecsm.presets.word import WordPreset
from ecsm.schedule.sequential.modulus import Ring
from ecsm.schedule.sequential.walk import FIELDS, Slot
from ecsm.schemes.word.program import KINDS, word_program

CLAIM = (
    "every walk is the product, sum or shift of its name for all words, without overflow, and reads"
    " what was written"
)
SEEDED = (
    "first", "write", "to_scratch", "to", "shift", "offset_a", "offset_b", "scratch_a", "const_b",
    "signed_a", "signed_b", "carryless", "sum", "doubled", "turn", "last",
)  # fmt: skip
"""Fields of a slot in which a fault is put, one after the other in this order, at random places."""


@dataclass(frozen=True)
class Walks:
    """The tables of a preset and what its walks are modulo."""

    tables: Tables
    rings: Mapping[str, Ring]
    depth: int
    key: int
    decoys: int

    def claims(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each walk and what is shown of it; raises Wrong."""
        t = self.tables
        walks = dict(zip(t.names, t.walks, strict=True))
        for name, walk in walks.items():
            try:
                yield name, claim_of(name, self.rings, walks)(t, walk)
            except Wrong as wrong:
                raise Wrong(f"the walk {name}: {wrong}") from None
            except KeyError:
                raise Wrong(f"there is no claim of a walk {name}") from None

    def pairs(self) -> int:
        """Return how many pairs of walks may follow each other; raises Wrong."""
        return Between(self.tables, self.depth, self.key, self.decoys).check()


def walks_of(p: WordPreset) -> Walks:
    """Return the walks of a preset."""
    built = word_program(p).built
    rings = KINDS[type(p.curve)].machine(p).a.moduli
    return Walks(tables(built, bool(p.netlist)), rings, built.depth, built.key, built.decoys)


def check(w: Walks) -> str:
    """Return "" if the claim holds, else what is wrong."""
    try:
        list(w.claims())
        w.pairs()
    except Wrong as wrong:
        return str(wrong)
    return ""


def notes(w: Walks) -> Iterator[str]:
    """Yield what is shown of which walks, with their slots, and of how many pairs."""
    slots = {name: len(walk) for name, walk in zip(w.tables.names, w.tables.walks, strict=True)}
    alike: dict[str, list[str]] = {}
    for name, claim in w.claims():
        alike.setdefault(claim, []).append(f"{name} ({slots[name]})")
    for claim, names in alike.items():
        yield f"{', '.join(names)}: {claim}"
    yield f"in brackets: slots, one a cycle; {w.pairs():,} pairs of walks may follow each other"


def seeded(w: Walks, count: int, seed: int = 1) -> Iterator[Walks]:
    """Yield walks with one fault each: a bit of a slot, or of a constant, is the other one.

    The place is at random among the slots that add to a result; a field of it that does nothing in
    its kind of slot is left out.
    """
    rng = random.Random(seed)
    t = w.tables
    used = [
        (start + i, s)
        for start, walk in zip(t.starts, t.walks, strict=False)
        for i, s in counted(walk)
        if not s.sum
    ]
    for n in range(count):
        if n % (len(SEEDED) + 1) == 1:
            at, s = rng.choice([(at, s) for at, s in used if s.const_b])
            values = list(t.values)
            values[s.offset_b] ^= 1 << rng.randrange(t.W)
            yield replace(w, tables=replace(t, values=tuple(values)))
            continue
        name = SEEDED[n % len(SEEDED)]
        at, s = rng.choice([(at, s) for at, s in used if _matters(name, s, t, at)])
        low = sum(list(FIELDS.values())[list(FIELDS).index(name) + 1 :])
        yield replace(w, tables=t.changed(at, t.slots[at] ^ 1 << low + rng.randrange(FIELDS[name])))


def _matters(name: str, s: Slot, t: Tables, at: int) -> bool:
    """Whether a field of a slot says something: a carry is not taken by one with ``first``."""
    if name == "shift":
        return at + 1 < len(t.slots) and not slot(t.slots[at + 1]).first
    return {"signed_b": not s.const_b, "to": s.write, "to_scratch": s.write}.get(name, True)


def prove(p: WordPreset, faults: int = FAULTS) -> Proof:
    """Prove the claim of a preset's tables, then that the proof finds seeded faults."""
    w = walks_of(p)
    wrong = check(w)
    found = sum(bool(check(faulty)) for faulty in seeded(w, faults)) if not wrong else 0
    told = [] if wrong else list(notes(w))
    return Proof("walks", CLAIM, "tables", len(w.tables.slots), wrong, faults, found, notes=told)
