# SPDX-License-Identifier: Apache-2.0
"""Twisted Edwards curves -x^2 + y^2 = 1 + d x^2 y^2 over GF(p): the textbook reference.

-1 is a square and d is not. So the law of addition has no exceptions, every point is affine, and
the neutral element is (0, 1). Like :mod:`ecsm.curves.gfp.weierstrass` it is not constant time and
not for secrets.

Source: D. Bernstein, P. Birkner, M. Joye, T. Lange, C. Peters, "Twisted Edwards curves",
AFRICACRYPT 2008, section 6; RFC 8032, 5.1 (encoding).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ecsm.curves.curve import Point, PointEncodingError
from ecsm.curves.gfp.weierstrass import PrimeFieldCurve, square_root


@dataclass(frozen=True)
class EdwardsCurve(PrimeFieldCurve):
    """A complete twisted Edwards curve with a = -1 and a generator of prime order.

    Infinity, None, is not a point of it. If it is an argument, the result is infinity.

    Args:
        p: prime, 1 modulo 4.
        d: coefficient, no square.

    Raises:
        ValueError: the law of addition is not complete.
    """

    equation: ClassVar[str] = "-x^2 + y^2 = 1 + dx^2y^2"

    d: int

    def __post_init__(self) -> None:
        if square_root(self.p - 1, self.p) is None or square_root(self.d, self.p) is not None:
            raise ValueError(f"{self.name}: -1 must be a square and d none")

    @property
    def coefficients(self) -> dict[str, int]:
        """The d of the equation."""
        return {"d": self.d}

    @property
    def neutral(self) -> Point:
        """The neutral element."""
        return (0, 1)

    @property
    def scalar_bits(self) -> int:
        """Bits of a scalar that a core takes: any number of as many octets as a coordinate."""
        return 8 * self.octets

    def contains(self, point: Point) -> bool:
        """Whether the point is on the curve."""
        if point is None:
            return False
        x, y = point
        xx, yy = x * x, y * y
        on = (yy - xx - 1 - self.d * xx * yy) % self.p == 0
        return self.in_field(x) and self.in_field(y) and on

    def neg(self, point: Point) -> Point:
        """Return -P = (-x, y)."""
        return None if point is None else (-point[0] % self.p, point[1])

    def double(self, point: Point) -> Point:
        """Return 2P."""
        return self.add(point, point)

    def add(self, p: Point, q: Point) -> Point:
        """Return P + Q for any two points."""
        if p is None or q is None:
            return None
        (x1, y1), (x2, y2) = p, q
        product = self.d * x1 * x2 * y1 * y2
        x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, self.p)
        y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, self.p)
        return x % self.p, y % self.p

    def mul(self, k: int, point: Point) -> Point:
        """Return kP for any integer k and any point of the curve."""
        return None if point is None else super().mul(k, point)

    def lift_x(self, x: int) -> tuple[int, int] | None:
        """Return a point with this x, or None where the curve has none."""
        y = self._root(1 + x * x, 1 - self.d * x * x)
        return None if y is None else (x, y)

    def _root(self, above: int, below: int) -> int | None:
        """Return a square root of a fraction."""
        return square_root(above * pow(below, -1, self.p) % self.p, self.p)

    def points(self) -> Iterator[Point]:
        """Yield all n*h points in order of x.

        Raises ValueError: the field has more than 2^16 elements.
        """
        self._require_toy()
        for x in range(self.p):
            if point := self.lift_x(x):
                yield from ((x, y) for y in {point[1], -point[1] % self.p})

    def sign(self, point: tuple[int, int]) -> int:
        """Return the lowest bit of x."""
        return point[0] & 1

    def encode(self, point: Point, *, compressed: bool = True) -> bytes:
        """Return y, little-endian, the sign of x in the highest bit (RFC 8032, 5.1.2).

        There is no other encoding, so ``compressed`` means nothing. Raises
        :class:`PointEncodingError` for infinity.
        """
        del compressed
        if point is None:
            raise PointEncodingError(f"{self.name} has no infinity")
        top = 8 * self.octets - 1
        return (point[1] | self.sign(point) << top).to_bytes(self.octets, "little")

    def decode(self, octets: bytes) -> tuple[int, int]:
        """Return the point that :meth:`encode` made this of (RFC 8032, 5.1.3).

        Raises:
            PointEncodingError: wrong length, y outside the field, or no such point.
        """
        if len(octets) != self.octets:
            raise PointEncodingError(f"length is {len(octets)} octets, must be {self.octets}")
        top = 8 * self.octets - 1
        number = int.from_bytes(octets, "little")
        y, sign = number & ((1 << top) - 1), number >> top
        if not self.in_field(y):
            raise PointEncodingError(f"y is outside the field of {self.name}")
        x = self._root(y * y - 1, 1 + self.d * y * y)
        if x is None or (x == 0 and sign):
            raise PointEncodingError(f"no point of {self.name} has this y and sign")
        return (x if x & 1 == sign else self.p - x), y
