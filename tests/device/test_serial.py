# SPDX-License-Identifier: Apache-2.0
"""A device at a serial port whose line loses and changes octets, or is lost itself.

An exception that says so, never a wrong result, and the next job works. The port is a
pseudo-terminal, and behind it is the simulated core.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

import ecsm
from ecsm.curves import curve
from ecsm.device.base import DeviceError
from ecsm.device.frame import Damaged, Decoder, Frame, Kind, Link, encode
from ecsm.device.remote import RemoteDevice
from ecsm.device.request import BadRequest
from ecsm.device.schemes import SchemeDevice
from ecsm.device.service import Service
from ecsm.device.transport import Line, SerialLine
from ecsm.status import NoKey, ScalarOutOfRange, Status, Unsupported

PRESET, CURVE = "b163-small", "sect163r2"
TIMEOUT_S = 3
Mangle = Callable[[bytes], bytes]


def scalar(d: int) -> bytes:
    return d.to_bytes(21, "big")


class Firmware(threading.Thread):
    """What answers at the other end. ``spoil`` is done to what comes in or goes out, once."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self.service = service
        self.ours, theirs = pty.openpty()
        tty.setraw(theirs)
        self.port = os.ttyname(theirs)
        self._theirs = theirs  # open, so that nothing hangs up between two clients
        self.on_request: Mangle | None = None
        self.on_answer: Mangle | None = None
        self.before_answer: Callable[[], None] = lambda: None
        self.leave = threading.Event()

    def run(self) -> None:
        decoder = Decoder()
        while not self.leave.is_set():
            if not select.select([self.ours], [], [], 0.02)[0]:
                continue
            octets = os.read(self.ours, 4096)
            if self.on_request and len(octets) > 4:
                octets, self.on_request = self.on_request(octets), None
            for item in decoder.feed(octets):
                self._handle(item)

    def _handle(self, item: Frame | Damaged) -> None:
        if isinstance(item, Damaged):
            self.send(Frame(Kind.ANSWER, Link.DAMAGED))
            return
        answer = encode(self.service.answer("host", item))
        before, self.before_answer = self.before_answer, lambda: None
        before()
        if self.on_answer:
            answer, self.on_answer = self.on_answer(answer), None
        self._write(answer)

    def send(self, frame: Frame) -> None:
        self._write(encode(frame))

    def _write(self, octets: bytes) -> None:
        while octets:
            octets = octets[os.write(self.ours, octets) :]

    def stop_answering(self) -> None:
        self.leave.set()
        self.join()

    def stop(self) -> None:
        self.stop_answering()
        for fd in (self.ours, self._theirs):
            with contextlib.suppress(OSError):
                os.close(fd)


@pytest.fixture(scope="module")
def core() -> Iterator[SchemeDevice]:
    with SchemeDevice(PRESET) as made:
        yield made


@pytest.fixture
def firmware(core: SchemeDevice) -> Iterator[Firmware]:
    core.zeroize(reset=True)
    made = Firmware(Service(core))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def device(firmware: Firmware) -> Iterator[RemoteDevice]:
    with ecsm.open(f"serial:{firmware.port}?timeout={TIMEOUT_S}") as made:
        assert isinstance(made, RemoteDevice)
        made.run("load", scalar(5))
        yield made


@pytest.fixture
def point(libcrypto: ModuleType) -> tuple[bytes, ...]:
    return tuple(scalar(v) for v in libcrypto.kp(CURVE, 5, curve(CURVE).generator))


def works(device: RemoteDevice, point: tuple[bytes, ...]) -> None:
    for _ in range(2):
        assert device.run("public").strings == point


def test_jobs_go_through(device: RemoteDevice, point: tuple[bytes, ...]) -> None:
    assert device.run("public").cycles == device.last_cycles > 20_000
    works(device, point)
    assert device.info().curve == device.curve.name == CURVE
    with pytest.raises(NoKey, match="NO_KEY"):
        device.run("public", slot=1)
    with pytest.raises(KeyError):
        device.run("sing")
    with pytest.raises(ValueError, match="octets at most"):
        device.run("sha256", bytes(1 << 17))
    with pytest.raises(BadRequest, match="takes 1 string, not 0"):
        device.run("load")
    with pytest.raises(BadRequest, match="takes no such request"):
        device.run("public", slot=100)
    with pytest.raises(Unsupported):
        device.kp(5, None)
    with pytest.raises(Unsupported):
        device.double_kp(1, 2, None)
    with pytest.raises(Unsupported):
        device.kp_many([(1, None)])
    with pytest.raises(Unsupported):
        device.as_completed([(1, None)])
    works(device, point)


def drop(at: int) -> Mangle:
    return lambda line: line[:at] + line[at:][1:]


def flip(at: int) -> Mangle:
    return lambda line: line[:at] + bytes([line[at] ^ 0x10]) + line[at + 1 :]


def noise(line: bytes) -> bytes:
    return os.urandom(7) + line


def nothing(line: bytes) -> bytes:
    del line
    return b""


@pytest.mark.parametrize("way", ["on_request", "on_answer"])
@pytest.mark.parametrize(
    "spoil",
    [drop(5), drop(15), flip(3), flip(6), flip(14), nothing],
    ids=["tag lost", "checksum lost", "code", "tag", "checksum", "all lost"],
)
def test_octets_that_are_lost_or_changed(
    firmware: Firmware, device: RemoteDevice, point: tuple[bytes, ...], way: str, spoil: Mangle
) -> None:
    setattr(firmware, way, spoil)
    with pytest.raises(DeviceError, match=r"damaged on the line|no answer in 3 s"):
        device.run("public")
    works(device, point)


@pytest.mark.parametrize("at", [0, -1], ids=["first", "last"])
@pytest.mark.parametrize("way", ["on_request", "on_answer"])
def test_lost_flags(
    firmware: Firmware, device: RemoteDevice, point: tuple[bytes, ...], way: str, at: int
) -> None:
    """The flag before a frame is the one after the last one, too; the last one is missed."""
    setattr(firmware, way, lambda line: line[1:] if at == 0 else line[:-1])
    if at == 0:
        assert device.run("public").strings == point
    else:
        with pytest.raises(DeviceError, match="no answer in 3 s"):
            device.run("public")
    works(device, point)


def test_every_damage_to_an_answer_is_seen(
    firmware: Firmware, device: RemoteDevice, point: tuple[bytes, ...]
) -> None:
    """A short answer with each of its octets changed: never a wrong result."""
    device.timeout = 0.5
    size = len(encode(Frame(Kind.ANSWER, 0, 1, 1, point)))
    for at in range(1, size - 1, 3):
        firmware.on_answer = flip(at)
        with contextlib.suppress(DeviceError):
            assert device.run("public").strings == point
    device.timeout = TIMEOUT_S
    works(device, point)


def test_noise_before_an_answer_is_no_result(
    firmware: Firmware, device: RemoteDevice, point: tuple[bytes, ...]
) -> None:
    firmware.on_answer = noise
    with contextlib.suppress(DeviceError):
        assert device.run("public").strings == point
    works(device, point)


def test_a_late_answer_belongs_to_nothing(
    firmware: Firmware, device: RemoteDevice, point: tuple[bytes, ...]
) -> None:
    device.timeout = 0.7
    firmware.before_answer = lambda: time.sleep(1.2)
    with pytest.raises(DeviceError, match=r"no answer in 0\.7 s"):
        device.run("sha256", b"abc")
    device.timeout = TIMEOUT_S
    works(device, point)


def test_a_reset_in_the_middle_is_told(
    firmware: Firmware, device: RemoteDevice, point: tuple[bytes, ...]
) -> None:
    """By firmware that says so, and by silence; the keys are gone, and jobs without them work."""
    for silent in (False, True):

        def reset(silent: bool = silent) -> None:
            firmware.service.device.zeroize(reset=True)
            firmware.service.recover()
            firmware.service.drop("host")
            firmware.on_answer = nothing
            if not silent:
                firmware.send(Frame(Kind.ANSWER, Link.RESET))

        firmware.before_answer = reset
        with pytest.raises(DeviceError, match="was reset"):
            device.run("public")
        with pytest.raises(NoKey):
            device.run("public")
        device.run("load", scalar(5))
        works(device, point)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ((40, ()), "no status that is known"),
        ((Status.NO_KEY, (b"x",)), "handed something out with an error"),
        ((Link.FAILED, ()), "the device failed"),
    ],
)
def test_answers_that_are_none(
    firmware: Firmware,
    device: RemoteDevice,
    point: tuple[bytes, ...],
    answer: tuple[int, tuple[bytes, ...]],
    complaint: str,
) -> None:
    def other(line: bytes) -> bytes:
        (frame,) = Decoder().feed(line)
        assert isinstance(frame, Frame)
        return encode(Frame(Kind.ANSWER, answer[0], frame.tag, 0, answer[1]))

    firmware.on_answer = other
    with pytest.raises(DeviceError, match=complaint):
        device.run("public")
    works(device, point)


def test_two_clients_at_once(
    firmware: Firmware, device: RemoteDevice, point: tuple[bytes, ...]
) -> None:
    """The second one is told; the first one goes on; then the port is free again."""
    uri = f"serial:{firmware.port}?timeout={TIMEOUT_S}"
    with pytest.raises(DeviceError, match="in use by another"):
        ecsm.open(uri)
    works(device, point)
    device.close()
    with pytest.raises(DeviceError, match="closed"):
        device.run("public")
    with ecsm.open(uri) as other:
        assert isinstance(other, RemoteDevice)
        with pytest.raises(NoKey, match="NO_KEY"):  # it was the first one's
            other.run("public")
        other.run("load", scalar(5))
        works(other, point)


def test_a_port_that_is_gone_is_told(firmware: Firmware, device: RemoteDevice) -> None:
    firmware.stop()
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"serial:/dev/pts/"):
            device.run("public")


def test_another_program_at_the_port(firmware: Firmware) -> None:
    for strings, complaint in (((b"2", b"", b"", b"", b""), "no device"), ((), "no device")):
        firmware.on_answer = lambda line, s=strings: encode(  # type: ignore[misc]
            Frame(Kind.ANSWER, 0, next(iter(Decoder().feed(line))).tag, 0, s)  # type: ignore[union-attr]
        )
        with pytest.raises(DeviceError, match=complaint):
            RemoteDevice(SerialLine(firmware.port), TIMEOUT_S)


class Endless(Line):
    """A line whose other end sends octets, and no frame, as fast as they are read."""

    def _opened(self, deadline: float) -> int:
        return os.open("/dev/zero", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)


def test_a_line_that_never_stops_is_no_device() -> None:
    """Nor does it keep its user beyond the time."""
    start = time.monotonic()
    with pytest.raises(DeviceError, match=r"no answer in 0\.5 s"):
        RemoteDevice(Endless("endless"), 0.5)
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("uri", "complaint"),
    [
        ("serial:", "no device"), ("serial:/dev/null", "no serial port"),
        ("serial:/dev/none", "No such file"), ("serial:/etc/passwd", "no serial port"),
        ("serial:/dev/null?baud=7", "7 baud"), ("serial:/dev/null?bauds=9600", "no option .bauds."),
        ("unix:x?baud", "no option .baud., only timeout"),
        ("serial:/dev/null?timeout=x", "option timeout"), ("serial:/dev/null?timeout=0", "timeout"),
        ("serial:/dev/null?timeout=-1", "timeout"), ("unix:/s?timeout=" + "9" * 20, "timeout"),
        ("serial:/dev/null?baud=" + "9" * 5000, "option baud"),
        ("unix:/none/there", "no device server: No such file"), ("unix:", "no device"),
        ("unix:" + "x" * 200, "no device server"), ("tcp:localhost", "no device"),
    ],
)  # fmt: skip
def test_addresses_of_nothing(uri: str, complaint: str) -> None:
    with pytest.raises(DeviceError, match=complaint):
        ecsm.open(uri)


def key_of(port: str, slot: int) -> tuple[bytes, ...] | None:
    """What the next one at the port is told of a slot's key."""
    with ecsm.open(f"serial:{port}?timeout={TIMEOUT_S}") as after:
        try:
            return after.run("public", slot=slot).strings
        except NoKey:
            return None


def test_close_forgets_what_was_loaded(firmware: Firmware, device: RemoteDevice) -> None:
    """Whoever opens the port next could compute with it; a key that the device made stays."""
    device.run("load", scalar(7), slot=1)
    made = device.run("generate", slot=2).strings
    with pytest.raises(ScalarOutOfRange):
        device.run("load", bytes(21), slot=2)
    device.close()
    assert [key_of(firmware.port, slot) for slot in range(3)] == [None, None, made]


def test_close_forgets_after_a_lost_answer(firmware: Firmware, device: RemoteDevice) -> None:
    firmware.on_answer = nothing
    with pytest.raises(DeviceError, match="no answer in 3 s"):
        device.run("load", scalar(7), slot=1)
    device.close()
    assert [key_of(firmware.port, slot) for slot in range(2)] == [None, None]


def test_close_of_a_silent_device_ends(firmware: Firmware, device: RemoteDevice) -> None:
    firmware.stop_answering()
    start = time.monotonic()
    device.close()
    assert time.monotonic() - start < 2 * TIMEOUT_S
    device.close()
