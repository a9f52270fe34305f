# SPDX-License-Identifier: Apache-2.0
"""Presets that halve points: kP for points of odd order on y^2 + xy = x^3 + x^2 + b."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ecsm.curves.gf2m.halving import ODD, Halves, halves
from ecsm.formulas.gf2m.graph import Segment
from ecsm.formulas.gf2m.halving import Lambda, combine, finish
from ecsm.formulas.gf2m.trace import Maps, Tracer, close
from ecsm.presets.gf2m import BinaryPreset, Multiplier
from ecsm.schedule.halving.types import LATENCY, SLOTS, UNITS
from ecsm.schedule.types import Units


@dataclass(frozen=True)
class HalvingPreset(BinaryPreset):
    """A configuration of the engine for halving (rtl/gf2m/halving/gf2m_halving.sv).

    ``multiplier``: what each of the two is.
    """

    odd_order: ClassVar[bool] = True
    multipliers: ClassVar[int] = UNITS
    clearing: ClassVar[int] = 1 + SLOTS
    pause: ClassVar[int] = clearing

    name: str
    curve_name: str
    multiplier: Multiplier
    about: str = ""
    published: str = ""
    variable_time: bool = False

    @cached_property
    def halves(self) -> Halves:
        """The numbers of the scalar's conversion; raises NoHalving."""
        return halves(self.curve)

    @property
    def units(self) -> Units:
        """The multipliers as other engines' schedulers would see them."""
        return Units(self.multipliers, LATENCY, 1)

    def graph(self) -> Segment:
        """Return the traced program, which is that of the tail."""
        return self.tail

    @cached_property
    def tail(self) -> Segment:
        """What follows the windows: atoms 0 to 11 are X, Λ, Z of Q1, Q3, Q5, Q7."""
        names = [f"{v}{o}" for o in ODD for v in ("X", "Λ", "Z")]
        curve = self.curve
        t = Tracer(curve.field, Maps((1, 2, 3), (4,), linear_constants=False), names)
        sums = [Lambda(*(t.atom(3 * i + j) for j in range(3))) for i in range(len(ODD))]
        answer = finish(t, combine(t, sums, curve.a), curve.field.sqrt(curve.b))
        return close(t, answer, ("out.x", "out.y"))


_ALL = [
    HalvingPreset(
        "b163-halving", "sect163r2", Multiplier("karatsuba", depth=4, stages=LATENCY, height=4),
        about="two multipliers of two stages halve and add: eight cycles for four scalar bits",
    ),
    HalvingPreset(
        "toy107-halving", "toy107h", Multiplier("karatsuba", depth=2, stages=LATENCY, height=2),
        about="toy curve for tests",
    ),
]  # fmt: skip

HALVING_PRESETS: dict[str, HalvingPreset] = {p.name: p for p in _ALL}
