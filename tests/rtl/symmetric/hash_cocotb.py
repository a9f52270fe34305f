# SPDX-License-Identifier: Apache-2.0
"""Behaviour of sym_hash, through the multiplexer; run by test_hash.py."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import cocotb

from tests.rtl.symmetric.streams import Bench, registers
from tests.rtl.symmetric.system import SYSTEMS, block_cycles, blocks, digest_words
from tests.rtl.symmetric.tops import ALGS
from tests.rtl.symmetric.vectors import monte_carlo, sha_files

SYSTEM = SYSTEMS[os.environ["SYSTEM"]]
BLOCK = 2 * SYSTEM.word
PATTERN = bytes(range(256)) * 30


async def started(dut: Any, seed: int = 1) -> Bench:
    bench = Bench(dut, SYSTEM.top(), seed)
    await bench.begin()
    return bench


def ask(bench: Bench, alg: str) -> None:
    bench.ask("hash", (ALGS.index(alg), 3))


async def digest(bench: Bench, alg: str, message: bytes, ragged: bool = False) -> bytes:
    ask(bench, alg)
    cuts = bench.ragged(message, SYSTEM.width) if ragged else None
    bench.send("msg", message, cuts)
    return await bench.string("digest")


def expected(alg: str, message: bytes) -> bytes:
    return hashlib.new(alg, message).digest()


@cocotb.test()
async def every_length_takes_the_cycles_that_are_written(dut: Any) -> None:
    """0 to 3 blocks and an octet, one message behind the other; the header's formula."""
    bench = await started(dut)
    await bench.cycle()
    end = bench.t
    for alg in SYSTEM.algs:
        for n in range(3 * BLOCK + 2):
            message = PATTERN[n : 2 * n]
            assert await digest(bench, alg, message) == expected(alg, message), (alg, n)
            t = bench.moved["hash"][-1]
            cycles = 3 + blocks(SYSTEM, n) * block_cycles(SYSTEM, alg)
            assert bench.sinks["digest"].times[-1] == t + cycles, (alg, n)
            # The next request moves in the cycle after the digest's last word.
            assert t == end, (alg, n)
            end = t + cycles + digest_words(SYSTEM, alg)
            assert bench.t == end


@cocotb.test()
async def words_of_any_octets_and_waits_change_nothing(dut: Any) -> None:
    bench = await started(dut, 2)
    for alg in SYSTEM.algs:
        for n in (0, 1, BLOCK - 9, BLOCK - 1, BLOCK, *range(2 * BLOCK - 20, 2 * BLOCK + 1)):
            bench.stall = bench.rng.choice((0, 0.2, 0.7))
            message = bench.rng.randbytes(n)
            assert await digest(bench, alg, message, ragged=True) == expected(alg, message)


@cocotb.test()
async def messages_may_wait_in_line(dut: Any) -> None:
    """The next message's words and request are there before the one before is done."""
    bench = await started(dut, 3)
    bench.stall = 0.1
    messages = [bench.rng.randbytes(bench.rng.randrange(3 * BLOCK)) for _ in range(20)]
    algs = [bench.rng.choice(SYSTEM.algs) for _ in messages]
    for alg, message in zip(algs, messages, strict=True):
        ask(bench, alg)
        bench.send("msg", message)
    await bench.until(lambda: len(bench.sinks["digest"].strings) == len(messages))
    assert bench.sinks["digest"].strings == list(map(expected, algs, messages))


@cocotb.test()
async def clear_in_any_cycle_leaves_nothing(dut: Any) -> None:
    """Clear, or reset and the first clock edge, in each cycle of a message of two blocks."""
    bench = await started(dut, 4)
    alg, message = SYSTEM.algs[-1], bytes([0xA5]) * (BLOCK + 3)
    await bench.cycle()
    at_rest = dict(registers(dut))
    assert not any(v for name, v in at_rest.items() if not name.endswith(("start_q", "reset_q")))
    assert any(name.endswith("u_core.w_q[15]") for name in at_rest)
    for distance in range(1, 2 * block_cycles(SYSTEM, alg) + 8):
        ask(bench, alg)
        bench.send("msg", message)
        for _ in range(distance):
            await bench.cycle()
        await bench.wipe(reset=distance % 4 == 0)
        if distance % 8 < 2:
            assert dict(registers(dut)) == at_rest, distance
        assert await digest(bench, alg, message[:distance]) == expected(alg, message[:distance])


@cocotb.test()
async def nothing_is_left_after_a_digest(dut: Any) -> None:
    """All but constants, which are of no message."""
    bench = await started(dut, 5)
    await bench.cycle()
    at_rest = dict(registers(dut))
    for alg in SYSTEM.algs:
        await digest(bench, alg, bytes([0xFF]) * 200)
        await bench.cycle()
        left = {name for name, value in registers(dut) if value != at_rest[name]}
        assert {name.rsplit(".", 1)[-1].split("[")[0] for name in left} <= {"k_q", "alg_q", "f_q"}


@cocotb.test()
async def cavp(dut: Any) -> None:
    """Short and long messages of CAVP, as many as SHARE says, and Monte Carlo checkpoints."""
    bench = await started(dut)
    share = int(os.environ["SHARE"])
    count = 0
    for alg in SYSTEM.algs:
        for i, (message, want) in enumerate(sha_files(alg)):
            if i % share == 0:
                count += 1
                assert await digest(bench, alg, message) == want, (alg, len(message))
    assert count > 100 // share


@cocotb.test(skip=os.environ["SHARE"] != "1")
async def cavp_monte_carlo(dut: Any) -> None:
    """The first checkpoint: a thousand digests, each of the three before it."""
    bench = await started(dut)
    for alg in SYSTEM.algs:
        seed, checkpoints = monte_carlo(alg)
        last = [seed] * 3
        for _ in range(1000):
            last = [*last[1:], await digest(bench, alg, b"".join(last))]
        assert last[-1] == checkpoints[0]
