# SPDX-License-Identifier: Apache-2.0
"""Keys in DER: read each structure once, strictly, into numbers that are then checked.

Sources: SEC 1 version 2 (2009), C.2 to C.4, and X9.62 (curves by parameters); RFC 5915
(ECPrivateKey), RFC 5958 (PKCS #8 versions 1 and 2), RFC 5480 (SubjectPublicKeyInfo).

The readers raise :class:`BadEncoding` if they can say what is wrong, and an error of
:data:`STUMBLES` if the octets do not have the structure at all.
"""

from __future__ import annotations

import secrets
from typing import Any

from Crypto.Util.asn1 import DerBitString, DerObjectId, DerOctetString, DerSequence

from ecsm.curves import Curve, PointEncodingError, UnknownCurveError, curve
from ecsm.curves.gf2m.weierstrass import BinaryCurve
from ecsm.schemes import octet_keys
from ecsm.schemes.key import BadEncoding, Key

STUMBLES = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
"""What octets of a wrong shape make a parser raise."""
_MOST_OID = 60  # characters of a name in numbers that is repeated in a message

EC_KEY = "1.2.840.10045.2.1"  # id-ecPublicKey
WANTED = "a key of an elliptic curve (id-ecPublicKey), of X25519 or of Ed25519 is wanted"
_OTHERS = {
    "1.2.840.113549.1.1.1": "an RSA key", "1.2.840.113549.1.1.10": "an RSA-PSS key",
    "1.2.840.10040.4.1": "a DSA key", "1.3.101.111": "an X448 key", "1.3.101.113": "an Ed448 key",
}  # fmt: skip
"""What is no such key, by the name of its algorithm."""
_PRIME_FIELD, _BINARY_FIELD = "1.2.840.10045.1.1", "1.2.840.10045.1.2"
_TRINOMIAL, _PENTANOMIAL = f"{_BINARY_FIELD}.3.2", f"{_BINARY_FIELD}.3.3"
_OBJECT, _SEQUENCE = 0x06, 0x30
_EXPLICIT_0, _EXPLICIT_1, _IMPLICIT_0, _IMPLICIT_1 = 0xA0, 0xA1, 0xA0, 0x81

_SECT = {
    "163k1": 1, "163r1": 2, "239k1": 3, "113r1": 4, "113r2": 5, "163r2": 15, "283k1": 16,
    "283r1": 17, "131r1": 22, "131r2": 23, "193r1": 24, "193r2": 25, "233k1": 26, "233r1": 27,
    "409k1": 36, "409r1": 37, "571k1": 38, "571r1": 39,
}  # fmt: skip
_SECP = {
    "112r1": 6, "112r2": 7, "160r1": 8, "160k1": 9, "256k1": 10, "128r1": 28, "128r2": 29,
    "160r2": 30, "192k1": 31, "224k1": 32, "224r1": 33, "384r1": 34, "521r1": 35,
}  # fmt: skip
_BRAINPOOL = ("160r1", "160t1", "192r1", "192t1", "224r1", "224t1", "256r1", "256t1", "320r1",
              "320t1", "384r1", "384t1", "512r1", "512t1")  # fmt: skip
OIDS: dict[str, str] = {
    "secp192r1": "1.2.840.10045.3.1.1",
    "secp256r1": "1.2.840.10045.3.1.7",
    **{f"sect{name}": f"1.3.132.0.{number}" for name, number in _SECT.items()},
    **{f"secp{name}": f"1.3.132.0.{number}" for name, number in _SECP.items()},
    **{f"brainpoolP{name}": f"1.3.36.3.3.2.8.1.1.{i}" for i, name in enumerate(_BRAINPOOL, 1)},
}
"""Names of curves in numbers (SEC 2 version 2, A.2; RFC 5639, 4), of those not known here, too."""
_NAMES = {number: name for name, number in OIDS.items()}


def items(der: bytes, tag: int | None = None) -> list[Any]:
    """Return the elements of a SEQUENCE, INTEGERs as numbers, others in DER.

    With ``tag`` it is of the context's tag of that number.
    """
    found: list[Any] = DerSequence(implicit=tag).decode(der, strict=True)[:]
    return found


def _optional(rest: list[Any], tag: int) -> bytes | None:
    """Take the next element if it has the tag."""
    if rest and isinstance(rest[0], bytes) and rest[0][0] == tag:
        element: bytes = rest.pop(0)
        return element
    return None


def _object(der: bytes) -> str:
    return DerObjectId().decode(der, strict=True).value


def _octet_string(der: bytes) -> bytes:
    return DerOctetString().decode(der, strict=True).payload


def parameters(der: bytes) -> Curve:
    """Read the parameters of a curve: its name, or those of a curve that has a name here."""
    if der[0] == _OBJECT:
        number = _object(der)
        try:
            return curve(_NAMES.get(number, ""))
        except UnknownCurveError:
            shown = _NAMES.get(number, number[:_MOST_OID])
            raise BadEncoding(f"the key's curve is not one of here: {shown}") from None
    if der[0] == _SEQUENCE:
        return _explicit(der)
    raise BadEncoding("the key does not say of which curve it is")


def _explicit(der: bytes) -> Curve:
    """Find the curve that has exactly these parameters, the generator in any encoding."""
    version, field, equation, base, order, *cofactor = items(der)
    a, b, *seed = items(equation)
    if version not in (1, 2, 3) or len(cofactor) > 1 or len(seed) > 1:
        raise BadEncoding("the curve's explicit parameters are not of version 1, 2 or 3")
    given = _field(field), *(int.from_bytes(_octet_string(v), "big") for v in (a, b)), order
    for name in OIDS:
        try:
            c = curve(name)
        except UnknownCurveError:
            continue
        same = (_field_of(c), *c.coefficients.values(), c.n) == given
        if same and _octet_string(base) in _encodings(c) and cofactor in ([], [c.h]):
            return c
    raise BadEncoding("the curve's explicit parameters are those of no curve with a name here")


def _field(der: bytes) -> tuple[Any, ...]:
    """Return p, or the exponents of the field's polynomial, descending."""
    kind, form = items(der)
    if _object(kind) == _PRIME_FIELD:
        return (form,)
    if _object(kind) == _BINARY_FIELD:
        degree, basis, terms = items(form)
        if _object(basis) == _TRINOMIAL:
            return (degree, terms, 0)
        if _object(basis) == _PENTANOMIAL:
            return (degree, *reversed(items(terms)), 0)
    raise BadEncoding("the curve's field is not taken: GF(p), or GF(2^m) in a polynomial basis")


def _field_of(c: Curve) -> tuple[int, ...]:
    return (c.field.m, *c.field.exponents) if isinstance(c, BinaryCurve) else (c.q,)


def _encodings(c: Curve) -> tuple[bytes, bytes, bytes]:
    """Return the generator uncompressed, compressed and hybrid (X9.62)."""
    plain = c.encode(c.generator)
    hybrid = bytes([6 + c.sign(c.generator)]) + plain[1:]
    return plain, c.encode(c.generator, compressed=True), hybrid


def _one(*curves: Curve | None) -> Curve:
    """Return the curve that all the places name that name one."""
    named = {c.name: c for c in curves if c is not None}
    if not named:
        raise BadEncoding("the key does not say of which curve it is")
    if len(named) > 1:
        raise BadEncoding(f"the file has more than one curve: {', '.join(sorted(named))}")
    (c,) = named.values()
    return c


def _point(c: Curve, octets: bytes) -> tuple[int, int]:
    """Read a point, compressed, uncompressed or hybrid."""
    hybrid = octets[:1] in (b"\x06", b"\x07")
    try:
        point = c.decode(b"\x04" + octets[1:] if hybrid else octets)
    except PointEncodingError as error:
        raise BadEncoding(f"public key: {error}") from None
    if point is None:
        raise BadEncoding("the public key is infinity")
    if hybrid and c.sign(point) != octets[0] & 1:
        raise BadEncoding("public key: the first octet, of a hybrid point, does not fit its y")
    return point


def _multiple(c: Curve, d: int) -> Any:
    """Return d G as the sum of two random multiples: curves' arithmetic takes varying time."""
    part = secrets.randbelow(c.n)
    return c.add(c.mul(part, c.generator), c.mul((d - part) % c.n, c.generator))


def sec1(der: bytes, outside: Curve | None = None, public: bytes | None = None) -> Key:
    """Read an ECPrivateKey; ``outside``: the curve, ``public``: the public key around it.

    The private key counts as a number, whatever zeros are before it: old software writes less
    than RFC 5915 wants.
    """
    version, secret, *rest = items(der)
    inside = _optional(rest, _EXPLICIT_0)
    point = _optional(rest, _EXPLICIT_1)
    if version != 1 or rest:
        raise BadEncoding("this is no ECPrivateKey of version 1")
    c = _one(outside, parameters(*items(inside, 0)) if inside else None)
    d = int.from_bytes(_octet_string(secret), "big")
    if not 0 < d < c.n:
        raise BadEncoding("the private key is not in 1 .. n - 1")
    points = [] if point is None else [DerBitString(explicit=1).decode(point, strict=True).value]
    points += [] if public is None else [public]
    found = [_point(c, octets) for octets in points]
    if found and {_multiple(c, d)} != set(found):
        raise BadEncoding("the public key is not the private key's")
    return Key(c, d, found[0] if found else None)


def private(
    kind: str, curves: bytes | None, secret: bytes, public: bytes | None, outside: Curve | None
) -> Key:
    """Read what PKCS #8 says: algorithm, its parameters, private key, public key if it has one."""
    if octet_keys.is_octets(kind):
        return octet_keys.private(kind, curves, secret, public)
    return sec1(secret, _one(outside, _curve_of(kind, curves)), public)


def _curve_of(kind: str, curves: bytes | None = None) -> Curve:
    """Return the curve of an algorithm's name and parameters."""
    if kind != EC_KEY:
        raise BadEncoding(f"this is {_OTHERS.get(kind, 'a key of another kind')}: {WANTED}")
    if curves is None:
        raise BadEncoding("the key does not say of which curve it is")
    return parameters(curves)


def _algorithm(der: bytes) -> tuple[str, bytes | None]:
    kind, *rest = items(der)
    if len(rest) > 1:
        raise BadEncoding("the key's algorithm has too many parameters")
    return _object(kind), rest[0] if rest else None


def pkcs8(der: bytes, outside: Curve | None = None) -> Key:
    """Read a PrivateKeyInfo (version 1) or OneAsymmetricKey (version 2); attributes go unread."""
    version, algorithm, secret, *rest = items(der)
    _optional(rest, _IMPLICIT_0)
    public = _optional(rest, _IMPLICIT_1)
    if version not in (0, 1) or rest or (version == 0 and public is not None):
        raise BadEncoding("this is no PKCS #8 key of version 1 or 2")
    octets = None if public is None else DerBitString(implicit=1).decode(public, strict=True).value
    return private(*_algorithm(algorithm), _octet_string(secret), octets, outside)


def spki(der: bytes, outside: Curve | None = None) -> Key:
    """Read a SubjectPublicKeyInfo; the point's order is n."""
    algorithm, bits = items(der)
    kind, curves = _algorithm(algorithm)
    octets = DerBitString().decode(bits, strict=True).value
    if octet_keys.is_octets(kind):
        return octet_keys.public(kind, curves, octets)
    c = _one(outside, _curve_of(kind, curves))
    point = _point(c, octets)
    if c.h > 1 and c.mul(c.n, point) is not None:
        raise BadEncoding(f"public key: the point's order is not that of {c.name}'s generator")
    return Key(c, None, point)
