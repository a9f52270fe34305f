# SPDX-License-Identifier: Apache-2.0
"""A preset's schemes behind a bus, driven as a driver does; run by test_block_scheme.py."""

from __future__ import annotations

import hashlib
import os
import random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from ecsm.hdl.block_scheme_emit import DEPTH
from ecsm.hdl.machines import machine
from ecsm.hdl.registers import register_map, scheme_registers
from ecsm.presets.word import WORD_PRESETS
from ecsm.status import Status
from tests.rtl.attach.bus import (
    ACKNOWLEDGE,
    ANSWER,
    BUSY,
    DONE,
    ERROR,
    IN_ROOM,
    OKAY,
    OUT_DATA,
    START,
    WAYS,
    Bus,
    bus_test,
)
from tests.schemes.model import Model

MACHINE = machine(os.environ["ECSM_PRESET"])
PRESET, PROGRAM = MACHINE.preset, MACHINE.program
WORD = PRESET.name in WORD_PRESETS
NUMBERS = {PROGRAM.number(name) for name in PROGRAM.operations}
MODEL = Model(PRESET.curve)
ADDRESSES = register_map(scheme_registers(PRESET, PROGRAM))
LIMIT = 400_000  # polls, at most
D = PRESET.curve.n * 3 // 7


kp_test = cocotb.test(timeout_time=4, timeout_unit="ms", skip=WORD)
"""A test of kP, which a word engine takes too long for here: tests/sw/test_libecsm.py has it."""


class Schemes(Bus):
    """The registers of the schemes, and their jobs."""

    async def start(self, name: str | int, slot: int = 0, flags: int = 0) -> None:
        """Begin an operation, by its name or its number."""
        number = PROGRAM.number(name) if isinstance(name, str) else name
        await self.write("JOB", flags << 16 | slot << 8 | number)
        await self.write("COMMAND", START)

    async def run(
        self, name: str | int, *strings: bytes, slot: int = 0, flags: int = 0
    ) -> tuple[Status, list[bytes]]:
        """Run an operation as a driver does; return its status and strings, acknowledged."""
        await self.start(name, slot, flags)
        found, open_string = list[bytes](), b""
        words = [word for string in strings for word in words_of(string)]
        for _ in range(LIMIT):
            status = await self.read("STATUS")
            room = await self.read("ROOM")
            for register, index, value in words[:room]:
                await self.write(register, value, index)
            del words[:room]
            out = await self.read("OUT")
            while out >> 8:
                octets, last = out & 7, out >> 3 & 1
                open_string += (await self.read("OUT_DATA")).to_bytes(4, "big")[:octets]
                if last:
                    found.append(open_string)
                    open_string = b""
                out = await self.read("OUT")
            if status & ANSWER:
                break
        else:
            raise AssertionError(f"{name} does not answer")
        assert open_string == b""
        await self.write("COMMAND", ACKNOWLEDGE)
        return Status(status >> 8 & 0xF), found

    async def right(self, name: str, *strings: bytes, **how: int) -> list[bytes]:
        """Run an operation that must end well."""
        status, found = await self.run(name, *strings, **how)
        assert status is Status.OK, (name, status)
        return found

    async def idle(self) -> None:
        """Assert that nothing is going on and nothing is left."""
        for name in ("STATUS", "CYCLES", "OUT", "ROOM"):
            assert await self.read(name) == 0, name
        await self.refused("underrun", await self.try_read(self.at("OUT_DATA")))


def words_of(string: bytes) -> list[tuple[str, int, int]]:
    """Return register, index and value of every word of a string; what does not count is ones."""
    cut = max(0, (len(string) - 1) // 4 * 4)
    words = [("IN_DATA", 0, int.from_bytes(string[i : i + 4], "big")) for i in range(0, cut, 4)]
    last = string[cut:]
    return [*words, ("IN_LAST", len(last), int.from_bytes(last.ljust(4, b"\xff"), "big"))]


async def ready(dut: Any) -> Schemes:
    dut.noise_valid_i.value = 0
    dut.test_valid_i.value = 0
    schemes = Schemes(dut, ADDRESSES)
    await schemes.begin()
    if WORD:
        cocotb.start_soon(noise(dut))
    return schemes


async def noise(dut: Any) -> None:
    """A sample a cycle, which the masks of a word engine's keys are made of."""
    rng = random.Random(3)
    dut.noise_valid_i.value = 1
    while True:
        dut.noise_data_i.value = rng.randrange(256)
        await RisingEdge(dut.clk_i)


@bus_test
async def it_says_what_it_is(dut: Any) -> None:
    schemes = await ready(dut)
    assert (await schemes.read("ID")).to_bytes(4, "big") == b"ECSM"
    assert await schemes.read("VERSION") >> 24 == 2
    assert await schemes.read("OPERATIONS") == sum(1 << number for number in NUMBERS)
    assert await schemes.read("SIZE") & 0xFFF == PRESET.scalar_bits


@bus_test
async def strings_of_every_length(dut: Any) -> None:
    """Digests, with and without stalls: empty, part of a word, many times the room there is."""
    schemes = await ready(dut)
    rng = random.Random(1)
    for length in (*range(20), 63, 64, 65, 300):
        schemes.stall(rng if length % 2 else None)
        message = rng.randbytes(length)
        assert await schemes.right("sha256", message) == [hashlib.sha256(message).digest()], length
    # A string whose end is known late: its last word has no octet.
    schemes.stall(None)
    await schemes.start("sha256")
    for i in (b"abcd", b"efgh"):
        await schemes.write("IN_DATA", int.from_bytes(i, "big"))
    await schemes.write("IN_LAST", 0, 0)
    while not await schemes.read("STATUS") & ANSWER:
        pass
    digest = b"".join([(await schemes.read("OUT_DATA")).to_bytes(4, "big") for _ in range(8)])
    assert digest == hashlib.sha256(b"abcdefgh").digest()
    await schemes.write("COMMAND", ACKNOWLEDGE)
    await schemes.idle()


@kp_test
async def keys_signatures_agreement(dut: Any) -> None:
    """As the model, whose curve is held to libcrypto; keys in two slots, that no register shows."""
    schemes = await ready(dut)
    other = D ^ 5
    await schemes.right("load", MODEL.scalar(D))
    await schemes.right("load", MODEL.scalar(other), slot=1)
    assert tuple(await schemes.right("public")) == MODEL.public(D)
    hashed = hashlib.sha256(b"a message").digest()
    signed = await schemes.right("sign-sha256", hashed)
    assert tuple(signed) == MODEL.sign(D, hashed, "sha256")
    assert await schemes.right("verify-sha256", *MODEL.public(D), hashed, *signed) == []
    bad = await schemes.run("verify-sha256", *MODEL.public(D), hashed, *signed[::-1])
    assert bad == (Status.SIGNATURE_INVALID, [])
    peer = PRESET.curve.mul(77, PRESET.curve.generator)
    for slot, d in ((0, D), (1, other)):
        secret = await schemes.right("ecdh", *MODEL.strings(peer), slot=slot)
        assert secret == [MODEL.secret(d, peer)]
    await schemes.right("forget")
    assert await schemes.run("public") == (Status.NO_KEY, [])
    assert tuple(await schemes.right("public", slot=1)) == MODEL.public(other)


@bus_test
async def what_is_wrong_is_answered_and_gives_nothing(dut: Any) -> None:
    """Errors of the machine; strings of another length; words that nobody wants any more."""
    schemes = await ready(dut)
    assert await schemes.run("ecdh", *MODEL.public(3)) == (Status.NO_KEY, [])
    await schemes.right("load", MODEL.scalar(D))
    n = PRESET.curve.n
    assert await schemes.run("load", MODEL.scalar(0), slot=1) == (Status.SCALAR_OUT_OF_RANGE, [])
    assert await schemes.run("load", n.to_bytes(MODEL.order_octets, "big"), slot=1) == (
        Status.SCALAR_OUT_OF_RANGE, [],
    )  # fmt: skip
    for wrong in (MODEL.scalar(D)[1:], MODEL.scalar(D) + b"\0", b"", bytes(200)):
        assert await schemes.run("load", wrong, slot=1) == (Status.UNSUPPORTED, [])
    x, y = MODEL.public(3)
    assert await schemes.run("ecdh", x, y[:-1] + bytes([y[-1] ^ 1])) == (
        Status.POINT_NOT_ON_CURVE, [],
    )  # fmt: skip
    for flags in (1, 8, 128):  # each bit of the register reaches the machine, which refuses it
        assert await schemes.run("forget", flags=flags) == (Status.UNSUPPORTED, [])
    for number in sorted({*range(64)} - NUMBERS):
        await schemes.write("JOB", number)
        await schemes.write("COMMAND", START)
        while not (status := await schemes.read("STATUS")) & ANSWER:
            pass
        assert Status(status >> 8 & 0xF) is Status.UNSUPPORTED, number
        if number != 63:
            await schemes.write("COMMAND", ACKNOWLEDGE)
    for _ in range(3 * DEPTH):  # withdrawn: taken and dropped
        await schemes.write("IN_DATA", 0x12345678)
    await schemes.write("COMMAND", ACKNOWLEDGE)
    await schemes.idle()
    if not WORD:
        assert tuple(await schemes.right("public")) == MODEL.public(D)


@kp_test
async def nothing_comes_out_with_a_wrong_tag(dut: Any) -> None:
    """ECIES: a model seals, the block opens; with a bit of the tag changed there is no message."""
    schemes = await ready(dut)
    await schemes.right("load", MODEL.scalar(D))
    message, k = bytes(range(40)), 12345
    c = PRESET.curve
    r = c.mul(k, c.generator)
    sealed, tag = MODEL.ecies(MODEL.primitive(k, c.mul(D, c.generator)), message)
    infos = (b"", b"")
    found = await schemes.right("ecies-decrypt", *MODEL.strings(r), sealed, tag, *infos)
    assert found == [message]
    wrong = bytes([tag[0] ^ 1]) + tag[1:]
    answer = await schemes.run("ecies-decrypt", *MODEL.strings(r), sealed, wrong, *infos)
    assert answer == (Status.AUTHENTICATION_FAILED, [])
    await schemes.idle()


@kp_test
async def words_without_room_or_job(dut: Any) -> None:
    schemes = await ready(dut)
    await schemes.idle()
    for name, index in (("IN_DATA", 0), *(("IN_LAST", n) for n in range(5))):
        await schemes.refused("locked", await schemes.try_write(schemes.at(name, index), 1))
    await schemes.right("load", MODEL.scalar(D))
    await schemes.start("public")  # takes no string
    assert await schemes.read("ROOM") == DEPTH
    written = 0
    while await schemes.read("ROOM"):
        await schemes.write("IN_DATA", 1)
        written += 1
    assert written == DEPTH + 1  # one is half of a word of 64 bits already
    for name in ("IN_DATA", "IN_LAST"):
        await schemes.refused("overrun", await schemes.try_write(schemes.at(name), 1))
    await schemes.refused("locked", await schemes.try_write(schemes.at("JOB"), 0))
    for command in (START, ACKNOWLEDGE, 0, 3):
        await schemes.refused("command", await schemes.try_write(schemes.at("COMMAND"), command))
    await schemes.cycles(30_000)
    assert await schemes.read("STATUS") == BUSY  # its strings are more words than there is room
    while not await schemes.read("STATUS") & ANSWER:
        if await schemes.read("OUT") >> 8 == DEPTH:
            await schemes.read("OUT_DATA")
    assert await schemes.read("CYCLES") > 100
    await schemes.refused("command", await schemes.try_write(schemes.at("COMMAND"), START))
    await schemes.write("COMMAND", ACKNOWLEDGE)
    await schemes.idle()  # the strings that nobody read are gone


@bus_test
async def accesses_to_nothing_are_refused(dut: Any) -> None:
    schemes = await ready(dut)
    readable = {*range(0x000, 0x018, 4), *range(0x020, 0x030, 4), *range(0x040, 0x060, 4)}
    readable = (readable | {0x060, 0x068}) - {0x044, 0x05C}
    writable = {0x040, 0x044, 0x050, 0x054, 0x058, 0x05C, *range(0x06C, 0x084, 4)}
    for address in range(0, 1 << 10, 4):
        answer = await schemes.try_read(address)
        if address in readable:
            assert answer[0] == OKAY, f"{address:#x}"
        elif address == 0x064:
            await schemes.refused("underrun", answer)
        else:
            await schemes.refused("address", answer)
        if address not in writable:
            await schemes.refused("address", await schemes.try_write(address, 0xFFFFFFFF))
    answer = await schemes.master.write(schemes.at("IN_DATA"), b"\x01\x02")
    await schemes.refused("width", answer.resp)


@bus_test
async def interrupts_drive_a_job(dut: Any) -> None:
    """Room, data and done: a digest without polling anything but INTR_STATE when the line is up."""
    schemes = await ready(dut)
    message = bytes(range(256)) * 2
    words = words_of(message)
    found = b""
    await schemes.write("INTR_ENABLE", DONE | IN_ROOM)
    await schemes.start("sha256")
    enable, done = DONE | IN_ROOM, False
    while not done:
        while not dut.irq_o.value:
            await schemes.cycles(1)
        state = await schemes.read("INTR_STATE")
        assert not state & ERROR
        if state & enable & IN_ROOM:
            room = await schemes.read("ROOM")
            assert room >= DEPTH // 2
            for register, index, value in words[:room]:
                await schemes.write(register, value, index)
            del words[:room]
            if not words:
                enable = DONE | OUT_DATA
                await schemes.write("INTR_ENABLE", enable)
        if state & enable & OUT_DATA:
            while await schemes.read("OUT") >> 8:
                found += (await schemes.read("OUT_DATA")).to_bytes(4, "big")
        await schemes.write("INTR_STATE", state)
        done = bool(state & DONE)
    while await schemes.read("OUT") >> 8:
        found += (await schemes.read("OUT_DATA")).to_bytes(4, "big")
    assert found == hashlib.sha256(message).digest()
    await schemes.write("COMMAND", ACKNOWLEDGE)
    await schemes.write("INTR_STATE", 0xF)
    for bit in (DONE, ERROR, IN_ROOM, OUT_DATA):
        await schemes.write("INTR_ENABLE", bit)
        assert int(dut.irq_o.value) == 0
        await schemes.write("INTR_TEST", bit)
        await schemes.cycles(2)
        assert int(dut.irq_o.value) == 1
        await schemes.write("INTR_STATE", bit)


@bus_test
async def zeroize_and_reset_in_flight(dut: Any) -> None:
    """While strings go in, while it works, while strings wait: keys and strings are gone."""
    schemes = await ready(dut)
    rng = random.Random(2)
    for t in (0, 3, 20, 300, 5000, None):
        for way in WAYS:
            await schemes.right("load", MODEL.scalar(D))
            if t is None:  # the answer and its strings are there
                await schemes.start("sha256")
                for register, index, value in words_of(b"abc"):
                    await schemes.write(register, value, index)
                while not await schemes.read("STATUS") & ANSWER:
                    pass
                assert await schemes.read("OUT") >> 8 == 8
            else:
                await schemes.start("ecdh")
                for register, index, value in words_of(rng.randbytes(21))[:4]:
                    await schemes.write(register, value, index)
                await schemes.cycles(t)
            assert await schemes.read("STATUS") & (BUSY | ANSWER)
            await schemes.wipe(way)
            await schemes.idle()
            assert await schemes.read("JOB") == 0
            assert await schemes.run("public") == (Status.NO_KEY, [])
    message = rng.randbytes(70)
    assert await schemes.right("sha256", message) == [hashlib.sha256(message).digest()]
