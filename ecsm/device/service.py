# SPDX-License-Identifier: Apache-2.0
"""What answers requests at the device's end of a link: a scheme machine, shared by its owners."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from ecsm.device.base import DeviceError, Result
from ecsm.device.frame import HANDLES, HIDDEN, MOST_OCTETS, Ask, Frame, Kind, Link, description
from ecsm.device.schemes import SchemeDevice
from ecsm.device.slots import Slots
from ecsm.schemes.inputs import inputs, uses_key
from ecsm.status import CoreError, Status

OWN_SLOTS = 64  # that an owner has, at most
FLAG_BITS = 3
MOST_INPUT = MOST_OCTETS - 1024  # octets to encrypt or decrypt: the answer is a frame, too
_SERVER = "server"  # the owner of the keys that have names


class _BadRequest(Exception):
    """A request that no device is asked."""


class Service:
    """Answers frames by running operations on a device; one call at a time.

    ``keys``: private keys by name, as strings, that every owner may compute with.
    Raises the :class:`~ecsm.status.CoreError` of a key that the device refuses.
    """

    def __init__(self, device: SchemeDevice, keys: Mapping[str, bytes] | None = None) -> None:
        self.device = device
        self.names = tuple(keys or ())
        self._slots = Slots(self._device)
        self._seed()
        for number, secret in enumerate((keys or {}).values()):
            self._slots.load(_SERVER, number, secret)

    def _seed(self) -> None:
        self.device.run("seed")

    def _device(self, operation: str, slot: int, strings: tuple[bytes, ...]) -> Result:
        return self.device.run(operation, *strings, slot=slot)

    def info(self) -> tuple[bytes, ...]:
        """Return the strings of an answer to :attr:`Ask.INFO`."""
        p = self.device.preset
        texts = description(p.name, p.curve.name, self.device.program.operations, self.names)
        return tuple(text.encode() for text in texts)

    def answer(self, owner: Hashable, asked: Frame) -> Frame:
        """Do what is asked for, with the owner's keys or those with names."""
        try:
            code, cycles, strings = self._do((owner,), asked)
        except _BadRequest:
            code, cycles, strings = int(Link.BAD_REQUEST), 0, ()
        except CoreError as error:
            code, cycles, strings = int(error.status), 0, ()
        except DeviceError:
            code, cycles, strings = int(Link.FAILED), 0, ()
            self.recover()
        return Frame(Kind.ANSWER, code, asked.tag, cycles, strings)

    def recover(self) -> None:
        """Begin anew with a device that has lost its keys."""
        self._slots.lost()
        self._seed()

    def drop(self, owner: Hashable) -> None:
        """Forget the owner's keys."""
        try:
            self._slots.drop((owner,))
        except DeviceError:
            self.recover()
            self._slots.drop((owner,))

    def _do(self, owner: Hashable, asked: Frame) -> tuple[int, int, tuple[bytes, ...]]:
        if asked.kind is not Kind.REQUEST or asked.tag == 0:
            raise _BadRequest
        if asked.code == Ask.INFO:
            return 0, 0, self.info()
        operations = self.device.program.operations
        if asked.code >= len(operations) or operations[asked.code] == HIDDEN:
            return int(Status.UNSUPPORTED), 0, ()
        operation = operations[asked.code]
        slot, flags, rest = asked.word >> 24, asked.word >> 16 & 0xFF, asked.word & 0xFFFF
        if rest or flags >> FLAG_BITS or len(asked.strings) != inputs(operation):
            raise _BadRequest
        hands_back = operation.endswith(("-encrypt", "-decrypt"))
        if hands_back and sum(map(len, asked.strings)) > MOST_INPUT:
            return int(Status.UNSUPPORTED), 0, ()
        done = self._run(owner, operation, slot, flags, asked.strings)
        return 0, done.cycles, done.strings

    def _run(
        self, owner: Hashable, operation: str, slot: int, flags: int, strings: tuple[bytes, ...]
    ) -> Result:
        if slot >= HANDLES:  # a key with a name: for computing only
            owner, slot = _SERVER, slot - HANDLES
            if slot >= len(self.names) or not uses_key(operation) or operation == "ecmqv":
                raise _BadRequest
        elif slot >= OWN_SLOTS:
            raise _BadRequest
        place = 0
        if operation == "load":
            return self._slots.load(owner, slot, strings[0])
        if operation == "generate":
            return self._slots.generate(owner, slot)
        if operation == "forget":
            return self._slots.forget(owner, slot)
        if operation == "ecmqv":
            place = self._slots.use_pair(owner, slot)
        elif uses_key(operation):
            place = self._slots.use(owner, slot)
        return self.device.run(operation, *strings, slot=place, flags=flags)
