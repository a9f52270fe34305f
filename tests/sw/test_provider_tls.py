# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider under openssl speed and in TLS 1.3, whose key is in the device."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.device.serving import Serving, serving
from tests.sw.provider import Openssl

TLS = (
    "HTTP/1.0 200 ok", "Verification: OK", "TLSv1.3", "Server Temp Key: ECDH, prime256v1",
    "Peer signature type: ECDSA",
)  # fmt: skip


def test_speed(openssl: Openssl) -> None:
    """The device's, which is not the processor's."""
    said = openssl("speed", "-elapsed", "-seconds", "1", "ecdsap256", "ecdhp256").decode()
    signs, verifies = map(float, re.findall(r"nistp256\).* ([\d.]+) +([\d.]+)\n", said)[0])
    (agreements,) = re.findall(r"ecdh \(nistp256\).* ([\d.]+)\n", said)
    assert all(0 < rate < 1000 for rate in (signs, verifies, float(agreements)))


@contextmanager
def listening(openssl: Openssl, *words: str, ours: bool = True) -> Iterator[int]:
    """An s_server on a port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen(
        ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-www", "-tls1_3", *words],
        cwd=openssl.folder, env=openssl.environment(ours), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = b""
        while b"ACCEPT" not in said:
            piece = process.stdout.readline()
            assert piece, said.decode()
            said += piece
        yield port
    finally:
        process.kill()
        process.communicate()


def fetch(openssl: Openssl, port: int, *words: str, ours: bool, ca: str = "web.crt") -> str:
    """What an s_client says that gets a page."""
    connect = ("s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", ca, "-verify_return_error")
    done = openssl.run(
        *connect, "-tls1_3", "-ign_eof", *words, ours=ours, given=b"GET / HTTP/1.0\r\n\r\n"
    )
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize("settings", ["", "generate = device\n"], ids=["", "inside"])
def test_tls(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, device_server: Serving, settings: str
) -> None:
    """TLS 1.3 with a P-256 key in the device, and the exchange's keys on it, or in it."""
    run = Openssl(tmp_path, ecsm_so, str(device_server.socket), settings)
    groups = ("-groups", "P-256:P-384")
    for key in ("ecsm:web", "web.pem"):
        with listening(run, "-cert", "web.crt", "-key", key, *groups) as port:
            for ours in (True, False):
                said = fetch(run, port, *groups, ours=ours)
                assert all(wanted in said for wanted in TLS), said
            assert "ECDH, secp384r1" in fetch(run, port, "-groups", "P-384", ours=True)
            assert "X25519" not in fetch(run, port, ours=False)
    with listening(run, "-cert", "web.crt", "-key", "web.pem", ours=False) as port:
        assert "HTTP/1.0 200 ok" in fetch(run, port, *groups, ours=True)
    with listening(run, "-cert", "other.crt", "-key", "other.pem", *groups) as port:
        assert "HTTP/1.0 200 ok" in fetch(run, port, *groups, ours=True, ca="other.crt")


def test_tls_on_a_word_engine(own_keys: Path, ecsm_so: Path) -> None:
    """Signatures and agreements of a handshake, by either side."""
    words = ("--preset", "word-p256", "--key", f"web={own_keys / 'web.pem'}")
    with serving(own_keys / "s", *words) as server:
        run = Openssl(own_keys, ecsm_so, str(server.socket), "generate = device\n")
        for key in ("ecsm:web", "web.pem"):
            served = ("-cert", "web.crt", "-key", key, "-groups", "P-256")
            with listening(run, *served) as port:
                for ours in (True, False):
                    said = fetch(run, port, "-groups", "P-256", ours=ours)
                    assert all(wanted in said for wanted in TLS), said
        assert server.jobs() > 8


def test_tls_goes_on_with_the_next_server(
    openssl: Openssl, tmp_path: Path, ecsm_so: Path, ec_keys: Path
) -> None:
    """A device server that dies takes connections along; when it is there again, they work."""
    place = tmp_path / "s"
    words = ("--preset", "p256-fast", "--key", f"web={ec_keys / 'web.pem'}")
    run = Openssl(tmp_path, ecsm_so, str(place))
    with (
        serving(place, *words) as first,
        listening(run, "-cert", "web.crt", "-key", "ecsm:web", "-groups", "P-256") as port,
    ):
        assert "HTTP/1.0 200 ok" in fetch(run, port, ours=False)
        first.stop(signal.SIGKILL)
        assert "HTTP/1.0 200 ok" not in fetch(run, port, ours=False)
        with serving(place, *words):
            assert "HTTP/1.0 200 ok" in fetch(run, port, ours=False)
        with serving(place, *words[:2], "--key", f"web={ec_keys / 'peer.pem'}"):
            assert "HTTP/1.0 200 ok" not in fetch(run, port, ours=False)
