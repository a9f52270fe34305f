# SPDX-License-Identifier: Apache-2.0
"""Behaviour of the hash units of the word engine at their port; run by test_word_hash.py.

Digests are compared with hashlib and CAVP. In every cycle it is asserted when octets can move: the
header's cycles.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import random
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked
from tests.rtl.symmetric.streams import registers
from tests.rtl.symmetric.vectors import monte_carlo, sha_files

KINDS = ("sha256", "sha224", "sha384", "sha512", "sha1")  # as kind_i names them
ALGS = os.environ["ALGS"].split()
SHARE = int(os.environ["SHARE"])
START, TURN = int(os.environ["START"]), int(os.environ["TURN"])  # cycles in which no octet moves
BLOCK = dict(zip((64, 128), map(int, os.environ["BLOCK"].split()), strict=False))
CONSTANTS = os.environ["CONSTANTS"].split()  # registers that a clear may leave; none: a netlist
CLEAR = int(os.environ["CLEAR"])  # cycles after which nothing is left
PATTERN = bytes(i * i % 251 for i in range(1000))


def block_of(alg: str) -> int:
    """Return a block's octets."""
    return hashlib.new(alg).block_size


def padded(alg: str, message: bytes) -> bytes:
    """Return a message with its padding: FIPS 180-4, 5.1."""
    length = block_of(alg) // 8
    zeros = -(len(message) + 1 + length) % block_of(alg)
    return message + b"\x80" + bytes(zeros) + (8 * len(message)).to_bytes(length, "big")


def whole(alg: str) -> int:
    """Return the octets of all words: eight, or five of SHA-1."""
    return hashlib.new(alg).digest_size if alg == "sha1" else block_of(alg) // 2


def expected(alg: str, message: bytes) -> bytes:
    return hashlib.new(alg, message).digest()


class Bench(Clocked):
    """The unit beside a model of when octets move: ``busy`` cycles more none does.

    Inputs that do not count have any value. ``stall``: how often a cycle is waited, 0 .. 1.
    """

    def __init__(self, dut: Any, seed: int) -> None:
        super().__init__(
            dut, ("clear", "start", "kind", "in_valid", "in_data", "out_ready"),
            ("long", "in_ready", "out_valid", "out_data"),
        )  # fmt: skip
        self.rng = random.Random(seed)
        self.stall = 0.0
        self.busy, self.came, self.went, self.block = 0, 0, 0, 64

    async def step(self, **values: int) -> dict[str, int]:
        """Run one cycle, compare, and move the model on."""
        noise = self.rng.getrandbits(10)
        idle = {"clear": 0, "start": 0, "kind": noise & 3, "in_valid": 0, "in_data": noise >> 2,
                "out_ready": 0}  # fmt: skip
        now = idle | values
        seen = await self.cycle(**now)
        moves = not self.busy
        assert (seen["in_ready"], seen["out_valid"]) == (moves, moves), self.busy
        assert seen["long"] == (self.block == 128)
        self.busy = max(0, self.busy - 1)
        if now["clear"]:
            self.forget()
        elif now["start"]:
            self.forget()
            self.busy, self.block = START, block_of(KINDS[now["kind"]])
        elif moves and now["in_valid"]:
            self.came = (self.came + 1) % self.block
            self.busy = 0 if self.came else BLOCK[self.block]
        elif moves and now["out_ready"]:
            self.went = (self.went + 1) % (self.block // 16)
            self.busy = 0 if self.went else TURN
        return seen

    def forget(self) -> None:
        """Drop what is under way."""
        self.busy, self.came, self.went, self.block = 0, 0, 0, 64

    async def start(self, alg: str) -> None:
        await self.step(start=1, kind=KINDS.index(alg) % 4)  # one that knows SHA-1 alone has none

    async def _wait(self) -> None:
        while self.rng.random() < self.stall:
            await self.step()

    async def give(self, octets: bytes) -> None:
        """Hand octets over; each is there until it is taken."""
        for octet in octets:
            await self._wait()
            while not (await self.step(in_valid=1, in_data=octet))["in_ready"]:
                pass

    async def spend(self, cycles: int, octets: bytes) -> None:
        """Run some cycles: octets are handed over, then the digest is read."""
        at = 0
        for _ in range(cycles):
            if at < len(octets):
                at += (await self.step(in_valid=1, in_data=octets[at]))["in_ready"]
            else:
                await self.step(out_ready=1)

    async def take(self, count: int) -> bytes:
        """Return octets of the digest."""
        found = bytearray()
        while len(found) < count:
            await self._wait()
            seen = await self.step(out_ready=1)
            if seen["out_valid"]:
                found.append(seen["out_data"])
        return bytes(found)

    async def digest(self, alg: str, message: bytes) -> bytes:
        await self.start(alg)
        await self.give(padded(alg, message))
        return await self.take(hashlib.new(alg).digest_size)


async def started(dut: Any, seed: int = 1) -> Bench:
    bench = Bench(dut, seed)
    await bench.begin()
    for _ in range(CLEAR):
        await bench.cycle(clear=1)
    return bench


def lengths(alg: str) -> list[int]:
    """Return lengths of messages: where the padding changes, and every SHARE-th one."""
    block, length = block_of(alg), block_of(alg) // 8
    edges = {n * block - k for n in (1, 2) for k in (0, 1, length, length + 1, length + 2)}
    return sorted(edges | {0, 1} | set(range(0, 2 * block + 2, SHARE)))


@cocotb.test()
async def every_length(dut: Any) -> None:
    bench = await started(dut)
    for alg in ALGS:
        for n in lengths(alg):
            message = PATTERN[n : 2 * n]
            assert await bench.digest(alg, message) == expected(alg, message), (alg, n)


@cocotb.test()
async def waits_on_both_sides_and_kinds_in_any_order_change_nothing(dut: Any) -> None:
    bench = await started(dut, 2)
    pairs = list(itertools.product(ALGS, repeat=2)) * (1 if SHARE > 1 else 8)
    bench.rng.shuffle(pairs)
    for alg in itertools.chain(*pairs):
        bench.stall = bench.rng.choice((0, 0.2, 0.7))
        message = bench.rng.randbytes(bench.rng.randrange(block_of(alg) * 3 // 2))
        assert await bench.digest(alg, message) == expected(alg, message)


@cocotb.test()
async def a_digest_is_read_between_blocks_and_goes_on(dut: Any) -> None:
    """All eight words are read after each message, whose padding is part of the next one."""
    bench = await started(dut, 3)
    for alg in ALGS:
        await bench.start(alg)
        message, done = b"", 0
        for n in (3, block_of(alg), 20):
            message = message[:done] + bench.rng.randbytes(n)
            text = padded(alg, message)
            await bench.give(text[done:])
            for _ in range(2):
                found = await bench.take(whole(alg))
                assert found[: hashlib.new(alg).digest_size] == expected(alg, message)
            message, done = text, len(text)


def left(dut: Any) -> dict[str, int]:
    """Return the registers that are not zero, but those of constants."""
    named = {name.rsplit(".", 1)[-1]: value for name, value in registers(dut)}
    constants = CONSTANTS if ALGS != ["sha1"] else ()
    assert {"word_q", *constants} < set(named)
    found = {name: value for name, value in named.items() if value and name not in CONSTANTS}
    if CLEAR > 1:  # there is a memory
        words = dut.u_hash.words
        found |= {f"words[{i}]": int(words[i].value) for i in range(32) if int(words[i].value)}
    return found


@cocotb.test(skip=not CONSTANTS)
async def clear_in_any_cycle_leaves_nothing(dut: Any) -> None:
    """With an octet, a start or a reset in the same cycle, too."""
    bench = await started(dut, 4)
    stride = 7 * SHARE if SHARE > 1 else 3
    for alg in ALGS:
        text = padded(alg, b"\xff" * 40)
        for at in range(0, START + len(text) + BLOCK[len(text)] + 3 * TURN, stride):
            await bench.start(alg)
            await bench.spend(at, text)
            assert at < START + 1 or left(dut)
            others = {"in_valid": 1, "out_ready": 1, "start": at // stride % 2}
            if at // stride % 5:
                await bench.step(clear=1, **others)
            else:  # a start of the cycle before goes on until the clear behind the reset
                await bench.reset()
                await bench.cycle(clear=1, **others)
                bench.forget()
            for _ in range(CLEAR - 1):
                await bench.step(clear=1, in_valid=1)
            await bench.settle()
            assert not left(dut), (alg, at, left(dut))
            rest = text[: at % 50]
            assert await bench.digest(alg, rest) == expected(alg, rest), (alg, at)


@cocotb.test()
async def a_start_in_any_cycle_forgets_what_was(dut: Any) -> None:
    """Another start just behind it, too."""
    bench = await started(dut, 5)
    kinds = itertools.cycle(ALGS)
    stride = 5 * SHARE if SHARE > 1 else 2
    longest = START + max(map(block_of, ALGS)) + max(BLOCK.values()) + 9 * TURN
    for at in [*range(8), *range(8, longest, stride)]:
        await bench.start(next(kinds))
        await bench.spend(at, bench.rng.randbytes(bench.block))
        message, alg = PATTERN[at : at + at % 120], next(kinds)
        assert await bench.digest(alg, message) == expected(alg, message), (alg, at)


@cocotb.test()
async def cavp(dut: Any) -> None:
    """Short and long messages of CAVP, as many as SHARE says; longer than 1,000 octets are few."""
    bench = await started(dut)
    count = 0
    for alg in ALGS:
        for i, (message, want) in enumerate(sha_files(alg)):
            if i % SHARE == 0 and (len(message) < 1000 or i % (16 * SHARE) == 0):
                count += 1
                assert await bench.digest(alg, message) == want, (alg, len(message))
    assert count > 60 // SHARE


@cocotb.test(skip=SHARE != 1)
async def cavp_monte_carlo(dut: Any) -> None:
    """The first checkpoint: a thousand digests, each of the three before it."""
    bench = await started(dut)
    for alg in ALGS:
        seed, checkpoints = monte_carlo(alg)
        last = [seed] * 3
        for _ in range(1000):
            last = [*last[1:], await bench.digest(alg, b"".join(last))]
        assert last[-1] == checkpoints[0]
