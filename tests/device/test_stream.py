# SPDX-License-Identifier: Apache-2.0
"""Messages in parts: of any length and cut anywhere, by the machine itself and by a server."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ecsm
from ecsm.curves import curve
from ecsm.device import server as server_module
from ecsm.device.base import Device, DeviceError, collected
from ecsm.device.frame import OPEN, Decoder, Frame, Kind, Link, encode, request
from ecsm.device.remote import RemoteDevice
from ecsm.device.request import PIECE, BadRequest
from ecsm.device.schemes import SchemeDevice
from ecsm.device.service import Service, Stream
from ecsm.status import NoKey, PointNotOnCurve, Status, Unsupported
from tests.device.serving import Serving, serving
from tests.rtl.symmetric.model import kdf
from tests.schemes.model import Model, ctr

PRESET = "b163-small"
MODEL = Model(curve("sect163r2"))
D = 1234567


def cut(message: bytes, seed: int) -> Iterator[bytes]:
    """Cut a message into parts of random lengths, none among them."""
    rng, at = random.Random(seed), 0
    while at < len(message):
        size = rng.choice((0, 1, 7, 8, 9, 100, 5000, PIECE, PIECE + 1))
        yield message[at : at + size]
        at += size


def opened(sealed: tuple[bytes, ...]) -> bytes:
    """Decrypt in software."""
    x, y, iv, octets = sealed
    key = kdf("sha256", MODEL.primitive(D, MODEL.point(x, y)), 32, 1)
    return ctr(key, iv, octets)


@pytest.fixture(scope="module", params=("machine", "sim", "unix"))
def device(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Device]:
    """The machine, a device that has one beside its core, and a server's client; with a key."""
    if request.param == "machine":
        with SchemeDevice(PRESET) as made:
            yield ready(made)  # type: ignore[arg-type]
    elif request.param == "sim":
        with ecsm.open(f"sim:{PRESET}") as near:
            yield ready(near)
    else:
        place = tmp_path_factory.mktemp("server") / "socket"
        with serving(place, "--preset", PRESET), ecsm.open(f"unix:{place}") as far:
            yield ready(far)


def ready(device: Device) -> Device:
    device.run("seed")
    device.run("load", MODEL.scalar(D))
    return device


def unharmed(device: Device) -> None:
    assert device.run("public").strings == MODEL.public(D)


LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, PIECE - 8, PIECE, PIECE + 1, 70_000]


@pytest.mark.parametrize("length", LENGTHS)
def test_both_ways(device: Device, length: int) -> None:
    """Sealed in parts and at once, opened in software, in parts and at once."""
    message = random.Random(length).randbytes(length)
    for parts in (cut(message, length), iter([b"", message, b""])):
        found = list(device.stream("ec-aes-encrypt", *MODEL.public(D), message=parts))
        sealed = collected(found)
        assert {part.string for part in found} == {0, 1, 2, 3}
        assert opened(sealed) == message
        *head, octets = sealed
        back = device.stream("ec-aes-decrypt", *head, message=cut(octets, 1))
        assert collected(back) == (message,)
    cycles = device.last_cycles
    assert device.run("ec-aes-decrypt", *sealed).strings == (message,)
    assert device.last_cycles == cycles
    unharmed(device)


def test_it_gives_as_it_takes(device: Device) -> None:
    """What comes out is never far behind: an endless message needs no memory."""
    taken = given = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1000
            yield bytes(1000)

    parts = device.stream("ec-aes-encrypt", *MODEL.public(D), message=endless())
    for part in parts:
        given += len(part.octets) * (part.string == 3)
        assert taken - given <= 2 * PIECE
        if given > 10 * PIECE:
            break
    with pytest.raises(DeviceError, match="not exhausted"):
        device.run("public")
    parts.close()
    unharmed(device)


def test_digests(device: Device) -> None:
    message = random.Random(2).randbytes(70_000)
    found = collected(device.stream("sha256", message=cut(message, 3)))
    assert found == (hashlib.sha256(message).digest(),)
    assert device.run("sha256", message).strings == found
    assert collected(device.stream("sha1", message=[])) == (hashlib.sha1(b"").digest(),)


def test_errors_end_it(device: Device) -> None:
    """Before it begins, at its first part, in the message: keys stay, and the next one works."""
    x, y = MODEL.public(D)

    def fails() -> Iterator[bytes]:
        yield bytes(50_000)
        raise OSError("the disk is gone")

    with pytest.raises(BadRequest, match="in parts"):
        device.stream("ecies-encrypt", x, y, message=[])
    with pytest.raises(BadRequest, match="2 strings before"):
        device.stream("ec-aes-encrypt", x, message=[])
    with pytest.raises(TypeError, match="iterable of parts"):
        device.stream("ec-aes-encrypt", x, y, message=b"one string")  # type: ignore[arg-type]
    with pytest.raises(PointNotOnCurve):
        list(device.stream("ec-aes-encrypt", x, x, message=iter([bytes(100_000)] * 3)))
    with pytest.raises(NoKey):
        list(device.stream("ec-aes-decrypt", x, y, bytes(16), message=[b"a"], slot=1))
    with pytest.raises(OSError, match="the disk"):
        list(device.stream("ec-aes-encrypt", x, y, message=fails()))
    wrong = [b"a", "text"]
    with pytest.raises(TypeError, match="part of the message"):
        list(device.stream("ec-aes-encrypt", x, y, message=wrong))  # type: ignore[arg-type]
    with pytest.raises(Unsupported):
        list(device.stream("ec-aes-decrypt", x, y, bytes(15), message=[b"a"]))
    unbegun = device.stream("ec-aes-encrypt", x, y, message=[b"a"])
    del unbegun
    unharmed(device)


def test_a_stream_that_is_left_alone(device: Device) -> None:
    """Whoever drops the iterator frees the device; others wait until then."""
    parts = device.stream("ec-aes-encrypt", *MODEL.public(D), message=iter([bytes(90_000)] * 9))
    next(parts)
    found: list[tuple[bytes, ...]] = []
    other = threading.Thread(target=lambda: found.append(device.run("public").strings))
    other.start()
    other.join(0.2)
    assert not found
    del parts
    other.join(60)
    assert found == [MODEL.public(D)]


# ------------------------------------------------------------------ the server's end


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(tmp_path / "socket", "--preset", PRESET) as made:
        yield made


def connected(server: Serving) -> RemoteDevice:
    device = ecsm.open(f"unix:{server.socket}")
    assert isinstance(device, RemoteDevice)
    return device


class Raw:
    """A client that says what it likes."""

    def __init__(self, server: Serving, operations: tuple[str, ...]) -> None:
        self._decoder, self._found = Decoder(), list[Frame]()
        self._operations = operations
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(server.socket))

    def begin(self, tag: int = 1, operation: str = "ec-aes-encrypt") -> None:
        number, key = self._operations.index(operation), MODEL.public(D)
        self.send(request(number, tag, 0, 0, *key, opened=True))

    def more(self, octets: bytes, tag: int = 1, word: int = OPEN) -> None:
        self.send(Frame(Kind.MORE, 0, tag, word, (octets,)))

    def send(self, frame: Frame) -> None:
        self.socket.sendall(encode(frame))

    def next(self) -> Frame:
        while not self._found:
            octets = self.socket.recv(1 << 16)
            assert octets, "it closed the connection"
            for item in self._decoder.feed(octets):
                assert isinstance(item, Frame)
                self._found.append(item)
        return self._found.pop(0)


def test_what_is_no_part_ends_a_stream(server: Serving) -> None:
    """And harms nobody: parts of other tags are nobody's, too long ones are refused."""
    with connected(server) as device:
        device.run("generate", slot=3)
        made = device.run("public", slot=3).strings
        raw = Raw(server, device.operations)
        wrong = (
            Frame(Kind.MORE, 0, 1, 0, ()), Frame(Kind.MORE, 0, 1, 2, (b"",)),
            Frame(Kind.MORE, 0, 1, 1, (b"", b"")), Frame(Kind.MORE, 0, 1, 1, (bytes(PIECE + 1),)),
        )  # fmt: skip
        for frame in wrong:
            raw.begin()
            assert raw.next().kind is Kind.PART
            raw.more(b"another's", tag=2)
            raw.send(frame)
            answer = raw.next()
            assert (answer.kind, answer.code) == (Kind.ANSWER, Link.BAD_REQUEST)
        raw.more(b"of nothing")
        raw.send(request(64, 9, 0, 0))
        assert raw.next().tag == 9
        raw.send(request(device.operations.index("public"), 10, 3, 0, opened=True))
        assert raw.next().code == Link.BAD_REQUEST
        assert device.run("public", slot=3).strings == made


def test_parts_that_nobody_asked_for_leave_no_hole(server: Serving) -> None:
    """Some may wait; more of them end the stream, and none is dropped without a word."""
    with connected(server) as device:
        device.run("load", MODEL.scalar(D))
        few, many = server_module.AHEAD // 2, 4 * server_module.AHEAD
        for count, code in ((few, 0), (many, Status.BUSY)):
            raw = Raw(server, device.operations)
            raw.begin()
            assert raw.next().kind is Kind.PART
            ahead = [Frame(Kind.MORE, 0, 1, OPEN, (bytes([i]) * 100,)) for i in range(count)]
            raw.socket.sendall(b"".join(map(encode, ahead)))
            raw.more(b"", word=0)
            while (answer := raw.next()).kind is Kind.PART:
                pass
            assert (answer.kind, answer.code) == (Kind.ANSWER, code)
        unharmed(device)


def test_clients_that_go_away_in_a_stream(server: Serving) -> None:
    with connected(server) as device:
        device.run("load", MODEL.scalar(D))
        for _ in range(3):
            raw = Raw(server, device.operations)
            raw.begin()
            raw.next()
            raw.more(bytes(1000))
            raw.socket.close()
        unharmed(device)


def test_a_client_that_is_killed_in_a_stream(server: Serving) -> None:
    """The next one has the device at once."""
    child = os.fork()
    if child == 0:
        with connected(server) as device:
            parts = (bytes(1000) for _ in range(10**9))
            list(device.stream("sha256", message=parts))
        os._exit(1)
    time.sleep(2)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    begun = time.monotonic()
    with connected(server) as device:
        device.run("sha256", b"abc")
    assert time.monotonic() - begun < server_module.SILENCE_S / 2


@pytest.mark.parametrize("ends", [True, False])
def test_a_child_leaves_a_stream_to_its_parent(server: Serving, ends: bool) -> None:
    """Whether it ends, which gives up what is under way, or tries to go on with the message."""
    parts, parent = [bytes([i]) * 1000 for i in range(4)], os.getpid()

    def message() -> Iterator[bytes]:
        for part in parts:
            child = os.fork()
            if child == 0 and ends:
                raise SystemExit(0)
            assert child == 0 or os.waitpid(child, 0)[1] == 0
            yield part

    with ecsm.open(f"unix:{server.socket}?timeout=10") as device:
        digest: tuple[bytes, ...] = ()
        code = 1
        try:
            digest = collected(device.stream("sha256", message=message()))
        except SystemExit:
            code = 0
        except DeviceError as error:
            code = 0 if "parent process" in str(error) else 2
        finally:
            if os.getpid() != parent:
                os._exit(code)
        assert digest == (hashlib.sha256(b"".join(parts)).digest(),)


def test_closing_tells_a_stream(server: Serving) -> None:
    with connected(server) as device:
        raw = Raw(server, device.operations)
    raw.begin()
    raw.next()
    closing = threading.Thread(target=server.stop)
    closing.start()
    answer = raw.next()
    assert (answer.kind, answer.code) == (Kind.ANSWER, Link.CLOSING)
    closing.join()
    assert server.process.returncode == 0


def test_a_silent_client_loses_the_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After SILENCE_S, and is told; the next one has the device, and its keys are there."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    late = f"import {server_module.__name__} as s\ns.SILENCE_S = 1.0\n"
    (tmp_path / "sitecustomize.py").write_text(late)
    with serving(tmp_path / "socket", "--preset", PRESET) as server, connected(server) as device:
        device.run("load", MODEL.scalar(D))
        raw = Raw(server, device.operations)
        raw.begin()
        raw.next()
        unharmed(device)
        answer = raw.next()
        assert (answer.kind, answer.code) == (Kind.ANSWER, Link.SILENT)
        raw.more(b"too late")
        raw.begin(tag=2)
        assert raw.next().tag == 2


def test_a_stream_that_is_dropped_harms_no_key() -> None:
    with SchemeDevice(PRESET) as core:
        service = Service(core, {"web": MODEL.scalar(D)})
        number = core.program.number("sha256")
        stream = Stream(service, "owner", request(number, 1, 0, 0, opened=True))
        (part,) = stream.begin()
        assert part.kind is Kind.PART
        (answer,) = stream.drop(Link.SILENT)
        assert (answer.code, stream.over) == (Link.SILENT, True)
        public = service.answer("owner", request(core.program.number("public"), 1, 128, 0))
        assert public.strings == MODEL.public(D)
