# SPDX-License-Identifier: Apache-2.0
"""Lopez-Dahab Montgomery ladder over GF(2^m), any base point, affine result, every scalar.

The two points of the ladder are named by their role: S is the sum of the last step, D is the
double. A step doubles the point that the scalar bit selects: D if the bit equals the bit above it,
S if it differs. So a step needs only the recoded bit key_i = k_i xor k_(i+1), with k_m = 0. One
more recoded bit after the last (key = k_0) tells which of S and D is kP and which is (k+1)P.

The Z coordinates are stored as square roots: Zs = ts^2 with ts = A + B, Zd = cd^2 with cd = C,
because squares are free (linear) at the multiplier's operand. A machine with few maps stores the
Z coordinates themselves (``z_roots=False``). Then no form of the program has a power above v^2,
except for the maps of the preset.

``check``: the answer's curve equation is tested, too.

``masked``: the ladder starts from S = (x : 1) and D = (r : 0) with a random r; after a step with
the key 0, Z of both points has the factor r, and each later step keeps it random. S and D have no
places of their own: of the two places U and V a random bit a step, the role, says which one S is
written to (0: U). A step then needs the key xor the role: whether it doubles the point in U. So no
value and no choice of a place depends on the scalar alone, but for the answer. The first points are
those of the scalar only if its highest bit is 1 (:func:`ecsm.curves.gf2m.masked.offset`).

Source: J. Lopez, R. Dahab, "Fast multiplication on elliptic curves over GF(2^m) without
precomputation", CHES 1999, Algorithm 2P. The start from infinity and the result for every input are
ours (docs/theory/binary.md has the argument).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Generic

from ecsm.formulas.gf2m.algebra import Algebra, V, sqr
from ecsm.formulas.gf2m.graph import RESULT
from ecsm.formulas.gf2m.inversion import itoh_tsujii


@dataclass(frozen=True)
class State(Generic[V]):
    """S = (xs : ts^2), the last sum, and D = (xd : cd^2), the last double; x = X/Z.

    With ``z_roots=False``, ts and cd are the Z coordinates themselves.
    """

    xs: V
    ts: V
    xd: V
    cd: V

    def values(self) -> list[V]:
        """Return the four values in the order of the fields."""
        return [getattr(self, f.name) for f in fields(self)]


@dataclass(frozen=True)
class Ladder:
    """kP on y^2 + xy = x^3 + a x^2 + b; ``a`` and ``b`` are integers below 2^m.

    ``z_roots``: store the square roots of the Z coordinates, and compute v^4 and v^8 in one map.
    """

    a: int
    b: int
    z_roots: bool = True
    check: bool = False
    masked: bool = False

    def _z(self, f: Algebra[V], s: State[V]) -> tuple[V, V]:
        return (sqr(f, s.ts), sqr(f, s.cd)) if self.z_roots else (s.ts, s.cd)

    def _fourth(self, f: Algebra[V], name: str, v: V) -> V:
        """Return v^4: one map with ``z_roots``, else whatever the preset's maps need for it."""
        return f.frob(v, 2) if self.z_roots else f.power(name, v, 2)

    def start(self, f: Algebra[V], x: V) -> State[V]:
        """State before any bit: S = P, D = infinity."""
        return State(xs=x, ts=f.const(1), xd=f.const(1), cd=f.const(0))

    def masked_start(self, f: Algebra[V], x: V, r: V) -> State[V]:
        """State before a step with the key 0: S = P, and D = infinity as (r : 0)."""
        return State(xs=x, ts=f.const(1), xd=r, cd=f.const(0))

    def step(self, f: Algebra[V], s: State[V], i: int, x: V) -> State[V]:
        """One scalar bit: S' = S + D (their difference is P), D' = 2S if key_i else 2D.

        A masked ladder has the point in U in the place of S, and the one in V in that of D.
        """
        key = ("key", i)
        zs, zd = self._z(f, s)
        a = f.mul("A = Xs·Zd", s.xs, zd)
        b = f.mul("B = Xd·Zs", s.xd, zs)
        xk, zk = f.select(key, s.xs, s.xd), f.select(key, zs, zd)
        c = f.mul("C = Xk·Zk", xk, zk)
        if self.z_roots:
            ts, cd = f.hold("T = A+B", a + b), c
            zsum = sqr(f, ts)
        else:
            ts = zsum = f.hold("Zs = (A+B)²", sqr(f, a + b))
            cd = f.hold("Zd = C²", sqr(f, c))
        d = f.mul("D = A·B", a, b)
        e = f.mul("E = x·T²", x, zsum)
        xk4, zk4 = self._fourth(f, "Xk⁴", xk), self._fourth(f, "Zk⁴", zk)
        xs = d + e if self.masked else f.hold("Xs = D+E", d + e)
        xd = f.hold("Xd = Xk⁴+bZk⁴", xk4 + f.scale("b·Zk⁴", self.b, zk4))
        after = State(xs, ts, xd, cd)
        return self._placed(f, after, i) if self.masked else after

    def _placed(self, f: Algebra[V], s: State[V], i: int) -> State[V]:
        """Write S to U and D to V if role_i is 0, else the other way."""
        role = ("role", i)
        return State(
            xs=f.hold("Xu", f.select(role, s.xd, s.xs)),
            ts=f.hold("Zu", f.select(role, s.cd, s.ts)),
            xd=f.hold("Xv", f.select(role, s.xs, s.xd)),
            cd=f.hold("Zv", f.select(role, s.ts, s.cd)),
        )

    def finish(self, f: Algebra[V], s: State[V], i: int, x: V, y: V) -> tuple[V, V]:
        """Affine kP from the last state: y-recovery with one inversion, of g = x·Z1·Z2.

        With (X1 : Z1) = kP, (X2 : Z2) = (k+1)P and V = 1/g:
        x1 = X1·(xZ2)·V and y1 = y + F·N·V^2, where F = (X1 + xZ1)·xZ2 and
        N = (X1 + xZ1)(X2 + xZ2) + (x^2 + y)·Z1·Z2. V^2 is linear, so both last products are in
        one level. If x, Z1 or Z2 is zero then V = 0 and both products are zero: kP is infinity if
        Z1 = 0 and -P if Z2 = 0; for x = 0 (order two) one of the two is always so.
        """
        key = ("key", i)
        zs, zd = self._z(f, s)
        xzs, xzd = f.mul("E = x·T²", x, zs), f.mul("x·Zd", x, zd)
        x1, x2 = f.select(key, s.xs, s.xd), f.select(key, s.xd, s.xs)
        xz1, xz2 = f.select(key, xzs, xzd), f.select(key, xzd, xzs)
        diff = f.hold("X1+xZ1", x1 + xz1)
        other = f.hold("xZ2", xz2)
        beta = itoh_tsujii(f, f.mul("g = xZs·Zd", xzs, zd))
        u = f.mul("U = X1·xZ2", x1, other)
        f1 = f.mul("F = (X1+xZ1)·xZ2", diff, other)
        g1 = f.mul("G = (X1+xZ1)(X2+xZ2)", diff, x2 + xz2)
        w = f.mul("W = Zs·Zd", zs, zd)
        xy = sqr(f, x) + y
        h = f.mul("H = (x²+y)·W", xy, w)
        p = f.mul("FN = F·(G+H)", f1, g1 + h)
        f.test("curve", self._equation(f, "Q = x·(x²+y)", x, y))
        f.test("z1", f.select(key, s.ts, s.cd))
        f.test("z2", f.select(key, s.cd, s.ts))
        zero = f.const(0)
        affine, negate = ("affine", 0), ("negate", 0)
        minus_x = f.select(negate, x, zero)
        vx = f.mul("x1 = U·V", u, sqr(f, beta))
        vy = f.mul("y1 = FN·V²", p, self._fourth(f, "V²", beta))
        out_x = f.hold("out.x", f.select(affine, vx, zero) + minus_x)
        out_y = f.hold("out.y", f.select(affine, vy + y, zero) + minus_x)
        if self.check:
            f.test(RESULT, self._equation(f, "Q1 = x1·(x1²+y1)", out_x, out_y))
        return out_x, out_y

    def _equation(self, f: Algebra[V], name: str, x: V, y: V) -> V:
        """Return what is zero if and only if (x, y) is on the curve."""
        cubic = f.mul(name, x, sqr(f, x) + y)
        return cubic + sqr(f, y) + f.scale("a·x²", self.a, sqr(f, x)) + f.const(self.b)
