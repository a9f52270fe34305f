# SPDX-License-Identifier: Apache-2.0
"""The interface of every curve: a group with a generator, and octet strings of its points.

Source: SEC 1 version 2 (2009), 2.3.3 and 2.3.4 (octet strings).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

Point = tuple[int, int] | None
"""An affine point (x, y), both field elements; None is the point at infinity."""

_ENUMERABLE = 1 << 16  # exhaustive methods refuse larger fields: 2^16 points take a second


class PointEncodingError(ValueError):
    """An octet string is not the encoding of a point of the curve."""


@dataclass(frozen=True)
class Curve(ABC):
    """An elliptic curve in affine coordinates; the group law is the subclass's.

    Args:
        name: as in SEC 2, for example ``sect163r2``.
        generator: a point of order ``n``.
        n: prime order of the generator.
        h: cofactor; the curve has n*h points, infinity included.
        aliases: other names, for example ``("B-163",)``.
    """

    equation: ClassVar[str]

    name: str
    _: KW_ONLY
    generator: tuple[int, int]
    n: int
    h: int
    aliases: tuple[str, ...] = ()

    @property
    @abstractmethod
    def q(self) -> int:
        """Number of elements of the field."""

    @property
    @abstractmethod
    def field_name(self) -> str:
        """The field in words: ``GF(2^163)``."""

    @property
    def coefficients(self) -> dict[str, int]:
        """The equation's coefficients by name."""
        return {name: getattr(self, name) for name in ("a", "b")}

    @property
    def neutral(self) -> Point:
        """The neutral element of the group: the point at infinity, if it is not an affine one."""
        return None

    @property
    def octets(self) -> int:
        """Length of an encoded coordinate."""
        return ((self.q - 1).bit_length() + 7) // 8

    def in_field(self, v: int) -> bool:
        """Whether the number stands for a field element."""
        return 0 <= v < self.q

    def in_range(self, x: int, y: int) -> bool:
        """Whether a core accepts these coordinates: they must be field elements."""
        return self.in_field(x) and self.in_field(y)

    @abstractmethod
    def contains(self, point: Point) -> bool:
        """Whether the point is on the curve: infinity is, coordinates outside the field are not."""

    @abstractmethod
    def neg(self, point: Point) -> Point:
        """Return -P."""

    @abstractmethod
    def double(self, point: Point) -> Point:
        """Return 2P; infinity for a point of order two."""

    @abstractmethod
    def add(self, p: Point, q: Point) -> Point:
        """Return P + Q for any two points of the curve, equal or opposite ones included."""

    @abstractmethod
    def lift_x(self, x: int) -> tuple[int, int] | None:
        """Return a point with this x, or None where the curve has none.

        The other point with this x is its negative; which one is returned is not specified.
        """

    @abstractmethod
    def sign(self, point: tuple[int, int]) -> int:
        """Return the bit that tells a point from its negative in a compressed octet string."""

    def mul(self, k: int, point: Point) -> Point:
        """Return kP for any integer k (not reduced modulo n) and any point of the curve."""
        if k < 0:
            return self.mul(-k, self.neg(point))
        total = self.neutral
        for bit in bin(k)[2:]:
            total = self.double(total)
            if bit == "1":
                total = self.add(total, point)
        return total

    def points(self) -> Iterator[Point]:
        """Yield all n*h points, infinity first if it is one, in order of x.

        Raises:
            ValueError: the field has more than 2^16 elements.
        """
        self._require_toy()
        if self.neutral is None:
            yield None
        for x in range(self.q):
            point = self.lift_x(x)
            if point is not None:
                yield point
                if self.neg(point) != point:
                    yield self.neg(point)

    def order(self, point: Point) -> int:
        """Return the order of the point, by adding it up: 1 for the neutral element.

        Raises:
            ValueError: the field has more than 2^16 elements.
        """
        self._require_toy()
        count, multiple = 1, point
        while multiple != self.neutral:
            count, multiple = count + 1, self.add(multiple, point)
        return count

    def _require_toy(self) -> None:
        if self.q > _ENUMERABLE:
            raise ValueError(f"{self.name} is too large to enumerate: over {_ENUMERABLE} elements")

    def encode(self, point: Point, *, compressed: bool = False) -> bytes:
        """Return the SEC 1 octet string of a point of the curve, coordinates big-endian.

        ``00`` for infinity, ``04 || X || Y``, or compressed ``02 || X`` or ``03 || X`` by
        :meth:`sign` (SEC 1, 2.3.3).
        """
        if point is None:
            return b"\x00"
        x, y = point
        size = self.octets
        if not compressed:
            return b"\x04" + x.to_bytes(size, "big") + y.to_bytes(size, "big")
        return bytes([2 + self.sign(point)]) + x.to_bytes(size, "big")

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
        if not self.in_field(x):
            raise PointEncodingError(f"x is outside the field of {self.name}")
        if kind == 4:
            point = x, int.from_bytes(octets[1 + size :], "big")
            if not self.contains(point):
                raise PointEncodingError(f"the point is not on {self.name}")
            return point
        return self._decompress(x, kind & 1)

    def _decompress(self, x: int, sign: int) -> tuple[int, int]:
        """Return the point with this x and this :meth:`sign`."""
        point = self.lift_x(x)
        if point is None:
            raise PointEncodingError(f"no point of {self.name} has this x")
        if self.sign(point) != sign:
            opposite = self.neg(point)
            if opposite is None or self.sign(opposite) != sign:
                raise PointEncodingError("this x has one point, whose first octet is 02")
            point = opposite
        return point
