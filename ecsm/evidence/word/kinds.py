# SPDX-License-Identifier: Apache-2.0
"""Which claim a walk has, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ecsm.evidence.word import binary_claims, folded_claims
from ecsm.evidence.word.claims import (
    digit,
    expand,
    gather,
    montgomery,
    parity,
    peel,
    shifted,
    spread,
    times,
    told_at_end,
    total,
    turn,
)
from ecsm.evidence.word.symbolic import Symbolic
from ecsm.evidence.word.tables import Tables
from ecsm.schedule.sequential.modulus import Modulus, Ring
from ecsm.schedule.sequential.walk import Slot
from ecsm.schedule.sequential.words import DIGIT_BITS

Claim = Callable[[Tables, Sequence[Slot]], str]


def claim_of(name: str, rings: Mapping[str, Ring], walks: Mapping[str, Sequence[Slot]]) -> Claim:
    """Return the claim of a walk with a name. Raises KeyError for a name that has none.

    ``rings``: the moduli by name, "" that of coordinates; ``walks``: by name.
    """
    base, _, which = name.partition(" mod ")
    kind, _, by = base.partition(" ")
    if kind != "gather":
        told_at_end(walks[name])
    ring, n = rings[which], rings[""].words
    wide = _words(walks.get("wide-sum", ())) or n
    numbers = [int(v) for v in by.split() if v.lstrip("-").isdigit()]

    own = numbers[0] if numbers else n
    two = own, own

    def with_run(show: Callable[..., str], *arguments: object, same: bool = False) -> Claim:
        return lambda t, w: show(Symbolic(t, w, same), *arguments)

    if kind in ("product", "square", "square-in-place"):
        same = kind != "product"
        if not isinstance(ring, Modulus):
            return with_run(binary_claims.product, ring, same=same)
        if ring.below:
            return with_run(folded_claims.product, ring, same=same)
        return with_run(montgomery, ring, same=same)
    made: Mapping[str, Callable[[], Claim]] = {
        "sum": lambda: lambda t, w: total(t, w, n, n),
        "difference": lambda: lambda t, w: total(t, w, n, n, sign=-1),
        "aside": lambda: lambda t, w: total(t, w, n, n, scratch=True),
        "wide-sum": lambda: lambda t, w: total(t, w, wide, wide),
        "string": lambda: lambda t, w: total(t, w, numbers[0], numbers[0]),
        "xor": lambda: lambda t, w: total(t, w, *two, carryless=True),
        "wide-xor": lambda: lambda t, w: total(t, w, wide, wide, carryless=True),
        "widen": lambda: lambda t, w: total(t, w, wide, n),
        "expand": lambda: with_run(expand, wide - n, n),
        "times": lambda: with_run(times, numbers[0], n),
        "shift": lambda: with_run(shifted, *numbers, n),
        "digit": lambda: with_run(digit, DIGIT_BITS, n),
        "wide-digit": lambda: with_run(digit, DIGIT_BITS, wide),
        "gather": lambda: with_run(gather, numbers[0]),
        "spread": lambda: with_run(spread, *numbers),
        "parity": lambda: with_run(parity),
        "peel": lambda: with_run(peel, *numbers),
        "turn": lambda: with_run(turn, *numbers),
        "reduced": lambda: with_run(binary_claims.reduced, ring),
    }
    return made[kind]()


def _words(walk: Sequence[Slot]) -> int:
    """Return how many words of d a walk writes."""
    return len({s.to for s in walk if s.write and not s.to_scratch})
