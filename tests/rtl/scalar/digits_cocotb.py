# SPDX-License-Identifier: Apache-2.0
"""Behaviour of ecsm_scalar_digits; run by test_scalar_digits.py."""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb

from ecsm.curves.recode import corrected
from tests.rtl.common.clocked import Clocked
from tests.rtl.scalar.scalars import scalars

W, WINDOW = (int(os.environ[name]) for name in ("W", "WINDOW"))
COUNT = -(-W // WINDOW)
MASK = (1 << W) - 1


def digits(k: int) -> list[tuple[int, int]]:
    """Return the digits of k, the first first, and the names: index and sign of each."""
    recoded = corrected(k, COUNT, WINDOW)
    return [(recoded.entry(d), int(d < 0)) for d in reversed(recoded.digits)]


def digit(seen: dict[str, int]) -> tuple[int, int]:
    return seen["index"], seen["negative"]


async def ready(dut: Any) -> Clocked:
    bench = Clocked(dut, ("clear", "load", "next", "scalar"), ("index", "negative"))
    await bench.begin()
    return bench


@cocotb.test()
async def every_scalar_is_handed_out(dut: Any) -> None:
    """The first digit in the cycle after the load, then one a next."""
    bench = await ready(dut)
    for k in scalars(W):
        await bench.cycle(load=1, next=k & 1, scalar=k)  # next is ignored
        # The port may change once the scalar is loaded.
        wanted = digits(k)
        seen = [await bench.cycle(load=0, next=1, scalar=~k & MASK) for _ in wanted]
        assert [digit(s) for s in seen] == wanted, f"k = {k:#x}"


@cocotb.test()
async def waits_between_digits(dut: Any) -> None:
    """A digit stays until next_i, however late it comes."""
    bench = await ready(dut)
    rng = random.Random(2)
    for k in scalars(W)[-40:]:
        await bench.cycle(load=1, next=0, scalar=k)
        for wanted in digits(k):
            for _ in range(rng.randint(0, 3)):
                assert digit(await bench.cycle(load=0, next=0)) == wanted
            assert digit(await bench.cycle(load=0, next=1)) == wanted


@cocotb.test()
async def load_starts_over_and_clear_leaves_nothing(dut: Any) -> None:
    """At any time; clear_i wins over load_i and next_i."""
    bench = await ready(dut)
    rng = random.Random(3)
    for t in range(COUNT + 1):
        for clear in (0, 1):
            k = rng.getrandbits(W) | 1 << (W - 1)
            await bench.cycle(clear=0, load=1, next=0, scalar=MASK)
            for _ in range(t):
                await bench.cycle(load=0, next=1)
            await bench.cycle(clear=clear, load=1, next=rng.getrandbits(1), scalar=k)
            seen = [digit(await bench.cycle(clear=0, load=0, next=1)) for _ in digits(k)]
            nothing = ((1 << WINDOW - 1) - 1, 1)  # of a register of zeros
            assert seen[:COUNT] == [nothing] * COUNT if clear else seen == digits(k)
