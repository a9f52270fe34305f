# SPDX-License-Identifier: Apache-2.0
"""The x-line of a Montgomery curve y^2 = x^3 + Ax^2 + x over GF(p): what RFC 7748 multiplies.

A point is an x without a y, written (x, 0), so that ports and tools see a point. Every element of
the field is the x of a point of the curve or of its twist; (0, 0) and infinity both have x = 0.
There are multiples, but no sums. The reference takes a point of the curve or of the twist, adds by
chords and tangents, and returns x. Like :mod:`ecsm.curves.gfp.weierstrass` it is not constant time
and not for secrets.

Source: RFC 7748, sections 4.1 and 5; B. Smith, C. Costello, "Montgomery curves and their
arithmetic", 2.2 (law of addition).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ecsm.curves.curve import Point, PointEncodingError
from ecsm.curves.gfp.weierstrass import PrimeFieldCurve, square_root


@dataclass(frozen=True)
class XLine(PrimeFieldCurve):
    """The x-line of the curve with coefficient A; A^2 - 4 must be no square.

    Args:
        a: coefficient A.
        generator: (x, 0), x of a point of order ``n``.
        h: cofactor of the curve, a power of two that the twist's divides.

    Raises:
        ValueError: A^2 - 4 is a square, or h is no power of two above 1.
    """

    equation: ClassVar[str] = "y^2 = x^3 + Ax^2 + x, or of the twist, y left out"

    a: int

    def __post_init__(self) -> None:
        if square_root((self.a * self.a - 4) % self.p, self.p) is not None:
            raise ValueError(f"{self.name}: A^2 - 4 must be no square")
        if self.h < 2 or self.h & (self.h - 1):
            raise ValueError(f"{self.name}: the cofactor must be a power of two above 1")

    @property
    def coefficients(self) -> dict[str, int]:
        """The A of the equation."""
        return {"A": self.a}

    @property
    def c(self) -> int:
        """(A + 2)/4, by which the ladder multiplies."""
        return (self.a + 2) * pow(4, -1, self.p) % self.p

    @property
    def scalar_bits(self) -> int:
        """Bits of a scalar that a core takes: whole octets, as many as x has."""
        return 8 * self.octets

    @property
    def bits(self) -> int:
        """Bits of a decoded scalar, and of x: those of p."""
        return self.p.bit_length()

    def decode_scalar(self, k: int) -> int:
        """Return the decoded k: its highest bit 1, a multiple of the cofactor (RFC 7748, 5)."""
        return k & self.kept | 1 << self.bits - 1

    @property
    def kept(self) -> int:
        """The bits of a scalar that count."""
        return (1 << self.bits - 1) - self.h

    def in_range(self, x: int, y: int) -> bool:
        """Whether a core accepts the numbers: x is any number that fits its octets."""
        return 0 <= x < 1 << 8 * self.octets and self.in_field(y)

    def contains(self, point: Point) -> bool:
        """Whether it is an x alone: every x is one of a point, of the curve or of its twist."""
        return point is None or (self.in_range(*point) and point[1] == 0)

    def neg(self, point: Point) -> Point:
        """Return -P, which has the same x."""
        return point

    def add(self, p: Point, q: Point) -> Point:
        """Raise TypeError: x does not tell P + Q from P - Q."""
        raise TypeError(f"points of {self.name} have no sum: they are no more than an x")

    def double(self, point: Point) -> Point:
        """Return the x of 2P, 0 for infinity."""
        return self.multiple(2, point)

    def mul(self, k: int, point: Point) -> Point:
        """Return the function of RFC 7748: the x of a multiple of P by :meth:`decode_scalar` of k.

        Of x the bits that p has count, and it may be p or more.
        """
        return self.multiple(self.decode_scalar(k), point)

    def square(self, x: int) -> int:
        """Return x^3 + Ax^2 + x, which is a square for points of the curve."""
        return (x * x + self.a * x + 1) * x % self.p

    def multiple(self, k: int, point: Point) -> Point:
        """Return the x of kP for any integer k, 0 for infinity; None for no point."""
        if point is None:
            return None
        x = (point[0] & ((1 << self.bits) - 1)) % self.p
        y2 = self.square(x)
        # On B y^2 = x^3 + Ax^2 + x: the curve with B = 1, or with B = y2 the point (x, 1).
        y = square_root(y2, self.p)
        b, y = (y2, 1) if y is None else (1, y)
        total: Point = None
        for bit in bin(k)[2:]:
            total = self._add(b, total, total)
            if bit == "1":
                total = self._add(b, total, (x, y))
        return (total[0], 0) if total else (0, 0)

    def _add(self, b: int, p: Point, q: Point) -> Point:
        """Return P + Q on B y^2 = x^3 + Ax^2 + x, infinity None."""
        if p is None or q is None:
            return q if p is None else p
        (x1, y1), (x2, y2) = p, q
        if x1 != x2:
            slope = (y2 - y1) * pow(x2 - x1, -1, self.p)
        elif y1 != y2 or y1 == 0:
            return None
        else:
            slope = (3 * x1 * x1 + 2 * self.a * x1 + 1) * pow(2 * b * y1, -1, self.p)
        x3 = (b * slope * slope - self.a - x1 - x2) % self.p
        return x3, (slope * (x1 - x3) - y1) % self.p

    def lift_x(self, x: int) -> tuple[int, int]:
        """Return (x, 0)."""
        return x, 0

    def sign(self, point: tuple[int, int]) -> int:
        """Return 0: there is no y."""
        return point[1]

    def encode(self, point: Point, *, compressed: bool = True) -> bytes:
        """Return x, little-endian (RFC 7748, 5); ``compressed`` means nothing.

        Raises :class:`PointEncodingError` for infinity, which no result is.
        """
        del compressed
        if point is None:
            raise PointEncodingError(f"{self.name} has no encoding of infinity")
        return point[0].to_bytes(self.octets, "little")

    def decode(self, octets: bytes) -> tuple[int, int]:
        """Return the point of an octet string, of any: reduced it is when it is multiplied.

        Raises :class:`PointEncodingError` for a wrong length.
        """
        if len(octets) != self.octets:
            raise PointEncodingError(f"length is {len(octets)} octets, must be {self.octets}")
        return int.from_bytes(octets, "little"), 0
