# SPDX-License-Identifier: Apache-2.0
"""Scalars to try on a register that hands them out."""

from __future__ import annotations

import random


def scalars(w: int) -> list[int]:
    """Return every scalar of a short register, corners and random ones of a long one."""
    if w <= 8:
        return list(range(1 << w))
    rng = random.Random(1)
    mask = (1 << w) - 1
    return [0, 1, mask, mask >> 1, 1 << (w - 1), *(rng.getrandbits(w) for _ in range(20))]
