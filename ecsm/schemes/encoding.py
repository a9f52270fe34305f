# SPDX-License-Identifier: Apache-2.0
"""Keys as PEM (SEC 1, PKCS #8, SubjectPublicKeyInfo) and signatures as DER, as openssl has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from asn1crypto import algos, keys, pem  # type: ignore[import-untyped]

from ecsm.curves import Curve, PointEncodingError, UnknownCurveError, curve
from ecsm.schemes.assembler import octets_of


class BadEncoding(ValueError):
    """Octets are no key or no signature of the kind that is wanted. Never says what they are."""


@dataclass(frozen=True, repr=False)
class Key:
    """A key of a curve; ``d`` is None if only the public one is known, ``public`` if the other."""

    curve: Curve
    d: int | None
    public: tuple[int, int] | None

    def __repr__(self) -> str:
        """Say nothing of the private key."""
        return f"Key({self.curve.name}, {'private' if self.d is not None else 'public'})"

    @property
    def scalar(self) -> bytes:
        """The private key as a string as long as the order. Raises BadEncoding without one."""
        if self.d is None:
            raise BadEncoding("a private key is wanted, and this is a public one")
        return self.d.to_bytes(octets_of(self.curve.n.bit_length()), "big")

    @property
    def point(self) -> tuple[bytes, bytes]:
        """The public key's coordinates as strings. Raises BadEncoding without them."""
        if self.public is None:
            raise BadEncoding("the file has no public key")
        size = self.curve.octets
        return self.public[0].to_bytes(size, "big"), self.public[1].to_bytes(size, "big")


def _curve(parameters: Any) -> Curve:
    if parameters.name != "named":
        raise BadEncoding("the key's curve has no name: explicit parameters are not taken")
    try:
        return curve(parameters.chosen.native)
    except UnknownCurveError as error:
        raise BadEncoding(str(error)) from None


def _public(c: Curve, octets: bytes) -> tuple[int, int]:
    try:
        point = c.decode(octets)
    except PointEncodingError as error:
        raise BadEncoding(f"public key: {error}") from None
    if point is None:
        raise BadEncoding("the public key is infinity")
    return point


def _private(value: Any, parameters: Any) -> Key:
    c = _curve(parameters)
    d = value["private_key"].native
    if not 0 < d < c.n:
        raise BadEncoding("the private key is not in 1 .. n - 1")
    octets = value["public_key"].native
    return Key(c, d, None if octets is None else _public(c, octets))


def read_key(octets: bytes) -> Key:
    """Read a key in PEM or DER.

    Private: SEC 1's ECPrivateKey or PKCS #8, not encrypted. Public: SubjectPublicKeyInfo. In PEM
    parameters of a curve may come before. Raises :class:`BadEncoding`.
    """
    try:
        if not pem.detect(octets):
            return _read_der(octets)
        for kind, _, der in pem.unarmor(octets, multiple=True):
            if kind == "EC PARAMETERS":
                continue
            if kind == "EC PRIVATE KEY":
                value = keys.ECPrivateKey.load(der, strict=True)
                return _private(value, value["parameters"])
            if kind in ("PRIVATE KEY", "PUBLIC KEY"):
                return _read_der(der)
            raise BadEncoding(f"a {kind} is not taken")
    except BadEncoding:
        raise
    except (ValueError, TypeError, KeyError):
        pass  # the parser's complaint may have the key in it
    raise BadEncoding("this is no key in PEM or DER")


def _read_der(der: bytes) -> Key:
    for kind in (keys.PrivateKeyInfo, keys.ECPrivateKey, keys.PublicKeyInfo):
        try:
            value = kind.load(der, strict=True)
            value.native  # noqa: B018 - parses all of it
        except (ValueError, TypeError, KeyError):
            continue
        if kind is keys.ECPrivateKey:
            return _private(value, value["parameters"])
        algorithm = value["private_key_algorithm" if kind is keys.PrivateKeyInfo else "algorithm"]
        if algorithm["algorithm"].native != "ec":
            raise BadEncoding("the key is not one of an elliptic curve")
        if kind is keys.PrivateKeyInfo:
            return _private(value["private_key"].parsed, algorithm["parameters"])
        c = _curve(algorithm["parameters"])
        return Key(c, None, _public(c, value["public_key"].native))
    raise BadEncoding("this is no key in PEM or DER")


def _named(c: Curve) -> Any:
    return keys.ECDomainParameters({"named": c.name.lower()})


def private_pem(key: Key) -> bytes:
    """Return a private key as PKCS #8 in PEM."""
    assert key.d is not None
    assert key.public is not None
    inner = keys.ECPrivateKey(
        {"version": 1, "private_key": key.d, "public_key": key.curve.encode(key.public)}
    )
    inner["private_key"].set_encoded_width(len(key.scalar))
    info = keys.PrivateKeyInfo(
        {
            "version": 0,
            "private_key_algorithm": {"algorithm": "ec", "parameters": _named(key.curve)},
            "private_key": inner,
        }
    )
    armored: bytes = pem.armor("PRIVATE KEY", info.dump())
    return armored


def public_pem(key: Key) -> bytes:
    """Return a public key as SubjectPublicKeyInfo in PEM."""
    assert key.public is not None
    info = keys.PublicKeyInfo(
        {
            "algorithm": {"algorithm": "ec", "parameters": _named(key.curve)},
            "public_key": keys.ECPointBitString(key.curve.encode(key.public)),
        }
    )
    armored: bytes = pem.armor("PUBLIC KEY", info.dump())
    return armored


def signature_der(r: bytes, s: bytes) -> bytes:
    """Return r and s as an ECDSA-Sig-Value."""
    values = {"r": int.from_bytes(r, "big"), "s": int.from_bytes(s, "big")}
    encoded: bytes = algos.DSASignature(values).dump()
    return encoded


def read_signature(der: bytes, octets: int) -> tuple[bytes, bytes]:
    """Return r and s as strings of ``octets`` octets; only their one encoding in DER is taken.

    Raises :class:`BadEncoding`, for an r or s that is negative or longer too.
    """
    try:
        values = algos.DSASignature.load(der, strict=True).native
        if algos.DSASignature(values).dump() != der:
            raise BadEncoding("the signature is not in DER")
        return values["r"].to_bytes(octets, "big"), values["s"].to_bytes(octets, "big")
    except BadEncoding:
        raise
    except (ValueError, TypeError, KeyError, OverflowError):
        raise BadEncoding("this is no signature in DER of this curve") from None
