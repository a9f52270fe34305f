# SPDX-License-Identifier: Apache-2.0
"""What a preset over a prime field is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from ecsm.curves import curve
from ecsm.curves.divsteps import Divsteps
from ecsm.curves.karatsuba import Scheme, scheme
from ecsm.curves.limbs import canon_latency, shift_for
from ecsm.curves.montgomery import Montgomery
from ecsm.curves.prime import PrimeCurve
from ecsm.curves.recode import check_window, top_values, window_digits, window_latency
from ecsm.curves.residues import WORD, Residues
from ecsm.curves.serial import Column, Serial
from ecsm.formulas.residue_graph import Graph
from ecsm.formulas.residue_trace import cached_trace
from ecsm.formulas.weierstrass import Weierstrass
from ecsm.schedule.residue_types import DEPTH, SUM_LATENCY, Units

CHUNK = 16  # bits of the scalar prepared in a cycle
KINDS = ("whole", "column", "montgomery")  # of multipliers


@dataclass(frozen=True)
class PrimePreset:
    """A configuration of the GF(p) engine.

    ``window``: bits of a scalar's digit. ``kind`` of multiplier: "whole" makes a product a cycle
    (rtl/field/gfp_mul.sv), "column" (gfp_mul_column.sv) and "montgomery" (gfp_mul_montgomery.sv)
    take ``step`` bits of an operand a cycle; only the last is for primes without a sparse form.
    ``ranks``: behind which of the multiplier's seven steps registers stand (gfp_mul.sv), of a
    column the last three; Montgomery's are fixed. ``digit``: bits of a DSP block's operand.
    ``batch``, ``per_cycle``, ``wait``: division steps (:class:`~ecsm.curves.divsteps.Divsteps`).
    ``word``: bits of a word, half a limb.
    """

    name: str
    curve_name: str
    window: int = 5
    ranks: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    digit: int = 18
    batch: int = 60
    per_cycle: int = 2
    wait: int = 0
    word: int = WORD
    kind: str = "whole"
    step: int = 18
    about: str = ""
    variable_time: bool = False
    published: str = ""
    multipliers: int = 1

    @cached_property
    def curve(self) -> PrimeCurve:
        """The curve's domain parameters."""
        found = curve(self.curve_name)
        assert isinstance(found, PrimeCurve)
        return found

    @property
    def field_bits(self) -> int:
        """Bits of p."""
        return self.curve.p.bit_length()

    @property
    def scalar_bits(self) -> int:
        """Bits of the scalar's port."""
        return self.curve.n.bit_length()

    @property
    def coordinate_bits(self) -> int:
        """Port width of a coordinate: whole octets."""
        return 8 * math.ceil(self.field_bits / 8)

    @property
    def clearing(self) -> int:
        """Cycles, at most, until a core is ready after a reset, a zeroize or an answer."""
        return max(1 << (self.window - 1), DEPTH, 2 + len(self.ranks)) + 2

    @property
    def module(self) -> str:
        """Name of the preset's SystemVerilog module."""
        return "ecsm_" + self.name.replace("-", "_")

    @cached_property
    def residues(self) -> Residues:
        """How the core holds and multiplies numbers."""
        p = self.curve.p
        if self.kind == "whole":
            return Residues(p, self.word)
        kinds = {"column": Column, "montgomery": Montgomery}
        return kinds[self.kind](p, self.word, step=self.step)

    @property
    def scheme(self) -> Scheme:
        """The products of a multiplier that makes them whole."""
        return scheme(self.residues.limbs)

    @cached_property
    def max_value(self) -> int:
        """The largest number that a register can hold."""
        return self.residues.value(self.residues.limit)

    @property
    def max_shift(self) -> int:
        """The reducer's MaxShift: every number is below 2^(max_shift + 1) p."""
        return shift_for(self.max_value, self.curve.p)

    @property
    def divsteps(self) -> Divsteps:
        """The division steps."""
        return Divsteps.enough(self.curve.p, self.max_value, self.batch, self.per_cycle, self.wait)

    @property
    def program(self) -> Weierstrass:
        """The program."""
        c, w = self.curve, self.window
        check_window(c.n, w)
        return Weierstrass(c.p, c.a, c.b, w, window_digits(c.n, w), top_values(c.n, w))

    @property
    def _multiplier(self) -> tuple[int, int]:
        """Latency and interval of the multiplier, as its header has them."""
        r = self.residues
        if isinstance(r, Montgomery):
            return r.steps + 6, r.steps + 2
        if isinstance(r, Column):
            return r.steps + 3 + len({4, 5, 6}.intersection(self.ranks)), r.steps
        return 1 + len(self.ranks), 1

    @property
    def units(self) -> Units:
        """The units as the scheduler sees them."""
        d = self.divsteps
        latency, interval = self._multiplier
        return Units(
            latency=latency,
            interval=interval,
            sum_latency=SUM_LATENCY,
            reduce=canon_latency(self.residues.limbs, self.max_shift),
            divide=d.first,
            period=d.period,
            prepare=window_latency(self.curve.n, CHUNK),
        )

    def graph(self) -> Graph:
        """Return the traced program; raises ValueError for units that cannot run any."""
        if self.batch // self.residues.limb >= self.residues.limbs:
            raise ValueError(f"{self.name}: a matrix of {self.batch} steps does not fit a residue")
        u = self.units
        # A batch's products one after the other, and two of them before the next batch's first.
        if u.period <= max(4 * u.interval, u.latency + 2 * u.interval):
            raise ValueError(f"{self.name}: a batch of steps is over before its four products")
        return cached_trace(self.program, self.divsteps, self.residues.radix)

    def describe(self) -> str:
        """Return a short text for tables."""
        r = self.residues
        if isinstance(r, Serial):
            return f"{self.kind}, {r.steps} digits of {r.step} bits"
        products = len(self.scheme.picks)
        return f"{products} products of {r.limb}-bit limbs, {len(self.ranks)} ranks"
