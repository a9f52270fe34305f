# SPDX-License-Identifier: Apache-2.0
"""Elliptic curves y^2 + xy = x^3 + ax^2 + b over GF(2^m): the textbook reference.

Affine double-and-add, written for clarity and shared with nothing: the accelerator's formulas are
tested against it. It is not constant time and not for secrets.

Source: SEC 1 version 2 (2009), 2.2.2 (group law), 2.3.3 and 2.3.4 (octet strings).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ecsm.curves.field import BinaryField

Point = tuple[int, int] | None
"""An affine point (x, y), both field elements; None is the point at infinity."""

_ENUMERABLE_DEGREE = 16  # exhaustive methods refuse larger fields: 2^16 points take a second


class PointEncodingError(ValueError):
    """An octet string is not the encoding of a point of the curve."""


@dataclass(frozen=True)
class BinaryCurve:
    """A curve over GF(2^m) with a generator of prime order.

    Args:
        name: as in SEC 2, for example ``sect163r2``.
        field: GF(2^m).
        a: coefficient, any field element.
        b: coefficient, not 0.
        generator: a point of order ``n``.
        n: prime order of the generator.
        h: cofactor; the curve has n*h points, infinity included.
        aliases: other names, for example ``("B-163",)``.
    """

    name: str
    field: BinaryField
    a: int
    b: int
    generator: tuple[int, int]
    n: int
    h: int
    aliases: tuple[str, ...] = ()

    @property
    def octets(self) -> int:
        """Length of an encoded coordinate, ceil(m / 8)."""
        return (self.field.m + 7) // 8

    def contains(self, point: Point) -> bool:
        """Whether the point is on the curve: infinity is, coordinates outside the field are not."""
        if point is None:
            return True
        x, y = point
        f = self.field
        if not (f.contains(x) and f.contains(y)):
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

    def mul(self, k: int, point: Point) -> Point:
        """Return kP for any integer k (not reduced modulo n) and any point of the curve."""
        if k < 0:
            return self.mul(-k, self.neg(point))
        total: Point = None
        for bit in bin(k)[2:]:
            total = self.double(total)
            if bit == "1":
                total = self.add(total, point)
        return total

    def lift_x(self, x: int) -> tuple[int, int] | None:
        """Return a point with this x, or None where the curve has none.

        The other point with this x is its negative; which one is returned is not specified.
        """
        f = self.field
        if x == 0:
            return 0, f.sqrt(self.b)
        z = f.solve_quadratic(x ^ self.a ^ f.mul(self.b, f.sqr(f.inv(x))))
        return None if z is None else (x, f.mul(x, z))

    def points(self) -> Iterator[Point]:
        """Yield all n*h points, infinity first, in order of x.

        Raises:
            ValueError: m > 16.
        """
        self._require_toy()
        yield None
        for x in range(1 << self.field.m):
            point = self.lift_x(x)
            if point is not None:
                yield point
                if x:
                    yield self.neg(point)

    def order(self, point: Point) -> int:
        """Return the order of the point, by adding it up: 1 for infinity.

        Raises:
            ValueError: m > 16.
        """
        self._require_toy()
        count, multiple = 1, point
        while multiple is not None:
            count, multiple = count + 1, self.add(multiple, point)
        return count

    def _require_toy(self) -> None:
        if self.field.m > _ENUMERABLE_DEGREE:
            raise ValueError(f"{self.name} is too large to enumerate: m > {_ENUMERABLE_DEGREE}")

    def encode(self, point: Point, *, compressed: bool = False) -> bytes:
        """Return the SEC 1 octet string of a point of the curve, coordinates big-endian.

        ``00`` for infinity, ``04 || X || Y``, or compressed ``02 || X`` or ``03 || X`` by the
        lowest bit of y/x (SEC 1, 2.3.3).
        """
        if point is None:
            return b"\x00"
        x, y = point
        size = self.octets
        if not compressed:
            return b"\x04" + x.to_bytes(size, "big") + y.to_bytes(size, "big")
        sign = self.field.mul(y, self.field.inv(x)) & 1 if x else 0
        return bytes([2 + sign]) + x.to_bytes(size, "big")

    def decode(self, octets: bytes) -> Point:
        """Return the point that :meth:`encode` made this of; it is on the curve (SEC 1, 2.3.4).

        Raises:
            PointEncodingError: wrong length or first octet, a coordinate outside the field, or
                no such point.
        """
        size = self.octets
        if octets == b"\x00":
            return None
        kind = octets[0] if octets else -1
        if kind not in (2, 3, 4):
            raise PointEncodingError("first octet must be 02, 03 or 04, or 00 alone")
        expected = 1 + (2 * size if kind == 4 else size)
        if len(octets) != expected:
            raise PointEncodingError(f"length is {len(octets)} octets, must be {expected}")
        x = int.from_bytes(octets[1 : 1 + size], "big")
        if not self.field.contains(x):
            raise PointEncodingError(f"x is outside {self.field}")
        if kind == 4:
            point = x, int.from_bytes(octets[1 + size :], "big")
            if not self.contains(point):
                raise PointEncodingError(f"the point is not on {self.name}")
            return point
        return self._decompress(x, kind & 1)

    def _decompress(self, x: int, sign: int) -> tuple[int, int]:
        """Return the point with this x whose y/x has ``sign`` as its lowest bit."""
        point = self.lift_x(x)
        if point is None:
            raise PointEncodingError(f"no point of {self.name} has this x")
        if x == 0:
            if sign:
                raise PointEncodingError("x = 0 has one point, whose first octet is 02")
            return point
        y = point[1]
        if self.field.mul(y, self.field.inv(x)) & 1 != sign:
            y ^= x
        return x, y
