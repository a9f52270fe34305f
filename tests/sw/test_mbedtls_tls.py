# SPDX-License-Identifier: Apache-2.0
"""TLS of mbedTLS with a key in the simulated block, against the openssl command."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sw.mbedtls import Built

LINE = "ten pounds\n"
CURVE = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
WAIT_S = 400


def openssl(where: Path, words: str) -> None:
    """Run the command, which must end well."""
    subprocess.run(["openssl", *words.split()], cwd=where, capture_output=True, check=True)


def certify(where: Path, request: str, certificate: str, ca: str = "ca") -> None:
    """Make a certificate of a request; it appears when it is whole."""
    openssl(where, f"x509 -req -in {request} -CA {ca}.crt -CAkey {ca}.key -CAcreateserial -days 2"
                   " -out made")  # fmt: skip
    (where / "made").rename(where / certificate)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two authorities, and openssl's key with a certificate of the first."""
    for ca in ("ca", "other"):
        openssl(
            tmp_path, f"req -x509 {CURVE} -keyout {ca}.key -subj /CN={ca} -out {ca}.crt -days 2"
        )
    openssl(tmp_path, f"req {CURVE} -keyout peer.key -subj /CN=localhost -out peer.csr")
    certify(tmp_path, "peer.csr", "peer.crt")
    return tmp_path


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(made: Built, where: Path, role: str, port: int) -> Iterator[subprocess.Popen[str]]:
    """The example, when it has written its request."""
    process = subprocess.Popen(
        [made.make("tls"), role, str(port)], cwd=where, env=made.environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        until = time.monotonic() + WAIT_S
        while not (where / "device.csr").exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def server(where: Path, port: int) -> Iterator[Path]:
    """An openssl s_server that wants a certificate and sends lines back, reversed; what it says."""
    log = where / "server.log"
    words = (f"s_server -accept 127.0.0.1:{port} -cert peer.crt -key peer.key -CAfile ca.crt"
             " -Verify 1 -verify_return_error -rev")  # fmt: skip
    with log.open("w") as file:
        process = subprocess.Popen(
            ["openssl", *words.split()], cwd=where, stdin=subprocess.DEVNULL, stdout=file,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        while "ACCEPT" not in log.read_text():
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        yield log
    finally:
        process.kill()
        process.wait()


def test_a_client_with_its_key_in_the_block(mbedtls_built: Built, folder: Path, port: int) -> None:
    with server(folder, port) as log, started(mbedtls_built, folder, "client", port) as client:
        openssl(folder, "req -in device.csr -noout -verify")
        certify(folder, "device.csr", "device.crt")
        said, wrong = client.communicate(timeout=WAIT_S)
        assert (client.returncode, wrong) == (0, "")
        version, back = said.splitlines()
        assert version.startswith("TLSv1.2 TLS-ECDHE-ECDSA-WITH-")
        assert back == LINE.strip()[::-1]
        heard = log.read_text()
    assert "Peer certificate: CN = localhost\n" in heard
    assert "Signature type: ECDSA\nVerification: OK\n" in heard
    assert "Supported groups: secp256r1\n" in heard


def test_a_client_whose_certificate_is_of_another_authority(
    mbedtls_built: Built, folder: Path, port: int
) -> None:
    """The server ends the connection; whether its alert comes before the end is a race."""
    with server(folder, port) as log, started(mbedtls_built, folder, "client", port) as client:
        certify(folder, "device.csr", "device.crt", "other")
        said, wrong = client.communicate(timeout=WAIT_S)
        heard = log.read_text()
    assert (client.returncode, said) == (1, "")
    assert re.match(r"tls: (SSL - A fatal alert message|NET - Connection was reset)", wrong)
    assert "certificate verify failed" in heard


def test_a_server_that_is_not_trusted(mbedtls_built: Built, folder: Path, port: int) -> None:
    with server(folder, port), started(mbedtls_built, folder, "client", port) as client:
        certify(folder, "device.csr", "device.crt")
        (folder / "other.crt").rename(folder / "ca.crt")
        said, wrong = client.communicate(timeout=WAIT_S)
    assert (client.returncode, said) == (1, "")
    assert wrong.startswith("tls: X509 - Certificate verification failed")


def test_a_server_with_its_key_in_the_block(mbedtls_built: Built, folder: Path, port: int) -> None:
    connect = (f"s_client -connect localhost:{port} -cert peer.crt -key peer.key -CAfile ca.crt"
               " -verify_return_error -ign_eof")  # fmt: skip
    with started(mbedtls_built, folder, "server", port) as device:
        certify(folder, "device.csr", "device.crt")
        until = time.monotonic() + WAIT_S
        while True:
            done = subprocess.run(
                ["openssl", *connect.split()], cwd=folder, input=LINE, capture_output=True,
                text=True, timeout=WAIT_S, check=False,
            )  # fmt: skip
            if done.returncode == 0 or "Connection refused" not in done.stderr:
                break
            assert time.monotonic() < until
            time.sleep(0.1)
        said, wrong = device.communicate(timeout=WAIT_S)
    assert (device.returncode, wrong) == (0, "")
    assert said.splitlines()[1] == LINE.strip()
    assert f"\n{LINE}" in done.stdout
    for wanted in ("Verification: OK", "Peer signature type: ECDSA",
                   "Server Temp Key: ECDH, prime256v1"):  # fmt: skip
        assert wanted in done.stdout
