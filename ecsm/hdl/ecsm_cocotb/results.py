# SPDX-License-Identifier: Apache-2.0
"""What jobs give, and what goes wrong."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

Point = tuple[int, int] | None
"""x and y; None is infinity."""


class EcsmError(Exception):
    """Something is not as the package's documents say."""


class Refused(EcsmError):
    """The block refused an access: SLVERR, ERR or PSLVERR. Its register ERROR says why."""


class NoAnswer(EcsmError):
    """An access or a job was not answered in time."""


class ProtocolError(EcsmError):
    """A signal breaks the rules of its bus."""


class Result(NamedTuple):
    """Of a core: the status's name; the product, None for infinity and for errors; the cycles."""

    status: str
    point: Point
    cycles: int


class Answer(NamedTuple):
    """Of the schemes: the status's name; the strings that came out; the cycles."""

    status: str
    strings: list[bytes]
    cycles: int


OPERATION, CORE_OPERATION, SLOT, FLAGS = 6, 4, 8, 8  # bits of a request


class Job(NamedTuple):
    """A job of a core: integers, each with no more bits than its place."""

    k: int
    point: Point
    a: int
    operation: int


def whole(name: str, value: Any, bits: int) -> int:
    """Return an integer of so many bits at most. Raises TypeError, or ValueError without it."""
    found = operator.index(value)
    if not 0 <= found < 1 << bits:
        raise ValueError(f"{name} has more than {bits} bits")
    return found


def job(package: Any, k: int, point: Point, a: int, number: int) -> Job:
    """Return a job with its arguments converted. Raises ValueError for what is none of the core."""
    given = whole("a", a, package.SCALAR_BITS)
    if given and package.SCALARS == 1:
        raise ValueError(f"{package.TOP} computes kP alone: a is 0")
    place = point
    if point is not None:
        x, y = point
        place = (whole("x", x, package.COORDINATE_BITS), whole("y", y, package.COORDINATE_BITS))
    scalar = whole("k", k, package.SCALAR_BITS)
    return Job(scalar, place, given, whole("operation", number, CORE_OPERATION))


def request(package: Any, operation: str | int, slot: int, flags: int) -> tuple[int, int, int]:
    """Return the numbers of an operation, a slot, flags. Raises EcsmError, ValueError."""
    if isinstance(operation, str):
        if operation not in package.OPERATIONS:
            raise EcsmError(f"{package.TOP} has no operation {operation}")
        operation = int(package.OPERATIONS[operation])
    number = whole("operation", operation, OPERATION)
    return number, whole("slot", slot, SLOT), whole("flags", flags, FLAGS)


def octets(strings: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """Return strings as bytes. Raises TypeError for what is no buffer."""
    return tuple(memoryview(string).tobytes() for string in strings)
