# SPDX-License-Identifier: Apache-2.0
"""Moduli of the word engine's prime curves, and numbers that its products are tested with."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ecsm.curves import curve
from ecsm.curves.gfp import curve25519
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.presets.word import WORD_PRESETS
from ecsm.schedule.sequential.folded import Folded
from ecsm.schedule.sequential.modulus import Modulus


def prime(name: str) -> PrimeCurve:
    """Return a curve over a prime field."""
    c = curve(name)
    assert isinstance(c, PrimeCurve)
    return c


CURVES = sorted({p.curve.name for p in WORD_PRESETS.values() if isinstance(p.curve, PrimeCurve)})
SHIPPED: dict[str, Modulus] = {
    **{f"field of {name}": Modulus(prime(name).p) for name in CURVES},
    **{f"order of {name}": Modulus(prime(name).n) for name in CURVES},
    "field of 25519": Folded(curve25519.P),
    "order of 25519": Modulus(curve25519.N),
}
"""Moduli of the presets in words of 32 bits."""


def edges(m: Modulus, count: int) -> Iterator[int]:
    """Yield numbers: edge words, multiples of p, and any others."""
    rng, limit = random.Random(m.p), 1 << m.p.bit_length() + 2
    half, ones = 1 << m.W - 1, (1 << m.W) - 1
    yield from (0, 1, -1, m.p, -m.p, m.p - 1, 2 * m.p, limit - 1, -limit)
    for _ in range(count):
        words = [rng.choice((0, 1, half, half - 1, ones, rng.randrange(1 << m.W)))
                 for _ in range(m.words)]  # fmt: skip
        value = sum(w << m.W * i for i, w in enumerate(words)) % limit
        yield rng.choice((value, -value))
