# SPDX-License-Identifier: Apache-2.0
"""Addition, doubling and kP for every input, for machines that execute one step at a time.

The curve is y^2 + xy = x^3 + a x^2 + b, b not 0. The point (0, 0) is on no such curve, and means
infinity in inputs and results. For a point that is not on the curve the flag ``off`` is true and
the result is (0, 0).

Conditions that no test sets are conjunctions of two others: the ``DERIVED`` table of a formula.
Source: D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", section
3.1.2, its cases decided by conditions instead of branches.
"""

from __future__ import annotations

from ecsm.formulas.gf2m.algebra import Algebra, V, sqr
from ecsm.formulas.gf2m.points import Affine, invert

Condition = tuple[str, bool]
Derived = dict[str, tuple[Condition, Condition]]

_INFINITE: Derived = {
    "infinite": (("x3zero", True), ("y3zero", True)),
    "nowhere": (("infinite", True), ("off", False)),
}


def _not_on(flag: str, curve: str, infinity: str) -> Derived:
    """Return that a point is off the curve: the equation does not hold, and it is not infinity."""
    return {flag: ((curve, False), (infinity, False))}


LADDER_DERIVED: Derived = {
    "infinity": (("xzero", True), ("yzero", True)),
    **_not_on("off", "curve", "infinity"),
    "affine": (("curve", True), ("z1", False)),
    "negate": (("affine", True), ("z2", True)),
    **_INFINITE,
}
"""For :class:`ecsm.formulas.gf2m.ladder.Ladder`, whose tests are ``curve``, ``z1`` and ``z2``."""

DOUBLE_DERIVED: Derived = {
    "infinity": (("xzero", True), ("yzero", True)),
    **_not_on("off", "curve", "infinity"),
    "finite": (("curve", True), ("xzero", False)),
    **_INFINITE,
}

ADD_DERIVED: Derived = {
    "infinity": (("xzero", True), ("yzero", True)),
    "infinity2": (("x2zero", True), ("y2zero", True)),
    **_not_on("off1", "curve", "infinity"),
    **_not_on("off2", "curve2", "infinity2"),
    "valid": (("off1", False), ("off2", False)),
    "off": (("valid", False), ("", True)),
    "same": (("samex", True), ("samey", True)),
    "opposite": (("samex", True), ("samey", False)),
    "ordertwo": (("same", True), ("xzero", True)),
    "some": (("opposite", False), ("ordertwo", False)),
    "both": (("infinity", False), ("infinity2", False)),
    "rational": (("some", True), ("both", True)),
    "finite": (("rational", True), ("valid", True)),
    "first": (("infinity2", True), ("valid", True)),
    "second": (("infinity", True), ("valid", True)),
    **_INFINITE,
}
"""``both``: both points are finite. The sum of P and infinity is P."""


def check(f: Algebra[V], name: str, a: int, b: int, p: Affine[V]) -> None:
    """Set the flag ``name`` to whether P is on the curve."""
    x, y = p
    cubic = f.mul("x(x²+y)", x, sqr(f, x) + y)
    f.test(name, cubic + sqr(f, y) + f.scale("a·x²", a, sqr(f, x)) + f.const(b))


def answer(f: Algebra[V], p: Affine[V]) -> Affine[V]:
    """Return the point, and test whether it means infinity."""
    x, y = f.hold("x3", p[0]), f.hold("y3", p[1])
    f.test("x3zero", x)
    f.test("y3zero", y)
    return x, y


def double(f: Algebra[V], a: int, b: int, p: Affine[V]) -> Affine[V]:
    """Return 2P. 1 inversion, 3 products and one with a."""
    x, y = p
    check(f, "curve", a, b, p)
    f.test("xzero", x)
    f.test("yzero", y)
    slope = f.hold("λ", x + f.mul("y/x", y, invert(f, x)))
    x3 = f.hold("x3", sqr(f, slope) + slope + f.const(a))
    y3 = sqr(f, x) + f.mul("(λ+1)x3", slope + f.const(1), x3)
    finite, zero = ("finite", 0), f.const(0)
    return answer(f, (f.select(finite, x3, zero), f.select(finite, y3, zero)))


def add(f: Algebra[V], a: int, b: int, p: Affine[V], q: Affine[V]) -> Affine[V]:
    """Return P + Q. 1 inversion, 4 products and two with a.

    With x1 = x2 the slope is that of the tangent, (x^2 + y)/x, and x1 + x2 is 0 in x3.
    """
    (x1, y1), (x2, y2) = p, q
    check(f, "curve", a, b, p)
    check(f, "curve2", a, b, q)
    for name, v in (("xzero", x1), ("yzero", y1), ("x2zero", x2), ("y2zero", y2)):
        f.test(name, v)
    dx, dy = f.hold("x1+x2", x1 + x2), f.hold("y1+y2", y1 + y2)
    f.test("samex", dx)
    f.test("samey", dy)
    same, zero = ("samex", 0), f.const(0)
    rise = f.select(same, f.hold("x²+y", sqr(f, x1) + y1), dy)
    run = f.select(same, x1, dx)
    slope = f.mul("λ", rise, invert(f, run))
    x3 = f.hold("x3", sqr(f, slope) + slope + dx + f.const(a))
    y3 = f.hold("y3", f.mul("λ(x1+x3)", slope, x1 + x3) + x3 + y1)

    def chosen(v3: V, v1: V, v2: V) -> V:
        first = f.select(("first", 0), v1, zero)
        second = f.select(("second", 0), v2, zero)
        return f.select(("finite", 0), v3, zero) + first + second

    return answer(f, (chosen(x3, x1, x2), chosen(y3, y1, y2)))
