# SPDX-License-Identifier: Apache-2.0
"""A device at the other end of a line: schemes by frames. It returns no wrong result."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator

from ecsm.curves import Curve, UnknownCurveError, curve
from ecsm.device import frame
from ecsm.device.base import (
    Closing,
    DeviceError,
    Info,
    NoDevice,
    NoKp,
    Part,
    Result,
    Turn,
    collected,
    parts_of,
)
from ecsm.device.frame import (
    HANDLES,
    INFO,
    MOST_OCTETS,
    OPEN,
    Ask,
    Damaged,
    Decoder,
    Frame,
    Kind,
    Link,
    encode,
)
from ecsm.device.request import PIECE, BadRequest, Request, request
from ecsm.device.transport import Line, NoAnswer
from ecsm.names import UnknownName, no_such
from ecsm.schemes.inputs import streamed
from ecsm.schemes.numbers import ABSENT
from ecsm.status import ERRORS, CoreError, Status

ASK_AGAIN_S = 10.0  # what a device is, if it does not say; earlier if a job takes less
TIMEOUT_S = {"unix": 600, "serial": 30}  # of a job; a server's queue may be long
_STATUSES = frozenset(int(status) for status in Status)
_COMPLAINTS: dict[int, str] = {
    Link.DAMAGED: "the request was damaged on the line, or is longer than the device takes",
    Link.FAILED: "the device failed, and has lost the keys that it had made",
    Link.RESET: "the device was reset: the job and its keys are lost",
    Link.CLOSING: "the device is being closed",
    Link.SILENT: "the next part of the stream did not come in time",
}
GIVE_UP_S = 2.0  # to say that a stream is given up, on a line that may be gone
FORGET_S = 3.0  # to empty key slots when a line is closed, however many


class RemoteDevice(NoKp, Closing):
    """Schemes of a device over a line; calls from several threads run one after the other.

    ``timeout``: the most seconds of a job. After an error on the line the next job begins with a
    question that must be answered, so that late or damaged frames belong to no job.
    """

    def __init__(self, line: Line, timeout: float) -> None:
        self._line, self.timeout = line, timeout
        self.uri = line.name
        self.turn = Turn()
        self._decoder = Decoder()
        self._received: deque[Frame | Damaged] = deque()
        self._tag = secrets.randbits(31)
        self._sound = False  # whether the line is known to be in step
        self._closed = False
        self._loaded: set[int] = set()  # slots that may have a key which was loaded from here
        self.last_cycles = 0
        with self.turn.taken():
            self._described = self._in_step()
        self.preset_name, self.curve, self._numbered, self.keys = self._read(self._described)
        self.operations = tuple(name for name in self._numbered if name != ABSENT)

    def _read(
        self, strings: tuple[bytes, ...]
    ) -> tuple[str, Curve, tuple[str, ...], tuple[str, ...]]:
        try:
            version, preset, name, operations, keys = (s.decode("ascii") for s in strings)
            if version == INFO:
                return preset, curve(name), tuple(operations.split()), tuple(keys.split())
        except (ValueError, UnknownCurveError):
            pass
        raise NoDevice(f"{self._line.name} describes itself as no device that is known here")

    def handle(self, name: str) -> int:
        """Return the slot of a key that the device holds by name. Raises UnknownName."""
        if name not in self.keys:
            raise UnknownName(no_such("key", name, self.keys, "device.keys"))
        return HANDLES + self.keys.index(name)

    def goes_on(self) -> bool:
        """Return whether the line of the last job is there yet, and the same device answers."""
        with self.turn.taken(), contextlib.suppress(DeviceError):
            self.doubt()
            return self._line.connected and self._in_step() == self._described
        return False

    def run(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Result:
        """Run an operation; return what it hands out (see :class:`ecsm.device.base.Device`).

        Raises BadRequest for strings that no frame can carry; :class:`DeviceError` if the line or
        the device fails: the job may or may not have run. A long message of a streaming operation
        is sent in parts.
        """
        asked = request(self.operations, operation, strings, slot, flags)
        if streamed(operation) and sum(map(len, asked.strings)) > PIECE:
            opened, message = asked.in_parts()
            underway = _Underway(self, opened)
            try:
                return Result(collected(underway.feed(message, last=True)), underway.cycles)
            finally:
                underway.abandon()
        with self.turn.taken(), self._noting(asked):
            answer = self.exchange(asked)
        self.last_cycles = answer.word
        return Result(answer.strings, answer.word)

    def stream(
        self,
        operation: str,
        *strings: bytes,
        message: Iterable[bytes],
        slot: int = 0,
        flags: int = 0,
    ) -> Generator[Part, None, None]:
        """Run an operation whose last string comes in parts (see Device.stream)."""
        asked = request(self.operations, operation, strings, slot, flags, opened=True)
        return parts_of(lambda: _Underway(self, asked), message)

    def exchange(self, asked: Request) -> Frame:
        """Send a request; return its answer, or the first PART of a stream. The turn is taken."""
        if self._line.ended():  # there may be a new server: its slots are empty
            self._line.close()
        sound = self._sound and self._line.connected
        if not sound and self._in_step() != self._described:
            self._sound = False
            raise DeviceError(f"{self._line.name} is another device now: open it anew")
        code = self._numbered.index(asked.operation)
        with self._unsound_after_errors():
            answer = self._exchange(code, asked.slot, asked.flags, asked.strings, asked.open)
        return self._checked(answer, asked)

    @contextlib.contextmanager
    def _noting(self, asked: Request) -> Iterator[None]:
        """Note what a request does to its slot; a request that is refused changes no slot."""
        before = self._loaded.copy()
        if asked.operation in ("load", "unwrap"):
            self._loaded.add(asked.slot)
        try:
            yield
        except (CoreError, BadRequest):
            self._loaded = before
            raise
        if asked.operation in ("generate", "forget"):
            self._loaded.discard(asked.slot)

    def more(self, part: bytes, last: bool) -> Frame:
        """Send the next part of the stream; return what comes next. The turn is taken."""
        deadline = time.monotonic() + self.timeout
        with self._unsound_after_errors():
            self._line.send(self._part(part, last), deadline)
            answer = self._receive(deadline)
        return self._checked(answer)

    def next(self) -> Frame:
        """Return what comes next of a stream. The turn is taken."""
        with self._unsound_after_errors():
            answer = self._receive(time.monotonic() + self.timeout)
        return self._checked(answer)

    def doubt(self) -> None:
        """Begin the next job with a question: it is not known what has been sent or answered."""
        self._sound = False

    def give_up(self) -> None:
        """End the message of the stream here, so that the device is free. The turn is taken."""
        try:
            if self._sound:
                self.more(b"", last=True)
                self.next()
            elif self._line.connected:  # what comes is dropped before the next job
                self._line.send(self._part(b"", last=True), time.monotonic() + GIVE_UP_S)
        except (DeviceError, CoreError, BadRequest):
            pass

    def _part(self, part: bytes, last: bool) -> bytes:
        return encode(Frame(Kind.MORE, 0, self._tag, 0 if last else OPEN, (part,)))

    @contextlib.contextmanager
    def _unsound_after_errors(self) -> Iterator[None]:
        """Begin the next job with a question if this one fails, or is interrupted."""
        sound, self._sound = self._sound, False
        yield
        self._sound = sound

    def _checked(self, answer: Frame, asked: Request | None = None) -> Frame:
        """Return an answer without an error, or a PART. Raises what an error says."""
        if answer.code == Link.BAD_REQUEST:
            parts = f"message in parts: {MOST_OCTETS:,} octets at most"
            what = parts if asked is not None and asked.open else "such request"
            raise BadRequest(f"{self._line.name} has no such key slot, or takes no {what}")
        if answer.code:
            status = Status(answer.code)
            if asked is not None:
                raise asked.refused(status, self.curve, self.operations)
            raise ERRORS[status](f"the device answered {status.name}")
        return answer

    def _in_step(self) -> tuple[bytes, ...]:
        """Connect if need be, ask what the device is, and drop whatever comes before the answer."""
        if self._closed:
            raise DeviceError("the device is closed")
        end = time.monotonic() + self.timeout
        self._line.connect(end)
        while True:
            self._line.drain(end)
            self._decoder.reset()
            self._received.clear()
            # A device that has just begun may lose the first question.
            seconds = min(ASK_AGAIN_S, self.timeout / 4, end - time.monotonic())
            try:
                found = self._exchange(Ask.INFO, 0, 0, (), strict=False, seconds=seconds)
            except NoAnswer:
                if time.monotonic() >= end:
                    raise
                continue
            self._sound = True
            return found.strings

    def _exchange(
        self,
        code: int,
        slot: int,
        flags: int,
        strings: tuple[bytes, ...],
        opened: bool = False,
        strict: bool = True,
        seconds: float | None = None,
    ) -> Frame:
        """Send a request, return its answer; ``strict``: nothing damaged may come before it.

        ``seconds``: how long it may take, unless as long as a job.
        """
        self._tag = self._tag % 0xFFFFFFFF + 1
        line = encode(frame.request(code, self._tag, slot, flags, *strings, opened=opened))
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        self._line.send(line, deadline)
        return self._receive(deadline, strict)

    def _receive(self, deadline: float, strict: bool = True) -> Frame:
        over = False  # what is there at the deadline is looked at, and nothing that comes later
        while True:
            while self._received:
                if (answer := self._answer(self._received.popleft(), strict)) is not None:
                    return answer
            if over:
                raise NoAnswer(
                    f"{self._line.name}: no answer in {self.timeout:g} s: octets were lost, or the"
                    " device was reset, or is slow"
                )
            over = time.monotonic() >= deadline
            try:
                self._received.extend(self._decoder.feed(self._line.receive(deadline)))
            except NoAnswer:
                over = True

    def _answer(self, item: Frame | Damaged, strict: bool) -> Frame | None:
        """Return the answer, if a frame is that. Raises DeviceError for one that ends the wait."""
        if isinstance(item, Damaged):
            if strict:
                raise DeviceError(f"{self._line.name}: the answer was damaged on the line: {item}")
            return None
        if item.kind is Kind.PART and item.tag == self._tag:
            return item
        if item.kind is not Kind.ANSWER or (item.tag == 0 and not strict):
            return None
        if item.tag not in (0, self._tag):
            return None  # of a job that was given up
        if item.code in _COMPLAINTS:
            raise DeviceError(f"{self._line.name}: {_COMPLAINTS[Link(item.code)]}")
        if item.code == Link.BAD_REQUEST and item.tag:
            return item
        if item.code not in _STATUSES or item.tag == 0:
            raise DeviceError(f"{self._line.name}: an answer of no status that is known here")
        if item.code and item.strings:
            raise DeviceError(f"{self._line.name} handed something out with an error")
        return item

    def info(self) -> Info:
        """Return what the device is. Raises DeviceError for a preset that is not known here."""
        from ecsm.device.sim import describe
        from ecsm.hdl.machines import subject
        from ecsm.presets.table import UnknownPreset

        try:
            return describe(subject(self.preset_name), self._line.name)
        except UnknownPreset as error:
            raise DeviceError(f"{self._line.name}: {error}") from None

    def close(self) -> None:
        """Close the line; the device forgets what was loaded over it, unless a job is under way.

        Keys that a device at a serial port has made stay. Closing takes :data:`FORGET_S` at most.
        """
        if self._line.keeps and self._line.connected:
            with contextlib.suppress(DeviceError, CoreError, BadRequest):
                self._forget_loaded()
        self._closed = True
        self._line.close()

    def _forget_loaded(self) -> None:
        """Empty the slots of loaded keys. Raises DeviceError if the device does not do it."""
        hold = self.turn.take(wait=False)
        try:
            end = time.monotonic() + FORGET_S
            for slot in sorted(self._loaded):
                self.timeout = min(self.timeout, max(0.0, end - time.monotonic()))
                self.exchange(Request("forget", (), slot, 0))
                self._loaded.discard(slot)
        finally:
            self.turn.give(hold)


class _Underway:
    """A stream over a line; it has the device until its answer comes or it is given up."""

    def __init__(self, device: RemoteDevice, asked: Request) -> None:
        self._device = device
        self._done = False
        self.cycles = 0  # of the device, when it has answered
        self._hold = device.turn.take()
        try:
            self._first = _parts(device.exchange(asked))
        except BaseException as error:
            self._fail(error)
            raise

    def _end(self) -> None:
        self._done = True
        self._device.turn.give(self._hold)

    def feed(self, part: bytes, last: bool = False) -> list[Part]:
        """Give the next part; return what has come out."""
        if self._done:
            raise DeviceError("the stream is over")
        found, self._first = self._first, []
        try:
            at = 0
            while len(part) - at > PIECE:
                found += _parts(self._device.more(part[at : at + PIECE], last=False))
                at += PIECE
            if last or at < len(part):
                found += _parts(self._device.more(part[at:], last))
            if last:
                self._device.last_cycles = self.cycles = self._device.next().word
                self._end()
        except BaseException as error:
            self._fail(error)
            raise
        return found

    def _fail(self, error: BaseException) -> None:
        """An answer has ended it; or the line has failed, or it is interrupted: it is given up.

        An interrupted one may have ended, or not have begun: no answer is waited for.
        """
        if isinstance(error, CoreError | BadRequest):
            self._end()
        else:
            self._device.doubt()
            self.abandon()

    def abandon(self) -> None:
        """End the message here and drop what comes, so that the device is free for others."""
        if not self._done:
            self._device.give_up()
            self._end()


def _parts(frame: Frame) -> list[Part]:
    return [Part(frame.word + i, octets) for i, octets in enumerate(frame.strings)]
