# SPDX-License-Identifier: Apache-2.0
"""Behaviour of sym_drbg: seeding, health tests, test mode; run by test_drbg.py."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

import cocotb

from tests.rtl.symmetric.model import HmacDrbg
from tests.rtl.symmetric.streams import Bench, registers
from tests.rtl.symmetric.system import (
    PROPORTION,
    REPETITION,
    RESEED_LIMIT,
    RESEED_SAMPLES,
    SEED_SAMPLES,
    STARTUP,
    SYSTEMS,
    TIMEOUT,
    WINDOW,
)
from tests.rtl.symmetric.vectors import drbg_cases

SYSTEM = SYSTEMS[os.environ["SYSTEM"]]
INSTANTIATE, RESEED, GENERATE = range(3)
OK, UNSUPPORTED, NO_ENTROPY = 0, 9, 10
DUE, INSTANTIATED, TEST_MODE, FAILED = 4, 5, 7, 8


class Drbg:
    """sym_drbg of a bench, and the noise that it was given."""

    def __init__(self, dut: Any, seed: int) -> None:
        self.dut = dut
        self.bench = Bench(dut, SYSTEM.top(), seed)
        self.noise: list[int] = []

    async def begin(self) -> Drbg:
        await self.bench.begin()
        await self.bench.cycle()
        return self

    def feed(self, samples: Iterator[int]) -> None:
        """Let noise come for ever."""

        def recorded() -> Iterator[int]:
            for sample in samples:
                self.noise.append(sample)
                yield sample

        self.bench.endless["noise"] = recorded()

    async def stop(self) -> None:
        """Let no more noise come than what stands there."""
        self.bench.endless.clear()
        await self.bench.until(lambda: self.bench.idle("noise"))

    def flag(self, bit: int) -> int:
        return self.bench.status["drbg_status"] >> bit & 1

    async def run(
        self, op: int, *, test: bytes | None = None, extra: bytes = b"", octets: int = 0
    ) -> tuple[int, bytes]:
        """Run an operation; ``test``: samples of the test mode, which is asked for."""
        bench = self.bench
        ended, got = bench.ended["drbg_status"], bench.sinks["random"].strings
        count, had = len(ended), len(got)
        mode = op == INSTANTIATE and test is not None
        bench.ask("drbg", (op, 2), (mode, 1), (bool(extra), 1), (octets, 16))
        bench.queues["test"].extend(test or b"")
        for _ in range((4 if op == GENERATE else 2) if extra else 0):
            bench.send("extra", extra)
        await bench.until(lambda: len(ended) > count, 40_000)
        await bench.cycle()
        return ended[-1][1], b"".join(got[had:])

    def seed(self, samples: int) -> bytes:
        """Return the noise that the last operation took: what came after its request."""
        asked = self.bench.moved["drbg"][-1]
        times = self.bench.moved["noise"]
        first = max(STARTUP, sum(t <= asked for t in times))
        return bytes(self.noise[first : first + samples])


def uniform(seed: int) -> Iterator[int]:
    rng = random.Random(seed)
    while True:
        yield rng.randrange(256)


async def started(dut: Any, seed: int = 1) -> Drbg:
    return await Drbg(dut, seed).begin()


@cocotb.test()
async def noise_after_the_start_is_the_seed(dut: Any) -> None:
    """Instantiate, Generate, Reseed, with personalisation and additional input, and waits."""
    drbg = await started(dut)
    drbg.feed(uniform(1))
    for stall, extra in ((0, b""), (0.2, b"personal"), (0, bytes(40))):
        drbg.bench.stall = stall
        assert (await drbg.run(INSTANTIATE, extra=extra))[0] == OK
        assert (drbg.flag(INSTANTIATED), drbg.flag(TEST_MODE), drbg.flag(FAILED)) == (1, 0, 0)
        model = HmacDrbg("sha256", drbg.seed(SEED_SAMPLES) + extra)
        assert await drbg.run(GENERATE, octets=40) == (OK, model.generate(40))
        got = await drbg.run(GENERATE, octets=33, extra=b"more")
        assert got == (OK, model.generate(33, b"more"))
        assert (await drbg.run(RESEED, extra=extra))[0] == OK
        model.update(drbg.seed(RESEED_SAMPLES) + extra)
        assert await drbg.run(GENERATE, octets=1) == (OK, model.generate(1))


@cocotb.test(skip=drbg_cases() is None)
async def test_mode_of_cavp(dut: Any) -> None:
    drbg = await started(dut, 2)
    cases = [case for case in drbg_cases() or () if case.alg == "sha256"]
    assert len(cases) > 100
    for case in cases[::24]:
        samples = case.entropy + case.nonce
        assert (await drbg.run(INSTANTIATE, test=samples, extra=case.extra))[0] == OK
        assert drbg.flag(TEST_MODE)
        for extra, fresh in case.generates:
            if fresh:
                await drbg.run(RESEED, test=fresh, extra=extra)
            more = b"" if fresh else extra
            status, out = await drbg.run(GENERATE, extra=more, octets=len(case.want))
            assert status == OK
        assert out == case.want


@cocotb.test()
async def test_mode_cannot_be_entered_with_a_secret(dut: Any) -> None:
    drbg = await started(dut, 3)
    bench, samples = drbg.bench, bytes(range(48))
    drbg.feed(uniform(3))
    assert (await drbg.run(INSTANTIATE))[0] == OK
    model = HmacDrbg("sha256", drbg.seed(SEED_SAMPLES))
    dut.secret_i.value = 1
    await bench.cycle()
    dut.secret_i.value = 0
    for _ in range(2):
        assert await drbg.run(INSTANTIATE, test=samples) == (UNSUPPORTED, b"")
        bench.forget()
        assert not drbg.flag(TEST_MODE)
        # The state is as before.
        assert await drbg.run(GENERATE, octets=32) == (OK, model.generate(32))
    await bench.cycle(clear=True)
    assert await drbg.run(INSTANTIATE, test=samples) == (UNSUPPORTED, b"")
    # Reset forgets that there was a secret. A test mode that is entered before one stays.
    bench.endless.clear()
    await bench.reset()
    await bench.cycle()
    assert (await drbg.run(INSTANTIATE, test=samples))[0] == OK
    dut.secret_i.value = 1
    await bench.cycle()
    assert drbg.flag(TEST_MODE)
    model = HmacDrbg("sha256", samples)
    assert await drbg.run(GENERATE, octets=32) == (OK, model.generate(32))
    assert await drbg.run(INSTANTIATE, test=samples) == (UNSUPPORTED, b"")
    bench.forget()
    assert await drbg.run(GENERATE, octets=32) == (OK, model.generate(32))
    # Without the test mode there is none to come back to.
    drbg.noise.clear()
    bench.moved["noise"].clear()
    drbg.feed(uniform(4))
    assert (await drbg.run(INSTANTIATE))[0] == OK
    assert not drbg.flag(TEST_MODE)
    assert await drbg.run(INSTANTIATE, test=samples) == (UNSUPPORTED, b"")
    dut.secret_i.value = 0


def fails_at(samples: list[int]) -> int | None:
    """Return how many samples it takes for a health test to fail, None if none does."""
    repeats, matches = 0, 0
    for i, sample in enumerate(samples):
        repeats = repeats + 1 if i and sample == samples[i - 1] else 1
        matches = matches + (sample == samples[i - i % WINDOW]) if i % WINDOW else 1
        if repeats == REPETITION or matches == PROPORTION:
            return i + 1
    return None


def biased(rng: random.Random, values: int, sticky: float) -> Iterator[int]:
    """Yield samples of a few values that often stay."""
    sample = 0
    while True:
        if rng.random() >= sticky:
            sample = rng.randrange(values)
        yield sample


@cocotb.test()
async def health_tests_fail_where_the_standard_says(dut: Any) -> None:
    """Poor sources of many kinds: a stuck one, a biased one, a fair one."""
    drbg = await started(dut, 4)
    bench, rng = drbg.bench, random.Random(4)
    failures = set()
    for k in range(60):
        source = biased(rng, rng.choice((3, 4, 6, 16, 256)), rng.choice((0, 0.2, 0.5, 1)))
        if k == 0:  # one repetition short of failing, again and again
            source = (i // (REPETITION - 1) % 251 for i in range(10_000))
        samples = [next(source) for _ in range(3 * WINDOW)]
        want = fails_at(samples)
        drbg.noise.clear()
        bench.moved["noise"].clear()
        drbg.feed(iter(samples + [1] * 20))
        await bench.until(lambda: drbg.flag(FAILED) or len(bench.moved["noise"]) >= 3 * WINDOW)
        bench.endless.clear()
        assert len(bench.moved["noise"]) == (want or 3 * WINDOW)
        assert drbg.flag(FAILED) == (want is not None)
        failures.add(want)
        await bench.reset()
        await bench.cycle()
    assert len(failures) > 10
    assert None in failures


@cocotb.test()
async def without_entropy_there_is_nothing_until_reset(dut: Any) -> None:
    drbg = await started(dut, 5)
    bench = drbg.bench
    good = uniform(5)
    drbg.feed(good)
    assert (await drbg.run(INSTANTIATE))[0] == OK
    drbg.feed(iter([7] * 50))
    assert (await drbg.run(RESEED))[0] == NO_ENTROPY
    bench.endless.clear()
    bench.forget()
    for clear in (False, True):
        await bench.cycle(clear=clear)
        for op in (INSTANTIATE, RESEED, GENERATE):
            assert await drbg.run(op, octets=8) == (NO_ENTROPY, b"")
        assert (drbg.flag(FAILED), drbg.flag(INSTANTIATED)) == (1, 0)
        state = {n: v for n, v in registers(dut.u_drbg) if "key_q" in n or "words_q" in n}
        assert state
        assert not any(state.values())
    # In test mode it does not matter.
    assert (await drbg.run(INSTANTIATE, test=bytes(48)))[0] == OK
    want = HmacDrbg("sha256", bytes(48)).generate(8)
    assert await drbg.run(GENERATE, octets=8) == (OK, want)
    assert await drbg.run(INSTANTIATE) == (NO_ENTROPY, b"")
    assert not drbg.flag(INSTANTIATED)
    await bench.reset()
    await bench.cycle()
    drbg.feed(good)
    assert (await drbg.run(INSTANTIATE))[0] == OK


@cocotb.test()
async def a_source_that_is_late_has_failed(dut: Any) -> None:
    drbg = await started(dut, 6)
    bench = drbg.bench
    for _ in range(2 * TIMEOUT):
        await bench.cycle()
    assert not drbg.flag(FAILED), "nobody waits for it"
    drbg.feed(uniform(6))
    assert (await drbg.run(INSTANTIATE))[0] == OK
    await drbg.stop()
    assert (await drbg.run(RESEED))[0] == NO_ENTROPY
    assert bench.ended["drbg_status"][-1][0] - bench.moved["drbg"][-1] == TIMEOUT + 2
    assert drbg.flag(FAILED)
    drbg.feed(uniform(6))
    assert await drbg.run(GENERATE, octets=8) == (NO_ENTROPY, b"")
    bench.endless.clear()


@cocotb.test()
async def after_so_many_generates_a_reseed_is_due(dut: Any) -> None:
    drbg = await started(dut, 7)
    drbg.feed(uniform(7))
    assert await drbg.run(GENERATE, octets=8) == (NO_ENTROPY, b"")
    assert (await drbg.run(INSTANTIATE))[0] == OK
    for _ in range(2):
        for _ in range(RESEED_LIMIT):
            assert not drbg.flag(DUE)
            assert (await drbg.run(GENERATE, octets=8))[0] == OK
        assert drbg.flag(DUE)
        assert not drbg.flag(FAILED)
        assert await drbg.run(GENERATE, octets=8) == (NO_ENTROPY, b"")
        assert (await drbg.run(RESEED))[0] == OK


@cocotb.test()
async def clear_in_any_cycle_leaves_nothing(dut: Any) -> None:
    """Of gathering and of the first hashes; the health tests begin anew."""
    drbg = await started(dut, 8)
    bench = drbg.bench
    at_rest = dict(registers(dut.u_drbg))
    held = {n for n, v in at_rest.items() if v}
    assert {n.rsplit(".", 1)[-1] for n in held} == {"start_q"}
    for distance in range(1, STARTUP + SEED_SAMPLES + 60, 3):
        drbg.feed(uniform(distance))
        bench.ask("drbg", (INSTANTIATE, 2), (0, 1), (0, 1), (0, 16))
        for _ in range(distance):
            await bench.cycle()
        bench.endless.clear()
        await bench.wipe(reset=distance % 4 == 0)
        left = {n for n, v in registers(dut.u_drbg) if v != at_rest[n]}
        assert not left, distance
    assert await drbg.run(GENERATE, octets=8) == (NO_ENTROPY, b"")
