# SPDX-License-Identifier: Apache-2.0
"""How a file that holds a private key looks, whoever wrote it: nothing is decrypted or computed.

Sources: RFC 7468 (PEM), RFC 4716 (SSH2), RFC 5958, 5915, 8017 and 7292 (DER), RFC 7517 and 7518
(JWK); for the others, what their programs write.
"""

from __future__ import annotations

import base64
import contextlib
import re

from ecsm.schemes.der import STUMBLES, items

_TEXT = re.compile(
    rb"-{4,5}[ \t]*(?:begin|end) [a-z0-9 ]{0,40}private key(?: block)?[ \t]*-{4,5}"
    rb"|^putty-user-key-file-"
    rb"|\bage-secret-key-"
    rb"|^untrusted comment: .{0,60}\bsecret key"  # minisign, signify
    rb"|^[ \t]*privatekey[ \t]*="  # WireGuard
    rb"|^private-key-format:",  # BIND
    re.MULTILINE,
)
_JWK, _JWK_PRIVATE = re.compile(rb'"kty"\s*:'), re.compile(rb'"[dk]"\s*:\s*"')
_BINARY = re.compile(
    rb"\x1e\xf1\xb5\xb0"  # PVK
    rb"|\x07\x02\0\0....(?:RSA2|DSS2|ECS)"  # a key blob of Microsoft
    rb"|\xfe\xed\xfe\xed|\xce\xce\xce\xce",  # Java's JKS, JCEKS
    re.DOTALL,
)
_HEXADECIMAL, _BASE64 = re.compile(rb"[0-9A-Fa-f:]+"), re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_PLAIN = bytes.maketrans(b"-_", b"+/")  # base64url, as base64
_LEAST_NUMBERS = 6  # of a private key in the forms of PKCS #1 and of DSA, the version included
_SEQUENCE, _STRING = 0x30, 0x04
_MOST_ELEMENTS = 64  # of DER, one behind the other


def holds_private_key(octets: bytes) -> bool:
    """Whether a file seems to hold a private key, of whatever curve or kind, encrypted or not."""
    text = octets.replace(b"\0", b"").lower()  # of UTF-16, too
    if b"key" in text and _TEXT.search(text):
        return True
    if _JWK.search(octets) and _JWK_PRIVATE.search(octets):
        return True
    return bool(_BINARY.match(octets)) or any(map(_is_der, _binaries(octets)))


def _binaries(octets: bytes) -> list[bytes]:
    """Return what may be DER: the octets, and what they are in hexadecimal and base64."""
    found = [octets.lstrip(b"\t\n\r ")]
    text = b"".join(octets.split())
    with contextlib.suppress(ValueError):
        if _HEXADECIMAL.fullmatch(text):
            found.append(bytes.fromhex(text.replace(b":", b"").decode("ascii")))
    with contextlib.suppress(ValueError):
        if _BASE64.fullmatch(text):
            text = text.rstrip(b"=").translate(_PLAIN)
            found.append(base64.b64decode(text + b"=" * (-len(text) % 4)))
    return found


def _is_der(octets: bytes) -> bool:
    """Whether one of the first elements, as behind certificates, is a private key."""
    at = 0
    for _ in range(_MOST_ELEMENTS):
        element = _first_element(octets[at:])
        if len(element) < 2:
            return False
        if _is_key(element):
            return True
        at += len(element)
    return False


def _is_key(element: bytes) -> bool:
    with contextlib.suppress(*STUMBLES):
        first, second, *rest = items(element)
        if isinstance(first, int) and isinstance(second, int):  # RSA, DSA
            return len(rest) + 2 >= _LEAST_NUMBERS
        if isinstance(first, int):
            return bool(second[0] in (_SEQUENCE, _STRING))  # PKCS #8, SEC 1, PKCS #12
        return bool(first[0] == _SEQUENCE and second[0] == _STRING)  # PKCS #8, encrypted
    return False


def _first_element(der: bytes) -> bytes:
    """Return the first element of a sequence's kind, without what is behind it; or nothing."""
    if len(der) < 2 or der[0] != _SEQUENCE:
        return b""
    octets = der[1] & 0x7F if der[1] & 0x80 else 0  # of the length
    length = int.from_bytes(der[2 : 2 + octets], "big") if octets else der[1]
    return der[: 2 + octets + length]
