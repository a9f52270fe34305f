# SPDX-License-Identifier: Apache-2.0
"""What is taken for a private key, and so is not replaced by an output; and what is not."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from Crypto.IO import PEM
from Crypto.Util.asn1 import DerBitString, DerObjectId, DerOctetString, DerSequence

from ecsm.schemes.encoding import private_pem, public_pem, signature_der
from ecsm.schemes.key_kinds import holds_private_key
from tests.schemes.key_files import key_of

KEY = key_of("secp256r1")
PRIVATE, PUBLIC = private_pem(KEY), public_pem(KEY)
PRIVATE_DER, PUBLIC_DER = (PEM.decode(pem.decode())[0] for pem in (PRIVATE, PUBLIC))
SEALED_DER = PEM.decode(private_pem(KEY, b"pass").decode())[0]
NAMED = DerSequence([DerObjectId("1.2.840.10045.4.3.2")])
CERTIFICATE = DerSequence([NAMED, NAMED, DerBitString(bytes(64))]).encode()
JWK = {"kty": "EC", "crv": "P-256", "x": "AQ", "y": "Ag"}

KEYS = {
    "PEM": PRIVATE,
    "PEM, encrypted": private_pem(KEY, b"pass"),
    "PEM between spaces": PRIVATE.replace(b"-----BEGIN ", b"  ----- BEGIN "),
    "PEM without its first line": PRIVATE.partition(b"\n")[2],
    "PEM in small letters": PRIVATE.lower(),
    "PEM behind certificates": PUBLIC * 20 + PRIVATE,
    "PEM in UTF-16": PRIVATE.decode().encode("utf-16"),
    "PEM in UTF-16, high octet first": PRIVATE.decode().encode("utf-16-be"),
    "SSH2": b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nAAAA\n",
    "OpenSSH": b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n",
    "PGP": b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nAAAA\n",
    "PuTTY": b"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n",
    "DER": PRIVATE_DER,
    "DER, encrypted": SEALED_DER,
    "DER and a line feed": PRIVATE_DER + b"\n",
    "DER behind a line feed": b"\n" + PRIVATE_DER,
    "DER behind a certificate": CERTIFICATE + PRIVATE_DER,
    "SEC 1": DerSequence([1, DerOctetString(KEY.scalar)]).encode(),
    "RSA": DerSequence([0, *range(3, 11)]).encode(),
    "DSA": DerSequence([0, *range(3, 8)]).encode(),
    "PKCS #12": DerSequence([3, NAMED, NAMED]).encode(),
    "DER in base64": base64.b64encode(PRIVATE_DER),
    "DER in base64, in lines": base64.encodebytes(PRIVATE_DER),
    "DER in base64url": base64.urlsafe_b64encode(PRIVATE_DER).rstrip(b"="),
    "DER, encrypted, in base64": base64.b64encode(SEALED_DER),
    "DER in hexadecimal": PRIVATE_DER.hex().encode() + b"\n",
    "DER in hexadecimal, with colons": PRIVATE_DER.hex(":").upper().encode(),
    "JWK": json.dumps({**JWK, "d": "Aw"}).encode(),
    "JWK, of octets": json.dumps({"k": "AAEC", "kty": "oct"}, indent=1).encode(),
    "JWK set": json.dumps({"keys": [JWK, {**JWK, "d": "Aw"}]}, separators=(",", ":")).encode(),
    "age": b"# created: 2026-01-01\nAGE-SECRET-KEY-1QQQQ\n",
    "minisign": b"untrusted comment: minisign encrypted secret key\nRWRT\n",
    "signify": b"untrusted comment: signify secret key\nRWRC\n",
    "WireGuard": b"[Interface]\nPrivateKey = AAAA=\nListenPort = 1\n",
    "BIND": b"Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\n",
    "Java, JKS": b"\xfe\xed\xfe\xed\0\0\0\2",
    "Java, JCEKS": b"\xce\xce\xce\xce\0\0\0\2",
}

OTHERS = {
    "nothing": b"",
    "text": b"pay the bearer ten pounds\n",
    "public key": PUBLIC,
    "public key in DER": PUBLIC_DER,
    "public key of RSA": DerSequence([(1 << 2047) + 1, 65537]).encode(),
    "certificate": CERTIFICATE,
    "certificate in base64": base64.b64encode(CERTIFICATE),
    "certificates": CERTIFICATE * 3,
    "signature": signature_der(bytes(31) + b"\5", bytes(31) + b"\7"),
    "signature in hexadecimal": signature_der(b"\5" * 32, b"\7" * 32).hex().encode(),
    "digest in hexadecimal": b"30" * 32,
    "public JWK": json.dumps(JWK).encode(),
    "JSON": json.dumps({"d": "five", "command": "ecsm schemes"}).encode(),
    "public key of OpenSSH": b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me\n",
    "public key of age": b"age1qqqq\n",
    "picture": b'<svg xmlns="http://www.w3.org/2000/svg"><title>PRIVATE KEY</title></svg>',
    "zeros": bytes(100),
    "what is sealed": bytes([0, 0, 0, 32]) + bytes(range(100)),
}


@pytest.mark.parametrize("kind", KEYS)
def test_a_private_key_is_known(kind: str) -> None:
    assert holds_private_key(KEYS[kind])


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_private_key_may_be_replaced(kind: str) -> None:
    assert not holds_private_key(OTHERS[kind])


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 17])
def test_octets_that_end_early_are_no_error(cut: int) -> None:
    for octets in (*KEYS.values(), *OTHERS.values()):
        holds_private_key(octets[:cut])
        holds_private_key(octets[:-cut])


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the other side is openssl")
@pytest.mark.parametrize(
    "options",
    [
        "rsa -outform PVK -pvk-none", "rsa -outform MSBLOB", "rsa -outform DER", "rsa -traditional",
        "pkcs8 -topk8 -outform DER -passout pass:x",
        "pkcs8 -topk8 -v1 PBE-SHA1-3DES -outform DER -passout pass:x",
        "pkcs12 -export -nocerts -passout pass:x -inkey",
    ],
)  # fmt: skip
def test_what_openssl_writes_is_known(options: str, tmp_path: Path) -> None:
    rsa, out = tmp_path / "rsa.pem", tmp_path / "out"
    make = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]
    subprocess.run([*make, "-out", rsa], check=True, capture_output=True)
    words: list[str | Path] = [*options.split()]
    words += [] if words[-1] == "-inkey" else ["-in"]
    subprocess.run(["openssl", *words, rsa, "-out", out], check=True, capture_output=True)
    assert holds_private_key(out.read_bytes())
    if words[0] == "rsa" and "-traditional" not in words and "-pvk-none" not in words:
        public: list[str | Path] = ["openssl", "rsa", "-pubout", *words[1:], rsa, "-out", out]
        subprocess.run(public, check=True, capture_output=True)
        assert not holds_private_key(out.read_bytes())
