# SPDX-License-Identifier: Apache-2.0
"""A step of X25519's Montgomery ladder in few products, for machines that do one after another.

On v^2 = u^3 + A u^2 + u a point is (X : Z) with u = X/Z. With sums and differences s = X + Z and
d = X - Z of two points that differ by the point (u : 1)::

    their sum:   (d1 s0 + s1 d0)^2  :  u (d1 s0 - s1 d0)^2
    a double:    s^2 d^2            :  E (s^2 + c E),  E = s^2 - d^2,  c = (A - 2)/4

The sum does not change if the points are exchanged. The formulas are right for every u, also for
points of the twist and of small order, and for infinity (1 : 0).

:mod:`~ecsm.formulas.gfp.xladder` is the same in two levels, for machines with some multipliers.

Source: RFC 7748, 5; P. Montgomery, "Speeding the Pollard and elliptic curve methods of
factorization", Math. Comp. 48 (1987), 10.3.1.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

V = TypeVar("V", bound="Value")


class Value(Protocol):
    """A number of the field."""

    def __add__(self: V, other: V) -> V: ...
    def __sub__(self: V, other: V) -> V: ...
    def __rmul__(self: V, k: int) -> V: ...


class Algebra(Protocol[V]):
    """What formulas are written with."""

    def mul(self, name: str, a: V, b: V) -> V:
        """Return a product."""
        ...

    def sum(self, name: str, v: V) -> V:
        """Return a value as a number of its own."""
        ...


def halves(f: Algebra[V], x: V, z: V) -> tuple[V, V]:
    """Return X + Z and X - Z."""
    return f.sum("X+Z", x + z), f.sum("X-Z", x - z)


def added(f: Algebra[V], u: V, s0: V, d0: V, s1: V, d1: V) -> tuple[V, V]:
    """Return the sum of two points."""
    one, other = f.mul("d1·s0", d1, s0), f.mul("s1·d0", s1, d0)
    plus, minus = one + other, one - other
    return f.mul("X = plus²", plus, plus), f.mul("Z = u·minus²", u, f.mul("minus²", minus, minus))


def doubled(f: Algebra[V], c: int, s: V, d: V) -> tuple[V, V]:
    """Return the double of a point; ``c``: (A - 2)/4."""
    ss, dd = f.mul("s²", s, s), f.mul("d²", d, d)
    e = f.sum("E", ss - dd)
    return f.mul("X = s²d²", ss, dd), f.mul("Z = E(s² + cE)", e, ss + c * e)


def square(f: Algebra[V], a: int, one: V, u: V) -> V:
    """Return u^3 + A u^2 + u, which is a square for points of the curve."""
    return f.mul("u³ + Au² + u", u, f.mul("u²", u, u) + a * u + one)
