# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves y^2 = x^3 + ax + b over GF(p), p > 3: the textbook reference.

Affine double-and-add, written for clarity. It shares no code with the accelerator's formulas, which
are tested against it. It is not constant time and not for secrets.

Source: SEC 1 version 2 (2009), 2.2.1 (group law), 2.3.3 (sign of a point).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ecsm.curves.curve import Curve, Point


@dataclass(frozen=True)
class PrimeFieldCurve(Curve):
    """A curve over GF(p) of any form; ``p`` is a prime above 3."""

    p: int

    @property
    def q(self) -> int:
        """Number of elements of the field, p."""
        return self.p

    @property
    def field_name(self) -> str:
        """GF(p) with as many bits as p has."""
        return f"GF(p), p of {self.p.bit_length()} bits"

    @property
    def scalar_bits(self) -> int:
        """Bits of a scalar that a core takes."""
        return self.n.bit_length()


@dataclass(frozen=True)
class PrimeCurve(PrimeFieldCurve):
    """A curve over GF(p) with a generator of prime order.

    Args:
        a: coefficient, 0 <= a < p.
        b: coefficient, 0 <= b < p, with 4a^3 + 27b^2 not 0.
    """

    equation: ClassVar[str] = "y^2 = x^3 + ax + b"

    a: int
    b: int

    def _cubic(self, x: int) -> int:
        return (x * x * x + self.a * x + self.b) % self.p

    def contains(self, point: Point) -> bool:
        """Whether the point is on the curve: infinity is, coordinates outside the field are not."""
        if point is None:
            return True
        x, y = point
        return self.in_field(x) and self.in_field(y) and y * y % self.p == self._cubic(x)

    def neg(self, point: Point) -> Point:
        """Return -P = (x, -y)."""
        return None if point is None else (point[0], -point[1] % self.p)

    def double(self, point: Point) -> Point:
        """Return 2P; infinity where y = 0, the points of order two."""
        if point is None or point[1] == 0:
            return None
        x, y = point
        return self._chord(point, x, (3 * x * x + self.a) * pow(2 * y, -1, self.p))

    def add(self, p: Point, q: Point) -> Point:
        """Return P + Q for any two points of the curve, equal or opposite ones included."""
        if p is None or q is None:
            return q if p is None else p
        (x1, y1), (x2, y2) = p, q
        if x1 == x2:
            return self.double(p) if y1 == y2 else None
        return self._chord(p, x2, (y2 - y1) * pow(x2 - x1, -1, self.p))

    def _chord(self, p: tuple[int, int], x2: int, slope: int) -> tuple[int, int]:
        """Return minus the third point of the line through p, whose second point has ``x2``."""
        x1, y1 = p
        x3 = (slope * slope - x1 - x2) % self.p
        return x3, (slope * (x1 - x3) - y1) % self.p

    def lift_x(self, x: int) -> tuple[int, int] | None:
        """Return a point with this x, or None where the curve has none."""
        y = square_root(self._cubic(x), self.p)
        return None if y is None else (x, y)

    def sign(self, point: tuple[int, int]) -> int:
        """Return the lowest bit of y."""
        return point[1] & 1


def square_root(v: int, p: int) -> int | None:
    """Return a square root of v modulo an odd prime p, None where there is none.

    Source: D. Shanks (1973), "Five number-theoretic algorithms".
    """
    if v == 0:
        return 0
    if pow(v, (p - 1) // 2, p) != 1:
        return None
    odd, twos = p - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    z = next(z for z in range(2, p) if pow(z, (p - 1) // 2, p) == p - 1)
    step, root, rest = pow(z, odd, p), pow(v, (odd + 1) // 2, p), pow(v, odd, p)
    while rest != 1:  # root^2 = v * rest, and the order of rest is a power of two below 2^twos
        order, square = 0, rest
        while square != 1:
            order, square = order + 1, square * square % p
        factor = pow(step, 1 << (twos - order - 1), p)
        step = factor * factor % p
        root, rest, twos = root * factor % p, rest * step % p, order
    return root
