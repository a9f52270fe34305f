# SPDX-License-Identifier: Apache-2.0
"""Faults that are seeded into a netlist of words, for a proof to find.

A bit of a constant is wrong, two neighbours of a slice are swapped, or a term is missing: zero.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ecsm.evidence.gfp.cells import Net
from ecsm.evidence.gfp.words import Words

Nets = tuple[Net, ...]
SUMS = ("$add", "$sub", "$mul")


def _constant(nets: Nets) -> Nets | None:
    """Invert the lowest bit that is one of a constant."""
    if not all(isinstance(n, str) for n in nets) or "1" not in nets:
        return None
    at = nets.index("1")
    return (*nets[:at], "0", *nets[at + 1 :])


def _slice(nets: Nets) -> Nets | None:
    """Swap the two lowest bits that are neighbours."""
    for i, (low, high) in enumerate(pairwise(nets)):
        if isinstance(low, int) and isinstance(high, int) and low != high:
            return (*nets[:i], high, low, *nets[i + 2 :])
    return None


def _term(nets: Nets) -> Nets | None:
    """Leave a term out."""
    return None if all(isinstance(n, str) for n in nets) else ("0",) * len(nets)


KINDS: dict[str, Callable[[Nets], Nets | None]] = {
    "a wrong constant": _constant,
    "a swapped slice": _slice,
    "a dropped term": _term,
}


def faults(words: Words, kind: str, functions: Sequence[str]) -> Iterator[Words]:
    """Yield every netlist that has one fault of a kind, in one of some kinds of functions."""
    for i, cell in enumerate(words.functions):
        if cell.kind not in functions:
            continue
        for port, nets in cell.inputs.items():
            if port in "AB" and (new := KINDS[kind](nets)) is not None:
                yield words.changed(i, replace(cell, inputs={**cell.inputs, port: new}))


def seeded(words: Words, functions: Sequence[str], seed: int = 1) -> Iterator[tuple[str, Words]]:
    """Yield netlists with one fault each, and its kind: of all kinds that there are, in turn."""
    rng = random.Random(seed)
    rows = {kind: list(faults(words, kind, functions)) for kind in KINDS}
    for found in rows.values():
        rng.shuffle(found)
    while any(rows.values()):
        for kind, found in rows.items():
            if found:
                yield kind, found.pop()
