# SPDX-License-Identifier: Apache-2.0
"""The ssh agent: signs for ssh with the keys that a device server holds by name.

A client sends requests of draft-ietf-sshm-ssh-agent, each with its length before it, and gets one
answer to each, in their order::

    ssh, ssh-keygen, git --- agent's socket --- Agent --- device server's socket --- device
                             list, sign                   public, sign-sha256 ...

Keys are of NIST's curves or Ed25519. What is signed is hashed here, but for Ed25519. No key is ever
in this process; keys are neither added nor removed, and a request for either is refused.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import signal
import socket
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from ecsm.device.base import DeviceError, NoDevice
from ecsm.device.remote import RemoteDevice
from ecsm.device.request import BadRequest
from ecsm.device.server import started
from ecsm.schemes.lengths import ED25519_MESSAGE
from ecsm.status import CoreError

LONGEST = 256 * 1024  # octets of a request, as ssh's own agent has it
MOST_CLIENTS = 64  # one more takes the place of that which has been silent longest

_FAILURE, _LIST, _KEYS, _SIGN, _SIGNATURE = 5, 11, 12, 13, 14


@dataclass(frozen=True)
class _Kind:
    """Keys of a curve: the name that ssh gives them, the operation, the digest of what is signed.

    ``curve``: as PyCryptodome names it. ``digest``: empty where the operation takes the message.
    """

    name: str
    curve: str
    operation: str
    digest: str = ""

    def public(self, strings: tuple[bytes, ...]) -> bytes:
        """Return a public key as ssh encodes it. Raises ValueError for a point that is none."""
        if self.digest:
            x, y = (int.from_bytes(string, "big") for string in strings)
            key = ECC.construct(curve=self.curve, point_x=x, point_y=y)
        else:
            key = eddsa.import_public_key(*strings)
        text = key.export_key(format="OpenSSH")
        return base64.b64decode(text.split()[1])

    def signature(self, strings: tuple[bytes, ...]) -> bytes:
        """Return a signature as ssh encodes it."""
        if self.digest:
            found = b"".join(_string(_natural(string)) for string in strings)
        else:
            found = b"".join(strings)
        return _string(self.name.encode()) + _string(found)


KINDS = {
    "secp256r1": _Kind("ecdsa-sha2-nistp256", "P-256", "sign-sha256", "sha256"),
    "secp384r1": _Kind("ecdsa-sha2-nistp384", "P-384", "sign-sha384", "sha384"),
    "secp521r1": _Kind("ecdsa-sha2-nistp521", "P-521", "sign-sha512", "sha512"),
    "edwards25519": _Kind("ssh-ed25519", "Ed25519", "sign-ed25519"),
}
"""What ssh has keys for, by the curve's name."""


def _string(octets: bytes) -> bytes:
    return struct.pack(">I", len(octets)) + octets


def _natural(octets: bytes) -> bytes:
    """Return a natural number, most significant octet first, as RFC 4251's mpint has it."""
    octets = octets.lstrip(b"\0")
    return b"\0" + octets if octets and octets[0] & 0x80 else octets


def _strings(octets: bytes, count: int) -> tuple[list[bytes], bytes]:
    """Return the strings that octets begin with, and the rest. Raises ValueError if cut short."""
    found = []
    for _ in range(count):
        if len(octets) < 4:
            raise ValueError("a length is cut short")
        (length,) = struct.unpack_from(">I", octets)
        if length > len(octets) - 4:
            raise ValueError("a string is cut short")
        found.append(octets[4 : 4 + length])
        octets = octets[4 + length :]
    return found, octets


class Agent:
    """Answers requests; one call at a time.

    ``names``: the keys that are shown, None for all of the device. Raises NoDevice for a device
    whose curve ssh does not know, that has no operation to sign with, or no such keys.
    """

    def __init__(self, device: RemoteDevice, names: list[str] | None = None) -> None:
        kind = KINDS.get(device.curve.name)
        if kind is None or kind.operation not in device.operations:
            raise NoDevice(
                f"{device.uri} signs nothing for ssh, which knows secp256r1 with SHA-256, secp384r1"
                " with SHA-384, secp521r1 with SHA-512 and Ed25519"
            )
        self._device, self._kind = device, kind
        self.names = list(device.keys if names is None else dict.fromkeys(names))
        if not self.names:
            raise NoDevice(f"{device.uri} has no keys with names: ecsm serve --key NAME=FILE")
        self._slots = [device.handle(name) for name in self.names]
        self._known: list[bytes] = []
        self.signatures = 0

    def keys(self) -> list[bytes]:
        """Return the public keys as ssh encodes them. Raises DeviceError or CoreError.

        A server that begins anew may have other keys under the same names: it is asked again.
        """
        if not (self._known and self._device.goes_on()):
            self._known = []
            found = [self._device.run("public", slot=slot).strings for slot in self._slots]
            self._known = [self._kind.public(strings) for strings in found]
        return self._known

    def answer(self, request: bytes) -> bytes:
        """Return the answer to a request: a failure for what is refused, or goes wrong."""
        try:
            return self._again(lambda: self._answer(request))
        except (ValueError, BadRequest, CoreError, DeviceError):
            return bytes([_FAILURE])

    def _again(self, work: Callable[[], bytes]) -> bytes:
        """Do it; once more on a new line if the server has gone: it may have begun anew."""
        try:
            return work()
        except DeviceError:
            return work()

    def _answer(self, request: bytes) -> bytes:
        if request == bytes([_LIST]):
            keys = [
                _string(key) + _string(name.encode())
                for key, name in zip(self.keys(), self.names, strict=True)
            ]
            return bytes([_KEYS]) + struct.pack(">I", len(keys)) + b"".join(keys)
        if request[:1] != bytes([_SIGN]):
            raise ValueError("no request that is known here")
        (key, message), flags = _strings(request[1:], 2)
        if len(flags) != 4:
            raise ValueError("a request to sign ends with four octets")
        return bytes([_SIGNATURE]) + _string(self._sign(self.keys().index(key), message))

    def _sign(self, number: int, message: bytes) -> bytes:
        kind = self._kind
        if kind.digest:
            message = hashlib.new(kind.digest, message).digest()
        elif len(message) > ED25519_MESSAGE:
            raise ValueError("Ed25519 keeps a message inside, and this one is too long")
        strings = self._device.run(kind.operation, message, slot=self._slots[number]).strings
        self.signatures += 1
        return kind.signature(strings)


async def serve(agent: Agent, listener: socket.socket) -> None:
    """Serve an agent to many clients until SIGTERM or SIGINT, one request after the other."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()
    silent: dict[asyncio.Task[None], None] = {}  # that send no request, the longest first

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(tasks) >= MOST_CLIENTS and silent:
            longest = next(iter(silent))
            del silent[longest]
            tasks.remove(longest)
            longest.cancel()
        if len(tasks) < MOST_CLIENTS:
            tasks.add(task)
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while True:
                    silent[task] = None
                    request = await _request(reader)
                    silent.pop(task)
                    answer = await loop.run_in_executor(device, agent.answer, request)
                    writer.write(_string(answer))
                    await writer.drain()
            silent.pop(task, None)
            tasks.discard(task)
        writer.close()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    with ThreadPoolExecutor(1) as device:
        server = await started(client, listener)
        await over.wait()
        server.close()  # its wait_closed has no end while a client does not read
        for task in tasks:
            task.cancel()


async def _request(reader: asyncio.StreamReader) -> bytes:
    """Return a client's next request. Raises IncompleteReadError for a length that is none, too."""
    (length,) = struct.unpack(">I", await reader.readexactly(4))
    if not 0 < length <= LONGEST:
        raise asyncio.IncompleteReadError(b"", length)
    return await reader.readexactly(length)
