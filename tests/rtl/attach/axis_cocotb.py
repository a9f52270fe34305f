# SPDX-License-Identifier: Apache-2.0
"""A farm of a toy preset's cores behind AXI4-Stream, by cocotbext-axi; run by test_axis.py.

Every packet that goes in is owed an answer; every answer that comes out was owed.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from ecsm.cores.store import design
from ecsm.hdl.axis_emit import beats
from ecsm.status import Status
from tests.rtl.attach.bus import Ports, bus_test, pauses

DESIGN = design(os.environ["ECSM_PRESET"])
N = int(os.environ["ECSM_ENGINES"])
PRESET = DESIGN.preset
CURVE = PRESET.curve
CYCLES = DESIGN.microcode.cycles
SCALARS = 2 if PRESET.double else 1
SCALAR = PRESET.scalar_bits // SCALARS
POINTS = list(CURVE.points())
IN, OUT = beats(PRESET)
SETTLE = 3 * (CYCLES + 60)  # cycles in which every job in progress is answered
MALFORMED = 0x80


def number(value: int, bits: int) -> bytes:
    """A number as a packet has it: beats of eight octets."""
    return value.to_bytes(8 * -(-bits // 64), "big")


def header(tag: int, op: int = 0, infinity: int = 0) -> bytes:
    return bytes((tag, op, infinity, 0, 0, 0, 0, 0))


def numbers(k: int, x: int, y: int) -> bytes:
    mask = (1 << SCALAR) - 1
    scalars = [k >> i * SCALAR & mask for i in reversed(range(SCALARS))]
    coordinates = b"".join(number(v, PRESET.coordinate_bits) for v in (x, y))
    return b"".join(number(s, SCALAR) for s in scalars) + coordinates


def answer(tag: int, status: Status, flags: int, cycles: int, x: int = 0, y: int = 0) -> bytes:
    head = bytes((tag, status, flags, 0)) + cycles.to_bytes(4, "big")
    return head + b"".join(number(v, PRESET.coordinate_bits) for v in (x, y))


def malformed(tag: int) -> bytes:
    return answer(tag, Status.UNSUPPORTED, MALFORMED, 0)


class Streams:
    """The user of the streams: what is owed, and what came."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        dut.rst_ni.value = 0
        dut.zeroize_i.value = 0
        Clock(dut.clk_i, 2, "ns").start()
        ports = Ports(dut, ["s_axis_", "m_axis_"])
        names = {"reset_active_level": False}
        self.source = AxiStreamSource(
            AxiStreamBus.from_prefix(ports, "s_axis"), dut.clk_i, dut.rst_ni, **names
        )
        self.sink = AxiStreamSink(
            AxiStreamBus.from_prefix(ports, "m_axis"), dut.clk_i, dut.rst_ni, **names
        )
        self.owed = Counter[bytes]()

    async def begin(self) -> None:
        await Timer(5, "ns")
        self.dut.rst_ni.value = 1
        await RisingEdge(self.dut.clk_i)

    def stall(self, seed: int | None) -> None:
        """Let both streams pause at random, or not any more."""
        for i, end in enumerate((self.source, self.sink)):
            if seed is None:
                end.clear_pause_generator()
                end.pause = False
            else:
                end.set_pause_generator(pauses(random.Random(2 * seed + i)))

    async def job(self, tag: int, k: int, index: int) -> None:
        """Send a job of the point with that number."""
        point = POINTS[index]
        x, y = point or (0xA5, 0x5A)
        await self.source.send(header(tag, 0, not point) + numbers(k, x, y))
        result = PRESET.multiple(k, point)
        self.owed[answer(tag, Status.OK, result is None, CYCLES, *(result or (0, 0)))] += 1

    async def bad(self, rng: random.Random) -> None:
        """Send a malformed packet of some kind."""
        tag = rng.randrange(256)
        x, y = CURVE.generator
        good = header(tag) + numbers(3, x, y)
        kind = rng.randrange(6)
        keep = [1] * len(good)
        if kind == 0:  # short
            good = good[: 8 * rng.randrange(1, IN)]
        elif kind == 1:  # long
            good += bytes(8 * rng.randrange(1, 2 * IN))
        elif kind == 2:  # an octet is missing
            at = rng.randrange(1, len(good))
            keep[at] = 0
            tag = tag if at >= 8 else 0
        elif kind == 3:  # what is to be zero is not
            at = rng.choice((1, 2, 3, 4, 7))
            good = good[:at] + bytes((rng.choice((0x10, 0x20, 0x80)),)) + good[at + 1 :]
            tag = 0
        elif kind == 4:  # a number is too wide
            at = 8 * rng.randrange(1, IN)
            good = good[:at] + b"\x80" + good[at + 1 :]
        else:  # no tag either
            good, keep, tag = good[:8], [0] * 8, 0
        frame = AxiStreamFrame(good, tkeep=keep if kind in (2, 5) else None)
        await self.source.send(frame)
        self.owed[malformed(tag)] += 1

    async def settle(self) -> None:
        """Wait for all answers, and that no other one comes."""
        while not self.source.idle():
            await ClockCycles(self.dut.clk_i, 10)
        for _ in range(100):
            await ClockCycles(self.dut.clk_i, SETTLE)
            if self.sink.count() >= self.owed.total():
                break
        await ClockCycles(self.dut.clk_i, SETTLE)
        while not self.sink.empty():
            frame = self.sink.recv_nowait(compact=False)
            assert all(frame.tkeep or [1])
            assert not any(frame.tuser if isinstance(frame.tuser, list) else [frame.tuser])
            data = bytes(frame.tdata)
            assert self.owed[data] > 0, f"not owed: {data.hex()}"
            self.owed[data] -= 1
        assert not +self.owed, [data.hex() for data in +self.owed]


async def ready(dut: Any) -> Streams:
    streams = Streams(dut)
    await streams.begin()
    return streams


def random_job(rng: random.Random) -> tuple[int, int, int]:
    """Return tag, scalar, the point's number."""
    return rng.randrange(256), rng.getrandbits(PRESET.scalar_bits), rng.randrange(len(POINTS))


@bus_test
async def jobs_and_answers(dut: Any) -> None:
    """As fast as they are taken, then with stalls on both sides."""
    streams = await ready(dut)
    rng = random.Random(1)
    for seed in (0, 1, 2):
        if seed:
            streams.stall(seed)
        for _ in range(60):
            await streams.job(*random_job(rng))
        await streams.settle()


@bus_test
async def statuses(dut: Any) -> None:
    """What the core refuses is answered by its status and no point."""
    streams = await ready(dut)
    x, y = CURVE.generator
    for op in range(1, 16):
        await streams.source.send(header(op, op) + numbers(3, x, y))
        streams.owed[answer(op, Status.UNSUPPORTED, 0, CYCLES)] += 1
    await streams.source.send(header(20) + numbers(3, x, y ^ 1))
    streams.owed[answer(20, Status.POINT_NOT_ON_CURVE, 0, CYCLES)] += 1
    await streams.source.send(header(21) + numbers(3, (1 << PRESET.coordinate_bits) - 1, y))
    streams.owed[answer(21, Status.COORDINATE_OUT_OF_RANGE, 0, CYCLES)] += 1
    await streams.settle()


@bus_test
async def malformed_packets(dut: Any) -> None:
    """Every kind among right ones, with stalls and without: each is answered once, none hangs."""
    streams = await ready(dut)
    rng = random.Random(2)
    for seed in (0, 3):
        if seed:
            streams.stall(seed)
        for _ in range(80):
            if rng.random() < 0.5:
                await streams.bad(rng)
            else:
                await streams.job(*random_job(rng))
        await streams.settle()


@bus_test
async def every_bit_that_is_to_be_zero(dut: Any) -> None:
    """One bit at a time, in the header and above each number."""
    streams = await ready(dut)
    x, y = CURVE.generator
    good = header(7) + numbers(3, x, y)
    free = {*range(8), *range(8, 12), 16}  # tag, operation, infinity
    for beat, bits in enumerate((*[SCALAR] * SCALARS, *[PRESET.coordinate_bits] * 2), 1):
        assert bits < 64, "for numbers of a beat each"
        free |= {64 * beat + 56 - 8 * (i // 8) + i % 8 for i in range(bits)}
    for bit in range(8 * len(good)):
        if bit in free:
            continue
        packet = bytearray(good)
        packet[bit // 8] ^= 1 << bit % 8
        await streams.source.send(bytes(packet))
        streams.owed[malformed(7 if bit >= 64 else 0)] += 1
    await streams.settle()


@bus_test
async def numbers_in_the_place_of_a_header_are_not_shown(dut: Any) -> None:
    """A packet that ended too early leaves the scalar as the next one's first beat."""
    streams = await ready(dut)
    rng = random.Random(7)
    for _ in range(20):
        scalar = bytes((rng.randrange(1, 256), *(rng.randrange(256) | 0x80 for _ in range(7))))
        await streams.source.send(header(9))
        await streams.source.send(scalar + bytes(8 * rng.randrange(IN)))
        streams.owed[malformed(9)] += 1
        streams.owed[malformed(0)] += 1
    await streams.settle()


@bus_test
async def malformed_packets_do_not_keep_answers_back(dut: Any) -> None:
    """A flood of them: the answers of the cores come out among theirs."""
    streams = await ready(dut)
    rng = random.Random(3)
    count = 2 * N
    for _ in range(count):
        await streams.job(*random_job(rng))
    wanted = set(streams.owed)
    for _ in range(20 * CYCLES):
        await streams.source.send(AxiStreamFrame(header(1)))
    streams.owed[malformed(1)] += 20 * CYCLES
    left = count
    while left:
        frame = await streams.sink.recv()
        data = bytes(frame.tdata)
        assert streams.owed[data] > 0
        streams.owed[data] -= 1
        left -= data in wanted
    assert not streams.source.idle(), "they came before the flood was over"
    await streams.settle()


@bus_test
async def back_pressure(dut: Any) -> None:
    """While no answer is taken jobs wait outside; then every one is answered."""
    streams = await ready(dut)
    rng = random.Random(4)
    streams.sink.pause = True
    for _ in range(6 * N):
        await streams.job(*random_job(rng))
    await ClockCycles(dut.clk_i, 4 * N * SETTLE)
    assert not streams.source.idle()
    assert int(dut.s_axis_tready_o.value) == 0
    streams.sink.pause = False
    await streams.settle()


@bus_test
async def zeroize_in_any_cycle(dut: Any) -> None:
    """Jobs are dropped without an answer; an answer that was going out ends void."""
    streams = await ready(dut)
    rng = random.Random(5)
    voids = 0
    for t in (*range(0, 3 * IN), *range(CYCLES + IN, CYCLES + IN + 8 + 6 * OUT)):
        streams.stall(t if t % 2 else None)
        for _ in range(3):
            await streams.job(*random_job(rng))
        await ClockCycles(dut.clk_i, t)
        dut.zeroize_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.zeroize_i.value = 0
        while not streams.source.idle():  # whole jobs behind it are done, the one in part is not
            await ClockCycles(dut.clk_i, 10)
        await ClockCycles(dut.clk_i, 3 * SETTLE)
        frames = []
        while not streams.sink.empty():
            frames.append(streams.sink.recv_nowait(compact=False))
        for frame in frames:
            data = bytes(frame.tdata)
            user = frame.tuser if isinstance(frame.tuser, list) else [frame.tuser]
            if any(user):
                voids += 1
                assert data[-8:] == bytes(8)
            else:
                assert streams.owed[data] > 0
                streams.owed[data] -= 1
        streams.owed.clear()
        await streams.job(*random_job(rng))
        await streams.settle()
    assert voids > 0


@bus_test
async def reset_in_any_cycle(dut: Any) -> None:
    """Nothing of before comes out; then right ones."""
    streams = await ready(dut)
    rng = random.Random(6)
    for t in (*range(0, 2 * IN), *range(CYCLES + IN, CYCLES + IN + 8 + 3 * OUT, 2)):
        for _ in range(2):
            await streams.job(*random_job(rng))
        await ClockCycles(dut.clk_i, t)
        await Timer(1, "ns")
        dut.rst_ni.value = 0
        streams.source.clear()
        await Timer(2, "ns")
        assert int(dut.m_axis_tvalid_o.value) == 0
        dut.rst_ni.value = 1
        await ClockCycles(dut.clk_i, 2)
        streams.owed.clear()
        streams.sink.clear()
        await streams.job(*random_job(rng))
        await streams.settle()
