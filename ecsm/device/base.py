# SPDX-License-Identifier: Apache-2.0
"""What every device offers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn, Protocol, Self

from ecsm.curves import Point
from ecsm.device.request import octets
from ecsm.device.turn import DeviceError, NoDevice, Turn
from ecsm.status import CoreError, Unsupported

Job = tuple[int, Point]
DoubleJob = tuple[tuple[int, int], Point]
"""(a, b) and a point, for aG + bP."""
Progress = Callable[[int, int], None]
__all__ = [
    "Closing", "Completion", "Device", "DeviceError", "DoubleJob", "Info", "Job", "NoDevice",
    "NoKp", "Part", "Progress", "Result", "SchemeRunner", "Turn", "Underway", "collected",
    "made", "parts_of",
]  # fmt: skip


def made(core: int | None) -> int:
    """Return a core that C++ has made. Raises MemoryError for none: it had no memory."""
    if core is None:
        raise MemoryError("there is not enough memory for a core")
    return core


class Closing:
    """A device with a simulated core; closed by ``with`` or when it is garbage; no copies."""

    _core: int | None = None

    def close(self) -> None:
        """Free the core."""
        raise NotImplementedError

    def __reduce__(self) -> NoReturn:
        """A core cannot be copied or pickled."""
        raise TypeError("a device cannot be copied")

    def __enter__(self) -> Self:
        """Return the device."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the device."""
        self.close()

    def __del__(self) -> None:
        """Free the core if it was not freed."""
        if self._core is not None:
            self._free()

    def _free(self) -> None:
        """Free the core, without waiting for anybody."""
        self.close()


class NoKp:
    """A device that runs schemes alone. ``uri``: its address, for messages."""

    uri: str

    def kp(self, k: int, point: Point) -> Point:
        """Raise Unsupported."""
        del k, point
        self._no_kp()

    def double_kp(self, a: int, b: int, point: Point) -> Point:
        """Raise Unsupported."""
        del a, b, point
        self._no_kp()

    def kp_many(
        self, jobs: Iterable[Job | DoubleJob], progress: Progress | None = None
    ) -> list[Point]:
        """Raise Unsupported."""
        del jobs, progress
        self._no_kp()

    def as_completed(self, jobs: Iterable[Job | DoubleJob]) -> Generator[Completion, None, None]:
        """Raise Unsupported."""
        del jobs
        self._no_kp()

    def _no_kp(self) -> NoReturn:
        raise Unsupported(f"{self.uri} runs schemes, not kP by itself")


@dataclass(frozen=True)
class Info:
    """Description of a device. ``cycles``: those of one kP on an engine, the same for every input.

    A core with a program for kG takes fewer for the curve's point; they are not in ``cycles``.
    ``scalar_bits`` of each scalar; ``double``: it computes aG + bP too, in as many cycles.
    Of a word engine, which has no kP by itself, ``registers`` and ``cycles`` are 0.
    """

    uri: str
    preset: str
    curve: str
    field_bits: int
    scalar_bits: int
    multipliers: int
    multiplier: str
    registers: int
    cycles: int
    engines: int = 1
    double: bool = False


@dataclass(frozen=True)
class Completion:
    """A finished job: the ``index``-th of those given, from 0; ``point`` is None for infinity too.

    ``error``: why there is no point. ``cycles``: what the engine counted, 0 for a job that no port
    can carry.
    """

    index: int
    point: Point
    error: CoreError | None
    cycles: int

    def result(self) -> Point:
        """Return the point; raises the error if there is one."""
        if self.error is not None:
            raise self.error
        return self.point


@dataclass(frozen=True)
class Result:
    """Output strings of an operation, and its cycles from accepted request to response."""

    strings: tuple[bytes, ...]
    cycles: int


@dataclass(frozen=True, repr=False)
class Part:
    """The next octets of one of the output strings of an operation: 0 is the first string."""

    string: int
    octets: bytes


class Underway(Protocol):
    """An operation that has begun, and whose last string is given in parts."""

    def feed(self, part: bytes, last: bool = False) -> list[Part]:
        """Send the next part of the string; return the output so far.

        Raises what the operation ends with; it is then over.
        """
        ...

    def abandon(self) -> None:
        """Give it up, if it is not over."""
        ...


def parts_of(
    begin: Callable[[], Underway], message: Iterable[bytes]
) -> Generator[Part, None, None]:
    """Begin an operation with the first part that is asked for, feed it, and yield what comes out.

    Raises TypeError for a message that is no iterable of parts.
    """
    if isinstance(message, str | bytes | bytearray | memoryview):
        raise TypeError("the message is an iterable of parts, as [octets]")
    return _parts_of(begin, iter(message))


def _parts_of(
    begin: Callable[[], Underway], message: Iterable[bytes]
) -> Generator[Part, None, None]:
    underway = begin()
    try:
        for part in message:
            yield from underway.feed(octets("a part of the message", part))
        yield from underway.feed(b"", last=True)
    finally:
        underway.abandon()


def collected(parts: Iterable[Part]) -> tuple[bytes, ...]:
    """Return the strings of which these are the parts."""
    found: list[list[bytes]] = []
    for part in parts:
        found += [[] for _ in range(part.string + 1 - len(found))]
        found[part.string].append(part.octets)
    return tuple(b"".join(pieces) for pieces in found)


class SchemeRunner(Protocol):
    """What runs schemes."""

    last_cycles: int

    def run(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Result:
        """Run an operation of the schemes (docs/guide/operations.md); return its output strings.

        Strings are bytes or buffers. Raises the exception of :mod:`ecsm.status` for the device's
        status; Unsupported if it has no schemes; :class:`DeviceError` if the device fails or is
        gone. An invalid request changes nothing: KeyError for an unknown operation,
        :class:`~ecsm.device.request.BadRequest` for a slot, flags or a number of strings that the
        operation does not accept, TypeError for an argument that is no integer or no string.
        """
        ...

    def stream(
        self,
        operation: str,
        *strings: bytes,
        message: Iterable[bytes],
        slot: int = 0,
        flags: int = 0,
    ) -> Generator[Part, None, None]:
        """Run ``ec-aes-...`` or ``sha...`` with a last string of any length, in constant memory.

        ``message``: the parts of the last string. Yields output when it is ready, at least one part
        of every string. Raises as :meth:`run` does. Until the iterator is exhausted or closed the
        device is busy with it: calls of the same thread raise :class:`DeviceError`, those of others
        wait. Closing it ends the operation, and no key is lost.
        """
        ...


class Device(SchemeRunner, Protocol):
    """An elliptic-curve core with its schemes, or a farm of cores."""

    def kp(self, k: int, point: Point) -> Point:
        """Return k*point; ``None`` is infinity, in and out.

        Raises the exception of :mod:`ecsm.status` that the core's status names, and
        :class:`DeviceError` if the device is gone.
        """
        ...

    def double_kp(self, a: int, b: int, point: Point) -> Point:
        """Return a*G + b*point, G the curve's generator, as the verification of a signature has it.

        Raises as :meth:`kp` does, and :class:`ecsm.status.Unsupported` if the core is of kP alone.
        """
        ...

    def kp_many(
        self, jobs: Iterable[Job | DoubleJob], progress: Progress | None = None
    ) -> list[Point]:
        """Return the results of many jobs in order; ``progress(done, total)`` is told.

        Raises the error of the first job, in order, that has one; later jobs may not be done.
        """
        ...

    def as_completed(self, jobs: Iterable[Job | DoubleJob]) -> Generator[Completion, None, None]:
        """Yield many jobs when they finish, in any order; a failed job is yielded with its error.

        Jobs are read from the iterable when the device can accept them. Until the iterator is
        exhausted or closed the device is busy with it: other calls of the same thread raise
        :class:`DeviceError`, those of others wait. Closing it drops the jobs in progress.
        """
        ...

    def info(self) -> Info:
        """Return what the device is."""
        ...

    def close(self) -> None:
        """Release the device; closing twice is allowed."""
        ...

    def __enter__(self) -> Self:
        """Return the device."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the device."""
        ...
