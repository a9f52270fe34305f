# SPDX-License-Identifier: Apache-2.0
"""What a core over a prime field is made of: fields of a preset, its units and their timing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ecsm.curves import UnknownCurveError, curve
from ecsm.curves.gfp.divsteps import Divsteps
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.endomorphism import WORD as HALVES_WORD
from ecsm.curves.gfp.karatsuba import Scheme, scheme
from ecsm.curves.gfp.limbs import shift_for
from ecsm.curves.gfp.montgomery import Montgomery
from ecsm.curves.gfp.residues import DIGIT, WORD, NotSparse, Residues
from ecsm.curves.gfp.serial import Column, Serial
from ecsm.curves.gfp.weierstrass import PrimeCurve, PrimeFieldCurve
from ecsm.curves.gfp.xline import XLine
from ecsm.presets.protection import MASKED_GFP
from ecsm.schedule.gfp.types import DEPTH, SUM_LATENCY

PLACES = ("dsp", "lut")  # of arithmetic: DSP blocks, or look-up tables
LANE = 24  # bits that a lane of a DSP block adds up
KINDS = ("whole", "column", "folded", "montgomery")  # of multipliers
SUMMED = 6  # the rank of a whole multiplier that a folded one always has
PATIENCE = 64  # cycles in which no request comes, until a batch that is not full starts
LAST_RANK = 10  # of rtl/gfp/field/gfp_mul.sv
PRODUCTS_OF_A_BATCH = 4  # of a matrix and a vector


def sum_lanes(bits: int) -> int:
    """Return the lanes of a sum in DSP blocks, as sum_lanes of gfp_pkg.sv does."""
    return 1 if bits <= LANE else 1 + (bits - 2) // (LANE - 1)


@dataclass(frozen=True)
class PrimeCore:
    """A configuration of the GF(p) engine, but for its program (ecsm.presets.gfp).

    ``window``: bits of a scalar's digit. ``kind`` of multiplier: "whole" computes a product a cycle
    (rtl/gfp/field/gfp_mul.sv), "folded" one in three cycles (gfp_mul_folded.sv; an even number of
    limbs); "column" (gfp_mul_column.sv) and "montgomery" (gfp_mul_montgomery.sv) process ``step``
    bits of an operand a cycle; only the last is for primes without a sparse form. ``ranks``: the
    steps of the multiplier that registers follow (gfp_mul.sv), of eleven; a column has those from 5
    on, a folded one all but 6; Montgomery's are fixed. ``digit``: bits of a DSP block's operand.
    ``batch``, ``per_cycle``: division steps (:class:`~ecsm.curves.gfp.divsteps.Divsteps`).
    ``word``: bits of a word, half a limb. ``threads``: jobs that run together in rotation, a cycle
    each; with more than one the operands have a rank of registers of their own. ``patience``:
    cycles without a request until a batch that is not full starts. ``complete``: complete formulas,
    with more products in fewer levels. ``upward``: these from the lowest digit up, with buckets of
    points in the table. ``endomorphism``: the scalar in two halves, for curves that have one;
    ``halves``: bits of the words in which the scalar is decomposed. The curve's form decides the
    program: an x-line has a ladder of single bits and no table, an Edwards curve has digits
    upward, not reduced modulo n. ``double``: aG + bP; the scalar's port is a above b; with
    a = 0 it is kP.
    ``columns``, if not 0: a program for kG beside that for kP, by combs of so many columns in
    ``groups`` groups; a request with the curve's point G has it.
    ``multiplier_in``: whether products are made in DSP blocks or in look-up tables. ``adder_in``:
    the same for sums, where synthesis can do it (rtl/gfp/field/gfp_sum.sv). ``masked``: scalar and
    coordinates are masked, and faults looked for (rtl/gfp/masked/gfp_masked.sv); a ladder of bits.
    """

    field_kind: ClassVar[str] = "prime"
    odd_order: ClassVar[bool] = False
    multiplier_kind: ClassVar[str] = "karatsuba"

    name: str
    curve_name: str
    window: int = 5
    ranks: tuple[int, ...] = (0, 1, 3, 5, 7, 8, 10)
    digit: int = DIGIT
    batch: int = 60
    per_cycle: int = 2
    word: int = WORD
    kind: str = "whole"
    step: int = 18
    threads: int = 1
    complete: bool = False
    upward: bool = False
    endomorphism: bool = False
    halves: int = HALVES_WORD
    double: bool = False
    columns: int = 0
    groups: int = 0
    about: str = ""
    patience: int = PATIENCE
    variable_time: bool = False
    published: str = ""
    multipliers: int = 1
    multiplier_in: str = "dsp"
    adder_in: str = "lut"
    masked: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError for fields that no core can have; an unknown curve fails at its use."""
        try:
            signed = isinstance(self.curve, PrimeCurve)
        except UnknownCurveError:
            return
        if self.kind not in KINDS:
            raise ValueError(f"{self.name}: kind is one of {', '.join(KINDS)}")
        first = 5 if self.kind == "column" else 0
        ranks = set(self.ranks)
        if len(ranks) < len(self.ranks) or not ranks <= set(range(first, LAST_RANK + 1)):
            raise ValueError(f"{self.name}: ranks are some of {first} to {LAST_RANK}, each once")
        edwards = isinstance(self.curve, EdwardsCurve)
        least = {"window": 2 if (signed and not self.masked) or edwards else 1}
        for field in ("window", "digit", "threads", "patience", "step", "word"):
            if getattr(self, field) < (value := least.get(field, 1)):
                raise ValueError(f"{self.name}: {field} must be at least {value}")
        if self.kind == "folded" and (self.residues.limbs % 2 or SUMMED in self.ranks):
            raise ValueError(f"{self.name}: folded takes an even number of limbs, and no rank 6")
        if -(-min(self.factor_bits) // self.digit) > 1 << self.digit:  # gfp_limb_mul.sv
            raise ValueError(f"{self.name}: digits of {self.digit} bits are too small")
        if isinstance(self.curve, XLine) and self.window != 1:
            raise ValueError(f"{self.name}: a ladder takes a bit at a time, window is 1")
        if not signed and (self.endomorphism or self.complete):
            raise ValueError(f"{self.name}: {self.curve.name} has one program")
        if {self.multiplier_in, self.adder_in} - set(PLACES):
            raise ValueError(f"{self.name}: products and sums are in one of {', '.join(PLACES)}")
        complete = self.complete or self.endomorphism
        if edwards and self.threads > 1:
            raise ValueError(f"{self.name}: the program of an Edwards curve takes one thread")
        if self.upward and (self.threads > 1 or self.double or not complete):
            raise ValueError(f"{self.name}: digits upward take complete formulas and one thread")
        if self.endomorphism and self.complete:
            raise ValueError(f"{self.name}: the endomorphism has complete formulas of its own")
        if self.masked and (
            self.threads > 1 or self.double or self.endomorphism or self.upward or self.window != 1
            or not signed
        ):  # fmt: skip
            raise ValueError(f"{self.name}: a masked ladder takes a bit at a time, and one thread")
        if self.columns and (
            self.threads > 1
            or self.double
            or self.masked
            or self.groups < 2
            or not (signed or edwards)
        ):
            raise ValueError(f"{self.name}: kG takes two groups, one thread, and kP beside it")
        if self.double and (self.threads > 1 or not complete):
            raise ValueError(f"{self.name}: aG + bP takes complete formulas and one thread")

    @cached_property
    def curve(self) -> PrimeFieldCurve:
        """The curve's domain parameters."""
        found = curve(self.curve_name)
        if not isinstance(found, PrimeFieldCurve):
            raise ValueError(f"{self.name}: {found.name} is not over a prime field")
        return found

    @property
    def factor_bits(self) -> tuple[int, int]:
        """Bits of the two numbers that digits' products make a product of."""
        r = self.residues
        if isinstance(r, Serial):
            return r.operand, r.step
        return r.sum_width, r.sum_width  # a sum of halves' limbs is as wide as one of all limbs

    @property
    def field_bits(self) -> int:
        """Bits of p."""
        return self.curve.p.bit_length()

    @property
    def scalar_bits(self) -> int:
        """Bits of the scalar's port: k, or a above b."""
        return self.curve.scalar_bits * (2 if self.double else 1)

    @property
    def scalar_unit(self) -> str:
        """The unit of digits: "window", "halves" (endomorphism), "digits", "ladder" or "masks"."""
        if self.masked:
            return "masks"
        if isinstance(self.curve, PrimeCurve):
            return "halves" if self.endomorphism else "window"
        return "ladder" if isinstance(self.curve, XLine) else "digits"

    @property
    def entry_bits(self) -> int:
        """Bits of the number of a table's entry."""
        return max(1, self.window - 1)

    @property
    def coordinate_bits(self) -> int:
        """Port width of a coordinate: whole octets."""
        return 8 * math.ceil(self.field_bits / 8)

    @property
    def role_bits(self) -> int:
        """Random bits that say which point of the masked ladder is where."""
        return self.curve.n.bit_length() + 2

    @property
    def factor_random_bits(self) -> int:
        """Random bits of one of the four numbers that a point's factor is made of."""
        return min(self.batch, self.field_bits - 1) - 1

    @property
    def random_bits(self) -> int:
        """Random bits that a job takes: the roles, and four odd numbers below p."""
        return self.role_bits + 4 * self.factor_random_bits if self.masked else 0

    @property
    def protected(self) -> bool:
        """Whether it checks its answer and its control."""
        return self.masked

    @property
    def countermeasures(self) -> tuple[str, ...]:
        """What protects the core, by the names of :mod:`ecsm.hdl.countermeasures`."""
        return MASKED_GFP if self.masked else ()

    @property
    def clearing(self) -> int:
        """Cycles, at most, until a core is ready after a reset, a zeroize or an answer."""
        return self.clearing_memory + 2

    @property
    def pause(self) -> int:
        """Cycles from the end of a batch to the start of the next one, if its jobs wait.

        Answers and requests are one a cycle; of a single job they are in other cycles' shadow.
        """
        return self.clearing + 2 * self.threads - 3

    @property
    def waiting(self) -> int:
        """Cycles that a job waits for others, which never come."""
        return self.patience + 1 if self.threads > 1 else 0

    @property
    def clearing_memory(self) -> int:
        """Cycles of clearing: every entry and register of every thread, and the multiplier."""
        slots = 1 << (self.threads - 1).bit_length()
        return max(slots << self.entry_bits, slots * DEPTH, self.multiplying + 1)

    @property
    def module(self) -> str:
        """Name of the preset's SystemVerilog module."""
        return "ecsm_" + self.name.replace("-", "_")

    @cached_property
    def residues(self) -> Residues:
        """How the core represents and multiplies numbers."""
        p = self.curve.p
        if self.kind in ("whole", "folded"):
            return Residues(p, self.word)
        kinds = {"column": Column, "montgomery": Montgomery}
        return kinds[self.kind](p, self.word, step=self.step)

    @property
    def scheme(self) -> Scheme:
        """The products of a multiplier that makes them whole, or of halves."""
        return scheme(self.residues.limbs // (2 if self.kind == "folded" else 1))

    @cached_property
    def max_value(self) -> int:
        """The largest number that a register can hold; raises NotSparse."""
        try:
            return self.residues.value(self.residues.limit)
        except NotSparse as error:
            raise NotSparse(f'{error}: use kind="montgomery"') from None

    @property
    def max_shift(self) -> int:
        """The reducer's MaxShift: every number is below 2^(max_shift + 1) p."""
        return shift_for(self.max_value, self.curve.p)

    @property
    def divsteps(self) -> Divsteps:
        """The division steps; batches last as long as their products do.

        With threads they take whole turns.
        """
        least = self.batch // self.per_cycle + 1
        rest = 0
        if self.threads > 1:
            turns = max(-(-least // self.threads), PRODUCTS_OF_A_BATCH + 1)
            rest = turns * self.threads - least
        elif self.kind != "whole":
            rest = max(0, self._least_period - least)
        bound = self.max_value
        return Divsteps.enough(self.curve.p, bound, self.batch, self.per_cycle, rest)

    @property
    def multiplying(self) -> int:
        """Cycles from the slots of an operand to the product: as the multiplier's header says."""
        r = self.residues
        if isinstance(r, Montgomery):
            return r.steps + 6
        if isinstance(r, Column):
            return r.steps + 3 + len(self.ranks)
        if self.kind == "folded":
            return 4 + len(self.ranks)
        return 1 + len(self.ranks) + (self.threads > 1)

    @property
    def summing(self) -> int:
        """Cycles from the slots of a sum to the carried sum: add_latency of gfp_pkg.sv."""
        r = self.residues
        if self.adder_in == "lut":
            return SUM_LATENCY
        if isinstance(r, Montgomery):
            return 1 + sum_lanes(r.register)
        return 1 + max(1, len(r.carries[0])) * sum_lanes(r.operand)

    @property
    def interval(self) -> int:
        """Cycles from a product to the next."""
        r = self.residues
        if isinstance(r, Montgomery):
            return r.steps + 2
        if self.kind == "folded":
            return 3
        return r.steps if isinstance(r, Column) else 1

    @property
    def _least_period(self) -> int:
        """Cycles that a batch of division steps must last, of threads in turns.

        Its products come one after the other, and two of them before the next batch's first.
        """
        if self.threads > 1:
            return -(-self.multiplying // self.threads) + PRODUCTS_OF_A_BATCH - 1
        both = 2 * self.interval + self.multiplying
        return max(PRODUCTS_OF_A_BATCH * self.interval, both) + 1

    def describe(self) -> str:
        """Return a short text for tables."""
        r = self.residues
        if isinstance(r, Serial):
            return f"{self.kind}, {r.steps} digits of {r.step} bits"
        products = len(self.scheme.picks)
        thrice = "three times " if self.kind == "folded" else ""
        text = f"{thrice}{products} products of {r.limb}-bit limbs, {len(self.ranks)} ranks"
        if self.double:
            return f"{text}, aG + bP"
        return f"{text}, {self.threads} threads" if self.threads > 1 else text
