# SPDX-License-Identifier: Apache-2.0
"""libecsm: on the simulated block against a model, polling and by interrupt; builds for RISC-V."""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecsm.cores.store import design
from ecsm.hdl.build import Build
from ecsm.hdl.machines import subject
from ecsm.schemes.program import program
from ecsm.status import Status
from tests.schemes.model import Model
from tests.sw.library import (
    BLOCK,
    LIBRARY,
    U8P,
    WORD_BLOCK,
    Device,
    Ecies,
    Hal,
    In,
    Out,
    Registers,
    compiled,
    headers,
    load,
    octets,
    point,
    simulated,
)

PRESET = BLOCK.preset
MODEL = Model(PRESET.curve)
D = PRESET.curve.n * 3 // 7
CHECKS = 50  # of api.c
OK, NO_DEVICE, PENDING, BUSY, NO_ROOM, NO_ANSWER = 0, 16, 17, 18, 19, 20


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return load(tmp_path_factory.mktemp("libecsm"))


@pytest.fixture(scope="module")
def sim() -> ctypes.CDLL:
    return simulated()


def opened(library: ctypes.CDLL, sim: ctypes.CDLL, block: int, waits: bool) -> Device:
    """Return the open device of a block; ``waits``: by the interrupt."""
    names = ("sim_read", "sim_write", "sim_wait")
    read, write, wait = (ctypes.cast(getattr(sim, name), ctypes.c_void_p).value for name in names)
    made = Device(library, Hal(read, write, wait if waits else None, block))
    assert made.opened == OK
    return made


@pytest.fixture(params=["polling", "interrupt"])
def device(
    library: ctypes.CDLL, sim: ctypes.CDLL, request: pytest.FixtureRequest
) -> Iterator[Device]:
    """An open device with a noise source; no access of a test may be refused."""
    block = sim.sim_new(1)
    yield opened(library, sim, block, waits=request.param == "interrupt")
    assert sim.sim_refused(block) == 0
    sim.sim_free(block)


def api(device: Device) -> tuple[int, list[str]]:
    """Run the program of the library's test; return its checks, and those that failed."""
    heard: list[str] = []

    @ctypes.CFUNCTYPE(None, ctypes.c_char_p)
    def say(what: bytes) -> None:
        heard.append(what.decode())

    assert device.lib.api_test(ctypes.byref(device.hal), say) == len(heard)
    return ctypes.c_uint.in_dll(device.lib, "api_checks").value, heard


def test_api_does_what_it_must(device: Device) -> None:
    """The same program that tests/soc/test_soc.py runs on the system on chip."""
    assert api(device) == (CHECKS, [])


def test_a_block_with_fewer_operations(tmp_path: Path) -> None:
    """The word engine does what it has; the rest is answered, and gives nothing."""
    sim = simulated(WORD_BLOCK)
    block = sim.sim_new(1)
    device = opened(load(tmp_path, WORD_BLOCK), sim, block, waits=True)
    assert api(device) == (CHECKS - 9 + 6, [])
    assert sim.sim_refused(block) == 0
    sim.sim_free(block)


def test_a_block_that_wraps_keys(tmp_path: Path) -> None:
    """And has its tables from the host."""
    full = Build(subject("word-full-b163"), attach="axil")
    sim = simulated(full)
    block = sim.sim_new(1)
    device = opened(load(tmp_path, full), sim, block, waits=True)
    assert api(device) == (CHECKS - 1 + 14, [])
    assert sim.sim_refused(block) == 0
    sim.sim_free(block)


@pytest.mark.parametrize(
    "block",
    [
        Build(design("p256-small"), schemes=True, wide=True, attach="axil"),
        *(Build(subject(f"word-prime{of}"), attach="axil") for of in ("", "-x25519", "-ed25519")),
    ],
    ids=lambda block: block.name,
)
def test_the_library_compiles_for_every_kind_of_block(block: Build, tmp_path: Path) -> None:
    """Whatever operations a block has; what each then does is tested on the system on chip."""
    files = {path.name for path in compiled(tmp_path, "cc", block=block)}
    assert files >= {"custom.o", "driver.o", "memory.o", "schemes.o"}


def test_keys_signatures_agreement(device: Device) -> None:
    assert device.call("load", 2, octets(MODEL.scalar(D))) == OK
    x, y, r, s = (octets(bytes(MODEL.octets)) for _ in range(4))
    assert device.call("public", 2, point(x, y)) == OK
    assert (bytes(x), bytes(y)) == MODEL.public(D)
    digest = hashlib.sha256(b"a message").digest()
    assert device.call("sign", 2, octets(digest), r, s) == OK
    assert (bytes(r), bytes(s)) == MODEL.sign(D, digest, "sha256")
    assert device.call("verify", point(x, y), octets(digest), r, s) == OK
    assert device.call("verify", point(x, y), octets(digest), s, r) == Status.SIGNATURE_INVALID
    peer = PRESET.curve.mul(77, PRESET.curve.generator)
    secret = octets(bytes(MODEL.octets))
    theirs = point(*map(octets, MODEL.strings(peer)))
    assert device.call("agree", 2, theirs, secret) == OK
    assert bytes(secret) == MODEL.secret(D, peer)
    assert device.call("forget", 2) == OK
    assert device.call("public", 2, point(x, y)) == Status.NO_KEY


@pytest.mark.parametrize("length", [0, 1, 4, 31, 32, 33, 500])
def test_messages_of_any_length(device: Device, length: int) -> None:
    message = bytes(i * 7 & 0xFF for i in range(length))
    digest = octets(bytes(32))
    assert device.call("sha256", octets(message), length, digest) == OK
    assert bytes(digest) == hashlib.sha256(message).digest()


def test_a_device_that_makes_its_own_keys(device: Device) -> None:
    """Key pair, encryption and encapsulation by its random generator: each opens what it sealed."""
    n = MODEL.octets
    x, y, ex, ey = (octets(bytes(n)) for _ in range(4))
    assert device.call("keygen", 0, point(x, y)) == Status.NO_ENTROPY  # not seeded
    assert device.call("seed") == OK
    assert device.call("keygen", 0, point(x, y)) == OK
    assert PRESET.curve.contains(MODEL.point(bytes(x), bytes(y)))
    message = bytes(range(50))
    sealed, opened, tag = octets(bytes(50)), octets(bytes(50)), octets(bytes(32))
    assert (
        device.call("encrypt", point(x, y), octets(message), 50, point(ex, ey), sealed, tag) == OK
    )
    assert bytes(sealed) != message
    assert device.call("decrypt", 0, point(ex, ey), sealed, 50, tag, opened) == OK
    assert bytes(opened) == message
    tag[3] ^= 1
    opened = octets(bytes(50))
    status = device.call("decrypt", 0, point(ex, ey), sealed, 50, tag, opened)
    assert status == Status.AUTHENTICATION_FAILED
    assert not any(opened)
    c2, key, again = (octets(bytes(32)) for _ in range(3))
    assert device.call("encapsulate", point(x, y), point(ex, ey), c2, key) == OK
    assert device.call("decapsulate", 0, point(ex, ey), c2, again) == OK
    assert bytes(again) == bytes(key) != bytes(32)


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (0, {}),
        (1 | 2 | 1 << 3 | 1 << 5, {"cipher": "aes128-cbc", "kdf_hash": "sha1", "mac_hash": "sha1"}),
        (4 | 2 << 5, {"cipher": "aes256-cbc", "mac_hash": "sha224"}),
    ],
)
def test_options_of_ecies(device: Device, flags: int, options: dict[str, str]) -> None:
    """Sealed with options and shared information, as the model has it, and opened."""
    assert device.call("seed") == OK
    assert device.call("load", 0, octets(MODEL.scalar(D))) == OK
    message, infos = bytes(range(70)), (b"invoice", b"of March")
    how = Ecies(flags, *(In(info, len(info)) for info in infos))
    ex, ey, *places = (octets(bytes(n)) for n in (MODEL.octets, MODEL.octets, 86, 32, 86))
    sealed, tag, opened = (Out(ctypes.cast(p, U8P), len(p), 0) for p in places)
    public = point(*map(octets, MODEL.public(D)))
    status = device.call("encrypt_with", ctypes.byref(how), public, In(message, 70),
                         point(ex, ey), ctypes.byref(sealed), ctypes.byref(tag))  # fmt: skip
    assert status == OK
    found = tuple(bytes(p)[: o.length] for p, o in zip(places, (sealed, tag), strict=False))
    z = MODEL.primitive(D, MODEL.point(bytes(ex), bytes(ey)), bool(flags & 1))
    assert found == MODEL.ecies(z, message, infos, **options)
    ins = [In(string, len(string)) for string in found]
    arguments = (0, point(ex, ey), *ins, ctypes.byref(opened))
    assert device.call("decrypt_with", ctypes.byref(how), *arguments) == OK
    assert bytes(places[2])[: opened.length] == message
    other = Ecies(flags ^ 1, how.info1, how.info2)
    status = device.call("decrypt_with", ctypes.byref(other), *arguments)
    assert (status, opened.length) == (Status.AUTHENTICATION_FAILED, 0)


def test_what_the_register_has_no_room_for(device: Device) -> None:
    """An operation, a slot or flags too large are refused: they are not cut to others."""
    assert device.call("load", 0, octets(MODEL.scalar(D))) == OK
    number, public = program(PRESET).number("forget"), program(PRESET).number("public")
    for job in ((number + 64, 0, 0), (number, 4, 0), (number, 0, 256)):
        assert device.call("run", *job, None, 0, None, 0) == Status.UNSUPPORTED
    for flags in (1, 4, 128):  # those it has room for, and the operation has not
        assert device.call("run", number, 0, flags, None, 0, None, 0) == Status.UNSUPPORTED
    status, found = device.strings("run", public, rooms=(MODEL.octets,) * 2)
    assert (status, tuple(found())) == (OK, MODEL.public(D))


def test_a_job_beside_the_program(device: Device) -> None:
    """Started, stepped while something else goes on; a second one is refused until it has ended."""
    number = program(PRESET).number("sha256")
    status, found = device.strings("start", number, b"abc" * 50, rooms=(32,))
    assert status == OK
    steps = 0
    while (status := device.call("step")) == PENDING:
        steps += 1
        assert device.call("start", number, 0, 0, None, 0, None, 0) == BUSY
    assert (status, found()) == (OK, [hashlib.sha256(b"abc" * 50).digest()])
    assert steps > 3
    assert device.call("step") == BUSY


def other_program(device: Device) -> Device:
    """Return the device of a program that begins anew, while the block goes on."""
    return Device(device.lib, device.hal)


@pytest.mark.parametrize("answered", [False, True])
def test_a_job_of_before_answers_no_other_one(device: Device, answered: bool) -> None:
    """A block whose program has begun anew hands out no old result as a new one."""
    number = program(PRESET).number("sha256")
    assert device.strings("start", number, b"abc", rooms=(32,))[0] == OK
    assert device.call("step") == PENDING
    for _ in range(3000 if answered else 0):
        device.read("STATUS")
    after = other_program(device)
    assert after.opened == BUSY
    assert after.strings("run", number, b"xyz", rooms=(32,))[0] == BUSY
    after.call("zeroize")
    status, found = after.strings("run", number, b"xyz", rooms=(32,))
    assert (status, found()) == (OK, [hashlib.sha256(b"xyz").digest()])


def test_a_job_of_before_can_be_ended_without_losing_keys(device: Device) -> None:
    assert device.call("load", 1, octets(MODEL.scalar(D))) == OK
    number = program(PRESET).number("public")
    assert device.strings("start", number, rooms=(21, 21), slot=1)[0] == OK
    after = other_program(device)
    assert after.opened == BUSY
    while (status := after.call("step")) == PENDING:
        pass
    assert status == NO_ROOM  # what it hands out is dropped
    status, found = after.strings("run", number, rooms=(21, 21), slot=1)
    assert (status, tuple(found())) == (OK, MODEL.public(D))


def test_outputs_without_room_are_dropped(device: Device) -> None:
    number = program(PRESET).number("sha256")
    for rooms in ((31,), ()):
        status, found = device.strings("run", number, b"abc", rooms=rooms)
        assert status == NO_ROOM
        assert found() == [b""] * len(rooms)
    status, found = device.strings("run", number, b"abc", rooms=(40,))
    assert (status, found()) == (OK, [hashlib.sha256(b"abc").digest()])


def test_strings_of_a_wrong_length_are_answered(device: Device) -> None:
    number = program(PRESET).number("load")
    for wrong in (b"", MODEL.scalar(D)[1:], MODEL.scalar(D) + b"\0", bytes(300)):
        assert device.strings("run", number, wrong)[0] == Status.UNSUPPORTED


def test_a_job_that_is_dropped_takes_its_keys_along(device: Device) -> None:
    assert device.call("load", 0, octets(MODEL.scalar(D))) == OK
    number = program(PRESET).number("public")
    status, found = device.strings("start", number, rooms=(21, 21))
    assert status == OK
    assert device.call("step") == PENDING
    device.call("zeroize")
    assert device.call("step") == BUSY
    assert found() == [b"", b""]
    assert device.strings("run", number, rooms=(21, 21))[0] == Status.NO_KEY


@pytest.mark.parametrize(
    "wrong", [{"ID": 0}, {"ID": 0xFFFFFFFF}, {"VERSION": 1 << 24}, {"OPERATIONS": 1}]
)
def test_what_is_no_block_of_schemes_is_not_touched(
    library: ctypes.CDLL, wrong: dict[str, int]
) -> None:
    registers = Registers(library, **wrong)
    assert registers.device.opened == NO_DEVICE
    assert registers.written == []


def test_sizes_are_those_of_the_registers(library: ctypes.CDLL) -> None:
    """An order of 232 bits has 29 octets, coordinates of 240 bits 30."""
    device = Registers(library, ORDER=232, SIZE=240 << 16 | 233).device
    assert device.opened == OK
    assert (device.state.scalar_octets, device.state.coordinate_octets) == (29, 30)


def test_no_word_is_written_without_room(library: ctypes.CDLL) -> None:
    registers = Registers(library)
    registers.values[registers.at["STATUS"]] = 1
    registers.device.strings("start", 3, bytes(range(1, 11)))
    before = len(registers.written)
    data, last = registers.at["IN_DATA"], registers.at["IN_LAST"] + 4 * 2  # of two octets
    first, second, third = (data, 0x01020304), (data, 0x05060708), (last, 0x090A0000)
    for room, words in ((0, []), (1, [first]), (5, [second, third]), (8, [])):
        registers.values[registers.at["ROOM"]] = room
        assert registers.device.call("step") == PENDING
        assert registers.written[before:] == words
        before = len(registers.written)


def test_a_device_that_never_answers_is_given_up(library: ctypes.CDLL) -> None:
    """After so many steps, by a zeroize; outputs are zero."""
    registers = Registers(library)
    registers.values[registers.at["STATUS"]] = 1
    registers.device.state.steps = 5
    status, found = registers.device.strings("run", 3, b"abc", rooms=(8,))
    assert (status, found()) == (NO_ANSWER, [b""])
    assert registers.commands() == [1, 4]


def test_a_device_that_was_zeroized_beside_it_is_noticed(library: ctypes.CDLL) -> None:
    registers = Registers(library)
    registers.values[registers.at["STATUS"]] = 1
    registers.device.strings("start", 3, b"abc")
    registers.values[registers.at["STATUS"]] = 0
    assert registers.device.call("step") == NO_ANSWER
    assert registers.device.call("step") == BUSY
    assert registers.commands() == [1]


def test_it_builds_for_risc_v_bare_metal(tmp_path: Path) -> None:
    """Freestanding: no library, no allocation, nothing called that is not there."""
    zig = (sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none")
    objects = compiled(tmp_path, *zig, flags=("-mcpu=generic_rv32+m", "-O2", "-ffreestanding"))
    assert len(objects) == 5
    assert all(file.read_bytes()[:6] == b"\x7fELF\x01\x01" for file in objects)


CPP = r"""
#include "ecsm.h"
#include "ecsm_frame.h"

static uint32_t read_zero(void *, uint32_t) { return 0; }
static void write_none(void *, uint32_t, uint32_t) {}

int main()
{
    const ecsm_hal_t hal = {read_zero, write_none, nullptr, nullptr};
    const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
    ecsm_t ecsm;
    if (ecsm_open(&ecsm, &hal) != ECSM_NO_DEVICE) return 1;
    return ecsm_hal_memory(0).context != nullptr || ecsm_crc32(0, digits, 9) != 0xCBF43926u;
}
"""
"""A program in C++ on a bus where there is no block; the check value of CRC-32."""


@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_a_program_in_cpp_is_linked_with_the_library_in_c(tmp_path: Path, standard: str) -> None:
    frame = LIBRARY.parent / "frame"
    (tmp_path / "main.cpp").write_text(CPP)
    sources = [*sorted((LIBRARY / "src").glob("*.c")), frame / "ecsm_frame.c"]
    common = ["-Wall", "-Wextra", "-Werror", f"-I{frame}", *headers(tmp_path)]
    subprocess.run(["cc", "-std=c11", *common, "-c", *map(str, sources)], cwd=tmp_path, check=True)
    objects = [str(file) for file in sorted(tmp_path.glob("*.o"))]
    command = ["c++", f"-std={standard}", *common, "main.cpp", *objects, "-o", "main"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([str(tmp_path / "main")], check=False).returncode == 0
