# SPDX-License-Identifier: Apache-2.0
"""EC-AES of long messages through pipes: in constant memory, here and through a server."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecsm.cli import main
from ecsm.cli.streams import ENDLESS, packed
from ecsm.curves import curve
from ecsm.schemes.encoding import read_key
from tests.device.serving import Serving, serving
from tests.rtl.symmetric.model import kdf
from tests.schemes.model import Model, ctr

PRESET, MODEL = "b163-small", Model(curve("sect163r2"))
ROOT = Path(__file__).parents[2]
LONG = [4_000_000, pytest.param(100_000_000, marks=pytest.mark.slow)]
MORE_MEMORY = 3_000  # kB that a long message may take, more than a short one
SHORT = b"a short one"
MEASURED = """import shutil, sys
from ecsm.cli import main
code = main(sys.argv[1:])
shutil.copy("/proc/self/status", "status")
sys.exit(code)"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a key pair."""
    folder = tmp_path_factory.mktemp("long")
    words = ["-o", str(folder / "key.pem"), "--public", str(folder / "key.pub")]
    assert main(["keygen", "--curve", "sect163r2", "--preset", PRESET, *words]) == 0
    return folder


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Serving]:
    with serving(place / "socket", "--preset", PRESET) as made:
        yield made


def opened(place: Path, sealed: bytes) -> bytes:
    """Decrypt a sealed file in software."""
    strings, at = [], 0
    for size in (21, 21, 16):
        assert int.from_bytes(sealed[at : at + 4], "big") == size
        strings.append(sealed[at + 4 : at + 4 + size])
        at += 4 + size
    assert int.from_bytes(sealed[at : at + 4], "big") == ENDLESS
    d = read_key((place / "key.pem").read_bytes()).d
    assert d is not None
    key = kdf("sha256", MODEL.primitive(d, MODEL.point(*strings[:2])), 32, 1)
    at, parts = at + 4, list[bytes]()
    while size := int.from_bytes(sealed[at : at + 4], "big"):
        parts.append(sealed[at + 4 : at + 4 + size])
        at += 4 + size
    assert sealed[at:] == bytes(4)
    return ctr(key, strings[2], b"".join(parts))


def through(place: Path, command: str, octets: bytes, *words: str) -> tuple[bytes, int, str]:
    """Send octets through a command; return what comes, its memory in kB, what it says."""
    key = ["--to", "key.pub"] if command == "encrypt" else ["--key", "key.pem"]
    out, said = (place / f"{command}.{name}" for name in ("out", "err"))
    with out.open("wb") as sink, said.open("wb") as errors:
        child = subprocess.Popen(
            [sys.executable, "-c", MEASURED, command, "--scheme", "ec-aes", *key, *words],
            stdin=subprocess.PIPE, stdout=sink, stderr=errors, cwd=place,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert child.stdin is not None
        with child.stdin as pipe:
            for at in range(0, len(octets), 50_001):
                pipe.write(octets[at : at + 50_001])
        assert child.wait() == 0, said.read_text()
    return out.read_bytes(), peak(place / "status"), said.read_text()


def small_files() -> None:
    """Let this process write no large files."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 22, 1 << 22))


def peak(status: Path) -> int:
    """Return the most memory that a process has had, in kB."""
    return int(status.read_text(encoding="ascii").split("VmHWM:")[1].split()[0])


@pytest.mark.parametrize("size", LONG)
@pytest.mark.parametrize("served", [True, False])
def test_a_long_message(place: Path, server: Serving, size: int, served: bool) -> None:
    """Sealed in one place, opened in software and in the other place; ``served`` is the sealer."""
    here, there = ["--preset", PRESET], ["--device", f"unix:{server.socket}"]
    seal, unseal = (there, here) if served else (here, there)
    message = random.Random(size).randbytes(size)
    short, least, _ = through(place, "encrypt", SHORT, *seal)
    assert opened(place, short) == SHORT
    back, least_back, _ = through(place, "decrypt", short, *unseal)
    assert back == SHORT
    status = Path(f"/proc/{server.process.pid}/status")
    before = peak(status)
    sealed, memory, said = through(place, "encrypt", message, *seal)
    assert opened(place, sealed) == message
    assert " MB" in said
    back, memory_back, _ = through(place, "decrypt", sealed, *unseal)
    assert back == message
    assert memory - least < MORE_MEMORY
    assert memory_back - least_back < MORE_MEMORY
    assert peak(status) - before < MORE_MEMORY


@pytest.mark.parametrize("flags", [os.O_APPEND, 0], ids=["behind it", "over it"])
def test_a_file_is_not_written_to_while_it_is_read(
    place: Path, server: Serving, flags: int
) -> None:
    """By ``>> file`` it had no end, by ``1<> file`` the end of it was sealed altered."""
    file, message = place / "both", random.Random(7).randbytes(200_000)
    device = ["--device", f"unix:{server.socket}", "--scheme", "ec-aes", "both"]
    for command, key in (("encrypt", "--to=key.pub"), ("decrypt", "--key=key.pem")):
        if command == "encrypt":
            file.write_bytes(message)
        else:
            seal = ["encrypt", "--to", str(place / "key.pub"), *device[:-1], str(file)]
            assert main([*seal, "-o", str(file)]) == 0
        before = file.read_bytes()
        sink = os.open(file, os.O_WRONLY | flags)
        done = subprocess.run(
            [sys.executable, "-m", "ecsm", command, key, *device], stdout=sink, cwd=place,
            stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
            preexec_fn=small_files, timeout=100,
        )  # fmt: skip
        os.close(sink)
        assert (done.returncode, file.read_bytes()) == (2, before)
        assert "the output is the file that is read" in done.stderr


@pytest.mark.parametrize("how", [signal.SIGALRM, signal.SIGUSR1, signal.SIGXCPU, signal.SIGQUIT])
def test_an_alarm_leaves_no_part_of_a_message(
    place: Path, server: Serving, tmp_path: Path, how: signal.Signals
) -> None:
    sealed, _, _ = through(place, "encrypt", bytes(200_000), "--device", f"unix:{server.socket}")
    words = ["--scheme", "ec-aes", "--key", str(place / "key.pem"), "-o", "message"]
    child = subprocess.Popen(
        [sys.executable, "-m", "ecsm", "decrypt", *words, "--device", f"unix:{server.socket}"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert child.stdin is not None
    child.stdin.write(sealed[:-100])
    child.stdin.flush()
    while not any(f.stat().st_size for f in tmp_path.iterdir()):  # until some of it is written
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(how)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said.splitlines()[-1]) == (128 + how, b"ecsm: terminated")
    assert list(tmp_path.iterdir()) == []


def test_sealed_files_that_are_none(
    place: Path, server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, and no file; an end of the last string that its length says is held to it."""
    sealed, _, _ = through(place, "encrypt", SHORT, "--device", f"unix:{server.socket}")
    head, last = sealed[: -len(SHORT) - 12], sealed[-len(SHORT) - 4 : -4]
    good = head + packed([last])
    file, out = place / "file", place / "opened"
    words = ["decrypt", "--scheme", "ec-aes", "--key", str(place / "key.pem"), "--preset", PRESET]
    for octets, code in (
        (good, 0), (sealed, 0), (sealed[:-1], 2), (sealed[:-4], 2), (sealed[:-9], 2),
        (sealed + b"x", 2), (good + b"x", 2), (good[:-1], 2), (head, 2), (head[:30], 2),
        (b"", 2), (b"\xff" * 60, 2), (packed([b""] * 4), 2), (packed([bytes(21)] * 4), 2),
        (packed([bytes(size) for size in (21, 21, 16, 5)]), 1),
    ):  # fmt: skip
        out.unlink(missing_ok=True)
        file.write_bytes(octets)
        assert main([*words, "-o", str(out), str(file)]) == code, octets
        said = capsys.readouterr().err
        assert len(said.splitlines()) == (code != 0)
        assert (out.read_bytes() == SHORT) if code == 0 else not out.exists()


def test_a_device_of_another_curve_or_none(
    place: Path, server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    device = ["--device", f"unix:{server.socket}"]
    other = place / "other.pem"
    assert main(["keygen", "--curve", "P-256", "--preset", "p256-fast", "-o", str(other)]) == 0
    key = str(place / "key.pem")
    for words, complaint in (
        (["sign", "--key", str(other), *device], "is a device of sect163r2, the key of secp256r1"),
        (["sign", "--key", key, *device, "--preset", PRESET], "takes no --preset"),
        (["sign", "--key", key, "--device", "sim:b163-small"], "--preset names a simulated core"),
        (["sign", "--key", key, *device, "--digest", "sha512"], "no operation 'sign-sha512'"),
    ):
        assert main([*words, str(other)]) == 2
        assert complaint in capsys.readouterr().err
    assert main(["sign", "--key", key, "--device", "unix:/none", str(other)]) == 2
    assert "no device server" in capsys.readouterr().err
    out = str(place / "signature")
    assert main(["sign", "--key", key, *device, "-o", out, str(other)]) == 0
    public = str(place / "key.pub")
    assert main(["verify", "--key", public, "--signature", out, *device, str(other)]) == 0


def test_a_string_that_no_frame_can_carry(
    place: Path, server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    """SharedInfo2 may be longer than what goes to a device elsewhere."""
    (place / "m").write_bytes(SHORT)
    at = ["--device", f"unix:{server.socket}", "--shared-info2", "b" * 70_000]
    words = ["--to", str(place / "key.pub"), "-o", str(place / "sealed"), str(place / "m")]
    assert main(["encrypt", *at, *words]) == 2
    said = "ecsm: the strings of a frame have 65,536 octets at most\n"
    assert capsys.readouterr().err == said
    assert main(["encrypt", *at[:2], *words]) == 0  # the server goes on


def test_a_hash_that_the_device_has_not(
    place: Path, server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own hash has the same flags: it is refused, not taken for the one that was asked for."""
    device = ["--device", f"unix:{server.socket}", "-o", str(place / "none")]
    message = str(place / "key.pub")
    for scheme in ("ecies", "ecies-xor", "ec-aes"):
        words = ["encrypt", "--to", message, "--scheme", scheme, "--kdf-hash", "sha512"]
        assert main([*words, *device, message]) == 2
        assert (
            "the device has no sha512: --kdf-hash sha256, sha1 or sha224" in capsys.readouterr().err
        )
    words = ["encrypt", "--to", message, "--mac-hash", "sha384"]
    assert main([*words, *device, message]) == 2
    assert not (place / "none").exists()


def test_ec_aes_of_a_wide_device(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its key derivation is SHA-512: the option says so, or it is refused."""
    out, back = str(place / "wide"), str(place / "back")
    sealed = ["encrypt", "--scheme", "ec-aes", "--to", str(place / "key.pub"), "-o", out]
    unseal = ["decrypt", "--scheme", "ec-aes", "--key", str(place / "key.pem"), "-o", back, out]
    with serving(place / "w", "--preset", PRESET, "--wide"):
        device = ["--device", f"unix:{place / 'w'}"]
        assert main([*sealed, *device, str(place / "key.pub")]) == 2
        assert "the device has no sha256: --kdf-hash sha512 or sha384" in capsys.readouterr().err
        assert main([*sealed, *device, "--kdf-hash", "sha512", str(place / "key.pub")]) == 0
    assert main([*unseal, "--preset", PRESET, "--kdf-hash", "sha512"]) == 0
    assert Path(back).read_bytes() == (place / "key.pub").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ["sign", "--key", "-"], ["sign", "--key", "/dev/stdin"], ["encrypt", "--to", "-"],
        ["decrypt", "--key", "-"], ["decap", "--key", "-"], ["ecdh", "--key", "-", "--peer", "-"],
        ["verify", "--key", "key.pub", "--signature", "-"],
        ["verify", "--key", "-", "--signature", "x"],
        ["serve", "--socket", "s", "--key", "a=-", "--key", "b=-"],
        ["sign", "--key", "key.pem", "--passphrase-file", "-"],
        ["soc", "boot", "-", "--public", "-"],
        ["soc", "sign", "x.bin", "--version", "1", "-o", "x", "--key=-", "--passphrase-file=-"],
    ],
)  # fmt: skip
def test_standard_input_is_one_input(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The second one would be empty, and an empty message signed."""
    assert main(words) == 2
    said = capsys.readouterr()
    assert "standard input is only one input" in said.err
    assert not said.out
