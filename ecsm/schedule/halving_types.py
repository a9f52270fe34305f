# SPDX-License-Identifier: Apache-2.0
"""What the solver of the tail of a program with halvings is given."""

from __future__ import annotations

from dataclasses import dataclass

from ecsm.formulas.graph import Kind, Op

LATENCY = 2  # of a product, in cycles
UNITS = 2
Terms = set[tuple[object, ...]]


@dataclass(frozen=True)
class Room:
    """Registers of the tail: ``inputs`` of its atoms, and from which cycle each other is free."""

    inputs: dict[int, int]
    free: dict[int, int]
    ready: dict[int, int]  # cycle from which an input can be read


def ready(op: Op, time: int) -> int:
    """Return the first cycle in which what an operation makes can be read."""
    return time + (LATENCY if op.kind is Kind.PRODUCT else op.passes)
