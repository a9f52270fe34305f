# SPDX-License-Identifier: Apache-2.0
"""Presets that halve points: kP for points of odd order on y^2 + xy = x^3 + x^2 + b."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from ecsm.curves import Point, binary_curve
from ecsm.curves.binary import BinaryCurve
from ecsm.curves.halving import ODD, Halves, halves
from ecsm.formulas.graph import Map, Segment
from ecsm.formulas.halving import Lambda, combine, finish
from ecsm.formulas.trace import Maps, Tracer, close
from ecsm.presets.preset import Multiplier
from ecsm.schedule.halving_types import LATENCY, SLOTS, UNITS
from ecsm.schedule.types import Units


@dataclass(frozen=True)
class HalvingPreset:
    """A configuration of the engine for halving (rtl/engine/gf2m_halving.sv).

    ``depth`` and ``height``: Karatsuba levels, and those recombined before the rank of products.
    ``powers``: k of the maps v^(2^k) that operands and sums may have; ``passes``: that only a
    register may have, a pass a cycle.
    """

    name: str
    curve_name: str
    depth: int = 4
    height: int = 4
    powers: tuple[int, ...] = (1, 2, 3)
    passes: tuple[int, ...] = (4,)
    about: str = ""
    published: str = ""
    variable_time: bool = False

    @property
    def multipliers(self) -> int:
        """Number of multipliers: the engine has two."""
        return UNITS

    @property
    def double(self) -> bool:
        """Whether the core computes aG + bP."""
        return False

    @cached_property
    def curve(self) -> BinaryCurve:
        """The curve's domain parameters."""
        return binary_curve(self.curve_name)

    @cached_property
    def halves(self) -> Halves:
        """The numbers of the scalar's conversion; raises NoHalving."""
        return halves(self.curve)

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
    def clearing(self) -> int:
        """Cycles, at most, until a core is ready after a reset, a zeroize or an answer."""
        return 1 + SLOTS

    @property
    def module(self) -> str:
        """Name of the preset's SystemVerilog module."""
        return "ecsm_" + self.name.replace("-", "_")

    @property
    def coordinate_bits(self) -> int:
        """Port width of a coordinate: whole octets."""
        return 8 * math.ceil(self.m / 8)

    def multiple(self, k: int, point: Point) -> Point:
        """Return what the core must answer for a scalar of the port, by the textbook."""
        return self.curve.mul(k, point)

    @property
    def multiplier(self) -> Multiplier:
        """What each of the multipliers is."""
        return Multiplier("karatsuba", depth=self.depth, stages=LATENCY, height=self.height)

    @property
    def units(self) -> Units:
        """The multipliers as other engines' schedulers would see them."""
        return Units(self.multipliers, LATENCY, 1)

    def describe(self) -> str:
        """Return a short text of the multiplier."""
        return self.multiplier.describe()

    def graph(self) -> Segment:
        """Return the traced program, which is that of the tail."""
        return self.tail

    def matrix(self, map_: Map) -> list[int]:
        """Return the map's matrix, column j the image of z^j."""
        gf = self.curve.field
        return [gf.mul(map_.c, gf.frob(1 << j, map_.k)) for j in range(gf.m)]

    @cached_property
    def tail(self) -> Segment:
        """What follows the windows: atoms 0 to 11 are X, Λ, Z of Q1, Q3, Q5, Q7."""
        names = [f"{v}{o}" for o in ODD for v in ("X", "Λ", "Z")]
        curve = self.curve
        t = Tracer(curve.field, Maps(self.powers, self.passes, False), names)
        sums = [Lambda(*(t.atom(3 * i + j) for j in range(3))) for i in range(len(ODD))]
        answer = finish(t, combine(t, sums, curve.a), curve.field.sqrt(curve.b))
        return close(t, answer, ("out.x", "out.y"))


_ALL = [
    HalvingPreset(
        "b163-halving", "sect163r2",
        about="two multipliers of two stages halve and add: eight cycles for four scalar bits",
    ),
    HalvingPreset("toy107-halving", "toy107h", depth=2, height=2, about="toy curve for tests"),
]  # fmt: skip

HALVING_PRESETS: dict[str, HalvingPreset] = {p.name: p for p in _ALL}
