# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves y^2 + xy = x^3 + ax^2 + b over GF(2^m): the textbook reference.

Affine double-and-add, written for clarity. It shares no code with the accelerator's formulas, which
are tested against it. It is not constant time and not for secrets.

Source: SEC 1 version 2 (2009), 2.2.2 (group law), 2.3.3 (sign of a point).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ecsm.curves.curve import Curve, Point
from ecsm.curves.gf2m.field import BinaryField


@dataclass(frozen=True)
class BinaryCurve(Curve):
    """A curve over GF(2^m) with a generator of prime order.

    Args:
        field: GF(2^m).
        a: coefficient, any field element.
        b: coefficient, not 0.
    """

    equation: ClassVar[str] = "y^2 + xy = x^3 + ax^2 + b"

    field: BinaryField
    a: int
    b: int

    @property
    def field_name(self) -> str:
        """GF(2^m)."""
        return f"GF(2^{self.field.m})"

    @property
    def q(self) -> int:
        """Number of elements of the field, 2^m."""
        return 1 << self.field.m

    def contains(self, point: Point) -> bool:
        """Whether the point is on the curve: infinity is, coordinates outside the field are not."""
        if point is None:
            return True
        x, y = point
        f = self.field
        if not (self.in_field(x) and self.in_field(y)):
            return False
        return f.mul(y, y ^ x) == f.mul(f.sqr(x), x ^ self.a) ^ self.b

    def neg(self, point: Point) -> Point:
        """Return -P = (x, x + y)."""
        return None if point is None else (point[0], point[0] ^ point[1])

    def double(self, point: Point) -> Point:
        """Return 2P; infinity where x = 0, the one point of order two."""
        if point is None or point[0] == 0:
            return None
        x, y = point
        f = self.field
        slope = x ^ f.mul(y, f.inv(x))
        x3 = f.sqr(slope) ^ slope ^ self.a
        return x3, f.sqr(x) ^ f.mul(slope ^ 1, x3)

    def add(self, p: Point, q: Point) -> Point:
        """Return P + Q for any two points of the curve, equal or opposite ones included."""
        if p is None or q is None:
            return q if p is None else p
        if p[0] == q[0]:
            return self.double(p) if p[1] == q[1] else None
        (x1, y1), (x2, y2) = p, q
        f = self.field
        slope = f.mul(y1 ^ y2, f.inv(x1 ^ x2))
        x3 = f.sqr(slope) ^ slope ^ x1 ^ x2 ^ self.a
        return x3, f.mul(slope, x1 ^ x3) ^ x3 ^ y1

    def lift_x(self, x: int) -> tuple[int, int] | None:
        """Return a point with this x, or None where the curve has none."""
        f = self.field
        if x == 0:
            return 0, f.sqrt(self.b)
        z = f.solve_quadratic(x ^ self.a ^ f.mul(self.b, f.sqr(f.inv(x))))
        return None if z is None else (x, f.mul(x, z))

    def sign(self, point: tuple[int, int]) -> int:
        """Return the lowest bit of y/x, and 0 where x = 0, which one point has."""
        x, y = point
        return self.field.mul(y, self.field.inv(x)) & 1 if x else 0
