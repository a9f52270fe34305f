# SPDX-License-Identifier: Apache-2.0
"""How commands read keys: what cannot be used is exit code 2 and one line; passphrases."""

from __future__ import annotations

import io
import os
import pty
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.cli.common import FAILED, USAGE
from ecsm.cli.streams import packed
from ecsm.cores.store import StaleSchedule
from ecsm.device.base import DeviceError
from ecsm.schemes.der import WANTED
from ecsm.schemes.encoding import BadEncoding, private_pem, public_pem, read_key, signature_der
from ecsm.status import FaultDetected
from tests.schemes.key_files import (
    PASSPHRASE,
    encrypted,
    key_of,
    openssl,
    plain,
)
from tests.schemes.test_key_mutations import mutated, secrets_of

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
COMMANDS = {
    "sign": "sign --key BAD message",
    "pubkey": "pubkey --key BAD",
    "ecdh": "ecdh --key BAD --peer good.pub",
    "decrypt": "decrypt --key BAD message",
    "decap": "decap --key BAD message",
    "serve": "serve --unprotected --preset b163-small --socket s --key web=BAD",
    "verify": "verify --key BAD --signature message message",
    "ecdh, peer": "ecdh --key good.pem --peer BAD",
    "encrypt": "encrypt --to BAD message",
    "encap": "encap --to BAD --secret k",
}
"""Commands that read a key, and where; the last four want the public one."""
PUBLIC = ("verify", "ecdh, peer", "encrypt", "encap")
CURVE = "sect163r2"
OTHER = "secp256r1"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a message, a key and its passphrase, which is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("message").write_bytes(b"pay the bearer ten pounds\n")
    Path("pass").write_bytes(PASSPHRASE + b"\n")
    for name, curve in (("good", CURVE), ("other", OTHER)):
        Path(f"{name}.pem").write_bytes(private_pem(key_of(curve)))
        Path(f"{name}.pub").write_bytes(public_pem(key_of(curve)))
    return tmp_path


def complaint(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line of a command that could not be used as it was."""
    capsys.readouterr()
    assert main(arguments) == USAGE
    said = capsys.readouterr()
    assert not said.out
    assert said.err.startswith("ecsm: ")
    assert len(said.err.splitlines()) == 1, said.err
    assert not any(text in said.err for text in secrets_of(key_of(CURVE))), said.err
    return said.err


def arguments(command: str, key: str = "bad") -> list[str]:
    return COMMANDS[command].replace("BAD", key).split()


def refused(octets: bytes, private: bool) -> bool:
    """Tell whether a file is no key for a command that wants the private one, or the public."""
    try:
        key = read_key(octets)
        _ = key.scalar if private else key.point
    except BadEncoding:
        return True
    return False


@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_are_no_key(
    command: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing, a folder, without end, empty, another's, too long, two keys."""
    Path("empty").touch()
    Path("long").write_bytes(private_pem(key_of(CURVE)) + b"\n" * (1 << 16))
    Path("two").write_bytes(2 * private_pem(key_of(CURVE)))
    Path("ed").write_bytes(openssl("genpkey", "-algorithm", "ED448"))
    Path("cut").write_bytes(encrypted(CURVE, fast=True)[0].octets[:-60])
    for name, match in (
        ("missing", "No such file"),
        (str(here), "Is a directory"),
        ("/dev/zero", "too long"),
        ("long", "too long"),
        ("empty", "no key"),
        ("message", "no key"),
        ("ed", "id-ecPublicKey"),
        ("two", "has 2 keys"),
        ("cut", "no end"),
    ):
        said = complaint(arguments(command, name), capsys)
        assert match in said
        assert name in said
    if command not in PUBLIC:
        assert "a public one" in complaint(arguments(command, "good.pub"), capsys)


@pytest.mark.parametrize("command", COMMANDS)
def test_mutated_keys(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del here
    rng, done = random.Random(command), 0
    forms = plain(CURVE)
    while done < 25:
        octets = mutated(rng, rng.choice(forms).octets)
        if refused(octets, command not in PUBLIC):
            Path("bad").write_bytes(octets)
            complaint(arguments(command), capsys)
            done += 1


def test_keys_on_standard_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read from there, bounded; a closed one is said to be closed."""
    del here

    def given(octets: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(octets)))

    peer = ["--peer", "other.pub"]
    given(private_pem(key_of(CURVE)))
    assert "the key is of sect163r2" in complaint(["ecdh", "--key", "-", *peer], capsys)
    given(bytes(1 << 20))
    assert "too long" in complaint(["ecdh", "--key", "-", *peer], capsys)
    monkeypatch.setattr("sys.stdin", None)
    assert "closed" in complaint(["ecdh", "--key", "-", *peer], capsys)


def test_what_verify_cannot_read_is_no_invalid_signature(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 is for a signature that is invalid: octets that are none, too."""
    del here
    verify = ["verify", "--key", "good.pub", "--signature"]
    Path("none").write_bytes(b"\x30\x03\x02\x01\x01")
    for name in ("none", "message", "good.pem"):
        assert main([*verify, name, "message"]) == FAILED
        assert capsys.readouterr().out.startswith("invalid: ")
    for name in ("missing", "/dev/zero"):
        assert name in complaint([*verify, name, "message"], capsys)
    Path("s").write_bytes(b"\x30\x06\x02\x01\x01\x02\x01\x01")
    assert main([*verify, "s", "message"]) == FAILED  # which compiles the core, if need be
    assert capsys.readouterr().out.startswith("invalid: ")
    assert "missing" in complaint([*verify, "s", "missing"], capsys)


@pytest.mark.parametrize("command", ["sign", "pubkey", "ecdh", "decrypt", "decap", "serve"])
def test_passphrase_files(command: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The right one opens the key; others, and files that hold none, are told apart."""
    del here
    words = arguments(command, "bad")
    preset = ["--preset", "p256-fast"] if command != "ecdh" else []
    words = [w.replace("good.pub", "other.pub") for w in words] + preset
    given = {
        "decap": b"\4" + bytes(2 * 21 + 32),
        "decrypt": b"".join(size.to_bytes(4, "big") + bytes(size) for size in (21, 21, 5, 32)),
    }
    Path("message").write_bytes(given.get(command, bytes(16)))
    for form in encrypted(CURVE, fast=True)[::4]:
        Path("bad").write_bytes(form.octets)
        said = complaint([*words, "--passphrase-file", "pass"], capsys)
        assert "of sect163r2" in said, said  # it was read, and is of another curve
    Path("crlf").write_bytes(PASSPHRASE + b"\r\nmore")
    assert "of sect163r2" in complaint([*words, "--passphrase-file", "crlf"], capsys)
    Path("wrong").write_bytes(b"open barley\n")
    Path("empty").write_bytes(b"\n" + PASSPHRASE)
    Path("nul").write_bytes(PASSPHRASE + b"\0\n")
    for name, match in (
        ("wrong", "passphrase is wrong"),
        ("empty", "1 to 1,024 octets"),
        ("nul", "a NUL is in it"),
        ("missing", "No such file"),
        ("/dev/zero", "too long"),
    ):
        said = complaint([*words, "--passphrase-file", name], capsys)
        assert match in said
        assert "barley" not in said


def test_passphrase_on_standard_input(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing else is there."""
    del here
    Path("bad").write_bytes(encrypted(CURVE, fast=True)[0].octets)
    dash = ["--passphrase-file", "-"]
    for words in (["sign", "--key", "bad"], ["ecdh", "--key", "-", "--peer", "good.pub"]):
        assert "only one input" in complaint([*words, *dash], capsys)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PASSPHRASE + b"\n")))
    peer = ["--peer", "other.pub"]
    assert "the key is of sect163r2" in complaint(["ecdh", "--key", "bad", *peer, *dash], capsys)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PASSPHRASE + b"\n")))
    keys = ["--key", "a=bad", "--key", "b=bad", "--key", "c=other.pem"]
    served = ["serve", "--unprotected", "--preset", "b163-small", "--socket", "s", *keys, *dash]
    assert "key other.pem is of secp256r1" in complaint(served, capsys)  # a and b were read


def test_public_commands_take_no_encrypted_key(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del here
    Path("bad").write_bytes(encrypted(CURVE, fast=True)[0].octets)
    for command in PUBLIC:
        assert "no passphrase is taken here" in complaint(arguments(command), capsys)


RUN = "import sys; from ecsm.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.parametrize("command", ["sign", "pubkey", "ecdh", "decrypt", "decap", "serve"])
def test_without_a_terminal_nothing_is_asked(command: str, here: Path) -> None:
    del here
    Path("bad").write_bytes(encrypted(CURVE, fast=True)[0].octets)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *arguments(command)],
        capture_output=True, text=True, start_new_session=True, check=False, timeout=60,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == USAGE
    assert not done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert "bad" in done.stderr
    assert "--passphrase-file" in done.stderr


def at_terminal(words: list[str], typed: bytes) -> tuple[int, str]:
    """Run a command at a terminal of its own; type when it asks; return code and screen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", RUN, *words])
    screen, deadline, asked = b"", time.monotonic() + 60, False
    try:
        while time.monotonic() < deadline:
            try:
                screen += os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
            if not asked and b"Passphrase of" in screen:
                os.write(terminal, typed)
                asked = True
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), screen.decode()


def test_a_terminal_is_asked_and_does_not_show_the_answer(here: Path) -> None:
    """The question names the file; end of input and a wrong answer are usage, too."""
    del here
    Path("bad").write_bytes(encrypted(CURVE, fast=True)[0].octets)
    words = ["ecdh", "--key", "bad", "--peer", "other.pub"]
    for typed, match in (
        (PASSPHRASE + b"\n", "the key is of sect163r2"),
        (b"open barley\n", "passphrase is wrong"),
        (b"\n", "passphrase is empty"),
        (b"\x04", "no passphrase was given"),
    ):
        code, screen = at_terminal(words, typed)
        assert code == USAGE
        assert "Passphrase of bad: " in screen
        assert match in screen
        assert "open" not in screen
        assert "Traceback" not in screen


def test_an_encrypted_key_is_used(here: Path) -> None:
    """A signature by a key of each kind of encryption that openssl verifies."""
    del here
    forms = {form.name: form.octets for form in encrypted(CURVE, fast=True)}
    for name in ("pbes2-scrypt-pem", "pbes2-sha256-der", "dek-info-aes256"):
        Path("k").write_bytes(forms[name])
        sign = ["sign", "--preset", "b163-small", "--key", "k", "--passphrase-file", "pass"]
        assert main([*sign, "-o", "s", "message"]) == 0
        openssl("dgst", "-sha256", "-verify", "good.pub", "-signature", "s", "message")


def test_keygen_encrypts(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Openssl opens the key with the passphrase, and with no other; so do we."""
    del here
    core = ["--preset", "b163-small"]
    keygen = ["keygen", *core, "--curve", CURVE, "-o", "k", "--public", "p", "--passphrase-file"]
    assert main([*keygen, "pass"]) == 0
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in Path("k").read_bytes()
    assert b"valid" in openssl("pkey", "-in", "k", "-passin", "file:pass", "-check", "-noout")
    assert openssl("pkey", "-in", "k", "-passin", "file:pass", "-pubout") == Path("p").read_bytes()
    Path("wrong").write_bytes(b"open barley\n")
    wrong = subprocess.run(
        ["openssl", "pkey", "-in", "k", "-passin", "file:wrong"], capture_output=True, check=False
    )
    assert wrong.returncode != 0
    assert main(["pubkey", *core, "--key", "k", "--passphrase-file", "pass", "-o", "q"]) == 0
    assert Path("q").read_bytes() == Path("p").read_bytes()
    Path("k").unlink()
    assert "missing" in complaint([*keygen, "missing"], capsys)
    assert not Path("k").exists()


@pytest.mark.parametrize("name", ["toy7a", "toyp7d", "toyp7x"])
def test_keygen_of_a_curve_that_files_cannot_name(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del here
    assert name in complaint(["keygen", "--curve", name, "-o", "k"], capsys)


@pytest.mark.parametrize(
    "device", ["unix:/none/socket", "serial:/none", "/tmp/x", "unix:", "serial:/dev/null"]
)
def test_without_a_device_there_is_no_verdict(
    device: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 is for a signature that is invalid alone."""
    (here / "s").write_bytes(signature_der(b"\1", b"\1"))
    words = ["--key", "good.pub", "--signature", "s", "--device", device, "message"]
    assert "device" in complaint(["verify", *words], capsys) or device.startswith("serial")


def test_whatever_is_no_verdict_is_no_invalid_signature(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "s").write_bytes(signature_der(b"\1", b"\1"))
    words = ["verify", "--key", "good.pub", "--signature", "s", "message"]
    for error in (DeviceError("gone"), FaultDetected("it"), OSError(5, "I/O"), StaleSchedule("x")):

        def fail(*_: object, why: Exception = error, **__: object) -> None:
            raise why

        monkeypatch.setattr("ecsm.cli.scheme.scheme_device", fail)
        assert complaint(words, capsys)
    (here / "s").write_bytes(b"none")
    assert main(words) == FAILED
    assert capsys.readouterr().out.startswith("invalid: ")


def test_a_key_of_another_kind_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = {
        "an RSA key": ("RSA", "-pkeyopt", "rsa_keygen_bits:1024"), "an Ed448 key": ("ed448",),
        "an X448 key": ("x448",),
    }  # fmt: skip
    for kind, words in kinds.items():
        (here / "other").write_bytes(openssl("genpkey", "-algorithm", *words))
        said = complaint(["sign", "--key", "other", "message"], capsys)
        assert said == f"ecsm: key other: this is {kind}: {WANTED}\n"


@pytest.mark.parametrize(
    ("words", "octets", "said"),
    [
        ((), 2049, "the message of ecies has 2,049 octets, 2,048 are the most: --scheme ec-aes"),
        ((), 1 << 17, "the message of ecies has more than 65,536 octets, 2,048 are the most"),
        (("--scheme", "ecies-xor"), 1025, "the message of ecies-xor has 1,025 octets, 1,024 are"),
        (("--scheme", "demo"), 20, "the message of demo has 20 octets, 21 are right"),
        (("--scheme", "demo"), 22, "the message of demo has 22 octets, 21 are right"),
        (("--shared-info1", "x" * 129), 1, "SharedInfo1 has 129 octets, 128 are the most"),
    ],
)
def test_a_message_of_a_wrong_length_is_refused_before_a_device_is_asked(
    words: tuple[str, ...], octets: int, said: str, here: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    device = "ecsm.cli.encryption.scheme_device"
    monkeypatch.setattr(device, lambda *_: pytest.fail("it was asked"))
    (here / "long").write_bytes(bytes(octets))
    encrypt = ["encrypt", "--to", "good.pub", *words]
    assert complaint([*encrypt, "long"], capsys).startswith(f"ecsm: {said}")


def test_what_was_made_with_other_options_is_said(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    device = "ecsm.cli.encryption.scheme_device"
    monkeypatch.setattr(device, lambda *_: pytest.fail("it was asked"))
    sealed = [bytes(21), bytes(21), b"sealed", bytes(32)]
    for words, strings, said in (
        (("--mac-hash", "sha1"), sealed, "the tag has 32 octets, 20 are right"),
        (("--mac-hash", "sha512"), sealed, "the tag has 32 octets, 64 are right"),
        (("--scheme", "ec-aes"), sealed, "the IV has 6 octets, 16 are right"),
        (("--scheme", "demo"), sealed[:3], "what is sealed has 6 octets, 21 are right"),
        ((), [bytes(20), *sealed[1:]], "x has 20 octets, 21 are right"),
    ):
        (here / "c").write_bytes(packed(strings))
        heard = complaint(["decrypt", "--key", "good.pem", *words, "c"], capsys)
        assert heard == f"ecsm: {said}: was it made with these options?\n"
