# SPDX-License-Identifier: Apache-2.0
"""Messages (CMS) to EC recipients and derived secrets: by the provider one way, software the other.

Never both ways by the provider: what it does wrong on both sides would open its own messages.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.device.serving import Serving
from tests.sw.provider import VALGRIND, Openssl

MESSAGE = b"pay the bearer ten pounds\n" * 40
SCHEMES = (
    ((), b"dhSinglePass-stdDH-sha1kdf-scheme"),
    (("ecdh_kdf_md:sha256",), b"dhSinglePass-stdDH-sha256kdf-scheme"),
    (("ecdh_cofactor_mode:1",), b"dhSinglePass-cofactorDH-sha1kdf-scheme"),
    (("ecdh_kdf_md:sha256", "ecdh_cofactor_mode:1"), b"dhSinglePass-cofactorDH-sha256kdf-scheme"),
)


@pytest.fixture
def sockets(openssl: Openssl, device_server: Serving, binary_server: Serving) -> str:
    openssl(
        "req", "-x509", "-key", "binary.pem", "-subj", "/CN=b", "-out", "binary.crt", ours=False
    )
    openssl.file("message", MESSAGE)
    return f"{device_server.socket}:{binary_server.socket}"


def encrypt(
    run: Openssl, recipient: str, options: tuple[str, ...], scheme: bytes, *, ours: bool
) -> None:
    """Write sealed.pem; its scheme is the one that was asked for."""
    more = [word for option in options for word in ("-keyopt", option)]
    run("cms", "-encrypt", "-aes-128-cbc", "-in", "message", "-binary", "-outform", "PEM",
        "-out", "sealed.pem", "-recip", recipient, *more, ours=ours)  # fmt: skip
    printed = ("cms", "-cmsout", "-print", "-noout", "-inform", "PEM", "-in", "sealed.pem")
    assert scheme in run(*printed, ours=False)


def opened(run: Openssl, key: str, recipient: str, *, ours: bool) -> bytes:
    return run("cms", "-decrypt", "-binary", "-inform", "PEM", "-in", "sealed.pem", "-inkey", key,
               "-recip", recipient, ours=ours)  # fmt: skip


@pytest.mark.parametrize("name", ["web", "binary"])
@pytest.mark.parametrize(("options", "scheme"), SCHEMES, ids=["sha1", "sha256", "cofactor", "both"])
def test_messages_of_software_are_opened(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, sockets: str, name: str,
    options: tuple[str, ...], scheme: bytes,
) -> None:  # fmt: skip
    """With the key in a file and in the device."""
    run = Openssl(tmp_path, ecsm_so, sockets)
    encrypt(run, f"{name}.crt", options, scheme, ours=False)
    for key in (f"{name}.pem", f"ecsm:{name}"):
        assert opened(run, key, f"{name}.crt", ours=True) == MESSAGE


@pytest.mark.parametrize("settings", ["", "generate = device\n"], ids=["outside", "inside"])
@pytest.mark.parametrize("name", ["web", "binary"])
@pytest.mark.parametrize(("options", "scheme"), SCHEMES, ids=["sha1", "sha256", "cofactor", "both"])
def test_messages_are_opened_by_software(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, sockets: str, settings: str, name: str,
    options: tuple[str, ...], scheme: bytes,
) -> None:  # fmt: skip
    """The message's own key is libcrypto's number, or made in the device."""
    run = Openssl(tmp_path, ecsm_so, sockets, settings)
    encrypt(run, f"{name}.crt", options, scheme, ours=True)
    assert opened(run, f"{name}.pem", f"{name}.crt", ours=False) == MESSAGE


@pytest.mark.parametrize(
    "options",
    [
        ("kdf-type:X963KDF", "kdf-digest:SHA256", "kdf-outlen:32", "hexkdf-ukm:0102030405060708"),
        ("kdf-type:X963KDF", "kdf-digest:SHA1", "kdf-outlen:61", "kdf-ukm:keying material"),
        ("kdf-type:X963KDF", "kdf-outlen:32", "ecdh_kdf_md:sha512", "ecdh_cofactor_mode:1"),
    ],
)
def test_derived_secrets(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, sockets: str, options: tuple[str, ...]
) -> None:
    """By openssl pkeyutl; the other side of the agreement is software's."""
    run = Openssl(tmp_path, ecsm_so, sockets)
    more = [word for option in options for word in ("-pkeyopt", option)]
    for name, peer in (("web", "peer"), ("binary", "binary2")):
        theirs = ("-inkey", f"{peer}.pem", "-peerkey", f"{name}.pub")
        wanted = run("pkeyutl", "-derive", *theirs, *more, ours=False)
        for key in (f"{name}.pem", f"ecsm:{name}"):
            own = ("-inkey", key, "-peerkey", f"{peer}.pub")
            assert run("pkeyutl", "-derive", *own, *more) == wanted


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_nothing_leaks_from_messages(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, sockets: str
) -> None:
    run = Openssl(tmp_path, ecsm_so, sockets)
    encrypt(run, "web.crt", *SCHEMES[1], ours=False)
    done = run.run("cms", "-decrypt", "-binary", "-inform", "PEM", "-in", "sealed.pem", "-inkey",
                   "ecsm:web", "-recip", "web.crt", before=VALGRIND)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, MESSAGE), done.stderr.decode()
