# SPDX-License-Identifier: Apache-2.0
"""kG over GF(p) for the curve's fixed point G, by combs (:mod:`ecsm.curves.comb`).

G's multiples are constants, affine; on a Weierstrass curve none is infinity. A turn of the loop is
a column: it doubles once and adds one constant for each group of the comb. The multiplier has a
product in each cycle and an addition is two levels of them, so the groups are dealt to two
accumulators. They do not depend on each other and fill the multiplier together. The tail adds them.

The formulas are the complete ones of :mod:`~ecsm.formulas.gfp.complete` (a = -3) and
:mod:`~ecsm.formulas.gfp.endomorphism` (a = 0): an accumulator may be infinity, the constant or its
opposite. The result is (XZ/Z^2, YZ/Z^2). If Z = 0, both are zero, and that is no point of a curve
of odd order, because y = 0 would be a point of order two. So the engine recognises infinity by
y = 0.

On an Edwards curve the law of addition is complete, too, and no multiple of G has y = 0; the
constants are x, y and 2dxy, and infinity, (0, 1), may be among them.

Source of the combs: C. H. Lim, P. J. Lee, "More flexible exponentiation with precomputation",
CRYPTO 1994. Two accumulators: ours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from ecsm.curves.curve import Point
from ecsm.formulas.gfp.algebra import Algebra, V
from ecsm.formulas.gfp.complete import CompleteWeierstrass, Projective
from ecsm.formulas.gfp.double import finish
from ecsm.formulas.gfp.edwards import Edwards, Extended
from ecsm.formulas.gfp.endomorphism import WeierstrassEndomorphism
from ecsm.formulas.gfp.program import Program, Variables
from ecsm.formulas.gfp.weierstrass import State

LANES = 2  # accumulators
FIXED = ("X", "Y", "ZZZ")
"""Columns of the constants. The last one has F = 3 - bX where a = -3, 2dXY on an Edwards curve."""


@dataclass(frozen=True)
class Constant(Generic[V]):
    """An affine constant (x, y), and F = 3 - bx or 2dxy where the program has it."""

    x: V
    y: V
    f: V


@dataclass(frozen=True)
class Pair(Variables[V]):
    """The loop's variables: (x : y : z) of either accumulator."""

    x: V
    y: V
    z: V
    x1: V
    y1: V
    z1: V


@dataclass(frozen=True)
class PairWithB(Variables[V]):
    """The same with bz."""

    x: V
    y: V
    z: V
    bz: V
    x1: V
    y1: V
    z1: V
    bz1: V


@dataclass(frozen=True)
class PairWithT(Variables[V]):
    """(x : y : z) with t = xy/z of either accumulator."""

    x: V
    y: V
    z: V
    t: V
    x1: V
    y1: V
    z1: V
    t1: V


@dataclass(frozen=True, kw_only=True)
class Combs(Program):
    """What the programs share; ``comb`` are G's multiples, for ``groups`` digits in a turn."""

    comb: tuple[Point, ...]
    groups: int

    @property
    @abstractmethod
    def fixed(self) -> list[tuple[int, int, int]]:
        """The comb's points, as an addition takes them: the columns of :data:`FIXED`."""

    @abstractmethod
    def first(self, f: Algebra[V], q: Constant[V]) -> Any:
        """Return a constant as an accumulator."""

    @abstractmethod
    def mixed(self, f: Algebra[V], s: Any, q: Constant[V]) -> Any:
        """Return P + Q for any P and any Q but infinity."""

    @abstractmethod
    def twice(self, f: Algebra[V], s: Any) -> Any:
        """Return 2P for any P, before an addition."""

    @abstractmethod
    def together(self, f: Algebra[V], s: Sequence[Any]) -> Variables[V]:
        """Return the accumulators as the loop keeps them."""

    @abstractmethod
    def apart(self, f: Algebra[V], s: Any) -> list[Any]:
        """Return the accumulators that the loop keeps."""

    @abstractmethod
    def total(self, f: Algebra[V], s: Any, other: Any) -> Any:
        """Return the sum of the accumulators."""

    def signed(self, f: Algebra[V], q: Constant[V]) -> Constant[V]:
        """Return a constant, or its opposite if the digit is negative."""
        return Constant(q.x, f.negate("negative", q.y), q.f)

    def prepare(self, f: Algebra[V], x: V, y: V) -> None:
        """Nothing: no point is read."""

    def _constants(self, f: Algebra[V]) -> Iterator[Constant[V]]:
        """Yield the constants of a column."""
        for i in range(self.groups):
            if i:
                f.next_digit()
            yield self.signed(f, Constant(*(f.lookup(c, True) for c in FIXED)))

    def start(self, f: Algebra[V], x: V, y: V) -> Any:
        """Return the constants of the highest column."""
        del x, y
        s: list[Any] = []
        for i, q in enumerate(self._constants(f)):
            if i < LANES:
                s.append(self.first(f, q))
            else:
                s[i % LANES] = self.mixed(f, s[i % LANES], q)
        return self.together(f, s)

    def step(self, f: Algebra[V], s: Any) -> Any:
        """Double each accumulator, and add a column to them."""
        lanes = [self.twice(f, p) for p in self.apart(f, s)]
        for i, q in enumerate(self._constants(f)):
            lanes[i % LANES] = self.mixed(f, lanes[i % LANES], q)
        return self.together(f, lanes)

    def finish(self, f: Algebra[V], s: Any) -> None:
        """Add the accumulators and answer the affine point."""
        self.affine(f, self.total(f, *self.apart(f, s)))

    @abstractmethod
    def affine(self, f: Algebra[V], s: Any) -> None:
        """Answer the affine point."""


@dataclass(frozen=True, kw_only=True)
class CompleteBase(Combs, CompleteWeierstrass):
    """The program for a = -3."""

    def affine(self, f: Algebra[V], s: State[V]) -> None:
        """Answer the affine point, zeros for infinity."""
        finish(self, f, s, (1, 1))

    @property
    def fixed(self) -> list[tuple[int, int, int]]:
        """The comb's points, with F."""
        return [(x, y, (3 - self.b * x) % self.p) for x, y in filter(None, self.comb)]

    def first(self, f: Algebra[V], q: Constant[V]) -> Projective[V]:
        """Return a constant as an accumulator."""
        one, b = f.sum("1", f.const(1)), f.sum("b", f.const(self.b))
        return Projective(f.sum("X", q.x), f.sum("Y", q.y), f.const(0), one, b)

    def mixed(self, f: Algebra[V], s: State[V], q: Constant[V]) -> State[V]:
        """Return P + Q; 2 levels, 13 products.

        An operand adds two values, so what has three is a sum before.
        """
        y, d = f.sum("Y", s.ya - s.yb), q.x - f.const(self.b)
        c = f.mul("C = Y1Y2", y, q.y)
        u = f.sum("U", 3 * s.x + f.mul("3Z1·D", 3 * s.z, d))
        n = f.mul("3X1·D", s.x, 3 * d) + f.mul("3Z1·F", 3 * s.z, q.f)
        xx = f.mul("X1X2", s.x, q.x)
        v = 3 * f.sum("X1X2-Z1", xx - s.z)
        both = f.mul("(X1+Y1)(X2+Y2)", s.x + y, q.x + q.y)
        e = both - f.sum("X1X2+C", xx + c)
        g = f.sum("G", y + f.mul("Y2Z1", s.z, q.y))
        x = f.sum("X", f.mul("E(C+U)", e, c + u) + f.mul("G·N", g, n))
        ya, yb = f.mul("(C-U)(C+U)", c - u, c + u), f.mul("V·N", v, n)
        z = f.sum("Z", f.mul("G(C-U)", g, c - u) + f.mul("E·V", e, v))
        return State(x, ya, yb, z)

    def twice(self, f: Algebra[V], s: State[V]) -> State[V]:
        """Return 2P, without bZ."""
        return self.double(f, s, last=True)

    def together(self, f: Algebra[V], s: Sequence[State[V]]) -> PairWithB[V]:
        """Return the accumulators with bZ."""
        values = []
        for p in s:
            bz = p.bz if isinstance(p, Projective) else f.mul("bZ", f.const(self.b), p.z)
            values += [p.x, f.sum("Y", p.ya - p.yb), p.z, bz]
        return PairWithB(*values)

    def apart(self, f: Algebra[V], s: Any) -> list[State[V]]:
        """Return the accumulators with bZ."""
        zero = f.const(0)
        return [
            Projective(s.x, s.y, zero, s.z, s.bz), Projective(s.x1, s.y1, zero, s.z1, s.bz1),
        ]  # fmt: skip

    def total(self, f: Algebra[V], s: State[V], other: State[V]) -> State[V]:
        """Return the sum of the accumulators."""
        assert isinstance(other, Projective)
        return self.plus(f, s, self._addend(f, other))


@dataclass(frozen=True, kw_only=True)
class EndomorphismBase(Combs, WeierstrassEndomorphism):
    """The program for a = 0, on the isomorphic curve where 9b is a small power of two."""

    @property
    def fixed(self) -> list[tuple[int, int, int]]:
        """The comb's points on the isomorphic curve."""
        p, u = self.p, self.u
        return [(x * u**2 % p, y * u**3 % p, 0) for x, y in filter(None, self.comb)]

    def affine(self, f: Algebra[V], s: State[V]) -> None:
        """Answer the affine point of the curve itself, zeros for infinity."""
        finish(self, f, s, (pow(self.u, -2, self.p), pow(self.u, -3, self.p)))

    def first(self, f: Algebra[V], q: Constant[V]) -> State[V]:
        """Return a constant as an accumulator."""
        return State(f.sum("X", q.x), f.sum("Y", q.y), f.const(0), f.sum("1", f.const(1)))

    def mixed(self, f: Algebra[V], s: State[V], q: Constant[V]) -> State[V]:
        """Return P + Q; 2 levels, 11 products.

        The sum's coordinates are nine times those of ``join``: 9bZ1 and 9b(X1 + X2Z1) are free.
        """
        y = f.sum("Y", s.ya - s.yb)
        a, c = f.mul("A = X1X2", s.x, q.x), f.mul("C = Y1Y2", y, q.y)
        both = f.mul("(X1+Y1)(X2+Y2)", s.x + y, q.x + q.y)
        e = f.sum("E", both - f.sum("A+C", a + c))
        g = f.sum("G", y + f.mul("Y2Z1", s.z, q.y))
        h = f.sum("H", s.x + f.mul("X2Z1", s.z, q.x))
        return self.joined(f, a, c, s.z, e, g, h)

    def twice(self, f: Algebra[V], s: State[V]) -> State[V]:
        """Return 2P."""
        return self.double(f, s)

    def together(self, f: Algebra[V], s: Sequence[State[V]]) -> Pair[V]:
        """Return the accumulators."""
        return Pair(*(v for p in s for v in (p.x, f.sum("Y", p.ya - p.yb), p.z)))

    def apart(self, f: Algebra[V], s: Any) -> list[State[V]]:
        """Return the accumulators."""
        zero = f.const(0)
        return [State(s.x, s.y, zero, s.z), State(s.x1, s.y1, zero, s.z1)]

    def total(self, f: Algebra[V], s: State[V], other: State[V]) -> State[V]:
        """Return the sum of the accumulators."""
        return self.join(f, s, self._scaled(f, other.x, other.ya, other.z))


@dataclass(frozen=True, kw_only=True)
class EdwardsBase(Combs, Edwards):
    """The program on an Edwards curve."""

    def affine(self, f: Algebra[V], s: Extended[V]) -> None:
        """Answer the affine point."""
        Edwards.affine(self, f, s)

    @property
    def fixed(self) -> list[tuple[int, int, int]]:
        """The comb's points, with 2dxy."""
        return [(x, y, 2 * self.d * x * y % self.p) for x, y in filter(None, self.comb)]

    def signed(self, f: Algebra[V], q: Constant[V]) -> Constant[V]:
        """Return a constant, or its opposite if the digit is negative."""
        return Constant(f.negate("negative", q.x), q.y, f.negate("negative", q.f))

    def first(self, f: Algebra[V], q: Constant[V]) -> Extended[V]:
        """Return a constant as an accumulator."""
        x = f.sum("X", q.x)
        return Extended(x, f.sum("Y", q.y), f.sum("1", f.const(1)), f.mul("XY", x, q.y))

    def mixed(self, f: Algebra[V], s: Extended[V], q: Constant[V]) -> Extended[V]:
        """Return P + Q; 2 levels, 7 products."""
        c = f.mul("C = T1·2dT2", s.t, q.f)
        a = f.mul("A = (Y1-X1)(y2-x2)", s.y - s.x, q.y - q.x)
        b = f.mul("B = (Y1+X1)(y2+x2)", s.y + s.x, q.y + q.x)
        return self.joined(f, a, b, c, 2 * s.z)

    def twice(self, f: Algebra[V], s: Extended[V]) -> Extended[V]:
        """Return 2P."""
        return self.double(f, s)

    def together(self, f: Algebra[V], s: Sequence[Extended[V]]) -> PairWithT[V]:
        """Return the accumulators."""
        return PairWithT(*(v for p in s for v in p.values()))

    def apart(self, f: Algebra[V], s: Any) -> list[Extended[V]]:
        """Return the accumulators."""
        values = s.values()
        return [Extended(*values[:4]), Extended(*values[4:])]

    def total(self, f: Algebra[V], s: Extended[V], other: Extended[V]) -> Extended[V]:
        """Return the sum of the accumulators."""
        return self.add(f, s.addend(), other.addend(), product=False)
