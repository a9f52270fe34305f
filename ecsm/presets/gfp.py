# SPDX-License-Identifier: Apache-2.0
"""What a preset over a prime field is."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from ecsm.curves import Point
from ecsm.curves.comb import Comb, interleave
from ecsm.curves.gfp.edwards import EdwardsCurve
from ecsm.curves.gfp.endomorphism import Decomposition, beta, decomposition, small_form
from ecsm.curves.gfp.limbs import canon_latency
from ecsm.curves.gfp.masked import recode_masked
from ecsm.curves.gfp.weierstrass import PrimeCurve
from ecsm.curves.gfp.xline import XLine
from ecsm.curves.recode import (
    WindowRecoding,
    check_window,
    corrected,
    recode_window,
    swaps,
    top_values,
    upward,
    window_digits,
    window_latency,
)
from ecsm.formulas.gfp.base import FIXED, Combs, CompleteBase, EdwardsBase, EndomorphismBase
from ecsm.formulas.gfp.buckets import CompleteBuckets, EndomorphismBuckets
from ecsm.formulas.gfp.complete import CompleteWeierstrass
from ecsm.formulas.gfp.double import CompleteDouble, EndomorphismDouble
from ecsm.formulas.gfp.edwards import Edwards
from ecsm.formulas.gfp.endomorphism import WeierstrassEndomorphism
from ecsm.formulas.gfp.graph import Graph
from ecsm.formulas.gfp.masked import MaskedLadder
from ecsm.formulas.gfp.program import Program
from ecsm.formulas.gfp.trace import trace
from ecsm.formulas.gfp.weierstrass import COLUMNS, Weierstrass
from ecsm.formulas.gfp.xfewest import XLadderFewest
from ecsm.formulas.gfp.xladder import XLadder
from ecsm.presets.gfp_core import PrimeCore
from ecsm.schedule.gfp.types import FETCH, Units

CHUNK = 16  # bits of the scalar prepared in a cycle
LATE = 2  # cycles in which the engine compares a request's point with G


@dataclass(frozen=True)
class PrimePreset(PrimeCore):
    """A core over a prime field with its program, and what that makes of a scalar.

    The curve's form and the fields of :class:`~ecsm.presets.gfp_core.PrimeCore` say which it is.
    """

    @property
    def program(self) -> Program:
        """The program; raises ValueError for a window or a curve that it is not safe on.

        Where there is a cofactor, points of small order pass the curve's test and end as infinity:
        then only the programs of Edwards curves and of x-lines are right.
        """
        c, w = self.curve, self.window
        if isinstance(c, XLine):
            ladder = XLadderFewest if self.threads > 1 else XLadder
            return ladder(c.p, c.c, c.bits, threads=self.threads)
        if isinstance(c, EdwardsCurve):
            return Edwards(c.p, c.d, w, -(-c.scalar_bits // w))
        assert isinstance(c, PrimeCurve)
        if c.h != 1:
            raise ValueError(f"{self.name}: {c.name} has a cofactor")
        if self.masked:
            return MaskedLadder(c.p, c.a, c.b, self.role_bits)
        if self.endomorphism:
            d = self.decomposition
            (u, nine_b), top = small_form(c), 1 << (w - 1)
            given: dict[str, Any] = {"beta": beta(c, d.lam), "u": u, "nine_b": nine_b}
            if self.double:
                return EndomorphismDouble(c.p, c.a, c.b, w, d.digits, top, **given, **self._fixed)
            if self.upward:
                return EndomorphismBuckets(c.p, c.a, c.b, w, d.digits, 0, **given)
            return WeierstrassEndomorphism(
                c.p, c.a, c.b, w, d.digits, top, threads=self.threads, **given
            )
        digits, top = window_digits(c.n, w), top_values(c.n, w)
        if self.double:
            return CompleteDouble(c.p, c.a, c.b, w, digits, top, **self._fixed)
        check_window(c.n, w)
        if self.upward:
            return CompleteBuckets(c.p, c.a, c.b, w, digits, 0)
        fewest = self.threads > 1 or self.kind not in ("whole", "folded")  # products, not levels
        kind = CompleteWeierstrass if self.complete else Weierstrass
        return kind(c.p, c.a, c.b, w, digits, top, fewest, self.threads)

    @property
    def units(self) -> Units:
        """The units as the scheduler sees them."""
        d, several = self.divsteps, self.threads > 1
        reduce = canon_latency(self.residues.limbs, self.max_shift)
        prepare = 1
        if self.scalar_unit == "window":
            prepare = window_latency(self.curve.n, CHUNK)
        elif self.endomorphism:
            prepare = self.decomposition.latency
            if several:  # one unit cuts all, one after the other
                prepare = self.threads * self.decomposition.cutting
        if self.double:
            prepare = max(prepare, self.comb.latency(CHUNK))
        if self.masked:  # a flag comes from the reducer, and goes to the job front
            reduce += 2

        def turns(cycles: int) -> int:
            return -(-cycles // self.threads)

        # Of several threads: a matrix is of use where all see it, and the reducer's next number is
        # there when the last thread's could be, and a cycle for the answer.
        return Units(
            latency=turns(self.multiplying),
            interval=self.interval,
            sum_latency=turns(self.summing),
            reduce=turns(reduce + several * (self.threads + FETCH)),
            divide=turns(d.first),
            period=turns(d.period),
            hold=turns(d.period) - several,
            prepare=turns(prepare),
            lookup=1 if several else 2,
        )

    @property
    def decomposition(self) -> Decomposition:
        """How the endomorphism cuts a scalar; raises ValueError for a curve without one."""
        return decomposition(self.curve.n, self.window, self.halves)

    @property
    def comb(self) -> Comb:
        """How a is cut, of aG + bP: a column for each window of b."""
        if self.endomorphism:
            return Comb(self.curve.n, self.decomposition.digits, 2)
        return Comb(self.curve.n, window_digits(self.curve.n, self.window))

    @cached_property
    def _fixed(self) -> dict[str, Any]:
        assert isinstance(self.curve, PrimeCurve)
        return {"comb": tuple(self.comb.points(self.curve)), "groups": self.comb.groups}

    @property
    def fixed(self) -> dict[tuple[int, int], list[int]]:
        """Constants in the table, limbs by entry and column; none where the program is kP."""
        program, r = self.program, self.residues
        if not isinstance(program, CompleteDouble | EndomorphismDouble):
            return {}
        return {
            (program.entries + i, column): r.split(v * r.radix % r.p)
            for i, entry in enumerate(program.fixed)
            for column, v in enumerate(entry)
        }

    def scalars(self, k: int) -> tuple[int, int]:
        """Return a and b of the scalar's port; a is 0 where the program is kP."""
        return divmod(k, 1 << self.curve.n.bit_length())

    def multiple(self, k: int, point: Point) -> Point:
        """Return what the core must answer for a scalar of the port, by the textbook."""
        c = self.curve
        if not self.double:
            return c.mul(k, point)
        a, b = self.scalars(k)
        return c.add(c.mul(a, c.generator), c.mul(b, point))

    def recode(self, k: int) -> WindowRecoding:
        """Return the digits of the port's scalar, the last that is used first."""
        if self.double:
            a, b = self.scalars(k)
            return interleave(self.comb.recode(a), self._recode(b), 1 << (self.window - 1))
        return self._recode(k)

    def _recode(self, k: int) -> WindowRecoding:
        c = self.curve
        if isinstance(c, XLine):
            return swaps(c.decode_scalar(k), c.bits)
        if isinstance(c, EdwardsCurve):
            return corrected(k, -(-c.scalar_bits // self.window), self.window)
        if self.masked:
            return recode_masked(k, c.n, secrets.randbits(self.role_bits))
        if self.endomorphism:
            return self.decomposition.recode(k, self.upward)
        recoded = recode_window(k, self.curve.n, self.window)
        return upward(recoded, self.window) if self.upward else recoded

    def random_factors(self) -> tuple[int, ...]:
        """Return the numbers that a masked point's factor is made of, drawn anew; else none."""
        if not self.masked:
            return ()
        return tuple(secrets.randbits(self.factor_random_bits) << 1 | 1 for _ in range(4))

    @cached_property
    def base(self) -> BasePreset | None:
        """The same core with the program for kG, if it has one beside its own."""
        if not self.columns:
            return None
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return BasePreset(**given | {"name": f"{self.name}-base"})

    @property
    def late(self) -> int:
        """Cycles from the request's program to that of kG: the point is compared before it."""
        return 0

    def graph(self) -> Graph:
        """Return the traced program; raises ValueError for units that cannot run any."""
        if self.batch // self.residues.limb >= self.residues.limbs:
            raise ValueError(f"{self.name}: a matrix of {self.batch} steps does not fit a residue")
        if self.threads > 1:
            self._check_threads()
        if self.units.period < self._least_period:
            raise ValueError(f"{self.name}: a batch of steps is over before its four products")
        return trace(self.program, self.divsteps, self.residues.radix)

    def _check_threads(self) -> None:
        """Raise ValueError for units that do not go round with the threads."""
        if self.kind != "whole":
            raise ValueError(f"{self.name}: threads need a product in every cycle")
        if self.threads <= FETCH:
            raise ValueError(f"{self.name}: one thread, or more than {FETCH}")
        if self.summing >= self.threads:
            raise ValueError(f"{self.name}: a sum takes more than a turn")
        if self.multiplying % self.threads:
            text = f"{self.multiplying} cycles, no multiple of {self.threads} threads"
            raise ValueError(f"{self.name}: a product takes {text}")


@dataclass(frozen=True)
class BasePreset(PrimePreset):
    """The second program of a core with ``columns``: kG for the curve's point G."""

    @property
    def program(self) -> Program:
        """The program; raises ValueError for a comb that has infinity in it."""
        c = self.curve
        assert isinstance(c, PrimeCurve | EdwardsCurve)
        points = tuple(self.comb.points(c))
        if None in points:
            raise ValueError(f"{self.name}: infinity is among the comb's points")
        given: dict[str, Any] = {"comb": points, "groups": self.groups}
        if isinstance(c, EdwardsCurve):
            return EdwardsBase(c.p, c.d, self.window, self.columns, **given)
        if c.a:
            return CompleteBase(c.p, c.a, c.b, self.window, self.columns, 0, **given)
        u, nine_b = small_form(c)
        given |= {"beta": 1, "u": u, "nine_b": nine_b}
        return EndomorphismBase(c.p, c.a, c.b, self.window, self.columns, 0, **given)

    @property
    def comb(self) -> Comb:
        """How k is cut."""
        return Comb(self.curve.n, self.columns, self.groups, True, self.scalar_bits)

    @property
    def late(self) -> int:
        """Cycles from the request's program to that of kG."""
        return LATE

    @property
    def units(self) -> Units:
        """The units; a constant is read from a memory beside the engine, a cycle later."""
        own = super().units
        prepare = self.comb.latency(CHUNK) - LATE
        return replace(own, prepare=prepare, lookup=own.lookup + 1)

    @property
    def fixed(self) -> dict[tuple[int, int], list[int]]:
        """The constants, limbs by entry and column."""
        program, r = self.program, self.residues
        assert isinstance(program, Combs)
        return {
            (i, COLUMNS.index(column)): r.split(v * r.radix % r.p)
            for i, entry in enumerate(program.fixed)
            for column, v in zip(FIXED, entry, strict=True)
        }

    def multiple(self, k: int, point: Point) -> Point:
        """Return kG."""
        return self.curve.mul(k, self.curve.generator)

    def recode(self, k: int) -> WindowRecoding:
        """Return the digits of the port's scalar, the last that is used first."""
        digits = [d for column in self.comb.recode(k) for d in column]
        return WindowRecoding(tuple(reversed(digits)), False, False)
