# SPDX-License-Identifier: Apache-2.0
"""Files that name a key of the device, with programs that take a key as a file."""

from __future__ import annotations

import base64
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.cli.common import USAGE
from tests.device.serving import Serving, serving
from tests.sw.provider import PYTHON_SERVER, VALGRIND, Openssl
from tests.sw.test_provider_tls import listening

NAME = "name.pem"


def pem(der: bytes, label: str = "ECSM KEY") -> bytes:
    """PEM by hand: what the command writes is held to it."""
    text = base64.b64encode(der).decode()
    return f"-----BEGIN {label}-----\n{text}\n-----END {label}-----\n".encode()


def of_name(name: bytes) -> bytes:
    return b"\x0c" + bytes([len(name)]) + name


@pytest.fixture
def named(openssl: Openssl, device_server: Serving) -> Openssl:
    """The command in a folder with the file, as our command writes it."""
    at = f"unix:{device_server.socket}"
    assert main(["reference", "web", "--device", at, "-o", str(openssl.folder / NAME)]) == 0
    return openssl


def test_the_file_is_as_it_is_described(named: Openssl) -> None:
    assert (named.folder / NAME).read_bytes() == pem(of_name(b"ecsm:web"))


def test_a_key_that_there_is_not(device_server: Serving, tmp_path: Path,
                                 capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    out, at = tmp_path / NAME, f"unix:{device_server.socket}"
    assert main(["reference", "wbe", "--device", at, "-o", str(out)]) == USAGE
    assert "there is no key 'wbe'" in capsys.readouterr().err
    assert not out.exists()


def test_it_is_the_key(named: Openssl) -> None:
    """Public key, signature, certificate, agreement: software verifies, and agrees."""
    assert named("pkey", "-in", NAME, "-pubout") == (named.folder / "web.pub").read_bytes()
    named.file("message", b"message")
    named("dgst", "-sha256", "-sign", NAME, "-out", "signature", "message")
    named("dgst", "-sha256", "-verify", "web.pub", "-signature", "signature", "message", ours=False)
    named("req", "-x509", "-key", NAME, "-subj", "/CN=me", "-days", "2", "-out", "me.crt")
    named("verify", "-CAfile", "me.crt", "me.crt", ours=False)
    secret = named("pkeyutl", "-derive", "-inkey", NAME, "-peerkey", "peer.pub")
    software = ("pkeyutl", "-derive", "-inkey", "peer.pem", "-peerkey", "web.pub")
    assert secret == named(*software, ours=False)


def test_it_stands_among_others(named: Openssl) -> None:
    """Behind a certificate and text, as programs have both in one file."""
    both = (named.folder / "web.crt").read_bytes() + b"the key:\n" + pem(of_name(b"ecsm:web"))
    named.file("both.pem", both)
    assert named("pkey", "-in", "both.pem", "-pubout") == (named.folder / "web.pub").read_bytes()
    assert b"BEGIN CERTIFICATE" in named("x509", "-in", "both.pem")


def test_files_with_keys_are_read_as_before(named: Openssl) -> None:
    for name in ("web.pem", "other.pem", "binary.pem"):
        public = named("pkey", "-in", name, "-pubout", ours=False)
        assert named("pkey", "-in", name, "-pubout") == public
    named("genpkey", "-algorithm", "RSA", "-out", "rsa.pem", ours=False)
    public = named("pkey", "-in", "rsa.pem", "-pubout", ours=False)
    assert named("pkey", "-in", "rsa.pem", "-pubout") == public


GOOD = of_name(b"ecsm:web")
BAD = {
    "another name": pem(of_name(b"ecsm:wbe")), "no name": pem(of_name(b"ecsm:")),
    "no scheme": pem(of_name(b"web")), "empty": pem(b""), "one octet": pem(b"\x0c"),
    "another tag": pem(b"\x13" + GOOD[1:]), "cut": pem(GOOD[:-1]), "more": pem(GOOD + b"\0"),
    "a longer length": pem(b"\x0c\x7f" + GOOD[2:]),
    "a long length": pem(b"\x0c\x81\x08" + GOOD[2:]),
    "a NUL": pem(of_name(b"ecsm:we\0b")), "the longest": pem(of_name(b"ecsm:" + b"a" * 64)),
    "too long": pem(of_name(b"ecsm:" + b"a" * 65)),
    "much too long": pem(of_name(b"ecsm:" + b"a" * 250)),
    "another label": pem(GOOD, "ECSM KEYS"), "an octet string": pem(b"\x04" + GOOD[1:]),
    "no base64": b"-----BEGIN ECSM KEY-----\n!!!!\n-----END ECSM KEY-----\n",
    "no end": b"-----BEGIN ECSM KEY-----\nDAhlY3NtOndlYg==\n",
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_is_none_is_refused(what: str, openssl: Openssl) -> None:
    openssl.file(NAME, BAD[what])
    assert "Could not read" in openssl.fails("pkey", "-in", NAME, "-noout")


def test_nothing_leaks(named: Openssl) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("no valgrind")
    named.file("bad.pem", BAD["more"])
    for name, code in ((NAME, 0), ("bad.pem", 1)):
        done = named.run("pkey", "-in", name, "-noout", before=VALGRIND)
        assert done.returncode == code, done.stderr.decode()


def test_a_server_in_python(named: Openssl) -> None:
    """Python's ssl, configured by the environment, serves a page that software gets."""
    if not ssl.OPENSSL_VERSION.startswith("OpenSSL 3"):
        pytest.skip("this Python is linked with another OpenSSL")
    process = subprocess.Popen(
        [sys.executable, "-c", PYTHON_SERVER], cwd=named.folder, env=named.environment(),
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        done = named.run(
            "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "web.crt",
            "-verify_return_error", "-quiet", ours=False,
        )  # fmt: skip
        assert b"from a device" in done.stdout, done.stderr.decode()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_client_certificate_of_curl(named: Openssl) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl")
    version = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True)
    if "OpenSSL/3" not in version.stdout:
        pytest.skip("curl is linked with another library")
    named("req", "-x509", "-key", "peer.pem", "-subj", "/CN=localhost", "-addext",
          "subjectAltName=DNS:localhost", "-out", "peer.crt", ours=False)  # fmt: skip
    words = ("-cert", "peer.crt", "-key", "peer.pem", "-Verify", "1", "-CAfile", "web.crt")
    with listening(named, *words, "-verify_return_error", ours=False) as port:
        url = ("curl", "-s", "--cacert", "peer.crt", f"https://localhost:{port}/")
        for more, good in (((), False), (("--cert", "web.crt", "--key", NAME), True)):
            done = subprocess.run(
                [*url, *more], cwd=named.folder, env=named.environment(), capture_output=True,
                timeout=300, check=False,
            )  # fmt: skip
            assert (b"HTTP/1.0 200" in done.stdout or b"Client certificate" in done.stdout) == good
            assert (done.returncode == 0) == good


def test_a_key_of_octets(tmp_path: Path, ecsm_so: Path) -> None:
    """Of Ed25519, too, whose decoder is found by the kind of the key alone."""
    assert main(["keygen", "--curve", "ed25519", "-o", str(tmp_path / "ed.pem")]) == 0
    place = tmp_path / "socket"
    with serving(place, "--preset", "word-prime-ed25519", f"--key=ed={tmp_path / 'ed.pem'}"):
        openssl = Openssl(tmp_path, ecsm_so, str(place))
        assert (
            main(["reference", "ed", "--device", f"unix:{place}", "-o", str(tmp_path / NAME)]) == 0
        )
        openssl("pkey", "-in", "ed.pem", "-pubout", "-out", "ed.pub", ours=False)
        assert openssl("pkey", "-in", NAME, "-pubout") == (tmp_path / "ed.pub").read_bytes()
        openssl.file("message", b"message")
        openssl("pkeyutl", "-sign", "-rawin", "-inkey", NAME, "-in", "message", "-out", "signature")
        openssl("pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "ed.pub", "-in", "message",
                "-sigfile", "signature", ours=False)  # fmt: skip
