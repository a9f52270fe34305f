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
FULL_BINARY = (
    pytest.param("toy107-halving", marks=pytest.mark.full),
    pytest.param("b163-small", marks=pytest.mark.full),
    pytest.param("b163-fast", marks=pytest.mark.slow),
    pytest.param("b163-halving", marks=pytest.mark.slow),
)
FULL_PRIME = (
    pytest.param("p256-small", marks=pytest.mark.slow),
    pytest.param("p256-fast", marks=pytest.mark.slow),
)
FULL = (*FULL_BINARY, *FULL_PRIME)
"""Designs at full size, and the toy of the halving engine."""


@lru_cache
def whole(name: str) -> Whole:
    """Return the netlist of a preset and what was found on it."""
    return Whole(design(name), Progress())
