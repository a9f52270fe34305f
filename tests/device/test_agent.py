# SPDX-License-Identifier: Apache-2.0
"""The ssh agent, held to OpenSSH's programs and git: they list, sign, verify and log in."""

from __future__ import annotations

import base64
import signal
import socket
import stat
import struct
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS

from ecsm.cli import main
from ecsm.cli.common import USAGE
from ecsm.device.agent import LONGEST, MOST_CLIENTS, Agent
from ecsm.device.remote import RemoteDevice
from ecsm.device.transport import UnixLine
from tests.device.serving import Serving, serving
from tests.device.sshd import PATH, git_signs, need, sshd

CURVES = {
    "word-p256": ("secp256r1", "ecdsa-sha2-nistp256"),
    "word-prime": ("secp384r1", "ecdsa-sha2-nistp384"),
    "word-prime-p521": ("secp521r1", "ecdsa-sha2-nistp521"),
    "word-prime-ed25519": ("ed25519", "ssh-ed25519"),
}
FAILURE = b"\5"
TIMEOUT_S = 300


class Served:
    """An agent over a device server that has the keys web and git. ``env``: of ssh's programs."""

    def __init__(self, folder: Path, server: Serving, agent: Serving) -> None:
        self.folder, self.server, self.agent = folder, server, agent
        self.env = {"PATH": PATH, "HOME": str(folder),
                    "SSH_AUTH_SOCK": str(agent.socket)}  # fmt: skip

    def run(self, *words: str, **more: str) -> str:
        """Run a program; return what it says on both streams."""
        made = subprocess.run(
            words, cwd=self.folder, env=self.env | more, timeout=TIMEOUT_S, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stdout
        return made.stdout


def made(folder: Path, preset: str) -> Iterator[Served]:
    """Serve the keys web and git to ssh."""
    for name in ("web", "git"):
        assert main(["keygen", "--curve", CURVES[preset][0], "-o", str(folder / name)]) == 0
    keys = [f"--key={name}={folder / name}" for name in ("web", "git")]
    with serving(folder / "device", "--preset", preset, *keys) as server:
        at = f"unix:{folder / 'device'}"
        with serving(folder / "agent", "--device", at, command="agent") as agent:
            yield Served(folder, server, agent)


@pytest.fixture(scope="module", params=CURVES)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    need("ssh-add", "ssh-keygen")
    yield from made(tmp_path_factory.mktemp("agent"), request.param)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An agent that tests share; none of them stops it."""
    yield from made(tmp_path_factory.mktemp("agent"), "word-p256")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """An agent of this test alone."""
    yield from made(tmp_path, "word-p256")


def asked(served: Served, *requests: bytes) -> list[bytes]:
    """Return the answers to requests, until the agent closes the line."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(TIMEOUT_S)
        line.connect(str(served.agent.socket))
        for request in requests:
            line.sendall(struct.pack(">I", len(request)) + request)
        line.shutdown(socket.SHUT_WR)
        octets = b"".join(iter(lambda: line.recv(4096), b""))
    found = []
    while octets:
        (length,) = struct.unpack_from(">I", octets)
        found.append(octets[4 : 4 + length])
        octets = octets[4 + length :]
    return found


def shown(served: Served) -> tuple[bytes, list[bytes]]:
    """Return the answer that lists the keys, and each key."""
    (answer,) = asked(served, b"\x0b")
    found, at = [], 5
    for _ in range(struct.unpack_from(">I", answer, 1)[0]):
        strings = []
        for _ in range(2):
            (length,) = struct.unpack_from(">I", answer, at)
            strings.append(answer[at + 4 : at + 4 + length])
            at += 4 + length
        found.append(strings[0])
    assert at == len(answer)
    return answer, found


def string(octets: bytes) -> bytes:
    return struct.pack(">I", len(octets)) + octets


def test_keys_are_those_of_the_files(served: Served, request: pytest.FixtureRequest) -> None:
    """What openssl says of the key files, and ssh-keygen where it reads that."""
    kind = CURVES[request.node.callspec.params["served"]][1]
    lines = served.run("ssh-add", "-L").splitlines()
    assert [line.split()[2] for line in lines] == ["web", "git"]
    for line in lines:
        name = line.split()[2]
        assert line.split()[0] == kind
        served.run("openssl", "pkey", "-in", name, "-pubout", "-out", "pub")
        if kind == "ssh-ed25519":  # ssh-keygen reads none of it; the key's octets are the last
            pem = (served.folder / "pub").read_text().splitlines()[1:-1]
            assert base64.b64decode("".join(pem))[-32:] == base64.b64decode(line.split()[1])[-32:]
        else:
            public = served.run("ssh-keygen", "-i", "-m", "PKCS8", "-f", "pub")
            assert public.split()[:2] == line.split()[:2]


def test_a_file_is_signed_and_verified(served: Served) -> None:
    for name, line in zip(("web", "git"), served.run("ssh-add", "-L").splitlines(), strict=True):
        (served.folder / f"{name}.pub").write_text(line + "\n")
        (served.folder / "allowed").write_text(f"me {line}\n")
        (served.folder / "m").write_bytes(bytes(100_000))
        (served.folder / "m.sig").unlink(missing_ok=True)
        served.run("ssh-keygen", "-Y", "sign", "-f", f"{name}.pub", "-n", "file", "m")
        verify = "ssh-keygen -Y verify -f allowed -I me -n file -s m.sig < m"
        assert "Good" in served.run("sh", "-c", verify)
        (served.folder / "m").write_bytes(bytes(99_999))
        with pytest.raises(AssertionError, match="incorrect signature"):
            served.run("sh", "-c", verify)


def test_many_signatures(served: Served) -> None:
    """ssh-add -T signs and verifies; r and s that begin with zeros or a high bit come in a few."""
    (served.folder / "web.pub").write_text(served.run("ssh-add", "-L").splitlines()[0] + "\n")
    for _ in range(8):
        served.run("ssh-add", "-T", "web.pub")


def test_git_signs_a_commit(served: Served) -> None:
    need("git")
    line = served.run("ssh-add", "-L").splitlines()[1]
    (served.folder / "git.pub").write_text(line + "\n")
    (served.folder / "allowed").write_text(f"me {line}\n")
    work = git_signs(served.run, served.folder, "git.pub")
    served.run("git", "-C", work, "commit", "-q", "--allow-empty", "-m", "unsigned")
    with pytest.raises(AssertionError):
        served.run("git", "-C", work, "verify-commit", "HEAD")


def test_a_login(served: Served) -> None:
    (served.folder / "authorized").write_text(served.run("ssh-add", "-L").splitlines()[0] + "\n")
    with sshd(served.folder, "authorized") as ssh:
        words = (*ssh, "echo", "in by", "$((6 * 7))")
        assert "in by 42" in served.run(*words)
        served.run("sed", "-i", "s/ AAAA/ AAAB/", "authorized")
        with pytest.raises(AssertionError, match="Permission denied"):
            served.run(*words)


def test_what_is_refused(one: Served) -> None:
    """Requests that are cut, unknown, or of another key are failures, and the line goes on."""
    answer, (key, _) = shown(one)
    sign = b"\x0d" + string(key) + string(b"m") + bytes(4)
    good = asked(one, sign)[0]
    assert good[0] == 14
    bad = [sign[:n] for n in range(1, len(sign))] + [sign + b"\0"]
    bad += [b"\x0d" + string(key[:-1] + b"\0") + string(b"m") + bytes(4)]
    bad += [b"\x0d" + b"\xff" * 12, b"\x0b\0"]
    bad += [bytes([n]) + rest for n in range(256) if n not in (11, 13) for rest in (b"", sign[1:])]
    assert asked(one, *bad, b"\x0b") == [FAILURE] * len(bad) + [answer]
    assert one.agent.process.poll() is None


@pytest.mark.parametrize("length", [0, LONGEST + 1, 0xFFFFFFFF])
def test_a_length_that_is_none_ends_the_line(one: Served, length: int) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(TIMEOUT_S)
        line.connect(str(one.agent.socket))
        line.sendall(struct.pack(">I", length))
        assert line.recv(1) == b""
    assert asked(one, b"\x0b")


def test_the_longest_request(one: Served) -> None:
    _, (key, _) = shown(one)
    head = b"\x0d" + string(key)
    message = bytes(LONGEST - len(head) - 8)
    (answer,) = asked(one, head + string(message) + bytes(4))
    assert answer[0] == 14


def test_clients_at_once(one: Served) -> None:
    _, keys = shown(one)
    found: list[list[bytes]] = []

    def client(number: int) -> None:
        request = b"\x0d" + string(keys[number % 2]) + string(bytes([number])) + bytes(4)
        found.append(asked(one, request, b"\x0b"))

    threads = [threading.Thread(target=client, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [[answer[0] for answer in answers] for answers in found] == [[14, 12]] * 6


def test_clients_that_are_silent_make_room_for_others(one: Served) -> None:
    lines = [socket.socket(socket.AF_UNIX) for _ in range(MOST_CLIENTS)]
    for line in lines:
        line.settimeout(TIMEOUT_S)
        line.connect(str(one.agent.socket))
    lines[0].sendall(struct.pack(">I", 1) + b"\x0b")
    assert lines[0].recv(5)[4] == 12  # so it is the last to be silent
    assert [answer[0] for answer in asked(one, b"\x0b")] == [12]
    assert lines[1].recv(1) == b""
    lines[0].sendall(struct.pack(">I", 1) + b"\x0b")
    assert lines[0].recv(5) != b""
    for line in lines:
        line.close()


def test_it_goes_on_with_a_server_that_begins_anew(own: Served) -> None:
    """While there is none, nothing is signed. It ends in spite of a client that says nothing."""
    assert stat.S_IMODE(own.agent.socket.stat().st_mode) == 0o600
    before, (key, _) = shown(own)
    sign = b"\x0d" + string(key) + string(b"m") + bytes(4)
    assert own.server.stop() == 0
    assert asked(own, sign) == [FAILURE]
    keys = [f"--key={name}={own.folder / name}" for name in ("web", "git")]
    with serving(own.server.socket, "--preset", "word-p256", *keys):
        assert asked(own, b"\x0b", sign)[0] == before
        assert asked(own, sign)[0][0] == 14
    with serving(own.server.socket, "--preset", "word-p256", keys[0]):  # another device: other keys
        assert asked(own, sign, b"\x0b") == [FAILURE] * 2
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(own.agent.socket))
        line.sendall(b"\0\0")
        assert own.agent.stop(signal.SIGINT) == 0
    assert "closed after 2 signatures" in own.agent.said
    assert not own.agent.socket.exists()


def test_other_keys_under_the_same_names(own: Served) -> None:
    """The list is that of the server which is there, and so is what is signed."""
    _, (web, git) = shown(own)
    sign = b"\x0d" + string(git) + string(b"m") + bytes(4)
    assert own.server.stop() == 0
    for files, wanted in ((("web", "web"), [web, web]), (("git", "web"), [git, web])):
        assert asked(own, b"\x0b") == [FAILURE]
        keys = [f"--key={a}={own.folder / b}" for a, b in zip(("web", "git"), files, strict=True)]
        with serving(own.server.socket, "--preset", "word-p256", *keys):
            assert (asked(own, sign)[0] != FAILURE) == (git in wanted)
            assert shown(own)[1] == wanted


class Cut(UnixLine):
    """A line that is lost before a request that has a digest in it, as often as ``cuts``."""

    cuts = 0

    def send(self, octets: bytes, deadline: float) -> None:
        if len(octets) > 40 and self.cuts:
            self.cuts -= 1
            self.close()
        super().send(octets, deadline)


def test_a_server_that_ends_between_a_list_and_a_signature(own: Served) -> None:
    """Nothing is signed on the next server with the numbers of the keys of the one before."""
    line = Cut(str(own.server.socket))
    with RemoteDevice(line, TIMEOUT_S) as device:
        agent = Agent(device)
        git = agent.keys()[1]
        sign = b"\x0d" + string(git) + string(b"m") + bytes(4)
        line.cuts = 2
        assert agent.answer(sign) == FAILURE
        assert own.server.stop() == 0
        keys = [f"--key=web={own.folder / 'git'}", f"--key=git={own.folder / 'web'}"]
        with serving(own.server.socket, "--preset", "word-p256", *keys):
            answer = agent.answer(sign)
    found, at = [], len(b"\x0e") + 4
    while at < len(answer):
        (length,) = struct.unpack_from(">I", answer, at)
        found.append(answer[at + 4 : at + 4 + length])
        at += 4 + length
        if len(found) == 1:
            at += 4  # r and s are in a string of their own
    signature = b"".join(octets[-32:].rjust(32, b"\0") for octets in found[1:])
    key = ECC.import_key("ecdsa-sha2-nistp256 " + base64.b64encode(git).decode())
    DSS.new(key, "fips-186-3").verify(SHA256.new(b"m"), signature)


def test_a_key_of_those_there_are(one: Served, capsys: pytest.CaptureFixture[str]) -> None:
    at = f"unix:{one.server.socket}"
    twice = ["--key=git", "--key=git"]
    with serving(one.folder / "a", "--device", at, *twice, command="agent") as agent:
        both, git = shown(one)[1], shown(Served(one.folder, one.server, agent))[1]
        assert git == both[1:]
    words = ["agent", "--socket", str(one.folder / "b"), "--device", at, "--key", "gti"]
    assert main(words) == USAGE
    assert "there is no key 'gti'" in capsys.readouterr().err
    assert not (one.folder / "b").exists()


def test_a_socket_has_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["agent", "--device", "unix:none", "--socket", ""])
    assert "the name of a file or folder is empty" in capsys.readouterr().err
    assert main(["serve", "--socket", "/"]) == USAGE
    assert "/: no socket can be there: it is a folder" in capsys.readouterr().err


def test_where_the_server_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                             capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.delenv("ECSM_SOCKET", raising=False)
    words = ["agent", "--socket", str(tmp_path / "a")]
    for more in (
        [],
        ["--device", ""],
        ["--device", "sim:word-p256"],
        ["--device", "serial:/dev/x"],
    ):
        assert main([*words, *more]) == USAGE
        assert "says where ecsm serve is" in capsys.readouterr().err
    assert main([*words, "--device", f"unix:{tmp_path / 'none'}"]) == USAGE
    capsys.readouterr()
    monkeypatch.setenv("ECSM_SOCKET", str(tmp_path / "none"))  # which an empty option is not
    assert main([*words, "--device", ""]) == USAGE
    assert "says where ecsm serve is" in capsys.readouterr().err


def test_a_device_that_signs_nothing_for_ssh(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "device"
    words = ["agent", "--socket", str(tmp_path / "a"), "--device", f"unix:{place}"]
    with serving(place, "--preset", "b163-small"):
        assert main(words) == USAGE
        assert "signs nothing for ssh" in capsys.readouterr().err
    with serving(place, "--preset", "word-p256"):
        assert main(words) == USAGE
        assert "has no keys with names" in capsys.readouterr().err
