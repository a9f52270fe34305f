# SPDX-License-Identifier: Apache-2.0
"""Streams of octets that wait even if the descriptor is non-blocking, and that lose nothing.

A program that shares a pipe or a terminal with this one may set O_NONBLOCK on it. Python then
treats the octets that are there as the whole input, and an unbuffered stream (PYTHONUNBUFFERED)
drops the octets that a write does not accept.
"""

from __future__ import annotations

import io
import select
import sys
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class _Reader(io.RawIOBase):
    """Reads another stream, and waits until something is there."""

    def __init__(self, source: io.BufferedIOBase) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._source.fileno()

    def isatty(self) -> bool:
        return self._source.isatty()

    def readinto(self, buffer: WriteableBuffer) -> int:
        while True:
            count: int | None = self._source.readinto1(buffer)
            if count is not None:
                return count
            _wait(self.fileno(), select.POLLIN)


class _Writer(io.FileIO):
    """Writes to a descriptor that stays open, and waits until it takes something.

    An error names what is written to.
    """

    def __init__(self, number: int, called: str) -> None:
        super().__init__(number, "w", closefd=False)
        self._called = called

    def write(self, octets: ReadableBuffer) -> int:
        try:
            while (count := super().write(octets)) is None:
                _wait(self.fileno(), select.POLLOUT)
        except OSError as error:
            error.filename = self._called
            raise
        return count


def _wait(number: int, event: int) -> None:
    poll = select.poll()
    poll.register(number, event)
    poll.poll()


def reader(source: BinaryIO) -> BinaryIO:
    """Return a stream that reads another one. Closing the stream leaves that one open."""
    return cast(BinaryIO, io.BufferedReader(_Reader(cast(io.BufferedIOBase, source))))


def writer(number: int, called: str) -> BinaryIO:
    """Return a stream that writes to a descriptor, which its errors name ``called``.

    Closing the stream leaves the descriptor open.
    """
    return cast(BinaryIO, io.BufferedWriter(_Writer(number, called)))


def replace_standard_output(called: str) -> None:
    """Let ``sys.stdout`` be a stream that loses nothing, if it is the one of descriptor 1."""
    old = sys.stdout
    if type(old) is not io.TextIOWrapper or isinstance(getattr(old.buffer, "raw", None), _Writer):
        return
    if old.fileno() != 1:
        return
    old.flush()
    sys.stdout = io.TextIOWrapper(
        writer(1, called), encoding=old.encoding, errors=old.errors,
        line_buffering=old.line_buffering or old.write_through,
    )  # fmt: skip
