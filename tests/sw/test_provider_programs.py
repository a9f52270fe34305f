# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider without a device, in a program of its own, and under valgrind."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from ecsm.device.frame import Frame, Kind, encode
from tests.sw.provider import P256, VALGRIND, Openssl, compile_user

PROGRAM = Path(__file__).with_name("provider_use.c")


# ------------------------------------------------------------------ no device


@pytest.mark.parametrize("why", ["none", "dead", "not configured"])
def test_a_device_that_is_gone(openssl: Openssl, tmp_path: Path, ecsm_so: Path, why: str) -> None:
    """Each operation on its curves fails with a line that says so; the others go on."""
    openssl.file("digest", bytes(32))
    openssl("pkeyutl", "-sign", "-inkey", "web.pem", "-in", "digest", "-out", "s", ours=False)
    check = ("dgst", "-sha256", "-verify", "web.pub", "-signature", "s", "digest")
    assert openssl.run(*check).stdout == b"Verification failure\n"  # of another digest
    place, complaint = tmp_path / "gone", "no device server answers: start ecsm serve"
    if why == "dead":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(place))
    if why == "not configured":
        complaint = "no device server: give its socket"
    alone = Openssl(tmp_path, ecsm_so, "" if why == "not configured" else str(place))
    for words in (
        ("pkeyutl", "-sign", "-inkey", "web.pem", "-in", "digest"),
        ("pkeyutl", "-sign", "-inkey", "ecsm:web", "-in", "digest"),
        ("pkeyutl", "-verify", "-inkey", "web.pem", "-in", "digest", "-sigfile", "s"),
        ("pkeyutl", "-derive", "-inkey", "web.pem", "-peerkey", "peer.pub"),
        ("genpkey", "-algorithm", "EC", "-pkeyopt", P256),
        ("dgst", "-sha256", "-sign", "web.pem", "digest"),
    ):
        assert complaint in alone.fails(*words), words
    done = alone.run(*check)
    assert (done.returncode, done.stdout) == (1, b"")  # no verdict
    assert done.stderr.startswith(b"Error verifying data")
    assert complaint in done.stderr.decode()
    assert b"valid" in alone("pkey", "-in", "web.pem", "-check", "-noout")
    alone("genpkey", "-algorithm", "RSA")


def test_a_server_that_says_nothing_sensible(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path
) -> None:
    """Another program's socket: an error, for garbage, for silence that ends, for wrong frames."""
    openssl.file("digest", bytes(32))
    place = tmp_path / "s"
    run = Openssl(tmp_path, ecsm_so, str(place))
    ok = Frame(Kind.ANSWER, 0, 1, 0, (b"1", b"x", b"secp256r1", b"load public", b""))
    for answer in (b"", b"HTTP/1.0 400\r\n", b"~HTTP~", encode(ok)[:-5] + b"~",
                   encode(Frame(Kind.ANSWER, 0, 1, 0, (b"2",) * 5)),
                   encode(Frame(Kind.ANSWER, 0, 1, 0, (b"1", b"", b"\0", b"", b""))),
                   encode(Frame(Kind.ANSWER, 77, 1)), encode(ok) + b"more"):  # fmt: skip
        place.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(place))
            listener.listen()
            process = subprocess.Popen(
                ["openssl", "pkeyutl", "-sign", "-inkey", "web.pem", "-in", "digest"],
                cwd=tmp_path, env=run.environment(), stderr=subprocess.PIPE,
            )  # fmt: skip
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer)
                time.sleep(0.05)
            _, said = process.communicate(timeout=60)
            assert process.returncode == 1
            assert b"no device server answers" in said, said


# ------------------------------------------------------------------ programs


@pytest.fixture
def program(openssl: Openssl) -> Path:
    """A program that uses the provider from threads, a child, and with keys in the device."""
    return compile_user(PROGRAM, openssl.folder)


def used(openssl: Openssl, *command: str | Path) -> None:
    done = subprocess.run(
        command, cwd=openssl.folder, env=openssl.environment(), capture_output=True, text=True,
        timeout=400, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def test_threads_children_and_keys_in_the_device(openssl: Openssl, program: Path) -> None:
    used(openssl, program)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind")
def test_nothing_leaks(openssl: Openssl, program: Path) -> None:
    """In that program, and in the openssl command, whether it goes well or not."""
    used(openssl, *VALGRIND, program)
    openssl.file("digest", bytes(32))
    sign = ("pkeyutl", "-sign", "-in", "digest", "-out", "s", "-inkey")
    new = ("genpkey", "-algorithm", "EC", "-pkeyopt", P256)
    for words, code in (
        ((*sign, "ecsm:web"), 0), ((*sign, "web.pem"), 0), ((*sign, "other.pem"), 0),
        ((*sign, "ecsm:nobody"), 1), (("pkey", "-in", "ecsm:web"), 1),
        (("pkeyutl", "-derive", "-inkey", "ecsm:web", "-peerkey", "peer.pub"), 0),
        (new, 0), ((*new, "-pkeyopt", "ecsm-in-device:1"), 1),
    ):  # fmt: skip
        done = openssl.run(*words, before=VALGRIND)
        assert done.returncode == code, done.stderr.decode()
    openssl.config.write_text(openssl.config.read_text().replace("socket = ", "socket = /none"))
    assert openssl.run(*sign, "web.pem", before=VALGRIND).returncode == 1
