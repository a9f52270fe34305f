# SPDX-License-Identifier: Apache-2.0
"""What a preset of a ladder over GF(2^m) is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import ClassVar

from ecsm.curves import Point, binary_curve
from ecsm.curves.gf2m.masked import MORE_BITS
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.formulas.gf2m.graph import Graph, Map
from ecsm.formulas.gf2m.ladder import Ladder
from ecsm.formulas.gf2m.trace import Maps, trace_ladder
from ecsm.presets.protection import CHECKED, MASKED_LADDER
from ecsm.schedule.types import Units


@dataclass(frozen=True)
class Multiplier:
    """A GF(2^m) multiplier: ``kind`` is ``serial``, ``segmented`` or ``karatsuba``.

    ``digit``: digit size (serial) or segment width (segmented), bits. ``depth``: Karatsuba
    levels. ``stages``: pipeline stages of the parallel kinds, 1 to 4; their latency in cycles.
    ``height``: Karatsuba levels recombined before the rank of products (2 or 3 stages).
    """

    kind: str
    digit: int = 1
    depth: int = 0
    stages: int = 1
    height: int = 0

    def latency(self, m: int) -> int:
        """Cycles from operands to result: 1 means the same cycle."""
        return self.interval(m) + 1 if self.kind == "serial" else self.stages

    def interval(self, m: int) -> int:
        """Cycles between two products."""
        return math.ceil(m / self.digit) if self.kind == "serial" else 1

    def describe(self) -> str:
        """Return a short text for tables."""
        if self.kind == "serial":
            return f"serial, {self.digit}-bit digits"
        inner = f"{self.digit}-bit segments" if self.kind == "segmented" else f"depth {self.depth}"
        return f"{self.kind}, {inner}, {self.stages} stage{'s' * (self.stages > 1)}"


class BinaryPreset:
    """What the presets of all engines over a binary field have.

    ``field_kind``: "binary" or "prime". ``odd_order``: whether points of even order are refused.
    ``multiplier_in``: where products are made, DSP blocks ("dsp") or look-up tables ("lut").
    ``waiting``: cycles that a job waits for others, which never come. ``double``: whether the core
    computes aG + bP. ``threads``: jobs that the core runs together.
    """

    field_kind: ClassVar[str] = "binary"
    odd_order: ClassVar[bool] = False
    multiplier_in: ClassVar[str] = "lut"
    waiting: ClassVar[int] = 0
    double: ClassVar[bool] = False
    threads: ClassVar[int] = 1

    @property
    def random_bits(self) -> int:
        """Random bits that a job takes."""
        return 0

    @property
    def protected(self) -> bool:
        """Whether it checks its answer and its control."""
        return False

    @property
    def countermeasures(self) -> tuple[str, ...]:
        """What protects the core, by the names of :mod:`ecsm.hdl.countermeasures`."""
        return ()

    name: str
    curve_name: str
    multiplier: Multiplier

    @cached_property
    def curve(self) -> BinaryCurve:
        """The curve's domain parameters."""
        return binary_curve(self.curve_name)

    @property
    def m(self) -> int:
        """Degree of the field."""
        return self.curve.field.m

    @property
    def field_bits(self) -> int:
        """Degree of the field."""
        return self.m

    @property
    def scalar_bits(self) -> int:
        """Bits of the scalar's port."""
        return self.m

    @property
    def multiplier_kind(self) -> str:
        """What kind a multiplier is."""
        return self.multiplier.kind

    def multiple(self, k: int, point: Point) -> Point:
        """Return what the core must answer for a scalar of the port, by the textbook."""
        return self.curve.mul(k, point)

    def describe(self) -> str:
        """Return a short text of the multiplier."""
        return self.multiplier.describe()

    @property
    def module(self) -> str:
        """Name of the preset's SystemVerilog module."""
        return "ecsm_" + self.name.replace("-", "_")

    @property
    def coordinate_bits(self) -> int:
        """Port width of a coordinate: whole octets."""
        return 8 * math.ceil(self.m / 8)

    def matrix(self, map_: Map) -> list[int]:
        """Return the map's matrix, column j the image of z^j."""
        gf = self.curve.field
        return gf.matrix(lambda v: gf.mul(map_.c, gf.frob(v, map_.k)))


RANDOM_WORD = 32  # bits of a word that brings random bits


class Protect(Enum):
    """How an engine protects its key and its result (rtl/common/ecsm_protect_pkg.sv)."""

    NONE = "none"
    CHECK = "check"
    FULL = "full"


@dataclass(frozen=True)
class Preset(BinaryPreset):
    """A configuration of the engine; ``unroll`` ladder steps make one turn of the loop.

    ``fused``: a result may pass a linear map on its way from a multiplier to a register.
    ``registers``: how many the solver may use at most. ``ahead``: operands have registers of their
    own (:mod:`ecsm.schedule.gf2m.ahead`). ``z_roots``: as in
    :class:`~ecsm.formulas.gf2m.ladder.Ladder`. ``published``: the key in
    :data:`ecsm.measure.published.ORIGINALS` of the design that the preset rebuilds, if any.
    ``pause``: cycles from the end of a job to the start of the next one that waits.
    ``protect``: see :class:`Protect`.
    """

    pause: ClassVar[int] = 2  # the answer, and the clearing

    name: str
    curve_name: str
    multipliers: int
    multiplier: Multiplier
    maps: Maps
    unroll: int = 1
    fused: bool = False
    registers: int = 14
    about: str = ""
    variable_time: bool = False
    ahead: bool = False
    z_roots: bool = True
    published: str = ""
    protect: Protect = Protect.NONE

    @property
    def random_bits(self) -> int:
        """Random bits that a job takes: the roles, and a number below 2^m that is odd."""
        return 2 * self.m + MORE_BITS - 1 if self.protect is Protect.FULL else 0

    @property
    def protected(self) -> bool:
        """Whether it checks its answer and its control."""
        return self.protect is not Protect.NONE

    @property
    def countermeasures(self) -> tuple[str, ...]:
        """What protects the core, by the names of :mod:`ecsm.hdl.countermeasures`."""
        return {
            Protect.NONE: (), Protect.CHECK: CHECKED, Protect.FULL: MASKED_LADDER,
        }[self.protect]  # fmt: skip

    @property
    def clearing(self) -> int:
        """Cycles, at most, until it is ready after a reset, a zeroize or an answer.

        A masked core then has its next random words, if one comes in each cycle.
        """
        return 4 + math.ceil(self.random_bits / RANDOM_WORD)

    @property
    def units(self) -> Units:
        """The multipliers as the scheduler sees them."""
        mul = self.multiplier
        return Units(
            self.multipliers, mul.latency(self.m), mul.interval(self.m), self.fused, self.ahead
        )

    def graph(self) -> Graph:
        """Return the traced program."""
        masked = self.protect is Protect.FULL
        program = Ladder(self.curve.a, self.curve.b, self.z_roots, self.protected, masked)
        return trace_ladder(self.curve.field, program, self.maps, self.unroll)

    def map_cost(self, map_: Map) -> int:
        """Estimate a map's 4-input LUTs: a third of one for every input above one a row."""
        ones = sum(c.bit_count() for c in self.matrix(map_))
        return max(0, ones - self.m) // 3
