# SPDX-License-Identifier: Apache-2.0
"""EC-AES on files and pipes of any length, in constant memory, and the format of encrypted files.

An encrypted file has the strings of the operation. Before each string is its length in four octets,
the highest first. The last string of a stream has the length ENDLESS. Its parts follow, each with
its length before it, and then a length of zero. So a truncated file is noticed, although EC-AES has
no tag.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ecsm.cli.common import UsageError
from ecsm.cli.files import writing
from ecsm.device.base import SchemeRunner
from ecsm.progress import Progress

LENGTH = 4  # octets that say how long a string is
ENDLESS = 0xFFFFFFFF
LONGEST = 1 << 16  # octets of a string that is not the last one of a stream, at most
_CHUNK = 1 << 16
_HEAD = 3  # strings before the last one: R's x and y, the IV
_SOON_S = 2.0  # after which progress is shown


class Sealed:
    """A sealed file that is read from its beginning to its end."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def string(self) -> bytes:
        """Return the next string. Raises UsageError if there is none."""
        return self._take(self._length(LONGEST))

    def last(self) -> Iterator[bytes]:
        """Yield the parts of the last string, of whatever length."""
        left = self._length(None)
        if left == ENDLESS:
            while size := self._length(LONGEST):
                yield self._take(size)
        else:
            while left:
                part = self._take(min(left, _CHUNK))
                left -= len(part)
                yield part
        self.end()

    def end(self) -> None:
        """Raise UsageError if something follows."""
        if self.file.read(1):
            raise UsageError("the input is too long")

    def _length(self, most: int | None) -> int:
        length = int.from_bytes(self._take(LENGTH), "big")
        if most is not None and length > most:
            raise UsageError("the input is no sealed file of this scheme")
        return length

    def _take(self, count: int) -> bytes:
        found = self.file.read(count)
        if len(found) < count:
            raise UsageError("the input is cut short")
        return found


def packed(strings: Iterable[bytes]) -> bytes:
    """Return strings as a sealed file."""
    return b"".join(len(s).to_bytes(LENGTH, "big") + s for s in strings)


def seal(
    device: SchemeRunner, key: tuple[bytes, ...], source: BinaryIO, out: str, flags: int = 0
) -> None:
    """Encrypt what ``source`` has to a public key; write a sealed file."""
    with Progress() as log, writing(out) as sink:
        _check_apart(source, sink)
        message = _told(iter(lambda: source.read(_CHUNK), b""), _size(source), log)
        head: list[bytes] = [b""] * _HEAD
        for part in device.stream("ec-aes-encrypt", *key, message=message, flags=flags):
            if part.string < _HEAD:
                head[part.string] += part.octets
                continue
            if head:
                sink.write(packed(head) + ENDLESS.to_bytes(LENGTH, "big"))
                head = []
            if part.octets:
                sink.write(packed([part.octets]))
        sink.write(bytes(LENGTH))


def unseal(
    device: SchemeRunner, head: list[bytes], sealed: Sealed, out: str, flags: int = 0
) -> None:
    """Decrypt what is left of a sealed file behind ``head``, its strings; the key is in slot 0."""
    with Progress() as log, writing(out, secret=True) as sink:
        _check_apart(sealed.file, sink)
        message = _told(sealed.last(), _size(sealed.file), log)
        for part in device.stream("ec-aes-decrypt", *head, message=message, flags=flags):
            sink.write(part.octets)


def _status(file: BinaryIO) -> os.stat_result | None:
    """Return the status of a file, None for a pipe and the like."""
    try:
        found = os.fstat(file.fileno())
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _check_apart(source: BinaryIO, sink: BinaryIO) -> None:
    """Refuse to write to the file that is read: it would be read altered, or without an end."""
    read, written = _status(source), _status(sink)
    if read is not None and written is not None and os.path.samestat(read, written):
        raise UsageError("the output is the file that is read: name it with -o, or another one")


def _size(file: BinaryIO) -> int | None:
    """Return the octets of a file, None for a pipe."""
    found = _status(file)
    return None if found is None else found.st_size


def _told(parts: Iterable[bytes], size: int | None, log: Progress) -> Iterator[bytes]:
    """Yield the parts, and say how far they are if that takes long."""
    begun, count = time.monotonic(), 0
    of = "" if size is None else f" of {size / 1e6:,.1f}"
    for part in parts:
        yield part
        count += len(part)
        if time.monotonic() - begun > _SOON_S:
            log.often(f"{count / 1e6:,.1f}{of} MB")
