# SPDX-License-Identifier: Apache-2.0
"""Private keys that outputs do not replace: those that are there, those that come meanwhile."""

from __future__ import annotations

import argparse
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from Crypto.IO import PEM
from Crypto.Util.asn1 import DerSequence

from ecsm import files
from ecsm.cli import main
from ecsm.cli.common import USAGE, UsageError
from ecsm.cli.files import writing
from ecsm.schemes.encoding import private_pem, public_pem, read_key
from tests.cli.test_cli import ROOT, TOY
from tests.schemes.key_files import key_of

KEYGEN = ("keygen", "--curve", "sect163r2", "--preset", "b163-small")
WORD = ("keygen", "--curve", "P-256", "--preset", "word-p256")


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_private_key_is_not_replaced_unless_by_force(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever command would write over it, and whatever kind of key it is."""
    key = key_of("sect163r2")
    rsa = b"-----BEGIN RSA PRIVATE KEY-----\nnobody knows\n"
    kinds = {
        "k.pem": private_pem(key), "locked.pem": private_pem(key, b"pass"), "rsa.pem": rsa,
        "k.der": PEM.decode(private_pem(key).decode())[0],
        "chain.pem": public_pem(key) * 1000 + private_pem(key),
        "line.der": PEM.decode(private_pem(key).decode())[0] + b"\n",
        "rsa.der": DerSequence([0, *range(3, 11)]).encode(),
        "dsa.der": DerSequence([0, *range(3, 8)]).encode(),
        "pgp.asc": b"-----BEGIN PGP PRIVATE KEY BLOCK-----\nnobody knows\n",
        "k.ppk": b"PuTTY-User-Key-File-3: ssh-ed25519\n",
    }  # fmt: skip
    (here / "message").write_bytes(b"dear")
    monkeypatch.setattr("ecsm.cli.keys._keygen", lambda _: pytest.fail("it was begun"))
    for name, octets in kinds.items():
        (here / name).write_bytes(octets)
        for words in (
            [*KEYGEN, "-o", name], [*KEYGEN, "-o", "new.pem", "--public", name],
            ["pubkey", "--key", name, "-o", name], ["schedule", TOY, "--svg", name],
            ["sign", "--key", name, "-o", name, "message"],
        ):  # fmt: skip
            assert main(words) == USAGE, words
            (line,) = capsys.readouterr().err.splitlines()
            assert line.startswith(f"ecsm: {name} holds a private key, which would be lost")
        assert (here / name).read_bytes() == octets

    def made(args: argparse.Namespace) -> int:
        files.replace(args.out, b"new")
        return 0

    monkeypatch.setattr("ecsm.cli.keys._keygen", made)
    assert main([*KEYGEN, "-o", "k.pem", "--force"]) == 0
    for public in (DerSequence([3, 5]).encode(), public_pem(key)):  # a signature, or a key of RSA
        (here / "k.pub").write_bytes(public)
        assert main([*KEYGEN, "-o", "k.pub"]) == 0
    assert (here / "k.pem").read_bytes() == (here / "k.pub").read_bytes() == b"new"


def _no_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "as on a file system without them")


@pytest.fixture(params=["links", "no links"])
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system with hard links, or without."""
    if request.param == "no links":
        monkeypatch.setattr(os, "link", _no_links)


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_private_key_that_comes_while_an_output_is_made_stays(
    here: Path, before: bytes | None
) -> None:
    """As one that another process makes while a long message is encrypted."""
    target, key = here / "out", private_pem(key_of("sect163r2"))
    if before is not None:
        target.write_bytes(before)

    def sealed_meanwhile() -> None:
        with writing("out") as file:
            file.write(b"sealed")
            target.write_bytes(key)

    with pytest.raises(UsageError, match=r"^out holds a private key, which would be lost"):
        sealed_meanwhile()
    assert target.read_bytes() == key
    assert names(here) == ["out"]
    with writing("other") as file:
        file.write(b"sealed")
    assert (here / "other").read_bytes() == b"sealed"
    assert names(here) == ["other", "out"]


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("force", [False, True])
def test_keygen_replaces_a_key_that_came_meanwhile_by_force_alone(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], force: bool
) -> None:
    other = private_pem(key_of("P-256"))

    def late(*arguments: object) -> bytes:
        (here / "k.pem").write_bytes(other)
        return private_pem(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("ecsm.cli.keys.private_pem", late)
    code = main([*WORD, "-o", "k.pem", "--public", "k.pub", *["--force"] * force])
    error = capsys.readouterr().err
    if force:
        assert code == 0
        made = read_key((here / "k.pem").read_bytes())
        assert made.public == read_key((here / "k.pub").read_bytes()).public
        assert made.d != read_key(other).d
    else:
        assert code == USAGE
        assert error.splitlines()[-1].startswith("ecsm: k.pem holds a private key, which would be")
        assert (here / "k.pem").read_bytes() == other
        assert names(here) == ["k.pem"]


def test_of_two_that_make_a_key_in_one_file_one_is_refused(here: Path) -> None:
    """And the public key beside it is that of the private one."""
    words = [sys.executable, "-m", "ecsm", *WORD, "-o", "k.pem", "--public", "k.pub"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    both = [
        subprocess.Popen(words, cwd=here, env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    errors = [p.communicate(timeout=300)[1] for p in both]
    codes = [p.returncode for p in both]
    assert sorted(codes) == [0, USAGE], errors
    assert "holds a private key, which would be lost" in errors[codes.index(USAGE)]
    assert names(here) == ["k.pem", "k.pub"]
    private, public = (read_key((here / name).read_bytes()) for name in ("k.pem", "k.pub"))
    assert private.public == public.public
