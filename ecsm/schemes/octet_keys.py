# SPDX-License-Identifier: Apache-2.0
"""Keys of X25519 and Ed25519: they are octets, and their algorithm's name is the curve's.

Sources: RFC 8410 (algorithms, CurvePrivateKey), RFC 7748 and RFC 8032 (the octets).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from Crypto.PublicKey import ECC
from Crypto.Util.asn1 import DerOctetString

from ecsm.curves import CURVE25519, EDWARDS25519, Curve
from ecsm.schemes.key import BadEncoding, Key

OCTETS = 32  # of a private key, and of a public one
ALGORITHMS: dict[str, Curve] = {"1.3.101.110": CURVE25519, "1.3.101.112": EDWARDS25519}
"""Curves by the algorithm's name in numbers."""
NAMES = {c.name: oid for oid, c in ALGORITHMS.items()}
"""The other way."""


@dataclass(frozen=True, repr=False)
class OctetKey(Key):
    """A key of 32 octets: ``private`` is None if only the public one is known, ``octets`` so."""

    d: None = None
    public: None = None
    private: bytes | None = None
    octets: bytes | None = None

    def __repr__(self) -> str:
        """Say nothing of the private key."""
        return f"OctetKey({self.curve.name}, {'private' if self.private is not None else 'public'})"

    @property
    def scalar(self) -> bytes:
        """The private key. Raises BadEncoding without one."""
        if self.private is None:
            raise BadEncoding("a private key is wanted, and this is a public one")
        return self.private

    @property
    def point(self) -> tuple[bytes, ...]:
        """The public key, one string. Raises BadEncoding without it."""
        if self.octets is None:
            raise BadEncoding("the file has no public key")
        return (self.octets,)

    def with_public(self, strings: tuple[bytes, ...]) -> OctetKey:
        """Return the key with its public part, as a device hands it out."""
        (octets,) = strings
        return OctetKey(self.curve, private=self.private, octets=octets)

    def public_part(self) -> OctetKey:
        """Return the public key alone."""
        return OctetKey(self.curve, octets=self.octets)


def made(c: Curve) -> OctetKey:
    """Return a random private key."""
    return OctetKey(c, private=secrets.token_bytes(OCTETS))


def is_octets(kind: str) -> bool:
    """Whether an algorithm, by its name in numbers, has such keys."""
    return kind in ALGORITHMS


def _checked(octets: bytes, what: str) -> bytes:
    if len(octets) != OCTETS:
        raise BadEncoding(f"the {what} key has {len(octets)} octets, {OCTETS} are right")
    return octets


def _curve(kind: str, parameters: bytes | None) -> Curve:
    if parameters is not None:
        raise BadEncoding("the key's algorithm has parameters, and must have none")
    return ALGORITHMS[kind]


def private(kind: str, parameters: bytes | None, secret: bytes, public: bytes | None) -> OctetKey:
    """Read what PKCS #8 says: algorithm, its parameters, private key, public key if it has one.

    The public key must be that of the private one.
    """
    inner = _checked(DerOctetString().decode(secret, strict=True).payload, "private")
    octets = None if public is None else _checked(public, "public")
    c = _curve(kind, parameters)
    if octets is not None and octets != _public_of(c, inner):
        raise BadEncoding("the public key is not the private key's")
    return OctetKey(c, private=inner, octets=octets)


def _public_of(c: Curve, secret: bytes) -> bytes:
    """Compute the public key in software, by PyCryptodome."""
    key = ECC.construct(curve="Ed25519" if c == EDWARDS25519 else "Curve25519", seed=secret)
    return bytes(key.public_key().export_key(format="raw"))


def public(kind: str, parameters: bytes | None, octets: bytes) -> OctetKey:
    """Read what a SubjectPublicKeyInfo says: algorithm, its parameters, public key."""
    return OctetKey(_curve(kind, parameters), octets=_checked(octets, "public"))
