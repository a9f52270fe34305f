# SPDX-License-Identifier: Apache-2.0
"""Messages for the status UNSUPPORTED: a string of a wrong length, a hash that is not there."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from ecsm.curves import Curve
from ecsm.schemes.assembler import octets_of
from ecsm.schemes.ecies import BLOCK, INFO, MESSAGE, XOR_MESSAGE
from ecsm.schemes.machine import DIGESTS
from ecsm.schemes.options import (
    CIPHER,
    CIPHERS,
    DEVICE,
    GIVEN,
    KDF_HASH,
    MAC_HASH,
    PREHASHED,
    hash_flags,
)
from ecsm.schemes.psec import H_LEN
from ecsm.schemes.wrap import DEVICE_KEY, wrapped_octets

ED25519_MESSAGE = 2047
"""Octets of a message that a device signs with Ed25519, at most: it is kept inside."""


class String(NamedTuple):
    """A string that an operation takes, and how many octets it may have."""

    name: str
    least: int
    most: int

    def fault(self, octets: int, more: str = "") -> str:
        """Return what is wrong with so many octets; nothing if they are right.

        ``more``: said before their number, as "more than ".
        """
        if self.least <= octets <= self.most:
            return ""
        wanted = f"{self.most:,} {'are the most' if self.least == 0 else 'are right'}"
        return f"{self.name} has {more}{octets:,} octets, {wanted}"


def _fixed(octets: int, *names: str) -> list[String]:
    return [String(name, octets, octets) for name in names]


def message_limit(scheme: str, curve: Curve) -> String:
    """Return what the message of "ecies", "ecies-xor" or "demo" may be."""
    if scheme == "demo":  # a coordinate is added to it
        return String("the message of demo", curve.octets, curve.octets)
    most = XOR_MESSAGE if scheme == "ecies-xor" else MESSAGE
    return String(f"the message of {scheme}", 0, most)


def _infos() -> list[String]:
    """Return SharedInfo1, whose length has a limit; that of what follows has none."""
    return [String("SharedInfo1", 0, INFO)]


def strings(operation: str, flags: int, curve: Curve, tag: int) -> list[String]:
    """Return the strings of an operation up to the last one of a certain length, in order.

    ``tag``: octets of a tag of ECIES.
    """
    order = octets_of(curve.n.bit_length())
    point = _fixed(curve.octets, "x", "y")
    scheme, _, way = operation.rpartition("-")
    if operation == "load":
        return _fixed(order, "the private key")
    if operation == "wrap":
        return _fixed(DEVICE_KEY, "the device key") if flags == DEVICE else []
    if operation == "unwrap":
        return _fixed(wrapped_octets(order), "the wrapped key")
    if operation == "x25519":
        return _fixed(curve.octets, "the public key")
    if way == "ed25519":
        message = String("the message", 0, ED25519_MESSAGE)
        digest = _fixed(DIGESTS["sha512"], "the digest") if flags & PREHASHED else []
        if scheme == "sign":
            return digest or [message]
        public = _fixed(curve.octets, "the public key")
        return [*public, *_fixed(2 * curve.octets, "the signature"), *digest]
    if operation == "ecmqv":
        return [*point, *point]
    if operation == "decapsulate":
        return [*point, *_fixed(H_LEN, "the third string of the capsule")]
    if operation == "encapsulate":
        return [*point, *_fixed(H_LEN, "r")] if flags == GIVEN else point
    if operation in ("ecdh", "ecdh-cofactor") or operation == "ec-aes-encrypt":
        return point
    if operation == "ec-aes-decrypt":
        return [*point, *_fixed(16, "the IV")]
    if scheme in ("sign", "verify"):
        digest = _fixed(DIGESTS[way], "the digest")
        return digest if scheme == "sign" else [*point, *digest, *_fixed(order, "r", "s")]
    if way == "encrypt":
        infos = [] if scheme == "demo" else _infos()
        return [*point, message_limit(scheme, curve), *infos]
    if scheme == "demo":
        return [*point, *_fixed(curve.octets, "what is sealed")]
    if way == "decrypt":
        padding = BLOCK if flags & CIPHER else 0
        most = message_limit(scheme, curve).most + padding
        return [*point, String("what is sealed", 0, most), *_fixed(tag, "the tag"), *_infos()]
    return []


def wrong_length(operation: str, flags: int, lengths: Iterable[int], curve: Curve, tag: int) -> str:
    """Return which of the strings has a wrong length, and what is right; nothing if none has."""
    known = strings(operation, flags, curve, tag)
    faults = (s.fault(octets) for s, octets in zip(known, lengths, strict=False))
    return next(filter(None, faults), "")


def refusal(
    operation: str, flags: int, lengths: Iterable[int], curve: Curve, operations: Collection[str]
) -> str:
    """Return why a device of ``operations`` answers UNSUPPORTED, as far as it can be known here."""
    hashes = [name for name in DIGESTS if name in operations]
    tags = hash_flags(MAC_HASH, hashes)
    tag = 0
    if operation.startswith("ecies"):
        if flags & MAC_HASH not in tags or flags & KDF_HASH not in hash_flags(KDF_HASH, hashes):
            return f"the device has no such hash, only {', '.join(hashes)}"
        if flags & CIPHER not in CIPHERS.values():
            return "the device has no such cipher"
        tag = DIGESTS[tags[flags & MAC_HASH]]
    why = wrong_length(operation, flags, lengths, curve, tag)
    if operation == "wrap" and flags == DEVICE:
        return why or "there is a device key already, or a key in a slot"
    return why
