# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_random_pool; run by test_ecsm_random_pool.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from tests.rtl.common.clocked import Clocked

W, WORD = int(os.environ["POOL_W"]), int(os.environ["POOL_WORD"])
WORDS = -(-W // WORD)


class Bench(Clocked):
    """The module beside its model: the words that it has, the oldest first."""

    def __init__(self, dut: Any) -> None:
        inputs = ("clear", "random_valid", "random", "take")
        super().__init__(dut, inputs, ("random_ready", "full", "data", "held"))
        self.words: list[int] = []

    def compare(self, seen: dict[str, int], clear: int = 0) -> None:
        """Assert every output."""
        pool = 0
        for word in self.words:
            pool = pool << WORD | word
        full = len(self.words) == WORDS
        want = {
            "random_ready": int(not full and not clear), "full": int(full),
            "data": pool & ((1 << W) - 1), "held": int(pool != 0),
        }  # fmt: skip
        assert seen == want, f"{self.words}: {seen}, not {want}"

    async def step(self, word: int | None = None, take: int = 0, clear: int = 0) -> None:
        """Run one cycle, with a word or with none; compare, and move the model on."""
        valid = word is not None
        shown = (1 << WORD) - 1 if word is None else word
        seen = await self.cycle(random_valid=int(valid), random=shown, take=take, clear=clear)
        self.compare(seen, clear)
        if clear or take:
            self.words = []
        elif word is not None and len(self.words) < WORDS:
            self.words.append(word)

    async def filled(self, rng: random.Random) -> None:
        """Give words until it has all; none of them is zero."""
        while len(self.words) < WORDS:
            await self.step(rng.randrange(1, 1 << WORD))


async def ready(dut: Any) -> Bench:
    bench = Bench(dut)
    await bench.begin()
    return bench


@cocotb.test()
async def it_is_full_after_its_words_and_takes_no_more(dut: Any) -> None:
    """Words come with pauses; those that find it full are not taken."""
    bench = await ready(dut)
    rng = random.Random(1)
    for _ in range(20):
        while len(bench.words) < WORDS:
            for _ in range(rng.randint(0, 2)):
                await bench.step()
            await bench.step(rng.getrandbits(WORD))
        for _ in range(3):
            await bench.step(rng.getrandbits(WORD))
        await bench.step(take=1)


@cocotb.test()
async def nothing_of_what_is_gone_stays(dut: Any) -> None:
    """Take, clear or both, full or not, with a word offered and without one: it is zero."""
    bench = await ready(dut)
    rng = random.Random(2)
    for words in range(WORDS + 1):
        for take, clear in ((1, 0), (0, 1), (1, 1)):
            for offered in (None, (1 << WORD) - 1):
                for _ in range(words):
                    await bench.step(rng.randrange(1, 1 << WORD))
                await bench.step(offered, take=take, clear=clear)
                assert not bench.words
                await bench.step()


@cocotb.test()
async def reset_empties_it_at_once(dut: Any) -> None:
    """Between two edges."""
    bench = await ready(dut)
    await bench.filled(random.Random(3))
    bench.drive(take=0, clear=0, random_valid=0)
    seen = await bench.reset()
    bench.words = []
    bench.compare(seen)
    await bench.filled(random.Random(4))
    await bench.step()


@cocotb.test()
async def anything_in_any_order(dut: Any) -> None:
    """Random words, takes and clears."""
    bench = await ready(dut)
    rng = random.Random(5)
    for _ in range(4000):
        word = rng.getrandbits(WORD) if rng.random() < 0.7 else None
        take = int(rng.random() < (0.3 if len(bench.words) == WORDS else 0.05))
        await bench.step(word, take=take, clear=int(rng.random() < 0.03))
