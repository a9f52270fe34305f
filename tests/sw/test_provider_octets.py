# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider with X25519 and Ed25519 on word engines: keys, signatures, TLS 1.3."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.device.serving import Serving, serving
from tests.sw.provider import Openssl, compile_user
from tests.sw.test_provider_tls import fetch, listening

SIGNS, AGREES = "word-prime-ed25519", "word-prime-x25519"
TLS = ("HTTP/1.0 200 ok", "Verification: OK", "TLSv1.3", "Server Temp Key: X25519, 253 bits",
       "Peer signature type: ed25519")  # fmt: skip


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with an Ed25519 key and its certificate, made in software."""
    plain = Openssl(tmp_path, Path("none"), "")
    plain("genpkey", "-algorithm", "ED25519", "-out", "web.pem", ours=False)
    plain("pkey", "-in", "web.pem", "-pubout", "-out", "web.pub", ours=False)
    plain("req", "-x509", "-new", "-key", "web.pem", "-subj", "/CN=web", "-out", "web.crt",
          ours=False)  # fmt: skip
    return tmp_path


@pytest.fixture
def servers(keys: Path) -> Iterator[list[Serving]]:
    """A device of each curve; the first has the key."""
    with ExitStack() as stack:
        words = ("--preset", SIGNS, "--key", f"web={keys / 'web.pem'}")
        yield [
            stack.enter_context(serving(keys / "e", *words)),
            stack.enter_context(serving(keys / "x", "--preset", AGREES)),
        ]


def command(keys: Path, module: Path, settings: str = "") -> Openssl:
    return Openssl(keys, module, f"{keys / 'e'}:{keys / 'x'}", settings)


def test_signatures(keys: Path, ecsm_so: Path, servers: list[Serving]) -> None:
    """Of a key in a file, and of one that the server has: the octets that libcrypto would make."""
    run = command(keys, ecsm_so)
    run.file("message", b"pay the bearer ten pounds\n" * 40)
    words = ("pkeyutl", "-rawin", "-in", "message")
    run(*words, "-sign", "-inkey", "web.pem", "-out", "want", ours=False)
    for key in ("web.pem", "ecsm:web"):
        run(*words, "-sign", "-inkey", key, "-out", "made")
        assert (keys / "made").read_bytes() == (keys / "want").read_bytes()
    verify = (*words, "-verify", "-pubin", "-inkey", "web.pub", "-sigfile", "made")
    assert b"Successfully" in run(*verify)
    run.file("message", b"pay the bearer twenty pounds\n")
    assert run.run(*verify).returncode == 1
    assert run("pkey", "-in", "ecsm:web", "-pubout") == (keys / "web.pub").read_bytes()
    assert "does not come out" in run.fails("pkey", "-in", "ecsm:web")
    run.file("message", bytes(2048))
    assert "2047 octets at most" in run.fails(*words, "-sign", "-inkey", "web.pem")
    assert servers[0].jobs() >= 4


def test_agreements(keys: Path, ecsm_so: Path, servers: list[Serving]) -> None:
    """Keys that are made with the device are files; both sides have one secret."""
    run = command(keys, ecsm_so)
    for name, ours in (("a", True), ("b", False)):
        run("genpkey", "-algorithm", "X25519", "-out", f"{name}.pem", ours=ours)
        run("pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub", ours=not ours)
    found = set()
    for name, other in (("a", "b"), ("b", "a")):
        for ours in (True, False):
            derive = ("pkeyutl", "-derive", "-inkey", f"{name}.pem", "-peerkey", f"{other}.pub")
            found.add(run(*derive, ours=ours))
    (secret,) = found
    assert len(secret) == 32
    # A peer of small order.
    run.file("low.der", bytes.fromhex("302a300506032b656e032100") + bytes(32))
    low = ("pkeyutl", "-derive", "-inkey", "a.pem", "-peerkey", "low.der", "-peerform", "DER")
    assert "the point has low order" in run.fails(*low)
    assert servers[1].jobs() >= 4


def test_a_key_does_what_its_kind_does_and_no_parameter_is_dropped(
    keys: Path, ecsm_so: Path, servers: list[Serving]
) -> None:
    """As libcrypto has it; but a parameter, which it ignores, is refused."""
    program = compile_user(Path(__file__).with_name("provider_octets.c"), keys)
    run = command(keys, ecsm_so)

    def said(ours: bool) -> dict[str, str]:
        done = subprocess.run(
            [program], env=run.environment(ours), capture_output=True, text=True, check=True,
            timeout=100,
        )  # fmt: skip
        return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())

    soft, ours = said(False), said(True)
    assert {k: v for k, v in ours.items() if "with it" not in k} == {
        k: v for k, v in soft.items() if "with it" not in k
    }
    assert soft["X25519 derives"] == soft["ED25519 signs"] == "yes"
    assert soft["X25519 signs"] == soft["ED25519 derives"] == "no"
    assert {v for k, v in ours.items() if "with it" in k} == {"no"}
    assert all(server.jobs() for server in servers)


@pytest.mark.parametrize("settings", ["", "generate = device\n"], ids=["", "inside"])
def test_tls(keys: Path, ecsm_so: Path, servers: list[Serving], settings: str) -> None:
    """A certificate of Ed25519 whose key is in the device, and X25519's keys with it, or in it."""
    run = command(keys, ecsm_so, settings)
    groups = ("-groups", "X25519")
    for key in ("ecsm:web", "web.pem"):
        with listening(run, "-cert", "web.crt", "-key", key, *groups) as port:
            for ours in (True, False):
                said = fetch(run, port, *groups, ours=ours)
                assert all(wanted in said for wanted in TLS), said
    assert all(server.jobs() > 4 for server in servers)


def test_without_a_device_of_the_curve_software_computes(
    keys: Path, ecsm_so: Path, servers: list[Serving]
) -> None:
    run = Openssl(keys, ecsm_so, str(keys / "e"))
    run("genpkey", "-algorithm", "X25519", "-out", "a.pem")
    run("pkey", "-in", "a.pem", "-pubout", "-out", "a.pub")
    derive = ("pkeyutl", "-derive", "-inkey", "a.pem", "-peerkey", "a.pub")
    assert run(*derive) == run(*derive, ours=False)
    run = Openssl(keys, ecsm_so, str(keys / "x"))
    run.file("message", b"x")
    words = ("pkeyutl", "-rawin", "-in", "message", "-sign", "-inkey", "web.pem")
    assert run(*words) == run(*words, ours=False)
    assert all(server.jobs() == 0 for server in servers)
