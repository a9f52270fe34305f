# SPDX-License-Identifier: Apache-2.0
"""Behaviour of scheme_random: draws, the pool, what drops it; run by test_random.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.triggers import Timer

from tests.rtl.symmetric.model import HmacDrbg
from tests.rtl.symmetric.streams import registers

OCTETS = int(os.environ["OCTETS"])
INSTANTIATE, RESEED, GENERATE = range(3)
OK, UNSUPPORTED, NO_ENTROPY = 0, 9, 10
SEED, OTHER = bytes(range(48)), bytes(range(100, 148))
INPUTS = (
    "clear_i", "zeroize_i", "secret_i", "command_i", "test_i", "out_ready_i", "noise_valid_i",
    "test_valid_i", "noise_data_i", "test_data_i", "op_i", "octets_i",
)  # fmt: skip


class Bench:
    """The top's clock, and what came out of it."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.samples = b""
        self.out = b""
        self.ended: list[int] = []  # statuses
        self.t = 0

    async def reset(self) -> None:
        for name in INPUTS:
            getattr(self.dut, name).value = 0
        self.dut.clk_i.value = 0
        self.dut.rst_ni.value = 0
        await Timer(1, "step")
        self.dut.rst_ni.value = 1
        await self.cycle()

    async def cycle(self, **inputs: int) -> None:
        """Run a cycle with these inputs."""
        dut = self.dut
        for name, value in inputs.items():
            getattr(dut, f"{name}_i").value = value
        dut.test_valid_i.value = bool(self.samples)
        dut.test_data_i.value = self.samples[0] if self.samples else 0
        dut.clk_i.value = 0
        await Timer(1, "step")
        taken = self.samples and int(dut.test_ready_o.value)
        if int(dut.done_o.value):
            self.ended.append(int(dut.status_o.value))
        if int(dut.out_valid_o.value) and int(dut.out_ready_i.value):
            count = int(dut.out_bytes_o.value)
            word = int(dut.out_data_o.value)
            assert word & (1 << 64 - 8 * count) - 1 == 0
            self.out += word.to_bytes(8, "big")[:count]
        dut.clk_i.value = 1
        await Timer(1, "step")
        if taken:
            self.samples = self.samples[1:]
        for name in inputs:
            getattr(dut, f"{name}_i").value = 0
        self.t += 1

    async def command(self, op: int, octets: int = 0, test: int = 0) -> tuple[int, bytes, int]:
        """Run an operation; return its status, what it handed out, and the cycles to its end."""
        count, self.out, first = len(self.ended), b"", self.t
        await self.cycle(command=1, op=op, octets=octets, test=test)
        while len(self.ended) == count:
            await self.cycle()
            assert self.t < first + 80_000
        cycles = self.t - first
        while not int(self.dut.ready_o.value):
            await self.cycle(out_ready=1)
            assert self.t < first + 80_000
        return self.ended[-1], self.out, cycles

    async def seed(self, samples: bytes) -> None:
        self.samples = samples
        assert (await self.command(INSTANTIATE, test=1))[0] == OK

    async def end(self) -> None:
        """Let a program have ended, and wait until the next may come."""
        await self.cycle(clear=1)
        for _ in range(2_000):
            await self.cycle()
            if int(self.dut.settled_o.value):
                return
        raise AssertionError("never settled")

    def pool(self) -> int:
        return int(self.dut.u_random.pool_q.value)

    def full(self) -> int:
        return int(self.dut.u_random.full_q.value)


async def started(dut: Any) -> Bench:
    bench = Bench(dut)
    await bench.reset()
    return bench


@cocotb.test()
async def draws_are_generate_calls_in_order(dut: Any) -> None:
    """Ahead or not, of every length; none is handed out twice; a pool costs one cycle."""
    bench, rng = await started(dut), random.Random(1)
    await bench.seed(SEED)
    model = HmacDrbg("sha256", SEED)
    for _ in range(60):
        ahead = rng.random() < 0.6
        if ahead:
            await bench.end()
            assert bench.full()
        octets = rng.randrange(1, OCTETS + 1)
        status, out, cycles = await bench.command(GENERATE, octets)
        assert (status, out) == (OK, model.generate(OCTETS)[:octets])
        assert (cycles == 1) == ahead
        assert not bench.full()
        assert bench.pool() == 0
    assert (await bench.command(GENERATE, OCTETS + 1))[:2] == (UNSUPPORTED, b"")
    assert (await bench.command(GENERATE, 1 << 15))[:2] == (UNSUPPORTED, b"")
    assert (await bench.command(GENERATE, OCTETS))[:2] == (OK, model.generate(OCTETS))


@cocotb.test()
async def without_a_seed_there_is_no_pool(dut: Any) -> None:
    bench = await started(dut)
    await bench.end()
    assert not bench.full()
    assert (await bench.command(GENERATE, 1))[:2] == (NO_ENTROPY, b"")
    assert bench.pool() == 0


@cocotb.test()
async def a_seed_drops_the_pool(dut: Any) -> None:
    """What comes behind an Instantiate or a Reseed is of its state alone."""
    bench = await started(dut)
    await bench.seed(SEED)
    await bench.end()
    assert bench.full()
    await bench.seed(OTHER)
    assert (bench.full(), bench.pool()) == (0, 0)
    model = HmacDrbg("sha256", OTHER)
    assert (await bench.command(GENERATE, OCTETS))[1] == model.generate(OCTETS)
    await bench.end()
    model.generate(OCTETS)  # which was in the pool
    bench.samples = bytes(32)
    assert (await bench.command(RESEED))[0] == OK
    model.update(bytes(32))
    assert (await bench.command(GENERATE, OCTETS))[1] == model.generate(OCTETS)
    # A test mode that is refused drops it, too.
    await bench.end()
    model.generate(OCTETS)
    await bench.cycle(secret=1)
    assert (await bench.command(INSTANTIATE, test=1))[0] == UNSUPPORTED
    assert (await bench.command(GENERATE, OCTETS))[1] == model.generate(OCTETS)


@cocotb.test()
async def what_nobody_took_is_dropped(dut: Any) -> None:
    """A program that ends in the middle of a draw: the rest is nobody's."""
    bench = await started(dut)
    await bench.seed(SEED)
    model = HmacDrbg("sha256", SEED)
    for words in (0, 1):
        await bench.end()
        await bench.cycle(command=1, op=GENERATE, octets=OCTETS)
        for _ in range(words):
            await bench.cycle(out_ready=1)
        model.generate(OCTETS)
        await bench.end()
        assert (await bench.command(GENERATE, OCTETS))[1] == model.generate(OCTETS)


@cocotb.test()
async def a_failure_of_the_source_drops_the_pool(dut: Any) -> None:
    """Of noise; in test mode the source does not matter."""
    bench, rng = await started(dut), random.Random(2)
    await bench.cycle(command=1, op=INSTANTIATE)
    while not bench.ended:
        await bench.cycle(noise_valid=1, noise_data=rng.randrange(256))
    assert bench.ended == [OK]
    await bench.end()
    assert bench.full()
    for _ in range(8):
        await bench.cycle(noise_valid=1, noise_data=7)
    assert int(dut.no_entropy_o.value)
    assert (bench.full(), bench.pool()) == (0, 0)
    assert (await bench.command(GENERATE, 1))[:2] == (NO_ENTROPY, b"")
    await bench.end()
    assert not bench.full()
    await bench.seed(SEED)
    await bench.end()
    assert (await bench.command(GENERATE, OCTETS))[1] == HmacDrbg("sha256", SEED).generate(OCTETS)


@cocotb.test()
async def a_zeroize_in_any_cycle_leaves_nothing(dut: Any) -> None:
    """Of the pool while it fills, is full, goes out; and the unit works on."""
    bench, rng = await started(dut), random.Random(3)
    stops = [*range(6), *(rng.randrange(6, 900) for _ in range(30))]
    for stop in stops:
        await bench.seed(SEED)
        await bench.cycle(clear=1)
        asked = False
        for i in range(stop):
            late = i > 700 and not asked and bool(dut.ready_o.value)
            asked |= late
            await bench.cycle(
                command=int(late), op=GENERATE, octets=OCTETS, out_ready=rng.randrange(2)
            )
        await bench.cycle(zeroize=1)
        # What the health tests count of the noise is no secret.
        left = {n: v for n, v in registers(dut) if v and "u_health" not in n}
        assert not left, (stop, left)
        assert (await bench.command(GENERATE, 1))[:2] == (NO_ENTROPY, b"")
