# SPDX-License-Identifier: Apache-2.0
"""Files that are no keys, made to hurt: mutations of every form, structures that grow or nest.

Every file is a key or is refused by :class:`BadEncoding` in one line that has nothing of the key.
"""

from __future__ import annotations

import base64
import functools
import random
import re
import shutil
import time
from collections.abc import Callable

import pytest
from Crypto.Util.asn1 import DerOctetString, DerSequence

from ecsm.schemes.encoding import (
    MOST_OCTETS,
    BadEncoding,
    Key,
    read_key,
    read_signature,
    signature_der,
)
from tests.schemes.key_files import PASSPHRASE, Form, encrypted, pem_of, plain

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
CURVES = ("sect163r2", "sect233k1", "secp224r1", "secp256r1")
MUTATIONS = 50_000
"""Of a curve's files, all of them together, in the slow test: 200,000."""
SECONDS = 5
"""The longest that one file takes: a mutated key may ask for some work."""
_BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----\n([A-Za-z0-9+/=\n]+)-----END")
_CONSTRUCTED, _STRINGS = 0x20, (0x03, 0x04)


def elements(der: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
    """Return each element's start, the start of its content and its end, inner ones too."""
    found: list[tuple[int, int, int]] = []
    while start + 2 <= end:
        tag, length, content = der[start], der[start + 1], start + 2
        if length & 0x80:
            content += length & 0x7F
            length = int.from_bytes(der[start + 2 : content], "big")
        if content + length > end:
            break
        found.append((start, content, content + length))
        if tag & _CONSTRUCTED or (tag in _STRINGS and der[content : content + 1] == b"\x30"):
            found += elements(der, content, content + length)
        start = content + length
    return found


def flipped(rng: random.Random, octets: bytes) -> bytes:
    at = rng.randrange(len(octets))
    return octets[:at] + bytes([octets[at] ^ 1 << rng.randrange(8)]) + octets[at + 1 :]


def replaced(rng: random.Random, octets: bytes) -> bytes:
    at = rng.randrange(len(octets))
    new = rng.choice((0, 1, 2, 3, 4, 5, 6, 0x30, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return octets[:at] + bytes([new]) + octets[at + 1 :]


def cut(rng: random.Random, octets: bytes) -> bytes:
    return octets[: rng.randrange(len(octets))]


def shortened(rng: random.Random, octets: bytes) -> bytes:
    at = rng.randrange(len(octets))
    return octets[:at] + octets[at + rng.randint(1, 8) :]


def lengthened(rng: random.Random, octets: bytes) -> bytes:
    at = rng.randrange(len(octets) + 1)
    return octets[:at] + rng.randbytes(rng.randint(1, 8)) + octets[at:]


def of_other_length(rng: random.Random, octets: bytes) -> bytes:
    """Change what an element says of its length."""
    start, content, end = rng.choice(elements(octets, 0, len(octets)) or [(0, 1, 1)])
    length = rng.choice((0, 1, 0x7F, 0x80, 0xFF, end - content + rng.choice((-1, 1))))
    size = rng.choice((0, 1, 2, 4, 8))
    field = bytes([0x80 | size]) + (length % (1 << 8 * size)).to_bytes(size, "big")
    field = rng.choice((field, bytes([length & 0xFF])))
    return octets[: start + 1] + field + octets[content:]


def rebuilt(octets: bytes, start: int, end: int, new: bytes) -> bytes:
    """Put ``new`` in the place of an element; lengths around it are set right."""
    around = [e for e in elements(octets, 0, len(octets)) if e[1] <= start and end <= e[2]]
    for s, content, e in sorted(around, reverse=True):
        inside = octets[content:start] + new + octets[end:e]
        new = octets[s : s + 1] + DerOctetString(inside).encode()[1:]
        start, end = s, e
    return octets[:start] + new + octets[end:]


def of_other_shape(rng: random.Random, octets: bytes) -> bytes:
    """Drop, double, swap, retag or empty elements; lengths around them are set right."""
    found = elements(octets, 0, len(octets))
    if not found:
        return octets
    (s, content, e), (s2, _, e2) = rng.choice(found), rng.choice(found)
    one, two = octets[s:e], octets[s2:e2]
    tag = rng.choice((0x02, 0x03, 0x04, 0x05, 0x06, 0x30, 0x31, 0x80, 0x81, 0xA0, 0xA1, 0xA2))
    new = rng.choice((
        b"", one + one, one + two, two, two + one, bytes([tag]) + one[1:], one[:1] + b"\0",
        DerSequence([one]).encode(), octets[content:e], b"\x05\x00", b"\x02\x01\x00" + one,
        one[:1] + DerOctetString(octets[content:e] + b"\0").encode()[1:],
        one[:1] + DerOctetString(b"\0" + octets[content:e]).encode()[1:],
        one[:1] + DerOctetString(octets[content + 1 : e]).encode()[1:],
    ))  # fmt: skip
    return rebuilt(octets, s, e, new)


WAYS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flipped, replaced, cut, shortened, lengthened, of_other_length, of_other_shape,
    of_other_shape,
)  # fmt: skip


def mutated(rng: random.Random, octets: bytes) -> bytes:
    """Change a file once or twice: its DER, or, of PEM, the text as well."""
    block = _BLOCK.search(octets)
    der = base64.b64decode(block[2]) if block else octets
    text = block is None or rng.random() < 0.3
    changed = octets if text else der
    for _ in range(rng.choice((1, 1, 2))):
        changed = rng.choice(WAYS)(rng, changed) if changed else changed
    if text:
        return changed
    assert block is not None
    return octets[: block.start()] + pem_of(changed, block[1].decode()) + octets[block.end() :]


@functools.cache
def forms(name: str) -> list[Form]:
    """Return every form of a key."""
    return plain(name) + encrypted(name, fast=True)


def outcome(octets: bytes) -> Key | str:
    """Return the key, or the complaint, soon."""
    started = time.process_time()
    try:
        return read_key(octets, lambda: PASSPHRASE)
    except BadEncoding as error:
        return str(error)
    finally:
        assert time.process_time() - started < SECONDS, octets.hex()


@functools.cache
def secrets_of(key: Key) -> list[str]:
    """Return beginnings of a private key as people write it."""
    if key.d is None:
        return []
    texts = (f"{key.d:x}", str(key.d), base64.b64encode(key.scalar).decode())
    return [text[at : at + 8] for text in texts for at in range(4)]


def hold(form: Form, octets: bytes) -> None:
    """Check that a mutated file is a key that fits together, or is refused properly."""
    try:
        found = outcome(octets)
    except Exception as error:
        raise AssertionError(f"{form.name}: {error!r} of {octets.hex()}") from error
    if isinstance(found, str):
        assert len(found.splitlines()) == 1, octets.hex()
        assert not any(text in found for text in secrets_of(form.key)), octets.hex()
    elif found.d is not None and found.public is not None:
        assert found == form.key, octets.hex()
    elif found.d is not None:
        assert 0 < found.d < found.curve.n, octets.hex()
    else:
        assert found.curve.contains(found.public), octets.hex()


def mutate_all(name: str, count: int) -> None:
    """Make ``count`` mutations, as many of each form."""
    rng = random.Random(f"keys of {name}")
    for number in range(count):
        form = forms(name)[number % len(forms(name))]
        hold(form, mutated(rng, form.octets))


@pytest.mark.parametrize("name", CURVES)
def test_mutated_files_are_keys_or_refused(name: str) -> None:
    mutate_all(name, MUTATIONS // 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", CURVES)
def test_two_hundred_thousand_mutated_files(name: str) -> None:
    mutate_all(name, MUTATIONS)


@pytest.mark.parametrize(
    ("name", "kind"), [("sect163r2", "sec1-der"), ("secp256r1", "pkcs8-v2-der")]
)
def test_any_change_of_one_bit(name: str, kind: str) -> None:
    """A key in DER with its public key: none makes another key of it."""
    (form,) = (form for form in forms(name) if form.name == kind)
    for bit in range(8 * len(form.octets)):
        octets = bytearray(form.octets)
        octets[bit // 8] ^= 1 << bit % 8
        found = outcome(bytes(octets))
        assert isinstance(found, str) or found == form.key, octets.hex()


def test_mutated_signatures_are_read_or_refused() -> None:
    """What is read has one encoding."""
    rng = random.Random(163)
    for size in (21, 32, 66):
        good = signature_der(rng.randbytes(size), rng.randbytes(size))
        for _ in range(3000):
            octets = mutated(rng, good)
            try:
                found = read_signature(octets, size)
            except BadEncoding:
                continue
            assert signature_der(*found) == octets


def nested(count: int) -> bytes:
    """Return SEQUENCEs inside one another."""
    der = b""
    for _ in range(count):
        der = DerOctetString(der).encode().replace(b"\x04", b"\x30", 1)
    return der


def sealed_pem(lines: bytes) -> bytes:
    """Return a block in PEM that says it is encrypted."""
    label = b"EC PRIVATE KEY-----\n"
    return b"-----BEGIN " + label + b"Proc-Type: 4,ENCRYPTED\n" + lines + b"-----END " + label


HOSTILE = {
    "nested": nested(3000),
    "nested without end": b"\x30\x80" * 30_000,
    "length without octets": b"\x30\x84\xff\xff\xff\xff",
    "length of lengths": b"\x30\xff" + b"\xff" * 127,
    "indefinite": b"\x30\x80\x02\x01\x01\x00\x00",
    "long number": DerSequence([b"\x02\x82\x3f\xf0" + b"\x7f" * 0x3FF0]).encode(),
    "long version": b"\x30\x82\x3f\xfb\x02\x82\x3f\xf0" + b"\x7f" * 0x3FF0 + b"\x04\x01\x01" * 2,
    "many numbers": DerSequence([1] * 5000).encode(),
    "long name": b"\x30\x82\x10\x13\x30\x82\x10\x0d\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x82"
    b"\x10\x00" + b"\xff" * 0xFFF + b"\x01\x03\x00",
    "high tag": b"\x30\x05\x3f\x81\x01\x01\x00",
    "zeros": bytes(MOST_OCTETS),
    "nothing": b"",
    "a sequence of nothing": b"\x30\x00",
    "an octet": b"\x30",
    "two nothings": b"\x30\x04\x04\x00\x04\x00",
    "lines that begin": b"-----BEGIN PRIVATE KEY-----\n" * 2300,
    "blocks": b"-----BEGIN EC PARAMETERS-----\n-----END EC PARAMETERS-----\n" * 1100,
    "line": b"-----BEGIN PRIVATE KEY-----\n" + b"M" * 65_000 + b"\n-----END PRIVATE KEY-----\n",
    "label": b"-----BEGIN " + b"A" * 60_000 + b"-----\n",
    "dek": sealed_pem(b""),
    "dek without iv": sealed_pem(b"DEK-Info: AES-128-CBC\n\nAAAA\n"),
    "dek without lines": sealed_pem(b"DEK-Info: AES-128-CBC," + b"00" * 16 + b"\n"),
    "dek of odd iv": sealed_pem(b"DEK-Info: AES-128-CBC,0\n\nAAAA\n"),
}  # fmt: skip


@pytest.mark.parametrize("octets", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_end_soon(octets: bytes) -> None:
    for text in (octets, pem_of(octets, "PRIVATE KEY"), pem_of(octets, "ENCRYPTED PRIVATE KEY")):
        started = time.process_time()
        with pytest.raises(BadEncoding):
            read_key(text, lambda: PASSPHRASE)
        assert time.process_time() - started < 1


@pytest.mark.parametrize("octets", HOSTILE.values(), ids=HOSTILE)
def test_hostile_signatures_end_soon(octets: bytes) -> None:
    for text in (
        octets,
        signature_der(b"\1", b"\1") + octets + b"\0",
        b"\x30" + octets,
        b"\2\1\1" * 2,
    ):
        started = time.process_time()
        with pytest.raises(BadEncoding):
            read_signature(text, 32)
        assert time.process_time() - started < 1
