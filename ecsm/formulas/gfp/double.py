# SPDX-License-Identifier: Apache-2.0
"""aG + bP over GF(p), as needed to verify a signature, in about the time of kP.

bP is computed as in the program of kP. Its chain of products leaves the multiplier idle for two
cycles of five. In these, aG is computed in an accumulator of its own. a is recoded to the digits of
a comb (:mod:`ecsm.curves.comb`) with as many columns as b has windows. So one iteration of the loop
doubles that accumulator once and adds once for each group of the comb. G's multiples are constants;
in the table they follow the entries of P. The tail adds the two accumulators.

The digits of an iteration come in this order: those of the comb, the highest group first, then b's.

The formulas are complete: they are right for any two points, including infinity. So a = 0, b = 0,
P = +-G, aG = +-bP and P = infinity, which is (0 : 1 : 0) in the table, are no special cases.
The result is (XZ/Z^2, YZ/Z^2). If Z = 0, both are zero, and that is no point of a curve of odd
order, because y = 0 would be a point of order two. So the engine recognises infinity by y = 0.

Source of interleaving: E. G. Straus, "Addition chains of vectors", 1964; B. Moeller, "Algorithms
for multi-exponentiation", SAC 2001. Two accumulators, one of them a comb's: ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ecsm.curves.curve import Point
from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.complete import Addend, CompleteWeierstrass, Projective
from ecsm.formulas.gfp.endomorphism import Multiple, WeierstrassEndomorphism
from ecsm.formulas.gfp.weierstrass import COLUMNS, State, Weierstrass

Entry = tuple[int, ...]  # a fixed point by columns of the table
S = TypeVar("S")  # an accumulator
Q = TypeVar("Q")  # an entry


@dataclass(frozen=True)
class Both(State[V]):
    """The accumulator of bP, and that of aG: (gx : gy : gz)."""

    gx: V
    gy: V
    gz: V


@dataclass(frozen=True)
class BothProjective(Projective[V]):
    """The same with bZ of either."""

    gx: V
    gy: V
    gz: V
    gbz: V


def _or_infinity(f: Algebra[V], x: V, y: V) -> tuple[V, V, V]:
    """Return (x : y : 1), or (0 : 1 : 0) where the point is infinity."""
    return (
        f.sum("x or 0", f.select("infinity", x, f.const(0))),
        f.sum("y or 1", f.select("infinity", y, f.const(1))),
        f.sum("1 or 0", f.select("infinity", f.const(1), f.const(0))),
    )


def _signed(f: Algebra[V], fixed: bool) -> tuple[V, V, V, V, V]:
    """Return the columns of the digit's entry, Y negated if the digit is negative."""
    x, y, *rest = (f.lookup(c, fixed) for c in COLUMNS)
    z, zz, zzz = rest
    return x, f.negate("negative", y), z, zz, zzz


def _column(
    f: Algebra[V],
    join: Callable[[Algebra[V], S, Q], S],
    entry: Callable[[V, V, V, V, V], Q],
    g: S,
    count: int,
) -> S:
    """Add the entries of the comb's next digits, so many, to aG's accumulator."""
    for _ in range(count):
        g = join(f, g, entry(*_signed(f, fixed=True)))
        f.next_digit()
    return g


def _affine(comb: Sequence[Point]) -> list[tuple[int, int, int]]:
    return [(0, 1, 0) if point is None else (*point, 1) for point in comb]


def finish(program: Weierstrass, f: Algebra[V], s: State[V], back: tuple[int, int]) -> None:
    """Answer x and y times the constants ``back``, both zero for infinity."""
    inverse = program.inverse(f, s.z)
    square = f.mul("Z⁻²", inverse, inverse)
    for name, c, v in zip("xy", back, (s.x, s.ya - s.yb), strict=True):
        scaled = f.mul(f"{name.upper()} back", f.const(c), v)
        affine = f.mul(f"{name.upper()}Z·Z⁻²", f.mul(f"{name.upper()}Z", scaled, s.z), square)
        program.answer(f, name, affine)


@dataclass(frozen=True, kw_only=True)
class CompleteDouble(CompleteWeierstrass):
    """The program for a = -3; ``comb`` are G's multiples, for ``groups`` digits in a turn."""

    comb: tuple[Point, ...]
    groups: int = 1

    @property
    def fixed(self) -> list[Entry]:
        """The comb's points, as an addition takes them."""
        return [
            tuple(v % self.p for v in (x, y, z, x - self.b * z, 3 * z - self.b * x))
            for x, y, z in _affine(self.comb)
        ]

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation and fill the table with the odd multiples of the point."""
        self.check(f, x, y)
        x, y, z = _or_infinity(f, x, y)
        bz = f.sum("b or 0", f.select("infinity", f.const(self.b), f.const(0)))
        self._fill(f, Projective(x, y, f.const(0), z, bz))

    def _first(self, f: Algebra[V], fixed: bool) -> Projective[V]:
        """Return the entry of the digit as an accumulator."""
        x, y, z, d, _ = _signed(f, fixed)
        return Projective(
            f.sum("X", x), f.sum("Y", y), f.const(0), f.sum("Z", z), f.sum("bZ", x - d)
        )

    def _both(self, f: Algebra[V], s: Projective[V], g: Projective[V]) -> BothProjective[V]:
        y = f.sum("G's Y", g.ya - g.yb)
        return BothProjective(s.x, s.ya, s.yb, s.z, s.bz, g.x, y, g.z, g.bz)

    def start(self, f: Algebra[V], x: V, y: V) -> Projective[V]:
        """Return the entries of the highest digits."""
        del x, y
        g = self._first(f, fixed=True)
        f.next_digit()
        g = _column(f, self.join, Addend, g, self.groups - 1)
        s = self._first(f, fixed=False)
        return self._both(f, replace(s, yb=f.sum("0", s.yb)), g)

    def step(self, f: Algebra[V], s: State[V]) -> Projective[V]:
        """One window of b, one column of a."""
        assert isinstance(s, BothProjective)
        g = Projective(s.gx, s.gy, f.const(0), s.gz, s.gbz)
        g = _column(f, self.join, Addend, self.double(f, g, last=True), self.groups)
        p: Projective[V] = s
        for i in range(self.window):
            p = self.double(f, p, last=i == self.window - 1)
        return self._both(f, self.join(f, p, Addend(*_signed(f, fixed=False))), g)

    def finish(self, f: Algebra[V], s: State[V]) -> None:
        """Add the accumulators and answer the affine point."""
        assert isinstance(s, BothProjective)
        g = Projective(s.gx, s.gy, f.const(0), s.gz, s.gbz)
        finish(self, f, self.join(f, s, self._addend(f, g)), (1, 1))


@dataclass(frozen=True, kw_only=True)
class EndomorphismDouble(WeierstrassEndomorphism):
    """The program for a = 0, b in two halves; ``comb`` and ``groups`` as above."""

    comb: tuple[Point, ...]
    groups: int = 2

    @property
    def fixed(self) -> list[Entry]:
        """The comb's points on the isomorphic curve, as an addition takes them."""
        three_b = self.nine_b * pow(3, -1, self.p)
        points = ((x * self.u**2, y * self.u**3, z) for x, y, z in _affine(self.comb))
        return [
            tuple(v % self.p for v in (x, y, z, three_b * z, three_b * x)) for x, y, z in points
        ]

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Check the curve equation and fill the table with the odd multiples of the point."""
        self.check(f, x, y)
        x, y, z = _or_infinity(f, x, y)
        u2, u3 = f.const(self.u**2), f.const(self.u**3)
        self._fill(f, State(f.mul("u²x", u2, x), f.mul("u³y", u3, y), f.const(0), z))

    def _both(self, f: Algebra[V], s: State[V], g: State[V]) -> Both[V]:
        x, y, z = f.sum("G's X", g.x), f.sum("G's Y", g.ya - g.yb), f.sum("G's Z", g.z)
        return Both(f.sum("X", s.x), s.ya, s.yb, f.sum("Z", s.z), x, y, z)

    def start(self, f: Algebra[V], x: V, y: V) -> State[V]:
        """Return the entries of the highest digits, but for k2's."""
        gx, gy, gz, _, _ = _signed(f, fixed=True)
        f.next_digit()
        g = State(f.sum("X", gx), f.sum("Y", gy), f.const(0), f.sum("Z", gz))
        g = _column(f, self.join, Multiple, g, self.groups - 1)
        return self._both(f, super().start(f, x, y), g)

    def step(self, f: Algebra[V], s: State[V]) -> State[V]:
        """The image for k2's digit, a column of a, w doublings, the entry of k1's next digit."""
        assert isinstance(s, Both)
        g = State(s.gx, s.gy, f.const(0), s.gz)
        p = self.join(f, s, self._signed(f, image=True))
        f.next_digit()
        g = _column(f, self.join, Multiple, self.double(f, g), self.groups)
        for _ in range(self.window):
            p = self.double(f, p)
        return self._both(f, self.join(f, p, self._signed(f)), g)

    def finish(self, f: Algebra[V], s: State[V]) -> None:
        """Add the image for k2's lowest digit, then the accumulators; answer the affine point."""
        assert isinstance(s, Both)
        p = self.join(f, s, self._signed(f, image=True))
        p = self.join(f, p, self._scaled(f, s.gx, s.gy, s.gz))
        back = (pow(self.u, -2, self.p), pow(self.u, -3, self.p))
        finish(self, f, replace(p, z=f.sum("Z", p.z)), back)
