# SPDX-License-Identifier: Apache-2.0
"""The netlists of whole cores that tests share."""

from __future__ import annotations

from functools import lru_cache

import pytest

from ecsm.cores.store import design
from ecsm.evidence.proofs import Whole
from ecsm.progress import Progress

BINARY = ("toy7-small", "toy8-ahead", "toy9-four")
PRIME = ("toyp8-k", "toyp7-t", "toyp7-d")
TOYS = (*BINARY, *PRIME)
FULL = tuple(
    pytest.param(name, marks=mark)
    for name, mark in (
        ("toy107-halving", pytest.mark.full),
        ("b163-small", pytest.mark.full),
        ("b163-fast", pytest.mark.slow),
        ("b163-halving", pytest.mark.slow),
        ("p256-small", pytest.mark.slow),
        ("p256-fast", pytest.mark.slow),
    )
)
"""Designs at full size, and the toy of the halving engine."""


@lru_cache
def whole(name: str) -> Whole:
    """Return the netlist of a preset and what was found on it."""
    return Whole(design(name), Progress())
