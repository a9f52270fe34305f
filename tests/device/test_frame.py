# SPDX-License-Identifier: Apache-2.0
"""Frames: there and back, whatever is lost on the way; the same in C."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecsm.device.frame import (
    ESCAPE,
    FLAG,
    MOST_OCTETS,
    MOST_STRINGS,
    Damaged,
    Decoder,
    Frame,
    Kind,
    encode,
    request,
)

SOURCE = Path(__file__).parents[2] / "sw" / "frame"
FLAGS = ("-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow")
HARD = bytes([FLAG, ESCAPE, 0x5E, 0x5D, 0])  # what escaping may get wrong

Strings = st.lists(
    st.one_of(st.binary(max_size=40), st.lists(st.sampled_from(HARD), max_size=40).map(bytes)),
    max_size=MOST_STRINGS,
)
Frames = st.builds(
    Frame,
    st.sampled_from(Kind),
    st.integers(0, 255),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    Strings.map(tuple),
)
Receive = Callable[[bytes], list[Frame | None]]

SENT = (
    request(15, 0x7E7D7E7D, 1, 0, b"\x7e\x7d", b""),
    Frame(Kind.ANSWER, 0, 2, 20875, (bytes(21), b"\xff" * 21)),
    request(4, 3, 0, 0),
)


def receive(octets: bytes) -> list[Frame | None]:
    """What the decoder makes of octets; None for something damaged."""
    return [f if isinstance(f, Frame) else None for f in Decoder().feed(octets)]


@given(st.lists(Frames, max_size=4), st.data())
def test_frames_come_back_from_any_pieces(frames: list[Frame], data: st.DataObject) -> None:
    octets = b"".join(map(encode, frames))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(octets)), max_size=6)))
    decoder, found = Decoder(), []
    for a, b in zip([0, *cuts], [*cuts, len(octets)], strict=True):
        found += list(decoder.feed(octets[a:b]))
    assert found == frames


def altered(line: bytes) -> list[bytes]:
    """A line with every octet lost, doubled, or changed in every bit."""
    found = []
    for i, octet in enumerate(line):
        found += [line[:i] + line[i + 1 :], line[:i] + bytes([octet] * 2) + line[i + 1 :]]
        found += [line[:i] + bytes([octet ^ 1 << bit]) + line[i + 1 :] for bit in range(8)]
    return found


def check_damage(receive: Receive) -> int:
    """Nothing comes out that was not sent, and the frame after the next one does; count losses."""
    line = b"".join(map(encode, SENT))
    missed = 0
    for octets in altered(line):
        frames = [f for f in receive(octets + encode(SENT[0]) + encode(SENT[1])) if f is not None]
        assert all(f in SENT for f in frames), octets
        assert frames[-2:] == [SENT[0], SENT[1]]
        assert len(frames) >= len(SENT) - 2 + 2  # a flag that is lost takes two along
        missed += len(frames) < len(SENT) + 2
    return missed


def test_damage_is_seen_and_the_next_frame_is_right() -> None:
    assert check_damage(receive) > 1000


def test_what_was_cut_off_does_not_spoil_what_follows() -> None:
    line = encode(SENT[1])
    for cut in range(1, len(line)):
        assert receive(line[:cut] + encode(SENT[0]))[-1] == SENT[0]
        assert receive(line[cut:] + encode(SENT[0]))[-1] == SENT[0]


def test_noise_and_frames_without_end_are_dropped() -> None:
    decoder = Decoder()
    assert not list(decoder.feed(b"boot: no flag yet"))
    assert list(decoder.feed(encode(SENT[0]))) == [SENT[0]]
    endless = b"x" * 100_000
    said = [f for _ in range(3) for f in decoder.feed(endless)]
    assert [type(f) for f in said] == [Damaged]
    assert list(decoder.feed(encode(SENT[0])))[-1] == SENT[0]


@pytest.mark.parametrize(
    "frame",
    [
        Frame(Kind.REQUEST, 1, 1, 0, (b"",) * (MOST_STRINGS + 1)),
        Frame(Kind.REQUEST, 1, 1, 0, (bytes(MOST_OCTETS), b"x")),
        Frame(Kind.REQUEST, 256), Frame(Kind.REQUEST, 1, 1 << 32), Frame(Kind.REQUEST, 1, 1, -1),
    ],
)  # fmt: skip
def test_frames_beyond_the_limits_are_refused(frame: Frame) -> None:
    with pytest.raises(ValueError, match="frame"):
        encode(frame)


def test_slots_and_flags_are_octets() -> None:
    for slot, flags in ((256, 0), (0, 256), (-1, 0)):
        with pytest.raises(ValueError, match="octets"):
            request(1, 1, slot, flags)


def test_the_largest_frame_comes_back() -> None:
    frame = request(1, 1, 0, 0, bytes([FLAG]) * MOST_OCTETS)
    assert receive(encode(frame)) == [frame]


def test_a_frame_does_not_print_its_strings() -> None:
    assert "secret" not in repr(request(1, 1, 0, 0, b"secret"))


# ------------------------------------------------------------------ the twin in C


class CString(ctypes.Structure):
    _fields_ = (("octets", ctypes.POINTER(ctypes.c_uint8)), ("length", ctypes.c_size_t))


class CFrame(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint8),
        ("code", ctypes.c_uint8),
        ("count", ctypes.c_uint8),
        ("tag", ctypes.c_uint32),
        ("word", ctypes.c_uint32),
        ("strings", CString * MOST_STRINGS),
    )


class Receiver(ctypes.Structure):
    _fields_ = (
        ("buffer", ctypes.c_void_p),
        ("room", ctypes.c_size_t),
        ("used", ctypes.c_size_t),
        ("state", ctypes.c_uint8),
    )


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler, cc")
    library = tmp_path_factory.mktemp("frame") / "frame.so"
    source = SOURCE / "ecsm_frame.c"
    subprocess.run(["cc", *FLAGS, "-shared", "-fPIC", source, "-o", library], check=True)
    lib = ctypes.CDLL(str(library))
    lib.ecsm_frame_write.restype = ctypes.c_size_t
    lib.ecsm_frame_write.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    lib.ecsm_receiver_init.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    lib.ecsm_receive.argtypes = (ctypes.c_void_p, ctypes.c_uint8, ctypes.c_void_p)
    return lib


def c_write(twin: ctypes.CDLL, frame: Frame, room: int = 4096) -> bytes:
    c = CFrame(frame.kind, frame.code, len(frame.strings), frame.tag, frame.word)
    kept = [(ctypes.c_uint8 * max(1, len(s)))(*s) for s in frame.strings]
    for i, (s, place) in enumerate(zip(frame.strings, kept, strict=True)):
        c.strings[i] = CString(ctypes.cast(place, ctypes.POINTER(ctypes.c_uint8)), len(s))
    line = (ctypes.c_uint8 * (room + 1))(*[0xA5] * (room + 1))
    size = twin.ecsm_frame_write(ctypes.byref(c), line, room)
    assert line[room] == 0xA5
    return bytes(line[:size])


def c_receive(twin: ctypes.CDLL, octets: bytes, room: int = 4096) -> list[Frame | None]:
    buffer, receiver, c = (ctypes.c_uint8 * room)(), Receiver(), CFrame()
    twin.ecsm_receiver_init(ctypes.byref(receiver), buffer, room)
    found: list[Frame | None] = []
    for octet in octets:
        happened = twin.ecsm_receive(ctypes.byref(receiver), octet, ctypes.byref(c))
        if happened == 1:
            strings = tuple(ctypes.string_at(s.octets, s.length) for s in c.strings[: c.count])
            found.append(Frame(Kind(c.kind), c.code, c.tag, c.word, strings))
        elif happened == 2:
            found.append(None)
    return found


@given(frame=Frames)
def test_c_writes_and_reads_the_same(twin: ctypes.CDLL, frame: Frame) -> None:
    line = c_write(twin, frame)
    assert line == encode(frame)
    assert c_receive(twin, line) == [frame]


@given(octets=st.lists(st.one_of(st.sampled_from(HARD), st.integers(0, 255))).map(bytes))
def test_c_and_python_see_the_same_in_noise(twin: ctypes.CDLL, octets: bytes) -> None:
    assert c_receive(twin, octets) == receive(octets)


def test_c_sees_damage_as_python_does(twin: ctypes.CDLL) -> None:
    assert check_damage(lambda octets: c_receive(twin, octets)) == check_damage(receive)
    for octets in altered(encode(SENT[0])):
        assert c_receive(twin, octets + encode(SENT[1])) == receive(octets + encode(SENT[1]))


def test_c_keeps_to_its_rooms(twin: ctypes.CDLL) -> None:
    """Too small a room is said, for writing, and the next frame is right, for reading."""
    frame = Frame(Kind.ANSWER, 0, 9, 1, (b"0123456789", b"x"))
    size = len(encode(frame))
    assert c_write(twin, frame, size) == encode(frame)
    for room in range(size):
        assert c_write(twin, frame, room) == b""
    assert c_write(twin, Frame(Kind.ANSWER, 0, 9, 1, (bytes(MOST_OCTETS), b"x")), 200_000) == b""
    small = Frame(Kind.ANSWER, 0, 9, 1)
    assert c_receive(twin, encode(frame) + encode(small), room=16) == [None, small]
