# SPDX-License-Identifier: Apache-2.0
"""The device of a party: each step that it executes, with octets and cycles."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from ecsm.curves import Curve
from ecsm.demo.echeque.message import MOST
from ecsm.device.schemes import SchemeDevice
from ecsm.presets.table import EveryPreset, all_presets, any_preset, is_toy
from ecsm.presets.word import WORD_PRESETS
from ecsm.results.kept import known
from ecsm.results.record import load_pnr
from ecsm.results.sources import current_digest
from ecsm.schemes.assembler import octets_of
from ecsm.schemes.encoding import Key, has_name
from ecsm.schemes.program import has_schemes
from ecsm.schemes.word.program import word_operations
from ecsm.soc.serial import SocDevice
from ecsm.status import CoreError

DEFAULT = "b233-small"
SEALS = "ec-aes-encrypt"
Log = Callable[[str], None]


@dataclass(frozen=True)
class Kind:
    """A kind of device: what opens one with a preset's schemes, and what it signs a digest of.

    ``octets``: of the digest; ``room``: octets of a message that it takes, at the most.
    """

    about: str
    open: Callable[[str, Log | None], SchemeDevice | SocDevice]
    digest: str
    octets: int
    room: int


KINDS = {
    "sim": Kind("simulated core", lambda p, log: SchemeDevice(p, log=log), "sha256", 32, MOST),
    "soc": Kind("simulated system on chip, over its serial port", SocDevice, "sha1", 20, 2000),
}
"""By name: the scheme machine by itself, or asked by the firmware of the system on chip."""


def offered() -> list[EveryPreset]:
    """Return the presets with all schemes and key files, but for toys: word engines come last."""
    cores = (p for p in all_presets() if has_schemes(p) and not is_toy(p))
    words = (p for p in WORD_PRESETS.values() if SEALS in word_operations(p) and p.protected)
    return [*cores, *(p for p in words if has_name(p.curve))]


@dataclass(frozen=True)
class Placed:
    """The clock that place and route measured for a preset's bare core, without its schemes.

    ``earlier``: the RTL has changed since.
    """

    mhz: float
    device: str
    earlier: bool


@cache
def placed(preset: str) -> Placed | None:
    """Return a preset's placed clock, None if it was never placed and routed."""
    found = load_pnr(preset, known())
    if found is None:
        return None
    return Placed(found.mhz, found.device, found.origin.rtl != current_digest(preset))


@dataclass(frozen=True)
class Step:
    """Something that was done: ``octets`` by name; ``cycles`` of the core, None if it had no part.

    No octets of a key are in it.
    """

    name: str
    about: str
    octets: tuple[tuple[str, bytes], ...] = ()
    cycles: int | None = None


@dataclass
class Trail:
    """The steps of one cheque, at one party, on one preset's core."""

    preset: str
    steps: list[Step] = field(default_factory=list)

    def add(self, name: str, about: str, cycles: int | None = None, **octets: bytes) -> None:
        """Add a step; names of octets are written with ``_`` for a blank."""
        named = tuple((k.replace("_", " "), v) for k, v in octets.items())
        self.steps.append(Step(name, about, named, cycles))

    @property
    def cycles(self) -> int:
        """Cycles of all steps."""
        return sum(s.cycles or 0 for s in self.steps)


class Core:
    """One party's device. Its random generator is seeded; its slot holds a key only in a turn."""

    def __init__(self, preset: str, log: Log | None = None, kind: str = "sim") -> None:
        self._kind = KINDS[kind]
        self._device = self._kind.open(preset, log)
        self._turn = threading.Lock()
        self.preset = preset
        self._device.run("seed")

    @property
    def curve(self) -> Curve:
        """The curve of the core."""
        return any_preset(self.preset).curve

    @property
    def order_octets(self) -> int:
        """The length of a scalar, as r and s are, in octets."""
        return octets_of(self.curve.n.bit_length())

    @property
    def room(self) -> int:
        """Octets of an encrypted message that the device takes, at the most."""
        return self._kind.room

    def close(self) -> None:
        """Free the device."""
        self._device.close()

    @contextmanager
    def _holding(self, key: Key) -> Iterator[int]:
        """Have the device to oneself, with a private key in it; yield the cycles of loading."""
        with self._turn:
            loaded = self._device.run("load", key.scalar).cycles
            try:
                yield loaded
            finally:
                self._device.run("forget")

    def public(self, key: Key) -> tuple[int, int]:
        """Return the public key of a private one."""
        with self._holding(key):
            x, y = self._device.run("public").strings
        return int.from_bytes(x, "big"), int.from_bytes(y, "big")

    def _hash(self, message: bytes, trail: Trail) -> bytes:
        name = self._kind.digest
        hashed = self._device.run(name, message)
        (digest,) = hashed.strings
        about = (
            f"{name.upper().replace('SHA', 'SHA-')} makes {self._kind.octets} octets of the cheque;"
            " another cheque would make others."
        )
        trail.add("Hash", about, hashed.cycles, digest=digest)
        return digest

    def sign(self, key: Key, message: bytes, trail: Trail) -> bytes:
        """Return r and s, one behind the other, of a message."""
        with self._holding(key) as loaded:
            about = "The payer's private key goes into a slot of the device that nobody can read."
            trail.add("Load the key", about, loaded)
            digest = self._hash(message, trail)
            made = self._device.run(f"sign-{self._kind.digest}", digest)
        r, s = made.strings
        about = "ECDSA: two numbers that only the owner of the private key can make."
        trail.add("Sign", about, made.cycles, r=r, s=s)
        return r + s

    def encrypt(self, to: Key, message: bytes, trail: Trail) -> tuple[bytes, bytes, bytes]:
        """Return R (x, then y), the IV and the encrypted message."""
        with self._turn:
            made = self._device.run("ec-aes-encrypt", *to.point, message)
        x, y, iv, sealed = made.strings
        about = (
            "EC-AES: a fresh random point R, a secret that only the bank can make of it, and"
            " AES-256 in counter mode with a key derived from that secret."
        )
        trail.add("Encrypt to the bank", about, made.cycles, R=x + y, IV=iv, encrypted=sealed)
        return x + y, iv, sealed

    def decrypt(self, key: Key, r: bytes, iv: bytes, sealed: bytes, trail: Trail) -> bytes:
        """Return the message. Raises :class:`CoreError` if R is no point of the group."""
        half = len(r) // 2
        with self._holding(key) as loaded:
            about = "The bank's private key goes into a slot of its device."
            trail.add("Load the key", about, loaded)
            made = self._device.run("ec-aes-decrypt", r[:half], r[half:], iv, sealed)
        (message,) = made.strings
        about = "EC-AES: the same secret of R and the bank's key. Nothing tells yet if it is right."
        trail.add("Decrypt", about, made.cycles, decrypted=message)
        return message

    def verify(self, key: Key, message: bytes, signature: bytes, trail: Trail) -> bool:
        """Return whether r and s are the key's signature of a message."""
        size = self.order_octets
        with self._turn:
            digest = self._hash(message, trail)
            try:
                strings = (*key.point, digest, signature[:size], signature[size:])
                cycles = self._device.run(f"verify-{self._kind.digest}", *strings).cycles
                right = True
            except CoreError:
                cycles, right = self._device.last_cycles, False
        about = "ECDSA with the payer's public key: the signature is " + (
            "right." if right else "wrong."
        )
        trail.add("Verify", about, cycles)
        return right
