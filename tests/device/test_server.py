# SPDX-License-Identifier: Apache-2.0
"""The device server: many processes at once, clients that die, sockets that are left behind."""

from __future__ import annotations

import grp
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import pytest

import ecsm
from ecsm.cli import main
from ecsm.cli.common import USAGE
from ecsm.device.base import DeviceError, NoDevice
from ecsm.device.frame import Decoder, Frame, Kind, Link, encode, request
from ecsm.device.remote import RemoteDevice
from ecsm.device.server import Access, listening
from ecsm.schemes.encoding import signature_der
from ecsm.status import NoKey, Status
from tests.device.serving import Serving, serving

PRESET, CURVE = "b163-small", "sect163r2"
MESSAGE = bytes(65_000)  # the longest job of b163-small but for ECMQV, and needs no key
CLIENT = Path(__file__).with_name("client.py")
ROOT = Path(__file__).parents[2]


def scalar(d: int) -> bytes:
    return d.to_bytes(21, "big")


def connected(path: Path) -> RemoteDevice:
    device = ecsm.open(f"unix:{path}")
    assert isinstance(device, RemoteDevice)
    return device


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "socket"


@pytest.fixture
def server(place: Path) -> Iterator[Serving]:
    with serving(place, "--preset", PRESET) as made:
        yield made


def test_a_thousand_jobs_of_eight_clients(place: Path, libcrypto: ModuleType) -> None:
    """Each client holds every answer to libcrypto and hashlib, and its keys to be its own."""
    del libcrypto
    with serving(place, "--preset", "b283-fast") as server:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        clients = [
            subprocess.Popen(
                [sys.executable, str(CLIENT), str(place), str(seed), "125"],
                env=environment, stderr=subprocess.PIPE, text=True,
            )
            for seed in range(8)
        ]  # fmt: skip
        for client in clients:
            _, said = client.communicate(timeout=500)
            assert client.returncode == 0, said
        assert server.jobs() == 1000


def test_the_socket_is_its_users_alone_and_goes_with_the_server(server: Serving) -> None:
    assert stat.S_IMODE(server.socket.stat().st_mode) == 0o600
    connected(server.socket).close()
    assert server.jobs() == 0
    assert not server.socket.exists()
    with pytest.raises(DeviceError, match="no device server"):
        connected(server.socket)


def test_a_client_that_is_killed_loses_its_own_job_only(server: Serving) -> None:
    """It dies in its job, and the keys that it had made in the device make room for others."""
    code = (
        "import ecsm, sys\n"
        f"d = ecsm.open('unix:{server.socket}')\n"
        "for i in range(3): d.run('generate', slot=i)\n"
        "print('ready', flush=True)\n"
        f"while True: d.run('sha256', bytes({len(MESSAGE)}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with connected(server.socket) as other:
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment
        ) as victim:
            assert victim.stdout is not None
            assert victim.stdout.readline() == b"ready\n"
            time.sleep(0.1)
            victim.send_signal(signal.SIGKILL)
        made = [other.run("generate", slot=i).strings for i in range(3)]
        assert [other.run("public", slot=i).strings for i in range(3)] == made


def raw(path: Path) -> socket.socket:
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(str(path))
    return s


def answers(s: socket.socket, count: int) -> list[Frame]:
    decoder = Decoder()
    found: list[Frame] = []
    while len(found) < count:
        octets = s.recv(65536)
        assert octets, "it closed the connection"
        for item in decoder.feed(octets):
            assert isinstance(item, Frame)
            found.append(item)
    return found


def test_requests_ahead_are_answered_in_order_up_to_a_limit(server: Serving) -> None:
    """Forty at once: sixteen wait, or more as the first are done; each is answered by its tag."""
    number = connected(server.socket).operations.index("public")
    with raw(server.socket) as s:
        s.sendall(b"".join(encode(request(number, tag, 0, 0)) for tag in range(1, 41)))
        found = answers(s, 40)
    done = [f.tag for f in found if f.code == Status.NO_KEY]
    busy = [f.tag for f in found if f.code == Status.BUSY]
    assert done == sorted(done)
    assert len(done) >= 16
    assert sorted(done + busy) == list(range(1, 41))


def test_damage_is_answered_and_the_connection_goes_on(server: Serving) -> None:
    with raw(server.socket) as s:
        s.sendall(b"noise" + encode(request(1, 1, 0, 0))[:9])
        s.sendall(encode(request(200, 2, 0, 0)))
        first, second = answers(s, 2)
        assert (first.tag, first.code) == (0, Link.DAMAGED)
        assert (second.tag, second.code) == (2, Status.UNSUPPORTED)
        s.sendall(encode(Frame(Kind.ANSWER, 0, 5)))
        assert [f.code for f in answers(s, 1)] == [Link.BAD_REQUEST]


def test_what_the_server_says_is_bounded(server: Serving) -> None:
    """Whatever clients send, and however they leave: no line for each of their frames."""
    damaged = b"\x7eno frame\x7e" * 11_000
    for octets in (damaged, damaged[:-1], encode(request(64, 1, 0, 0)) * 5000, b"\x7e" * 100_000):
        for _ in range(3):
            with raw(server.socket) as s:
                s.sendall(octets)
    with connected(server.socket) as device:
        device.run("sha256", b"")
    server.stop()
    assert len(server.said.splitlines()) <= 4, server.said[-2000:]


def test_a_client_that_reads_nothing_harms_nobody(server: Serving) -> None:
    """It is cut off when too much waits for it; the others are served meanwhile."""
    asked = encode(request(64, 1, 0, 0)) * 500_000
    with raw(server.socket) as s, connected(server.socket) as other:
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            s.sendall(asked)
        other.run("load", scalar(5))
        other.run("public")


def test_closing_finishes_the_job_and_refuses_the_next(server: Serving) -> None:
    """SIGTERM: the job that runs is answered, the one behind it is told, the exit code is 0."""
    device = connected(server.socket)
    sha = device.operations.index("sha256")
    with raw(server.socket) as s:
        for tag in range(1, 9):
            s.sendall(encode(request(sha, tag, 0, 0, MESSAGE)))
        found = answers(s, 1)
        closing = threading.Thread(target=server.stop)
        closing.start()
        found += answers(s, 7)
        closing.join()
    assert [f.tag for f in found] == list(range(1, 9))
    codes = [f.code for f in found]
    done = codes.count(Status.OK)
    assert codes == [Status.OK] * done + [Link.CLOSING] * (8 - done)
    assert 1 < done < 8
    assert server.process.returncode == 0
    assert not server.socket.exists()
    with pytest.raises(DeviceError, match=r"gone|no device server"):
        device.run("public")


def test_a_child_process_has_a_connection_of_its_own(server: Serving) -> None:
    """It does not speak over its parent's, and has none of its keys."""
    with connected(server.socket) as device:
        device.run("load", scalar(5))
        point = device.run("public").strings
        child = os.fork()
        if child == 0:
            code = 1
            try:
                device.run("public")
            except NoKey:
                device.run("load", scalar(6))
                code = 0 if device.run("public").strings != point else 2
            finally:
                os._exit(code)
        assert all(device.run("public").strings == point for _ in range(5))
        assert os.waitpid(child, 0)[1] == 0
        assert device.run("public").strings == point


def test_a_client_finds_the_next_server(place: Path) -> None:
    """A server that dies takes its keys along: the job fails, and the next one begins anew."""
    with serving(place, "--preset", PRESET) as first:
        device = connected(place)
        device.run("load", scalar(5))
        first.stop(signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(DeviceError, match="no device server"):
                device.run("public")
        assert place.exists()
    with serving(place, "--preset", PRESET), device:
        with pytest.raises(NoKey):
            device.run("public")
        device.run("load", scalar(5))
        device.run("public")


def test_a_server_of_other_keys_is_another_device(tmp_path: Path, place: Path) -> None:
    """A handle is a number: after a restart it may be of somebody else's key."""
    keys = []
    for name in ("alice", "bob"):
        keys.append(tmp_path / f"{name}.pem")
        assert main(["keygen", "--curve", CURVE, "-o", str(keys[-1])]) == 0
    words = [f"alice={keys[0]}", f"bob={keys[1]}"]
    with serving(place, "--preset", PRESET, "--key", words[0], "--key", words[1]) as first:
        device = connected(place)
        device.run("public", slot=device.handle("alice"))
        first.stop(signal.SIGKILL)
    with serving(place, "--preset", PRESET, "--key", words[1], "--key", words[0]), device:
        for complaint in ("another device now", "another device now"):
            with pytest.raises(DeviceError, match=complaint):
                device.run("public", slot=device.handle("alice"))


def test_a_living_server_is_not_replaced(
    server: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["serve", "--unprotected", "--preset", PRESET, "--socket", str(server.socket)]
    assert main(words) == USAGE
    assert "a device server is there already" in capsys.readouterr().err
    Path(f"{server.socket}.lock").unlink()
    assert main(words) == USAGE
    assert "another program listens there" in capsys.readouterr().err
    connected(server.socket).close()


def test_what_is_no_socket_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "letters"
    file.write_text("dear")
    assert main(["serve", "--unprotected", "--preset", PRESET, "--socket", str(file)]) == USAGE
    assert "is no socket" in capsys.readouterr().err
    assert file.read_text() == "dear"
    for path in (tmp_path / "none" / "s", tmp_path / ("x" * 120)):
        assert main(["serve", "--unprotected", "--preset", PRESET, "--socket", str(path)]) == USAGE
        assert "no socket can be there" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["letters"]


def test_a_folder_that_others_can_write_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line that says how to mend it; nothing is made there. A group may be named."""
    folder = tmp_path / "shared"
    folder.mkdir()
    words = ["serve", "--unprotected", "--preset", PRESET, "--socket", str(folder / "s")]
    for mode in (0o777, 0o1777, 0o757, 0o775):
        folder.chmod(mode)
        if os.geteuid() == 0:
            os.chown(folder, -1, 12345)
        elif mode == 0o775:
            continue
        assert main(words) == USAGE
        said = capsys.readouterr().err
        assert "other users can write to" in said
        assert len(said.splitlines()) == 1
        assert not list(folder.iterdir())
    folder.chmod(0o755)
    monkeypatch.setenv("ECSM_GROUP", "no such group")
    assert main(words) == USAGE
    assert "names no group" in capsys.readouterr().err


def test_wrong_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ECSM_SOCKET", raising=False)
    bad, place = tmp_path / "bad.pem", ["--socket", str(tmp_path / "s")]
    bad.write_text("no key")
    for words, complaint in (
        ([], "ECSM_SOCKET"), (["--preset", "none", *place], "none"),
        (["--preset", "x25519", *place], "Weierstrass"), (["--key", "web", *place], "NAME=FILE"),
        (["--key", f"a b={bad}", *place], "NAME=FILE"), (["--key", f"web={bad}", *place], "no key"),
        (["--key", f"w={bad}", "--key", f"w={bad}", *place], "no key"),
    ):  # fmt: skip
        assert main(["serve", "--unprotected", *words]) == USAGE
        assert complaint in capsys.readouterr().err
    assert main(["serve", "--unprotected", "--key", "web=/none", *place]) == USAGE


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
def test_keys_with_names(tmp_path: Path, place: Path) -> None:
    """Two clients sign with the key of a file; openssl verifies; another curve's key is refused."""

    def openssl(*words: str) -> str:
        done = subprocess.run(
            ["openssl", *words], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout

    for name, c in (("key.pem", CURVE), ("other.pem", "sect233r1")):
        openssl("ecparam", "-name", c, "-genkey", "-noout", "-out", name)
    openssl("pkey", "-in", "key.pem", "-pubout", "-out", "pub.pem")
    (tmp_path / "digest").write_bytes(bytes(range(32)))
    words = ("--preset", PRESET, "--key")
    with serving(place, *words, f"till={tmp_path / 'key.pem'}"):
        for _ in range(2):
            with connected(place) as device:
                assert device.keys == ("till",)
                with pytest.raises(KeyError):
                    device.handle("safe")
                r, s = device.run(
                    "sign-sha256", bytes(range(32)), slot=device.handle("till")
                ).strings
            (tmp_path / "s").write_bytes(signature_der(r, s))
            assert "Success" in openssl(
                "pkeyutl",
                "-verify",
                "-pubin",
                "-inkey",
                "pub.pem",
                "-in",
                "digest",
                "-sigfile",
                "s",
            )
    refused = [
        "serve",
        "--unprotected",
        *words,
        f"till={tmp_path / 'other.pem'}",
        "--socket",
        str(place),
    ]
    assert main(refused) == USAGE


def test_a_simulated_device_runs_the_same(server: Serving) -> None:
    """One interface: sim: and unix: answer alike, in as many cycles."""
    with ecsm.open(f"sim:{PRESET}") as near, connected(server.socket) as far:
        for device in (near, far):
            device.run("load", scalar(77), slot=2)
        for operation, strings in (("public", ()), ("sign-sha1", (bytes(20),))):
            one, two = (d.run(operation, *strings, slot=2) for d in (near, far))
            assert one == two
            assert near.last_cycles == far.last_cycles == one.cycles
        assert near.kp(5, None) is None


@pytest.mark.parametrize(
    ("words", "mode"),
    [((), 0o600), (("--group", "GROUP"), 0o660), (("--mode", "0666"), 0o666),
     (("--group", "GROUP", "--mode", "0600"), 0o600)],
)  # fmt: skip
def test_who_may_connect(place: Path, words: tuple[str, ...], mode: int) -> None:
    group = grp.getgrgid(os.getegid()).gr_name
    words = tuple(group if word == "GROUP" else word for word in words)
    with serving(place, "--preset", PRESET, *words):
        status = place.stat()
        assert (stat.S_IMODE(status.st_mode), status.st_gid) == (mode, os.getegid())


@pytest.mark.parametrize(
    ("words", "why"),
    [(("--group", "no-such-group"), "there is no group"), (("--mode", "0777"), "--mode takes one"),
     (("--group", ""), "there is no group"), (("--mode", ""), "--mode takes one")],
)  # fmt: skip
def test_who_cannot_connect(place: Path, words: tuple[str, ...], why: str,
                            capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    assert (
        main(["serve", "--unprotected", "--preset", PRESET, "--socket", str(place), *words])
        == USAGE
    )
    assert why in capsys.readouterr().err
    assert not place.exists()


def test_a_group_of_others(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "chown", Mock(side_effect=PermissionError(1, "not permitted")))
    with pytest.raises(NoDevice, match="not in the socket's group"), listening(place, Access(1, 0)):
        pass
    assert not place.exists()
