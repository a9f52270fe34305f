# SPDX-License-Identifier: Apache-2.0
"""Control words of the engine for ladders over GF(2^m): symbolic here, numbered by its emitter."""

from __future__ import annotations

from dataclasses import dataclass, field

from ecsm.formulas.gf2m.graph import Map

Sink = tuple[str, int, int]  # ("operand", unit, side), ("write", register, 0), ("test", 0, 0)
Source = tuple[str, int]  # ("reg", r), ("const", c), ("mul", unit)
# Conditions that all must hold, in order: ("key" | "role" | "affine" | "negate", value). NEXT names
# the bit that the word after has of a stream.
Guard = tuple[tuple[str, bool], ...]
NEXT = {"key": "next", "role": "next role"}
BITS = ("key", "next", "role", "next role")  # in the order of gate_t in gf2m_engine_pkg.sv


@dataclass(frozen=True)
class Gate:
    """One gated term of the network: ``guard ? map(source) : 0`` into ``sink``."""

    sink: Sink
    map: Map
    source: Source
    guard: Guard = ()

    def sort_key(self) -> tuple[object, ...]:
        """Order gates the same way in every run; products, the latest to arrive, come last."""
        late = self.source[0] == "mul"
        return (self.sink, late, self.source, self.map.k, self.map.c, str(self.guard))


@dataclass
class Word:
    """One control word: what happens in one cycle."""

    gates: set[Gate] = field(default_factory=set)
    write: set[int] = field(default_factory=set)
    start: set[int] = field(default_factory=set)
    test: set[str] = field(default_factory=set)
    shift: bool = False
    notes: list[str] = field(default_factory=list, compare=False)
