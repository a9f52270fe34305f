# SPDX-License-Identifier: Apache-2.0
"""A device at the other end of a line: schemes by frames, never a wrong result."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Generator, Iterable
from typing import NoReturn

from ecsm.curves import Curve, Point, UnknownCurveError, curve
from ecsm.device.base import (
    Closing,
    Completion,
    DeviceError,
    DoubleJob,
    Info,
    Job,
    Progress,
    Result,
)
from ecsm.device.frame import (
    HANDLES,
    INFO,
    Ask,
    Damaged,
    Decoder,
    Frame,
    Kind,
    Link,
    encode,
    request,
)
from ecsm.device.transport import Line, NoAnswer
from ecsm.status import ERRORS, Status, Unsupported

ASK_AGAIN_S = 10.0  # what a device is, if it does not say; earlier if a job takes less
TIMEOUT_S = {"unix": 600, "serial": 30}  # of a job; a server's queue may be long
_STATUSES = frozenset(int(status) for status in Status)
_COMPLAINTS: dict[int, str] = {
    Link.BAD_REQUEST: "the device takes no such request",
    Link.DAMAGED: "the request was damaged on the line",
    Link.FAILED: "the device failed, and has lost the keys that it had made",
    Link.RESET: "the device was reset: the job and its keys are lost",
    Link.CLOSING: "the device is being closed",
}


class RemoteDevice(Closing):
    """Schemes of a device over a line; calls from several threads run one after the other.

    ``timeout``: seconds that a job may take. After an error on the line the next job begins with
    a question to which an answer must come, so that what was late or damaged belongs to nothing.
    """

    def __init__(self, line: Line, timeout: float) -> None:
        self._line, self.timeout = line, timeout
        self._lock = threading.Lock()
        self._decoder = Decoder()
        self._tag = secrets.randbits(31)
        self._sound = False  # whether the line is known to be in step
        self._closed = False
        self.last_cycles = 0
        with self._lock:
            self._described = self._in_step()
        self.preset_name, self.curve, self.operations, self.keys = self._read(self._described)

    def _read(
        self, strings: tuple[bytes, ...]
    ) -> tuple[str, Curve, tuple[str, ...], tuple[str, ...]]:
        try:
            version, preset, name, operations, keys = (s.decode("ascii") for s in strings)
            if version == INFO:
                return preset, curve(name), tuple(operations.split()), tuple(keys.split())
        except (ValueError, UnknownCurveError):
            pass
        raise DeviceError(f"{self._line.name} describes itself as no device that is known here")

    def handle(self, name: str) -> int:
        """Return the slot of a key that the device holds by name. Raises KeyError."""
        try:
            return HANDLES + self.keys.index(name)
        except ValueError:
            raise KeyError(name) from None

    def run(self, operation: str, *strings: bytes, slot: int = 0, flags: int = 0) -> Result:
        """Run an operation; return what it hands out.

        Raises the :class:`~ecsm.status.CoreError` of the device's status; KeyError for an
        operation that it has not; ValueError for strings that no frame carries;
        :class:`DeviceError` if the line or the device fails: the job may or may not have run.
        """
        if operation not in self.operations:
            raise KeyError(operation)
        code = self.operations.index(operation)
        with self._lock:
            sound = self._sound and self._line.connected
            if not sound and self._in_step() != self._described:
                self._sound = False
                raise DeviceError(f"{self._line.name} is another device now: open it anew")
            try:
                answer = self._exchange(code, slot, flags, strings)
            except DeviceError:
                self._sound = False
                raise
        self.last_cycles = answer.word
        if answer.code:
            raise ERRORS[Status(answer.code)](f"the device answered {Status(answer.code).name}")
        return Result(answer.strings, answer.word)

    def _in_step(self) -> tuple[bytes, ...]:
        """Connect if need be, ask what the device is, and drop whatever comes before the answer."""
        if self._closed:
            raise DeviceError("the device is closed")
        self._line.connect()
        end = time.monotonic() + self.timeout
        while True:
            self._line.drain()
            self._decoder.reset()
            # A device that has just begun may lose the first question.
            seconds = min(ASK_AGAIN_S, self.timeout / 4, end - time.monotonic())
            try:
                strings = self._exchange(Ask.INFO, 0, 0, (), False, seconds).strings
            except NoAnswer:
                if time.monotonic() >= end:
                    raise
                continue
            self._sound = True
            return strings

    def _exchange(
        self,
        code: int,
        slot: int,
        flags: int,
        strings: tuple[bytes, ...],
        strict: bool = True,
        seconds: float | None = None,
    ) -> Frame:
        """Send a request, return its answer; ``strict``: nothing damaged may come before it.

        ``seconds``: how long it may take, unless as long as a job.
        """
        self._tag = self._tag % 0xFFFFFFFF + 1
        octets = encode(request(code, self._tag, slot, flags, *strings))
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        self._line.send(octets, deadline)
        while True:
            try:
                received = self._line.receive(deadline)
            except NoAnswer:
                raise NoAnswer(
                    f"{self._line.name}: no answer in {self.timeout:g} s: octets were lost, or the"
                    " device was reset, or is slow"
                ) from None
            for item in self._decoder.feed(received):
                if (answer := self._answer(item, strict)) is not None:
                    return answer

    def _answer(self, item: Frame | Damaged, strict: bool) -> Frame | None:
        """Return the answer, if a frame is that. Raises DeviceError for one that ends the wait."""
        if isinstance(item, Damaged):
            if strict:
                raise DeviceError(f"{self._line.name}: the answer was damaged on the line: {item}")
            return None
        if item.kind is not Kind.ANSWER or (item.tag == 0 and not strict):
            return None
        if item.tag not in (0, self._tag):
            return None  # of a job that was given up
        if item.code in _COMPLAINTS:
            raise DeviceError(f"{self._line.name}: {_COMPLAINTS[Link(item.code)]}")
        if item.code not in _STATUSES or item.tag == 0:
            raise DeviceError(f"{self._line.name}: an answer of no status that is known here")
        if item.code and item.strings:
            raise DeviceError(f"{self._line.name} handed something out with an error")
        return item

    def info(self) -> Info:
        """Return what the device is. Raises DeviceError for a preset that is not known here."""
        from ecsm.device.sim import describe
        from ecsm.presets.store import design
        from ecsm.presets.table import UnknownPreset

        try:
            return describe(design(self.preset_name), self._line.name)
        except UnknownPreset as error:
            raise DeviceError(f"{self._line.name}: {error}") from None

    def kp(self, k: int, point: Point) -> Point:
        """Raise Unsupported: a line carries schemes."""
        del k, point
        self._no_kp()

    def double_kp(self, a: int, b: int, point: Point) -> Point:
        """Raise Unsupported: a line carries schemes."""
        del a, b, point
        self._no_kp()

    def kp_many(
        self, jobs: Iterable[Job | DoubleJob], progress: Progress | None = None
    ) -> list[Point]:
        """Raise Unsupported: a line carries schemes."""
        del jobs, progress
        self._no_kp()

    def as_completed(self, jobs: Iterable[Job | DoubleJob]) -> Generator[Completion, None, None]:
        """Raise Unsupported: a line carries schemes."""
        del jobs
        self._no_kp()

    def _no_kp(self) -> NoReturn:
        raise Unsupported(f"{self._line.name} runs schemes, not kP by itself")

    def close(self) -> None:
        """Close the line; the device forgets what was loaded over it."""
        self._closed = True
        self._line.close()
