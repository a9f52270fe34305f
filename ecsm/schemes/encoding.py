# SPDX-License-Identifier: Apache-2.0
"""Key files, PEM or DER, encrypted or not, and signatures in DER, as openssl writes them."""

from __future__ import annotations

import binascii
import contextlib
import re
import secrets
from collections.abc import Callable, Iterator

from Crypto import IncorrectPassphraseError, KdfLimitError
from Crypto.IO import PEM, PKCS8
from Crypto.Util.asn1 import DerBitString, DerObject, DerObjectId, DerOctetString, DerSequence

from ecsm.curves import Curve
from ecsm.schemes import octet_keys
from ecsm.schemes.der import (
    EC_KEY,
    OIDS,
    STUMBLES,
    WANTED,
    items,
    parameters,
    pkcs8,
    private,
    sec1,
    spki,
)
from ecsm.schemes.key import BadEncoding, Key
from ecsm.schemes.octet_keys import OctetKey

__all__ = [
    "MOST_OCTETS", "BadEncoding", "Key", "OctetKey", "Passphrase", "has_name", "new_key",
    "octet_signature", "private_pem",
    "public_pem", "read_key", "read_signature", "reference_pem", "signature_der",
]  # fmt: skip

MOST_OCTETS = 1 << 16
"""Of a key's file, text around the key included."""
_MOST_DER = 1 << 14
_MOST_ITERATIONS = 1 << 21  # of PBKDF2, or N r p / 8 of scrypt: a few seconds
_MOST_MEMORY = 1 << 28  # octets, of scrypt
_ITERATIONS = 600_000  # of what is written: OWASP, Password Storage Cheat Sheet (2023), 2.3

_SEC1, _PKCS8, _SPKI = "EC PRIVATE KEY", "PRIVATE KEY", "PUBLIC KEY"
_PARAMETERS, _ENCRYPTED = "EC PARAMETERS", "ENCRYPTED PRIVATE KEY"
_READERS = {_SEC1: sec1, _PKCS8: pkcs8, _SPKI: spki}
_BEGIN = re.compile(rb"-----BEGIN ([A-Z0-9 ]{1,40})-----")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # that editors put before a text in UTF-8: openssl skips it
_SEQUENCE, _STRING, _UTF8_STRING = 0x30, 0x04, 0x0C
_MOST_AROUND = 10  # octets around and before the two numbers of a signature

Passphrase = Callable[[], bytes]
"""Called for a key that is encrypted, and for no other."""


def read_key(octets: bytes, passphrase: Passphrase | None = None) -> Key:
    """Read the one key of a file in PEM or DER.

    Private: SEC 1's ECPrivateKey or PKCS #8, encrypted if ``passphrase`` is given. Public:
    SubjectPublicKeyInfo. In PEM parameters of its curve and text may stand around the key.
    Raises :class:`BadEncoding`, and whatever ``passphrase`` raises.
    """
    octets = bytes(memoryview(octets))
    if len(octets) > MOST_OCTETS:
        raise BadEncoding(f"the file is longer than a key's, {MOST_OCTETS:,} octets at most")
    try:
        read = _read_pem if b"-----BEGIN " in octets else _read_der
        return read(octets, passphrase)
    except BadEncoding:
        raise
    except STUMBLES:
        pass  # the parser's complaint may have the key in it
    raise BadEncoding("this is no key in PEM or DER")


def _read_pem(octets: bytes, passphrase: Passphrase | None) -> Key:
    outside: Curve | None = None
    found = []
    for label, lines in _blocks(octets):
        if label == _PARAMETERS:
            outside = parameters(_unarmored(lines))
        elif label in _READERS or label == _ENCRYPTED:
            found.append((label, lines))
        else:
            raise BadEncoding(f"a block {label} is not taken: {WANTED}")
    if len(found) != 1:
        raise BadEncoding(f"the file has {len(found) or 'no'} keys; one is expected")
    ((label, lines),) = found
    if label == _ENCRYPTED:
        return _decrypted(_unarmored(lines), passphrase, outside)
    if lines and lines[0].startswith(b"Proc-Type:"):
        return _decrypted_pem(label, lines, passphrase, outside)
    return _READERS[label](_unarmored(lines), outside)


def _blocks(octets: bytes) -> list[tuple[str, list[bytes]]]:
    """Return the label and the lines of each block in PEM; text outside of them is nothing."""
    found: list[tuple[str, list[bytes]]] = []
    end = None
    for line in map(bytes.strip, octets.removeprefix(_BYTE_ORDER_MARK).splitlines()):
        if line.startswith((b"-----BEGIN ", b"-----END ")):
            begin = _BEGIN.fullmatch(line)
            if begin and end is None:
                found.append((begin[1].decode("ascii"), []))
                end = line.replace(b"BEGIN", b"END", 1)
            elif line == end:
                end = None
            else:
                raise BadEncoding("the lines BEGIN and END of a block in PEM do not fit")
        elif end is not None:
            found[-1][1].append(line)
    if end is not None:
        raise BadEncoding("a block in PEM has no end")
    return found


def _unarmored(lines: list[bytes]) -> bytes:
    try:
        return binascii.a2b_base64(b"".join(lines), strict_mode=True)
    except ValueError:
        raise BadEncoding("a block in PEM is damaged: its lines are not base64") from None


def _read_der(der: bytes, passphrase: Passphrase | None) -> Key:
    if len(der) > _MOST_DER:
        raise BadEncoding(f"this is no key: in DER one has {_MOST_DER:,} octets at most")
    first, second, *_ = items(der)
    if isinstance(first, int):
        return pkcs8(der) if second[0] == _SEQUENCE else sec1(der)
    if first[0] == _SEQUENCE and second[0] == _STRING:
        return _decrypted(der, passphrase, None)
    return spki(der)


@contextlib.contextmanager
def _decrypting(passphrase: Passphrase | None) -> Iterator[bytes]:
    """Ask for the passphrase; say why decrypting, or reading what comes out, fails."""
    if passphrase is None:
        raise BadEncoding("the key is encrypted, and no passphrase is taken here")
    known = passphrase()
    if not known:
        raise BadEncoding("the key is encrypted, and the passphrase is empty")
    try:
        yield known
    except BadEncoding:
        raise
    except IncorrectPassphraseError:
        raise BadEncoding("the passphrase is wrong, or the encrypted key is damaged") from None
    except KdfLimitError:
        raise BadEncoding(
            f"the passphrase would take too long to try: {_MOST_ITERATIONS:,} iterations of"
            f" PBKDF2, or N r p / 8 of scrypt, and {_MOST_MEMORY >> 20} MiB are the most"
        ) from None
    except STUMBLES:
        raise BadEncoding(
            "the encrypted key is damaged, or encrypted in a way that is not taken: PBES2 with"
            " PBKDF2 or scrypt, and DEK-Info, each with AES or 3DES, are"
        ) from None


def _decrypted(der: bytes, passphrase: Passphrase | None, outside: Curve | None) -> Key:
    """Read an EncryptedPrivateKeyInfo (RFC 5958, RFC 8018)."""
    _, _ = items(der)
    with _decrypting(passphrase) as known:
        plain = PKCS8.unwrap(der, known, _MOST_ITERATIONS, max_memory=_MOST_MEMORY)
        return private(plain.oid, plain.params, plain.private_key, plain.public_key, outside)


def _decrypted_pem(
    label: str, lines: list[bytes], passphrase: Passphrase | None, outside: Curve | None
) -> Key:
    """Read a block in PEM that is encrypted as a whole, with Proc-Type and DEK-Info (RFC 1421)."""
    _unarmored(lines[2:])
    block = [f"-----BEGIN {label}-----", *(s.decode() for s in lines), f"-----END {label}-----"]
    with _decrypting(passphrase) as known:
        der, _, encrypted = PEM.decode("\n".join(block), known)
        if not encrypted:
            raise BadEncoding("the block's Proc-Type is not 4,ENCRYPTED")
        return _READERS[label](der, outside)


def has_name(c: Curve) -> bool:
    """Whether key files can say that a key is of the curve."""
    return c.name in OIDS or c.name in octet_keys.NAMES


def new_key(c: Curve) -> Key:
    """Return a random private key of a curve, without its public part."""
    if c.name in octet_keys.NAMES:
        return octet_keys.made(c)
    return Key(c, 1 + secrets.randbelow(c.n - 1), None)


def private_pem(key: Key, passphrase: bytes | None = None) -> bytes:
    """Return a private key as PKCS #8 in PEM, encrypted if there is a passphrase (PBES2).

    Raises ``KeyError`` for a curve without a name in key files, see :func:`has_name`.
    """
    kind, named, inner = _algorithm(key)
    if passphrase is None:
        return _armored(PKCS8.wrap(inner, kind, key_params=named), _PKCS8)
    der = PKCS8.wrap(
        inner, kind, passphrase, "PBKDF2WithHMAC-SHA256AndAES256-CBC",
        {"iteration_count": _ITERATIONS}, named,
    )  # fmt: skip
    return _armored(der, _ENCRYPTED)


def reference_pem(name: str) -> bytes:
    """Return PEM that names a key of a device server, as sw/provider/decoder.c reads it."""
    der = DerObject(_UTF8_STRING, f"ecsm:{name}".encode()).encode()
    return PEM.encode(der, "ECSM KEY").encode() + b"\n"


def public_pem(key: Key) -> bytes:
    """Return a public key as SubjectPublicKeyInfo in PEM.

    Raises ``KeyError`` for a curve without a name in key files, see :func:`has_name`.
    """
    if isinstance(key, OctetKey):
        algorithm = DerSequence([DerObjectId(octet_keys.NAMES[key.curve.name])])
        (octets,) = key.point
    else:
        assert key.public is not None
        algorithm = DerSequence([DerObjectId(EC_KEY), DerObjectId(OIDS[key.curve.name])])
        octets = key.curve.encode(key.public)
    return _armored(DerSequence([algorithm, DerBitString(octets)]).encode(), _SPKI)


def _algorithm(key: Key) -> tuple[str, DerObjectId | None, bytes]:
    """Return the name of a key's algorithm, its parameters, and the private key in DER."""
    if isinstance(key, OctetKey):
        return octet_keys.NAMES[key.curve.name], None, DerOctetString(key.scalar).encode()
    assert key.public is not None
    public = DerBitString(key.curve.encode(key.public), explicit=1)
    inner = DerSequence([1, DerOctetString(key.scalar), public]).encode()
    return EC_KEY, DerObjectId(OIDS[key.curve.name]), inner


def _armored(der: bytes, label: str) -> bytes:
    return PEM.encode(der, label).encode() + b"\n"


def signature_der(r: bytes, s: bytes) -> bytes:
    """Return r and s as an ECDSA-Sig-Value."""
    return DerSequence([int.from_bytes(v, "big") for v in (r, s)]).encode()


def read_signature(der: bytes, octets: int) -> tuple[bytes, bytes]:
    """Return r and s as strings of ``octets`` octets; only their one encoding in DER is taken.

    Raises :class:`BadEncoding`, for an r or s that is negative or longer too.
    """
    if len(der) <= 2 * octets + _MOST_AROUND:
        with contextlib.suppress(*STUMBLES):
            r, s = items(der)
            strings = r.to_bytes(octets, "big"), s.to_bytes(octets, "big")
            if signature_der(*strings) == der:
                return strings
    raise BadEncoding("this is no signature in DER of this curve")


def octet_signature(octets: bytes, count: int) -> bytes:
    """Return a signature that is no structure. Raises :class:`BadEncoding` for another length."""
    if len(octets) != count:
        raise BadEncoding(f"a signature has {count} octets, and this file {len(octets):,}")
    return octets
