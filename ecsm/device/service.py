# SPDX-License-Identifier: Apache-2.0
"""The device's end of a link: answers the requests of all owners with one scheme machine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from ecsm.device.base import DeviceError, Part, Result
from ecsm.device.frame import (
    HANDLES,
    HIDDEN,
    MOST_OCTETS,
    OPEN,
    Ask,
    Frame,
    Kind,
    Link,
    description,
)
from ecsm.device.request import PIECE, BadRequest, Request, request
from ecsm.device.schemes import Running, SchemeDevice
from ecsm.device.slots import Slots
from ecsm.schemes.inputs import uses_key
from ecsm.schemes.numbers import ABSENT, by_number
from ecsm.schemes.options import DEVICE
from ecsm.status import CoreError, Unsupported

OWN_SLOTS = 64  # that an owner has, at most
MOST_INPUT = MOST_OCTETS - 1024  # octets to encrypt or decrypt: the answer is a frame, too
_SERVER = "server"  # the owner of the keys that have names


@dataclass(frozen=True)
class _Job:
    """A request that may be asked: whose key it uses, and from which slot."""

    owner: Hashable
    asked: Request
    slot: int


class Service:
    """Answers frames by running operations on a device; one call at a time.

    ``keys``: private keys by name, as strings, that every owner may compute with; no owner gets
    them wrapped. ``device_key``: what the owners' own keys are wrapped with; none of them gives it.
    Raises the :class:`~ecsm.status.CoreError` of a key that the device refuses.
    """

    def __init__(
        self,
        device: SchemeDevice,
        keys: Mapping[str, bytes] | None = None,
        device_key: bytes = b"",
    ) -> None:
        self.device, self._device_key = device, device_key
        self._operations = by_number(device.program)
        self.names = tuple(keys or ())
        self._slots = Slots(self._device)
        if device_key:
            self.device.run("wrap", device_key, flags=DEVICE)
        self._seed()
        for number, secret in enumerate((keys or {}).values()):
            self._slots.load(_SERVER, number, secret)

    def _seed(self) -> None:
        self.device.run("seed")

    def _device(self, operation: str, slot: int, strings: tuple[bytes, ...]) -> Result:
        return self.device.run(operation, *strings, slot=slot)

    def info(self) -> tuple[bytes, ...]:
        """Return the strings of an answer to :attr:`Ask.INFO`."""
        name, curve = self.device.machine.name, self.device.curve.name
        texts = description(name, curve, self._operations, self.names)
        return tuple(text.encode() for text in texts)

    def answer(self, owner: Hashable, asked: Frame) -> Frame:
        """Do what is asked for, with the owner's keys or those with names."""
        return self.guarded(asked, lambda: self._answer((owner,), asked))

    def _answer(self, owner: Hashable, asked: Frame) -> Frame:
        if asked.kind is Kind.REQUEST and asked.tag and asked.code == Ask.INFO:
            return Frame(Kind.ANSWER, 0, asked.tag, 0, self.info())
        done = self._run(self.job(owner, asked))
        return Frame(Kind.ANSWER, 0, asked.tag, done.cycles, done.strings)

    def guarded(self, asked: Frame, work: Callable[[], Frame]) -> Frame:
        """Return the answer of ``work``, or the one that says what it raises."""
        try:
            return work()
        except BadRequest:
            code = int(Link.BAD_REQUEST)
        except CoreError as error:
            code = int(error.status)
        except DeviceError:
            code = int(Link.FAILED)
            self.recover()
        return Frame(Kind.ANSWER, code, asked.tag)

    def recover(self) -> None:
        """Begin anew with a device that has lost its keys."""
        self._slots.lost()
        if self._device_key:
            with suppress(Unsupported):  # it has not lost that one
                self.device.run("wrap", self._device_key, flags=DEVICE)
        self._seed()

    def drop(self, owner: Hashable) -> None:
        """Forget the owner's keys."""
        try:
            self._slots.drop((owner,))
        except DeviceError:
            self.recover()
            self._slots.drop((owner,))

    def job(self, owner: Hashable, frame: Frame) -> _Job:
        """Return what a frame asks for. Raises BadRequest; Unsupported for no operation."""
        if frame.kind is not Kind.REQUEST or frame.tag == 0 or frame.word & 0xFFFF & ~OPEN:
            raise BadRequest("no request")
        operations = self._operations
        if frame.code >= len(operations) or operations[frame.code] in (HIDDEN, ABSENT):
            raise Unsupported("no such operation")
        operation = operations[frame.code]
        slot, flags = frame.word >> 24, frame.word >> 16 & 0xFF
        if operation == "wrap" and flags & DEVICE:
            raise Unsupported("the device key is the server's")
        opened = bool(frame.word & OPEN)
        asked = request(operations, operation, frame.strings, slot, flags, opened=opened)
        if slot >= HANDLES:  # a key with a name: for computing only
            owner, slot = _SERVER, slot - HANDLES
            own = operation in ("ecmqv", "wrap")
            if slot >= len(self.names) or not uses_key(operation) or own:
                raise BadRequest("no such key")
        elif slot >= OWN_SLOTS:
            raise BadRequest("no such slot")
        hands_back = operation.endswith(("-encrypt", "-decrypt"))
        if hands_back and sum(map(len, asked.strings)) > MOST_INPUT:
            raise Unsupported("the answer would be no frame")
        return _Job(owner, asked, slot)

    def place(self, job: _Job) -> int:
        """Return the device's slot of the job's key, which is put there."""
        operation = job.asked.operation
        if operation == "ecmqv":
            return self._slots.use_pair(job.owner, job.slot)
        return self._slots.use(job.owner, job.slot) if uses_key(operation) else 0

    def _run(self, job: _Job) -> Result:
        asked = job.asked
        if asked.open:
            raise BadRequest("a stream is no single request")
        if asked.operation in ("load", "unwrap"):
            return self._slots.load(job.owner, job.slot, asked.strings[0], asked.operation)
        if asked.operation == "generate":
            return self._slots.generate(job.owner, job.slot)
        if asked.operation == "forget":
            return self._slots.forget(job.owner, job.slot)
        place = self.place(job)
        return self.device.run(asked.operation, *asked.strings, slot=place, flags=asked.flags)


class Stream:
    """A request whose last string comes in parts: it has the device until it is ``over``."""

    def __init__(self, service: Service, owner: Hashable, asked: Frame) -> None:
        self._service, self._owner, self._asked = service, (owner,), asked
        self._running: Running | None = None
        self.tag = asked.tag
        self.over = False

    def begin(self) -> list[Frame]:
        """Begin; return a PART, which asks for more, or an ANSWER, which ends the stream."""

        def work() -> Frame:
            job = self._service.job(self._owner, self._asked)
            asked, place = job.asked, self._service.place(job)
            device = self._service.device
            self._running = device.begin(
                asked.operation, *asked.strings, slot=place, flags=asked.flags
            )
            return self._part(self._running.feed(b""))

        return self._frames(self._service.guarded(self._asked, work))

    def more(self, frame: Frame) -> list[Frame]:
        """Give the next part; return a PART, and the ANSWER behind the last one."""
        running = self._running
        assert running is not None
        last = not frame.word & OPEN
        found: list[Frame] = []

        def work() -> Frame:
            if frame.word & ~OPEN or len(frame.strings) != 1 or len(frame.strings[0]) > PIECE:
                running.abandon()
                raise BadRequest("no part of a stream")
            found.append(self._part(running.feed(frame.strings[0], last)))
            return Frame(Kind.ANSWER, 0, self._asked.tag, running.cycles) if last else found.pop()

        after = self._frames(self._service.guarded(self._asked, work))
        return [*found, *after]

    def drop(self, code: int) -> list[Frame]:
        """Give the stream up; return the answer that says why."""
        if self._running is not None:
            self._running.abandon()
        return self._frames(Frame(Kind.ANSWER, code, self._asked.tag))

    def _frames(self, frame: Frame) -> list[Frame]:
        self.over = frame.kind is Kind.ANSWER
        return [frame]

    def _part(self, parts: list[Part]) -> Frame:
        first = parts[0].string if parts else 0
        strings = tuple(part.octets for part in parts)
        return Frame(Kind.PART, 0, self._asked.tag, first, strings)
