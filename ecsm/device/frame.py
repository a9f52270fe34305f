# SPDX-License-Identifier: Apache-2.0
"""Frames between a host and a remote device, the same over a socket and a serial line.

A frame is between two octets FLAG. In the frame, FLAG and ESCAPE are written as ESCAPE and the
octet XOR 0x20. So a FLAG is always a limit, and a receiver that lost an octet is in step again at
the next FLAG. Numbers are big-endian. The content of a frame, before escaping:

| octets | what |
| --- | --- |
| 1 | version, 1 |
| 1 | kind: 0x51 request, 0x41 answer; 0x4d and 0x50 in a stream, between these |
| 1 | code: the operation of a request, the status of an answer |
| 1 | count of strings, 0 to 8 |
| 4 | tag: an answer has that of its request, 1 or more; 0 is a notice without a request |
| 4 | request: key slot, flags, 0, 0; or 1 for a stream; answer: cycles |
| 4 + n each | strings: length, octets; 65,536 octets in all of them, at most |
| 4 | CRC-32 of all octets before it |

A stream is a request whose last string follows in parts. The device asks for each part with a 0x50,
which carries the output so far. The first string of a 0x50 continues the string whose number is in
the last four octets. The host then sends a 0x4d with one string, the next part, and a 1 in the last
octet if more parts follow. After the last part come the last 0x50 and the answer, which has no
strings. An answer that comes earlier ends the stream.

Codes of a request up to 63 are the scheme machine's operations by number, the others are those of
:class:`Ask`. Statuses up to 63 are those of :class:`ecsm.status.Status`, the others those of
:class:`Link`. sw/frame has the same in C.

Source: RFC 1662, section 4 (octet-stuffed framing); ITU-T V.42, 8.1.1.6.2 (CRC-32).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from ecsm.device.request import BadRequest

VERSION = 1
FLAG, ESCAPE, FLIP = 0x7E, 0x7D, 0x20
MOST_STRINGS = 8
MOST_OCTETS = 1 << 16  # in all strings of a frame
HANDLES = 128  # slots from here on are keys with a name, in the order in which Ask.INFO has them
_HEAD = struct.Struct(">BBBBII")
_LENGTH = struct.Struct(">I")
_CRC = 4
MOST_BODY = _HEAD.size + _LENGTH.size * MOST_STRINGS + MOST_OCTETS + _CRC


class Kind(IntEnum):
    """Who sends a frame."""

    REQUEST = 0x51
    ANSWER = 0x41
    MORE = 0x4D
    PART = 0x50


class Ask(IntEnum):
    """Requests to the device's end of the link."""

    INFO = 64
    """Answer: version, preset, curve, operations, names of keys; lists have spaces.

    Operations are in the order of their numbers; "-" stands where a number has none.
    """


HIDDEN = "seed-test"
"""The operation that no line carries: test samples would make everybody's keys known."""
OPEN = 1  # in the word of a request: a stream; of MORE: there are more
INFO = "1"  # the version of what Ask.INFO is answered


def description(
    preset: str, curve: str, operations: Iterable[str], keys: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the texts of an answer to :attr:`Ask.INFO`; ``keys``: those that have names."""
    return (INFO, preset, curve, " ".join(operations), " ".join(keys))


class Link(IntEnum):
    """Statuses of the link, beside those of :class:`ecsm.status.Status`."""

    BAD_REQUEST = 64
    """The request is none: no such operation, strings too few or too many, no such slot."""
    DAMAGED = 65
    """A notice: a frame came with a wrong checksum."""
    FAILED = 66
    """The device did not answer as it must; keys that it had made are gone."""
    RESET = 67
    """A notice: the device was reset; its keys are gone."""
    CLOSING = 68
    """The device is being closed; the job was not begun, or the stream was given up."""
    SILENT = 69
    """The next part of a stream did not come in time; it was given up."""


@dataclass(frozen=True, repr=False)
class Frame:
    """A frame; ``word`` is a request's slot and flags, or an answer's cycles."""

    kind: Kind
    code: int
    tag: int = 0
    word: int = 0
    strings: tuple[bytes, ...] = ()

    def __repr__(self) -> str:
        """Say nothing of the strings: they may be secret."""
        return f"Frame({self.kind.name}, {self.code}, tag {self.tag}, {len(self.strings)} strings)"


class Damaged(Exception):
    """Octets between two flags are no frame."""


def request(
    code: int, tag: int, slot: int, flags: int, *strings: bytes, opened: bool = False
) -> Frame:
    """Return a request, or one of a stream. Raises ValueError for a slot or flags of no octet."""
    if not (0 <= slot < 256 and 0 <= flags < 256):
        raise ValueError("slot and flags are octets")
    word = slot << 24 | flags << 16 | (OPEN if opened else 0)
    return Frame(Kind.REQUEST, code, tag, word, strings)


def encode(frame: Frame) -> bytes:
    """Return a frame's octets, flags included. Raises BadRequest for one beyond the limits."""
    if len(frame.strings) > MOST_STRINGS:
        raise BadRequest(f"a frame has {MOST_STRINGS} strings at most")
    if sum(map(len, frame.strings)) > MOST_OCTETS:
        raise BadRequest(f"the strings of a frame have {MOST_OCTETS:,} octets at most")
    head = (VERSION, frame.kind, frame.code, len(frame.strings), frame.tag, frame.word)
    try:
        body = _HEAD.pack(*head)
    except struct.error as error:
        raise ValueError(f"no frame: {error}") from None
    body += b"".join(_LENGTH.pack(len(s)) + s for s in frame.strings)
    body += _LENGTH.pack(zlib.crc32(body))
    flag = bytes([FLAG])
    for octet in (ESCAPE, FLAG):  # the escapes first: the second one makes new ones
        body = body.replace(bytes([octet]), bytes([ESCAPE, octet ^ FLIP]))
    return flag + body + flag


def decode(stuffed: bytes) -> Frame:
    """Return the frame of the octets between two flags. Raises :class:`Damaged`."""
    first, *parts = stuffed.split(bytes([ESCAPE]))
    if any(not part for part in parts):
        raise Damaged("an escape of nothing")
    body = first + b"".join(bytes([part[0] ^ FLIP]) + part[1:] for part in parts)
    if not _HEAD.size + _CRC <= len(body) <= MOST_BODY:
        raise Damaged("a frame of no frame's length")
    body, crc = body[:-_CRC], body[-_CRC:]
    if _LENGTH.pack(zlib.crc32(body)) != crc:
        raise Damaged("a wrong checksum")
    version, kind, code, count, tag, word = _HEAD.unpack_from(body)
    if version != VERSION:
        raise Damaged(f"a frame of version {version}, not {VERSION}")
    if kind not in iter(Kind):
        raise Damaged("a frame of no kind")
    strings = tuple(_strings(body, count))
    return Frame(Kind(kind), code, tag, word, strings)


def _strings(body: bytes, count: int) -> Iterator[bytes]:
    """Yield the strings behind a head. Raises :class:`Damaged` if they are not what fills it."""
    at = _HEAD.size
    if count > MOST_STRINGS:
        raise Damaged("too many strings")
    for _ in range(count):
        start = at + _LENGTH.size
        if start > len(body):
            raise Damaged("a string that is cut short")
        at = start + _LENGTH.unpack_from(body, at)[0]
        if at > len(body):
            raise Damaged("a string that is cut short")
        yield body[start:at]
    if at != len(body):
        raise Damaged("octets behind the strings")


class Decoder:
    """Frames out of a stream of octets, whatever is lost of it."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._hunting = True  # until a flag comes, nothing counts

    def reset(self) -> None:
        """Drop the received part of a frame."""
        self._held.clear()
        self._hunting = True

    def feed(self, octets: bytes) -> Iterator[Frame | Damaged]:
        """Yield the frames that these octets complete; a :class:`Damaged` for a broken one."""
        first, *rest = octets.split(bytes([FLAG]))
        yield from self._keep(first)
        for part in rest:
            stuffed = bytes(self._held)
            self._held.clear()
            if stuffed and not self._hunting:
                try:
                    yield decode(stuffed)
                except Damaged as damage:
                    yield damage
            self._hunting = False
            yield from self._keep(part)

    def _keep(self, octets: bytes) -> Iterator[Damaged]:
        """Keep what may be of a frame; one that is too long is none from then on."""
        if self._hunting:
            return
        self._held += octets
        if len(self._held) > 2 * MOST_BODY:
            self.reset()
            yield Damaged("a frame without an end")
