# SPDX-License-Identifier: Apache-2.0
"""Behaviour of sym_hmac, sym_kdf and sym_hmac_drbg over one hash; run by test_mac.py."""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Any

import cocotb

from ecsm.curves import curve
from tests.rtl.symmetric.model import HmacDrbg, kdf
from tests.rtl.symmetric.streams import Bench, registers
from tests.rtl.symmetric.system import (
    SYSTEMS,
    block_cycles,
    blocks,
    digest_words,
    drbg_cycles,
    hmac_cycles,
    lag,
)
from tests.rtl.symmetric.tops import ALGS
from tests.rtl.symmetric.vectors import drbg_cases, hmac_records, rfc6979_p256, x963

SYSTEM = SYSTEMS[os.environ["SYSTEM"]]
BLOCK = 2 * SYSTEM.word
INSTANTIATE, RESEED, GENERATE = range(3)
OK, NO_ENTROPY = 0, 10
# Registers that are no secret's and keep what they were.
STEADY = {
    "f_q",
    "alg_q",
    "count_q",
    "k_q",
    "pass_q",
    "keep_q",
    "info_q",
    "counter_q",
    "step_q",
    "op_q",
    "seeded_q",
}


async def started(dut: Any, seed: int = 1) -> Bench:
    bench = Bench(dut, SYSTEM.top(), seed)
    await bench.begin()
    await bench.cycle()
    return bench


async def tag(
    bench: Bench, alg: str, message: bytes, key: bytes | None, ragged: bool = False
) -> bytes:
    """Return a tag, with a new key or the one of before."""
    bench.ask("hmac", (ALGS.index(alg), 3), (key is not None, 1), (0, 1))
    if key is not None:
        bench.send("key", key)
    bench.send("mac", message, bench.ragged(message, SYSTEM.width) if ragged else None)
    return await bench.string("tag")


async def derived(
    bench: Bench, alg: str, z: bytes, octets: int, one: bool, info: bytes | None = None
) -> bytes:
    """Return a key of sym_kdf; the streams are sent as often as it asks for them."""
    fields = ((ALGS.index(alg), 3), (one, 1), (info is not None, 1), (octets, 16))
    bench.ask("kdf", *fields)
    for _ in range(-(-octets // hashlib.new(alg).digest_size)):
        bench.send("z", z, bench.ragged(z, SYSTEM.width) if bench.stall else None)
        if info is not None:
            bench.send("info", info)
    key = await bench.string("derived")
    # All was asked for.
    await bench.until(lambda: bench.idle("z") and bench.idle("info"), 1)
    return key


class Rbg:
    """sym_hmac_drbg of a bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    async def run(
        self, op: int, alg: str = "sha1", seed: bytes | None = None, octets: int = 0
    ) -> tuple[int, bytes]:
        """Run an operation; return its status and what came out."""
        bench = self.bench
        ended, got = bench.ended["rbg_status"], bench.sinks["octets"].strings
        count, had = len(ended), len(got)
        bench.ask(
            "rbg", (op, 2), (ALGS.index(alg), 3), (op == GENERATE and seed is not None, 1),
            (octets, 16),
        )  # fmt: skip
        if seed is not None:
            for _ in range(4 if op == GENERATE else 2):
                bench.send("seed", seed, bench.ragged(seed, SYSTEM.width) if bench.stall else None)
        await bench.until(lambda: len(ended) > count, 40_000)
        assert len(ended) == count + 1
        assert len(got) == had + (op == GENERATE and ended[-1][1] == OK)
        return ended[-1][1], b"".join(got[had:])

    async def generate(self, octets: int, extra: bytes | None = None) -> bytes:
        """Return octets."""
        status, out = await self.run(GENERATE, seed=extra, octets=octets)
        assert status == OK
        return out


@cocotb.test()
async def hmac_with_every_length_of_key_takes_its_cycles(dut: Any) -> None:
    """0 to 2 blocks and an octet, and messages of some lengths, one key for two messages."""
    bench = await started(dut)
    for alg in SYSTEM.algs:
        for n in range(0, 2 * BLOCK + 2, 1 if alg == SYSTEM.algs[-1] else 7):
            key, message = bench.rng.randbytes(n), bench.rng.randbytes(3 * n % (2 * BLOCK))
            for new in (key, None):
                assert await tag(bench, alg, message, new) == hmac.digest(key, message, alg)
                cycles = hmac_cycles(SYSTEM, alg, len(message), None if new is None else n)
                assert bench.sinks["tag"].times[-1] - bench.moved["hmac"][-1] == cycles, (alg, n)


@cocotb.test()
async def hmac_of_the_standards(dut: Any) -> None:
    bench = await started(dut, 2)
    for alg in SYSTEM.algs:
        found = hmac_records(alg)
        assert found
        for key, message, want in found:
            got = await tag(bench, alg, message, key)
            assert got[: len(want)] == want


@cocotb.test()
async def hmac_takes_words_of_any_octets_and_waits(dut: Any) -> None:
    bench = await started(dut, 3)
    for _ in range(30):
        bench.stall = bench.rng.choice((0.1, 0.6))
        alg = bench.rng.choice(SYSTEM.algs)
        key = bench.rng.randbytes(bench.rng.randrange(2 * BLOCK))
        message = bench.rng.randbytes(bench.rng.randrange(2 * BLOCK))
        assert await tag(bench, alg, message, key, ragged=True) == hmac.digest(key, message, alg)


@cocotb.test()
async def hmac_keeps_a_tag_as_key(dut: Any) -> None:
    bench = await started(dut, 4)
    for alg in SYSTEM.algs:
        key = hmac.digest(b"first", b"message", alg)
        bench.ask("hmac", (ALGS.index(alg), 3), (1, 1), (1, 1))
        bench.send("key", b"first")
        bench.send("mac", b"message")
        assert await tag(bench, alg, b"second", None) == hmac.digest(key, b"second", alg)
        before, after = bench.moved["hmac"][-2:]
        cycles = hmac_cycles(SYSTEM, alg, 7, 5) + 16 // SYSTEM.per_cycle
        assert after - before == cycles
        assert not bench.sinks["tag"].words


@cocotb.test()
async def kdf_of_every_length(dut: Any) -> None:
    """Both counters, with and without shared info; the cycles of the header."""
    bench = await started(dut, 5)
    for alg in SYSTEM.algs:
        size = hashlib.new(alg).digest_size
        for octets in (
            *range(0, size + 3, 1 if alg == SYSTEM.algs[-1] else 5),
            2 * size,
            3 * size + 7,
        ):
            z = bench.rng.randbytes(octets % 67)
            for one, info in (
                (False, None),
                (True, None),
                (True, bench.rng.randbytes(octets % 41)),
            ):
                want = kdf(alg, z, octets, one, info or b"")
                first = len(bench.sinks["derived"].times)
                assert await derived(bench, alg, z, octets, one, info) == want, (alg, octets)
                t = bench.sinks["derived"].times[first] - bench.moved["kdf"][-1]
                if octets:
                    n = blocks(SYSTEM, len(z) + 4 + len(info or b""))
                    soonest = 5 + n * block_cycles(SYSTEM, alg)
                    assert soonest <= t <= soonest + lag(SYSTEM, len(z), 4, len(info or b""))
                else:
                    assert t == 2


@cocotb.test()
async def kdf_digests_follow_in_the_cycles_that_are_written(dut: Any) -> None:
    bench = await started(dut, 6)
    for alg in SYSTEM.algs:
        size = hashlib.new(alg).digest_size
        z = bytes(SYSTEM.width // 8 * 4)
        await derived(bench, alg, z, 5 * size, True)
        one = 4 + digest_words(SYSTEM, alg)
        one += blocks(SYSTEM, len(z) + 4) * block_cycles(SYSTEM, alg)
        assert bench.t - bench.moved["kdf"][-1] == 5 * one + 1


@cocotb.test()
async def kdf_of_cavp(dut: Any) -> None:
    bench = await started(dut, 7)
    for alg in SYSTEM.algs:
        for z, info, key in x963(alg)[:: int(os.environ["SHARE"])]:
            assert await derived(bench, alg, z, len(key), True, info or None) == key


@cocotb.test()
async def kdf_may_wait(dut: Any) -> None:
    bench = await started(dut, 8)
    for _ in range(12):
        bench.stall = bench.rng.choice((0.1, 0.6))
        alg, octets = bench.rng.choice(SYSTEM.algs), bench.rng.randrange(150)
        z, info = (bench.rng.randbytes(bench.rng.randrange(80)) for _ in range(2))
        assert await derived(bench, alg, z, octets, True, info) == kdf(alg, z, octets, 1, info)


@cocotb.test()
async def drbg_is_the_model(dut: Any) -> None:
    """Operations in a row, of any lengths, with waits."""
    bench = await started(dut, 9)
    rbg, rng = Rbg(bench), bench.rng
    for alg in (*SYSTEM.algs, *SYSTEM.algs[::-1]):
        bench.stall = rng.choice((0, 0.3))
        seed = rng.randbytes(rng.randrange(1, 120))
        assert await rbg.run(INSTANTIATE, alg, seed) == (OK, b"")
        model = HmacDrbg(alg, seed)
        for octets in (0, 1, 70, 2 * len(model.v)):
            assert await rbg.generate(octets) == model.generate(octets)
        assert (await rbg.run(RESEED, seed=seed[::-1]))[0] == OK
        model.update(seed[::-1])
        extra = rng.randbytes(rng.randrange(1, 50))
        for octets in (0, 33, len(model.v)):
            assert await rbg.generate(octets, extra) == model.generate(octets, extra)


@cocotb.test()
async def drbg_takes_the_cycles_that_are_written(dut: Any) -> None:
    bench = await started(dut, 10)
    rbg, done = Rbg(bench), bench.ended["rbg_status"]
    for alg in SYSTEM.algs:
        seed, n = bytes(48), SYSTEM.width // 8
        await rbg.run(INSTANTIATE, alg, seed)
        cycles = drbg_cycles(SYSTEM, alg, "instantiate", seed=48)
        assert done[-1][0] - bench.moved["rbg"][-1] == cycles
        await rbg.run(RESEED, seed=seed[:32])
        cycles = drbg_cycles(SYSTEM, alg, "reseed", seed=32)
        assert done[-1][0] - bench.moved["rbg"][-1] == cycles
        for octets in (0, n, 64, 65, 128):
            await rbg.run(RESEED, seed=seed[:32])
            await rbg.generate(octets)
            cycles = drbg_cycles(SYSTEM, alg, "generate", octets=octets)
            assert done[-1][0] - bench.moved["rbg"][-1] == cycles, (alg, octets)


@cocotb.test()
async def drbg_refuses_without_a_state_and_when_it_is_due(dut: Any) -> None:
    bench = await started(dut, 11)
    rbg, alg = Rbg(bench), SYSTEM.algs[-1]
    for op in (GENERATE, RESEED):
        assert await rbg.run(op, octets=8) == (NO_ENTROPY, b"")
    seed = b"seed"
    await rbg.run(INSTANTIATE, alg, seed)
    model = HmacDrbg(alg, seed)
    for _ in range(2):
        for _ in range(5):
            assert not bench.status["rbg_status"] >> 4 & 1
            assert await rbg.generate(16) == model.generate(16)
            await bench.cycle()
        assert bench.status["rbg_status"] >> 4 & 1, "a reseed is due"
        assert await rbg.run(GENERATE, octets=16) == (NO_ENTROPY, b"")
        assert (await rbg.run(RESEED, seed=b"again"))[0] == OK
        model.update(b"again")
        await bench.cycle()
    await bench.cycle(clear=True)
    assert await rbg.run(GENERATE, octets=8) == (NO_ENTROPY, b"")


@cocotb.test()
async def drbg_gives_the_nonces_of_rfc6979(dut: Any) -> None:
    bench = await started(dut, 12)
    rbg, n = Rbg(bench), curve("P-256").n
    for alg, message, x, k in rfc6979_p256(n):
        if alg in SYSTEM.algs:
            h = int.from_bytes(hashlib.new(alg, message).digest()[:32], "big") % n
            await rbg.run(INSTANTIATE, alg, x.to_bytes(32, "big") + h.to_bytes(32, "big"))
            assert int.from_bytes(await rbg.generate(32), "big") in (k, n - k)


@cocotb.test(skip=drbg_cases() is None)
async def drbg_of_cavp(dut: Any) -> None:
    bench = await started(dut, 13)
    rbg = Rbg(bench)
    cases = [case for case in drbg_cases() or () if case.alg in SYSTEM.algs]
    for case in cases[:: 12 * int(os.environ["SHARE"])]:
        await rbg.run(INSTANTIATE, case.alg, case.entropy + case.nonce + case.extra)
        for extra, fresh in case.generates:
            if fresh:
                await rbg.run(RESEED, seed=fresh + extra)
            got = await rbg.generate(len(case.want), extra if extra and not fresh else None)
        assert got == case.want, case


@cocotb.test()
async def all_units_share_the_hash(dut: Any) -> None:
    """Each has work to do at the same time."""
    bench = await started(dut, 14)
    bench.stall = 0.1
    alg = SYSTEM.algs[-1]
    number, seed = ALGS.index(alg), b"a seed"
    model = HmacDrbg(alg, seed)
    bench.ask("rbg", (INSTANTIATE, 2), (number, 3), (0, 1), (0, 16))
    for _ in range(2):
        bench.send("seed", seed)
    for _ in range(3):
        bench.ask("rbg", (GENERATE, 2), (number, 3), (0, 1), (50, 16))
        bench.ask("hash", (number, 3))
        bench.send("msg", b"message" * 30)
        bench.ask("hmac", (number, 3), (1, 1), (0, 1))
        bench.send("key", b"key")
        bench.send("mac", b"mac")
        bench.ask("kdf", (number, 3), (0, 1), (0, 1), (2 * model.v.__len__(), 16))
        for _ in range(2):
            bench.send("z", b"mgf")
    sinks = bench.sinks
    names = ("octets", "digest", "tag", "derived")
    await bench.until(lambda: all(len(sinks[name].strings) == 3 for name in names))
    assert sinks["octets"].strings == [model.generate(50) for _ in range(3)]
    assert sinks["digest"].strings == 3 * [hashlib.new(alg, b"message" * 30).digest()]
    assert sinks["tag"].strings == 3 * [hmac.digest(b"key", b"mac", alg)]
    assert sinks["derived"].strings == 3 * [kdf(alg, b"mgf", 2 * len(model.v), 0)]


@cocotb.test()
async def clear_in_any_cycle_leaves_nothing(dut: Any) -> None:
    """In cycles of an Instantiate, of an HMAC and of a KDF under way; with reset now and then."""
    bench = await started(dut, 15)
    alg = SYSTEM.algs[-1]
    number = ALGS.index(alg)
    at_rest = dict(registers(dut))
    assert not any(v for name, v in at_rest.items() if "u_health" not in name)
    span = 3 * block_cycles(SYSTEM, alg)
    for distance in range(1, 3 * span, 2):
        bench.ask("hmac", (number, 3), (1, 1), (0, 1))
        bench.send("key", b"\xa5" * (3 * BLOCK // 2))
        bench.send("mac", b"\xa5" * 9)
        bench.ask("rbg", (INSTANTIATE, 2), (number, 3), (0, 1), (0, 16))
        bench.ask("rbg", (GENERATE, 2), (number, 3), (0, 1), (99, 16))
        bench.ask("kdf", (number, 3), (1, 1), (0, 1), (50, 16))
        for _ in range(2):
            bench.send("seed", b"\xa5" * 9)
            bench.send("z", b"\xa5" * 3)
        for _ in range(distance):
            await bench.cycle()
        await bench.wipe(reset=distance % 3 == 0)
        if distance % 8 == 1:
            assert dict(registers(dut)) == at_rest, distance
    assert await tag(bench, alg, b"message", None) == hmac.digest(b"", b"message", alg)
    assert await derived(bench, alg, b"z", 9, True) == kdf(alg, b"z", 9, 1)


@cocotb.test()
async def only_keys_stay_after_an_operation(dut: Any) -> None:
    bench = await started(dut, 16)
    at_rest = dict(registers(dut))
    alg = SYSTEM.algs[-1]
    await tag(bench, alg, b"\xff" * 99, b"\xff" * 30)
    await derived(bench, alg, b"\xff" * 50, 50, True, b"\xff" * 30)
    await bench.cycle()
    left = {name for name, value in registers(dut) if value != at_rest[name]}
    kinds = {name.rsplit(".", 1)[-1].split("[")[0]: name for name in left}
    assert set(kinds) - STEADY == {"key_q"}, kinds
    assert ".u_hmac." in kinds["key_q"]
