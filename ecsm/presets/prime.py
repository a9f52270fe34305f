# SPDX-License-Identifier: Apache-2.0
"""What a preset over a prime field is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from ecsm.curves import curve
from ecsm.curves.divsteps import Divsteps
from ecsm.curves.endomorphism import WORD as HALVES_WORD
from ecsm.curves.endomorphism import Decomposition, beta, decomposition, small_form
from ecsm.curves.karatsuba import Scheme, scheme
from ecsm.curves.limbs import canon_latency, shift_for
from ecsm.curves.montgomery import Montgomery
from ecsm.curves.prime import PrimeCurve
from ecsm.curves.recode import (
    WindowRecoding,
    check_window,
    recode_window,
    top_values,
    window_digits,
    window_latency,
)
from ecsm.curves.residues import WORD, Residues
from ecsm.curves.serial import Column, Serial
from ecsm.formulas.complete import CompleteWeierstrass
from ecsm.formulas.endomorphism import WeierstrassEndomorphism
from ecsm.formulas.residue_graph import Graph
from ecsm.formulas.residue_trace import cached_trace
from ecsm.formulas.weierstrass import Weierstrass
from ecsm.schedule.residue_types import DEPTH, FETCH, SUM_LATENCY, Units

CHUNK = 16  # bits of the scalar prepared in a cycle
KINDS = ("whole", "column", "montgomery")  # of multipliers
PATIENCE = 64  # cycles in which no request comes, until a batch that is not full starts
LAST_RANK = 10  # of rtl/field/gfp_mul.sv
PRODUCTS_OF_A_BATCH = 4  # of a matrix and a vector


@dataclass(frozen=True)
class PrimePreset:
    """A configuration of the GF(p) engine.

    ``window``: bits of a scalar's digit. ``kind`` of multiplier: "whole" makes a product a cycle
    (rtl/field/gfp_mul.sv), "column" (gfp_mul_column.sv) and "montgomery" (gfp_mul_montgomery.sv)
    take ``step`` bits of an operand a cycle; only the last is for primes without a sparse form.
    ``ranks``: behind which of the multiplier's eleven steps registers stand (gfp_mul.sv), of a
    column those from 5 on; Montgomery's are fixed. ``digit``: bits of a DSP block's operand.
    ``batch``, ``per_cycle``: division steps (:class:`~ecsm.curves.divsteps.Divsteps`). ``word``:
    bits of a word, half a limb. ``threads``: jobs that run together, a cycle each in turn; with
    more than one the operands have a rank of registers of their own. ``patience``: cycles without
    a request until a batch that is not full starts. ``complete``: complete formulas, of more
    products in fewer levels. ``endomorphism``: the scalar in two halves, for curves that have one,
    cut by multiplications of words of ``halves`` bits.
    """

    name: str
    curve_name: str
    window: int = 5
    ranks: tuple[int, ...] = (0, 1, 2, 3, 5, 8, 10)
    digit: int = 18
    batch: int = 60
    per_cycle: int = 2
    word: int = WORD
    kind: str = "whole"
    step: int = 18
    threads: int = 1
    complete: bool = False
    endomorphism: bool = False
    halves: int = HALVES_WORD
    about: str = ""
    patience: int = PATIENCE
    variable_time: bool = False
    published: str = ""
    multipliers: int = 1

    def __post_init__(self) -> None:
        """Raise ValueError for what no core can be."""
        first = 5 if self.kind == "column" else 0
        if any(not first <= r <= LAST_RANK for r in self.ranks) or len(set(self.ranks)) < len(
            self.ranks
        ):
            raise ValueError(f"{self.name}: ranks are some of {first} to {LAST_RANK}, each once")
        least = {"window": 2, "digit": 1, "threads": 1, "patience": 1, "step": 1, "word": 1}
        for field, value in least.items():
            if getattr(self, field) < value:
                raise ValueError(f"{self.name}: {field} must be at least {value}")
        if self.endomorphism and self.complete:
            raise ValueError(f"{self.name}: the endomorphism has complete formulas of its own")

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
        return self.clearing_memory + 2

    @property
    def clearing_memory(self) -> int:
        """Cycles of clearing: every entry and register of every thread, and the multiplier."""
        slots = 1 << (self.threads - 1).bit_length()
        return max(slots * (1 << (self.window - 1)), slots * DEPTH, self.multiplying + 1)

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
    def program(self) -> Weierstrass:
        """The program; raises ValueError for a window or a curve that it is not safe on.

        Where there is a cofactor, points of small order pass the curve's test and end as infinity.
        """
        c, w = self.curve, self.window
        if c.h != 1:
            raise ValueError(f"{self.name}: {c.name} has a cofactor")
        if self.endomorphism:
            d = self.decomposition
            image, (u, nine_b) = beta(c, d.lam), small_form(c)
            return WeierstrassEndomorphism(
                c.p,
                c.a,
                c.b,
                w,
                d.digits,
                1 << (w - 1),
                threads=self.threads,
                beta=image,
                u=u,
                nine_b=nine_b,
            )
        check_window(c.n, w)
        digits, top = window_digits(c.n, w), top_values(c.n, w)
        fewest = self.threads > 1 or self.kind != "whole"
        kind = CompleteWeierstrass if self.complete else Weierstrass
        return kind(c.p, c.a, c.b, w, digits, top, fewest, self.threads)

    @property
    def multiplying(self) -> int:
        """Cycles from the slots of an operand to the product: as the multiplier's header says."""
        r = self.residues
        if isinstance(r, Montgomery):
            return r.steps + 6
        if isinstance(r, Column):
            return r.steps + 3 + len(self.ranks)
        return 1 + len(self.ranks) + (self.threads > 1)

    @property
    def interval(self) -> int:
        """Cycles from a product to the next."""
        r = self.residues
        if isinstance(r, Montgomery):
            return r.steps + 2
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

    @property
    def units(self) -> Units:
        """The units as the scheduler sees them."""
        d = self.divsteps
        reduce = canon_latency(self.residues.limbs, self.max_shift)
        prepare = window_latency(self.curve.n, CHUNK)
        if self.endomorphism:
            prepare = self.decomposition.latency
            if self.threads > 1:  # one unit cuts all, one after the other
                prepare = self.threads * self.decomposition.cutting
        if self.threads == 1:
            return Units(
                latency=self.multiplying,
                interval=self.interval,
                sum_latency=SUM_LATENCY,
                reduce=reduce,
                divide=d.first,
                period=d.period,
                hold=d.period,
                prepare=prepare,
                lookup=2,
            )

        def turns(cycles: int) -> int:
            return -(-cycles // self.threads)

        # A matrix is of use where all threads see it. The reducer's next number is there when the
        # last thread's could be, and a cycle for the answer.
        return Units(
            latency=turns(self.multiplying),
            interval=1,
            sum_latency=1,
            reduce=turns(reduce + self.threads + FETCH),
            divide=turns(d.first),
            period=turns(d.period),
            hold=turns(d.period) - 1,
            prepare=turns(prepare),
            lookup=1,
        )

    @property
    def decomposition(self) -> Decomposition:
        """How the endomorphism cuts a scalar; raises ValueError for a curve without one."""
        return decomposition(self.curve.n, self.window, self.halves)

    def recode(self, k: int) -> WindowRecoding:
        """Return the digits of a scalar, the last that is used first."""
        if self.endomorphism:
            return self.decomposition.recode(k)
        return recode_window(k, self.curve.n, self.window)

    def graph(self) -> Graph:
        """Return the traced program; raises ValueError for units that cannot run any."""
        if self.batch // self.residues.limb >= self.residues.limbs:
            raise ValueError(f"{self.name}: a matrix of {self.batch} steps does not fit a residue")
        if self.threads > 1:
            self._check_threads()
        if self.units.period < self._least_period:
            raise ValueError(f"{self.name}: a batch of steps is over before its four products")
        return cached_trace(self.program, self.divsteps, self.residues.radix)

    def _check_threads(self) -> None:
        """Raise ValueError for units that do not go round with the threads."""
        if self.kind != "whole":
            raise ValueError(f"{self.name}: threads need a product in every cycle")
        if self.threads <= FETCH:
            raise ValueError(f"{self.name}: one thread, or more than {FETCH}")
        if self.multiplying % self.threads:
            text = f"{self.multiplying} cycles, no multiple of {self.threads} threads"
            raise ValueError(f"{self.name}: a product takes {text}")

    def describe(self) -> str:
        """Return a short text for tables."""
        r = self.residues
        if isinstance(r, Serial):
            return f"{self.kind}, {r.steps} digits of {r.step} bits"
        products = len(self.scheme.picks)
        text = f"{products} products of {r.limb}-bit limbs, {len(self.ranks)} ranks"
        return f"{text}, {self.threads} threads" if self.threads > 1 else text
