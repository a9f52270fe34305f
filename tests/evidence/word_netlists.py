# SPDX-License-Identifier: Apache-2.0
"""Netlists of word engines, each made once."""

from __future__ import annotations

from functools import lru_cache

from ecsm.evidence.core import Core
from ecsm.evidence.word.prove import whole
from ecsm.presets.word import WORD_PRESETS
from ecsm.progress import Progress


@lru_cache(maxsize=2)
def gates(name: str) -> Core:
    """Return the netlist of a preset in gates."""
    return whole(WORD_PRESETS[name], Progress())
