# SPDX-License-Identifier: Apache-2.0
"""The arguments of every device: they are checked and converted here, once.

A number is any object with ``__index__`` (int, NumPy's integers). A string is any object with a
buffer, read as octets. Devices compute with the values that these functions return, not with the
caller's objects.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Set
from dataclasses import dataclass, replace
from itertools import islice

from ecsm.curves import Curve, Point
from ecsm.names import UnknownName, no_such
from ecsm.schemes.inputs import flags_of, inputs, streamed, uses_key
from ecsm.schemes.lengths import refusal
from ecsm.status import ERRORS, CoreError, Status

MOST_SLOTS = 256  # that a request can name
PIECE = 1 << 15  # octets of a part of a string, at most

OpJob = tuple[int, int | tuple[int, int], Point]
"""An operation of the core port, a scalar or the two of aG + bP, a point."""


class BadRequest(ValueError):
    """A request that no device is asked: nothing has happened, and no key is lost."""


@dataclass(frozen=True, repr=False)
class Request:
    """An operation that is to be run; ``open``: its last string comes in parts, later."""

    operation: str
    strings: tuple[bytes, ...]
    slot: int
    flags: int
    open: bool = False

    def in_parts(self) -> tuple[Request, bytes]:
        """Return the same request without its last string, and that string."""
        *before, last = self.strings
        return replace(self, strings=tuple(before), open=True), last

    def refused(self, status: Status, curve: Curve, operations: Collection[str]) -> CoreError:
        """Return the error of a device's answer, with the reason as far as it is known."""
        why = ""
        if status is Status.AUTHENTICATION_FAILED:
            why = "altered, or made for another key or with other options"
        if status is Status.NO_KEY and self.operation in ("wrap", "unwrap"):
            why = "there is no device key" + ", or the slot is empty" * uses_key(self.operation)
        if status is Status.UNSUPPORTED:
            lengths = map(len, self.strings)
            why = refusal(self.operation, self.flags, lengths, curve, operations)
        answer = f"the device answered {status.name}"
        return ERRORS[status](f"{answer}: {why}" if why else answer)

    def __repr__(self) -> str:
        """Say nothing of the strings: they may be secret."""
        return f"Request({self.operation!r}, {len(self.strings)} strings, slot {self.slot})"


def request(
    operations: Collection[str],
    operation: str,
    strings: Iterable[object],
    slot: int,
    flags: int,
    slots: int = MOST_SLOTS,
    opened: bool = False,
) -> Request:
    """Return a request to a device that has ``operations`` and ``slots``.

    ``opened``: the last string comes in parts. Raises UnknownName for one that the device has
    not; TypeError for what is no number or no string; :class:`BadRequest` for the rest.
    """
    if not isinstance(operation, str):
        raise TypeError(f"an operation is named by a text, not by {_kind(operation)}")
    if operation not in operations:
        see = "docs/guide/operations.md"
        raise UnknownName(no_such("operation", operation, operations, see))
    number = whole("slot", slot)
    if not 0 <= number < slots:
        raise BadRequest(f"there is no key slot {number}: they are 0 to {slots - 1}")
    bits = whole("flags", flags)
    if bits < 0 or bits & ~flags_of(operation):
        raise BadRequest(f"{operation} has no such flags: {bits:#x}")
    if opened and not streamed(operation):
        raise BadRequest(f"{operation} takes its strings whole, not in parts")
    given = tuple(octets(f"string {i} of {operation}", s) for i, s in enumerate(strings, start=1))
    wanted = inputs(operation, bits) - opened
    if len(given) != wanted:
        before = " before the one in parts" if opened else ""
        raise BadRequest(f"{operation} takes {_strings(wanted)}{before}, not {len(given)}")
    return Request(operation, given, number, bits, opened)


def _strings(count: int) -> str:
    return "1 string" if count == 1 else f"{count} strings"


def _kind(value: object) -> str:
    return type(value).__name__


def whole(name: str, value: object) -> int:
    """Return an integer. Raises TypeError, which does not repeat the value: it may be secret."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is an integer, not {_kind(value)}") from None


def octets(name: str, value: object) -> bytes:
    """Return the octets of a buffer: bytes, bytearray, memoryview, an array of any numbers."""
    if type(value) is bytes:  # another kind of bytes may say that it has others
        return value
    try:
        view = memoryview(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, BufferError):
        raise TypeError(f"{name} is bytes or a buffer, not {_kind(value)}") from None
    with view:
        if "O" in view.format:
            raise TypeError(f"{name} is a buffer of octets, not of objects")
        return view.tobytes()


def _items(what: str, value: object, count: int) -> list[object]:
    """Return so many items of an iterable. Raises TypeError, which says what it has to be.

    A set has no places: which item is the first one is not said.
    """
    try:
        if isinstance(value, Set):
            raise TypeError
        items = list(islice(iter(value), count + 1))  # type: ignore[call-overload]
    except TypeError:
        items = []
    if len(items) != count:
        raise TypeError(what)
    return items


def _point(point: object) -> Point:
    """Return a point as two integers, or None for infinity."""
    if point is None:
        return None
    x, y = _items("a point is two coordinates, or None", point, 2)
    return whole("x", x), whole("y", y)


def _scalars(k: object) -> int | tuple[int, int]:
    """Return a scalar, or the two of aG + bP, given as a tuple or a list."""
    if not isinstance(k, tuple | list):
        return whole("k", k)
    if len(k) != 2:
        raise TypeError("the scalars of aG + bP are two integers")
    return whole("a", k[0]), whole("b", k[1])


def core_job(op: object, k: object, point: object) -> OpJob:
    """Return a job of the core port. Raises TypeError; ValueError for an operation of no port."""
    number = whole("op", op)
    if not 0 <= number < 16:
        raise ValueError("op has 4 bits")
    return number, _scalars(k), _point(point)


def job_of(job: object) -> OpJob:
    """Return the job of a scalar and a point."""
    k, point = _items("a job is a scalar and a point", job, 2)
    return core_job(0, k, point)


def operation_of(job: object) -> OpJob:
    """Return the job of an operation, a scalar and a point."""
    op, k, point = _items("a job is an operation, a scalar and a point", job, 3)
    return core_job(op, k, point)
