# SPDX-License-Identifier: Apache-2.0
"""A toy preset's core behind a bus, driven as a driver does; run by test_block_core.py."""

from __future__ import annotations

import random
from typing import Any

from ecsm import __version__
from ecsm.curves import BinaryCurve
from ecsm.status import Status
from tests.rtl.attach.block_core import COORD, CURVE, CYCLES, PRESET, SCALAR, SCALARS, Core, ready
from tests.rtl.attach.bus import (
    ACKNOWLEDGE,
    ANSWER,
    BUSY,
    DONE,
    ERROR,
    OKAY,
    START,
    WAYS,
    ZEROIZE,
    bus_test,
)

POINTS = list(CURVE.points())


def random_scalar(rng: random.Random) -> int:
    return rng.getrandbits(PRESET.scalar_bits)


@bus_test
async def it_says_what_it_is(dut: Any) -> None:
    core = await ready(dut)
    assert (await core.read("ID")).to_bytes(4, "big") == b"ECSM"
    version = await core.read("VERSION")
    assert ".".join(str(version >> s & 0xFF) for s in (16, 8, 0)) == __version__
    assert version >> 24 == 1
    assert await core.read("SIZE") == COORD << 16 | SCALAR
    assert await core.read("FIELD") == isinstance(CURVE, BinaryCurve) << 16 | PRESET.field_bits
    assert await core.read("OPERATIONS") == 1
    assert await core.read("ORDER") == CURVE.n.bit_length()
    letters = [(await core.read(f"CURVE_{i}")).to_bytes(4, "big") for i in range(4)]
    assert b"".join(letters).rstrip(b"\0").decode() == CURVE.name


@bus_test
async def every_job_has_its_answer(dut: Any) -> None:
    """All scalars with all points where that is feasible, back to back; else a sample."""
    core = await ready(dut)
    rng = random.Random(1)
    scalars = list(range(1 << PRESET.scalar_bits))
    every = len(scalars) * len(POINTS) <= 1000
    for point in POINTS if every else rng.sample(POINTS, 6):
        await core.point(point)
        for k in scalars if every else rng.sample(scalars, 10):
            await core.begin_job(k)
            await core.cycles(CYCLES)
            assert await core.result() == (Status.OK, PRESET.multiple(k, point)), (k, point)
    assert await core.read("ERROR") == 0


@bus_test
async def random_stalls_on_every_channel(dut: Any) -> None:
    core = await ready(dut)
    rng = random.Random(2)
    core.stall(rng)
    for _ in range(25):
        await core.right(random_scalar(rng), rng.choice(POINTS))


@bus_test
async def statuses_of_bad_jobs(dut: Any) -> None:
    """No point, no coordinate, no operation: nothing comes out."""
    core = await ready(dut)
    x, y = CURVE.generator
    for job, px, py, status in (
        (0, x, y ^ 1, Status.POINT_NOT_ON_CURVE),
        (0, (1 << COORD) - 1, y, Status.COORDINATE_OUT_OF_RANGE),
        *((op, x, y, Status.UNSUPPORTED) for op in range(1, 16)),
    ):
        await core.write("JOB", job)
        await core.put("X", px, COORD)
        await core.put("Y", py, COORD)
        await core.begin_job(3)
        assert Status(await core.answer() >> 8) is status
        answers = [await core.try_read(core.at(n)) for n in ("RESULT_X", "RESULT_Y")]
        await core.refused("locked", *answers)
        assert (await core.result())[0] is status
    await core.right(3, CURVE.generator)


@bus_test
async def a_scalar_is_used_once(dut: Any) -> None:
    """The point stays, the scalar does not."""
    core = await ready(dut)
    await core.right(3, CURVE.generator)
    await core.write("COMMAND", START)
    assert await core.result() == (Status.OK, None)


@bus_test
async def accesses_to_nothing_are_refused(dut: Any) -> None:
    """Holes, reads of what is only written, writes to what is only read: at every address."""
    core = await ready(dut)
    readable = {
        0x000,
        0x004,
        0x008,
        0x00C,
        0x010,
        0x014,
        0x020,
        0x024,
        0x028,
        0x02C,
        0x040,
        0x048,
        0x04C,
    }
    readable |= {0x050, 0x054, 0x058}
    results = [core.at(n, i) for n in ("RESULT_X", "RESULT_Y") for i in range(-(-COORD // 32))]
    windows = [core.at(n, i) for n in SCALARS for i in range(-(-SCALAR // 32))]
    windows += [core.at(n, i) for n in "XY" for i in range(-(-COORD // 32))]
    writable = {0x040, 0x044, 0x050, 0x054, 0x058, 0x05C, *windows}
    for address in range(0, 1 << 10, 4):
        answer = await core.try_read(address)
        if address in readable:
            assert answer[0] == OKAY, f"{address:#x}"
        else:
            await core.refused("locked" if address in results else "address", answer)
        if address not in writable:
            await core.refused("address", await core.try_write(address, 0xFFFFFFFF))
    await core.right(5, CURVE.generator)


@bus_test
async def parts_of_words_are_refused(dut: Any) -> None:
    """Fewer than four octets, or an address between two words: nothing is written."""
    core = await ready(dut)
    await core.point(CURVE.generator)
    for offset in range(4):
        for count in range(1, 5 - offset):
            if (offset, count) == (0, 4):
                continue
            address = core.at("SCALAR") + offset
            answer = await core.master.write(address, bytes(count))
            await core.refused("width", answer.resp)
    await core.write("INTR_ENABLE", 0)
    answer = await core.master.write(core.at("INTR_ENABLE"), b"\xff")
    await core.refused("width", answer.resp)
    assert await core.read("INTR_ENABLE") == 0


@bus_test
async def operands_are_locked_while_busy(dut: Any) -> None:
    core = await ready(dut)
    rng = random.Random(3)
    point = CURVE.generator
    for k in (1, random_scalar(rng), (1 << PRESET.scalar_bits) - 1):
        await core.point(point)
        await core.begin_job(k)
        for name in (*SCALARS, "X", "Y", "JOB"):
            for index in range(1 if name == "JOB" else -(-COORD // 32)):
                if await core.read("STATUS") == BUSY:
                    answer = await core.try_write(core.at(name, index), 1)
                    if await core.read("STATUS") == BUSY:  # it was busy then, too
                        await core.refused("locked", answer)
        assert await core.result() == (Status.OK, PRESET.multiple(k, point))
        await core.write("COMMAND", START)  # what was refused is not there
        assert await core.result() == (Status.OK, None)


@bus_test
async def results_are_there_only_with_an_answer(dut: Any) -> None:
    core = await ready(dut)
    names = ("RESULT_X", "RESULT_Y")
    await core.refused("locked", *[await core.try_read(core.at(n)) for n in names])
    await core.point(CURVE.generator)
    await core.begin_job(3)
    await core.refused("locked", *[await core.try_read(core.at(n)) for n in names])
    assert (await core.result())[1] == PRESET.multiple(3, CURVE.generator)
    await core.refused("locked", *[await core.try_read(core.at(n)) for n in names])
    assert await core.read("CYCLES") == 0
    assert await core.read("STATUS") == 0


@bus_test
async def commands_out_of_order_are_refused(dut: Any) -> None:
    """None, several, ones that do not exist, ones at the wrong time: none has an effect."""
    core = await ready(dut)
    command = core.at("COMMAND")
    for word in (0, 3, 5, 6, 7, 8, 9, 1 << 31, 0xFFFFFFFF, ACKNOWLEDGE):
        await core.refused("command", await core.try_write(command, word))
    await core.point(CURVE.generator)
    await core.begin_job(3)
    for word in (START, ACKNOWLEDGE, START | ZEROIZE):
        await core.refused("command", await core.try_write(command, word))
    await core.answer()
    await core.refused("command", await core.try_write(command, START))
    assert await core.result() == (Status.OK, PRESET.multiple(3, CURVE.generator))
    await core.refused("command", await core.try_write(command, ACKNOWLEDGE))


@bus_test
async def bits_above_an_operand_are_refused(dut: Any) -> None:
    """A number that does not fit is not cut off: the word before it stays."""
    core = await ready(dut)
    await core.point(CURVE.generator)
    for name, bits in (*((n, SCALAR) for n in SCALARS), ("X", COORD), ("Y", COORD)):
        top = bits % 32
        for bit in range(top, 32) if top else ():
            await core.refused("operand", await core.try_write(core.at(name), 1 << bit))
    await core.begin_job(1)
    assert await core.result() == (Status.OK, PRESET.multiple(1, CURVE.generator))


@bus_test
async def interrupts(dut: Any) -> None:
    """Pending is not enabled; the line shows what is both; writing 1 clears; a test sets."""
    core = await ready(dut)
    line = dut.irq_o
    await core.right(3, CURVE.generator)
    assert (await core.read("INTR_STATE"), int(line.value)) == (DONE, 0)
    await core.write("INTR_ENABLE", DONE)
    assert int(line.value) == 1
    await core.write("INTR_STATE", ERROR)
    assert int(line.value) == 1
    await core.write("INTR_STATE", DONE)
    assert int(line.value) == 0
    await core.begin_job(3)
    for _ in range(CYCLES + 20):
        await core.cycles(1)
        if line.value:
            break
    assert await core.read("STATUS") & ANSWER
    assert await core.read("INTR_STATE") == DONE
    await core.write("INTR_STATE", DONE)
    assert int(line.value) == 0, "an answer that stays is no new one"
    await core.write("COMMAND", ACKNOWLEDGE)
    for bit in (DONE, ERROR):
        await core.write("INTR_ENABLE", bit)
        await core.write("INTR_TEST", bit)
        await core.cycles(2)
        assert await core.read("INTR_STATE") == bit
        assert int(line.value) == 1
        await core.write("INTR_STATE", bit)
        assert int(line.value) == 0
    assert await core.read("ERROR") == 0


async def empty(core: Core) -> None:
    """Assert that nothing of a job is left: not its answer, scalar, point or operation."""
    assert await core.read("STATUS") == 0
    assert await core.read("JOB") == 0
    assert await core.read("CYCLES") == 0
    await core.write("COMMAND", START)  # X and Y, as they are
    want = Status.OK if CURVE.contains((0, 0)) else Status.POINT_NOT_ON_CURVE
    assert (await core.result())[0] is want
    for name, value in zip("XY", CURVE.generator, strict=True):
        await core.put(name, value, COORD)
    await core.write("COMMAND", START)  # the scalar, as it is
    assert await core.result() == (Status.OK, PRESET.multiple(0, CURVE.generator))


@bus_test
async def zeroize_and_reset_in_flight(dut: Any) -> None:
    """By the command, by the port and by reset, in any cycle of a job: nothing is left of it."""
    core = await ready(dut)
    rng = random.Random(4)
    last = CYCLES + 12
    for t in range(0, last, max(1, last // 12)):
        for way in WAYS:
            await core.point(CURVE.generator)
            await core.begin_job(random_scalar(rng) | 1)
            await core.cycles(t)
            await core.wipe(way)
            await empty(core)
    await core.right(5, CURVE.generator)
