# SPDX-License-Identifier: Apache-2.0
"""Units of the word engine in Python: the host's strings, a hash by hashlib, samples of a test."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field

from ecsm.schedule.sequential.words import Command, Condition, Port

KINDS = ("sha256", "sha224", "sha384", "sha512")
"""Hashes as a command names them."""


def unpadded(text: bytes, block: int = 64) -> bytes:
    """Return a message whose padding is checked."""
    assert len(text) % block == 0
    octets, length = int.from_bytes(text[-8:], "big") // 8, block // 8
    assert text[octets:] == b"\x80" + bytes(len(text) - octets - 9) + text[-8:]
    assert len(text) - octets <= block + length
    return text[:octets]


@dataclass
class Units:
    """What ``word_scheme`` has around its engine."""

    keys: set[int] = field(default_factory=set)
    seeded: bool = False
    slot: int = 0
    flags: int = 0
    samples: bytes = b""
    given: list[bytes] = field(default_factory=list)
    out: list[bytes] = field(default_factory=list)
    malformed: bool = False
    hashed: bytes = b""
    kind: str = "sha256"
    position: int = 0
    ended: bool = False

    @property
    def block(self) -> int:
        """Octets of the hash's block."""
        return hashlib.new(self.kind).block_size

    def begin(self, *given: bytes, slot: int = 0, flags: int = 0) -> None:
        """Begin a job."""
        self.given, self.out, self.slot, self.flags = list(given), [], slot, flags
        self.malformed, self.position, self.ended = False, 0, False

    def key_slot(self) -> int:
        """Return the key slot of the job."""
        return self.slot

    def read(self, port: int, octets: int) -> bytes:
        """Return octets of a port."""
        if port == Port.HOST:
            string = self.given.pop(0) if not self.malformed else b""
            self.malformed = self.malformed or len(string) != octets
            return bytes(octets) if self.malformed else string
        if port == Port.MESSAGE:
            message = self.given[0] + b"\x80"
            found = message[self.position : self.position + octets]
            self.ended = self.position + octets >= len(message)
            self.position += octets
            return found.ljust(octets, b"\0")
        if port == Port.LENGTH:
            return bytes([len(self.given[0]) % self.block])
        if port == Port.HASH:
            return hashlib.new(self.kind, unpadded(self.hashed, self.block)).digest()
        if port == Port.MASK:
            return random.Random(len(self.hashed)).randbytes(octets)
        assert port == Port.NOISE
        found, self.samples = self.samples[:octets], self.samples[octets:]
        assert len(found) == octets
        return found

    def write(self, port: int, octets: bytes) -> None:
        """Take octets."""
        if port == Port.HOST:
            self.out.append(octets)
            return
        if port == Port.MASK:
            return
        pad = {Port.HASH: 0, Port.INNER: 0x36, Port.OUTER: 0x5C}[Port(port)]
        self.hashed += bytes(v ^ pad for v in octets)

    def command(self, number: int, argument: int) -> None:
        """Do what a unit is told."""
        if number == Command.HASH:
            self.hashed, self.kind = b"", KINDS[argument]
        elif number == Command.SEED:
            self.seeded = bool(argument)
        elif number == Command.KEY:
            (self.keys.add if argument else self.keys.discard)(self.slot)

    def holds(self, condition: int, argument: int) -> bool:
        """Return whether a condition holds."""
        return {
            Condition.MALFORMED: self.malformed,
            Condition.EMPTY: self.slot not in self.keys,
            Condition.OPTIONS: bool(self.flags & argument),
            Condition.NO_ENTROPY: False,
            Condition.SEEDED: self.seeded,
            Condition.ENDED: self.ended,
            Condition.SECRETS: bool(self.keys),
        }[Condition(condition)]
