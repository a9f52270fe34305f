# SPDX-License-Identifier: Apache-2.0
"""The PKCS#11 module under pkcs11-tool; what it makes is verified by software alone."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from tests.device.serving import Serving, serving
from tests.sw.pkcs11 import Module

DIGESTS = ("sha1", "sha224", "sha256", "sha384", "sha512")


@pytest.fixture(autouse=True)
def _tool() -> None:
    if shutil.which("pkcs11-tool") is None:
        pytest.skip("no pkcs11-tool")


def openssl(module: Module, *words: str) -> str:
    return module("openssl", *words)


def objects(text: str) -> list[dict[str, str]]:
    """Return what pkcs11-tool says of each object."""
    found: list[dict[str, str]] = []
    for line in text.splitlines():
        if " Object; " in line:
            found.append({"": line})
        elif ":" in line and found:
            name, _, value = line.partition(":")
            found[-1][name.strip()] = value.strip()
    return found


# ------------------------------------------------------------------ what is there


def test_a_server_is_a_slot_with_a_token(module: Module, device_server: Serving) -> None:
    text = module.tool("--list-slots")
    assert f"Slot 0 (0x0): {str(device_server.socket)[-64:]}\n" in text
    assert "token label        : p256-fast" in text
    assert "token model        : secp256r1" in text
    assert "token flags        : token initialized\n" in text  # no PIN, no login, no random numbers


def test_a_key_is_two_objects(module: Module) -> None:
    """Curve, point and identifier are those that openssl finds in the key's file."""
    private, public = objects(module.tool("--list-objects"))
    assert private[""] == "Private Key Object; EC"
    assert public[""].startswith("Public Key Object; EC  EC_POINT 256 bits")
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-in", "web.pub", "-outform", "DER"],
        cwd=module.folder, capture_output=True, check=True,
    ).stdout  # fmt: skip
    point = der[-65:]
    assert public["EC_POINT"] == "0441" + point.hex()
    assert public["EC_PARAMS"] == der[13:23].hex()
    assert private["label"] == public["label"] == "web"
    assert private["ID"] == public["ID"] == hashlib.sha1(point).hexdigest()
    assert private["Usage"] == "sign, derive"
    assert private["Access"] == "sensitive"
    assert public["Usage"] == "verify"


def test_objects_are_found_by_what_they_are(module: Module) -> None:
    """pkcs11-tool searches by the identifier when it signs, and never by the label."""
    for kind in ("privkey", "pubkey"):
        (there,) = objects(module.tool("--list-objects", "--type", kind))
    for kind in ("cert", "data", "secrkey"):
        assert objects(module.tool("--list-objects", "--type", kind)) == []
    (module.folder / "digest").write_bytes(bytes(32))
    sign = ("--sign", "-m", "ECDSA", "-i", "digest", "-o", "signature", "--id")
    module.tool(*sign, there["ID"])
    for wrong in (there["ID"][:-2], there["ID"] + "00", "00"):
        assert "Private key not found" in module.fails(*sign, wrong)


def test_the_public_key_is_read(module: Module) -> None:
    module.tool("--read-object", "--type", "pubkey", "--label", "web", "-o", "read")
    assert (
        openssl(module, "pkey", "-pubin", "-inform", "DER", "-in", "read")
        == (module.folder / "web.pub").read_text()
    )


# ------------------------------------------------------------------ what is computed


def signed(module: Module, mechanism: str, file: str) -> None:
    module.tool("--sign", "-m", mechanism, "-i", file, "-o", "signature",
                "--signature-format", "openssl")  # fmt: skip


@pytest.mark.parametrize("digest", DIGESTS)
def test_a_digest_is_signed(module: Module, digest: str) -> None:
    """Longer than the order or shorter: openssl, which signs the same number, verifies it."""
    (module.folder / "digest").write_bytes(hashlib.new(digest, b"message").digest())
    signed(module, "ECDSA", "digest")
    said = openssl(module, "pkeyutl", "-verify", "-pubin", "-inkey", "web.pub", "-in", "digest",
                   "-sigfile", "signature")  # fmt: skip
    assert said == "Signature Verified Successfully\n"


@pytest.mark.parametrize("length", [0, 1, 5000, 100_000])
def test_a_message_is_signed(module: Module, length: int) -> None:
    """Whole, or in parts: pkcs11-tool gives long ones so."""
    (module.folder / "message").write_bytes(os.urandom(length))
    signed(module, "ECDSA-SHA256", "message")
    check = ("dgst", "-sha256", "-verify", "web.pub", "-signature", "signature", "message")
    assert openssl(module, *check) == "Verified OK\n"


def test_only_digests_that_the_device_has_are_listed(module: Module) -> None:
    text = module.tool("--list-mechanisms")
    names = [line.split(",")[0].strip() for line in text.splitlines()[1:]]
    hashes = ("SHA1", "SHA224", "SHA256")  # all but what `--wide` is for
    derives = ("ECDH1-DERIVE", "ECDH1-COFACTOR-DERIVE")
    assert names == ["ECDSA", *(f"ECDSA-{name}" for name in hashes), *derives]
    assert "ECDSA, keySize={256,256}, sign, verify, EC F_P, EC OID, EC uncompressed" in text
    (module.folder / "message").write_bytes(b"m")
    complaint = module.fails("--sign", "-m", "ECDSA-SHA384", "-i", "message")
    assert "CKR_MECHANISM_INVALID" in complaint


def test_a_signature_is_verified(module: Module) -> None:
    """One of openssl's; a changed one, another message's and one that is cut are refused."""
    (module.folder / "message").write_bytes(b"message")
    openssl(module, "dgst", "-sha256", "-sign", "web.pem", "-out", "signature", "message")
    verify = ("--verify", "-m", "ECDSA-SHA256", "-i", "message",
              "--signature-file", "signature", "--signature-format")  # fmt: skip
    assert module.tool(*verify, "openssl") == "Signature is valid\n"
    (module.folder / "message").write_bytes(b"massage")
    assert "Invalid signature" in module.tool(*verify, "openssl")
    (module.folder / "signature").write_bytes(bytes(64))  # r = s = 0
    assert "Invalid signature" in module.tool(*verify, "rs")
    (module.folder / "signature").write_bytes(b"\xff" * 64)
    assert "Invalid signature" in module.tool(*verify, "rs")
    (module.folder / "signature").write_bytes(b"\1" * 63)
    assert "CKR_SIGNATURE_LEN_RANGE" in module.fails(*verify, "rs")


@pytest.mark.parametrize("mechanism", ["ECDH1-DERIVE", "ECDH1-COFACTOR-DERIVE"])
def test_a_secret_is_derived(module: Module, mechanism: str) -> None:
    openssl(module, "pkey", "-in", "peer.pem", "-pubout", "-outform", "DER", "-out", "peer.der")
    module.tool("--derive", "-m", mechanism, "-i", "peer.der", "-o", "secret")
    openssl(module, "pkeyutl", "-derive", "-inkey", "peer.pem", "-peerkey", "web.pub", "-out", "s")
    secret = (module.folder / "secret").read_bytes()
    assert secret == (module.folder / "s").read_bytes()
    assert len(secret) == 32


def test_the_cofactor_counts(own_keys: Path, pkcs11_so: Path, binary_server: Serving) -> None:
    """B-163, over a binary field, whose cofactor is 2: openssl computes either product."""
    module = Module(own_keys, pkcs11_so, str(binary_server.socket))
    assert "EC F_2M" in module.tool("--list-mechanisms")
    openssl(module, "pkey", "-in", "binary2.pem", "-pubout", "-outform", "DER", "-out", "peer.der")
    secrets = []
    for name, mode in (("ECDH1-DERIVE", "0"), ("ECDH1-COFACTOR-DERIVE", "1")):
        module.tool("--derive", "-m", name, "-i", "peer.der", "-o", "secret")
        openssl(module, "pkeyutl", "-derive", "-inkey", "binary2.pem", "-peerkey", "binary.pub",
                "-pkeyopt", f"ecdh_cofactor_mode:{mode}", "-out", "expected")  # fmt: skip
        secrets.append((module.folder / "secret").read_bytes())
        assert secrets[-1] == (module.folder / "expected").read_bytes()
    assert secrets[0] != secrets[1]
    (module.folder / "digest").write_bytes(bytes(range(32)))
    signed(module, "ECDSA", "digest")
    openssl(module, "pkeyutl", "-verify", "-pubin", "-inkey", "binary.pub", "-in", "digest",
            "-sigfile", "signature")  # fmt: skip


# ------------------------------------------------------------------ other curves


@pytest.fixture
def edwards(tmp_path: Path, pkcs11_so: Path) -> Iterator[Module]:
    """Servers of Ed25519 and X25519, one after the other in the module's list."""
    names = (("ed25519", "ed"), ("x25519", "x"))
    for algorithm, name in names:
        subprocess.run(["openssl", "genpkey", "-algorithm", algorithm, "-out", f"{name}.pem"],
                       cwd=tmp_path, check=True)  # fmt: skip
    places = [tmp_path / f"socket-{name}" for _, name in names]
    keys = [f"--key={name}={tmp_path / name}.pem" for _, name in names]
    with (
        serving(places[0], "--preset", "word-prime-ed25519", keys[0]),
        serving(places[1], "--preset", "word-prime-x25519", keys[1]),
    ):
        yield Module(tmp_path, pkcs11_so, ":".join(map(str, places)))


def test_ed25519_and_x25519(edwards: Module) -> None:
    """Each in its slot; PyCryptodome verifies what is signed; a message too long is refused."""
    first, second = ("--slot-index", "0"), ("--slot-index", "1")
    assert "EDDSA, keySize={255,255}, sign, verify" in edwards.tool(*first, "--list-mechanisms")
    private, public = objects(edwards.tool(*first, "--list-objects"))
    assert private[""] == "Private Key Object; EC_EDWARDS"
    assert private["Usage"] == "sign"
    openssl(edwards, "pkey", "-in", "ed.pem", "-pubout", "-outform", "DER", "-out", "ed.der")
    assert public["EC_POINT"] == "0420" + (edwards.folder / "ed.der").read_bytes()[-32:].hex()
    verifier = eddsa.new(ECC.import_key((edwards.folder / "ed.pem").read_text()), "rfc8032")
    for length in (0, 1, 2047):
        message = os.urandom(length)
        (edwards.folder / "message").write_bytes(message)
        edwards.tool(*first, "--sign", "-m", "EDDSA", "-i", "message", "-o", "signature")
        verifier.verify(message, (edwards.folder / "signature").read_bytes())
        check = ("--verify", "-m", "EDDSA", "-i", "message", "--signature-file", "signature")
        assert edwards.tool(*first, *check) == "Signature is valid\n"
    (edwards.folder / "message").write_bytes(bytes(2048))
    complaint = edwards.fails(*first, "--sign", "-m", "EDDSA", "-i", "message", "-o", "signature")
    assert "CKR_DATA_LEN_RANGE" in complaint
    private, _ = objects(edwards.tool(*second, "--list-objects"))
    assert private[""] == "Private Key Object; EC_MONTGOMERY"
    assert private["Usage"] == "derive"


# ------------------------------------------------------------------ no server


def test_a_server_that_is_gone(module: Module, tmp_path: Path) -> None:
    """A slot without a token. So is one whose socket nobody serves."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead"))
    for place in ("none", "dead"):
        module.environment["ECSM_SOCKET"] = str(tmp_path / place)
        assert f"{place}\n  (empty)" in module.tool("--list-slots")
        assert "No slot with a token was found" in module.fails("--list-objects")


def test_no_server(module: Module) -> None:
    del module.environment["ECSM_SOCKET"]
    assert module.fails("--list-slots") == "No slots.\n"


@pytest.mark.parametrize("sockets", [":".join("abcdefghi"), "a" * 108])
def test_what_is_no_list_of_servers(module: Module, sockets: str) -> None:
    module.environment["ECSM_SOCKET"] = sockets
    assert "CKR_GENERAL_ERROR" in module.fails("--list-slots")
