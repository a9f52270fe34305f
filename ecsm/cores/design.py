# SPDX-License-Identifier: Apache-2.0
"""The record of a core: its preset and all that is compiled from it. Later layers receive it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ecsm.curves import Point
from ecsm.formulas.gf2m import graph
from ecsm.formulas.gfp import graph as gfp_graph
from ecsm.presets.gf2m import Preset
from ecsm.presets.gfp import PrimePreset
from ecsm.presets.gfp_table import AnyPreset
from ecsm.presets.halving import HalvingPreset
from ecsm.schedule.gf2m import words
from ecsm.schedule.gfp import microcode as gfp_microcode
from ecsm.schedule.halving import words as halving_words
from ecsm.schedule.program import Microcode
from ecsm.schedule.types import Schedule

AnyGraph = graph.Graph | gfp_graph.Graph | graph.Segment
AnyWord = words.Word | gfp_microcode.Word | halving_words.Word
P = TypeVar("P", bound=AnyPreset, covariant=True)
G = TypeVar("G", bound=AnyGraph, covariant=True)
W = TypeVar("W", bound=AnyWord, covariant=True)


@dataclass(frozen=True)
class Figures:
    """What a schedule says of its core: cycles, the proven bound of them, registers."""

    cycles: int
    bound: int
    registers: int


@dataclass(frozen=True)
class Design(Generic[P, G, W]):
    """A preset with its program, schedule and microcode; ``base``: those of its program for kG."""

    preset: P
    graph: G
    schedule: Schedule
    microcode: Microcode[W]
    figures: Figures
    base: Design[P, G, W] | None = None

    def of(self, point: Point) -> Design[P, G, W]:
        """Return the design whose program a job with this point has."""
        return self.base if self.base and point == self.preset.curve.generator else self

    @property
    def point(self) -> Point:
        """A point whose kP is that of the design's own program: G, or 2G where G has another."""
        c = self.preset.curve
        return c.mul(2, c.generator) if self.base else c.generator

    @property
    def cycles_bound(self) -> int:
        """The least cycles that the program could take."""
        return self.figures.bound

    @property
    def base_cycles(self) -> int:
        """Cycles of kG where it has a program of its own, else 0."""
        return self.base.microcode.cycles if self.base else 0

    @property
    def least_cycles(self) -> int:
        """Cycles of a job of the shortest program."""
        return self.base_cycles or self.microcode.cycles

    @property
    def cycles_alone(self) -> int:
        """Cycles of a job that no other one joins."""
        return self.microcode.cycles + self.preset.waiting


BinaryDesign = Design[Preset, graph.Graph, words.Word]
PrimeDesign = Design[PrimePreset, gfp_graph.Graph, gfp_microcode.Word]
HalvingDesign = Design[HalvingPreset, graph.Segment, halving_words.Word]
AnyDesign = Design[AnyPreset, AnyGraph, AnyWord]
