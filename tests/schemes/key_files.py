# SPDX-License-Identifier: Apache-2.0
"""Key files that the openssl command writes, in every form that it has."""

from __future__ import annotations

import base64
import functools
import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from Crypto.IO import PKCS8
from Crypto.Util.asn1 import DerObjectId, DerSequence

from ecsm.curves import curve
from ecsm.schemes.encoding import Key, private_pem, public_pem

PASSPHRASE = b"open sesame"
_PASS = f"pass:{PASSPHRASE.decode()}"
PBES2 = {
    **{f"pbes2-{c}": ("-v2", c) for c in ("aes-128-cbc", "aes-192-cbc", "aes-256-cbc", "des3")},
    **{
        f"pbes2-sha{n}": ("-v2", "aes-256-cbc", "-v2prf", f"hmacWithSHA{n}")
        for n in (1, 224, 256, 384, 512)
    },
    "pbes2-scrypt": ("-scrypt", "-scrypt_N", "1024"),
    "pbes2-scrypt-plain": ("-scrypt",),
    "pbes2-plain": (),
}
"""Ways to encrypt a key of PKCS #8, by the arguments that choose them; two as openssl likes it."""
DEK_INFO = ("aes128", "aes192", "aes256", "des3")


@dataclass(frozen=True)
class Form:
    """A file and the key that it has; SEC 1 in PEM unless the name says so."""

    name: str
    octets: bytes
    key: Key


def openssl(*arguments: str | Path, given: bytes = b"") -> bytes:
    """Return what openssl writes; it must not fail."""
    done = subprocess.run(
        ["openssl", *map(str, arguments)], input=given, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@functools.cache
def key_of(name: str, d: int | None = None) -> Key:
    """Return a key of the curve, the same one each time."""
    c = curve(name)
    if d is None:
        digest = hashlib.shake_128(name.encode()).digest(c.octets + 8)
        d = 1 + int.from_bytes(digest, "big") % (c.n - 1)
    public = c.mul(d, c.generator)
    assert public is not None
    return Key(c, d, public)


def plain(name: str) -> list[Form]:
    """Return the forms of a key that are not encrypted."""
    key = key_of(name)
    pem, public = private_pem(key), public_pem(key)
    hidden, shown = Key(key.curve, key.d, None), Key(key.curve, None, key.public)
    spec = openssl("ecparam", "-name", _openssl_name(name))
    found = []

    def add(form: str, octets: bytes, has: Key = key) -> None:
        found.append(Form(form, octets, has))

    for more in ("-conv_form compressed", "-conv_form hybrid", "-param_enc explicit",
                 "-conv_form compressed -param_enc explicit", ""):  # fmt: skip
        words = more.split()
        what = "-".join(["", *words[1::2]])
        sec1 = openssl("ec", *words, given=pem)
        add("sec1" + what, sec1)
        add(f"sec1{what}-der", openssl("ec", *words, "-outform", "DER", given=pem))
        add(f"sec1{what}-no-public", openssl("ec", *words, "-no_public", given=pem), hidden)
        add("pkcs8" + what, openssl("pkcs8", "-topk8", "-nocrypt", given=sec1))
        der = openssl("pkcs8", "-topk8", "-nocrypt", "-outform", "DER", given=sec1)
        add(f"pkcs8{what}-der", der)
        add("spki" + what, openssl("ec", *words, "-pubin", given=public), shown)
        der = openssl("ec", *words, "-pubin", "-outform", "DER", given=public)
        add(f"spki{what}-der", der, shown)
    add("parameters-before", spec + sec1)
    add("pkcs8-v2-der", version2(key))
    return found


def encrypted(name: str, *, fast: bool = False) -> list[Form]:
    """Return the forms of a key that are encrypted; ``fast``: without those that take long."""
    key = key_of(name)
    pem = private_pem(key)
    sec1 = openssl("ec", given=pem)
    found = []
    for form, words in PBES2.items():
        if fast and form.endswith("-plain"):
            continue
        for kind in ("PEM", "DER"):
            more = ("-outform", kind, "-passout", _PASS)
            octets = openssl("pkcs8", "-topk8", *words, *more, given=pem)
            found.append(Form(f"{form}-{kind.lower()}", octets, key))
    for cipher in DEK_INFO:
        octets = openssl("ec", f"-{cipher}", "-passout", _PASS, given=sec1)
        assert b"DEK-Info" in octets
        found.append(Form(f"dek-info-{cipher}", octets, key))
    return found


def version2(key: Key, public: bytes | None = None) -> bytes:
    """Return OneAsymmetricKey version 2 with a public key; inside an ECPrivateKey with none."""
    assert key.public is not None
    version, secret, *_ = DerSequence().decode(
        openssl("ec", "-no_public", "-outform", "DER", given=private_pem(key))
    )[:]
    named = DerObjectId().decode(
        openssl("ecparam", "-name", _openssl_name(key.curve.name), "-outform", "DER")
    )
    return PKCS8.wrap(
        DerSequence([version, secret]).encode(),
        "1.2.840.10045.2.1",
        key_params=named,
        public_key=public or key.curve.encode(key.public),
    )


def _openssl_name(name: str) -> str:
    return {"secp256r1": "prime256v1", "secp192r1": "prime192v1"}.get(name, name)


def in_openssl(names: list[str]) -> dict[str, str]:
    """Return the curves that openssl has, by name, and its own name of each."""
    listed = openssl("ecparam", "-list_curves").decode()
    has = {line.partition(":")[0].strip() for line in listed.splitlines() if ":" in line}
    return {name: _openssl_name(name) for name in names if _openssl_name(name) in has}


def der_of(pem: bytes) -> bytes:
    """Return what a block in PEM has."""
    return base64.b64decode(b"".join(pem.splitlines()[1:-1]))


def pem_of(der: bytes, label: str) -> bytes:
    """Return a block in PEM."""
    return b"-----BEGIN %b-----\n%b-----END %b-----\n" % (
        label.encode(), base64.encodebytes(der), label.encode(),
    )  # fmt: skip
